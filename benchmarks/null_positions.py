"""Decisions of arms on positions in which no arm differs from the noise floor."""

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import numpy as np

from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.study.control_arms import NOISE_FLOOR, Kind, Purpose
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.experiments.tasks.positions import sentences
from hanabi_orchestrator.experiments.tasks.positions.bank import BankPosition
from hanabi_orchestrator.experiments.tasks.positions.effects import (
    Effects,
    effect_of,
    holm_corrected,
)
from hanabi_orchestrator.experiments.tasks.positions.outcome import Outcome
from hanabi_orchestrator.orchestrator.models.usage import NO_USAGE

FLIPPED = 0.25
"""The share of decisions that differ when the same model is asked again."""
SD = 0.4
"""Points between two moves."""
SHARED = 0.3
"""The share of the variance of these that a deal explains."""
CONTROLS: tuple[Kind, ...] = ("removed", "placebo", "padded")
ROLES = ("history_analyst", "tom_interpreter", "discard_strategist")
CLAIM = re.compile(
    r"\b(?:loses|gains) [\d.]+ points|than no note|not all that is lost|does not explain the loss"
)
"""Sentences that claim a loss, a gain, or what causes one."""
OPEN_FLIPS = "more than that is not shown"
FLIPS = re.compile(r"\b[1-9]\d*% of decisions differ \([^)]*noise floor[^)]*\)")


def claims(chance: np.random.Generator, roles: int, deals: int, positions: int) -> bool:
    """Return whether the sentences of a run hold a false claim: of a loss or a gain, or of more flips than the noise
    floor has."""
    arms = [_arm(NOISE_FLOOR, "noise_floor", ()), *_controls(roles)]
    outcomes = {arm.name: list(_outcomes(chance, deals, positions)) for arm in arms}
    effects = holm_corrected([effect_of(arm, outcomes, NO_USAGE) for arm in arms])
    return any(map(claimed, sentences.sentences(Effects(outcomes, tuple(effects)))))


def claimed(sentence: str) -> bool:
    flips = FLIPS.findall(sentence)
    return bool(CLAIM.search(sentence)) or any(OPEN_FLIPS not in words for words in flips)


def _controls(roles: int) -> Iterator[Arm]:
    for role in ROLES[:roles]:
        for kind in CONTROLS:
            yield _arm(f"{kind}-{role}", kind, (role,))


def _arm(name: str, kind: Kind, nodes: tuple[str, ...]) -> Arm:
    floor = None if kind == "noise_floor" else NOISE_FLOOR
    return Arm(name, PlayerSpec(spec="house"), purpose=Purpose(kind=kind, nodes=nodes), floor=floor)


def _outcomes(chance: np.random.Generator, deals: int, positions: int) -> Iterator[Outcome]:
    for deal in range(deals):
        luck = chance.normal() * SHARED**0.5
        for number in range(positions):
            flipped = bool(chance.random() < FLIPPED)
            loss = SD * (luck + chance.normal() * (1 - SHARED) ** 0.5) if flipped else 0.0
            place = SimpleNamespace(
                name=f"{deal}-{number}", deal=str(deal), kind=SimpleNamespace(values=tuple)
            )
            yield Outcome(
                position=cast(BankPosition, place),
                flipped=float(flipped),
                better=float(loss < 0),
                worse=float(loss > 0),
                regret=abs(loss),
                loss=loss,
            )
