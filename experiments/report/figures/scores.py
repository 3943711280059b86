"""Scores: means with every game as a point, differences from the baseline, and the distribution of scores."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.analysis import conclusions
from experiments.analysis.analysis import OTHER
from experiments.analysis.summaries import Summary
from experiments.record.rows import PERFECT, Metric
from experiments.report import control_tables
from experiments.report.figures import style
from experiments.report.figures.figure import Figure, Rows, figure_rows
from experiments.report.run_data import NothingToDrawError, RunData
from experiments.statistics.estimates import ROUNDING
from experiments.study.metric import MEANS
from experiments.study.notes import spans

SINGLE_POINTS = 60
"""The most games of a row that are drawn as single points; more are one point per score, sized by their number."""


def _scores(data: RunData) -> Rows:
    rows = [(s.players, s.arm, spans(s.counts), s.n, data.metric, *both(s)) for s in data.summaries()]
    if not rows:
        raise NothingToDrawError("no game is finished")
    return figure_rows(("players", "arm", "counts", "games", "metric", *BOTH), tuple(by_players(rows)))


BOTH = ("strict", "low", "high", "kept", "kept_low", "kept_high")
"""Columns with the means and intervals of the two scores."""


def both(summary: Summary) -> tuple[float | None, ...]:
    scores = summary.of("strict"), summary.of("kept")
    return tuple(value for score in scores for value in (score.mean, score.low, score.high))


def of_metric(row: Mapping[str, Any], metric: Metric) -> tuple[float, float | None, float | None]:
    """Return mean, lower and upper end of one of the two scores, from a row of a figure's table."""
    names = ("strict", "low", "high") if metric == "strict" else ("kept", "kept_low", "kept_high")
    mean, low, high = (row[name] for name in names)
    return mean, low, high


def by_players(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Sorted by player count, the first cell, pooled rows last; otherwise in their order."""
    return sorted(rows, key=lambda row: 9 if row[0] is None else row[0])


def groups(table: Rows) -> dict[int | None, list[dict[str, Any]]]:
    by_players: dict[int | None, list[dict[str, Any]]] = {}
    for record in table:
        by_players.setdefault(record["players"], []).append(record)
    return by_players


def _paint_scores(table: Rows, data: RunData) -> Any:
    by_players = groups(table)
    figure, axes = style.panels(
        [style.height(len(rows)) * (1.2 if players else 1) for players, rows in by_players.items()]
    )
    other = OTHER[data.metric]
    for ax, (players, rows) in zip(axes, by_players.items(), strict=True):
        style.experienced(ax)
        ax.set_title(style.headed(players))
        for place, row in enumerate(rows):
            mean, low, high = of_metric(row, data.metric)
            ax.barh(place, mean, 0.74, color=style.SKY, alpha=0.4, linewidth=0, zorder=1)
            _points(ax, place + 0.17, [g.score(data.metric) for g in data.rows_of(row["arm"]) if g.players == players])
            interval(ax, place - (0.2 if players else 0), mean, low, high)
            if row["strict"] != row["kept"]:
                ax.plot([row[other]], [place - (0.2 if players else 0)], "D", **OTHER_MARK)
        style.rows(ax, [_named(data, row) for row in rows])
        style.references(ax, control_tables.published_means(data, players))
        ax.set_xlim(-0.4, 25.4)
    axes[-1].set_xlabel(f"{data.metric} score: {MEANS[data.metric]}")
    if any(row["strict"] != row["kept"] for row in table):
        axes[0].plot([], [], "D", label=f"mean {other} score", **OTHER_MARK)
        figure.legend(loc="outside upper right", handlelength=1)
    return figure


OTHER_MARK: dict[str, Any] = {
    "color": style.MUTED,
    "markerfacecolor": style.PAPER,
    "markersize": 3.5,
    "markeredgewidth": 0.9,
    "zorder": 4,
}


def _named(data: RunData, row: Mapping[str, Any]) -> str:
    return data.row_name(row["arm"], row["counts"] if row["players"] is None else None)


def interval(
    ax: Any, place: float, mean: float, low: float | None, high: float | None, color: str = style.INK, **more: Any
) -> None:
    """Draw a mean with its interval."""
    if low is not None and high is not None:
        ax.plot([low, high], [place, place], color=color, linewidth=1.3, zorder=4, solid_capstyle="butt")
    ax.plot([mean], [place], "o", **{"color": color, "markersize": 4, "zorder": 5, **more})


def _points(ax: Any, place: float, games: Sequence[float]) -> None:
    """Draw a point for the score of each game; equal ones are spread within their row."""
    counts = Counter(games)
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


DIFFERENCES = (
    "mean",
    "low",
    "high",
    "se",
    "sd",
    "p",
    "p_holm",
    "wins",
    "ties",
    "losses",
    "mde",
    "low_holm",
    "high_holm",
)


def _differences(data: RunData) -> Rows:
    arms, filled = set(data.shortlist()), conclusions.claims(data.analysis.differences)
    rows = [
        (
            d.players,
            d.arm,
            spans(d.counts),
            d.baseline,
            d.metric,
            d.n,
            d.unit,
            int(d in filled),
            *tuple(getattr(d, name) for name in DIFFERENCES),
        )
        for d in (*data.analysis.differences, *data.analysis.apart, *data.analysis.other_differences)
        if d.arm in arms
    ]
    if not rows:
        raise NothingToDrawError(_why_no_differences(data))
    columns = ("players", "arm", "counts", "baseline", "metric", "pairs", "unit", "filled", *DIFFERENCES)
    return figure_rows(columns, tuple(by_players(rows)))


def _why_no_differences(data: RunData) -> str:
    if not data.analysis.baseline:
        return "there is no baseline to compare with"
    if data.analysis.withheld:
        return f"too few moves are the model's own in {', '.join(data.analysis.withheld)}"
    return "no deal is complete yet"


def _paint_differences(table: Rows, data: RunData) -> Any:
    by_players = groups(table)
    both = {players: _by_metric(rows, data.analysis.metric) for players, rows in by_players.items()}
    figure, axes = style.panels([style.height(len(rows)) for rows, _ in both.values()])
    offset = data.analysis.metric in OTHER and any(row["strict"] != row["kept"] for row in _scores(data))
    for ax, (players, (rows, beside_rows)) in zip(axes, both.items(), strict=True):
        ax.axvline(0, color=style.MUTED, linewidth=0.8, zorder=1)
        ax.set_title(style.headed(players))
        for place, row in enumerate(rows):
            face = style.BLUE if row["filled"] else style.PAPER
            other = beside_rows.get(row["arm"]) if offset else None
            apart = other is not None and abs(other["mean"] - row["mean"]) > ROUNDING
            up = 0.12 if apart else 0
            interval(
                ax, place - up, row["mean"], row["low"], row["high"],
                color=style.BLUE, markerfacecolor=face, markersize=5,
            )  # fmt: skip
            if apart and other:
                _thin(ax, place + 0.22, other)
            look = {"fontsize": 7.5, "color": style.MUTED, "va": "center"}
            ax.text(1.02, place, _tested(row), transform=ax.get_yaxis_transform(), **look)
        style.rows(ax, [_named(data, row) for row in rows])
    if offset:
        axes[0].plot([], [], "D-", linewidth=0.8, label=f"{OTHER[data.metric]} score", **OTHER_MARK)
        figure.legend(loc="outside upper right", handlelength=2)
    first = data.analysis.differences[0]
    score = f", {data.analysis.metric} score" if data.analysis.metric in OTHER else ""
    axes[-1].set_xlabel(f"{first.measured_in} more or fewer than {data.name(first.baseline)}{score}")
    return figure


def _tested(row: Mapping[str, Any]) -> str:
    """Return how many deals a difference is of, and its corrected p."""
    p = conclusions.pvalue(row["p_holm"])
    unit = row["unit"] if row["pairs"] > 1 else row["unit"].removesuffix("s")
    tested = "not tested" if p == "-" else f"p {p}" if p.startswith("<") else f"p = {p}"
    return f"{row['pairs']} {unit}, {tested}{ROOM}"


ROOM = "\N{NO-BREAK SPACE}" * 5
"""A page's font may be wider than the one that places the words."""


def _by_metric(rows: Sequence[dict[str, Any]], metric: str) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return the rows of the headline's score, and those of the other one by arm."""
    other = {row["arm"]: row for row in rows if row["metric"] != metric}
    return [row for row in rows if row["metric"] == metric], other


def _thin(ax: Any, place: float, row: Mapping[str, Any]) -> None:
    if row["low"] is not None:
        ax.plot([row["low"], row["high"]], [place, place], color=style.MUTED, linewidth=0.8, zorder=2)
    ax.plot([row["mean"]], [place], "D", **OTHER_MARK)


def _histogram(data: RunData) -> Rows:
    rows = [
        (s.players, s.arm, score, s.of(data.metric).histogram[score], data.metric)
        for s in data.summaries()
        if s.players is not None
        for score in range(PERFECT + 1)
    ]
    if not rows:
        raise NothingToDrawError("no game is finished")
    return figure_rows(("players", "arm", "score", "games", "metric"), tuple(by_players(rows)))


def _paint_histogram(table: Rows, data: RunData) -> Any:
    by_players = {players: _by_arm(rows) for players, rows in groups(table).items()}
    figure, axes = style.panels([style.height(len(arms)) * 1.25 for arms in by_players.values()])
    for ax, (players, arms) in zip(axes, by_players.items(), strict=True):
        style.experienced(ax)
        ax.set_title(style.headed(players))
        for place, games in enumerate(arms.values()):
            tall = [0.82 * count / max(max(games), 1) for count in games]
            ax.bar(range(26), [-row for row in tall], 0.86, place + 0.42, color=style.BLUE, linewidth=0, zorder=2)
            ax.axhline(place + 0.42, color=style.FAINT, linewidth=0.6, zorder=1)
        style.rows(ax, [data.name(arm) for arm in arms])
        ax.set_xlim(-0.6, 25.6)
    axes[-1].set_xlabel(f"{data.metric} score of a game")
    return figure


def _by_arm(rows: Sequence[dict[str, Any]]) -> dict[str, list[int]]:
    by_arm: dict[str, list[int]] = {}
    for row in rows:
        by_arm.setdefault(row["arm"], []).append(row["games"])
    return by_arm


FIGURES = (
    Figure(
        "scores",
        "Scores",
        "Mean score with its 95 % interval (line), and every game as a point; for more than "
        f"{SINGLE_POINTS} games in a row, a point per score, sized by their number. A diamond is the mean of the other "
        f"score, where it differs. The grey band: {style.SOURCE}. Dashed, where they were asked for: published scores.",
        _scores,
        _paint_scores,
    ),
    Figure(
        "differences",
        "Differences from the baseline",
        "Mean difference from the baseline on the same deals, with its 95 % confidence interval, not corrected for the "
        "number of arms; p is. No line: too few deals for an interval, or the same games. Filled: the corrected p is "
        "below .05. Where player counts are pooled, the verdict is on the pooled differences. Diamonds: the other "
        "score, where it differs.",
        _differences,
        _paint_differences,
    ),
    Figure(
        "histogram",
        "Distribution of scores",
        f"Number of games by score; the tallest bar of each row has the same height. The grey band: {style.SOURCE}.",
        _histogram,
        _paint_histogram,
    ),
)
