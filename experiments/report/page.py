"""The contents of a report, and its two pages, HTML and Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from experiments.analysis import adhoc_teams, conclusions
from experiments.analysis.analysis import OTHER, Analysis
from experiments.analysis.caveats import caveats
from experiments.analysis.role_controls import role_controls
from experiments.analysis.summaries import Summary
from experiments.record.rows import Metric
from experiments.report import (
    adhoc_section,
    controls_section,
    judged_section,
    model_facts,
    reference_section,
    run_facts,
    table_texts,
    tables,
)
from experiments.report.figures import drawing
from experiments.report.judged_section import JudgedSection
from experiments.report.roles_section import RolesSection
from experiments.report.run_data import RunData
from experiments.report.run_facts import Folded
from experiments.report.tables import Grid
from experiments.study.notes import notes
from experiments.study.references import unfit


@dataclass(frozen=True)
class Part:
    """The tables of one set of games."""

    scores: Grid
    differences: Grid | None
    variances: Grid | None = None
    more: Grid | None = None
    """The differences by every other metric."""
    play: Grid | None = None
    origins: Grid | None = None


@dataclass(frozen=True)
class Contents:
    name: str
    question: str
    """What the experiment asks; empty where it does not say."""
    headline: str
    """The score that arms are compared by, and why, in a sentence."""
    metric: Metric
    other: Metric
    warnings: tuple[str, ...]
    """What every reader must know first: which games were not played by language models."""
    notes: tuple[str, ...]
    """Protocol, departures from it, void arms, and games that are missing."""
    facts: tuple[tuple[str, str], ...]
    arms: Grid
    models: Grid | None
    prompts: tuple[Folded, ...]
    """The first prompt of every node in one game."""
    templates: tuple[Folded, ...]
    conclusions: tuple[str, ...]
    adhoc: Grid | None
    """Ad-hoc teams; None for a run without them."""
    adhoc_text: str
    controls: Grid | None
    """Each role's effect beside its controls; None for a run without them."""
    controls_text: str
    apart: Grid | None
    apart_text: str
    diffs: tuple[Folded, ...]
    """The words that arms replace, as differences of texts."""
    references: Grid | None
    """Published scores; None where none is asked for or fits."""
    references_text: str
    judged: tuple[JudgedSection, ...]
    """What judges of state tracking found; none where nobody was asked."""
    whole: Part
    mixed: bool
    """Whether the pooled rows are not all over the same player counts."""
    repeated: bool
    """Whether any deal was played more than once by an arm."""
    one_deal: bool
    """Whether all comparisons are between the repeats of one deal, which are not paired."""
    unforced: Part | None
    """The same without the games with forced moves; None when there are none."""
    flagged: tuple[str, ...]
    baseline: str | None
    differences_text: str
    more_text: str
    drawn: tuple[drawing.DrawnFigure, ...]
    left: tuple[drawing.LeftOut, ...]
    missing: str | None
    """Why there are no pictures; None when there are."""
    roles: RolesSection


def contents(
    data: RunData,
    drawn: Sequence[drawing.DrawnFigure],
    left: Sequence[drawing.LeftOut],
    roles: RolesSection | None = None,
) -> Contents:
    analysis, teams = data.analysis, adhoc_section.found(data)
    controls = role_controls(analysis, data.run)
    held = controls_section.sentences(controls, analysis)
    said = (*adhoc_teams.sentences(teams), *conclusions.sentences(analysis), *held)
    return Contents(
        name=str(data.run.get("name") or data.folder.resolve().name),
        question=str((data.run.get("experiment") or {}).get("question") or ""),
        headline=data.headline.sentence,
        metric=analysis.score,
        other=OTHER[analysis.score],
        warnings=tuple(_warnings(data)),
        notes=(*notes(data.run, data.rows), *run_facts.missing(data), *_unfit(data)),
        facts=tuple(run_facts.facts(data)),
        arms=run_facts.arms(data),
        models=model_facts.models(data),
        prompts=run_facts.prompts(data),
        templates=run_facts.templates(data),
        conclusions=tuple(one for one in said if one != conclusions.PROGRAMS),  # a warning says it
        adhoc=adhoc_section.grid(teams) if teams else None,
        adhoc_text=adhoc_section.TEXT,
        controls=controls_section.grid(controls) if controls else None,
        controls_text=controls_section.TEXT,
        apart=controls_section.apart(analysis),
        apart_text=controls_section.APART_TEXT,
        diffs=tuple(run_facts.diffs(data)),
        references=reference_section.grid(data),
        references_text=reference_section.TEXT,
        judged=judged_section.found(data.folder),
        whole=_whole(data),
        mixed=data.mixed,
        repeated=any(one.within is not None for one in data.variances),
        one_deal=all(one.unit == "repeats" for one in analysis.differences),
        unforced=_part(analysis.unforced, analysis.unforced.summaries) if analysis.unforced else None,
        flagged=analysis.flagged,
        baseline=analysis.baseline if analysis.differences else None,
        differences_text=table_texts.differences(analysis) if analysis.differences else "",
        more_text=table_texts.more(data.more_differences, analysis),
        drawn=tuple(drawn),
        left=tuple(left),
        missing=None if drawing.there() else drawing.MISSING,
        roles=roles or RolesSection(None),
    )


def _unfit(data: RunData) -> Iterator[str]:
    return unfit(data.references, data.players(), data.metric)


def _whole(data: RunData) -> Part:
    found = data.analysis
    part = _part(found, data.comparable)
    variances = None if data.pairs else tables.variances(data.variances, found)
    more = tables.more_differences(data.more_differences, found)
    return Part(part.scores, part.differences, variances, more, tables.play(found), tables.origins(found))


def _part(analysis: Analysis, found: Sequence[Summary]) -> Part:
    return Part(tables.scores(analysis, found), tables.differences(analysis) if analysis.differences else None)


def _warnings(data: RunData) -> list[str]:
    summaries = data.analysis.summaries
    if all(summary.program for summary in summaries):
        return ["All of these are games of programs: no language model was asked."]
    return list(caveats(data.analysis))


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

    def fenced(text: str) -> Verbatim:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        return Verbatim(f"{fence}\n{text}\n{fence}")

    templates = _templates().overlay(finalize=_inert)
    return str(templates.get_template("report.md").render(shown=shown, cell=cell, fenced=fenced))


class Verbatim(str):
    """Text between fences, which Markdown shows as it is."""

    __slots__ = ()


def _inert(value: object) -> object:
    """A value for Markdown: names of models and arms bring no HTML, links or pictures of their own."""
    if isinstance(value, Verbatim) or not isinstance(value, str):
        return value
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", value).replace("](", "]&#40;")
