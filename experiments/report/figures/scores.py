"""A row for each arm: its scores, differences, turns and the ends of its games; and the partners of
ad-hoc teams."""

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from hanabi_orchestrator.experiments.analysis import conclusions
from hanabi_orchestrator.experiments.analysis.analysis import OTHER
from hanabi_orchestrator.experiments.analysis.statistics.estimates import ROUNDING
from hanabi_orchestrator.experiments.analysis.summaries import Summary
from hanabi_orchestrator.experiments.document import plots
from hanabi_orchestrator.experiments.record.rows import PERFECT, Metric
from hanabi_orchestrator.experiments.report import control_tables
from hanabi_orchestrator.experiments.report.figures.figure import (
    SOURCE,
    Figure,
    Rows,
    by_players,
    experienced,
    groups,
)
from hanabi_orchestrator.experiments.report.run_data import NothingToDrawError, RunData
from hanabi_orchestrator.experiments.study.metric import MEANS
from hanabi_orchestrator.experiments.study.notes import spans

SINGLE_POINTS = 60
"""The most games of a row that are drawn as single points; more are one point per score, sized by
their number."""


def both(summary: Summary) -> dict[str, float | None]:
    """Return the columns of both scores: their means and intervals."""
    strict = summary.of("strict")
    kept = summary.of("kept")
    return {
        **{"strict": strict.mean, "low": strict.low, "high": strict.high},
        **{"kept": kept.mean, "kept_low": kept.low, "kept_high": kept.high},
    }


def of_metric(row: Mapping[str, Any], metric: Metric) -> tuple[float, float | None, float | None]:
    """Return mean, lower and upper end of one of the two scores, from a row of a figure's table."""
    before = "" if metric == "strict" else "kept_"
    return row[metric], row[f"{before}low"], row[f"{before}high"]


def _row_names(data: RunData, rows: Rows, players: int | None) -> list[str]:
    """Return the names of rows; with their player counts where these are pooled."""
    if players:
        return [data.row_name(row["arm"], None) for row in rows]
    return [data.row_name(row["arm"], row["counts"]) for row in rows]


def _paint_scores(table: Rows, data: RunData) -> Any:
    by_count = groups(table)
    other = OTHER[data.metric]
    figure, axes = plots.panels(
        [plots.height(len(rows)) * (1.2 if players else 1) for players, rows in by_count.items()]
    )
    for ax, (players, rows) in zip(axes, by_count.items(), strict=True):
        experienced(ax)
        ax.set_title(plots.headed(players))
        for place, row in enumerate(rows):
            at = place - (0.2 if players else 0)
            mean, low, high = of_metric(row, data.metric)
            ax.barh(place, mean, 0.74, color=plots.SKY, alpha=0.4, linewidth=0, zorder=1)
            _points(
                ax,
                place + 0.17,
                [g.score(data.metric) for g in data.rows_of(row["arm"]) if g.players == players],
            )
            plots.interval(ax, at, mean, low, high)
            if row["strict"] != row["kept"]:
                ax.plot([row[other]], [at], "D", **OTHER_MARK)
        plots.rows(ax, _row_names(data, rows, players))
        # dashed lines at published scores, with their names above the panel, apart where lines are
        # close
        at = -1.0
        for name, mean in sorted(
            control_tables.published_means(data, players).items(), key=itemgetter(1)
        ):
            at = max(mean, at + APART)
            ax.axvline(mean, color=plots.MUTED, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
            ax.text(at - 0.1, 1.01, name, transform=ax.get_xaxis_transform(), **REFERENCE)
        ax.set_xlim(-0.4, 25.4)
    axes[-1].set_xlabel(textwrap.fill(f"{data.metric} score: {MEANS[data.metric]}", 48))
    if any(row["strict"] != row["kept"] for row in table):
        axes[0].plot([], [], "D", label=f"mean {other} score", **OTHER_MARK)
        figure.legend(loc="outside upper right", handlelength=1)
    return figure


OTHER_MARK: dict[str, Any] = {
    "color": plots.MUTED,
    "markerfacecolor": plots.PAPER,
    "markersize": 3.5,
    "markeredgewidth": 0.9,
    "zorder": 4,
}


APART = 0.9
"""Points between the names of two published scores."""
REFERENCE: dict[str, Any] = {
    "fontsize": 6.5,
    "color": plots.MUTED,
    "rotation": 30,
    "ha": "left",
    "va": "bottom",
}
"""The look of these names."""


def _points(ax: Any, place: float, games: Sequence[float]) -> None:
    """Draw a point for the score of each game; equal ones are spread within their row."""
    counts = Counter(games)
    look: dict[str, Any] = {"color": plots.BLUE, "alpha": 0.6, "linewidths": 0, "zorder": 3}
    if len(games) > SINGLE_POINTS:
        sizes = [max(2.0, 110 * count / len(games)) for count in counts.values()]
        ax.scatter(list(counts), [place] * len(counts), s=sizes, **look)
        return
    steps = {score: min(0.12, 0.36 / max(count - 1, 1)) for score, count in counts.items()}
    spots = []
    for score, count in counts.items():
        for number in range(count):
            spots.append((score, place + (number - (count - 1) / 2) * steps[score]))
    ax.scatter([x for x, _ in spots], [y for _, y in spots], s=7, **look)


DIFFERENCES = "mean low high se sd p p_holm wins ties losses mde low_holm high_holm"
"""What the table has of each difference."""


def _differences(data: RunData) -> Rows:
    analysis = data.analysis
    arms = set(data.shortlist())
    filled = conclusions.claims(analysis.differences)
    rows = []
    for d in (*analysis.differences, *analysis.apart, *analysis.other_differences):
        if d.arm in arms:
            rows.append(
                {
                    **{
                        "players": d.players,
                        "arm": d.arm,
                        "counts": spans(d.counts),
                        "baseline": d.baseline,
                    },
                    **{
                        "metric": d.metric,
                        "pairs": d.n,
                        "unit": d.unit,
                        "filled": int(d in filled),
                    },
                    **{name: getattr(d, name) for name in DIFFERENCES.split()},
                }
            )
    if not rows and data.coalitions:
        raise NothingToDrawError(
            "a design of coalitions compares its arms; see what each part adds"
        )
    if not rows:
        raise NothingToDrawError(_uncompared(data))
    return by_players(rows)


def _uncompared(data: RunData) -> str:
    """Return why no arm is compared with a baseline."""
    analysis = data.analysis
    others = [arm for arm in data.arms if arm != data.analysis.baseline]
    if not analysis.baseline:
        return "there is no baseline to compare with"
    if analysis.withheld:
        return f"too few moves are the model's own in {', '.join(analysis.withheld)}"
    if analysis.baseline not in data.arms:
        return f"the baseline {analysis.baseline} has no finished game yet"
    if not others:
        return f"no arm but the baseline {analysis.baseline} has a finished game"
    return "no deal is finished both in the baseline and in another arm"


def _paint_differences(table: Rows, data: RunData) -> Any:
    metric = data.analysis.metric
    by_count = {}
    for players, rows in groups(table).items():
        by_count[players] = [row for row in rows if row["metric"] == metric]
    second = {(row["players"], row["arm"]): row for row in table if row["metric"] != metric}
    offset = metric in OTHER and any(row["strict"] != row["kept"] for row in _means(data))
    first = data.analysis.differences[0]
    score = f", {metric} score" if metric in OTHER else ""
    xlabel = f"{first.measured_in} more or fewer than {data.name(first.baseline)}{score}"
    figure, axes = plots.row_panels(by_count, xlabel)
    for ax, (players, rows) in zip(axes, by_count.items(), strict=True):
        ax.axvline(0, color=plots.MUTED, linewidth=0.8, zorder=1)
        for place, row in enumerate(rows):
            face = plots.BLUE if row["filled"] else plots.PAPER
            other = second.get((players, row["arm"])) if offset else None
            if other and abs(other["mean"] - row["mean"]) <= ROUNDING:
                other = None
            dot: dict[str, Any] = {"color": plots.BLUE, "markerfacecolor": face, "markersize": 5}
            plots.interval(
                ax, place - 0.12 * bool(other), row["mean"], row["low"], row["high"], **dot
            )
            if other and other["low"] is not None:
                bounds = [other["low"], other["high"]]
                ax.plot(
                    bounds, [place + 0.22, place + 0.22], color=plots.MUTED, linewidth=0.8, zorder=2
                )
            if other:
                ax.plot([other["mean"]], [place + 0.22], "D", **OTHER_MARK)
            look = {"fontsize": 7.5, "color": plots.MUTED, "va": "center"}
            ax.text(1.02, place, _tested(row), transform=ax.get_yaxis_transform(), **look)
        plots.rows(ax, _row_names(data, rows, players))
    if offset:
        axes[0].plot([], [], "D-", linewidth=0.8, label=f"{OTHER[data.metric]} score", **OTHER_MARK)
        figure.legend(loc="outside upper right", handlelength=2)
    return figure


def _tested(row: Mapping[str, Any]) -> str:
    """Return how many deals a difference is of, and its corrected p."""
    p = conclusions.pvalue(row["p_holm"])
    if row["pairs"] > 1:
        unit = row["unit"]
    else:
        unit = row["unit"].removesuffix("s")
    if p == "-":
        tested = "not tested"
    elif p.startswith("<"):
        tested = f"p {p}"
    else:
        tested = f"p = {p}"
    return f"{row['pairs']} {unit}, {tested}{ROOM}"


ROOM = "\N{NO-BREAK SPACE}" * 5
"""A page's font may be wider than the one that places the words."""


def _histogram(data: RunData) -> Rows:
    rows = []
    for s in data.summaries():
        if s.players is not None:
            for score, games in enumerate(s.of(data.metric).histogram):
                rows.append(
                    {
                        "players": s.players,
                        "arm": s.arm,
                        "score": score,
                        "games": games,
                        "metric": data.metric,
                    }
                )
    return by_players(rows)


def _paint_histogram(table: Rows, data: RunData) -> Any:
    by_count = {players: groups(rows, "arm") for players, rows in groups(table).items()}
    figure, axes = plots.row_panels(by_count, f"{data.metric} score of a game", 1.25)
    for ax, by_arm in zip(axes, by_count.values(), strict=True):
        experienced(ax)
        for place, rows in enumerate(by_arm.values()):
            most = max(*(row["games"] for row in rows), 1)
            tall = [-0.82 * row["games"] / most for row in rows]
            ax.bar(
                range(PERFECT + 1),
                tall,
                0.86,
                place + 0.42,
                color=plots.BLUE,
                linewidth=0,
                zorder=2,
            )
            ax.axhline(place + 0.42, color=plots.FAINT, linewidth=0.6, zorder=1)
        plots.rows(ax, [data.name(arm) for arm in by_arm])
        ax.set_xlim(-0.6, 25.6)
    return figure


def _means(data: RunData, *, name: str = "") -> Rows:
    """Return a row for each summary with its number of this name and its interval; by default with
    its scores."""
    rows = []
    for s in data.summaries():
        numbers = both(s)
        if name:
            score = s.of(data.metric)
            numbers = {name: s.means.get(name), "low": None, "high": None}
            if name == "iqm":
                numbers = {"iqm": score.iqm, "low": score.iqm_low, "high": score.iqm_high}
        head = {
            "players": s.players,
            "arm": s.arm,
            "counts": spans(s.counts),
            "games": s.n,
            "metric": data.metric,
        }
        rows.append({**head, **numbers})
    return by_players(rows)


def _paint_means(
    table: Rows, data: RunData, *, name: str, label: str, most: float | None = None
) -> Any:
    by_count = groups(table)
    figure, axes = plots.row_panels(by_count, label.format(score=data.metric))
    for ax, (players, rows) in zip(axes, by_count.items(), strict=True):
        if most:
            experienced(ax)
        for place, row in enumerate(rows):
            ax.barh(place, row[name], 0.6, color=plots.SKY, alpha=0.4, linewidth=0, zorder=1)
            plots.interval(ax, place, row[name], row["low"], row["high"])
        plots.rows(ax, _row_names(data, rows, players))
        ax.set_xlim(0, most and most + 0.4)
    return figure


END_STYLES = {
    "perfect": ("25 points", plots.GREEN),
    "deck_exhausted": ("deck exhausted", plots.SKY),
    "lives_lost": ("third life lost", plots.VERMILLION),
    "max_turns": ("too many turns", plots.PURPLE),
    "vote": ("ended by vote", plots.ORANGE),
    "player": ("ended by a player", plots.COLOURS[7]),
    "clock": ("ended by the clock", plots.COLOURS[6]),
}


def _ends(data: RunData) -> Rows:
    rows = []
    for s in data.summaries():
        if s.players is not None:
            rows.append(
                {
                    "players": s.players,
                    "arm": s.arm,
                    "games": s.n,
                    **{end: s.ends.get(end, 0) for end in END_STYLES},
                }
            )
    return by_players(rows)


def _paint_ends(table: Rows, data: RunData) -> Any:
    by_count = groups(table)
    figure, axes = plots.row_panels(by_count, "% of games")
    ends = {}
    for end, look in END_STYLES.items():
        if any(row[end] for row in table):
            ends[end] = look
    for ax, rows in zip(axes, by_count.values(), strict=True):
        plots.stacked(ax, rows, "games", ends)
        plots.rows(ax, [data.name(row["arm"]) for row in rows])
    plots.legend(figure, axes, len(ends))
    return figure


def _teams(data: RunData) -> Rows:
    teams = []
    for team in data.teams:
        for met in team.rows:
            for low, high in [met.trials.bounds or (None, None)]:
                teams.append(
                    {
                        **{
                            "players": team.players,
                            "partner": met.partner,
                            "standing": met.standing,
                            "trials": met.trials.games,
                        },
                        **{
                            "strict": met.trials.mean,
                            "low": low,
                            "high": high,
                            "sd": met.trials.sd,
                        },
                        **(
                            {"alone": met.alone.mean, "alone_sd": met.alone.sd}
                            if met.alone
                            else {"alone": None, "alone_sd": None}
                        ),
                    }
                )
    return teams


def _paint_teams(table: Rows, data: RunData) -> Any:
    by_players = groups(table)
    figure, axes = plots.row_panels(by_players, "strict score")
    for ax, rows in zip(axes, by_players.values(), strict=True):
        for place, row in enumerate(rows):
            if row["standing"] == "held out":
                face = plots.INK
            else:
                face = plots.PAPER
            plots.interval(ax, place, row["strict"], row["low"], row["high"], markerfacecolor=face)
            if row["alone"] is not None:
                ax.plot([row["alone"]], [place], "|", color=plots.BLUE, markersize=10, zorder=3)
        plots.rows(ax, [row["partner"] for row in rows])
        ax.set_xlim(-0.4, 25.4)
    return figure


FIGURES = (
    Figure(
        "scores",
        "Scores",
        "Mean score with its 95 % interval (line), and every game as a point; for more than "
        f"{SINGLE_POINTS} games in a row, a point per score, sized by their number. A diamond is "
        f"the mean of the other score, where it differs. The grey band: {SOURCE}. Dashed, where "
        "they were asked for: published scores.",
        _means,
        _paint_scores,
    ),
    Figure(
        "differences",
        "Differences from the baseline",
        "Mean difference from the baseline on the same deals, with its 95 % confidence interval, "
        "not corrected for the number of arms; p is. No line: too few deals for an interval, or "
        "the same games. Filled: the corrected p is below .05. Where player counts are pooled, "
        "the verdict is on the pooled differences. Diamonds: the other score, where it differs.",
        _differences,
        _paint_differences,
    ),
    Figure(
        "histogram",
        "Distribution of scores",
        "Number of games by score; the tallest bar of each row has the same height. The grey "
        f"band: {SOURCE}.",
        _histogram,
        _paint_histogram,
    ),
    Figure(
        "iqm",
        "Interquartile means",
        "Mean of the middle half of the scores of all games, with its 95 % bootstrap interval "
        "over deals (Agarwal et al. 2021): a few very good or bad games do not move it. With few "
        "deals the interval holds less often than 95 %: in simulations from 83 % of samples of "
        f"five deals and 91 % of ten on. The grey band: {SOURCE}.",
        partial(_means, name="iqm"),
        partial(_paint_means, name="iqm", label="interquartile mean of the {score} score", most=25),
    ),
    Figure(
        "lengths",
        "Turns of a game",
        "Mean number of turns of a game, all players together.",
        partial(_means, name="turns"),
        partial(_paint_means, name="turns", label="turns"),
    ),
)
ENDS = Figure("ends", "How games ended", "Share of games by how they ended.", _ends, _paint_ends)
ADHOC = Figure(
    "ad-hoc-teams",
    "Ad-hoc teams",
    "Mean strict score of the evaluated seat with each partner and its 95 % interval over deals; "
    "filled: the partner is held out. Blue: the partner in self-play.",
    _teams,
    _paint_teams,
)
