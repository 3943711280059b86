"""The ad-hoc teams of a report: a table with a row for each partner, and sentences; the terminal prints the same."""

from experiments.analysis import adhoc_teams
from experiments.analysis.adhoc_teams import AdHocTeams, Mean
from experiments.report.run_data import RunData
from experiments.report.tables import Grid, interval, number
from experiments.study.rerun import labelled

TITLE = "Ad-hoc teams: the evaluated seat with each partner"
TEXT = (
    "Mean strict score and standard deviation of the trials with each partner; alone: of the partner with itself. A "
    "partner is held out when it is neither the evaluated player nor of a kind that the player's partner model knows; "
    "only such partners enter the mean, each with the same weight, and its SD is that of their means. Intervals are "
    "over deals and hold for these partners."
)


def found(data: RunData) -> list[AdHocTeams]:
    """The ad-hoc teams of a run; none in any other run."""
    return adhoc_teams.teams(data.rows, data.analysis.summaries, labelled(data.run))


def grid(teams: list[AdHocTeams]) -> Grid:
    columns = "partner", "", "players", "trials", "score", "95 %", "SD", "alone", "SD alone"
    rows = [row for one in teams for row in _rows(one)]
    return Grid(columns, tuple(rows), words=2)


def _rows(one: AdHocTeams) -> list[tuple[str, ...]]:
    rows = [_row(met.partner, met.standing or "unknown", one, met.trials, met.alone) for met in one.partners]
    if one.over_partners:
        rows.append(_row("mean over partners", "held out", one, one.over_partners, None))
    if one.self_play:
        rows.append(_row(f"{one.evaluated}, self-play", "itself", one, one.self_play, None))
    return rows


def _row(name: str, what: str, one: AdHocTeams, found: Mean, alone: Mean | None) -> tuple[str, ...]:
    low, high = found.bounds or (None, None)
    own = (number(alone.mean), number(alone.sd)) if alone else ("–", "–")
    return (
        name,
        what,
        str(one.players or "all"),
        str(found.games),
        number(found.mean),
        interval(low, high),
        number(found.sd),
        *own,
    )
