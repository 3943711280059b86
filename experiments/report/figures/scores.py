"""Scores: means with every game as a point, differences from the baseline, and the distribution of scores."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from experiments.report.figures import style
from experiments.report.figures.figure import Figure, FigureTable
from experiments.report.run_data import NothingToDrawError, RunData
from experiments.results.rows import Row

SINGLE_POINTS = 60
"""The most games of a row that are drawn as single points; more are one point per score, sized by their number."""


def _scores(data: RunData) -> FigureTable:
    found = [(s.players, s.arm, s.n, s.strict, s.low, s.high, s.kept) for s in data.summaries()]
    if not found:
        raise NothingToDrawError("no game is finished")
    return FigureTable(("players", "arm", "games", "strict", "low", "high", "kept"), tuple(by_players(found)))


def by_players(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Sorted by player count, the first cell, pooled rows last; otherwise in their order."""
    return sorted(rows, key=lambda row: 9 if row[0] is None else row[0])


def groups(table: FigureTable) -> dict[int | None, list[dict[str, Any]]]:
    found: dict[int | None, list[dict[str, Any]]] = {}
    for record in table.records():
        found.setdefault(record["players"], []).append(record)
    return found


def _paint_scores(table: FigureTable, data: RunData) -> Any:
    found = groups(table)
    figure, axes = style.panels([style.height(len(rows)) * (1.2 if players else 1) for players, rows in found.items()])
    for ax, (players, rows) in zip(axes, found.items(), strict=True):
        style.experienced(ax)
        ax.set_title(style.headed(players))
        for place, row in enumerate(rows):
            ax.barh(place, row["strict"], 0.74, color=style.SKY, alpha=0.4, linewidth=0, zorder=1)
            _points(ax, place + 0.17, [one for one in data.rows_of(row["arm"]) if one.players == players])
            interval(ax, place - (0.2 if players else 0), row["strict"], row["low"], row["high"])
        style.rows(ax, [data.name(row["arm"]) for row in rows])
        ax.set_xlim(-0.4, 25.4)
    axes[-1].set_xlabel("score (strict: 0 when the third life was lost)")
    return figure


def interval(ax: Any, place: float, mean: float, low: float | None, high: float | None, **more: Any) -> None:
    """Draw a mean with its interval."""
    if low is not None and high is not None:
        ax.plot([low, high], [place, place], color=style.INK, linewidth=1.3, zorder=4, solid_capstyle="butt")
    ax.plot([mean], [place], "o", **{"color": style.INK, "markersize": 4, "zorder": 5, **more})


def _points(ax: Any, place: float, games: Sequence[Row]) -> None:
    """Draw a point for each game; games of the same score are spread within their row."""
    counts = Counter(game.score_strict for game in games)
    look: dict[str, Any] = {"color": style.BLUE, "alpha": 0.6, "linewidths": 0, "zorder": 3}
    if len(games) > SINGLE_POINTS:
        sizes = [max(2.0, 110 * count / len(games)) for count in counts.values()]
        ax.scatter(list(counts), [place] * len(counts), s=sizes, **look)
        return
    spots = [(score, place + _spread(number, count)) for score, count in counts.items() for number in range(count)]
    ax.scatter([x for x, _ in spots], [y for _, y in spots], s=7, **look)


def _spread(number: int, count: int) -> float:
    step = min(0.12, 0.36 / max(count - 1, 1))
    return (number - (count - 1) / 2) * step


def _differences(data: RunData) -> FigureTable:
    shown = set(data.shown())
    found = [
        (
            d.players,
            d.arm,
            d.baseline,
            d.n,
            d.unit,
            d.mean,
            d.low,
            d.high,
            d.p,
            d.p_holm,
            d.wins,
            d.ties,
            d.losses,
            d.mde,
        )
        for d in data.analysis.differences
        if d.arm in shown
    ]
    if not found:
        raise NothingToDrawError(_why_no_differences(data))
    columns = "players arm baseline pairs unit mean low high p p_holm wins ties losses mde"
    return FigureTable(tuple(columns.split()), tuple(by_players(found)))


def _why_no_differences(data: RunData) -> str:
    if not data.analysis.baseline:
        return "there is no baseline to compare with"
    if data.analysis.withheld:
        return f"too few moves are the model's own in {', '.join(data.analysis.withheld)}"
    return "no deal is complete yet"


def _paint_differences(table: FigureTable, data: RunData) -> Any:
    found = groups(table)
    figure, axes = style.panels([style.height(len(rows)) for rows in found.values()])
    for ax, (players, rows) in zip(axes, found.items(), strict=True):
        ax.axvline(0, color=style.MUTED, linewidth=0.8, zorder=1)
        ax.set_title(style.headed(players))
        for place, row in enumerate(rows):
            if row["mde"]:
                ax.barh(place, 2 * row["mde"], 0.62, -row["mde"], color=style.FAINT, alpha=0.6, linewidth=0, zorder=0)
            sure = row["p_holm"] is not None and row["p_holm"] < 0.05
            face = style.INK if sure else style.PAPER
            interval(ax, place, row["mean"], row["low"], row["high"], markerfacecolor=face, markersize=4.5)
        style.rows(ax, [data.name(row["arm"]) for row in rows])
    axes[-1].set_xlabel(f"points more or fewer than {data.name(table.records()[0]['baseline'])}")
    return figure


def _histogram(data: RunData) -> FigureTable:
    found = [
        (s.players, s.arm, score, games)
        for s in data.summaries()
        if s.players is not None
        for score, games in enumerate(s.histogram)
    ]
    if not found:
        raise NothingToDrawError("no game is finished")
    return FigureTable(("players", "arm", "score", "games"), tuple(by_players(found)))


def _paint_histogram(table: FigureTable, data: RunData) -> Any:
    found = {players: _by_arm(rows) for players, rows in groups(table).items()}
    figure, axes = style.panels([style.height(len(arms)) * 1.25 for arms in found.values()])
    for ax, (players, arms) in zip(axes, found.items(), strict=True):
        style.experienced(ax)
        ax.set_title(style.headed(players))
        for place, games in enumerate(arms.values()):
            tall = [0.82 * count / max(max(games), 1) for count in games]
            ax.bar(range(26), [-one for one in tall], 0.86, place + 0.42, color=style.BLUE, linewidth=0, zorder=2)
            ax.axhline(place + 0.42, color=style.FAINT, linewidth=0.6, zorder=1)
        style.rows(ax, [data.name(arm) for arm in arms])
        ax.set_xlim(-0.6, 25.6)
    axes[-1].set_xlabel("strict score of a game")
    return figure


def _by_arm(rows: Sequence[dict[str, Any]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(row["arm"], []).append(row["games"])
    return found


FIGURES = (
    Figure(
        "scores",
        "Scores",
        "Mean strict score with its 95 % interval (line), and every game as a point; for more than "
        f"{SINGLE_POINTS} games in a row, a point per score, sized by their number. The grey band: {style.SOURCE}.",
        _scores,
        _paint_scores,
    ),
    Figure(
        "differences",
        "Differences from the baseline",
        "Mean difference of pairs with its 95 % interval. Filled: p < 0.05 after Holm's correction. The grey bar of a "
        "row extends to the smallest effect detectable with 80 % power at alpha .05; smaller effects may be missed.",
        _differences,
        _paint_differences,
    ),
    Figure(
        "histogram",
        "Distribution of scores",
        "Number of games by strict score; the tallest bar of each row has the same height. The grey band: "
        f"{style.SOURCE}.",
        _histogram,
        _paint_histogram,
    ),
)
