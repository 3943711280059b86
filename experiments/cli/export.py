"""`export`: games as tables, as a page to mail, and in the formats of other programs; `import`:
games of others."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from hanabi_orchestrator.experiments.cli import completion
from hanabi_orchestrator.experiments.cli.shared_options import (
    Output,
    collector,
    print_json,
    progress,
)
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, nearby, shortened
from hanabi_orchestrator.orchestrator.values import whole_number

if TYPE_CHECKING:
    from hanabi_orchestrator.experiments.interchange.data_rows import DataSet

DATA_SETS = ("logs", "rewards", "sft", "dpo", "grpo")
"""Formats whose rows train a model."""
TARGETS = ("page", "tables", "results", "hanab-live", "otlp", "atif", "inspect", *DATA_SETS)


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
            help=f"The format: {', '.join(TARGETS)}.",
            autocompletion=lambda incomplete: [
                name for name in TARGETS if name.startswith(incomplete)
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
        _games(to, paths[0], out, output)


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
    if to not in TARGETS:
        raise UserError(f"--to is {to!r}; {did_you_mean(to, TARGETS, 'it can be')}")
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
    for name, (formats, value) in options.items():
        if value and to not in formats:
            raise UserError(f"{name} is for --to {' or '.join(formats)}, not for --to {to}")
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
        output.lines(data, f"{rows:,} games, {columns:,} columns  {out}")
    else:
        written = more_columns.write_tables(folder, out, more, texts="texts" in wishes)
        lines = (
            f"{name:<6} {number:>9,}  {out}/{name}.parquet" for name, number in written.items()
        )
        output.lines({"out": str(out), "rows": written}, *lines)


def _games(to: str, path: Path, out: Path, output: Output) -> None:
    """Write games for other programs."""
    if to == "hanab-live":
        from hanabi_orchestrator.experiments.interchange import hanab_live

        games = hanab_live.export(path, out)
        output.lines([game.plain for game in games], *hanab_live.lines(games, out))
    elif to == "atif":
        from hanabi_orchestrator.experiments.interchange import atif

        files = atif.export(path, out)
        output.lines(
            {"out": str(out), "files": [str(file) for file in files]},
            f"{len(files):,} trajectories  {out}",
        )
    else:
        from hanabi_orchestrator.experiments.interchange import inspect_log

        log, number = inspect_log.export(path, out)
        onward = f"next: inspect view --log-dir {log.parent}"
        output.lines({"log": str(log), "games": number}, f"{number:,} samples  {log}", onward)


def _send(
    path: Path, out: Path | None, endpoint: str | None, content: bool, output: Output
) -> None:
    """Write traces, or send them to a collector."""
    from hanabi_orchestrator.experiments.interchange import otlp

    written = otlp.export(path, out, endpoint, content=content)
    if written.games == 1:
        games = "1 game"
    else:
        games = f"{written.games:,} games"
    data = {"games": written.games, "spans": written.spans, "to": written.to}
    output.lines(data, *(f"{games}, {written.spans:,} spans  {to}" for to in written.to))


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
    lines = [f"{rows:,} rows  {out.parent / name}" for name, rows in written.files.items()]
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
        Literal["hanab-live", "hanabilogs"] | None,
        Option("--from", help="The format, where the file does not tell: hanab-live, hanabilogs."),
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

    Of hanab.live or of HanabiLogs; `show` and all other commands take them.
    """
    from hanabi_orchestrator.experiments.interchange import hanabi_logs
    from hanabi_orchestrator.experiments.record.game import Game

    path = Path(source)
    site = source.startswith(("http://", "https://"))
    is_journal = False
    with suppress(UserError):
        is_journal = path.suffix == ".jsonl" and bool(Game.open(path))
    if is_journal:
        raise UserError(
            f"{source!r} is a journal of this program already: orchestrator show {source}"
        )
    # rows stand a line each, or in Parquet; a game of the site is one JSON value or an address
    rows = path.suffix in (".parquet", ".jsonl", ".ndjson") or path.name.endswith(
        (".jsonl.gz", ".ndjson.gz")
    )
    if form == "hanabilogs" or (form is None and rows and not site):
        folder = out or Path("games") / f"hanabilogs-{path.stem}"
        done = hanabi_logs.run(
            path, folder, graph, names, models=model or [], skip_broken=skip_broken
        )
        output.lines(done.plain, *done.lines)
        return
    options = {"--graph": graph, "--map": names, "--model": model, "--skip-broken": skip_broken}
    if wrong := next((name for name, value in options.items() if value), None):
        raise UserError(
            f"{wrong} is for HanabiLogs, and {source!r} is a game of hanab.live; --from says "
            "otherwise"
        )
    _hanab_live(source, out, output)


def _hanab_live(source: str, out: Path | None, output: Output) -> None:
    """Read a game of hanab.live: its deck and its moves."""
    from hanabi_orchestrator.experiments.document.terminal import console
    from hanabi_orchestrator.experiments.interchange import hanab_live_import
    from hanabi_orchestrator.experiments.show import game_story
    from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, get
    from hanabi_orchestrator.roles.words import many

    game = hanab_live_import.read(source)
    if source.startswith("http"):
        name = "address"
    else:
        name = Path(source).stem
    out = out or Path("games")
    if out.suffix == ".jsonl":
        path = out
    else:
        path = out / f"hanab-live-{name}.jsonl"
    hanab_live_import.journal_of(game, path, path.stem)
    moves = len(game.moves)
    colours = "the site's blue cards are white here, its purple ones blue"
    if game.given_up:
        end = f", {get(DEFAULT).ends[game.given_up]}"
    elif game.ended:
        end = ""
    else:
        end = ", unfinished"
    output.lines(
        {
            "journal": str(path),
            "players": game.players,
            "moves": moves,
            "ended": game.ended,
            "given_up": game.given_up,
        },
        f"{game.players} players, {many(moves, 'move')}{end}; {colours}",
    )
    if not output.as_json:
        game_story.print_next(path, console(), again=False)
