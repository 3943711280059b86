"""The section *Controls* of a report: each role's effect beside what else could explain it."""

from collections.abc import Iterator, Sequence

from experiments.analysis.analysis import Analysis
from experiments.analysis.conclusions import widest
from experiments.analysis.differences import Difference
from experiments.analysis.labels import difference_labels
from experiments.analysis.role_controls import RoleControls
from experiments.analysis.summaries import Summary
from experiments.report import order
from experiments.report.tables import Grid, interval, number

TITLE = "Controls"
TEXT = (
    "More or less than the baseline by the metric of this report, with 95 % intervals, not corrected. Removed: without "
    "the role. Placebo: its note says nothing and is as long as one of another game. Shuffled: its note is that of "
    "another game, in the same phase. Null: the baseline once more with other seeds of its models, so nothing but "
    "chance. An effect of a role survives (yes) if the placebo and the shuffled note show one too, and the removal "
    "differs from the null arm. It does not (no) if the null arm differs from the baseline, or a note without its "
    "content shows no effect and the removal is shown to differ from it, deal by deal. All else is open."
)
APART = "Beside the hypotheses"
APART_TEXT = (
    "Arms that test nothing: the baseline once more, whose difference is chance, and arms that cheat. Not corrected."
)


def grid(found: Sequence[RoleControls]) -> Grid:
    columns = ("role", "players", "removed", "placebo", "shuffled", "null", "survives")
    rows = [
        (
            one.name,
            ", ".join(map(str, one.counts)),
            *(_cell(cell) for cell in (one.removed, one.placebo, one.shuffled, one.null)),
            _verdict(one),
        )
        for one in found
    ]
    return Grid(columns, tuple(rows))


def _verdict(one: RoleControls) -> str:
    if one.survives is None:
        return "open" if one.removed and one.removed.claimed else "–"
    return "yes" if one.survives else "no"


def _cell(one: Difference | None) -> str:
    if one is None:
        return "–"
    if one.p is None and one.alike == one.n:
        return "same games"
    bounds = "" if one.low is None else f" ({interval(one.low, one.high, '+')})"
    return f"{number(one.mean, 2, '+')}{bounds}"


def apart(analysis: Analysis) -> Grid | None:
    """The arms that are no hypothesis: the baseline once more, and arms that cheat. None where there are none."""
    if not analysis.apart:
        return None
    found: Sequence[Difference] = analysis.apart
    several = order.mixed(analysis.summaries)
    named = difference_labels(analysis.summaries, [(one.arm, one.baseline) for one in found])
    rows = [
        (label, order.at(one, mixed=several), str(one.n), number(one.mean, 2, "+"), interval(one.low, one.high, "+"))
        for one, label in zip(found, named, strict=True)
    ]
    return Grid(("arm", "players", "n", analysis.metric, "95 %"), tuple(rows))


def sentences(found: Sequence[RoleControls], analysis: Analysis) -> list[str]:
    """What survives; then what the arms that are no hypothesis show."""
    return [*(one.sentence for one in found), *_apart(analysis, list(analysis.summaries))]


def _apart(analysis: Analysis, summaries: Sequence[Summary]) -> Iterator[str]:
    cheating = {one.arm for one in summaries if one.cheats}
    for one in widest(analysis.apart):
        size = f"{one.mean:+.2f} {one.measured_in}" + (
            "" if one.low is None else f", 95 % interval {one.low:+.2f} to {one.high:+.2f}"
        )
        if one.arm in cheating or one.baseline in cheating:
            yield f"{one.arm}, which cheats, scores {size} beside {one.baseline}: an upper line, and no comparison."
        elif one.p is None and one.alike == one.n:
            yield f"{one.arm}: the noise floor is 0, for it is the same games as {one.baseline}."
        else:
            yield f"{one.arm}: the noise floor: by chance alone, the baseline differs from itself by {size}."
