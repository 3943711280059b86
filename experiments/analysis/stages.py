"""The games of a run with a stop rule, stage by stage: until the next look, and only of arms that are not settled."""

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.analysis.stopping import ArmStop, outcomes
from experiments.record.rows import Row
from experiments.study.job import Job
from experiments.study.plan import Plan
from experiments.study.stop_rule import StopRule


@dataclass(frozen=True)
class Stage:
    """What is played before the next look."""

    jobs: tuple[Job, ...]
    said: str
    """How the arms stand before it."""


class Stages:
    """Every answer follows from the finished games alone, so a run that is gone on with stops at the same look."""

    def __init__(self, plan: Plan) -> None:
        """Raises UserError for a rule that cannot be followed."""
        self._plan = plan
        self.rule: StopRule | None = plan.stop
        self._counts = {arm.name: arm.players for arm in plan.arms}

    def next(self, rows: Sequence[Row]) -> Stage | None:
        """Return the games until the next look; None when no arm needs more of them."""
        if self.rule is None:
            return None
        arms = self._outcomes(rows)
        unsettled = [arms[arm] for arm in self.rule.arms if not arms[arm].over]
        if not unsettled:
            return None
        deals = self.rule.looks[min(arm.look for arm in unsettled)]
        finished = {row.name for row in rows}
        jobs = tuple(job for job in self._until(deals, arms) if job.name not in finished)
        return Stage(jobs, self._said(arms, f"next look after {deals} of at most {self.rule.most} deals"))

    def needed(self, rows: Sequence[Row], jobs: Sequence[Job]) -> Sequence[Job]:
        """Return those of the run's games that may still be played, and those that are finished."""
        if self.rule is None:
            return jobs
        arms = self._outcomes(rows)
        most = max(self.rule.most if not arms[arm].over else arms[arm].deals for arm in self.rule.arms)
        names = {row.name for row in rows} | {job.name for job in self._until(most, arms)}
        return [job for job in jobs if job.name in names]

    def said(self, rows: Sequence[Row]) -> str:
        """Say how the arms stand at the end."""
        return self._said(self._outcomes(rows), "no arm needs more games")

    def _outcomes(self, rows: Sequence[Row]) -> dict[str, ArmStop]:
        assert self.rule is not None
        return outcomes(self.rule, rows, self._counts)

    def _until(self, deals: int, arms: dict[str, ArmStop]) -> list[Job]:
        """Return the games of this many deals, without those of arms that are over."""
        assert self.rule is not None
        seeds = set(self.rule.seeds[:deals])
        over = {name for name, arm in arms.items() if arm.over}
        return [job for job in self._plan.jobs if job.deal.seed in seeds and job.arm not in over]

    def _said(self, arms: dict[str, ArmStop], last: str) -> str:
        settled = [f"{arm.arm} {arm.settled} after {arm.deals} deals" for arm in arms.values() if arm.settled]
        return f"{'; '.join([*settled, last])}"
