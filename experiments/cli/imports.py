"""`import`: games of other programs as journals."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

import typer

from experiments.cli.shared_options import Output
from orchestrator.errors import UserError

Format = Literal["hanab-live", "hanabilogs"]


def import_games(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A game of hanab.live (JSON, or a replay's address), or HanabiLogs' rows (JSON lines).",
        ),
    ],
    form: Annotated[
        Format | None, typer.Option("--from", help="The format, where the file does not tell: hanab-live, hanabilogs.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="What to write; default games/, or games/hanabilogs-FILE.")] = None,
    graph: Annotated[
        str | None,
        typer.Option(help="HanabiLogs: whose format the responses follow: watson, sherlock or mycroft."),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option("--map", metavar="YAML", help="HanabiLogs: columns of other names: `our name: its name`."),
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", help="HanabiLogs: only rows of this model; repeatable.")
    ] = None,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="HanabiLogs: leave out rows that cannot be read, and list them.")
    ] = False,
    *,
    output: Output,
) -> None:
    """Read games of other programs in, as journals.

    Of hanab.live or of HanabiLogs; `show` and all other commands take them.
    """
    from experiments.interchange import hanabi_logs
    from experiments.record.game import Game

    path, site, is_journal = Path(source), source.startswith(("http://", "https://")), False
    with suppress(UserError):
        is_journal = path.suffix == ".jsonl" and bool(Game.open(path))
    if is_journal:
        raise UserError(f"{source!r} is a journal of this program already: orchestrator show {source}")
    # rows stand a line each, or in Parquet; a game of the site is one JSON value or an address
    rows = path.suffix in (".parquet", ".jsonl", ".ndjson") or path.name.endswith((".jsonl.gz", ".ndjson.gz"))
    if form == "hanabilogs" or (form is None and rows and not site):
        folder = out or Path("games") / f"hanabilogs-{path.stem}"
        done = hanabi_logs.run(path, folder, graph, names, models=model or [], skip_broken=skip_broken)
        output.lines(done.plain, *done.lines)
        return
    options = {"--graph": graph, "--map": names, "--model": model, "--skip-broken": skip_broken}
    if wrong := next((name for name, value in options.items() if value), None):
        raise UserError(f"{wrong} is for HanabiLogs, and {source!r} is a game of hanab.live; --from says otherwise")
    _hanab_live(source, out, output)


def _hanab_live(source: str, out: Path | None, output: Output) -> None:
    """Read a game of hanab.live: its deck and its moves."""
    from experiments.document.terminal import console
    from experiments.interchange import hanab_live_import
    from experiments.show import game_story
    from roles.words import many

    game = hanab_live_import.read(source)
    name = "address" if source.startswith("http") else Path(source).stem
    out = out or Path("games")
    path = out if out.suffix == ".jsonl" else out / f"hanab-live-{name}.jsonl"
    hanab_live_import.journal_of(game, path, path.stem)
    moves, colours = len(game.moves), "the site's blue cards are white here, its purple ones blue"
    end = "" if game.ended else ", unfinished"
    output.lines(
        {"journal": str(path), "players": game.players, "moves": moves, "ended": game.ended},
        f"{game.players} players, {many(moves, 'move')}{end}; {colours}",
    )
    if not output.as_json:
        game_story.print_next(path, console(), again=False)
