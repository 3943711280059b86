"""In words: were the notes of each role right, were they used; and which faults arms make more or
less often."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter

from hanabi_orchestrator.experiments.analysis import conclusions
from hanabi_orchestrator.experiments.analysis import sentence_templates as say
from hanabi_orchestrator.experiments.analysis.compare import corrected, significant
from hanabi_orchestrator.experiments.analysis.role_marks import MarkedGame, MarkSummary
from hanabi_orchestrator.experiments.analysis.statistics.clusters import groups
from hanabi_orchestrator.experiments.analysis.statistics.permutation import fewest_pairs
from hanabi_orchestrator.experiments.document.formats import NUMBER, SIGNED, SIGNED_INTERVAL
from hanabi_orchestrator.experiments.report.marked_run import MarkedRun
from hanabi_orchestrator.experiments.values.mark_tally import Key, infos_of
from hanabi_orchestrator.experiments.values.move_values import TITLES
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.roles import registry
from hanabi_orchestrator.roles.words import many, percent

USE = (
    "followed",
    "overruled_right",
    "followed_wrong",
    "agrees",
    "refused",
    "refusal_gain",
    "refusal_rollout_gain",
)
"""Marks that say how answers were used, not whether they were right."""
OTHERS: Mapping[str, str] = {PROGRAM: "its program", "uniform": "a uniform guess"}
NAMED = 3
"""Marks, or arms, that a sentence names."""


def sentences(run: MarkedRun) -> Iterator[str]:
    """Return a few sentences for each role of the baseline, or of the first arm, then for those
    that other arms add."""
    standard = run.data.standard
    if {mark.models for mark in run.summaries if mark.arm == standard} == {(PROGRAM,)}:
        yield say.PROGRAMS_MARKED()
    by_role = _roles(run)
    sides = _sides([*chain.from_iterable(map(_markable, by_role.values()))])
    sides = {} if run.data.analysis.extension else sides
    units = max((mark.units for mark in run.summaries), default=0)
    fewest = fewest_pairs(len(sides) or 1)
    if 0 < units < fewest:
        yield say.MARKS_UNTESTED(
            deals=many(units, "deal"), comparisons=many(len(sides), "comparison")
        )
    for (arm, role), marks in by_role.items():
        parts = " ".join((*_right(marks, sides, fewest), *_used(marks)))
        if arm == standard:
            yield say.ROLE(role=role, parts=parts)
        else:
            yield say.ROLE_OF_ARM(role=role, arm=arm, parts=parts)


def _roles(run: MarkedRun) -> dict[tuple[str, str], list[MarkSummary]]:
    """Return the marks of each role of the baseline, then of those that only other arms have, by
    arm and role."""
    standard = run.data.standard
    roles = {}
    for arm in run.data.arms:
        nodes = chain.from_iterable(game.nodes for game in run.of(arm))
        roles[arm] = dict.fromkeys(node.role for node in nodes)
    by_role: dict[tuple[str, str], list[MarkSummary]] = {}
    for arm in dict.fromkeys((standard, *run.data.arms)):
        for role in roles[arm]:
            if arm == standard or role not in roles[standard]:
                by_role[arm, role] = [
                    mark for mark in run.summaries if mark.arm == arm and mark.key.role == role
                ]
    return by_role


Sides = Mapping[tuple[str, Key, str], float | None]
"""Of a mark of an arm beside a baseline: its p, corrected for all that the sentences compare."""


def _sides(marks: Sequence[MarkSummary]) -> Sides:
    places = []
    for mark in marks:
        for name in OTHERS:
            if _compares(mark, name):
                places.append((mark, name))
    ps = corrected([mark.baselines[name].p for mark, name in places])
    return {(mark.arm, mark.key, name): p for (mark, name), p in zip(places, ps, strict=True)}


def _compares(mark: MarkSummary, name: str) -> bool:
    """Return whether a mark is compared with a baseline; a program is not with itself."""
    return name in mark.baselines and not (name == PROGRAM and mark.models == (PROGRAM,))


def _markable(marks: Sequence[MarkSummary]) -> list[MarkSummary]:
    """Return the marks that say how right answers were. Of a plain function, which describes none,
    higher is better."""
    ms = list[MarkSummary]()
    for m in marks:
        if m.key.name not in USE and (m.key.info is None or m.key.info.best is not None):
            ms.append(m)
    return ms


def _right(marks: Sequence[MarkSummary], sides: Sides, fewest: int) -> Iterator[str]:
    """Say how right a role's answers were, beside its program's and a uniform guess's."""
    marked = _markable(marks)
    if not marked:
        yield say.UNMARKABLE()
        return
    if all(mark.models == (PROGRAM,) for mark in marked):
        yield say.EXACT()
    mark = next((mark for mark in marked if PROGRAM in mark.baselines), marked[0])
    standards = [f"best {mark.key.info.best:.2g}"] if mark.key.info else []
    means = {}
    for name, title in OTHERS.items():
        if name in mark.baselines:
            means[title] = mark.baselines[name].mean
    standards += [f"{title} {NUMBER.text(mean)}" for title, mean in means.items()]
    yield say.MARK(
        marks=f"{mark.key.title} {NUMBER.text(mark.mean)} on average ({', '.join(standards)})"
    )
    if sides and any(mark.units >= fewest for mark in marked):
        yield from _counted(marked, sides, fewest)


def _counted(marked: Sequence[MarkSummary], corrected_ps: Sides, fewest: int) -> Iterator[str]:
    """Say on how many marks a role is better or worse than its program and a uniform guess."""
    counts = []
    units = []
    for name, title in OTHERS.items():
        sides: dict[str, list[MarkSummary]] = {side: [] for side in SIDES}
        marks = [mark for mark in marked if _compares(mark, name)]
        for mark in marks:
            p = corrected_ps[mark.arm, mark.key, name]
            sides["not tested" if mark.units < fewest else _side(mark, name, p)].append(mark)
            units.append(mark.units)
        worse = [mark.key.title for mark in sides["worse"]]
        named = {"worse": f" ({', '.join(worse[:NAMED])}{', ...' if len(worse) > NAMED else ''})"}
        texts = []
        for side, several in sides.items():
            if several:
                texts.append(f"{side} on {len(several)}{named.get(side, '')}")
        if marks:
            counts.append(f"of {many(len(marks), 'mark')} beside {title} {', '.join(texts)}")
    if counts:
        deals = f"{min(units)} to " * (min(units) < max(units)) + many(max(units), "deal")
        number = sum(p is not None for p in corrected_ps.values())
        compared = "; ".join(counts).replace("of", "Of", 1)
        yield say.COUNTED(counts=compared, comparisons=many(number, "comparison"), deals=deals)


SIDES = ("better", "worse", "no significant difference", "equal", "not tested")


def _side(mark: MarkSummary, name: str, p: float | None) -> str:
    """Return on which side of a baseline a mark is, by the corrected p of their difference."""
    if p is None:
        return "equal"
    if not significant(p):
        return "no significant difference"
    higher = mark.key.info is None or mark.key.info.higher
    if (mark.baselines[name].ahead > 0) is higher:
        return "better"
    return "worse"


def _used(role_marks: Sequence[MarkSummary]) -> Iterator[str]:
    """Tell whether its answers decided anything."""
    marks = {mark.key.name: mark for mark in role_marks}
    if followed := marks.get("followed"):
        overruled, wrong = (
            percent(marks[name].mean) for name in ("overruled_right", "followed_wrong")
        )
        yield say.FOLLOWED(
            share=_share(followed),
            of_turns=many(followed.turns, "turn"),
            percent=overruled,
            wrong=wrong,
        )
    elif refused := marks.get("refused"):
        gain = marks.get("refusal_gain")
        if gain and gain.bounds:
            bounds = f" ({SIGNED_INTERVAL.text(gain.bounds)})"
        else:
            bounds = ""
        if gain:
            worth = say.GAIN(size=SIGNED.text(gain.mean), bounds=bounds)
        else:
            worth = ""
        choices = many(refused.replies, "choice")
        yield say.REFUSED(share=_share(refused), choices=choices, gain=worth)
    elif "chose_best" in marks:  # it chooses, and nobody follows
        yield say.DECIDES()
    else:
        yield say.UNREAD()


def _share(mark: MarkSummary) -> str:
    if mark.bounds:
        bounds = f" ({100 * mark.bounds[0]:.0f}–{100 * mark.bounds[1]:.0f}%)"
    else:
        bounds = ""
    return f"{percent(mark.mean)}{bounds}"


def faults(run: MarkedRun, arms: Iterable[str]) -> Iterator[str]:
    """Name the faults whose change beside the baseline is shown, the largest of a few, in these
    arms."""
    if run.data.analysis.extension:
        return
    changes = [(kind, each) for kind, each in run.faults if each.claimed and each.arm in arms]
    changes.sort(key=lambda change: -abs(change[1].mean))
    texts = []
    for kind, each in changes[:NAMED]:
        texts.append(
            say.FAULT(
                fault=TITLES[kind],
                size=conclusions.size(each.mean),
                sign="more" if each.mean > 0 else "less",
                arm=each.arm,
                estimate=conclusions.estimated(each),
            )
        )
    if changes:
        comparisons = many(max(each.tests for _, each in run.faults), "comparison")
        baseline = run.data.analysis.baseline
        yield say.FAULTS(than=baseline, faults="; ".join(texts), comparisons=comparisons)


def missing(games: Sequence[MarkedGame], only: str | None = None) -> Iterator[str]:
    """Return what could not be marked and why: roles that state nothing, fields that no format
    asked for, answers that were unusable. `only`: the role to which the games are narrowed."""
    nodes = groups(chain.from_iterable(game.nodes for game in games), attrgetter("role"))
    marked = set()
    for game in games:
        for key in game.tallies:
            marked.add(key.role)
    unknown = sorted(role for role in nodes if not registry.is_known(role))
    if silent := sorted(
        role for role in nodes if role not in (*unknown, *marked) and not infos_of(role)
    ):
        yield (
            f"{', '.join(silent)} {'states' if len(silent) == 1 else 'state'} nothing that "
            "can be marked."
        )
    if unknown:
        yield (
            f"The code of {', '.join(unknown)} is not loaded, so games with it have no marks: "
            "give `--import FILE`."
        )
        return
    for role, replies in nodes.items():
        if unasked := sorted(set(chain.from_iterable(node.unasked for node in replies))):
            yield (
                f"{role} is not asked for {' and '.join(unasked)} by its answer format, so "
                "these have no marks."
            )
        if role not in marked and infos_of(role):
            yield f"{role}: none of its replies stated what its marks are about."
        if unusable := sum(node.unusable for node in replies):
            questions = unusable + sum(node.replies for node in replies)
            yield (
                f"{role}: {unusable:,} of {many(questions, 'question')} got no usable answer, "
                "and so no marks."
            )
    if not nodes:
        yield (
            f"No node has the role {only} here."
            if only
            else "No seat is a graph, so there are no roles."
        )
