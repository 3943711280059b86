"""`models` and `doctor`: the file that describes models, and whether they can play."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from experiments.cli.shared_options import Graph, Model, Output, Players, group, print_json, say
from orchestrator.errors import UserError

app = group("Write a file that describes models.")


@app.callback()
def common() -> None:
    """Write a file that describes models."""


@app.command("init")
def init(
    file: Annotated[Path, Argument(help="The file to write; one that exists is never overwritten.")] = Path(
        "models.yaml"
    ),
) -> None:
    """Write a commented models file to edit.

    It has an example of every kind of model.
    """
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
    say(str(file), f"next  orchestrator doctor --model {file}")


def doctor(
    model: Model = None,
    graph: Graph = "house",
    players: Players = 3,
    online: Annotated[bool, Option("--online", help="Ask each model a few questions; this may cost a cent.")] = False,
    *,
    output: Output,
) -> None:
    """Check this machine, and whether a model can play.

    With --model: whether it can play a graph: its key, server, schemas, answers and costs.
    """
    from experiments.document.terminal import console

    if model is None:
        if online:
            raise UserError("--online asks a model: name one with --model, e.g. --model openai:NAME")
        if (graph, players) != ("house", 3):
            raise UserError("--graph and --players are for --model M; without it, doctor looks at this machine alone")
        from experiments.forecast import machine

        checklist, code = machine.examine(), 1
        step = "orchestrator play --graph house (a game of programs), or orchestrator doctor --model MODEL"
    else:
        import graphs
        from experiments.forecast import examination
        from experiments.tasks.games import single_game
        from orchestrator.hanabi.referee import check_players

        config = graphs.read(graph)
        named = single_game.models([graphs.at(config, check_players(players))], model)
        checklist, code = examination.examine(named, config, players, requests_allowed=online), 2
        options = f"--model {model} --graph {graph} --players {players}"
        untried = any(finding.about == "online" for finding in checklist.findings)
        step = f"orchestrator doctor {options} --online" if untried else f"orchestrator play {options}"
    print_json(checklist.data()) if output.as_json else checklist.show(console(), step)
    if checklist.failed:
        raise typer.Exit(code)
