"""What the arms of an experiment are compared by, its metric: which one, and why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hanabi_orchestrator.experiments.record import measures
from hanabi_orchestrator.experiments.record.measures import known
from hanabi_orchestrator.experiments.record.rows import Metric
from hanabi_orchestrator.experiments.study.protocols import PROTOCOLS

KEPT = frozenset(
    (
        "watson",
        "sherlock",
        "mycroft",
        "spin_bench",
        "moa_watson",
        "moa_sherlock",
        "cac",
        "tom_planner",
    )
)
"""Contexts of papers on language models, which count the points on the table when the third life is
lost."""

MEANS: Mapping[Metric, str] = {
    "strict": "0 in a game in which the third life was lost",
    "kept": "the points on the table, even when the third life was lost",
}


@dataclass(frozen=True)
class Headline:
    """The metric of a report, and the reason for it."""

    metric: str
    """What arms are compared by."""
    why: str
    score: Metric = "strict"
    """The score that tables and figures of scores show first: the metric itself, if it is one."""

    @property
    def sentence(self) -> str:
        if self.metric in MEANS:
            about = f"the {self.metric} score, {MEANS[self.score]}"
            return f"Arms are compared by {about}: {self.why}. Tables have both scores."
        named = known().get(self.metric)
        if named:
            about = f"{self.metric}, {named.says} ({named.side})"
        else:
            about = f"{self.metric}, its mean over a game"
        return (
            f"Arms are compared by {about}: {self.why}. Tables of scores begin with the "
            f"{self.score} score."
        )


def usual(contexts: Iterable[str]) -> Metric:
    """Return the score that the papers of all these contexts use."""
    names = list(contexts)
    if names and all(name in KEPT for name in names):
        return "kept"
    return "strict"


def headline(run: Mapping[str, Any], wish: str | None = None) -> Headline:
    """Return the metric that a report of a run is about; `run`: the contents of run.yaml, `wish`:
    the reader's.

    Runs of older versions name none and have the strict score. Raises UserError for what is no
    metric.
    """
    metric = measures.check(str(wish or run.get("metric") or "strict"))
    if metric in MEANS:
        score: Metric = "kept" if metric == "kept" else "strict"
    else:
        configs = []
        for seat in (run.get("seats") or {}).values():
            if seat.get("config"):
                configs.append(seat["config"])
        score = usual(name_of(config.get("context")) for config in configs)
    return Headline(metric, "so --metric asks" if wish else _why(metric, run), score)


def _why(metric: str, run: Mapping[str, Any]) -> str:
    settings = run.get("experiment") or {}
    protocol = str(settings.get("protocol") or "")
    if protocol in PROTOCOLS and PROTOCOLS[protocol].defaults.get("metric") == metric:
        return f"the protocol {protocol} does so"
    if settings.get("metric") == metric:
        return "the experiment says so"
    if metric == "kept":
        return "papers on language models do so, e.g. “Sparks of Cooperative Reasoning”, section 4"
    return "the score of the Hanabi Learning Environment and of the Hanabi Challenge"


def name_of(context: Any) -> str:
    """Return the name of a context, which a graph names or holds as a whole."""
    if isinstance(context, str):
        return context
    return str((context or {}).get("name", ""))
