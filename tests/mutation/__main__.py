"""`python -m tests.mutation`: changes the core in small ways, and names the changes that no test notices."""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.mutation.mutants import Mutant
from tests.mutation.table import Area, Table, made_of
from tests.mutation.trials import Trials


def main(given: Sequence[str] | None = None) -> int:
    """Exit code 1 when a change was noticed by no test and is not listed as equivalent."""
    asked = arguments().parse_args(given)
    table = Table.read()
    areas = {name: table.areas[name] for name in asked.area or table.areas}
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        trials = Trials(Path(folder))
        for name, area in areas.items():
            chosen = [one.mutant() for one in table.named if one.file in area.files]
            for file in () if asked.named else area.files:
                chosen += sample(file, asked.per_file, asked.seed)
            found = _tried(table, trials, area, chosen)
            print(f"{name}: {said(found)}", flush=True)
            total += found
    print(f"together: {said(total)}")
    return 1 if total["survived"] else 0


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument(
        "--per-file", type=int, default=8, help="mutants of each file, drawn at random (default: 8)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default: 1)")
    parser.add_argument(
        "--area",
        action="append",
        choices=list(Table.read().areas),
        help="this area alone; repeatable",
    )
    parser.add_argument(
        "--named", action="store_true", help="only the changes that core.yaml names"
    )
    return parser


def sample(file: str, size: int, seed: int) -> list[Mutant]:
    """Some of the mutants of a file, in the order of its lines."""
    made = made_of(file)
    drawn = random.Random(f"{seed} {file}").sample(range(len(made)), min(size, len(made)))
    return [made[number] for number in sorted(drawn)]


def said(found: Counter[str]) -> str:
    return (
        f"{found.total()} mutants: {found['killed']} noticed, {found['timed out']} noticed by their hanging, "
        f"{found['equivalent']} equivalent, {found['survived']} noticed by no test"
    )


def _tried(table: Table, trials: Trials, area: Area, chosen: Sequence[Mutant]) -> Counter[str]:
    found: Counter[str] = Counter()
    if not chosen:
        return found
    usual = trials.seconds(area.run)
    for mutant in chosen:
        known = table.reason(mutant) is not None
        outcome = (
            "equivalent" if known else trials.outcome(mutant.file, mutant.make(), area.run, usual)
        )
        found[outcome] += 1
        if outcome == "survived":
            print(
                f"noticed by no test: {mutant.file}:{mutant.line}\n  - {mutant.was}\n  + {mutant.now}",
                flush=True,
            )
    return found


if __name__ == "__main__":
    sys.exit(main())
