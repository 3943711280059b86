"""`import`: games of other programs as journals."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from experiments.cli.shared_options import Output, printed
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
    if _is_journal(Path(source)):
        raise UserError(f"{source!r} is a journal of this program already: orchestrator show {source}")
    if (form or _format(source)) == "hanabilogs":
        _hanabilogs(Path(source), out, graph, names, model or [], skip_broken, output.as_json)
        return
    options = {"--graph": graph, "--map": names, "--model": model, "--skip-broken": skip_broken}
    if wrong := next((name for name, value in options.items() if value), None):
        raise UserError(f"{wrong} is for HanabiLogs, and {source!r} is a game of hanab.live; --from says otherwise")
    _hanab_live(source, out, output.as_json)


def _is_journal(path: Path) -> bool:
    from experiments.record.game import Game

    try:
        return path.suffix == ".jsonl" and bool(Game.open(path))
    except UserError:
        return False


def _format(source: str) -> Format:
    """Tell the format: rows stand a line each, or in Parquet; a game of the site is one JSON value or an address."""
    if source.startswith(("http://", "https://")):
        return "hanab-live"
    path = Path(source)
    if path.suffix in (".parquet", ".jsonl", ".ndjson") or path.name.endswith((".jsonl.gz", ".ndjson.gz")):
        return "hanabilogs"
    return "hanab-live"


def _hanab_live(source: str, out: Path | None, as_json: bool) -> None:
    """Read a game of hanab.live: its deck and its moves."""
    from rich.text import Text

    from experiments.document.terminal import console
    from experiments.interchange import hanab_live_import
    from experiments.show import game_story

    game = hanab_live_import.read(source)
    name = "address" if source.startswith("http") else Path(source).stem
    out = out or Path("games")
    path = out if out.suffix == ".jsonl" else out / f"hanab-live-{name}.jsonl"
    hanab_live_import.journal_of(game, path, path.stem)
    moves, colours = len(game.moves), "the site's blue cards are white here, its purple ones blue"
    if as_json:
        printed({"journal": str(path), "players": game.players, "moves": moves, "ended": game.ended})
        return
    screen = console()
    end = "" if game.ended else ", unfinished"
    screen.print(
        Text(f"{game.players} players, {moves} move{'' if moves == 1 else 's'}{end}; {colours}"), soft_wrap=True
    )
    game_story.print_next(path, screen, again=False)


def _hanabilogs(
    file: Path,
    out: Path | None,
    graph: str | None,
    names: Path | None,
    models: list[str],
    skip_broken: bool,
    as_json: bool,
) -> None:
    """Read published turns of models: their games as journals, with the recorded responses and no others."""
    from rich.text import Text

    from experiments.document.terminal import console
    from experiments.interchange import hanabi_logs

    folder = out or Path("games") / f"hanabilogs-{file.stem}"
    done = hanabi_logs.run(file, folder, graph, names, models=models, skip_broken=skip_broken)
    if as_json:
        printed(done.plain)
        return
    for line in done.lines:
        console().print(Text(line), soft_wrap=True)
