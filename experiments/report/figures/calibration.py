"""Calibration: how often what roles called so likely came true."""

from collections.abc import Sequence
from typing import Any

from experiments.analysis.calibration import Calibration, calibrations
from experiments.report.figures import style
from experiments.report.figures.figure import Figure, Rows, figure_rows
from experiments.report.run_data import NothingToDrawError, RunData

COLUMNS = ("arm", "role", "kind", "said", "stated", "true", "low", "high", "statements", "deals")
PANEL = 1.6
"""Inches."""


def _arm(data: RunData) -> str:
    """Return the baseline, or the first arm."""
    return data.analysis.baseline if data.analysis.baseline in data.arms else data.arms[0]


def _found(data: RunData, *, chance: bool) -> list[tuple[str, Calibration]]:
    if not data.marked:
        raise NothingToDrawError("the games have no marks yet")
    return [
        (arm, marked_game)
        for arm in data.arms
        for marked_game in calibrations([game for game in data.marked if game.row.arm == arm])
        if marked_game.stated.chance is chance
    ]


def _table(data: RunData, *, chance: bool) -> Rows:
    calibrations = _found(data, chance=chance)
    if not any(arm == _arm(data) for arm, _ in calibrations):
        what = "probability" if chance else "likelihood in words"
        raise NothingToDrawError(
            f"no role stated a {what}" if not calibrations else f"no role of {_arm(data)} stated a {what}"
        )
    return figure_rows(COLUMNS, tuple(_row(arm, point) for arm, point in calibrations))


def _row(arm: str, point: Calibration) -> tuple[str | int | float | None, ...]:
    words = point.stated
    return (
        arm,
        words.role,
        words.kind,
        words.said,
        point.likely,
        point.true,
        point.low,
        point.high,
        point.statements,
        point.deals,
    )


def _panels(table: Rows, data: RunData) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the arm that is drawn, by role and what is stated."""
    by_role: dict[str, list[dict[str, Any]]] = {}
    for row in table:
        if row["arm"] == _arm(data):
            by_role.setdefault(f"{row['role']}: {row['kind']}", []).append(row)
    return by_role


def _paint_chances(table: Rows, data: RunData) -> Any:
    by_role = _panels(table, data)
    figure, axes = style.panels([PANEL] * len(by_role))
    for ax, (title, rows) in zip(axes, by_role.items(), strict=True):
        ax.set_title(title)
        ax.plot([0, 1], [0, 1], color=style.FAINT, linewidth=1, zorder=0)
        _points(ax, [row["stated"] for row in rows], rows)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.05, 1.05)
        ax.set_ylabel("came true")
    axes[-1].set_xlabel("stated probability")
    return figure


def _points(ax: Any, places: Sequence[float], rows: Sequence[dict[str, Any]]) -> None:
    """Draw a point for each range of probabilities, as large as it has statements."""
    most = max(row["statements"] for row in rows)
    for x, row in zip(places, rows, strict=True):
        if row["low"] is not None:
            ax.plot([x, x], [row["low"], row["high"]], color=style.BLUE, linewidth=1.2, solid_capstyle="butt")
        ax.scatter([x], [row["true"]], s=8 + 40 * row["statements"] / most, color=style.BLUE, linewidths=0, zorder=3)


def _paint_words(table: Rows, data: RunData) -> Any:
    by_role = _panels(table, data)
    figure, axes = style.panels([style.height(len(rows)) for rows in by_role.values()])
    for ax, (title, rows) in zip(axes, by_role.items(), strict=True):
        ax.set_title(title)
        ordered = sorted(rows, key=lambda row: -row["true"])
        for place, row in enumerate(ordered):
            if row["low"] is not None:
                ax.plot([100 * row["low"], 100 * row["high"]], [place, place], color=style.BLUE, linewidth=1.2)
            ax.plot([100 * row["true"]], [place], "o", color=style.BLUE, markersize=4.5)
        style.rows(ax, [f"{row['said']} ({row['statements']:,})" for row in ordered])
        ax.set_xlim(-2, 102)
    axes[-1].set_xlabel("% that came true")
    return figure


def _chances(data: RunData) -> Rows:
    return _table(data, chance=True)


def _words(data: RunData) -> Rows:
    return _table(data, chance=False)


FIGURES = (
    Figure(
        "calibration",
        "Calibration of stated probabilities",
        "Of what a role called so likely, the share that came true, with its 95 % interval over deals; larger points "
        "have more statements. On the line, probabilities mean what they say. Of the baseline, or the first arm; the "
        "table has all arms.",
        _chances,
        _paint_chances,
    ),
    Figure(
        "calibration-words",
        "What stated categories were worth",
        "Of what a role put into each category, the share that came true, with its 95 % interval over deals; in "
        "brackets the number of statements. Of the baseline, or the first arm; the table has all arms.",
        _words,
        _paint_words,
    ),
)
