"""The score against another number: the baseline's on the same deal, the samples of a node, the
turn, the cost."""

import json
from collections import Counter
from collections.abc import Mapping
from itertools import product
from typing import Any, NamedTuple

from hanabi_orchestrator.experiments.analysis.compare import compare
from hanabi_orchestrator.experiments.analysis.statistics.clusters import cluster_means
from hanabi_orchestrator.experiments.analysis.statistics.estimates import clip
from hanabi_orchestrator.experiments.document import plots
from hanabi_orchestrator.experiments.record import measures
from hanabi_orchestrator.experiments.record.rows import PERFECT
from hanabi_orchestrator.experiments.report import arm_graphs, order
from hanabi_orchestrator.experiments.report.figures.figure import (
    EXPERIENCED,
    SOURCE,
    Figure,
    Rows,
    by_players,
    groups,
)
from hanabi_orchestrator.experiments.report.figures.scores import both, of_metric
from hanabi_orchestrator.experiments.report.run_data import NothingToDrawError, RunData, TurnTally

MARKS = {2: "o", 3: "s", 4: "^", 5: "D"}
"""The form of a point by player count."""
PANELS = 8
"""The most arms that are drawn: those that differ most from the baseline."""
SIDE = 2.1
"""Inches of a panel."""


def _deals(data: RunData) -> Rows:
    compared = []
    for arm in data.shortlist():
        if any(effect.arm == arm for effect in data.analysis.differences):
            compared.append(arm)
    if not compared:
        raise NothingToDrawError("no arm is compared with a baseline")
    if len({row.seed for row in data.rows}) == 1:
        raise NothingToDrawError("there is a single deal")
    rows = []
    for arm, players in product(order.foremost(compared, data.analysis, PANELS), data.players()):
        ours, theirs = (
            [row for row in data.rows_of(name) if row.players == players]
            for name in (arm, data.analysis.baseline or "")
        )
        comparison = compare(ours, theirs, measures.metric(data.metric))
        pairs = comparison.rows if comparison else ([], [])
        # averaged over the repeats that both played
        score = cluster_means((row.seed, row.score(data.metric)) for row in pairs[0])
        base = cluster_means((row.seed, row.score(data.metric)) for row in pairs[1])
        for seed in sorted(score):
            head = {"players": players, "arm": arm, "seed": seed}
            rows.append({**head, "baseline_score": base[seed], "arm_score": score[seed]})
    return by_players(rows)


def _paint_deals(rows: Rows, data: RunData) -> Any:
    """Deals with the same two scores are one larger point."""
    by_arm = groups(rows, "arm")
    arms = [arm for arm in data.arms if arm in by_arm]
    wide = min(2, len(arms))
    tall = -(-len(arms) // wide)
    figure = plots.canvas(SIDE * 2 + 0.6, (SIDE + 0.25) * tall + 0.7)
    panels = figure.subplots(tall, wide, squeeze=False, sharex=True, sharey=True).flatten()
    for ax in panels[len(arms) :]:
        ax.set_visible(False)
    for ax, arm in zip(panels, arms, strict=False):
        ax.set_title(data.name(arm))
        ax.plot([0, PERFECT], [0, PERFECT], color=plots.MUTED, linewidth=0.8, zorder=1)
        for place, players in enumerate(data.players()):
            points = [row for row in by_arm[arm] if row["players"] == players]
            counts = Counter((row["baseline_score"], row["arm_score"]) for row in points)
            x = [baseline for baseline, _ in counts]
            y = [score for _, score in counts]
            sizes = [18 * count for count in counts.values()]
            look: dict[str, Any] = {
                "color": plots.COLOURS[place],
                "marker": MARKS[players],
                "alpha": 0.6,
            }
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
            look = {
                "color": plots.COLOURS[place],
                "markersize": 5,
                "markeredgewidth": 0,
                "alpha": 0.8,
            }
            panels[0].plot([], [], MARKS[players], label=plots.headed(players), **look)
        plots.legend(figure, panels[:1], 4, columnspacing=2.0)
    return figure


class Curve(NamedTuple):
    """Where an arm belongs among arms that differ only in K."""

    node: str
    k: int
    rest: str
    """Everything else about the graph and its models; equal for arms of one curve."""
    label: str


def curves(data: RunData) -> dict[str, Curve]:
    """Return the curve of each arm; only arms for which there is another K."""
    configs = {}
    for arm in data.arms:
        if (seat := arm_graphs.seat(data.run, arm)).get("config"):
            configs[arm] = seat
    counts: dict[str, set[int]] = {}
    for seat in configs.values():
        for name, node in seat["config"]["nodes"].items():
            counts.setdefault(name, set()).add(node.get("samples", 1))
    by_arm: dict[str, Curve] = {}
    for node in (name for name, several in counts.items() if len(several) > 1):
        places = {
            arm: _place(node, seat)
            for arm, seat in configs.items()
            if node in seat["config"]["nodes"]
        }
        for arm, curve in places.items():
            if len({other.k for other in places.values() if other.rest == curve.rest}) > 1:
                by_arm.setdefault(arm, curve)
    return by_arm


def _place(node: str, seat: Mapping[str, Any]) -> Curve:
    config = {key: value for key, value in seat["config"].items() if key != "name"}
    k = config["nodes"][node].get("samples", 1)
    nodes = {}
    for name, settings in config["nodes"].items():
        nodes[name] = {**settings, "samples": 0} if name == node else settings
    rest = json.dumps(
        [{**config, "nodes": nodes}, seat.get("models", {}), seat.get("model")], sort_keys=True
    )
    if isinstance(config["context"], str):
        context = config["context"]
    else:
        context = config["context"].get("name", "")
    return Curve(node, k, rest, f"{context}, {seat.get('model', '')}")


def _samples(data: RunData) -> Rows:
    placed = curves(data)
    if not placed:
        raise NothingToDrawError("no two arms differ only in the number of samples of a node")
    rows = []
    for s in data.summaries():
        if curve := placed.get(s.arm):
            rows.append(
                {
                    **{
                        "players": s.players,
                        "node": curve.node,
                        "curve": curve.label,
                        "k": curve.k,
                    },
                    **{"arm": s.arm, "games": s.n, **both(s)},
                }
            )
    return by_players(sorted(rows, key=lambda row: (row["curve"], row["k"])))


def _paint_samples(table: Rows, data: RunData) -> Any:
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
            if bounds := [
                (k, low, high) for k, _, low, high in points if low is not None and high is not None
            ]:
                ax.fill_between(*zip(*bounds, strict=True), color=colour, alpha=0.14, linewidth=0)
        ax.set_xticks(sorted({row["k"] for row in table}))
        ax.set_ylim(0, 25)
    axes[-1].set_xlabel(f"K, samples of {table[0]['node']}")
    figure.supylabel(f"mean {data.metric} score", fontsize=8.5)
    plots.legend(figure, axes[:1], 1, handlelength=2.0)
    return figure


LINES = 8
"""The most arms whose lines can be told apart."""


def _turns(data: RunData) -> Rows:
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
                    **{
                        "players": players,
                        "arm": arm,
                        "turn": turn,
                        "games": tally.games,
                        "score_kept": mean,
                    },
                    **{
                        "standard_error": error,
                        "low": low,
                        "high": high,
                        "lives_lost": tally.lives_lost(turn),
                    },
                }
            )
    return by_players(rows)


def _points(tally: TurnTally, turn: int) -> tuple[float, float | None, float | None, float | None]:
    """Return mean, standard error and 95 % interval, which no score can leave."""
    estimate = tally.score(turn)
    if isinstance(estimate, float):
        return estimate, None, None, None
    return estimate.mean, estimate.error, *clip(estimate.interval, 0, PERFECT)


def _paint_turns(table: Rows, data: RunData) -> Any:
    by_count = groups(table)
    figure, axes = plots.panels([1.7, 0.6] * len(by_count), share=False)
    for number, (players, rows) in enumerate(by_count.items()):
        score, lives = axes[2 * number : 2 * number + 2]
        score.set_title(plots.headed(players))
        by_arm = groups(rows, "arm")
        for place, arm in enumerate(arm for arm in data.shortlist() if arm in by_arm):
            shown = by_arm[arm]
            colour = plots.COLOURS[place % len(plots.COLOURS)]
            look = {
                "color": colour,
                "linestyle": plots.DASHES[place % len(plots.DASHES)],
                "linewidth": 1.3,
            }
            turns = [row["turn"] for row in shown]
            score.plot(turns, [row["score_kept"] for row in shown], label=data.name(arm), **look)
            if bounds := [
                (row["turn"], row["low"], row["high"]) for row in shown if row["low"] is not None
            ]:
                score.fill_between(
                    *zip(*bounds, strict=True), color=colour, alpha=0.12, linewidth=0
                )
            lives.plot(turns, [row["lives_lost"] for row in shown], **look)
        for ax in (score, lives):
            ax.set_xlim(1, max(row["turn"] for row in rows))
        score.set(ylim=(0, 25), yticks=[0, 5, 10, 15, 20, 25], ylabel="points")
        score.tick_params(labelbottom=False)
        lives.set(ylim=(3, 0), yticks=[0, 3], ylabel="lives lost")
    axes[-1].set_xlabel("turn")
    plots.legend(figure, axes[:1], 2, handlelength=2.4)
    return figure


def _cost(data: RunData) -> Rows:
    rows = []
    for s in data.summaries():
        if s.players is not None:
            rows.append(
                {
                    **{"players": s.players, "arm": s.arm, "games": s.n},
                    **{key: s.means[key] for key in ("calls", "tokens_in", "tokens_out", "usd")},
                    **{"strict": s.of("strict").mean, "kept": s.of("kept").mean},
                }
            )
    if not any(row["tokens_out"] or row["tokens_in"] for row in rows):
        raise NothingToDrawError("no call was paid for: simulated models and programs cost nothing")
    return by_players(rows)


def _paint_cost(rows: Rows, data: RunData) -> Any:
    priced = all(row["usd"] is not None for row in rows) and any(row["usd"] for row in rows)
    figure, (ax,) = plots.panels([2.9])
    arms = list(dict.fromkeys(row["arm"] for row in rows))
    for row in rows:
        if priced:
            cost = row["usd"]
        else:
            cost = row["tokens_in"] + row["tokens_out"]
        colour = plots.COLOURS[arms.index(row["arm"]) % len(plots.COLOURS)]
        ax.plot(
            [cost],
            [row[data.metric]],
            MARKS[row["players"]],
            color=colour,
            markersize=6,
            markeredgewidth=0,
        )
    ax.set_xlabel("US dollars per game" if priced else "tokens per game, in and out")
    ax.set_ylabel(f"mean {data.metric} score")
    ax.set_ylim(0, 25)
    ax.set_xlim(left=0)
    for place, arm in enumerate(arms):
        ax.plot([], [], "o", color=plots.COLOURS[place % len(plots.COLOURS)], label=data.name(arm))
    for players in dict.fromkeys(row["players"] for row in rows):
        ax.plot([], [], MARKS[players], color=plots.MUTED, label=plots.headed(players))
    plots.legend(figure, [ax], 2)
    return figure


DEALS = Figure(
    "deals",
    "Arms against the baseline, deal by deal",
    "Every point is a deal: the baseline's score on it and the arm's, repeats averaged; a larger "
    f"one is several deals. Above the line the arm scores more. Of more than {PANELS} arms those "
    "that differ most from the baseline are shown.",
    _deals,
    _paint_deals,
)
SAMPLES = Figure(
    "samples",
    "Score against K",
    "Mean score with its 95 % interval by the number of samples of a node. The grey band: "
    f"{SOURCE}.",
    _samples,
    _paint_samples,
)
TURNS = Figure(
    "turns",
    "Score turn by turn, and lives lost",
    "Mean points on the table after each turn, with its 95 % interval over deals as a band, and "
    "below it the mean number of lives lost. A finished game keeps its points, even when its "
    "strict score is 0.",
    _turns,
    _paint_turns,
)
COST = Figure(
    "cost",
    "Cost and score",
    "Mean cost of a game, in dollars where all prices are known and otherwise in tokens, and "
    "mean score.",
    _cost,
    _paint_cost,
)
