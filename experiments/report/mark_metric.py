"""A role's mark as a metric: its mean over the replies of a game, read from the game's journal or
its kept marks."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from hanabi_orchestrator import roles
from hanabi_orchestrator.experiments.record import measures
from hanabi_orchestrator.experiments.record.measures import MARK, Measure
from hanabi_orchestrator.experiments.record.rows import Better, Row
from hanabi_orchestrator.experiments.values import mark_infos
from hanabi_orchestrator.experiments.values.mark_tally import infos_of
from hanabi_orchestrator.experiments.values.marking import marked
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.roles import registry
from hanabi_orchestrator.roles.marks import Marker


def check(name: str) -> None:
    """Raise UserError for what is no metric, or a mark that no registered role can have, before
    anything is played."""
    if not measures.check(name).startswith(MARK):
        return
    role, _, mark = name.removeprefix(MARK).partition(".")
    if not registry.is_known(role):
        own = "a role of your own needs --import FILE"
        raise UserError(
            f"the metric {name!r} names no role; {own}; {did_you_mean(role, roles.names())}"
        )
    marker = roles.get(role).mark
    infos = mark_infos(role)
    # of a plain function it is not known
    if mark not in infos and (marker is None or isinstance(marker, Marker)):
        marked = [role_name for role_name in roles.names() if mark_infos(role_name)]
        none = f"it has none; roles with marks: {', '.join(marked)}"
        raise UserError(
            f"the role {role!r} has no mark {mark!r}; "
            f"{did_you_mean(mark, infos, 'it has') if infos else none}"
        )


def of_mark(name: str, folders: Sequence[Path], games: Sequence[Sequence[Row]]) -> Measure:
    """Return the measure `mark:ROLE.NAME` of the games of these run folders.

    A mark that is about another role, such as `agrees`, is averaged over all of them. Raises
    UserError for a mark that no game has, and where the journals are not there.
    """
    check(name)
    role, _, mark = name.removeprefix(MARK).partition(".")
    placed = []
    for folder, rows in zip(folders, games, strict=True):
        for row in rows:
            placed.append((row, folder / row.journal))
    if missing := [path for _, path in placed if not path.exists()]:
        raise UserError(f"{str(missing[0])!r} is not there; marks are computed from the journals")
    means: dict[Row, float] = {}
    seen = dict[str, None]()
    for (row, _), marks in zip(placed, marked([path for _, path in placed]), strict=True):
        seen |= dict.fromkeys(
            f"{MARK}{role_mark.role}.{role_mark.name}" for role_mark in marks.marks
        )
        if values := [each.value for each in marks.marks if (each.role, each.name) == (role, mark)]:
            means[row] = fmean(values)
    if not means:
        raise UserError(
            f"no game has the mark {name!r}; {did_you_mean(name, sorted(seen), 'these games have')}"
        )
    if (info := infos_of(role).get(mark)) is None:
        says = "the mean of a mark over the replies of a game"
        return Measure(key=name, of=means.get, unit=name, says=says, least=None)
    least, most = info.range or (None, None)
    better: Better = "more" if info.higher else "fewer"
    return Measure(
        key=name,
        of=means.get,
        unit=f"{info.name.replace('_', ' ')} ({info.unit})",
        says=f"{info.says.rstrip('.')}: the mean over the replies of a game",
        better=None if info.best is None else better,
        least=least,
        most=most,
    )
