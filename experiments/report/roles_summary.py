"""The section "Roles" on a terminal: its sentences, who was followed, what was refused."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from experiments.document.terminal import plain_table
from experiments.report.roles_section import RolesSection
from experiments.report.tables import Grid


def show(roles: RolesSection, folder: Path, console: Console) -> None:
    """Nothing where a report has no such section."""
    if roles.why:
        console.print(Text(f"\nroles: {roles.why}", style="dim"), soft_wrap=True)
    if roles.run is None:
        return
    console.print(Text("\nroles", style="bold"))
    for sentence in (*roles.sentences, *roles.missing):
        console.print(Text(sentence), soft_wrap=True)
    for title, grid in (("who was followed", roles.following), ("what verifiers refused", roles.judging)):
        if grid:
            console.print(Text(f"\n{title}"))
            _print(grid, console)
    console.print(Text(f"\nmarks    orchestrator marks {folder}"), soft_wrap=True, end="")


def _print(grid: Grid, console: Console) -> None:
    table = plain_table(*grid.columns, words=grid.columns[: grid.words])
    for row in (*grid.rows, *grid.folded):
        table.add_row(*row)
    console.print(table)
