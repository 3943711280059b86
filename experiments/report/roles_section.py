"""The section "Roles" of a report: how right each role was, who was followed, what was refused, faults of moves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from experiments.analysis.role_marks import BASELINES, MarkSummary
from experiments.document.blocks import Block, Cell, Column, Heading, Table, Text, notes, table
from experiments.document.formats import (
    COUNT,
    INT,
    P_VALUE,
    PERCENT,
    PERCENT_ESTIMATE,
    SIGNED,
    SIGNED_INTERVAL,
    TALLY,
    bounds,
)
from experiments.report import arm_graphs, marks_table
from experiments.report.marked_run import MarkedRun, Unmarked
from experiments.report.marks_table import answerer
from experiments.report.role_sentences import missing, sentences
from experiments.values.move_values import TITLES
from orchestrator.models.settings import PROGRAM

FOLLOWING = ("followed", "overruled_right", "followed_wrong")
"""Marks that say whether advice was taken."""
JUDGING = ("refused", "right_verdict", "refused_safe", "accepted_unsafe", "refusal_gain", "refusal_rollout_gain")
"""Marks of those who judge a choice."""
MOST = 40
"""Rows that a table of marks shows unfolded."""

MARKS_CAPTION = (
    "What each role stated, scored against the hidden cards and against what moves were worth to a seat that knows "
    "what it may know. *Mean* and *95 %* are over deals, of each game's mean over its replies. *program*, *uniform*, "
    "*previous*: what the role's exact program, a uniform guess, and the frequencies of the turns before would have "
    "had on the same replies; other columns are baselines that a role names itself. *best*: the value of a perfect "
    "answer; a dash where neither direction is better. Programs know no hidden cards either, so not even they reach "
    "every best value. `orchestrator roles show ROLE` says what each mark measures."
)
DIFFERENCES_CAPTION = (
    "The mean of each mark in the arm less that in the baseline on the same deals. Arms come to other positions, so a "
    "mark may differ because positions do. *95 %*: all means that the test does not reject; *p, Holm*: corrected for "
    "all marks of all arms, those of verifiers included; none for arms that are no hypothesis."
)
FOLLOWING_CAPTION = (
    "In the turns in which a role put a move first that was of the kind played: how often that was the move, and how "
    "often its program's and a random proposal would have been. *Overruled though right*: another move was played "
    "although its own was worth at least half a point more at once; *followed though wrong*: its move was played "
    "although another was worth so much more."
)
JUDGING_CAPTION = (
    "*Right verdicts* accept a choice that the safety rule accepts by all that the seat may know, or refuse another. "
    "*Points gained by each*: what the move played instead was worth more at once than the refused choice, by the "
    "exact belief of the seat."
)
FAULTS_CAPTION = (
    "Each move has at most one fault, found by rules without any judge or rollout. Whether a move with a fault was "
    "also worth less than another one, `show GAME --mistakes` says."
)


def blocks(roles: MarkedRun | Unmarked) -> Iterator[Block]:
    """Return the section of a report, or why there are no marks."""
    yield Heading("Roles", key="roles")
    if why := reason(roles):
        yield Text(why)
        return
    assert isinstance(roles, MarkedRun)
    baseline = roles.data.analysis.baseline
    yield Text(f"For each role: were its notes right, were they used.{_removals(roles)}")
    yield from notes(sentences(roles))
    yield replace(_marks(roles), title="Were the notes right", caption=MARKS_CAPTION)
    yield replace(_differences(roles), title=f"Marks against *{baseline}*, paired by deal", caption=DIFFERENCES_CAPTION)
    yield replace(following(roles), title="Who was followed when it mattered", caption=FOLLOWING_CAPTION)
    yield replace(judging(roles), title="What verifiers refused", caption=JUDGING_CAPTION)
    faults = marks_table.faults(roles, TITLES).select(["arm", "games", *roles.games[0].quality])
    yield replace(faults, key="roles-quality", title="Moves with a known fault, per game", caption=FAULTS_CAPTION)
    if unmarked := list(missing(roles.games)):
        yield Text("Not marked:")
        yield from notes(unmarked, "aside")


def _removals(roles: MarkedRun) -> str:
    """Say where the effect of a removal stands, and which nodes are removed together only."""
    arms = arm_graphs.removed(roles.data.run)
    together = (f" {arm} removes {' and '.join(nodes)} together." for arm, nodes in arms.items() if len(nodes) > 1)
    return f"{' The verdict says what a removal changes.' * bool(arms)}{''.join(together)}"


def data(roles: MarkedRun | Unmarked | None) -> dict[str, Any]:
    """Return the sentences and all numbers of the tables as plain data; `roles`: None without a report."""
    why = reason(roles) if roles else None
    if not isinstance(roles, MarkedRun) or why:
        return {"marked": False, "why": why}
    return {"marked": True, "sentences": list(sentences(roles)), **marks_table.data(roles)}


def reason(roles: MarkedRun | Unmarked) -> str | None:
    """Return why there are no marks to show; None where there are."""
    if isinstance(roles, Unmarked):
        return roles.why
    return None if any(game.nodes for game in roles.games) else "No seat is a graph, so there are no roles."


def _folding(part: Table, first: Sequence[bool]) -> Table:
    """Return the table with the rows that are not among the first folded away, if there are many."""
    if len(part.rows) <= MOST:
        return part
    unfolded = [row for row, is_first in zip(part.rows, first, strict=True) if is_first]
    folded = [row for row, is_first in zip(part.rows, first, strict=True) if not is_first]
    return replace(part, rows=(*unfolded, *folded), folded=len(folded))


def _marks(run: MarkedRun) -> Table:
    marks = [mark for mark in run.summaries if mark.key.name not in (*FOLLOWING, *JUDGING)]
    baseline = run.data.analysis.baseline or run.data.arms[0]
    part = marks_table.marks_table("roles-marks", marks, run.labels)
    return _folding(part, [mark.arm == baseline for mark in marks])


def _differences(run: MarkedRun) -> Table:
    marks = [mark for mark in run.differences if mark.key.name not in JUDGING]
    columns = (
        *(Column("arm", "arm", constant=True), Column("role", "role", constant=True)),
        *(Column("mark", "mark", constant=True), Column("mean", "difference", SIGNED)),
        *(Column("bounds", "95 %", SIGNED_INTERVAL), Column("p", "p", P_VALUE), Column("p_holm", "p, Holm", P_VALUE)),
        *(Column("tally", "W/T/L", TALLY), Column("n", marks[0].found.unit if marks else "n", INT)),
    )
    rows = []
    for mark in marks:
        effect = mark.found
        mean = effect.mean, bounds(effect.low, effect.high), effect.p, effect.p_holm
        counts = (effect.wins, effect.ties, effect.losses), effect.n
        rows.append((run.labels[effect.arm], mark.key.role, mark.key.title, *mean, *counts))
    return _folding(table("roles-differences", columns, rows), [mark.found.claimed for mark in marks])


def following(run: MarkedRun) -> Table:
    """Return how often each role's advice was taken, and whether rightly."""
    columns = (
        *(Column("turns", "turns", COUNT), Column("followed", "followed", PERCENT_ESTIMATE)),
        *(Column("program", "program", PERCENT), Column("uniform", "uniform", PERCENT)),
        Column("overruled_right", "overruled though right", PERCENT_ESTIMATE),
        Column("followed_wrong", "followed though wrong", PERCENT_ESTIMATE),
    )

    def cells(marks: Mapping[str, MarkSummary]) -> Sequence[Cell]:
        followed = marks["followed"]
        means = (followed.baselines[name].mean if name in followed.baselines else None for name in BASELINES[:2])
        return (followed.turns, _estimate(followed), *means, *(_estimate(marks.get(name)) for name in FOLLOWING[1:]))

    return _by_role(run, "roles-following", "followed", columns, cells)


def judging(run: MarkedRun) -> Table:
    """Return what each verifier refused, whether rightly, and what it gained."""
    columns = (
        *(Column("choices", "choices", COUNT), Column("refused", "refused", PERCENT_ESTIMATE)),
        Column("right_verdict", "right verdicts", PERCENT_ESTIMATE),
        Column("refused_safe", "safe ones refused", PERCENT_ESTIMATE),
        Column("accepted_unsafe", "unsafe ones accepted", PERCENT_ESTIMATE),
        *(Column("refusals", "refusals", INT), Column("gain", "points gained by each", SIGNED)),
        Column("gain_bounds", "95 %", SIGNED_INTERVAL),
    )

    def cells(marks: Mapping[str, MarkSummary]) -> Sequence[Cell]:
        gain = marks.get("refusal_gain")
        gains = (gain.replies, gain.mean, bounds(gain.low, gain.high)) if gain else (0, None, None)
        return (marks["refused"].replies, *(_estimate(marks.get(name)) for name in JUDGING[:4]), *gains)

    return _by_role(run, "roles-judging", "refused", columns, cells)


def _by_role(
    run: MarkedRun,
    key: str,
    needed: str,
    columns: Sequence[Column],
    cells: Callable[[Mapping[str, MarkSummary]], Sequence[Cell]],
) -> Table:
    """Return a row for every arm and role that has a mark."""
    by_role: dict[tuple[str, str], dict[str, MarkSummary]] = {}
    for mark in run.summaries:
        by_role.setdefault((mark.arm, mark.key.role), {})[mark.key.name] = mark
    rows = [
        (run.labels[arm], answerer(marks[needed]), *cells(marks))
        for (arm, _), marks in by_role.items()
        if needed in marks
    ]
    heads = (Column("arm", "arm", constant=True), Column("role", "role", constant=True))
    return table(key, (*heads, *columns), rows)


def _estimate(mark: MarkSummary | None) -> Cell:
    """Return a share with its interval; none of what an exact program has by definition."""
    if mark is None:
        return None
    exact = mark.models == (PROGRAM,) and mark.key.info is not None and mark.mean == mark.key.info.best
    return (mark.mean, *((None if exact else bounds(mark.low, mark.high)) or (None, None)))
