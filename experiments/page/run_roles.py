"""The table of roles on the page of a run: their marks, where these have been computed; the page computes none."""

from experiments.analysis.role_marks import MarkSummary
from experiments.page.spoken import Json
from experiments.report.marked_run import MarkedRun, Unmarked, ready
from experiments.report.run_data import RunData

MOST = 500
"""Games whose marks are read for the table; of more it would take long."""


def run_roles(data: RunData) -> Json:
    """The marks by arm, or why there are none."""
    if len(data.rows) > MOST:
        return _none(f"The run has more than {MOST} games: its report has their marks.")
    found = ready(data)
    if isinstance(found, Unmarked):
        return _none(found.why)
    arms = [{"arm": arm, "label": found.labels[arm], "marks": _of_arm(found, arm)} for arm in data.arms]
    return {"why": None, "arms": arms}


def _none(why: str) -> Json:
    return {"why": why, "arms": []}


def _of_arm(found: MarkedRun, arm: str) -> list[Json]:
    return [_mark(one) for one in found.summaries if one.arm == arm]


def _mark(one: MarkSummary) -> Json:
    info = one.key.info
    return {
        "role": one.key.role,
        "name": one.key.title,
        "says": info.says if info else None,
        "best": info.best if info else None,
        "mean": one.mean,
        "low": one.low,
        "high": one.high,
        "baselines": {name: beside.mean for name, beside in one.baselines.items()},
        "replies": one.replies,
        "models": list(one.models),
    }
