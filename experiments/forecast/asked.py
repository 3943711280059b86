"""`--dry-run` of evaluations without whole games: what they ask, and what that costs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from experiments.document.blocks import Block, Column, notes, table
from experiments.document.formats import INT
from experiments.forecast import cost_estimate
from experiments.forecast.cost_estimate import Bill, Named
from experiments.forecast.dry_run import CALLS, bill_data
from experiments.forecast.prompt_probe import TurnLoad
from graphs.attempts import base
from graphs.config import GraphConfig
from orchestrator.journal.events import Call
from orchestrator.models.list_prices import price_of
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import perturbed


@dataclass(frozen=True)
class Asked:
    """What an arm asks, or a whole evaluation without arms."""

    arm: str
    units: int
    """Positions, probes or questions."""
    loads: Mapping[str, TurnLoad]
    """All calls and their prompts, by the name of the model."""

    def bill(self, models: Mapping[str, Named]) -> Bill:
        """Return what it costs; `models` by name: what asks no server costs nothing."""
        paid = {name: model for name in self.loads if (model := cost_estimate.served(models[name]))}
        answers = {name: cost_estimate.assumed_answer(model) for name, model in paid.items()}
        bills = (cost_estimate.bill_of(self.loads[name], answers[name], price_of(paid[name])) for name in paid)
        return cost_estimate.total(bills)


def loads(calls: Iterable[Call], config: GraphConfig, times: float = 1.0) -> dict[str, TurnLoad]:
    """Return the calls of a graph and their estimated prompt tokens, by the name of the model, so many times."""
    count, tokens = Counter[str](), Counter[str]()
    for call in (call for call in calls if call.model != PROGRAM):
        node = config.nodes.get(base(call.node))
        name = node.model if node else "default"
        count[name] += 1
        tokens[name] += call.tokens_in
    return {name: TurnLoad(count[name] * times, tokens[name] * times) for name in count}


def exact(models: Mapping[str, Named]) -> dict[str, Named]:
    """Return the models with programs in place of those on servers: they get the same prompts and cost nothing."""
    return {name: perturbed(0.0) if cost_estimate.served(model) else model for name, model in models.items()}


def estimate(asked: Sequence[Asked], models: Mapping[str, Named], unit: str) -> tuple[dict[str, Any], list[Block]]:
    """Return the estimate as plain data, and as a table with a row for each arm, their sum, and what it assumes."""
    arms = [(each.arm, each.units, each.bill(models)) for each in asked]
    total, sentences = cost_estimate.total(bill for _, _, bill in arms), list(_sentences(models))
    data = [{"arm": arm, unit: units, **bill_data(bill)} for arm, units, bill in arms]
    sums = (("all", None, total),) if len(arms) > 1 else ()
    rows = [(arm, units, *astuple(bill)) for arm, units, bill in (*arms, *sums)]
    columns = (Column("arm", "asked"), Column("units", unit, INT), *CALLS)
    looks = (*("plain" for _ in arms), *("strong" for _ in sums))
    blocks = [table("dry-run", columns, rows, looks=looks), *notes(sentences, "aside")]
    return {**bill_data(total), "arms": data, "said": sentences}, blocks


def _sentences(models: Mapping[str, Named]) -> Iterator[str]:
    paid = [model for name in models if (model := cost_estimate.served(models[name]))]
    if not paid:
        yield "no model on a server is asked, so nothing is paid"
        return
    answers = ", ".join(dict.fromkeys(f"{cost_estimate.assumed_answer(model)}" for model in paid))
    yield (
        "of the whole run; nothing was asked. Retries, and arms with a model of their own, are left out; a response is "
        f"assumed to have {answers} tokens"
    )
    yield from cost_estimate.about_prices(paid)
