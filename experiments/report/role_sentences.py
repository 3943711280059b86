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
    found = [one for one in run.summaries if one.arm == arm]
    if all(one.models == (PROGRAM,) for one in found):
        yield (
            "All roles were answered by their programs, which are exact by what a seat may know: their marks are the "
            "standard for other answers, and test no model."
        )
    for role in _roles(run, arm):
        own = [one for one in found if one.key.role == role]
        parts = (*_taken_away(run, arm, role), *_right(role, own), *_used(run, arm, role, own))
        if parts:
            yield f"{role}: {' '.join(parts)}"


def _roles(run: MarkedRun, arm: str) -> list[str]:
    return list(dict.fromkeys(node.role for game in run.of(arm) for node in game.nodes))


def _taken_away(run: MarkedRun, arm: str, role: str) -> Iterator[str]:
    """Return what became of the score in the arms that lack this role of the baseline, alone or with others."""
    before = _roles(run, arm)
    differing = {one.arm: one for one in conclusions.widest(run.data.analysis.differences)}
    for other in run.data.arms:
        gone = [one for one in before if one not in _roles(run, other)]
        if other != arm and role in gone and other in differing:
            beside = [one for one in gone if one != role]
            together = f" and {' and '.join(beside)}" if beside else ""
            yield f"Without it{together} (arm {other}) {_changed(differing[other])}"


def _changed(one: Difference) -> str:
    scored = one.metric in OTHER
    what, unit = ("the score", f" {one.measured_in}") if scored else (one.measured_in, "")
    way = "did not move" if not one.mean else f"{'rose' if one.mean > 0 else 'fell'} by {abs(one.mean):.2f}{unit}"
    if one.p is None:
        return f"{what} {way}, which nothing can be concluded from."
    corrected = "corrected p" if one.stop else "Holm p"
    said = f"{conclusions.corrected_interval(one)}, {corrected} {_p(one)}, {many(one.n, one.unit[:-1])}"
    if one.claimed:
        return f"{what} {way} ({said}): a difference is shown."
    inside = "" if one.low_holm is None else " inside the interval"
    return f"{what} {way} ({said}): no difference is shown, and none{inside} is excluded."


def _p(one: Difference) -> str:
    p = P_VALUE.text(one.p_holm)
    return p if p.startswith("<") else f"= {p}"


def _right(role: str, own: Sequence[MarkSummary]) -> Iterator[str]:
    """Return how right its answers were, beside its program's and a uniform guess's."""
    marked = [one for one in own if one.key.name not in USE and one.key.info and one.key.info.best is not None]
    if not marked:
        yield "Whether its answers were right cannot be marked: it states nothing that has a true value."
        return
    if all(one.models == (PROGRAM,) for one in marked):
        yield "Its program answered, so its answers are exact by what the seat may know."
    first = next((one for one in marked if PROGRAM in one.baselines), marked[0])
    yield f"Its answers: {_mark(first)}."
    yield from _counted(marked)


def _mark(one: MarkSummary) -> str:
    """Return `safety_brier 0.10 on average (best 0; its program 0.09, a uniform guess 0.25)`."""
    beside = [f"best {one.key.info.best:.2g}"] if one.key.info and one.key.info.best is not None else []
    beside += [
        f"{title} {NUMBER.text(one.baselines[name].mean)}" for name, title in OTHERS.items() if name in one.baselines
    ]
    return f"{one.key.title} {NUMBER.text(one.mean)} on average ({', '.join(beside)})"


def _counted(marked: Sequence[MarkSummary]) -> Iterator[str]:
    """Return on how many marks it is better or worse than its program and a uniform guess."""
    beside = {name: [one for one in marked if name in one.baselines and not _own(one, name)] for name in OTHERS}
    said = [
        f"of {many(len(own), 'mark')} beside {OTHERS[name]} {_sides(own, name)}" for name, own in beside.items() if own
    ]
    if said:
        every = [one for own in beside.values() for one in own]
        basis = f"95 % intervals over {_deals(every)}, not corrected for their number"
        counted = "; ".join(said)
        yield f"{counted[0].upper()}{counted[1:]} ({basis})."


def _sides(theirs: Sequence[MarkSummary], name: str) -> str:
    better, worse = ([one for one in theirs if _ahead(one, name) == sign] for sign in (1, -1))
    same = len(theirs) - len(better) - len(worse)
    said = [f"better on {len(better)}"] * bool(better) + [_worse(worse)] * bool(worse)
    return ", ".join([*said, *[f"no significant difference on {same}"] * bool(same)])


def _deals(found: Sequence[MarkSummary]) -> str:
    least, most = min(one.units for one in found), max(one.units for one in found)
    return f"{least} to {many(most, 'deal')}" if least < most else many(most, "deal")


def _worse(found: Sequence[MarkSummary]) -> str:
    names = ", ".join(one.key.title for one in found[:NAMED])
    return f"worse on {len(found)} ({names}{', ...' if len(found) > NAMED else ''})" if found else ""


def _ahead(one: MarkSummary, name: str) -> int:
    """Return 1 where the role is better than a baseline by the interval of their difference, -1 where it is worse,
    else 0."""
    beside = one.baselines[name]
    if beside.low is None or beside.high is None or beside.low <= 0 <= beside.high:
        return 0
    higher = one.key.info is None or one.key.info.higher
    return 1 if (beside.ahead > 0) is higher else -1


OTHERS: Mapping[str, str] = {PROGRAM: "its program", "uniform": "a uniform guess"}


def _own(one: MarkSummary, name: str) -> bool:
    """Tell whether the baseline is who replied."""
    return name == PROGRAM and one.models == (PROGRAM,)


def _used(run: MarkedRun, arm: str, role: str, own: Sequence[MarkSummary]) -> Iterator[str]:
    """Tell whether its answers decided anything."""
    marks = {one.key.name: one for one in own}
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


def _bounds(one: MarkSummary) -> str:
    return "" if one.low is None else f" ({SIGNED_INTERVAL.text((one.low, one.high))})"


def _share(one: MarkSummary) -> str:
    bounds = "" if one.low is None or one.high is None else f" ({100 * one.low:.0f}–{100 * one.high:.0f}%)"
    return f"{percent(one.mean)}{bounds}"


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
        asked = unusable + sum(node.replies for node in nodes)
        yield f"{role}: {unusable:,} of {many(asked, 'question')} got no usable answer, and so no marks."
