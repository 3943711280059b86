"""The report of a run folder: one document of its analysis, tables, roles, figures and settings,
written as files."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.analysis import caveats, conclusions
from hanabi_orchestrator.experiments.analysis.analysis import Analysis
from hanabi_orchestrator.experiments.analysis.statistics.estimates import Interval
from hanabi_orchestrator.experiments.document import html, latex, markdown
from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Document,
    Figure,
    Folded,
    Heading,
    Note,
    Table,
    Text,
    notes,
)
from hanabi_orchestrator.experiments.document.data import records
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.files import locked, write_atomically
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.measures import known
from hanabi_orchestrator.experiments.record.rows import leave_out, peek_all
from hanabi_orchestrator.experiments.report import (
    arm_graphs,
    coalition_tables,
    control_tables,
    marked_run,
    methods,
    roles_section,
    run_facts,
    score_tables,
    usage_table,
    verdict,
)
from hanabi_orchestrator.experiments.report.answerers import confound
from hanabi_orchestrator.experiments.report.arm_graphs import AddedRole
from hanabi_orchestrator.experiments.report.figures import drawing
from hanabi_orchestrator.experiments.report.marked_run import MarkedRun, Unmarked
from hanabi_orchestrator.experiments.report.run_data import RunData, run_data
from hanabi_orchestrator.experiments.study import manifest
from hanabi_orchestrator.experiments.study import notes as study_notes
from hanabi_orchestrator.experiments.study.notes import spans
from hanabi_orchestrator.experiments.study.references import named, unfit
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.roles.words import many

HTML = "report.html"
MARKDOWN = "report.md"
LATEX = "tables.tex"


def run_report(
    data: RunData,
    roles: MarkedRun | Unmarked | None = None,
    figures: Sequence[Figure] = (),
    left_out: Sequence[drawing.LeftOut] = (),
    tasks: Sequence[Block] = (),
    added: Sequence[AddedRole] = (),
) -> Document:
    """Return the report of a run; `tasks`: what other tasks found in its games, such as judged
    statements; `added`: what the roles change that its arms add."""
    analysis = data.analysis
    question = str((data.run.get("experiment") or {}).get("question") or "")
    programs = all(summary.provenance.only_programs for summary in analysis.summaries)
    warnings = (*caveats.answerers(analysis), *caveats.own_moves(analysis))
    if programs:
        warnings = ("All of these are games of programs: no language model was asked.",)
    concluded = verdict.sentences(data, roles)
    # the controls' own arms, and what the verdict has no place for
    more = []
    for sentence in conclusions.verdict(analysis, verdict.clauses(data)):
        if data.teams or (sentence not in concluded and data.controls):
            more.append(sentence)
    more += control_tables.sentences(data.controls, analysis)
    more += conclusions.notes(analysis)
    if not programs:
        more += caveats.refusals(analysis)
    more += [role.sentence for role in added]
    # a warning says it
    more = [sentence for sentence in more if sentence != conclusions.PROGRAMS]
    protocol = (
        data.headline.sentence,
        *study_notes.notes(data.run, data.rows),
        *confound(data.answerers),
        *run_facts.missing(data),
        *unfit(data.references, data.players(), data.metric),
    )
    corrected = score_tables.corrected_intervals(analysis)
    first = [figure for figure in figures if figure.key in FIRST]
    beside = [Heading("Beside the verdict", 3)] if more else []
    omitted = [f"{figure.title}: {figure.why}" for figure in left_out]
    blocks = (
        *map(Text, filter(None, [question])),
        *notes(warnings, "no model"),
        Heading("What can and cannot be concluded", key="conclusions"),
        *notes(concluded),
        *first,
        replace(
            score_tables.brief(analysis, data.comparable),
            caption=score_tables.brief_caption(analysis),
        ),
        *beside,
        *notes(more),
        Heading("Protocol and what is missing", 3),
        *notes(protocol),
        Heading("Tables", key="tables"),
        *coalition_tables.blocks(data),
        control_tables.adhoc(data.teams),
        control_tables.controls(data.controls),
        control_tables.apart(analysis),
        *_game_tables(data, tasks),
        *(roles_section.blocks(roles) if roles else ()),
        Heading("Figures", key="figures"),
        *(figure for figure in figures if figure not in first),
        *map(Text, ["Left out:"] if left_out else []),
        *notes(omitted, "aside"),
        *_settings(data),
    )
    if corrected.rows:
        blocks += (Heading("Appendix", key="appendix"), corrected)
    return Document(str(data.run.get("name") or data.folder.resolve().name), blocks)


FIRST = ("coalitions", "differences")
"""The figures below the verdict."""


def _game_tables(data: RunData, tasks: Sequence[Block]) -> Iterator[Block]:
    """Return the tables of scores, differences, variances and moves, and those of other tasks."""
    analysis = data.analysis
    yield score_tables.scores(analysis, data.comparable)
    yield control_tables.published(data)
    yield score_tables.differences(analysis.differences, analysis.other_differences, analysis)
    yield score_tables.more_differences(data.more_differences, analysis)
    if not data.pairs:
        yield score_tables.variances(data.variances, analysis)
    yield from tasks
    yield score_tables.origins(analysis)
    yield score_tables.play(analysis)
    yield usage_table.table(data)
    if free := analysis.unforced:
        many = (
            f" In {', '.join(analysis.flagged)} so many moves were forced that the score reflects "
            "the fallback more than the arm."
        )
        caption = (
            "A forced move was chosen by the safe fallback, not by the "
            f"arm.{many if analysis.flagged else ''} In differences only the counterparts of "
            "these games: other deals, perhaps easier."
        )
        title = "Without the games in which a move was forced"
        yield replace(
            score_tables.scores(free, free.summaries),
            key="unforced-arms",
            title=title,
            caption=caption,
        )
        differences = score_tables.differences(free.differences, free.other_differences, free)
        yield replace(differences, key="unforced-differences", title="", caption="")


def _settings(data: RunData) -> Iterator[Block]:
    """Return what was run: deals, seats, models, words and prompts."""
    yield Heading("What was run", key="run")
    yield Heading("Methods", 3)
    yield Text(methods.paragraph(data))
    yield run_facts.facts(data)
    yield run_facts.seats(data)
    yield run_facts.models(data)
    if diffs := list(run_facts.diffs(data)):
        yield Heading("Replaced words", 3)
        yield Text("What arms say in place of the baseline's words, line by line.")
        yield from diffs
    if prompts := list(run_facts.prompts(data)):
        yield Heading("Prompts", 3)
        yield Text(
            "The first prompt of each node in the first game of each arm; other arms as a diff "
            "to the baseline."
        )
        yield from prompts
    if templates := run_facts.templates(data):
        yield Folded(
            f"{len(templates)} texts that prompts are made from", templates, page_only=True
        )
    yield Text(
        "run.yaml holds everything needed to repeat the run; results.csv has a row for each game."
    )


@dataclass(frozen=True)
class Report:
    """A report and the files that it was written to."""

    data: RunData
    roles: MarkedRun | Unmarked | None
    drawn: tuple[Figure, ...]
    left_out: tuple[drawing.LeftOut, ...]
    """Figures without data, and those that could not be drawn."""
    tex: bool
    """Whether tables for LaTeX were written."""
    document: Document
    added: tuple[AddedRole, ...]
    """What the roles change that arms add."""
    unwritten: str = ""
    """Why its files could not be written; empty where they were."""

    @property
    def folder(self) -> Path:
        return self.data.folder

    @property
    def html(self) -> Path:
        return self.folder / HTML

    @property
    def unfit(self) -> tuple[str, ...]:
        """Which references are not in it, and why."""
        return tuple(unfit(self.data.references, self.data.players(), self.data.metric))


def write(
    folder: Path,
    *,
    peeked: Mapping[Path, Game] | None = None,
    interval: Interval = "t",
    metric: str | None = None,
    png: bool = True,
    tex: bool = False,
    marks: bool | None = None,
    reference: Sequence[str] = (),
    tasks: Sequence[Block] = (),
) -> Report:
    """Write the report of a run folder into it, while no other shard of the run does.

    `peeked`: its journals, as far as they have been read already; `interval`: the method of the 95
    % intervals; `metric`: what arms are compared by, if it is not to be the run's own; `png`: write
    PNG files beside the SVG files; `tex`: write the tables for LaTeX; `marks`: as `compute` of
    `marked_run.prepare`; `reference`: names of published scores to show, beside those that the
    experiment names; `tasks`: as in `run_report`. Unreadable journals are named in the report.
    Raises UserError for a folder without finished games.
    """
    run_folder.run(folder)  # what is wrong with run.yaml is said before anything else
    unread: dict[Path, str] = {}

    def unreadable(path: Path, error: UserError) -> None:
        if path not in unread:
            leave_out(path, error)
        unread[path] = str(error)

    journals = peek_all(folder, peeked, unreadable)
    # long, so before the lock
    why = marked_run.prepare(folder, run_folder.read_rows(folder, journals), compute=marks)
    with locked(folder) if folder.is_dir() else nullcontext():
        run = run_folder.run(folder)
        journals = peek_all(folder, journals, unreadable)
        games = tuple(run_folder.read_rows(folder, journals))
        cited = (run.get("experiment") or {}).get("reference") or []
        if isinstance(cited, str):
            cited = [cited]
        references = named([*cited, *reference])
        data = replace(
            run_data(folder, games, run, metric, interval),
            references=references,
            journals=journals,
            unread=unread,
        )
        roles = Unmarked(why) if why else marked_run.ready(data)
        data = replace(data, marked=roles.games if isinstance(roles, MarkedRun) else ())
        drawn, left_out = drawing.draw(data, png=png)
        added = tuple(arm_graphs.added_roles(data))
        document = run_report(data, roles, drawn, left_out, tasks, added)
        unwritten = ""
        try:
            write_atomically(folder / HTML, html.page(document))
            write_atomically(folder / MARKDOWN, markdown.text(document))
            usage_table.write(folder, usage_table.table(data))
            manifest.complete(folder, methods.stated(data))
            if tex:
                write_atomically(folder / LATEX, latex_tables(data, document))
        # a run on a disk that is full or cannot be written can be told all the same
        except OSError as error:
            unwritten = (
                "the report's files are not written, so they are old or missing: "
                f"{error.strerror}: {error.filename}"
            )
    return Report(data, roles, tuple(drawn), tuple(left_out), tex, document, added, unwritten)


PAPER = {
    "arms": "arm players games {0} {0}_bounds {0}_sd {1} {1}_bounds {1}_sd perfect struck_out",
    "differences": "arm players n mean bounds p_holm other_mean other_bounds other_p_holm",
}
"""The columns of the tables that papers print; the others have all of theirs."""


ASIDE = ("facts", "verdict")
"""Tables that papers do not print, or whose rows others have in full."""


def latex_tables(data: RunData, document: Document) -> str:
    """Return all tables for LaTeX, each with the number of games, the design and what played in its
    caption."""
    name = document.title
    deals = many(len({row.seed for row in data.rows}), "deal")
    n = f"{many(len(data.rows), 'game')} on {deals}."
    design = " ".join(_design(data))
    by = "made by `orchestrator report --latex`; \\usepackage{booktabs,graphicx}."
    tables = []
    for table in (
        block for block in document.blocks if isinstance(block, Table) and block.key not in ASIDE
    ):
        if table.title:
            title = f"{table.title.rstrip('.')} in {name}"
        else:
            title = f"{table.key.capitalize()} of {name}"
        if table.key in PAPER:
            method = f" {methods.of_table(data, table.key)}"
        else:
            method = ""
        tables.append(replace(table, title=title, caption=f"{n} {table.caption}{method} {design}"))
        if table.key in PAPER:
            keys = score_tables.keys(PAPER[table.key], data.analysis)
            tables[-1] = tables[-1].select(keys)
    return latex.tables(tables, f"Tables of the run {latex.escape(name)}, {by}", name)


def _design(data: RunData) -> Iterator[str]:
    """Return seeds, protocol, score and what played, in sentences."""
    seeds = spans(sorted({row.seed for row in data.rows}))
    repeats = max(row.repeat for row in data.rows)
    if repeats > 1:
        each = f", each played {repeats} times"
    else:
        each = ""
    given = run_facts.own_decks(data.rows)
    yield f"Deals: {given or f'seeds {seeds} of the Hanabi Learning Environment'}{each}."
    protocol = (data.run.get("experiment") or {}).get("protocol")
    if protocol:
        yield f"Protocol {protocol}."
    else:
        yield "No published protocol."
    for note in study_notes.notes(data.run):
        if note.startswith(study_notes.DEPARTS):
            yield note
    measure = known().get(data.analysis.metric)
    if measure:
        about = measure.says
    else:
        about = "the mean of a mark over the replies of a game"
    yield f"Headline: {score_tables.spoken(data.analysis.metric)}, {about}."
    if data.label:
        yield f"Players: {data.label}."


def json_value(report: Report) -> dict[str, Any]:
    """Return what was written and all its numbers as plain data."""
    folder = report.folder
    data = report.data
    return {
        "report": [str(report.html), str(folder / MARKDOWN)],
        "latex": str(folder / LATEX) if report.tex else None,
        "metric": asdict(data.headline),
        "figures": [str(folder / (figure.picture or figure.csv)) for figure in report.drawn],
        "references_left_out": list(report.unfit),
        "left_out": [asdict(omitted) for omitted in report.left_out],
        **({"unwritten": report.unwritten} if report.unwritten else {}),
        **verdict.plain(data, report.roles),
        "analysis": conclusions.as_data(data.analysis),
        "roles": roles_section.data(report.roles),
        "usage": records(usage_table.table(data)),
        "methods": methods.stated(data),
        **findings(data, report.added),
    }


def analysis_data(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis as plain data, with its summaries under `arms`."""
    plain = conclusions.as_data(analysis)
    return {"arms": plain.pop("summaries"), **plain}


def findings(data: RunData, added: Sequence[AddedRole] = ()) -> dict[str, Any]:
    """Return as plain data what only some runs have: ad-hoc teams, controls, added roles."""
    parts = {
        "adhoc": [asdict(teams) for teams in data.teams],
        "controls": [
            {**asdict(role), "survives": role.survives, "said": role.sentence}
            for role in data.controls
        ],
        "added": [role.data for role in added],
        "coalitions": coalition_tables.plain(data),
        "contrasts": [asdict(each) for each in data.own_contrasts],
    }
    return {name: part for name, part in parts.items() if part}


def files(report: Report, *, full: bool = False) -> Iterator[Block]:
    """Return the verdict and what was written, for a terminal; `full`: the whole report in place of
    the verdict."""
    if full:
        yield from report.document.unfolded
    else:
        yield from verdict.blocks(report.data, report.roles)
    if report.unwritten:
        yield Note(report.unwritten, "caution")
        return
    pictures = sum(bool(figure.picture) for figure in report.drawn)
    yield Note(f"report   {report.html}\n         {report.folder / MARKDOWN}")
    yield Note(
        f"figures  {len(report.drawn)} tables and {pictures} pictures in "
        f"{report.folder / drawing.FOLDER}"
    )
    if report.tex:
        yield Note(f"LaTeX    {report.folder / LATEX}")
    yield from notes(report.unfit)
