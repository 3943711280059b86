"""The score against K, for arms that differ only in the number of samples of a node."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from experiments.document import plots
from experiments.report.figures.figure import EXPERIENCED, SOURCE, Figure, Rows, by_players, groups
from experiments.report.figures.scores import both, of_metric
from experiments.report.run_data import NothingToDrawError, RunData


class Curve(NamedTuple):
    """Where an arm belongs among arms that differ only in K."""

    node: str
    k: int
    rest: str
    """Everything else about the graph and its models; equal for arms of one curve."""
    label: str


def curves(data: RunData) -> dict[str, Curve]:
    """Return the curve of each arm; only arms for which there is another K."""
    seats, arms = data.run.get("seats", {}), data.run.get("arms", {})
    configs = {arm: seats.get(arms.get(arm, {}).get("everybody"), {}) for arm in data.arms}
    configs = {arm: seat for arm, seat in configs.items() if seat.get("config")}
    counts: dict[str, set[int]] = {}
    for seat in configs.values():
        for name, node in seat["config"]["nodes"].items():
            counts.setdefault(name, set()).add(node.get("samples", 1))
    by_arm: dict[str, Curve] = {}
    for node in (name for name, several in counts.items() if len(several) > 1):
        places = {arm: _place(node, seat) for arm, seat in configs.items() if node in seat["config"]["nodes"]}
        for arm, curve in places.items():
            if len({other.k for other in places.values() if other.rest == curve.rest}) > 1:
                by_arm.setdefault(arm, curve)
    return by_arm


def _place(node: str, seat: Mapping[str, Any]) -> Curve:
    config = {key: value for key, value in seat["config"].items() if key != "name"}
    k = config["nodes"][node].get("samples", 1)
    nodes = {
        name: {**settings, "samples": 0} if name == node else settings for name, settings in config["nodes"].items()
    }
    rest = json.dumps([{**config, "nodes": nodes}, seat.get("models", {}), seat.get("model")], sort_keys=True)
    context = config["context"] if isinstance(config["context"], str) else config["context"].get("name", "")
    return Curve(node, k, rest, f"{context}, {seat.get('model', '')}")


def _table(data: RunData) -> Rows:
    placed = curves(data)
    if not placed:
        raise NothingToDrawError("no two arms differ only in the number of samples of a node")
    rows = [
        {
            **{"players": s.players, "node": curve.node, "curve": curve.label, "k": curve.k},
            **{"arm": s.arm, "games": s.n, **both(s)},
        }
        for s in data.summaries()
        if (curve := placed.get(s.arm))
    ]
    return by_players(sorted(rows, key=lambda row: (row["curve"], row["k"])))


def _paint(table: Rows, data: RunData) -> Any:
    by_count = groups(table)
    figure, axes = plots.panels([1.4] * len(by_count))
    for ax, (players, rows) in zip(axes, by_count.items(), strict=True):
        ax.set_title(plots.headed(players))
        ax.axhspan(*EXPERIENCED, color=plots.FAINT, alpha=0.45, linewidth=0, zorder=0)
        for place, (curve, arms) in enumerate(groups(rows, "curve").items()):
            colour = plots.COLOURS[place % len(plots.COLOURS)]
            points = [(row["k"], *of_metric(row, data.metric)) for row in arms]
            look = {"color": colour, "markersize": 4, "linewidth": 1.3, "label": curve}
            ax.plot([k for k, *_ in points], [mean for _, mean, _, _ in points], "o-", **look)
            if bounds := [(k, low, high) for k, _, low, high in points if low is not None and high is not None]:
                ax.fill_between(*zip(*bounds, strict=True), color=colour, alpha=0.14, linewidth=0)
        ax.set_xticks(sorted({row["k"] for row in table}))
        ax.set_ylim(0, 25)
    axes[-1].set_xlabel(f"K, samples of {table[0]['node']}")
    figure.supylabel(f"mean {data.metric} score", fontsize=8.5)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=1)
    return figure


FIGURE = Figure(
    "samples",
    "Score against K",
    f"Mean score with its 95 % interval by the number of samples of a node. The grey band: {SOURCE}.",
    _table,
    _paint,
)
