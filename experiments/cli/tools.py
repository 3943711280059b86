"""`bench` and `fake-endpoint`: measure this machine, and try things without a model."""

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from typer import Option

from experiments.cli.shared_options import Output
from orchestrator.errors import UserError

if TYPE_CHECKING:
    from orchestrator.models.fake_faults import Faults


def measure(
    graph: Annotated[list[str] | None, Option(help="Only this graph; repeatable.")] = None,
    games: Annotated[int, Option(min=1, help="Games per graph or partner, and player count.")] = 5,
    partner: Annotated[
        list[str] | None, Option(help="Measure the self-play of this rule player, or of all; repeatable.")
    ] = None,
    latency: Annotated[
        float | None, Option(min=0.01, help="Measure turns instead, on a model with this latency in seconds.")
    ] = None,
    turns: Annotated[int, Option(min=1, help="With --latency: turns per graph.")] = 20,
    at_once: Annotated[
        str | None,
        Option(
            metavar="GAMES[/CALLS]",
            help="With --latency: this many whole games at once instead; 64/32: the model takes 32 calls at once.",
        ),
    ] = None,
    *,
    output: Output,
) -> None:
    """Measure speed: games of programs, turns of models.

    Of rule players (--partner) the scores of self-play.
    """
    from dataclasses import asdict

    import graphs

    try:
        from benchmarks import partner_scores, speed, throughput
    except ImportError:
        raise UserError("bench measures with benchmarks/, which only a checkout of the repository has") from None
    from orchestrator.players import partners

    if partner:
        names = partners.names() if "all" in partner else partner
        scores = list(partner_scores.measure(names, games))
        output.draw([asdict(row) for row in scores], partner_scores.show, scores)
        return
    if latency is not None and at_once is not None:
        if not re.fullmatch(r"[1-9]\d*(/[1-9]\d*)?", at_once):
            raise UserError(
                f"--at-once is {at_once!r}; write a number of games, such as 64, or games and calls, such as 64/32"
            )
        at_a_time, _, limit = at_once.partition("/")
        crowds = [
            throughput.measure(name, int(at_a_time), latency, int(limit or 1000)) for name in graph or ["moa_sherlock"]
        ]
        output.draw([asdict(row) for row in crowds], throughput.show, crowds)
        return
    if latency is not None:
        depths = asyncio.run(speed.depths(graph or graphs.names(), latency, turns))
        output.draw([asdict(row) for row in depths], speed.show_depths, depths)
        return
    timings = list(speed.measure(graph or graphs.names(), games))
    output.draw(speed.data(timings), speed.show, timings)


def serve_blindly(
    port: Annotated[int, Option(min=0, max=65535, help="On 127.0.0.1; 0 takes a free one.")] = 8000,
    latency: Annotated[float, Option(min=0, help="Seconds before each response.")] = 0.0,
    faults: Annotated[
        list[str] | None,
        Option(
            help="The share of requests that go wrong, e.g. 0.1; the kinds of faults, e.g. 429,500,hang; seed=2 for "
            "other requests; hang=10, the seconds after which a hanging response is dropped. Repeatable."
        ),
    ] = None,
) -> None:
    """Serve random answers like OpenAI, for trials at no cost.

    They are well-formed, and --faults has requests go wrong.
    """
    from rich.text import Text

    from experiments.document.terminal import console
    from orchestrator.models import fake_endpoint

    wrong = _faults(faults or ())

    async def serve() -> None:
        async with fake_endpoint.serving(fake_endpoint.app(latency, wrong), port) as url:
            console(err=True).print(Text(f"serving {url}\nplay with: orchestrator play --model openai:fake@{url}"))
            await asyncio.Event().wait()

    try:
        asyncio.run(serve())
    except OSError as error:
        raise UserError(f"cannot serve on port {port}: {error.strerror}") from None


def _faults(options: Sequence[str]) -> "Faults | None":
    """Return which requests go wrong, and how; None where none does. Raises UserError."""
    from orchestrator.models.fake_faults import KINDS, Faults

    words = [word for word in options if "=" not in word]
    settings = {"seed": "1", "hang": "10"} | dict(word.split("=", 1) for word in options if "=" in word)
    for name, value in settings.items():
        if name not in ("seed", "hang"):
            raise UserError(f"--faults {name}={value}: the settings are seed and hang")
        if not re.fullmatch(r"\d+(\.\d*)?", value):
            raise UserError(f"--faults {name}={value}: write a number, e.g. {name}=10")
    shares = [word for word in words if re.fullmatch(r"-?[01]?(\.\d*)?", word)]
    kinds = tuple(kind.strip() for word in words if word not in shares for kind in word.split(","))
    share = float(shares[-1]) if shares else float(bool(kinds))
    if not 0 <= share <= 1:
        raise UserError(f"--faults {shares[-1]}: a share of requests is 0 to 1")
    seed, hang = int(float(settings["seed"])), float(settings["hang"])
    return Faults(share, seed, kinds or KINDS, hang_s=hang) if share else None
