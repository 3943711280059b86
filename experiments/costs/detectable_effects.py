"""What an experiment's own analysis can see, before it is played."""

from collections.abc import Collection, Mapping, Sequence

from experiments.costs import early_stops
from experiments.costs.sample_size import Spread, assumed_spread, measured_spread
from experiments.record.rows import Row
from experiments.statistics.permutation import fewest_pairs
from experiments.statistics.power import detectable
from experiments.study.experiment import Experiment
from experiments.study.job import Job
from experiments.study.stop_rule import StopRule


def sentences(
    experiment: Experiment, jobs: Collection[Job], rows: Sequence[Row], *, paid: bool, stop: StopRule | None = None
) -> list[str]:
    """Which difference from the baseline the design detects; none where nothing is compared.

    `rows`: finished games, which say how much differences vary; `paid`: use only those of models; `stop`: the rule by
    which arms may stop earlier.
    """
    arms = _arms(jobs)
    deals = len({job.deal.seed for job in jobs})
    if experiment.adhoc or experiment.baseline is None or not arms:
        return []
    if deals == 1:
        return ["with a single deal, whatever the repeats show holds for this deal alone"]
    tests, counts = max(arms.values()), len(arms)
    if deals < fewest_pairs(tests):
        return [
            f"this experiment cannot show any difference, however large: with {deals} deals and {_many(tests)} to "
            f"compare no corrected p can be below .05; it needs {fewest_pairs(tests)} deals at least"
        ]
    spread = measured_spread(rows, experiment.baseline, paid=paid, repeats=experiment.repeats) or assumed_spread()
    found = [_seen(spread, deals, counts, tests), *_repeats(experiment, spread)]
    return [*found, *early_stops.sentences(stop, spread, counts)] if stop else found


def _arms(jobs: Collection[Job]) -> Mapping[int, int]:
    """How many arms are compared at each player count."""
    arms: dict[int, set[str]] = {}
    for job in jobs:
        arms.setdefault(job.deal.players, set()).add(job.arm)
    return {players: len(names) - 1 for players, names in sorted(arms.items()) if len(names) > 1}


def _many(tests: int) -> str:
    return "one arm" if tests == 1 else f"{tests} arms"


def _seen(spread: Spread, deals: int, counts: int, tests: int) -> str:
    pooled = detectable(spread.pooled(counts), deals, tests=tests, step=1 / counts)
    each = detectable(spread.sd, deals, tests=tests, step=1.0)
    at_each = f" ({each:.1f} at a single player count)" if counts > 1 and each is not None else ""
    return (
        f"detectable with 80 % power: true differences from {pooled:.1f} points{at_each}, with {deals} deals and "
        f"Holm's correction for {_many(tests)}; SD of paired differences {spread.sd:.1f} points, {spread.basis}"
    )


def _repeats(experiment: Experiment, spread: Spread) -> list[str]:
    if experiment.repeats == 1 or spread.basis.startswith("measured"):
        return []
    return ["repeats of a deal are not counted as more deals, so somewhat smaller differences may be detectable"]
