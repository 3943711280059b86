"""The score that an experiment is judged by, its metric: which one, and why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from experiments.design.protocols import PROTOCOLS
from experiments.results.rows import Metric

KEPT = frozenset(("watson", "sherlock", "mycroft", "spin_bench", "moa_watson", "moa_sherlock", "cac", "tom_planner"))
"""Contexts of papers on language models, which count the points on the table when the third life is lost."""

MEANS: Mapping[Metric, str] = {
    "strict": "0 in a game in which the third life was lost",
    "kept": "the points on the table, even when the third life was lost",
}


@dataclass(frozen=True)
class Headline:
    """The metric of a report, and the reason for it."""

    metric: Metric
    why: str

    @property
    def sentence(self) -> str:
        return (
            f"Arms are compared by the {self.metric} score, {MEANS[self.metric]}: {self.why}. Tables have both scores."
        )


def chosen(named: Metric | None, contexts: Iterable[str]) -> Metric:
    """The metric of an experiment: what it or its protocol names, else what the papers of all its contexts use."""
    found = list(contexts)
    return named or ("kept" if found and all(one in KEPT for one in found) else "strict")


def headline(run: Mapping[str, Any], asked: Metric | None = None) -> Headline:
    """The metric that a report of a run is about; `run`: the contents of run.yaml, `asked`: by the reader.

    Runs of older versions name none and have the strict score.
    """
    if asked:
        return Headline(asked, "so --metric asks")
    metric: Metric = "kept" if run.get("metric") == "kept" else "strict"
    return Headline(metric, _why(metric, run))


def _why(metric: Metric, run: Mapping[str, Any]) -> str:
    asked = run.get("experiment") or {}
    protocol = str(asked.get("protocol") or "")
    if protocol in PROTOCOLS and PROTOCOLS[protocol].defaults.get("metric") == metric:
        return f"the protocol {protocol} does so"
    if asked.get("metric") == metric:
        return "the experiment says so"
    if metric == "kept":
        return "papers on language models do so, e.g. “Sparks of Cooperative Reasoning”, section 4"
    return "the score of the Hanabi Learning Environment and of the Hanabi Challenge"


def name_of(context: Any) -> str:
    """The name of a context, which a graph names or holds as a whole."""
    return context if isinstance(context, str) else str(context.get("name", ""))
