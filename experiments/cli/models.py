"""`models` and `doctor`: the file that describes models, and whether they can play."""

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.shared_options import Graph, Import, Json, Model, Players, group, printed
from orchestrator.errors import UserError

app = group("Describe models in a file.")


@app.callback()
def common() -> None:
    """Describe models in a file."""


@app.command("init")
def init(
    file: Annotated[Path, typer.Argument(help="The file to write; one that exists is never overwritten.")] = Path(
        "models.yaml"
    ),
) -> None:
    """Write a commented models file, with an example of every kind of model."""
    from rich.text import Text

    from experiments.show.terminal import console
    from orchestrator.models.settings import EXAMPLE

    if file.suffix not in (".yaml", ".yml"):
        raise UserError(f"a models file ends in .yaml, not {file.name!r}")
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(EXAMPLE.read_text("utf-8"))
    except FileExistsError:
        raise UserError(f"{file} exists already and is left as it is; name another file") from None
    except FileNotFoundError:
        raise UserError(f"cannot write {file}: there is no folder {file.parent}") from None
    console().print(Text(f"{file}\nnext  orchestrator doctor --model {file}"), soft_wrap=True)


def doctor(
    model: Model = None,
    graph: Graph = "house",
    players: Players = 3,
    online: Annotated[
        bool, typer.Option("--online", help="Ask each model a few questions; this may cost a cent.")
    ] = False,
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Check whether a model can play a graph: key, server, context, schemas, answers, time and money of a game."""
    import graphs
    from experiments.doctor import examination
    from experiments.running import single_game
    from experiments.show.terminal import console
    from orchestrator.hanabi.referee import check_players
    from orchestrator.models.settings import PROGRAM

    config = graphs.read(graph)
    named = single_game.models([graphs.at(config, check_players(players))], model or PROGRAM)
    found = examination.examine(named, config, players, requests_allowed=online)
    printed(found.data()) if as_json else found.show(console())
    if found.failed:
        raise typer.Exit(2)
