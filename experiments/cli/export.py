"""`export`: games as tables, as a page to mail, and in the formats of other programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.cli import completion
from experiments.cli.page import write_page
from experiments.cli.shared_options import Output, collector, printed, progress
from orchestrator.errors import UserError, did_you_mean, nearby

if TYPE_CHECKING:
    from experiments.interchange.more_columns import Wanted

TARGETS = ("page", "tables", "results", "hanab-live", "otlp", "atif", "inspect")


def export(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH", help="A run's folder, or the journal of one game.", autocompletion=completion.run
        ),
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help=f"The format: {', '.join(TARGETS)}.",
            autocompletion=lambda incomplete: [name for name in TARGETS if name.startswith(incomplete)],
        ),
    ],
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[OUT]", help="The file or folder to write, as --out.", show_default=False),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The file or folder to write.")] = None,
    more: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAMES",
            help="tables, results: marks, quality; tables: texts, the messages and responses of calls; page: values of "
            "moves, minutes a game. Repeatable.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="With --with: worker processes.")] = 1,
    otlp: Annotated[
        list[str] | None,
        typer.Option(
            "--otlp",
            metavar="URL",
            help="otlp: send to this collector; `content`: with prompts and responses.",
        ),
    ] = None,
    game: Annotated[
        list[str] | None, typer.Option("--game", help="page: only this game, e.g. full/2p-s1-r1; repeatable.")
    ] = None,
    *,
    output: Output,
) -> None:
    """Write games as tables, a page, or for other programs.

    Exports hold the deal: those of unfinished games show hidden cards. tables: games, turns and calls as Parquet;
    page: one HTML file to mail, or a folder; results: results.csv with more columns.
    """
    out = out or file
    if to not in TARGETS:
        raise UserError(f"--to is {to!r}; {did_you_mean(to, TARGETS, 'it can be')}")
    if not path.exists():
        raise UserError(f"there is nothing at {str(path)!r}; name a run's folder or a game's journal{nearby(path)}")
    wishes = {name.strip() for text in more or () for name in text.split(",")} - {""}
    _check(to, wishes, {"--otlp": ("otlp", otlp), "--game": ("page", game)})
    added = ",".join(sorted(wishes - {"texts", "values"}))
    if to == "page":
        write_page(path, _needed(out), game or (), values="values" in wishes, as_json=output.as_json)
    elif to == "tables":
        _tables(path, _needed(out), "texts" in wishes, _more_columns(added, workers), output.as_json)
    elif to == "results":
        _results(path, _needed(out), _more_columns(added, workers), output.as_json)
    elif to == "hanab-live":
        _hanab_live(path, _needed(out), output.as_json)
    elif to == "otlp":
        _otlp(path, out, *collector(otlp), output.as_json)
    elif to == "atif":
        _atif(path, _needed(out), output.as_json)
    else:
        _inspect(path, _needed(out), output.as_json)


EXTRAS = {"tables": ("marks", "quality", "texts"), "results": ("marks", "quality"), "page": ("values",)}
"""What a format can be written with."""


def _check(to: str, wishes: set[str], options: dict[str, tuple[str, object]]) -> None:
    """Raise UserError for an option of another format."""
    if wrong := sorted(wishes - {*EXTRAS.get(to, ())}):
        raise UserError(f"--with is {wrong[0]!r}; {did_you_mean(wrong[0], EXTRAS.get(to, ()), f'--to {to} can have')}")
    for name, (format_of, value) in options.items():
        if value and format_of != to:
            raise UserError(f"{name} is for --to {format_of}, not for --to {to}")


def _needed(out: Path | None) -> Path:
    if out is None:
        raise UserError("--out is missing: say which file or folder to write")
    return out


def _say(*lines: str) -> None:
    from rich.text import Text

    from experiments.document.terminal import console

    screen = console()
    for line in lines:
        screen.print(Text(line), soft_wrap=True)


def _more_columns(more: str, workers: int) -> "Wanted":
    """What is to be added, with its progress on stderr."""
    from experiments.interchange.more_columns import Wanted

    return Wanted.read(more, workers, progress("marks of game"))


def _results(folder: Path, out: Path, more: "Wanted", as_json: bool) -> None:
    from experiments.interchange import more_columns

    if folder.is_file():
        raise UserError(f"--to results takes a run's folder, and {str(folder)!r} is a file")
    rows, columns = more_columns.write_results(folder, out, more)
    if as_json:
        printed({"out": str(out), "rows": rows, "columns": columns})
    else:
        _say(f"{rows:,} games, {columns:,} columns  {out}")


def _tables(folder: Path, out: Path, texts: bool, more: "Wanted", as_json: bool) -> None:
    from experiments.interchange import more_columns

    if folder.is_file():
        raise UserError(f"--to tables takes a run's folder, and {str(folder)!r} is a file")
    written = more_columns.write_tables(folder, out, more, texts=texts)
    if as_json:
        printed({"out": str(out), "rows": written})
    else:
        _say(*(f"{name:<6} {rows:>9,}  {out}/{name}.parquet" for name, rows in written.items()))


def _hanab_live(path: Path, out: Path, as_json: bool) -> None:
    from experiments.interchange import hanab_live

    written = hanab_live.export(path, out)
    if as_json:
        data: list[dict[str, Any]] = [game.plain for game in written]
        printed(data)
    else:
        _say(*hanab_live.lines(written, out))


def _otlp(path: Path, out: Path | None, endpoint: str | None, content: bool, as_json: bool) -> None:
    from experiments.interchange import otlp

    written = otlp.export(path, out, endpoint, content=content)
    if as_json:
        printed({"games": written.games, "spans": written.spans, "to": written.to})
    else:
        games = "1 game" if written.games == 1 else f"{written.games:,} games"
        _say(*(f"{games}, {written.spans:,} spans  {to}" for to in written.to))


def _atif(path: Path, out: Path, as_json: bool) -> None:
    from experiments.interchange import atif

    written = atif.export(path, out)
    if as_json:
        printed({"out": str(out), "files": [str(file) for file in written]})
    else:
        _say(f"{len(written):,} trajectories  {out}")


def _inspect(path: Path, out: Path, as_json: bool) -> None:
    from experiments.interchange import inspect_log

    log, games = inspect_log.export(path, out)
    if as_json:
        printed({"log": str(log), "games": games})
    else:
        _say(f"{games:,} samples  {log}", f"next: inspect view --log-dir {log.parent}")
