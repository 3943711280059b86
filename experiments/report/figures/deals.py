"""Each arm's score against the baseline's, deal by deal."""

from collections import Counter
from itertools import product
from typing import Any

from experiments.analysis.compare import compare
from experiments.analysis.statistics.clusters import cluster_means
from experiments.document import plots
from experiments.record import measures
from experiments.record.rows import PERFECT
from experiments.report import order
from experiments.report.figures.cost import MARKS
from experiments.report.figures.figure import Figure, Rows, by_players, groups
from experiments.report.run_data import NothingToDrawError, RunData

PANELS = 8
"""The most arms that are drawn: those that differ most from the baseline."""
SIDE = 2.1
"""Inches of a panel."""


def _deals(data: RunData) -> Rows:
    compared = [arm for arm in data.shortlist() if any(effect.arm == arm for effect in data.analysis.differences)]
    if not compared:
        raise NothingToDrawError("no arm is compared with a baseline")
    if len({row.seed for row in data.rows}) == 1:
        raise NothingToDrawError("there is a single deal")
    rows = []
    for arm, players in product(order.foremost(compared, data.analysis, PANELS), data.players()):
        both = (data.rows_of(name) for name in (arm, data.analysis.baseline or ""))
        ours, theirs = ([row for row in games if row.players == players] for games in both)
        comparison = compare(ours, theirs, measures.metric(data.metric))
        pairs = comparison.rows if comparison else ([], [])
        # averaged over the repeats that both played
        score, base = (cluster_means((row.seed, row.score(data.metric)) for row in played) for played in pairs)
        for seed in sorted(score):
            head = {"players": players, "arm": arm, "seed": seed}
            rows.append({**head, "baseline_score": base[seed], "arm_score": score[seed]})
    return by_players(rows)


def _paint(rows: Rows, data: RunData) -> Any:
    """Deals with the same two scores are one larger point."""
    from matplotlib.figure import Figure  # half a second to import, and most commands draw nothing

    by_arm = groups(rows, "arm")
    arms = [arm for arm in data.arms if arm in by_arm]
    wide = min(2, len(arms))
    tall = -(-len(arms) // wide)
    figure: Any = Figure(figsize=(SIDE * 2 + 0.6, (SIDE + 0.25) * tall + 0.7), layout="constrained")
    panels = figure.subplots(tall, wide, squeeze=False, sharex=True, sharey=True).flatten()
    for ax in panels[len(arms) :]:
        ax.set_visible(False)
    for ax, arm in zip(panels, arms, strict=False):
        ax.set_title(data.name(arm))
        ax.plot([0, PERFECT], [0, PERFECT], color=plots.MUTED, linewidth=0.8, zorder=1)
        for place, players in enumerate(data.players()):
            points = [row for row in by_arm[arm] if row["players"] == players]
            counts = Counter((row["baseline_score"], row["arm_score"]) for row in points)
            x, y = ([point[side] for point in counts] for side in (0, 1))
            sizes = [18 * count for count in counts.values()]
            look: dict[str, Any] = {"color": plots.COLOURS[place], "marker": MARKS[players], "alpha": 0.6}
            ax.scatter(x, y, s=sizes, zorder=3, linewidths=0, **look)
        ax.set(xlim=(-1, PERFECT + 1), ylim=(-1, PERFECT + 1), aspect="equal")
        ax.set_xticks(range(0, PERFECT + 1, 5))
        ax.set_yticks(range(0, PERFECT + 1, 5))
        ax.tick_params(labelbottom=True)
    for place, ax in enumerate(panels[: len(arms)]):
        if place + wide >= len(arms):
            ax.set_xlabel(f"{data.metric} score of {data.name(data.analysis.baseline or '')}")
    figure.supylabel(f"{data.metric} score of the arm", fontsize=8.5)
    if len(data.players()) > 1:
        for place, players in enumerate(data.players()):
            look = {"color": plots.COLOURS[place], "markersize": 5, "markeredgewidth": 0, "alpha": 0.8}
            panels[0].plot([], [], MARKS[players], label=plots.headed(players), **look)
        figure.legend(loc="outside upper center", ncols=4, handlelength=1)
    return figure


FIGURE = Figure(
    "deals",
    "Arms against the baseline, deal by deal",
    "Every point is a deal: the baseline's score on it and the arm's, repeats averaged; a larger one is several deals. "
    f"Above the line the arm scores more. Of more than {PANELS} arms those that differ most from the baseline are "
    "shown.",
    _deals,
    _paint,
)
