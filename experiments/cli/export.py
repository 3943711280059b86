"""`export`: games in the formats of other programs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from experiments.cli.shared_options import Import, Json, printed
from orchestrator import spelling
from orchestrator.errors import UserError

TARGETS = ("tables", "hanab-live")


def export(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A run's folder, or the journal of one game.")],
    to: Annotated[str, typer.Option("--to", help=f"The format: {', '.join(TARGETS)}.")],
    out: Annotated[Path | None, typer.Option(help="The file or folder to write.")] = None,
    texts: Annotated[bool, typer.Option("--texts", help="tables: with the messages and response of calls.")] = False,
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Write games in another format. Exports hold the deal: those of unfinished games show hidden cards."""
    if to not in TARGETS:
        raise UserError(f"--to is {to!r}; {spelling.known(to, TARGETS, 'it can be')}")
    if not path.exists():
        raise UserError(f"there is nothing at {str(path)!r}; name a run's folder or the journal of a game")
    if to == "tables":
        _tables(path, _needed(out), texts, as_json)
    else:
        _hanab_live(path, _needed(out), as_json)


def _needed(out: Path | None) -> Path:
    if out is None:
        raise UserError("--out is missing: say which file or folder to write")
    return out


def _say(*lines: str) -> None:
    from rich.text import Text

    from experiments.show.terminal import console

    screen = console()
    for line in lines:
        screen.print(Text(line), soft_wrap=True)


def _tables(folder: Path, out: Path, texts: bool, as_json: bool) -> None:
    from experiments.results import parquet

    written = parquet.export(folder, out, texts=texts)
    if as_json:
        printed({"out": str(out), "rows": written})
    else:
        _say(*(f"{name:<6} {rows:>9,}  {out}/{name}.parquet" for name, rows in written.items()))


def _hanab_live(path: Path, out: Path, as_json: bool) -> None:
    from experiments.export import hanab_live_files

    written = hanab_live_files.export(path, out)
    if as_json:
        data: list[dict[str, Any]] = [one.plain for one in written]
        printed(data)
    else:
        _say(*hanab_live_files.lines(written, out))
