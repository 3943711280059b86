"""Whether a graph's prompts and answers have room: in the model's context, in `max_tokens`, in the
budget of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from hanabi_orchestrator.experiments.document.formats import duration
from hanabi_orchestrator.experiments.forecast import cost_estimate
from hanabi_orchestrator.experiments.forecast.checklist import Checklist
from hanabi_orchestrator.experiments.study import prompt_positions
from hanabi_orchestrator.experiments.study.prompt_positions import NodeNeed
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.attempts import depth
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.orchestrator.models.list_prices import price_of
from hanabi_orchestrator.orchestrator.models.request import Exchange, estimated, estimated_prompt
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings


@dataclass(frozen=True)
class Measure:
    """Means over the first answers to real questions."""

    density: float
    """The server's tokens per token as `request.estimated` counts them."""
    answer: float
    """Tokens of an answer, reasoning included."""
    reasoning: float
    """Tokens of reasoning among them."""
    latency_s: float


ASSUMED = Measure(density=1.0, answer=cost_estimate.ANSWER, reasoning=0.0, latency_s=0.0)
"""Where nothing was measured."""


def measured(exchanges: Sequence[Exchange]) -> Measure | None:
    """None where no answer came, or the server counts no tokens."""
    answers = []
    for each in exchanges:
        if each.response and not each.response.estimated:
            answers.append((each, each.response))
    if not answers:
        return None
    guessed = sum(estimated_prompt(exchange.messages) for exchange, _ in answers)
    return Measure(
        density=sum(response.tokens_in for _, response in answers) / guessed,
        answer=fmean(response.tokens_out for _, response in answers),
        reasoning=fmean(
            response.reasoning_tokens or estimated(response.reasoning or "")
            for _, response in answers
        ),
        latency_s=fmean(response.latency_s for _, response in answers),
    )


TIGHT = 0.8
"""The share of the room beyond which a model that writes a little more than a program is cut
off."""


def answers(
    checklist: Checklist,
    settings: ModelSettings,
    needs: Sequence[NodeNeed],
    measure: Measure | None,
) -> None:
    """Tell whether `max_tokens` is enough for the longest answer of every node."""
    counts = measure or ASSUMED
    sizes = {}
    for need in needs:
        if need.answer:
            sizes[need.node] = round((need.answer or 0) * counts.density + counts.reasoning)
    if not sizes:
        checklist.warn(
            "max_tokens",
            "how long the answers become is not known: the graph's roles have no programs",
        )
        return
    if measure:
        how = "by the server's own counts"
    else:
        how = "estimated from their characters"
    listed = ", ".join(f"{node} {size:,}" for node, size in sizes.items())
    sentence = f"{listed} tokens for the longest answers ({how})"
    enough = -(-round(max(sizes.values()) / TIGHT) // 100) * 100
    if settings.max_tokens is None:
        checklist.ok(
            "max_tokens",
            f"not set, so the server's default holds; it should leave room for {sentence}",
        )
    elif short := [node for node, size in sizes.items() if size > settings.max_tokens]:
        checklist.fail(
            "max_tokens",
            f"max_tokens is {settings.max_tokens}, too few for {', '.join(short)}: {sentence}. "
            f"Their answers would be cut off; set at least {enough}",
        )
    elif max(sizes.values()) > TIGHT * settings.max_tokens:
        checklist.warn(
            "max_tokens",
            f"max_tokens is {settings.max_tokens}, with little room to spare: {sentence}",
        )
    else:
        checklist.ok("max_tokens", f"{settings.max_tokens} is enough: {sentence}")


def context(
    checklist: Checklist,
    settings: ModelSettings,
    needs: Sequence[NodeNeed],
    most: int | None,
    measure: Measure | None,
) -> None:
    """Tell whether the longest prompts fit into the context, with room for their answers."""
    density = (measure or ASSUMED).density
    prompts = {need.node: round(need.prompt * density) for need in needs}
    sizes = {need.node: prompts[need.node] + round((need.answer or 0) * density) for need in needs}
    longest = max(prompts, key=prompts.__getitem__)
    sentence = f"the longest prompt is that of {longest}, about {prompts[longest]:,} tokens"
    if most is None:
        checklist.warn("context", f"the server does not say how many tokens it takes; {sentence}")
    elif over := [node for node, size in sizes.items() if size > most]:
        checklist.fail(
            "context",
            f"the server takes {most:,} tokens, too few for prompt and answer of "
            f"{', '.join(over)}; {sentence}. Choose a smaller graph, or start the server with a "
            "longer context",
        )
    elif max(sizes.values()) + (settings.max_tokens or 0) > most:
        checklist.warn(
            "context", f"the server takes {most:,} tokens, with little room to spare; {sentence}"
        )
    else:
        checklist.ok("context", f"the server takes {most:,} tokens; {sentence}")


def game(
    checklist: Checklist,
    settings: ModelSettings,
    config: GraphConfig,
    players: int,
    name: str,
    measure: Measure | None,
) -> None:
    """Return what a game takes in calls, tokens, money and time."""
    load = prompt_positions.turn_load(config, players).get(name)
    if load is None or not load.calls:
        checklist.ok("game", f"{config.name} does not ask it at {players} players")
        return
    turns = prompt_positions.game(players).turns
    calls = load.calls * turns
    counts = measure or ASSUMED
    tokens_in = load.tokens_in * turns * counts.density
    tokens_out = calls * counts.answer
    price = price_of(settings)
    money = ""
    if price:
        money = f", about ${price.usd(round(tokens_in), round(tokens_out)):.2f}"
    tokens = f"{tokens_in:,.0f} tokens in and {tokens_out:,.0f} out"
    sentence = f"{turns} turns, {calls:,.0f} calls, {tokens}{money}"
    guess = f"estimated from characters, with {cost_estimate.ANSWER} tokens an answer"
    how = "by the server's counts" if measure else guess
    checklist.ok("game", f"{config.name} with {players} players: about {sentence} ({how})")
    if measure:
        quick = turns * depth(at(config, players)) * measure.latency_s
        slow = calls * measure.latency_s
        checklist.ok(
            "time",
            f"about {duration(quick)} a game, {duration(slow)} if the server takes one call at a "
            "time",
        )


def patience(
    checklist: Checklist, settings: ModelSettings, measure: Measure, slots: int | None
) -> None:
    """Tell whether `timeout_s` leaves room for an answer, and for the calls that wait before it."""
    sentence = f"an answer took {measure.latency_s:.1f} s"
    if slots:
        at_once = f"; the server takes {slots} call{'s' * (slots > 1)} at a time"
    else:
        at_once = ""
    if measure.latency_s > settings.timeout_s / 2:
        checklist.fail(
            "latency",
            f"{sentence}, and timeout_s is {settings.timeout_s:g}: set at least "
            f"{4 * measure.latency_s:.0f}",
        )
    elif slots and measure.latency_s * settings.max_concurrency / slots > settings.timeout_s:
        checklist.warn(
            "latency",
            f"{sentence}{at_once}, and max_concurrency is {settings.max_concurrency}: calls would "
            f"wait for each other. Fewer are made once they are slow; max_concurrency: {slots} "
            "avoids the wait",
        )
    else:
        checklist.ok("latency", f"{sentence}{at_once}; timeout_s is {settings.timeout_s:g}")
