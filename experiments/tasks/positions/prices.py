"""What a decision of each arm gains and costs, where an experiment asks which part of a graph is
worth a better model."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean

from hanabi_orchestrator.experiments.analysis.compare import compare
from hanabi_orchestrator.experiments.report import allocation
from hanabi_orchestrator.experiments.report.allocation import Played
from hanabi_orchestrator.experiments.study import asked_nodes
from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.tasks.positions import decisions
from hanabi_orchestrator.experiments.tasks.positions.bank import BankPosition
from hanabi_orchestrator.experiments.tasks.positions.gains import Gain
from hanabi_orchestrator.experiments.tasks.positions.study import PositionStudy
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.journal.recorded_answers import answered
from hanabi_orchestrator.orchestrator.models.usage import NO_USAGE, Usage


def played(
    folder: Path, study: PositionStudy, gains: Mapping[str, Iterable[Gain]]
) -> dict[str, Played]:
    """Return by arm the mean of what its decisions gain, over deals, and what one of them costs;
    none for a design without another model."""
    design = study.experiment.coalitions
    if design is None or not allocation.has_models(design):
        return {}
    arms = dict[str, Played]()
    for arm in study.arms:
        gain = compare(list(gains.get(arm.name, ())), None, _points, cluster="seed")
        costs = _costs(folder, study, arm)
        if gain is not None and costs:
            low, high = gain.interval() or (None, None)
            prices = [cost.usd for cost in costs if cost.usd is not None]
            known = len(prices) == len(costs)
            tokens = fmean(cost.tokens for cost in costs)
            usd = fmean(prices) if known else None
            arms[arm.name] = Played(gain.mean, low, high, tokens, usd)
    return arms


def _points(gain: Gain) -> float:
    return gain.points


def _costs(folder: Path, study: PositionStudy, arm: Arm) -> list[Usage]:
    """Return what each decision of an arm costs as part of a game: what it asks, and what the notes
    that it holds fixed cost when they were made."""
    costs = list[Usage]()
    for position in study.positions:
        asking = arm
        if not asked_nodes.applies(study.baseline, arm, position.view.players):
            asking = study.baseline
        held = _held(folder, study, asking, position)
        for sample in decisions.read(folder, asking.name, position.name):
            if sample.decided:
                costs.append(_sum(sample.calls) + held)
    return costs


def _held(folder: Path, study: PositionStudy, arm: Arm, position: BankPosition) -> Usage:
    """Return what the notes cost that an arm holds fixed on a position."""
    fresh = study.experiment.notes == "fresh"
    if fresh and arm.name == study.baseline.name:
        return NO_USAGE
    events: tuple[Event, ...] = position.events
    if fresh:
        samples = decisions.read(folder, study.baseline.name, position.name)
        events = samples[0].events if samples else ()
    asked = asked_nodes.nodes_asked(study.baseline, arm, position.view.players)
    return _sum(call for call in answered(events).values() if call.node not in asked)


def _sum(calls: Iterable[Call]) -> Usage:
    """Return what calls cost, those of simulated models by their made-up prices."""
    total = NO_USAGE
    for call in calls:
        price = 0.0 if call.cached else call.usd
        total += Usage(call.tokens_in, call.tokens_out, price, 1)
    return total
