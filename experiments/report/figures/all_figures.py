"""The figures of a report, in the order in which it shows them: a new figure is added here."""

from experiments.report.figures import (
    adhoc,
    best_of_k,
    calibration,
    choices,
    cost,
    cross_play,
    curves,
    deals,
    ends,
    list_ranks,
    policy,
    scores,
)
from experiments.report.figures.figure import Figure
from experiments.report.run_data import RunData


def all_figures(data: RunData) -> list[Figure]:
    """Return the figures in the order of the report."""
    return [
        *scores.FIGURES,
        deals.FIGURE,
        *adhoc.figures(data),
        *cross_play.figures(data),
        best_of_k.FIGURE,
        curves.FIGURE,
        *ends.FIGURES,
        cost.FIGURE,
        *choices.FIGURES,
        *calibration.FIGURES,
        list_ranks.FIGURE,
        *policy.figures(data),
    ]
