"""The section "Roles" of a report: how right each role was, who was followed, what was refused, faults of moves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.analysis.role_marks import BASELINES, MarkSummary, baselines_of
from experiments.report import marks_table
from experiments.report.marked_run import MarkedRun, Unmarked
from experiments.report.missing_marks import missing
from experiments.report.role_sentences import sentences
from experiments.report.tables import Grid, interval, number, probability
from experiments.values.move_values import TITLES
from orchestrator.models.settings import PROGRAM
from roles.words import percent

FOLLOWING = ("followed", "overruled_right", "followed_wrong")
"""Marks that say whether advice was taken."""
JUDGING = ("refused", "right_verdict", "refused_safe", "accepted_unsafe", "refusal_gain", "refusal_rollout_gain")
"""Marks of those who judge a choice."""
Cells = Callable[[Mapping[str, MarkSummary]], tuple[str, ...]]
MOST = 40
"""Rows that a table of marks shows unfolded."""


@dataclass(frozen=True)
class RolesSection:
    """What a report says of roles."""

    why: str | None
    """Why there are no marks; then all else is empty."""
    sentences: tuple[str, ...] = ()
    marks: Grid | None = None
    differences: Grid | None = None
    following: Grid | None = None
    judging: Grid | None = None
    quality: Grid | None = None
    missing: tuple[str, ...] = ()
    run: MarkedRun | None = None

    def data(self) -> dict[str, Any]:
        """As plain data: the sentences, and all numbers of the tables."""
        if self.run is None:
            return {"marked": False, "why": self.why}
        return {"marked": True, "sentences": list(self.sentences), **marks_table.data(self.run)}


def section(found: MarkedRun | Unmarked) -> RolesSection:
    """The section, or why there is none."""
    if isinstance(found, Unmarked):
        return RolesSection(found.why)
    if not any(game.nodes for game in found.games):
        return RolesSection("No seat is a graph, so there are no roles.")
    return RolesSection(
        None,
        tuple(sentences(found)),
        _marks(found),
        _differences(found),
        _following(found),
        _judging(found),
        _quality(found),
        tuple(_missing(found)),
        found,
    )


def _missing(found: MarkedRun) -> Iterator[str]:
    """Of all arms together, each sentence once."""
    yield from missing(found.games)


def _who(one: MarkSummary) -> str:
    return f"{one.key.role} (program)" if one.models == (PROGRAM,) else one.key.role


def _folded(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], first: Callable[[int], bool]) -> Grid:
    """A grid that folds away the rows that are not among the first, if there are many."""
    many = len(rows) > MOST
    shown = [row for place, row in enumerate(rows) if not many or first(place)]
    rest = [row for place, row in enumerate(rows) if many and not first(place)]
    return Grid(columns, tuple(shown), 3, tuple(rest))


def _marks(found: MarkedRun) -> Grid | None:
    listed = [one for one in found.summaries if one.key.name not in (*FOLLOWING, *JUDGING)]
    if not listed:
        return None
    beside = baselines_of(listed)
    rows = [(found.labels[one.arm], _who(one), *marks_table.cells(one, beside)) for one in listed]
    of_baseline = found.data.analysis.baseline or found.data.arms[0]
    return _folded(("arm", *marks_table.columns(listed)), rows, lambda place: listed[place].arm == of_baseline)


def _differences(found: MarkedRun) -> Grid | None:
    listed = [one for one in found.differences if one.key.name not in JUDGING]
    if not listed:
        return None
    rows = [
        (
            found.labels[one.found.arm],
            one.key.role,
            one.key.title,
            number(one.found.mean, 2, "+"),
            interval(one.found.low, one.found.high, "+"),
            probability(one.found.p),
            probability(one.found.p_holm),
            f"{one.found.wins}/{one.found.ties}/{one.found.losses}",
            str(one.found.n),
        )
        for one in listed
    ]
    columns = ("arm", "role", "mark", "difference", "95 %", "p", "p, Holm", "W/T/L", listed[0].found.unit)
    return _folded(columns, rows, lambda place: listed[place].found.claimed)


def _following(found: MarkedRun) -> Grid | None:
    def cells(marks: Mapping[str, MarkSummary]) -> tuple[str, ...]:
        followed = marks["followed"]
        program, uniform = (_share_of(followed, name) for name in BASELINES[:2])
        turns = f"{followed.turns:,}"
        return (turns, _share(followed), program, uniform, *(_share(marks.get(name)) for name in FOLLOWING[1:]))

    columns = ("turns", "followed", "program", "uniform", "overruled though right", "followed though wrong")
    return _by_role(found, "followed", columns, cells)


def _judging(found: MarkedRun) -> Grid | None:
    def cells(marks: Mapping[str, MarkSummary]) -> tuple[str, ...]:
        gain = marks.get("refusal_gain")
        worth = ("0", "–", "–") if gain is None else (str(gain.replies), number(gain.mean, 2, "+"), _bounds(gain, "+"))
        shares = (_share(marks.get(name)) for name in JUDGING[:4])
        return (f"{marks['refused'].replies:,}", *shares, *worth)

    columns = ("choices", "refused", "right verdicts", "safe ones refused", "unsafe ones accepted")
    return _by_role(found, "refused", (*columns, "refusals", "points gained by each", "95 %"), cells)


def _by_role(found: MarkedRun, needed: str, columns: tuple[str, ...], cells: Cells) -> Grid | None:
    """A row for every arm and role that has a mark."""
    by_role: dict[tuple[str, str], dict[str, MarkSummary]] = {}
    for one in found.summaries:
        by_role.setdefault((one.arm, one.key.role), {})[one.key.name] = one
    rows = [
        (found.labels[arm], _who(marks[needed]), *cells(marks))
        for (arm, _), marks in by_role.items()
        if needed in marks
    ]
    return Grid(("arm", "role", *columns), tuple(rows), 2) if rows else None


def _share(one: MarkSummary | None) -> str:
    """`94% (89–99)`."""
    if one is None:
        return "–"
    bounds = "" if one.low is None or one.high is None else f" ({100 * one.low:.0f}–{100 * one.high:.0f})"
    return f"{percent(one.mean)}{bounds}"


def _share_of(one: MarkSummary, baseline: str) -> str:
    return percent(one.baselines[baseline].mean) if baseline in one.baselines else "–"


def _bounds(one: MarkSummary, sign: str = "") -> str:
    return interval(one.low, one.high, sign)


def _quality(found: MarkedRun) -> Grid:
    kinds = found.games[0].quality
    rows = [(found.labels[arm], str(len(found.of(arm))), *_faults(found, arm)) for arm in found.data.arms]
    return Grid(("arm", "games", *(TITLES[kind] for kind in kinds)), tuple(rows))


def _faults(found: MarkedRun, arm: str) -> Iterator[str]:
    games = found.of(arm)
    for kind in games[0].quality:
        yield number(sum(game.quality[kind] for game in games) / len(games))
