"""What stands above the tables of differences: what their columns are, and what p is corrected for."""

from collections.abc import Sequence

from experiments.analysis.analysis import OTHER, Analysis
from experiments.analysis.differences import Difference
from experiments.record.measures import METRICS


def differences(analysis: Analysis) -> str:
    """Above the differences by the metric, and by the other score or the score."""
    found = analysis.differences[0]
    alone = all(one.unit == "repeats" for one in analysis.differences)
    deals, units = ("deal", "repeats") if alone else ("deals", "deals")
    second = analysis.other_differences[0].metric if analysis.other_differences else ""
    won = "won, tied and lost" if analysis.metric in OTHER else "on which the arm has more, as much, and less"
    sd = "" if alone else "SD: standard deviation of the deals' differences. "
    return (
        f"How many {found.measured_in} more or fewer than {found.baseline} on the same {deals}, first by "
        f"{named(analysis.metric)}, then by {named(second)}. SE: standard error of the mean difference; "
        f"{sd}{_test(analysis)} W/T/L: {units} {won}. "
        f"{_planning(analysis, units)}"
    ).rstrip()


def _planning(analysis: Analysis, units: str) -> str:
    if not any(one.mde for one in analysis.differences):
        return ""
    return (
        "MDE, for planning: the smallest effect that the test detects with 80 % power, corrected for the arms "
        f"compared; for 1 point: how many {units} would detect one point so."
    )


def _test(analysis: Analysis) -> str:
    if analysis.stopped is None:
        return (
            "95 %: all means that the test does not reject; p, Holm: corrected for all arms, and corrected the "
            "interval at that level, which the conclusions state: it holds 0 exactly when the corrected p is .05 or "
            "more."
        )
    arms, alpha = len(analysis.stopped.rule.arms), analysis.stopped.rule.alpha
    return (
        "Look: the look of the stop rule at which the arm stopped, or the last that it has reached, and what it "
        "settled. 95 %: all means that the sequential test does not reject at that look, valid at every look; p, "
        f"corr.: corrected for the looks and for {_arms(arms)} (Bonferroni), and corrected the interval at {alpha:g} / "
        f"{arms}, which the conclusions state: it holds 0 exactly when the corrected p is {alpha:g} or more."
    )


def _arms(number: int) -> str:
    return "one arm" if number == 1 else f"{number} arms"


def named(metric: str) -> str:
    """`the kept score`, `turns`."""
    return f"the {metric} score" if metric in OTHER else metric


def more(found: Sequence[Difference], analysis: Analysis) -> str:
    """Above the differences by every other metric: exploratory, and a family of their own."""
    if not found:
        return ""
    abouts = "; ".join(f"{name}: {METRICS[name].says}" for name in dict.fromkeys(one.metric for one in found))
    by = "Bonferroni" if analysis.stopped else "Holm"
    looks = "; p and intervals are valid at every look" if analysis.stopped else ""
    return (
        "A look around, not what the run was made to show: every arm by every other metric that differs between games, "
        f"pooled over player counts. p is corrected for all {max(one.tests for one in found)} of these tests as one "
        f"family ({by}), apart from the tests by {named(analysis.metric)}; intervals are not corrected{looks}. "
        f"{abouts}. A metric that is not here is the same in all games, or not known."
    )
