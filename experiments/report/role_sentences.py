"""In words: were the notes of each role right, were they used; and which faults arms make more or less often."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from experiments.analysis import sentence_templates as say
from experiments.analysis.role_marks import MarkedGame, MarkSummary
from experiments.document.formats import NUMBER, SIGNED, SIGNED_INTERVAL
from experiments.report.marked_run import MarkedRun
from experiments.statistics.estimates import ROUNDING
from experiments.statistics.permutation import fewest_pairs
from experiments.values.game_marks import NodeReplies
from experiments.values.mark_tally import infos_of
from experiments.values.move_values import TITLES, Kind
from orchestrator.models.settings import PROGRAM
from roles import registry
from roles.words import many, percent

USE = ("followed", "overruled_right", "followed_wrong", "agrees", "refused", "refusal_gain", "refusal_rollout_gain")
"""Marks that say how answers were used, not whether they were right."""
NAMED = 3
"""Marks, or arms, that a sentence names."""


def sentences(run: MarkedRun) -> Iterator[str]:
    """Return a few sentences for each role of the baseline, or of the first arm, then for those that other arms add."""
    arm = run.data.standard
    marks = [mark for mark in run.summaries if mark.arm == arm]
    if all(mark.models == (PROGRAM,) for mark in marks):
        yield say.PROGRAMS_MARKED()
    if not any(map(_testable, run.summaries)) and (units := max((mark.units for mark in run.summaries), default=0)):
        yield say.MARKS_UNTESTED(deals=many(units, "deal"))
    for role in _roles(run, arm):
        yield say.ROLE(role=role, parts=_parts(run, arm, role))
    for other in run.data.arms:
        for role in _roles(run, other):
            if role not in _roles(run, arm):
                yield say.ROLE_OF_ARM(role=role, arm=other, parts=_parts(run, other, role))


def _parts(run: MarkedRun, arm: str, role: str) -> str:
    marks = [mark for mark in run.summaries if mark.arm == arm and mark.key.role == role]
    return " ".join((*_right(marks), *_used(run, arm, role, marks)))


def _roles(run: MarkedRun, arm: str) -> list[str]:
    return list(dict.fromkeys(node.role for game in run.of(arm) for node in game.nodes))


def _right(marks: Sequence[MarkSummary]) -> Iterator[str]:
    """Return how right a role's answers were, beside its program's and a uniform guess's."""
    marked = [mark for mark in marks if mark.key.name not in USE and _sided(mark)]
    if not marked:
        yield say.UNMARKABLE()
        return
    if all(mark.models == (PROGRAM,) for mark in marked):
        yield say.EXACT()
    yield say.MARK(marks=_mark(next((mark for mark in marked if PROGRAM in mark.baselines), marked[0])))
    if any(map(_testable, marked)):
        yield from _counted(marked)


def _sided(mark: MarkSummary) -> bool:
    """Tell whether a side of the mark is better; of a plain function, which describes no marks, higher is."""
    return mark.key.info is None or mark.key.info.best is not None


def _mark(mark: MarkSummary) -> str:
    """Return `safety_brier 0.10 on average (best 0; its program 0.09, a uniform guess 0.25)`."""
    parts = [f"best {mark.key.info.best:.2g}"] if mark.key.info and mark.key.info.best is not None else []
    parts += [
        f"{title} {NUMBER.text(mark.baselines[name].mean)}" for name, title in OTHERS.items() if name in mark.baselines
    ]
    return f"{mark.key.title} {NUMBER.text(mark.mean)} on average ({', '.join(parts)})"


def _counted(marked: Sequence[MarkSummary]) -> Iterator[str]:
    """Return on how many marks it is better or worse than its program and a uniform guess."""
    by_baseline = {
        name: [mark for mark in marked if name in mark.baselines and not _own(mark, name)] for name in OTHERS
    }
    counts = "; ".join(
        f"of {many(len(marks), 'mark')} beside {OTHERS[name]} {_sides(marks, name)}"
        for name, marks in by_baseline.items()
        if marks
    )
    if counts:
        every = [mark for marks in by_baseline.values() for mark in marks]
        yield say.COUNTED(counts=f"{counts[0].upper()}{counts[1:]}", deals=_deals(every))


def _sides(theirs: Sequence[MarkSummary], name: str) -> str:
    """Return on how many marks it is better, worse, neither, the same, or not tested."""
    sides: dict[str, list[MarkSummary]] = {side: [] for side in ("better", "worse", UNSHOWN, "equal", "not tested")}
    for mark in theirs:
        sides[_side(mark, name)].append(mark)
    return ", ".join(f"{side} on {len(of)}{_names(of) * (side == 'worse')}" for side, of in sides.items() if of)


UNSHOWN = "no significant difference"


def _names(marks: Sequence[MarkSummary]) -> str:
    return f" ({', '.join(mark.key.title for mark in marks[:NAMED])}{', ...' if len(marks) > NAMED else ''})"


def _side(mark: MarkSummary, name: str) -> str:
    """Return on which side of a baseline a mark is by the interval of their difference."""
    baseline = mark.baselines[name]
    if baseline.low is None or baseline.high is None:
        return "not tested" if abs(baseline.ahead) > ROUNDING or mark.units < TESTABLE else "equal"
    if baseline.low <= 0 <= baseline.high:
        return UNSHOWN
    higher = mark.key.info is None or mark.key.info.higher
    return "better" if (baseline.ahead > 0) is higher else "worse"


TESTABLE = fewest_pairs(1)
"""Deals from which a sign-flip test can reject at .05."""


def _testable(mark: MarkSummary) -> bool:
    return mark.units >= TESTABLE


def _deals(marks: Sequence[MarkSummary]) -> str:
    least, most = min(mark.units for mark in marks), max(mark.units for mark in marks)
    return f"{least} to {many(most, 'deal')}" if least < most else many(most, "deal")


OTHERS: Mapping[str, str] = {PROGRAM: "its program", "uniform": "a uniform guess"}


def _own(mark: MarkSummary, name: str) -> bool:
    """Tell whether the baseline is who replied."""
    return name == PROGRAM and mark.models == (PROGRAM,)


def _used(run: MarkedRun, arm: str, role: str, role_marks: Sequence[MarkSummary]) -> Iterator[str]:
    """Tell whether its answers decided anything."""
    marks = {mark.key.name: mark for mark in role_marks}
    if followed := marks.get("followed"):
        overruled, wrong = (percent(marks[name].mean) for name in ("overruled_right", "followed_wrong"))
        yield say.FOLLOWED(share=_share(followed), n=f"{followed.turns:,}", percent=overruled, wrong=wrong)
    elif refused := marks.get("refused"):
        gain = marks.get("refusal_gain")
        worth = say.GAIN(size=SIGNED.text(gain.mean), bounds=_bounds(gain)) if gain else ""
        yield say.REFUSED(share=_share(refused), n=f"{refused.replies:,}", gain=worth)
    elif role in _deciding(run, arm):
        yield say.DECIDES()
    else:
        yield say.UNREAD()


def _bounds(mark: MarkSummary) -> str:
    return "" if mark.low is None else f" ({SIGNED_INTERVAL.text((mark.low, mark.high))})"


def _share(mark: MarkSummary) -> str:
    bounds = "" if mark.low is None or mark.high is None else f" ({100 * mark.low:.0f}–{100 * mark.high:.0f}%)"
    return f"{percent(mark.mean)}{bounds}"


def _deciding(run: MarkedRun, arm: str) -> set[str]:
    """Return the roles that choose: those with marks of a choice that nobody follows."""
    return {one.key.role for one in run.summaries if one.arm == arm and one.key.name == "chose_best"}


MUCH = 2
"""The factor by which the mean number of a fault per game changes in an arm that a verdict names; by 1 at least."""


def faults(run: MarkedRun, arms: Iterable[str]) -> Iterator[str]:
    """Name the faults that changed most beside the baseline: of each arm one, of a few arms, on the deals of both."""
    baseline = run.data.analysis.baseline
    changes = [change for arm in arms for change in _fault_changes(run, arm, str(baseline))[:1]]
    if changes:
        foremost = sorted(changes, key=lambda change: change.size, reverse=True)[:NAMED]
        texts = (
            say.FAULT(fault=TITLES[each.kind], low=f"{each.before:.1f}", high=f"{each.after:.1f}", arm=each.arm)
            for each in foremost
        )
        yield say.FAULTS(than=baseline, faults=", ".join(texts))


class FaultChange(NamedTuple):
    """The mean number per game of moves with a fault, in the baseline and in an arm."""

    arm: str
    kind: Kind
    before: float
    after: float

    @property
    def size(self) -> float:
        return abs(self.after - self.before)


def _fault_changes(run: MarkedRun, arm: str, baseline: str) -> list[FaultChange]:
    """Return the faults that are much more or less frequent in an arm, the largest change first."""
    ours, theirs = ({game.row.pairing: game for game in run.of(name)} for name in (arm, baseline))
    deals = ours.keys() & theirs.keys()
    kinds = run.games[0].quality if deals else ()
    changes = [
        FaultChange(arm, kind, *(fmean(games[deal].quality[kind] for deal in deals) for games in (theirs, ours)))
        for kind in kinds
    ]
    much = [each for each in changes if each.size >= 1 and max(each[2:]) >= MUCH * min(each[2:])]
    return sorted(much, key=lambda change: change.size, reverse=True)


def missing(games: Sequence[MarkedGame], only: str | None = None) -> Iterator[str]:
    """Return what could not be marked and why: roles that state nothing, fields that no format asked for, answers that
    were unusable. `only`: the role to which the games are narrowed."""
    nodes = [node for game in games for node in game.nodes]
    marked = {key.role for game in games for key in game.tallies}
    if silent := sorted(
        {node.role for node in nodes if registry.known(node.role) and not infos_of(node.role)} - marked
    ):
        verb = "states" if len(silent) == 1 else "state"
        yield f"{', '.join(silent)} {verb} nothing that can be marked."
    if unknown := sorted({node.role for node in nodes if not registry.known(node.role)}):
        yield f"The code of {', '.join(unknown)} is not loaded, so games with it have no marks: give `--import FILE`."
        return
    for role in dict.fromkeys(node.role for node in nodes):
        yield from _unmarked(role, [node for node in nodes if node.role == role], games)
    if not any(game.nodes for game in games):
        yield f"No node has the role {only} here." if only else "No seat is a graph, so there are no roles."


def _unmarked(role: str, nodes: Sequence[NodeReplies], games: Iterable[MarkedGame]) -> Iterator[str]:
    if unasked := sorted({field for node in nodes for field in node.unasked}):
        yield f"{role} is not asked for {' and '.join(unasked)} by its answer format, so these have no marks."
    if infos_of(role) and not any(key.role == role for game in games for key in game.tallies):
        yield f"{role}: none of its replies stated what its marks are about."
    if unusable := sum(node.unusable for node in nodes):
        questions = unusable + sum(node.replies for node in nodes)
        yield f"{role}: {unusable:,} of {many(questions, 'question')} got no usable answer, and so no marks."
