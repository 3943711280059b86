"""Published scores in a report: a table beside the run's own, and lines in the figure of scores."""

from collections.abc import Mapping

from experiments.report.run_data import RunData
from experiments.report.tables import Grid, number
from experiments.study import references

TEXT = (
    "Published scores, for orientation only: other deals, other prompts, often other rules of play. No claim, interval "
    "or test of this report uses them. The score counts games in which the third life was lost as this report's does."
)


def grid(data: RunData) -> Grid | None:
    """A row for each reference that fits; None without any."""
    counts = data.players()
    found = [(one, references.fitting(one, counts, data.metric)) for one in data.references]
    rows = [
        (one.name, one.says, one.source, one.n, *(number(means.get(count)) for count in counts))
        for one, means in found
        if means
    ]
    heads = ("reference", "who played", "source", "n", *(f"{count} players" for count in counts))
    return Grid(heads, tuple(rows), words=4) if rows else None


def lines(data: RunData, players: int | None) -> Mapping[str, float]:
    """By name: where the figure of scores has a line at a player count; none for pooled rows."""
    found = {one.name: references.fitting(one, data.players(), data.metric) for one in data.references}
    return {name: means[players] for name, means in found.items() if players is not None and players in means}
