"""The contents of a report, and its two pages, HTML and Markdown."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from experiments.report import adhoc_section, tables
from experiments.report.figures import drawing
from experiments.report.run_data import RunData
from experiments.report.tables import Grid
from experiments.statistics import adhoc_teams, conclusions
from experiments.statistics.analysis import Analysis
from experiments.statistics.caveats import caveats
from orchestrator.models.simulated_settings import among


@dataclass(frozen=True)
class Part:
    """The tables of one set of games."""

    scores: Grid
    differences: Grid | None
    play: Grid | None
    origins: Grid | None


@dataclass(frozen=True)
class Contents:
    name: str
    warnings: tuple[str, ...]
    """What every reader must know first: which games were not played by language models."""
    facts: tuple[tuple[str, str], ...]
    arms: Grid
    conclusions: tuple[str, ...]
    adhoc: Grid | None
    """Ad-hoc teams; None for a run without them."""
    adhoc_text: str
    whole: Part
    unforced: Part | None
    """The same without the games with forced moves; None when there are none."""
    flagged: tuple[str, ...]
    baseline: str | None
    drawn: tuple[drawing.DrawnFigure, ...]
    left: tuple[drawing.LeftOut, ...]
    missing: str | None
    """Why there are no pictures; None when there are."""


def contents(data: RunData, drawn: Sequence[drawing.DrawnFigure], left: Sequence[drawing.LeftOut]) -> Contents:
    analysis, teams = data.analysis, adhoc_section.found(data)
    return Contents(
        name=str(data.run.get("name") or data.folder.resolve().name),
        warnings=tuple(_warnings(data)),
        facts=tuple(_facts(data)),
        arms=_arms(data),
        conclusions=(*adhoc_teams.sentences(teams), *conclusions.sentences(analysis)),
        adhoc=adhoc_section.grid(teams) if teams else None,
        adhoc_text=adhoc_section.TEXT,
        whole=_part(analysis),
        unforced=_part(analysis.unforced, play=False) if analysis.unforced else None,
        flagged=analysis.flagged,
        baseline=analysis.baseline if analysis.differences else None,
        drawn=tuple(drawn),
        left=tuple(left),
        missing=None if drawing.there() else drawing.MISSING,
    )


def _part(analysis: Analysis, *, play: bool = True) -> Part:
    differences = tables.differences(analysis) if analysis.differences else None
    more = (tables.play(analysis.summaries), tables.origins(analysis.summaries)) if play else (None, None)
    return Part(tables.scores(analysis.summaries), differences, *more)


def _warnings(data: RunData) -> list[str]:
    summaries = data.analysis.summaries
    if all(summary.program for summary in summaries):
        return ["All of these are games of programs: no language model was asked."]
    return list(caveats(data.analysis))


def _facts(data: RunData) -> list[tuple[str, str]]:
    run, rows = data.run, data.rows
    planned = _planned(run)
    finished = f"{len(rows)} finished" + (f" of {planned}" if planned and planned > len(rows) else "")
    facts = [
        ("games", finished),
        ("players", ", ".join(map(str, data.players()))),
        ("deals", f"HLE's own, seeds {spans(sorted({row.seed for row in rows}))}"),
        ("repeats of each deal", str(max(row.repeat for row in rows))),
        ("models", ", ".join(dict.fromkeys(_models(data)))),
    ]
    if versions := run.get("versions"):
        facts.append(("versions", ", ".join(f"{name} {version}" for name, version in versions.items())))
    if run.get("config_hash"):
        facts.append(("config hash", str(run["config_hash"])))
    return [(name, fact) for name, fact in facts if fact]


def _planned(run: Mapping[str, Any]) -> int | None:
    """The number of games that run.yaml asks for; None for ad-hoc teams, whose arms differ in deals."""
    if not run or "adhoc" in run.get("experiment", {}):
        return None
    counts = sum(len(arm.get("players", ())) for arm in run.get("arms", {}).values())
    return counts * len(run.get("seeds", ())) * int(run.get("repeats", 1))


def _models(data: RunData) -> list[str]:
    seats = data.run.get("seats", {}).values()
    models = [str(seat.get("model", "")) for seat in seats if seat.get("config")]
    return [f"{model} (simulated)" if among(model) else model for model in models if model]


def spans(numbers: Sequence[int]) -> str:
    """`1-3, 7` for 1, 2, 3, 7."""
    found: list[list[int]] = []
    for one in numbers:
        if found and one == found[-1][1] + 1:
            found[-1][1] = one
        else:
            found.append([one, one])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in found)


def _arms(data: RunData) -> Grid:
    seats, arms = data.run.get("seats", {}), data.run.get("arms", {})
    given = data.run.get("experiment", {}).get("arms")
    rows = []
    for arm in data.arms:
        seat = seats.get(arms.get(arm, {}).get("everybody"), {})
        others = [_who(seats.get(key, {})) for key in arms.get(arm, {}).get("others", ())]
        who = " + ".join([_who(seat) or next(row.graph for row in data.rows_of(arm)), *others])
        rows.append((arm, who, str(seat.get("model", "–")), _changes(arm, given, data)))
    return Grid(("arm", "seats", "model", "changes"), tuple(rows), words=4)


def _who(seat: Mapping[str, Any]) -> str:
    return str(seat.get("spec", ""))


def _changes(arm: str, given: Any, data: RunData) -> str:
    if isinstance(given, dict):
        return "; ".join(f"{key}: {_short(value)}" for key, value in (given.get(arm) or {}).items()) or "nothing"
    return f"without: {arm.removeprefix('no-')}" if given == "leave_one_out" and arm != "full" else "nothing"


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(inner)}" for key, inner in value.items())
    return ", ".join(map(_short, value)) if isinstance(value, list) else str(value)


@cache
def _templates() -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def load(name: str) -> str:
        return files("experiments.report").joinpath(name).read_text("utf-8")

    return Environment(
        loader=FunctionLoader(load),
        autoescape=lambda name: bool(name and name.endswith(".html")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def html(shown: Contents) -> str:
    from markupsafe import Markup

    def inline(one: drawing.DrawnFigure) -> Markup:
        return Markup(drawing.inline(one.svg or "", one.figure.name, f"{one.figure.title}. {one.figure.caption}"))

    return str(_templates().get_template("report.html").render(shown=shown, inline=inline))


def markdown(shown: Contents) -> str:
    def cell(text: str) -> str:
        return text.replace("|", "\\|")

    templates = _templates().overlay(finalize=_inert)
    return str(templates.get_template("report.md").render(shown=shown, cell=cell))


def _inert(value: object) -> object:
    """A value for Markdown: names of models and arms bring no HTML, links or pictures of their own."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", value).replace("](", "]&#40;") if isinstance(value, str) else value
