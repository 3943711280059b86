"""`bench`, `fake-endpoint`, `models` and `doctor`: measure this machine, and see whether models can
play."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from hanabi_orchestrator.experiments.cli.shared_options import (
    Graph,
    Model,
    Output,
    Players,
    group,
    print_json,
    say,
)
from hanabi_orchestrator.orchestrator.errors import UserError

if TYPE_CHECKING:
    from hanabi_orchestrator.orchestrator.models.fake_faults import Faults


def measure(
    graph: Annotated[list[str] | None, Option(help="Only this graph; repeatable.")] = None,
    games: Annotated[int, Option(min=1, help="Games per graph or partner, and player count.")] = 5,
    partner: Annotated[
        list[str] | None,
        Option(help="Measure the self-play of this rule player, or of all; repeatable."),
    ] = None,
    latency: Annotated[
        float | None,
        Option(min=0.01, help="Measure turns instead, on a model with this latency in seconds."),
    ] = None,
    turns: Annotated[int, Option(min=1, help="With --latency: turns per graph.")] = 20,
    at_once: Annotated[
        str | None,
        Option(
            metavar="GAMES[/CALLS]",
            help="With --latency: this many whole games at once instead; 64/32: the model takes "
            "32 calls at once.",
        ),
    ] = None,
    *,
    output: Output,
) -> None:
    """Measure speed: games of programs, turns of models.

    Of rule players (--partner) the scores of self-play.
    """
    from dataclasses import asdict

    from hanabi_orchestrator import graphs

    try:
        from benchmarks import partner_scores, speed, throughput
    except ImportError:
        raise UserError(
            "bench measures with benchmarks/, which only a checkout of the repository has"
        ) from None
    from hanabi_orchestrator.orchestrator.game.registry import DEFAULT
    from hanabi_orchestrator.orchestrator.players import partners

    if partner:
        names = partners.names() if "all" in partner else partner
        scores = list(partner_scores.measure(names, games))
        output.draw([asdict(row) for row in scores], partner_scores.show, scores)
        return
    if latency is None and at_once is not None:
        raise UserError(
            "--at-once measures games on a model with a --latency; say how many seconds"
        )
    if latency is not None and at_once is not None:
        if not re.fullmatch(r"[1-9][0-9]{0,5}(/[1-9][0-9]{0,5})?", at_once):
            raise UserError(
                f"--at-once is {at_once[:40]!r}; write a number of games, such as 64, or games and "
                "calls, such as 64/32"
            )
        crowd, _, limit = at_once.partition("/")
        names = graph or ["moa_sherlock"]
        crowds = []
        for name in names:
            crowds.append(throughput.measure(name, int(crowd), latency, int(limit or 1000)))
        output.draw([asdict(row) for row in crowds], throughput.show, crowds)
        return
    if latency is not None:
        depths = asyncio.run(speed.depths(graph or graphs.names(DEFAULT), latency, turns))
        output.draw([asdict(row) for row in depths], speed.show_depths, depths)
        return
    timings = list(speed.measure(graph or graphs.names(DEFAULT), games))
    output.draw(speed.data(timings), speed.show, timings)


def serve_blindly(
    port: Annotated[int, Option(min=0, max=65535, help="On 127.0.0.1; 0 takes a free one.")] = 8000,
    latency: Annotated[float, Option(min=0, help="Seconds before each response.")] = 0.0,
    faults: Annotated[
        list[str] | None,
        Option(
            help="The share of requests that go wrong, e.g. 0.1; the kinds of faults, e.g. "
            "429,500,hang; seed=2 for other requests; hang=10, the seconds after which a hanging "
            "response is dropped. Repeatable."
        ),
    ] = None,
) -> None:
    """Serve random answers like OpenAI, for trials at no cost.

    They are well-formed, and --faults has requests go wrong.
    """
    from rich.text import Text

    from hanabi_orchestrator.experiments.document.terminal import console
    from hanabi_orchestrator.orchestrator.models import fake_endpoint

    wrong = _faults(faults or ())

    async def serve() -> None:
        async with fake_endpoint.serving(fake_endpoint.app(latency, wrong), port) as url:
            console(err=True).print(
                Text(f"serving {url}\nplay with: orchestrator play --model openai:fake@{url}")
            )
            await asyncio.Event().wait()

    try:
        asyncio.run(serve())
    except OSError as error:
        raise UserError(f"cannot serve on port {port}: {error.strerror}") from None


def _faults(options: Sequence[str]) -> "Faults | None":
    """Return which requests go wrong, and how; None where none does. Raises UserError."""
    from hanabi_orchestrator.orchestrator.models.fake_faults import KINDS, Faults

    words = [word for word in options if "=" not in word]
    settings = {"seed": "1", "hang": "10"} | dict(
        word.split("=", 1) for word in options if "=" in word
    )
    for name, value in settings.items():
        if name not in ("seed", "hang"):
            raise UserError(f"--faults {name}={value}: the settings are seed and hang")
        if not re.fullmatch(r"\d+(\.\d*)?", value):
            raise UserError(f"--faults {name}={value}: write a number, e.g. {name}=10")
    shares = [word for word in words if re.fullmatch(r"-?[01]?(\.\d*)?", word)]
    strips = []
    for word in words:
        if word not in shares:
            for kind in word.split(","):
                strips.append(kind.strip())
    kinds = tuple(strips)
    share = float(shares[-1]) if shares else float(bool(kinds))
    if not 0 <= share <= 1:
        raise UserError(f"--faults {shares[-1]}: a share of requests is 0 to 1")
    seed = int(float(settings["seed"]))
    hang = float(settings["hang"])
    if share:
        return Faults(share, seed, kinds or KINDS, hang_s=hang)
    return None


models_app = group("Write a file that describes models.")


@models_app.callback()
def common() -> None:
    """Write a file that describes models."""


@models_app.command("init")
def init(
    file: Annotated[
        Path, Argument(help="The file to write; one that exists is never overwritten.")
    ] = Path("models.yaml"),
) -> None:
    """Write a commented models file to edit.

    It has an example of every kind of model.
    """
    from hanabi_orchestrator.orchestrator.models.settings import EXAMPLE

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
    online: Annotated[
        bool, Option("--online", help="Ask each model a few questions; this may cost a cent.")
    ] = False,
    *,
    output: Output,
) -> None:
    """Check this machine, and whether a model can play.

    With --model: whether it can play a graph: its key, server, schemas, answers and costs.
    """
    from hanabi_orchestrator.experiments.document.terminal import console

    if model is None:
        if online:
            raise UserError(
                "--online asks a model: name one with --model, e.g. --model openai:NAME"
            )
        if (graph, players) != ("house", 3):
            raise UserError(
                "--graph and --players are for --model M; without it, doctor looks at this "
                "machine alone"
            )
        from hanabi_orchestrator.experiments.forecast import machine

        checklist = machine.examine()
        code = 1
        step = (
            "orchestrator play --graph house (a game of programs), or orchestrator doctor "
            "--model MODEL"
        )
    else:
        from hanabi_orchestrator import graphs
        from hanabi_orchestrator.experiments.forecast import examination
        from hanabi_orchestrator.experiments.tasks.games import single_game
        from hanabi_orchestrator.orchestrator.hanabi.referee import check_players

        config = graphs.read(graph)
        named = single_game.models([graphs.at(config, check_players(players))], model)
        checklist = examination.examine(named, config, players, requests_allowed=online)
        code = 2
        options = f"--model {model} --graph {graph} --players {players}"
        untried = any(finding.about == "online" for finding in checklist.findings)
        if untried:
            step = f"orchestrator doctor {options} --online"
        else:
            step = f"orchestrator play {options}"
    print_json(checklist.data()) if output.as_json else checklist.show(console(), step)
    if checklist.failed:
        raise typer.Exit(code)
