"""`bench` and `fake-endpoint`: measure this machine, and try things without a model."""

import asyncio
from typing import Annotated

import typer

from experiments.cli.shared_options import Output, printed
from orchestrator.errors import UserError


def measure(
    graph: Annotated[list[str] | None, typer.Option("--graph", help="Only this graph; repeatable.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Games per graph or partner, and player count.")] = 5,
    of_partners: Annotated[bool, typer.Option("--partners", help="Measure the self-play of rule players.")] = False,
    partner: Annotated[list[str] | None, typer.Option("--partner", help="Only this partner; repeatable.")] = None,
    latency: Annotated[
        float | None,
        typer.Option(min=0.01, help="Measure turns instead, on a model with this latency in seconds."),
    ] = None,
    turns: Annotated[int, typer.Option(min=1, help="With --latency: turns per graph.")] = 20,
    of_intervals: Annotated[
        bool, typer.Option("--coverage", help="Simulate the coverage of 95 % intervals for skewed scores.")
    ] = False,
    of_claims: Annotated[
        bool, typer.Option("--claims", help="Simulate experiments without and with an effect, and their sentences.")
    ] = False,
    of_stopping: Annotated[
        bool, typer.Option("--stopping", help="Simulate experiments under a stop rule: errors, intervals, deals saved.")
    ] = False,
    at_once: Annotated[
        int | None,
        typer.Option("--at-once", min=1, help="With --latency: this many whole games at once instead."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="With --at-once: concurrent calls that the model allows.")] = 1000,
    *,
    output: Output,
) -> None:
    """Measure how long program games take on this machine, turns on a model of a given latency, or partners' scores."""
    from dataclasses import asdict

    import graphs

    try:
        from benchmarks import (
            interval_coverage,
            partner_scores,
            simulated_experiments,
            speed,
            stop_simulation,
            throughput,
        )
    except ImportError:
        raise UserError("bench measures with benchmarks/, which only a checkout of the repository has") from None
    from experiments.document.terminal import console
    from orchestrator.players import partners

    if of_intervals:
        held = list(interval_coverage.measure())
        printed([asdict(row) for row in held]) if output.as_json else interval_coverage.show(held, console())
        return
    if of_claims:
        tried = simulated_experiments.measure()
        printed(asdict(tried)) if output.as_json else simulated_experiments.show(tried, console())
        return
    if of_stopping:
        stopped = list(stop_simulation.measure())
        printed([asdict(row) for row in stopped]) if output.as_json else stop_simulation.show(stopped, console())
        return
    if of_partners or partner:
        scores = list(partner_scores.measure(partner or partners.names(), games))
        printed([asdict(row) for row in scores]) if output.as_json else partner_scores.show(scores, console())
        return
    if latency is not None and at_once is not None:
        crowds = [throughput.measure(name, at_once, latency, limit) for name in graph or ["moa_sherlock"]]
        printed([asdict(row) for row in crowds]) if output.as_json else throughput.show(crowds, console())
        return
    if latency is not None:
        depths = asyncio.run(speed.depths(graph or graphs.names(), latency, turns))
        printed([asdict(row) for row in depths]) if output.as_json else speed.show_depths(depths, console())
        return
    timings = list(speed.measure(graph or graphs.names(), games))
    printed(speed.data(timings)) if output.as_json else speed.show(timings, console())


def serve_blindly(
    port: Annotated[int, typer.Option(min=0, max=65535, help="On 127.0.0.1; 0 takes a free one.")] = 8000,
    latency: Annotated[float, typer.Option(min=0, help="Seconds before each response.")] = 0.0,
    faults: Annotated[float, typer.Option(min=0, max=1, help="The share of requests that go wrong.")] = 0.0,
    fault_seed: Annotated[int, typer.Option(help="Another seed makes other requests go wrong.")] = 1,
    only: Annotated[str, typer.Option(help="Only these faults, separated by commas: 429,500,hang,empty ...")] = "",
    hang: Annotated[float, typer.Option(min=0, help="Seconds after which a hanging response is dropped.")] = 10.0,
) -> None:
    """Serve an OpenAI-compatible endpoint that gives arbitrary well-formed answers, for trials without a model."""
    from rich.text import Text

    from experiments.document.terminal import console
    from orchestrator.models import fake_endpoint
    from orchestrator.models.fake_faults import KINDS, Faults

    kinds = tuple(kind.strip() for kind in only.split(",")) if only else KINDS
    wrong = Faults(faults or float(bool(only)), fault_seed, kinds, hang_s=hang) if faults or only else None

    async def serve() -> None:
        async with fake_endpoint.serving(fake_endpoint.app(latency, wrong), port) as url:
            console(err=True).print(Text(f"serving {url}\nplay with: orchestrator play --model openai:fake@{url}"))
            await asyncio.Event().wait()

    try:
        asyncio.run(serve())
    except OSError as error:
        raise UserError(f"cannot serve on port {port}: {error.strerror}") from None
