"""Decisions as samples of deals, so that coalitions and contrasts of positions have the analysis
that those of games have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from hanabi_orchestrator.experiments.analysis.coalitions import CoalitionStudy, study_of
from hanabi_orchestrator.experiments.analysis.differences import Difference, own_contrasts
from hanabi_orchestrator.experiments.record.measures import Measure
from hanabi_orchestrator.experiments.study import asked_nodes
from hanabi_orchestrator.experiments.tasks.positions.outcome import Outcome
from hanabi_orchestrator.experiments.tasks.positions.study import PositionStudy

GAIN = Measure(
    key="gain",
    of=attrgetter("points"),
    says="what a decision is worth more than the baseline's",
    unit="points a decision",
    better="more",
    least=None,
    by_moves=True,
)


@dataclass(frozen=True)
class Gain:
    """What the decisions of an arm on a position are worth more than the baseline's."""

    arm: str
    seed: int
    """The number of the deal, in the order of the positions."""
    repeat: int
    """The number of the position."""
    moves: tuple[float, float]
    """A decision, and the share of its samples that the arm chose itself."""
    points: float
    """By rollouts, or without them by one-step values."""
    players: None = None
    """A deal has one player count, so deals are not divided by it."""
    game: tuple[object, ...] = ()
    """Decisions that are worth the same count as the same."""


@dataclass(frozen=True)
class Designed:
    """What the combinations of arms show that an experiment names: its design of coalitions, and
    its contrasts."""

    coalitions: CoalitionStudy | None = None
    contrasts: tuple[Difference, ...] = ()


NOTHING = Designed()
"""Of an experiment that names none."""


def designed(study: PositionStudy, outcomes: Mapping[str, Sequence[Outcome]]) -> Designed:
    """Return the terms of a study's design and its contrasts; `outcomes`: of all arms, the baseline
    beside itself included."""
    experiment = study.experiment
    samples = gains(study, outcomes)
    design = experiment.coalitions
    return Designed(
        study_of(design, samples, GAIN) if design else None,
        own_contrasts(samples, experiment.contrasts, GAIN),
    )


def gains(study: PositionStudy, outcomes: Mapping[str, Sequence[Outcome]]) -> dict[str, list[Gain]]:
    """Return by arm what its decisions gain. A coalition that lacks nothing at a player count
    decides there as the baseline."""
    baseline = outcomes[study.baseline.name]
    numbers = {row.position.name: number for number, row in enumerate(baseline)}
    deals = {}
    for number, deal in enumerate(dict.fromkeys(row.position.deal for row in baseline)):
        deals[deal] = number
    every = dict[str, list[Gain]]()
    for arm in study.arms:
        rows = list(outcomes.get(arm.name, ()))
        if arm.kind == "coalition":
            rows += [
                row
                for row in baseline
                if not asked_nodes.applies(study.baseline, arm, row.position.view.players)
            ]
        every[arm.name] = [
            Gain(
                arm=arm.name,
                seed=deals[row.position.deal],
                repeat=numbers[row.position.name],
                moves=(1.0, 1.0 - row.forced),
                points=-row.judged,
            )
            for row in rows
        ]
    return every
