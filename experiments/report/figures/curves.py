"""Mean score and lives lost, turn by turn."""

from typing import Any

from experiments.analysis.statistics.estimates import clip
from experiments.document import plots
from experiments.record.rows import PERFECT
from experiments.report.figures.figure import Figure, Rows, by_players, groups
from experiments.report.run_data import NothingToDrawError, RunData
from experiments.report.turn_tally import TurnTally

LINES = 8
"""The most arms whose lines can be told apart."""


def _curves(data: RunData) -> Rows:
    if len(data.shortlist()) > LINES:
        raise NothingToDrawError(
            f"{len(data.shortlist())} arms are too many for a line each; {LINES} can be told apart"
        )
    rows = []
    for (arm, players), tally in data.tallies.items():
        last = max(other.longest for (_, count), other in data.tallies.items() if count == players)
        for turn in range(1, last + 1):
            mean, error, low, high = _points(tally, turn)
            rows.append(
                {
                    **{"players": players, "arm": arm, "turn": turn, "games": tally.games, "score_kept": mean},
                    **{"standard_error": error, "low": low, "high": high, "lives_lost": tally.lives_lost(turn)},
                }
            )
    return by_players(rows)


def _points(tally: TurnTally, turn: int) -> tuple[float, float | None, float | None, float | None]:
    """Return mean, standard error and 95 % interval, which no score can leave."""
    estimate = tally.score(turn)
    if isinstance(estimate, float):
        return estimate, None, None, None
    return estimate.mean, estimate.error, *clip(estimate.interval, 0, PERFECT)


def _paint(table: Rows, data: RunData) -> Any:
    by_count = groups(table)
    figure, axes = plots.panels([1.7, 0.6] * len(by_count), share=False)
    for number, (players, rows) in enumerate(by_count.items()):
        score, lives = axes[2 * number : 2 * number + 2]
        score.set_title(plots.headed(players))
        by_arm = groups(rows, "arm")
        for place, arm in enumerate(arm for arm in data.shortlist() if arm in by_arm):
            shown, colour = by_arm[arm], plots.COLOURS[place % len(plots.COLOURS)]
            look = {"color": colour, "linestyle": plots.DASHES[place % len(plots.DASHES)], "linewidth": 1.3}
            turns = [row["turn"] for row in shown]
            score.plot(turns, [row["score_kept"] for row in shown], label=data.name(arm), **look)
            if bounds := [(row["turn"], row["low"], row["high"]) for row in shown if row["low"] is not None]:
                score.fill_between(*zip(*bounds, strict=True), color=colour, alpha=0.12, linewidth=0)
            lives.plot(turns, [row["lives_lost"] for row in shown], **look)
        for ax in (score, lives):
            ax.set_xlim(1, max(row["turn"] for row in rows))
        score.set(ylim=(0, 25), yticks=[0, 5, 10, 15, 20, 25], ylabel="points")
        score.tick_params(labelbottom=False)
        lives.set(ylim=(3, 0), yticks=[0, 3], ylabel="lives lost")
    axes[-1].set_xlabel("turn")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, handlelength=2.4, columnspacing=1.2)
    return figure


FIGURE = Figure(
    "turns",
    "Score turn by turn, and lives lost",
    "Mean points on the table after each turn, with its 95 % interval over deals as a band, and below it the mean "
    "number of lives lost. A finished game keeps its points, even when its strict score is 0.",
    _curves,
    _paint,
)
