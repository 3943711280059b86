"""Calibration: how often what roles called so likely came true."""

from functools import partial
from typing import Any

from hanabi_orchestrator.experiments.analysis.role_marks import calibrations
from hanabi_orchestrator.experiments.document import plots
from hanabi_orchestrator.experiments.report.figures.figure import Figure, Rows, groups
from hanabi_orchestrator.experiments.report.run_data import NothingToDrawError, RunData

PANEL = 1.6
"""Inches."""


def _table(data: RunData, *, chance: bool) -> Rows:
    if not data.marked:
        raise NothingToDrawError("the games have no marks yet")
    rows = []
    for arm in data.arms:
        for point in calibrations([game for game in data.marked if game.row.arm == arm]):
            if point.stated.chance is chance:
                rows.append(
                    {
                        **{
                            "arm": arm,
                            "role": point.stated.role,
                            "kind": point.stated.kind,
                            "said": point.stated.said,
                        },
                        **{
                            "stated": point.likely,
                            "true": point.true,
                            "low": point.low,
                            "high": point.high,
                        },
                        **{"statements": point.statements, "deals": point.deals},
                    }
                )
    if not any(row["arm"] == data.standard for row in rows):
        what = "probability" if chance else "likelihood in words"
        raise NothingToDrawError(f"no role {f'of {data.standard} ' * bool(rows)}stated a {what}")
    return rows


def _panels(table: Rows, data: RunData) -> dict[str, Rows]:
    """Return the rows of the arm that is drawn, by role and what is stated."""
    rows = groups([row for row in table if row["arm"] == data.standard], "role", "kind")
    return {f"{role}: {kind}": several for (role, kind), several in rows.items()}


def _paint_chances(table: Rows, data: RunData) -> Any:
    """Draw a point for each range of probabilities, as large as it has statements."""
    by_role = _panels(table, data)
    figure, axes = plots.panels([PANEL] * len(by_role))
    for ax, (title, rows) in zip(axes, by_role.items(), strict=True):
        ax.set_title(title)
        ax.plot([0, 1], [0, 1], color=plots.FAINT, linewidth=1, zorder=0)
        most = max(row["statements"] for row in rows)
        for row in rows:
            x = row["stated"]
            size = 8 + 40 * row["statements"] / most
            if row["low"] is not None:
                ax.plot(
                    [x, x],
                    [row["low"], row["high"]],
                    color=plots.BLUE,
                    linewidth=1.2,
                    solid_capstyle="butt",
                )
            ax.scatter([x], [row["true"]], s=size, color=plots.BLUE, linewidths=0, zorder=3)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.05, 1.05)
        ax.set_ylabel("came true")
    axes[-1].set_xlabel("stated probability")
    return figure


def _paint_words(table: Rows, data: RunData) -> Any:
    by_role = _panels(table, data)
    figure, axes = plots.row_panels(by_role, "% that came true")
    for ax, rows in zip(axes, by_role.values(), strict=True):
        ordered = sorted(rows, key=lambda row: -row["true"])
        for place, row in enumerate(ordered):
            if row["low"] is not None:
                ax.plot(
                    [100 * row["low"], 100 * row["high"]],
                    [place, place],
                    color=plots.BLUE,
                    linewidth=1.2,
                )
            ax.plot([100 * row["true"]], [place], "o", color=plots.BLUE, markersize=4.5)
        plots.rows(ax, [f"{row['said']} ({row['statements']:,})" for row in ordered])
        ax.set_xlim(-2, 102)
    return figure


FIGURES = (
    Figure(
        "calibration",
        "Calibration of stated probabilities",
        "Of what a role called so likely, the share that came true, with its 95 % interval over "
        "deals; larger points have more statements. On the line, probabilities mean what they "
        "say. Of the baseline, or the first arm; the table has all arms.",
        partial(_table, chance=True),
        _paint_chances,
    ),
    Figure(
        "calibration-words",
        "What stated categories were worth",
        "Of what a role put into each category, the share that came true, with its 95 % interval "
        "over deals; in brackets the number of statements. Of the baseline, or the first arm; "
        "the table has all arms.",
        partial(_table, chance=False),
        _paint_words,
    ),
)
