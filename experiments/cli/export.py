"""`export`: runs in the formats of other programs."""

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.shared_options import Import, Json, printed
from orchestrator import spelling
from orchestrator.errors import UserError

TARGETS = ("tables",)


def export(
    folder: Annotated[Path, typer.Argument(metavar="PATH", help="A run's folder, e.g. runs/role-ablation.")],
    to: Annotated[str, typer.Option("--to", help=f"The format: {', '.join(TARGETS)}.")],
    out: Annotated[Path, typer.Option(help="The folder to write.")],
    texts: Annotated[bool, typer.Option("--texts", help="Include the messages and response of every call.")] = False,
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Write a run in another format: `tables` are Parquet files of its games, turns and calls."""
    from rich.text import Text

    from experiments.results import parquet
    from experiments.show.terminal import console

    if to not in TARGETS:
        raise UserError(f"--to is {to!r}; {spelling.known(to, TARGETS, 'it can be')}")
    written = parquet.export(folder, out, texts=texts)
    if as_json:
        printed({"out": str(out), "rows": written})
        return
    screen = console()
    for name, rows in written.items():
        screen.print(Text(f"{name:<6} {rows:>9,}  {out}/{name}.parquet"), soft_wrap=True)
