"""What is measured of the project itself: `python -m benchmarks claims`, and the other names of `PROOFS`; `--json`."""

import json
import sys
from dataclasses import asdict

from benchmarks import coalition_worlds, interval_coverage, plan_power, simulated_experiments, stop_simulation
from experiments.document.terminal import console

PROOFS = ("claims", "coverage", "stopping", "power", "coalitions")


def main(words: list[str]) -> None:
    """Measure what the first word names: claims, coverage, stopping, power or coalitions."""
    as_json, names = "--json" in words, [word for word in words if word != "--json"]
    if len(names) != 1 or names[0] not in PROOFS:
        sys.exit(f"say what to measure: python -m benchmarks {'|'.join(PROOFS)} [--json]")
    if names == ["claims"]:
        tried = simulated_experiments.measure()
        print(json.dumps(asdict(tried))) if as_json else simulated_experiments.show(tried, console())
    elif names == ["coverage"]:
        held = list(interval_coverage.measure())
        print(json.dumps([asdict(row) for row in held])) if as_json else interval_coverage.show(held, console())
    elif names == ["power"]:
        seen = list(plan_power.measure())
        print(json.dumps([asdict(row) for row in seen])) if as_json else plan_power.show(seen, console())
    elif names == ["coalitions"]:
        measured = coalition_worlds.measure()
        print(json.dumps(asdict(measured))) if as_json else coalition_worlds.show(measured, console())
    else:
        stopped = list(stop_simulation.measure())
        print(json.dumps([asdict(row) for row in stopped])) if as_json else stop_simulation.show(stopped, console())


if __name__ == "__main__":
    main(sys.argv[1:])
