"""What is measured of the project itself: `python -m benchmarks claims`, and the other names of `PROOFS`; `--json`."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from rich.console import Console

from benchmarks import (
    coalition_worlds,
    false_claims,
    interval_coverage,
    plan_power,
    simulated_experiments,
    stop_simulation,
)
from hanabi_orchestrator.experiments.document.terminal import console


@dataclass(frozen=True)
class Proof:
    """What was measured."""

    data: Any
    show: Callable[[Console], None]


def claims() -> Proof:
    tried = simulated_experiments.measure()
    return Proof(asdict(tried), partial(simulated_experiments.show, tried))


def coverage() -> Proof:
    coverages = list(interval_coverage.measure())
    few = list(interval_coverage.few_deals())

    def show(screen: Console) -> None:
        interval_coverage.show(coverages, screen)
        interval_coverage.show_few(few, screen)

    return Proof([*map(asdict, coverages), *map(asdict, few)], show)


def stopping() -> Proof:
    runs = list(stop_simulation.measure())
    return Proof([*map(asdict, runs)], partial(stop_simulation.show, runs))


def power() -> Proof:
    plans = list(plan_power.measure())
    return Proof([*map(asdict, plans)], partial(plan_power.show, plans))


def coalitions() -> Proof:
    worlds = coalition_worlds.measure()
    return Proof(asdict(worlds), partial(coalition_worlds.show, worlds))


def false() -> Proof:
    measured = list(false_claims.measure())
    decided = list(false_claims.worlds())

    def show(screen: Console) -> None:
        false_claims.show(measured, screen)
        false_claims.show_worlds(decided, screen)

    return Proof([*map(asdict, measured), *map(asdict, decided)], show)


PROOFS: Mapping[str, Callable[[], Proof]] = {
    "claims": claims,
    "coverage": coverage,
    "stopping": stopping,
    "power": power,
    "coalitions": coalitions,
    "false-claims": false,
}


def main(words: list[str]) -> None:
    """Measure what the first word names."""
    as_json = "--json" in words
    names = [word for word in words if word != "--json"]
    if len(names) != 1 or names[0] not in PROOFS:
        sys.exit(f"say what to measure: python -m benchmarks {'|'.join(PROOFS)} [--json]")
    proof = PROOFS[names[0]]()
    if as_json:
        print(json.dumps(proof.data))
    else:
        proof.show(console())


if __name__ == "__main__":
    main(sys.argv[1:])
