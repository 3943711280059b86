"""`import`: games of other programs as journals."""

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.shared_options import Json, group, printed

app = group("Read games of other programs in, as journals.")


@app.command("hanab-live")
def hanab_live(
    source: Annotated[str, typer.Argument(metavar="FILE", help="The site's JSON of a game, or a replay's address.")],
    out: Annotated[Path | None, typer.Option(help="The journal to write, or a folder for it; default games/.")] = None,
    as_json: Json = False,
) -> None:
    """Read a game of hanab.live: its deck and its moves, so that `show` and other commands take it."""
    from rich.text import Text

    from experiments.document.terminal import console
    from experiments.interchange import hanab_live_import
    from experiments.show import game_story

    game = hanab_live_import.read(source)
    name = "address" if source.startswith("http") else Path(source).stem
    out = out or Path("games")
    path = out if out.suffix == ".jsonl" else out / f"hanab-live-{name}.jsonl"
    events = hanab_live_import.journal_of(game, path, path.stem)
    moves, colours = hanab_live_import.turns(events), "the site's blue cards are white here, its purple ones blue"
    if as_json:
        printed({"journal": str(path), "players": game.players, "moves": moves, "ended": game.ended})
        return
    screen = console()
    end = "" if game.ended else ", unfinished"
    screen.print(
        Text(f"{game.players} players, {moves} move{'' if moves == 1 else 's'}{end}; {colours}"), soft_wrap=True
    )
    game_story.print_next(path, screen, again=False)


@app.command("hanabilogs")
def hanabilogs(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Rows of HanabiLogs: JSON lines, or .parquet.")],
    out: Annotated[Path | None, typer.Option(help="The folder to write; default games/hanabilogs-FILE.")] = None,
    graph: Annotated[
        str | None, typer.Option(help="Whose format the answers follow: watson, sherlock or mycroft.")
    ] = None,
    names: Annotated[
        Path | None, typer.Option("--map", metavar="YAML", help="Columns of other names: `our name: its name`.")
    ] = None,
    model: Annotated[list[str] | None, typer.Option("--model", help="Only rows of this model; repeatable.")] = None,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Leave out rows that cannot be read, and list them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Read published turns of models in: their games as journals, with the recorded answers and no others."""
    from rich.text import Text

    from experiments.document.terminal import console
    from experiments.interchange import hanabi_logs

    folder = out or Path("games") / f"hanabilogs-{file.stem}"
    done = hanabi_logs.run(file, folder, graph, names, models=model or (), skip_broken=skip_broken)
    if as_json:
        printed(done.plain)
        return
    for line in done.lines:
        console().print(Text(line), soft_wrap=True)
