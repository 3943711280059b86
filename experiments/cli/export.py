"""`export`: games as tables, as a page to mail, and in the formats of other programs; `import`:
games of others."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from hanabi_orchestrator.experiments import formats
from hanabi_orchestrator.experiments.cli import completion
from hanabi_orchestrator.experiments.cli.shared_options import (
    Output,
    collector,
    print_json,
    progress,
)
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, nearby, shortened
from hanabi_orchestrator.orchestrator.values import whole_number
from hanabi_orchestrator.roles.words import many

if TYPE_CHECKING:
    from hanabi_orchestrator.experiments.interchange.data_rows import DataSet

DATA_SETS = ("logs", "rewards", "sft", "dpo", "grpo")
"""Formats whose rows train a model."""
OF_COMMAND: Mapping[str, str] = {
    "page": "one HTML file to mail, or a folder",
    "tables": "games, turns and calls as Parquet",
    "results": "results.csv with more columns",
    "otlp": "traces for OpenTelemetry",
    "logs": "a row per decision",
    "rewards": "a row per decision, with values of its moves",
    "sft": "a row per response",
    "dpo": "a row per decision, as pairs of moves",
    "grpo": "a row per decision, for rewards in training",
}
"""Formats that have options of the command, by name, with what they hold."""
TARGETS = (*OF_COMMAND, *formats.exports.built_in)


def targets() -> list[str]:
    """Return the names of all formats, those of other packages included."""
    return list(dict.fromkeys((*TARGETS, *formats.exports.names())))


def export(
    paths: Annotated[
        list[Path],
        Argument(
            metavar="SOURCE... [OUT]",
            help="Folders of runs, or journals of games; the last of several is the file or "
            "folder to write, unless --out is.",
            autocompletion=completion.run,
        ),
    ],
    to: Annotated[
        str,
        Option(
            help=f"The format: {', '.join(TARGETS)}; or one of your own (`list formats`).",
            autocompletion=lambda incomplete: [
                name for name in targets() if name.startswith(incomplete)
            ],
        ),
    ],
    out: Annotated[Path | None, Option(help="The file or folder to write.")] = None,
    more: Annotated[
        list[str] | None,
        Option(
            "--with",
            metavar="NAMES",
            help="tables, results: marks, quality; tables: texts, the messages and responses of "
            "calls; page: values of moves, minutes a game; game=full/2p-s1-r1, this one alone; "
            "data sets: thinking, the reasoning within the response; prompts=GRAPH, those of "
            "another graph; rollouts=400, values by rollouts. Repeatable.",
        ),
    ] = None,
    workers: Annotated[int, Option(min=1, help="Worker processes, for marks and data sets.")] = 1,
    otlp: Annotated[
        list[str] | None,
        Option(
            metavar="URL",
            help="otlp: send to this collector; `content`: with prompts and responses.",
        ),
    ] = None,
    where: Annotated[
        str | None,
        Option(metavar="EXPR", help='Data sets: only these rows, e.g. "score_kept >= 20".'),
    ] = None,
    held_out: Annotated[
        list[str] | None,
        Option(
            metavar="SHARE|SEEDS|RUN",
            help="Data sets: 0.1 writes the rows of a tenth of the deals to a test file; no "
            "row may be of a deal of these seeds, e.g. 1-50, or of this run. Repeatable.",
        ),
    ] = None,
    *,
    output: Output,
) -> None:
    """Write games as tables, a page, or for other programs.

    Exports hold the deal: those of unfinished games show hidden cards. tables: games, turns and
    calls as Parquet; page: one HTML file to mail, or a folder; results: results.csv with more
    columns. Data sets, as .jsonl or .parquet: sft, a row per response; logs, rewards, dpo, grpo, a
    row per decision, the last three with values of its moves.
    """
    if out is None and len(paths) > 1:
        *paths, out = paths
    strips = set()
    for text in more or ():
        for name in text.split(","):
            strips.add(name.strip())
    wishes = strips - {""}
    of_sets = {"--where": (DATA_SETS, where), "--held-out": (DATA_SETS, held_out)}
    _check(to, paths, wishes, {"--otlp": (("otlp",), otlp), **of_sets})
    if to == "otlp":
        _send(paths[0], out, *collector(otlp), output)
    elif out is None:
        raise UserError("--out is missing: say which file or folder to write")
    elif to == "page":
        games = [wish.removeprefix("game=") for wish in wishes if wish.startswith("game=")]
        _page(paths[0], out, games, "values" in wishes, output)
    elif to in DATA_SETS:
        _data_set(paths, out, _wanted(to, wishes, where), held_out or (), workers, output)
    elif to in ("tables", "results"):
        _columns(to, paths[0], out, wishes, workers, output)
    else:
        written = formats.exports.get(to).write(paths[0], out)
        output.lines(written.data, *written.lines)


EXTRAS: Mapping[str, Sequence[str]] = {
    "tables": ("marks", "quality", "texts"),
    "results": ("marks", "quality"),
    "page": ("values", "game"),
    **dict.fromkeys(DATA_SETS, ("thinking", "prompts", "rollouts")),
}
"""What a format can be written with."""


def _check(
    to: str,
    paths: Sequence[Path],
    wishes: set[str],
    options: Mapping[str, tuple[Sequence[str], object]],
) -> None:
    """Raise UserError for a format or a source that does not exist, and for an option of another
    format."""
    if to not in targets():
        raise UserError(f"--to is {to!r}; {did_you_mean(to, targets(), 'it can be')}")
    for path in paths:
        if not path.exists():
            raise UserError(
                f"there is nothing at {str(path)!r}; name a run's folder or a game's "
                f"journal{nearby(path)}"
            )
    names = {wish.partition("=")[0] for wish in wishes}
    if wrong := sorted(names - {*EXTRAS.get(to, ())}):
        raise UserError(
            f"--with is {wrong[0]!r}; "
            f"{did_you_mean(wrong[0], EXTRAS.get(to, ()), f'--to {to} can have')}"
        )
    for name, (takers, value) in options.items():
        if value and to not in takers:
            raise UserError(f"{name} is for --to {' or '.join(takers)}, not for --to {to}")
    if to not in DATA_SETS and len(paths) > 1:
        raise UserError(f"--to {to} takes one run or game, not {len(paths)}")


def _page(path: Path, out: Path, games: Sequence[str], values: bool, output: Output) -> None:
    """Write a copy of the page that needs no software of ours: an HTML file, or a folder."""
    from hanabi_orchestrator.experiments.document.terminal import console
    from hanabi_orchestrator.experiments.page.bundle import Bundle
    from hanabi_orchestrator.experiments.page.library import Library

    screen = console(err=True)

    def progress(id: str, done: int, total: int) -> None:
        if screen.is_terminal:
            screen.print(f"{done} of {total}: {id}", end="\r" if done < total else "\n")

    if values:
        output.before_rollouts()
    page = Bundle(Library.open(path), games, values, progress)
    try:
        size = page.write(out)
    finally:
        page.api.close()
    if output.as_json:
        print_json({"out": str(out), "bytes": size})
    else:
        screen.print(
            f"{out}  {size / 1e6:.1f} MB; it holds every card and every prompt of its games"
        )


def _columns(
    to: str, folder: Path, out: Path, wishes: set[str], workers: int, output: Output
) -> None:
    """Write games as tables, with what is to be added and its progress on stderr."""
    from hanabi_orchestrator.experiments.interchange import more_columns

    more = more_columns.Wanted(wishes - {"texts"}, workers, progress("marks of game"))
    if folder.is_file():
        raise UserError(f"--to {to} takes a run's folder, and {str(folder)!r} is a file")
    if to == "results":
        rows, columns = more_columns.write_results(folder, out, more)
        data = {"out": str(out), "rows": rows, "columns": columns}
        output.lines(data, f"{many(rows, 'game')}, {many(columns, 'column')}  {out}")
    else:
        written = more_columns.write_tables(folder, out, more, texts="texts" in wishes)
        lines = (
            f"{name:<6} {number:>9,}  {out}/{name}.parquet" for name, number in written.items()
        )
        output.lines({"out": str(out), "rows": written}, *lines)


def _send(
    path: Path, out: Path | None, endpoint: str | None, content: bool, output: Output
) -> None:
    """Write traces, or send them to a collector."""
    from hanabi_orchestrator.experiments.interchange import otlp

    written = otlp.export(path, out, endpoint, content=content)
    size = f"{many(written.games, 'game')}, {many(written.spans, 'span')}"
    data = {"games": written.games, "spans": written.spans, "to": written.to}
    output.lines(data, *(f"{size}  {to}" for to in written.to))


def _wanted(to: Any, wishes: set[str], where: str | None) -> "DataSet":
    """The data set that is asked for. Raises UserError."""
    from hanabi_orchestrator.experiments.interchange.data_rows import DataSet
    from hanabi_orchestrator.graphs import read

    named = dict(wish.split("=", 1) for wish in wishes if "=" in wish)
    graph = read(named["prompts"]) if "prompts" in named else None
    rollouts = named.get("rollouts", "0")
    games = whole_number(rollouts)
    if games is None:
        raise UserError(
            f"--with rollouts={shortened(rollouts)}: write a number of games, e.g. rollouts=400"
        )
    return DataSet(to, where or "", graph, "thinking" in wishes, games)


def _data_set(
    paths: Sequence[Path],
    out: Path,
    data: "DataSet",
    held_out: Sequence[str],
    workers: int,
    output: Output,
) -> None:
    from hanabi_orchestrator.experiments.interchange import data_files

    held = data_files.HeldOut.read(held_out)
    if data.rollouts:
        output.before_rollouts()
    written = data_files.export(paths, out, data, held, workers, progress("game"))
    command = shlex.join(["orchestrator", *sys.argv[1:]])
    card = data_files.write_card(out, command, written)
    lines = [f"{many(rows, 'row')}  {out.parent / name}" for name, rows in written.files.items()]
    answer = {**vars(written), "columns": list(written.columns), "card": str(card)}
    output.lines(answer, *lines, *written.notes, f"card  {card}")


def import_games(
    source: Annotated[
        str,
        Argument(
            metavar="FILE",
            help="A game of hanab.live (JSON, or a replay's address), or HanabiLogs' rows (JSON "
            "lines).",
        ),
    ],
    form: Annotated[
        str | None,
        Option(
            "--from",
            help="The format, where the file does not tell: hanab-live, hanabilogs, or one of "
            "your own (`list formats`).",
            autocompletion=formats.imports.starting,
        ),
    ] = None,
    out: Annotated[
        Path | None, Option(help="What to write; default games/, or games/hanabilogs-FILE.")
    ] = None,
    graph: Annotated[
        str | None,
        Option(help="HanabiLogs: whose format the responses follow: watson, sherlock or mycroft."),
    ] = None,
    names: Annotated[
        Path | None,
        Option(
            "--map",
            metavar="YAML",
            help="HanabiLogs: columns of other names: `our name: its name`.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None, Option(help="HanabiLogs: only rows of this model; repeatable.")
    ] = None,
    skip_broken: Annotated[
        bool,
        Option(
            "--skip-broken", help="HanabiLogs: leave out rows that cannot be read, and list them."
        ),
    ] = False,
    *,
    output: Output,
) -> None:
    """Read games of other programs in, as journals.

    Of hanab.live, of HanabiLogs, or in a format of your own; `show` and all other commands take
    them.
    """
    from hanabi_orchestrator.experiments.document.terminal import console
    from hanabi_orchestrator.experiments.record.game import Game
    from hanabi_orchestrator.experiments.show import game_story

    path = Path(source)
    is_journal = False
    with suppress(UserError):
        is_journal = path.suffix == ".jsonl" and bool(Game.open(path))
    if is_journal:
        raise UserError(
            f"{source!r} is a journal of this program already: orchestrator show {source}"
        )
    name = form or _form(source)
    read = formats.imports.get(name)
    given = {"graph": graph, "map": names, "model": model, "skip_broken": skip_broken}
    options = {option: value for option, value in given.items() if value}
    if wrong := sorted(set(options) - set(read.options)):
        flag = f"--{wrong[0].replace('_', '-')}"
        raise UserError(
            f"{flag} is not for {name}, as which {source!r} is read; --from says otherwise"
        )
    written = read.read(source, out, **options)
    output.lines(written.data, *written.lines)
    if written.journal and not output.as_json:
        game_story.print_next(written.journal, console(), again=False)


def _form(source: str) -> str:
    """Return the format that a file or an address is of, by its name; hanab.live's where none takes it."""
    takers = (name for name, form in formats.imports.sound() if form.takes(source))
    return next(takers, "hanab-live")
