"""`marks`: how right each role of played games was."""

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.shared_options import Import, Json, printed, progress


def marks(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A game, a folder of games, or a run's folder.")],
    role: Annotated[str | None, typer.Option(help="Only this role.")] = None,
    arm: Annotated[str | None, typer.Option(help="Only this arm.")] = None,
    rollouts: Annotated[
        int, typer.Option(min=0, help="Also judge moves by this many rollouts each, at least 50: a minute a game.")
    ] = 0,
    out: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Also write every mark of every reply as CSV.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Mark every role's answers against the hidden cards: a table of means with intervals and baselines."""
    from rich.text import Text

    from experiments.document import terminal
    from experiments.document.terminal import console
    from experiments.report import marked_run, marks_table
    from orchestrator.errors import UserError

    if 0 < rollouts < LEAST:
        raise UserError(f"--rollouts is {rollouts}; fewer than {LEAST} say nothing, and 0 plays none")
    games = marked_run.read(path, arm)
    table = marks_table.CsvFile(out, role) if out else None
    add = table.add if table else lambda row, marks: None
    run = marked_run.marked(games, workers, progress("marks of game"), rollouts, add)
    run = run.role(role) if role else run
    if table:
        table.end()
    if as_json:
        printed(marks_table.data(run) | ({"csv": str(table.path), "rows": table.written} if table else {}))
        return
    terminal.show(marks_table.blocks(run), console())
    if table:
        console().print(Text(f"\n{table.written:,} marks  {table.path}"), soft_wrap=True)


LEAST = 50
