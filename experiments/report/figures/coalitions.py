"""What each part of a design of coalitions adds, in three views beside each other, and interactions
as a matrix."""

from functools import partial
from math import nan
from typing import Any, Protocol

from hanabi_orchestrator.experiments.analysis.coalitions import CoalitionStudy, Effect, Kind
from hanabi_orchestrator.experiments.document import plots
from hanabi_orchestrator.experiments.report.figures.figure import Figure, Rows, by_players, groups
from hanabi_orchestrator.experiments.report.run_data import NothingToDrawError

VIEWS: tuple[tuple[Kind, str, str, str], ...] = (
    ("leave_one_out", "leave-one-out", plots.VERMILLION, "s"),
    ("shapley", "Shapley value", plots.BLUE, "o"),
    ("alone", "alone", plots.GREEN, "D"),
)
"""The views of a part: the kind of term, its name, colour and mark."""
STEP = 0.24
"""Between two views of a part, in rows."""


class HasCoalitions(Protocol):
    """A run whose design of coalitions is drawn."""

    @property
    def coalitions(self) -> CoalitionStudy | None: ...


INTERACTIONS_CAPTION = (
    "How much more each of two parts adds where the other is there, over all player counts, with "
    "95 % intervals; on the diagonal the Shapley value. Below 0 the parts are redundant, above "
    "complementary; bold: shown, corrected among its kind."
)


def figures(data: HasCoalitions) -> list[Figure]:
    """Return the figures of a design; none for a run without one."""
    study = data.coalitions
    if study is None or not study.effects:
        return []
    unit = study.effects[0].difference.measured_in
    drawn = [
        Figure(
            "coalitions",
            "What each part adds",
            f"In {unit}, with 95 % confidence intervals over deals. Leave-one-out: what the whole "
            "graph loses without the part. Shapley value: the mean over all orders in which the "
            "parts may join; only these sum to all less none. Alone: what it adds to none of the "
            "others. Filled: shown, corrected among its kind.",
            _views,
            _paint_views,
        )
    ]
    for absence in study.absences:
        key = f"interactions-{absence}"
        title = f"Interactions, {absence}"
        if len(study.absences) == 1:
            key = "interactions"
            title = "Interactions of two parts"
        matrix = partial(_matrix, absence=absence)
        drawn.append(Figure(key, title, INTERACTIONS_CAPTION, matrix, _paint_matrix))
    return drawn


def _row(effect: Effect) -> dict[str, Any]:
    difference = effect.difference
    names = "players mean low high se sd n p p_holm tests"
    return {
        **{"absence": effect.absence, "parts": " x ".join(effect.parts), "kind": effect.kind},
        **{name: getattr(difference, name) for name in names.split()},
        "filled": int(difference.claimed),
    }


def _views(data: HasCoalitions) -> Rows:
    study = data.coalitions
    kinds = [kind for kind, *_ in VIEWS]
    rows = [_row(effect) for effect in study.effects if effect.kind in kinds] if study else []
    if not rows:
        raise NothingToDrawError("no deal is complete yet")
    return by_players(rows)


def _paint_views(table: Rows, data: HasCoalitions) -> Any:
    assert data.coalitions is not None
    several = len(data.coalitions.absences) > 1
    by_count = {}
    for players, rows in groups(table).items():
        by_count[players] = groups(rows, "absence", "parts")
    unit = data.coalitions.effects[0].difference.measured_in
    figure, axes = plots.row_panels(by_count, f"{unit} added", 3)
    for ax, parts in zip(axes, by_count.values(), strict=True):
        ax.axvline(0, color=plots.MUTED, linewidth=0.8, zorder=1)
        for place, rows in enumerate(parts.values()):
            by_kind = {row["kind"]: row for row in rows}
            for number, (kind, _, colour, mark) in enumerate(VIEWS):
                if row := by_kind.get(kind):
                    face = colour if row["filled"] else plots.PAPER
                    look: dict[str, Any] = {
                        "marker": mark,
                        "markerfacecolor": face,
                        "markersize": 4.5,
                    }
                    at = place + (number - 1) * STEP
                    plots.interval(ax, at, row["mean"], row["low"], row["high"], colour, **look)
        names = []
        for absence, part in parts:
            names.append(f"{part} ({absence})" if several else part)
        plots.rows(ax, names)
    for _, name, colour, mark in VIEWS:
        axes[0].plot([], [], mark, color=colour, markersize=4.5, label=name)
    axes[0].locator_params(axis="x", nbins=6)  # numbers of small differences are long
    plots.legend(figure, axes[:1], 3)
    return figure


def _matrix(data: HasCoalitions, *, absence: str) -> Rows:
    study = data.coalitions
    kinds: tuple[Kind, ...] = ("interaction", "shapley")
    effects = list[Effect]()
    if study:
        for kind in kinds:
            effects += study.of(kind, absence)
    if not any(effect.kind == "interaction" for effect in effects):
        raise NothingToDrawError("no pair of parts was measured")
    return [_row(effect) for effect in effects]


def _paint_matrix(table: Rows, data: HasCoalitions) -> Any:
    assert data.coalitions is not None
    names = data.coalitions.design.names
    cells: dict[tuple[int, int], dict[str, Any]] = {}
    for row in table:
        places = [names.index(name) for name in row["parts"].split(" x ")]
        cells[places[-1], places[0]] = row
    grid = [[nan] * len(names) for _ in names]
    for (down, across), row in cells.items():
        grid[down][across] = row["mean"]
    most = max(abs(row["mean"]) for row in table) or 1.0
    figure = plots.canvas(max(plots.WIDTH, 1.8 + 0.72 * len(names)), 1.1 + 0.52 * len(names))
    ax = figure.subplots()
    image = ax.imshow(grid, cmap="PuOr_r", vmin=-most, vmax=most, aspect="auto")
    ax.set_xticks(range(len(names)), names, rotation=20, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)
    for (down, across), row in cells.items():
        dark = abs(row["mean"]) > 0.6 * most
        look = {"ha": "center", "va": "center", "color": "#ffffff" if dark else "#000000"}
        weight = "bold" if row["filled"] else "normal"
        bounds = row["low"] is not None
        ax.text(
            across,
            down - (0.16 if bounds else 0),
            f"{row['mean']:+.2f}",
            fontsize=8,
            fontweight=weight,
            **look,
        )
        if bounds:
            ax.text(
                across, down + 0.2, f"{row['low']:+.2f} to {row['high']:+.2f}", fontsize=6, **look
            )
    unit = data.coalitions.effects[0].difference.measured_in
    figure.colorbar(image, label=unit).outline.set_visible(False)
    return figure
