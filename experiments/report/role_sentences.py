"""In words, for each role: did taking it away change the score, were its answers right, were they used."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from experiments.analysis import conclusions
from experiments.analysis.analysis import OTHER
from experiments.analysis.differences import Difference
from experiments.analysis.role_marks import MarkedGame, MarkSummary
from experiments.document.formats import NUMBER, P_VALUE, SIGNED, SIGNED_INTERVAL
from experiments.report.marked_run import MarkedRun
from experiments.values.game_marks import NodeReplies
from experiments.values.mark_tally import infos_of
from orchestrator.models.settings import PROGRAM
from roles.words import many, percent

USE = ("followed", "overruled_right", "followed_wrong", "agrees", "refused", "refusal_gain", "refusal_rollout_gain")
"""Marks that say how answers were used, not whether they were right."""
NAMED = 3
"""Marks that a sentence names; more are counted."""


def sentences(run: MarkedRun) -> Iterator[str]:
    """Return a few sentences for each role of the baseline, or of the first arm."""
    arm = run.data.analysis.baseline if run.data.analysis.baseline in run.data.arms else run.data.arms[0]
    marks = [mark for mark in run.summaries if mark.arm == arm]
    if all(mark.models == (PROGRAM,) for mark in marks):
        yield (
            "All roles were answered by their programs, which are exact by what a seat may know: their marks are the "
            "standard for other answers, and test no model."
        )
    for role in _roles(run, arm):
        of_role = [mark for mark in marks if mark.key.role == role]
        parts = (*_taken_away(run, arm, role), *_right(role, of_role), *_used(run, arm, role, of_role))
        if parts:
            yield f"{role}: {' '.join(parts)}"
    yield from _of_other_arms(run, arm)


def _of_other_arms(run: MarkedRun, arm: str) -> Iterator[str]:
    """Return sentences on the roles that other arms add to those of the first."""
    for other in run.data.arms:
        for role in _roles(run, other):
            if role not in _roles(run, arm):
                marks = [mark for mark in run.summaries if mark.arm == other and mark.key.role == role]
                yield " ".join((f"{role}, in arm {other}:", *_right(role, marks), *_used(run, other, role, marks)))


def _roles(run: MarkedRun, arm: str) -> list[str]:
    return list(dict.fromkeys(node.role for game in run.of(arm) for node in game.nodes))


def _taken_away(run: MarkedRun, arm: str, role: str) -> Iterator[str]:
    """Return what became of the score in the arms that lack this role of the baseline, alone or with others."""
    before = _roles(run, arm)
    differing = {name.arm: name for name in conclusions.widest(run.data.analysis.differences)}
    for other in run.data.arms:
        removed = [name for name in before if name not in _roles(run, other)]
        if other != arm and role in removed and other in differing:
            others = [name for name in removed if name != role]
            together = f" and {' and '.join(others)}" if others else ""
            yield f"Without it{together} (arm {other}) {score_change(differing[other])}"


def score_change(effect: Difference) -> str:
    """Return by how much the score rose or fell, and whether that shows a difference."""
    scored = effect.metric in OTHER
    what, unit = ("the score", f" {effect.measured_in}") if scored else (effect.measured_in, "")
    way = (
        "did not move"
        if not effect.mean
        else f"{'rose' if effect.mean > 0 else 'fell'} by {abs(effect.mean):.2f}{unit}"
    )
    if effect.p is None:
        return f"{what} {way}, which nothing can be concluded from."
    corrected = "corrected p" if effect.stop else "Holm p"
    numbers = f"{conclusions.corrected_interval(effect)}, {corrected} {_p(effect)}, {many(effect.n, effect.unit[:-1])}"
    if effect.claimed:
        return f"{what} {way} ({numbers}): a difference is shown."
    inside = "" if effect.low_holm is None else " inside the interval"
    return f"{what} {way} ({numbers}): no difference is shown, and none{inside} is excluded."


def _p(effect: Difference) -> str:
    p = P_VALUE.text(effect.p_holm)
    return p if p.startswith("<") else f"= {p}"


def _right(role: str, marks: Sequence[MarkSummary]) -> Iterator[str]:
    """Return how right its answers were, beside its program's and a uniform guess's."""
    marked = [mark for mark in marks if mark.key.name not in USE and mark.key.info and mark.key.info.best is not None]
    if not marked:
        yield "Whether its answers were right cannot be marked: it states nothing that has a true value."
        return
    if all(mark.models == (PROGRAM,) for mark in marked):
        yield "Its program answered, so its answers are exact by what the seat may know."
    first = next((mark for mark in marked if PROGRAM in mark.baselines), marked[0])
    yield f"Its answers: {_mark(first)}."
    yield from _counted(marked)


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
    counts = [
        f"of {many(len(marks), 'mark')} beside {OTHERS[name]} {_sides(marks, name)}"
        for name, marks in by_baseline.items()
        if marks
    ]
    if counts:
        every = [mark for marks in by_baseline.values() for mark in marks]
        basis = f"95 % intervals over {_deals(every)}, not corrected for their number"
        counted = "; ".join(counts)
        yield f"{counted[0].upper()}{counted[1:]} ({basis})."


def _sides(theirs: Sequence[MarkSummary], name: str) -> str:
    better, worse = ([mark for mark in theirs if _ahead(mark, name) == sign] for sign in (1, -1))
    same = len(theirs) - len(better) - len(worse)
    parts = [f"better on {len(better)}"] * bool(better) + [_worse(worse)] * bool(worse)
    return ", ".join([*parts, *[f"no significant difference on {same}"] * bool(same)])


def _deals(marks: Sequence[MarkSummary]) -> str:
    least, most = min(mark.units for mark in marks), max(mark.units for mark in marks)
    return f"{least} to {many(most, 'deal')}" if least < most else many(most, "deal")


def _worse(marks: Sequence[MarkSummary]) -> str:
    names = ", ".join(mark.key.title for mark in marks[:NAMED])
    return f"worse on {len(marks)} ({names}{', ...' if len(marks) > NAMED else ''})" if marks else ""


def _ahead(mark: MarkSummary, name: str) -> int:
    """Return 1 where the role is better than a baseline by the interval of their difference, -1 where it is worse,
    else 0."""
    baseline = mark.baselines[name]
    if baseline.low is None or baseline.high is None or baseline.low <= 0 <= baseline.high:
        return 0
    higher = mark.key.info is None or mark.key.info.higher
    return 1 if (baseline.ahead > 0) is higher else -1


OTHERS: Mapping[str, str] = {PROGRAM: "its program", "uniform": "a uniform guess"}


def _own(mark: MarkSummary, name: str) -> bool:
    """Tell whether the baseline is who replied."""
    return name == PROGRAM and mark.models == (PROGRAM,)


def _used(run: MarkedRun, arm: str, role: str, role_marks: Sequence[MarkSummary]) -> Iterator[str]:
    """Tell whether its answers decided anything."""
    marks = {mark.key.name: mark for mark in role_marks}
    if followed := marks.get("followed"):
        overruled, wrong = (marks[name].mean for name in ("overruled_right", "followed_wrong"))
        yield (
            f"What it put first was played in {_share(followed)} of the {many(followed.turns, 'turn')} that it spoke "
            f"of; in {percent(overruled)} it was overruled though right, in {percent(wrong)} followed though wrong."
        )
    elif refused := marks.get("refused"):
        gain = marks.get("refusal_gain")
        worth = f"; a refusal gained {SIGNED.text(gain.mean)} points at once on average{_bounds(gain)}" if gain else ""
        yield f"It refused {_share(refused)} of {many(refused.replies, 'choice')}{worth}."
    elif role in _deciding(run, arm):
        yield "It decides, so its answers are the moves."
    else:
        yield "Whether its answers were used cannot be read from moves: it proposes none."


def _bounds(mark: MarkSummary) -> str:
    return "" if mark.low is None else f" ({SIGNED_INTERVAL.text((mark.low, mark.high))})"


def _share(mark: MarkSummary) -> str:
    bounds = "" if mark.low is None or mark.high is None else f" ({100 * mark.low:.0f}–{100 * mark.high:.0f}%)"
    return f"{percent(mark.mean)}{bounds}"


def _deciding(run: MarkedRun, arm: str) -> set[str]:
    """Return the roles that choose: those with marks of a choice that nobody follows."""
    return {one.key.role for one in run.summaries if one.arm == arm and one.key.name == "chose_best"}


def missing(games: Sequence[MarkedGame]) -> Iterator[str]:
    """Return what could not be marked and why: roles that state nothing, fields that no format asked for, answers that
    were unusable."""
    nodes = [node for game in games for node in game.nodes]
    marked = {key.role for game in games for key in game.tallies}
    if silent := sorted({node.role for node in nodes if not infos_of(node.role)} - marked):
        verb = "states" if len(silent) == 1 else "state"
        yield f"{', '.join(silent)} {verb} nothing that can be marked."
    for role in dict.fromkeys(node.role for node in nodes):
        yield from _unmarked(role, [node for node in nodes if node.role == role], games)
    if not any(game.nodes for game in games):
        yield "No seat is a graph, so there are no roles."


def _unmarked(role: str, nodes: Sequence[NodeReplies], games: Iterable[MarkedGame]) -> Iterator[str]:
    if unasked := sorted({field for node in nodes for field in node.unasked}):
        yield f"{role} is not asked for {' and '.join(unasked)} by its answer format, so these have no marks."
    if infos_of(role) and not any(key.role == role for game in games for key in game.tallies):
        yield f"{role}: none of its replies stated what its marks are about."
    if unusable := sum(node.unusable for node in nodes):
        questions = unusable + sum(node.replies for node in nodes)
        yield f"{role}: {unusable:,} of {many(questions, 'question')} got no usable answer, and so no marks."
