"""In words: were the notes of each role right, were they used; and which faults arms make more or less often."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from statistics import fmean
from typing import NamedTuple

from experiments.analysis import sentence_templates as say
from experiments.analysis.role_marks import MarkedGame, MarkSummary
from experiments.analysis.statistics.clusters import groups
from experiments.analysis.statistics.estimates import ROUNDING
from experiments.analysis.statistics.permutation import fewest_pairs
from experiments.document.formats import NUMBER, SIGNED, SIGNED_INTERVAL
from experiments.report.marked_run import MarkedRun
from experiments.values.mark_tally import infos_of
from experiments.values.move_values import TITLES, Kind
from orchestrator.models.settings import PROGRAM
from roles import registry
from roles.words import many, percent

USE = ("followed", "overruled_right", "followed_wrong", "agrees", "refused", "refusal_gain", "refusal_rollout_gain")
"""Marks that say how answers were used, not whether they were right."""
OTHERS: Mapping[str, str] = {PROGRAM: "its program", "uniform": "a uniform guess"}
NAMED = 3
"""Marks, or arms, that a sentence names."""
TESTABLE = fewest_pairs(1)
"""Deals from which a sign-flip test can reject at .05."""


def sentences(run: MarkedRun) -> Iterator[str]:
    """Return a few sentences for each role of the baseline, or of the first arm, then for those that other arms add."""
    standard = run.data.standard
    if all(mark.models == (PROGRAM,) for mark in run.summaries if mark.arm == standard):
        yield say.PROGRAMS_MARKED()
    units = max((mark.units for mark in run.summaries), default=0)
    if 0 < units < TESTABLE:
        yield say.MARKS_UNTESTED(deals=many(units, "deal"))
    roles = {arm: dict.fromkeys(node.role for game in run.of(arm) for node in game.nodes) for arm in run.data.arms}
    for arm in dict.fromkeys((standard, *run.data.arms)):
        for role in roles[arm]:
            marks = [mark for mark in run.summaries if mark.arm == arm and mark.key.role == role]
            parts = " ".join((*_right(marks), *_used(marks)))
            if arm == standard:
                yield say.ROLE(role=role, parts=parts)
            elif role not in roles[standard]:
                yield say.ROLE_OF_ARM(role=role, arm=arm, parts=parts)


def _right(marks: Sequence[MarkSummary]) -> Iterator[str]:
    """Say how right a role's answers were, beside its program's and a uniform guess's.

    Of a plain function, which describes no marks, higher is better.
    """
    marked = [m for m in marks if m.key.name not in USE and (m.key.info is None or m.key.info.best is not None)]
    if not marked:
        yield say.UNMARKABLE()
        return
    if all(mark.models == (PROGRAM,) for mark in marked):
        yield say.EXACT()
    mark = next((mark for mark in marked if PROGRAM in mark.baselines), marked[0])
    standards = [f"best {mark.key.info.best:.2g}"] if mark.key.info else []
    means = {title: mark.baselines[name].mean for name, title in OTHERS.items() if name in mark.baselines}
    standards += [f"{title} {NUMBER.text(mean)}" for title, mean in means.items()]
    yield say.MARK(marks=f"{mark.key.title} {NUMBER.text(mark.mean)} on average ({', '.join(standards)})")
    if any(mark.units >= TESTABLE for mark in marked):
        yield from _counted(marked)


def _counted(marked: Sequence[MarkSummary]) -> Iterator[str]:
    """Say on how many marks a role is better or worse than its program and a uniform guess."""
    counts, units = [], []
    for name, title in OTHERS.items():
        sides: dict[str, list[MarkSummary]] = {side: [] for side in SIDES}
        marks = [m for m in marked if name in m.baselines and not (name == PROGRAM and m.models == (PROGRAM,))]
        for mark in marks:
            sides[_side(mark, name)].append(mark)
            units.append(mark.units)
        worse = [mark.key.title for mark in sides["worse"]]
        named = {"worse": f" ({', '.join(worse[:NAMED])}{', ...' if len(worse) > NAMED else ''})"}
        texts = [f"{side} on {len(several)}{named.get(side, '')}" for side, several in sides.items() if several]
        if marks:
            counts.append(f"of {many(len(marks), 'mark')} beside {title} {', '.join(texts)}")
    if counts:
        deals = f"{min(units)} to " * (min(units) < max(units)) + many(max(units), "deal")
        yield say.COUNTED(counts="; ".join(counts).replace("of", "Of", 1), deals=deals)


SIDES = ("better", "worse", "no significant difference", "equal", "not tested")


def _side(mark: MarkSummary, name: str) -> str:
    """Return on which side of a baseline a mark is by the interval of their difference."""
    baseline = mark.baselines[name]
    if baseline.bounds is None:
        return "not tested" if abs(baseline.ahead) > ROUNDING or mark.units < TESTABLE else "equal"
    if baseline.bounds[0] <= 0 <= baseline.bounds[1]:
        return "no significant difference"
    higher = mark.key.info is None or mark.key.info.higher
    return "better" if (baseline.ahead > 0) is higher else "worse"


def _used(role_marks: Sequence[MarkSummary]) -> Iterator[str]:
    """Tell whether its answers decided anything."""
    marks = {mark.key.name: mark for mark in role_marks}
    if followed := marks.get("followed"):
        overruled, wrong = (percent(marks[name].mean) for name in ("overruled_right", "followed_wrong"))
        yield say.FOLLOWED(share=_share(followed), n=f"{followed.turns:,}", percent=overruled, wrong=wrong)
    elif refused := marks.get("refused"):
        gain = marks.get("refusal_gain")
        bounds = f" ({SIGNED_INTERVAL.text(gain.bounds)})" if gain and gain.bounds else ""
        worth = say.GAIN(size=SIGNED.text(gain.mean), bounds=bounds) if gain else ""
        yield say.REFUSED(share=_share(refused), n=f"{refused.replies:,}", gain=worth)
    elif "chose_best" in marks:  # it chooses, and nobody follows
        yield say.DECIDES()
    else:
        yield say.UNREAD()


def _share(mark: MarkSummary) -> str:
    bounds = f" ({100 * mark.bounds[0]:.0f}–{100 * mark.bounds[1]:.0f}%)" if mark.bounds else ""
    return f"{percent(mark.mean)}{bounds}"


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
    nodes = groups((node for game in games for node in game.nodes), attrgetter("role"))
    marked = {key.role for game in games for key in game.tallies}
    unknown = sorted(role for role in nodes if not registry.is_known(role))
    if silent := sorted(role for role in nodes if role not in (*unknown, *marked) and not infos_of(role)):
        yield f"{', '.join(silent)} {'states' if len(silent) == 1 else 'state'} nothing that can be marked."
    if unknown:
        yield f"The code of {', '.join(unknown)} is not loaded, so games with it have no marks: give `--import FILE`."
        return
    for role, replies in nodes.items():
        if unasked := sorted({field for node in replies for field in node.unasked}):
            yield f"{role} is not asked for {' and '.join(unasked)} by its answer format, so these have no marks."
        if role not in marked and infos_of(role):
            yield f"{role}: none of its replies stated what its marks are about."
        if unusable := sum(node.unusable for node in replies):
            questions = unusable + sum(node.replies for node in replies)
            yield f"{role}: {unusable:,} of {many(questions, 'question')} got no usable answer, and so no marks."
    if not nodes:
        yield f"No node has the role {only} here." if only else "No seat is a graph, so there are no roles."
