"""`export`: games as tables, as a page to mail, and in the formats of other programs."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.cli import completion
from experiments.cli.page import write_page
from experiments.cli.shared_options import Output, collector, printed, progress
from orchestrator.errors import UserError, did_you_mean, nearby

if TYPE_CHECKING:
    from experiments.interchange.data_rows import DataSet
    from experiments.interchange.more_columns import Wanted

DATA_SETS = ("logs", "rewards", "sft", "dpo", "grpo")
"""Formats whose rows train a model."""
TARGETS = ("page", "tables", "results", "hanab-live", "otlp", "atif", "inspect", *DATA_SETS)


def export(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCE... [OUT]",
            help="Folders of runs, or journals of games; the last of several is the file or folder to write, unless "
            "--out is.",
            autocompletion=completion.run,
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
    out: Annotated[Path | None, typer.Option(help="The file or folder to write.")] = None,
    more: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAMES",
            help="tables, results: marks, quality; tables: texts, the messages and responses of calls; page: values of "
            "moves, minutes a game; game=full/2p-s1-r1, this one alone; data sets: thinking, the reasoning within the "
            "response; prompts=GRAPH, those of another graph; rollouts=400, values by rollouts. Repeatable.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Worker processes, for marks and data sets.")] = 1,
    otlp: Annotated[
        list[str] | None,
        typer.Option(
            "--otlp",
            metavar="URL",
            help="otlp: send to this collector; `content`: with prompts and responses.",
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="EXPR", help='Data sets: only these rows, e.g. "score_kept >= 20".'),
    ] = None,
    held_out: Annotated[
        list[str] | None,
        typer.Option(
            "--held-out",
            metavar="SHARE|SEEDS|RUN",
            help="Data sets: 0.1 writes the rows of a tenth of the deals to a test file; no row may be of a deal of "
            "these seeds, e.g. 1-50, or of this run. Repeatable.",
        ),
    ] = None,
    *,
    output: Output,
) -> None:
    """Write games as tables, a page, or for other programs.

    Exports hold the deal: those of unfinished games show hidden cards. tables: games, turns and calls as Parquet;
    page: one HTML file to mail, or a folder; results: results.csv with more columns. Data sets, as .jsonl or .parquet:
    sft, a row per response; logs, rewards, dpo, grpo, a row per decision, the last three with values of its moves.
    """
    if out is None and len(paths) > 1:
        *paths, out = paths
    if to not in TARGETS:
        raise UserError(f"--to is {to!r}; {did_you_mean(to, TARGETS, 'it can be')}")
    for path in paths:
        if not path.exists():
            raise UserError(f"there is nothing at {str(path)!r}; name a run's folder or a game's journal{nearby(path)}")
    wishes = {name.strip() for text in more or () for name in text.split(",")} - {""}
    of_sets = {"--where": (DATA_SETS, where), "--held-out": (DATA_SETS, held_out)}
    _check(to, wishes, {"--otlp": (("otlp",), otlp), **of_sets})
    if to in DATA_SETS:
        _data_set(paths, _needed(out), _wanted(to, wishes, where), held_out or (), workers, output.as_json)
        return
    if len(paths) > 1:
        raise UserError(f"--to {to} takes one run or game, not {len(paths)}")
    (path,) = paths
    if to == "page":
        games = [wish.removeprefix("game=") for wish in wishes if wish.startswith("game=")]
        write_page(path, _needed(out), games, values="values" in wishes, as_json=output.as_json)
    elif to == "otlp":
        _otlp(path, out, *collector(otlp), output.as_json)
    elif to in ("tables", "results"):
        from experiments.interchange.more_columns import Wanted

        added = Wanted(wishes - {"texts"}, workers, progress("marks of game"))
        columns = _tables if to == "tables" else _results
        columns(path, _needed(out), added, "texts" in wishes, output.as_json)
    else:
        of_games = {"hanab-live": _hanab_live, "atif": _atif, "inspect": _inspect}
        of_games[to](path, _needed(out), output.as_json)


EXTRAS: Mapping[str, Sequence[str]] = {
    "tables": ("marks", "quality", "texts"),
    "results": ("marks", "quality"),
    "page": ("values", "game"),
    **dict.fromkeys(DATA_SETS, ("thinking", "prompts", "rollouts")),
}
"""What a format can be written with."""


def _check(to: str, wishes: set[str], options: Mapping[str, tuple[Sequence[str], object]]) -> None:
    """Raise UserError for an option of another format."""
    names = {wish.partition("=")[0] for wish in wishes}
    if wrong := sorted(names - {*EXTRAS.get(to, ())}):
        raise UserError(f"--with is {wrong[0]!r}; {did_you_mean(wrong[0], EXTRAS.get(to, ()), f'--to {to} can have')}")
    for name, (formats, value) in options.items():
        if value and to not in formats:
            raise UserError(f"{name} is for --to {' or '.join(formats)}, not for --to {to}")


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


def _results(folder: Path, out: Path, more: "Wanted", _: bool, as_json: bool) -> None:
    from experiments.interchange import more_columns

    if folder.is_file():
        raise UserError(f"--to results takes a run's folder, and {str(folder)!r} is a file")
    rows, columns = more_columns.write_results(folder, out, more)
    if as_json:
        printed({"out": str(out), "rows": rows, "columns": columns})
    else:
        _say(f"{rows:,} games, {columns:,} columns  {out}")


def _tables(folder: Path, out: Path, more: "Wanted", texts: bool, as_json: bool) -> None:
    from experiments.interchange import more_columns

    if folder.is_file():
        raise UserError(f"--to tables takes a run's folder, and {str(folder)!r} is a file")
    written = more_columns.write_tables(folder, out, more, texts=texts)
    if as_json:
        printed({"out": str(out), "rows": written})
    else:
        _say(*(f"{name:<6} {rows:>9,}  {out}/{name}.parquet" for name, rows in written.items()))


def _wanted(to: Any, wishes: set[str], where: str | None) -> "DataSet":
    """The data set that is asked for. Raises UserError."""
    from experiments.interchange.data_rows import DataSet
    from graphs import read

    named = dict(wish.split("=", 1) for wish in wishes if "=" in wish)
    graph = read(named["prompts"]) if "prompts" in named else None
    rollouts = named.get("rollouts", "0")
    if not rollouts.isdigit():
        raise UserError(f"--with rollouts={rollouts}: write a number of games, e.g. rollouts=400")
    return DataSet(to, where or "", graph, "thinking" in wishes, int(rollouts))


def _data_set(
    paths: Sequence[Path], out: Path, data: "DataSet", held_out: Sequence[str], workers: int, as_json: bool
) -> None:
    from experiments.interchange import data_files

    done = progress("game")
    written = data_files.export(paths, out, data, data_files.HeldOut.read(held_out), workers, done)
    card = data_files.write_card(out, shlex.join(["orchestrator", *sys.argv[1:]]), written)
    if as_json:
        printed({**vars(written), "columns": list(written.columns), "card": str(card)})
        return
    _say(*(f"{rows:,} rows  {out.parent / name}" for name, rows in written.files.items()), *written.notes)
    _say(f"card  {card}")


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
