"""The section "Roles" of a report: how right each role was, who was followed, what was refused,
faults of moves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from hanabi_orchestrator.experiments.analysis.role_marks import MarkSummary
from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Cell,
    Column,
    Heading,
    Table,
    Text,
    listing,
    notes,
)
from hanabi_orchestrator.experiments.document.formats import (
    COUNT,
    INT,
    PERCENT,
    PERCENT_ESTIMATE,
    SIGNED,
    SIGNED_INTERVAL,
    TALLY,
)
from hanabi_orchestrator.experiments.report import arm_graphs, marks_table
from hanabi_orchestrator.experiments.report.marked_run import MarkedRun, Unmarked
from hanabi_orchestrator.experiments.report.marks_table import answerer
from hanabi_orchestrator.experiments.report.role_sentences import missing, sentences
from hanabi_orchestrator.experiments.report.score_tables import P_VALUE
from hanabi_orchestrator.experiments.values.game_marks import BASELINES
from hanabi_orchestrator.experiments.values.move_values import TITLES
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM

FOLLOWING = ("followed", "overruled_right", "followed_wrong")
"""Marks that say whether advice was taken."""
JUDGING = (
    "refused",
    "right_verdict",
    "refused_safe",
    "accepted_unsafe",
    "refusal_gain",
    "refusal_rollout_gain",
)
"""Marks of those who judge a choice."""
MOST = 40
"""Rows that a table of marks shows unfolded."""

MARKS_CAPTION = (
    "What each role stated, scored against the hidden cards and against what moves were worth to "
    "a seat that knows what it may know. *Mean* and *95 %* are over deals, of each game's mean "
    "over its replies. *program*, *uniform*, *previous*: what the role's exact program, a "
    "uniform guess, and the frequencies of the turns before would have had on the same replies; "
    "other columns are baselines that a role names itself. *best*: the value of a perfect "
    "answer; a dash where neither direction is better. Programs know no hidden cards either, so "
    "not even they reach every best value. `orchestrator roles show ROLE` says what each mark "
    "measures."
)
DIFFERENCES_CAPTION = (
    "The mean of each mark in the arm less that in the baseline on the same deals. Arms come to "
    "other positions, so a mark may differ because positions do. *95 %*: all means that the test "
    "does not reject; *p, Holm*: corrected for all marks of all arms, those of verifiers "
    "included; none for arms that are no hypothesis."
)
FOLLOWING_CAPTION = (
    "In the turns in which a role put a move first that was of the kind played: how often that "
    "was the move, and how often its program's and a random proposal would have been. "
    "*Overruled, worth more*: another move was played although its own was worth at least half a "
    "point more at once; *followed, worth less*: its move was played although another was worth "
    "so much more."
)
JUDGING_CAPTION = (
    "*Right verdicts* accept a choice that the safety rule accepts by all that the seat may "
    "know, or refuse another. *Points gained by each*: what the move played instead was worth "
    "more at once than the refused choice, by the exact belief of the seat."
)
FAULTS_CAPTION = (
    "Each move has at most one fault, found by rules without any judge or rollout. Whether a "
    "move with a fault was also worth less than another one, `show GAME --mistakes` says."
)


def blocks(roles: MarkedRun | Unmarked) -> Iterator[Block]:
    """Return the section of a report, or why there are no marks."""
    yield Heading("Roles", key="roles")
    if why := reason(roles):
        yield Text(why)
        return
    assert isinstance(roles, MarkedRun)
    removed = arm_graphs.removed(roles.data.run)
    together = (
        f" {arm} removes {' and '.join(nodes)} together."
        for arm, nodes in removed.items()
        if len(nodes) > 1
    )
    if removed:
        effects = " The verdict says what a removal changes."
    else:
        effects = ""
    yield Text(f"For each role: were its notes right, were they used.{effects}{''.join(together)}")
    yield from notes(sentences(roles))
    yield right(roles)
    yield differences(roles)
    yield following(roles)
    yield judging(roles)
    faults = marks_table.faults(roles, TITLES).select(["arm", "games", *roles.games[0].quality])
    yield replace(
        faults,
        key="roles-quality",
        title="Moves with a known fault, per game",
        caption=FAULTS_CAPTION,
    )
    if unmarked := list(missing(roles.games)):
        yield Text("Not marked:")
        yield from notes(unmarked, "aside")


def data(roles: MarkedRun | Unmarked | None) -> dict[str, Any]:
    """Return the sentences and all numbers of the tables as plain data; `roles`: None without a
    report."""
    why = reason(roles) if roles else None
    if not isinstance(roles, MarkedRun) or why:
        return {"marked": False, "why": why}
    return {"marked": True, "sentences": list(sentences(roles)), **marks_table.data(roles)}


def reason(roles: MarkedRun | Unmarked) -> str | None:
    """Return why there are no marks to show; None where there are."""
    if isinstance(roles, Unmarked):
        return roles.why
    if any(game.nodes for game in roles.games):
        return None
    return "No seat is a graph, so there are no roles."


def right(run: MarkedRun) -> Table:
    """Return how right the notes were; of many marks those of other arms than the baseline are
    folded away."""
    marks = [mark for mark in run.summaries if mark.key.name not in (*FOLLOWING, *JUDGING)]
    first = run.data.analysis.baseline or run.data.arms[0]
    options = {"title": "Were the notes right", "caption": MARKS_CAPTION}
    return marks_table.marks_table(
        "roles-marks",
        marks,
        run.data.labels,
        folds=lambda mark: len(marks) > MOST and mark.arm != first,
        **options,
    )


def differences(run: MarkedRun) -> Table:
    """Return the marks against the baseline's; of many differences those that are not claimed are
    folded away."""
    marks = [mark for mark in run.differences if mark.key.name not in JUDGING]
    columns = (
        Column("arm", "arm", constant=True, of=lambda mark: run.data.labels[mark.found.arm]),
        Column("key.role", "role", constant=True),
        Column("key.title", "mark", constant=True),
        Column("found.mean", "difference", SIGNED),
        Column("found.bounds", "95 %", SIGNED_INTERVAL),
        Column("found.p", "p", P_VALUE),
        Column("found.p_holm", "p, Holm", P_VALUE),
        Column("found.tally", "W/T/L", TALLY),
        Column("found.n", marks[0].found.unit if marks else "n", INT),
    )
    title = f"Marks against *{run.data.analysis.baseline}*, paired by deal"

    def folds(mark: Any) -> bool:
        return len(marks) > MOST and not mark.found.claimed

    return listing(
        "roles-differences", columns, marks, folds, title=title, caption=DIFFERENCES_CAPTION
    )


def following(run: MarkedRun) -> Table:
    """Return how often each role's advice was taken, and whether rightly."""
    columns = (
        Column("turns", "turns", COUNT, of=lambda marks: marks["followed"].turns),
        _share("followed", "followed"),
        *(
            marks_table.baseline(name, name, PERCENT, itemgetter("followed"))
            for name in BASELINES[:2]
        ),
        _share("overruled_right", "overruled, worth more"),
        _share("followed_wrong", "followed, worth less"),
    )
    title = "Who was followed when it mattered"
    return _by_role(run, "followed", columns, "roles-following", title, FOLLOWING_CAPTION)


def judging(run: MarkedRun) -> Table:
    """Return what each verifier refused, whether rightly, and what it gained."""

    def gain(name: str) -> Callable[[Mapping[str, MarkSummary]], Cell]:
        return lambda marks: getattr(marks.get("refusal_gain"), name, None)

    columns = (
        Column("choices", "choices", COUNT, of=lambda marks: marks["refused"].replies),
        _share("refused", "refused"),
        _share("right_verdict", "right verdicts"),
        _share("refused_safe", "safe ones refused"),
        _share("accepted_unsafe", "unsafe ones accepted"),
        Column("refusals", "refusals", INT, of=lambda marks: gain("replies")(marks) or 0),
        Column("gain", "points gained by each", SIGNED, of=gain("mean")),
        Column("gain_bounds", "95 %", SIGNED_INTERVAL, of=gain("bounds")),
    )
    return _by_role(
        run, "refused", columns, "roles-judging", "What verifiers refused", JUDGING_CAPTION
    )


def _by_role(
    run: MarkedRun, needed: str, columns: Sequence[Column], key: str, title: str, caption: str
) -> Table:
    """Return a table of every arm and role that has a mark; its columns read the marks by name."""
    by_role: dict[tuple[str, str], dict[str, MarkSummary]] = {}
    for mark in run.summaries:
        by_role.setdefault((mark.arm, mark.key.role), {})[mark.key.name] = mark
    heads = (
        Column("arm", "arm", constant=True, of=lambda marks: run.data.labels[marks[needed].arm]),
        Column("role", "role", constant=True, of=lambda marks: answerer(marks[needed])),
    )
    rows = [marks for marks in by_role.values() if needed in marks]
    return listing(key, (*heads, *columns), rows, title=title, caption=caption)


def _share(name: str, title: str) -> Column:
    """Return the column of a share with its interval; without that of what an exact program has by
    definition."""

    def cell(marks: Mapping[str, MarkSummary]) -> Cell:
        if (mark := marks.get(name)) is None:
            return None
        exact = (
            mark.models == (PROGRAM,)
            and mark.key.info is not None
            and mark.mean == mark.key.info.best
        )
        return (mark.mean, *((None if exact else mark.bounds) or (None, None)))

    return Column(name, title, PERCENT_ESTIMATE, of=cell)
