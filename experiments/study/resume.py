"""Which games of a plan have a journal already, and whether they are the games that the plan would play."""

from collections.abc import Mapping
from pathlib import Path

from experiments.record.game import Game
from experiments.record.rows import GAMES
from experiments.study.arms import Deal
from experiments.study.job import Job
from experiments.study.offline_layer import OfflineLayer
from experiments.study.plan import Plan
from experiments.study.seats import Seats
from orchestrator.errors import UserError
from orchestrator.journal.game_so_far import differences


def begun(plan: Plan, games: Mapping[Path, Game]) -> dict[Path, Game]:
    """Return those of a folder's journals that belong to the plan's arms, of its deals or of others.

    Raises UserError when one was played by other seats than its arm has now, with the difference.
    """
    seats, arms = Seats(plan.specs, OfflineLayer()), {plan.folder / GAMES / arm.name: arm for arm in plan.arms}
    ours = {path: peeked for path, peeked in games.items() if path.parent in arms}
    for path, peeked in ours.items():
        started, arm = peeked.started, arms[path.parent]
        if started is None or started.seed is None or started.players not in arm.players:
            continue
        job = plan.job(arm, Deal(started.seed, started.players, started.repeat))
        if changed := differences(started, seats.start(job)):
            raise UserError(
                f"{path.relative_to(plan.folder).as_posix()} in {str(plan.folder)!r} is another game: "
                f"{'; '.join(changed)}. Give a changed experiment another --out, or its arm another name"
            )
    return ours


def open_jobs(plan: Plan, games: Mapping[Path, Game]) -> list[Job]:
    """Return the games of the plan that are not finished. Raises UserError as `begun` does."""
    over = {path for path, peeked in begun(plan, games).items() if peeked.result is not None}
    return [job for job in plan.jobs if job.journal not in over]
