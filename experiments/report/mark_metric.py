"""A role's mark as a metric: its mean over the replies of a game, read from the game's journal."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import roles
from experiments.marks.role_marks import RoleMark, role_marks
from experiments.results import measures
from experiments.results.measures import MARK, Measure
from experiments.results.rows import Row
from experiments.results.story import Story
from experiments.statistics.role_marks import SHARES
from orchestrator import journal, spelling
from orchestrator.errors import UserError
from roles.marks import MarkInfo, infos


def check(name: str) -> None:
    """Raise UserError for what is no metric, or a mark that no registered role can have, before anything is played."""
    if not measures.check(name).startswith(MARK):
        return
    role, _, mark = name.removeprefix(MARK).partition(".")
    if role not in roles.names():
        raise UserError(f"the metric {name!r} names no role; {spelling.known(role, roles.names())}")
    marker = roles.get(role).mark
    known = infos(marker)
    if marker is None or (known and mark not in known):
        marked = [one for one in roles.names() if roles.get(one).mark]
        has = f"it has: {', '.join(known)}" if known else f"it has none; roles with marks: {', '.join(marked)}"
        raise UserError(f"the role {role!r} has no mark {mark!r}; {has}")


def of_mark(name: str, folders: Sequence[Path], games: Sequence[Sequence[Row]]) -> Measure:
    """The measure `mark:ROLE.NAME` of the games of these run folders.

    Raises UserError for a mark that no game has, and where the journals are not there.
    """
    check(name)
    role, _, mark = name.removeprefix(MARK).partition(".")
    means: dict[Row, float] = {}
    seen = dict[str, None]()
    for folder, rows in zip(folders, games, strict=True):
        for row in rows:
            found = _marks(folder / row.journal)
            seen |= dict.fromkeys(f"{MARK}{one.role}.{one.name}" for one in found)
            if values := [one.value for one in found if (one.role, one.name) == (role, mark)]:
                means[row] = fmean(values)
    if not means:
        raise UserError(f"no game has the mark {name!r}; {spelling.known(name, sorted(seen), 'these games have')}")
    return _measure(name, _info(role, mark), means)


def _marks(path: Path) -> Sequence[RoleMark]:
    if not path.exists():
        raise UserError(f"{str(path)!r} is not there; marks are computed from the journals")
    return role_marks(Story.read(journal.read(path)))


def _info(role: str, mark: str) -> MarkInfo | None:
    return infos(roles.get(role).mark).get(mark) if role in roles.names() else None


def _measure(name: str, info: MarkInfo | None, means: Mapping[Row, float]) -> Measure:
    if info is None:
        return Measure(name, means.get, name, "the mean of a mark over the replies of a game", least=None)
    share = info.unit in SHARES
    return Measure(
        name,
        means.get,
        f"{info.name.replace('_', ' ')} ({info.unit})",
        f"{info.says.rstrip('.')}: the mean over the replies of a game",
        "more" if info.higher else "fewer",
        least=0.0 if share else None,
        most=1.0 if share else None,
    )
