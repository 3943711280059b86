"""The report of a judge's run: a table like the paper's, and agreement, in every form of a
document."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import ValidationError

from hanabi_orchestrator.experiments.analysis import raters as figures
from hanabi_orchestrator.experiments.analysis.raters import Agreement, Rated, Rating, Score
from hanabi_orchestrator.experiments.analysis.statistics.clusters import Clustered
from hanabi_orchestrator.experiments.document import data, markdown
from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Cell,
    Column,
    Document,
    Heading,
    Table,
    table,
)
from hanabi_orchestrator.experiments.document.blocks import notes as plain_notes
from hanabi_orchestrator.experiments.document.formats import INT, RIGHT, TEXT, estimate
from hanabi_orchestrator.experiments.record.files import write_all
from hanabi_orchestrator.experiments.tasks.judge.human_ratings import HumanRating
from hanabi_orchestrator.experiments.tasks.judge.judge_run import FOLDER, JudgeRun, mean_ratings
from hanabi_orchestrator.experiments.tasks.question_folder import ANSWERED, notes_of
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.models.simulated_settings import is_simulated
from hanabi_orchestrator.orchestrator.values import Frozen
from hanabi_orchestrator.roles.hanabi.state_judge import ASPECTS
from hanabi_orchestrator.roles.words import many

JUDGE = "judge"
EXACT = "exact"
HUMAN = "human"
RATERS = (JUDGE, EXACT, HUMAN)
SHOWN = ("overall", "deduction_accuracy", "history_integration", "tracking_quality")
"""The aspects in the order of the paper's table."""
assert {*SHOWN} == {*ASPECTS}


def rated(run: JudgeRun, people: Sequence[HumanRating]) -> list[Rated]:
    """Return every statement with its ratings."""
    by_turn: dict[tuple[str, int], dict[str, Rating]] = {}
    for row in people:
        by_turn.setdefault((row.game, row.turn), {})[row.rater] = row.ratings
    folders = {Path(judged.game).parent for judged in run.questions}
    # the program is the exact score
    means = {} if run.record.model == PROGRAM else mean_ratings(run)
    statements = []
    for judged in run.questions:
        human = by_turn.get((judged.game, judged.turn), {})
        values = {}
        for aspect in ASPECTS:
            values[aspect] = [row[aspect] for row in human.values() if aspect in row]
        human_means = {aspect: fmean(numbers) for aspect, numbers in values.items() if numbers}
        ratings = {JUDGE: means.get(judged.name), EXACT: judged.exact, HUMAN: human_means}
        by = {rater: rating for rater, rating in ratings.items() if rating}
        model = judged.model.partition("@http")[0]  # without its server
        author = f"{model} (simulated)" if is_simulated(model) else model
        arm = f", {Path(judged.game).parent.name}" if len(folders) > 1 else ""
        statements.append(Rated(judged.game, judged.turn, f"{author}{arm}", by, human))
    return statements


SUMMARY = "summary.json"
FOLDER_NAME = "judge"
"""The folder of a run that holds its judges' folders."""
FEW_GAMES = 10
"""Games, below which a bootstrap over games is known to be too narrow."""


class JudgeSummary(Frozen):
    """What the report of an experiment shows of a judge: tables as text, and notes."""

    judge: str
    scores: tuple[tuple[str, ...], ...]
    """The columns' names, then a row each."""
    agreement: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """The figures of a judge's run."""

    run: JudgeRun
    people: tuple[HumanRating, ...]
    rated: tuple[Rated, ...]

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        return tuple(figures.scores(self.rated, RATERS, SHOWN))

    @cached_property
    def agreements(self) -> tuple[Agreement, ...]:
        return tuple(figures.agreements(self.rated, RATERS, SHOWN))


def read(folder: Path, people: Sequence[HumanRating] = ()) -> Report:
    """Return the report of the run in a folder. Raises UserError for a folder without an answer."""
    run = FOLDER.run(folder)
    if not run.answers:
        raise UserError(
            f"{str(folder)!r} holds no answer yet; `evaluate judge` with the same --out goes on"
        )
    return Report(run, tuple(people), tuple(rated(run, people)))


def blocks(report: Report) -> tuple[Block, ...]:
    """Return the tables and the notes."""
    agreements = agreement_table(report)
    heading = (Heading("Agreement"),) if agreements.rows else ()
    return (score_table(report), *heading, agreements, *notes_of(notes(report)))


def score_table(report: Report) -> Table:
    """Return, like the paper's table 4, each model's mean in each aspect, by each rater."""
    means: dict[tuple[str, str], dict[str, Clustered]] = {}
    for score in report.scores:
        means.setdefault((score.model, score.rater), {})[score.aspect] = score.mean
    words = (
        Column("lists_by", "lists by", unbroken=True),
        Column("rated_by", "rated by", unbroken=True),
    )
    aspects = (Column(aspect, aspect.replace("_", " "), estimate(3)) for aspect in SHOWN)
    rows = []
    for (model, rater), row in means.items():
        units = max(mean.units for mean in row.values())
        cells = [_cell(row[aspect]) for aspect in SHOWN]
        rows.append((model, _rater(report, rater), *cells, units))
    return table("scores", (*words, *aspects, Column("turns", "turns", INT)), rows)


def agreement_table(report: Report) -> Table:
    words = (Column(key, key, unbroken=True) for key in ("aspect", "raters"))
    titles = {"pearson": "Pearson r", "spearman": "Spearman rho", "alpha": "alpha"}
    figures = (Column(key, title, estimate(3)) for key, title in titles.items())
    rows = []
    for row in report.agreements:
        raters = " / ".join(_rater(report, rater) for rater in row.raters)
        cells = map(_cell, (row.pearson, row.spearman, row.alpha))
        rows.append((row.aspect.replace("_", " "), raters, *cells, row.alpha.units))
    return table("agreement", (*words, *figures, Column("turns", "turns", INT)), rows)


def _rater(report: Report, rater: str) -> str:
    return f"judge {report.run.name}" if rater == JUDGE else rater


def _cell(value: Clustered | None) -> Cell:
    if value is None or value.value is None:
        return None
    return (value.value, *(value.interval or (None, None)))


def notes(report: Report) -> Iterator[str]:
    """Give what a reader of the tables must know."""
    run = report.run
    if run.label == PROGRAM:
        yield "program: no model judged; the exact score stands alone."
    elif run.label:
        yield f"{run.name}: {ANSWERED[run.label]}"
    number = len({row.game for row in report.rated})
    yield (
        f"Of {many(len(report.rated), 'turn')} of {many(number, 'game')}, each "
        "rated from 0 to 1. Intervals are 95 %, by a bootstrap that draws whole games, since the "
        "turns of a game are no independent units."
    )
    if number == 1:
        yield "One game gives no interval."
    elif number < FEW_GAMES:
        yield f"Intervals over {number} games are too narrow: a bootstrap needs some ten of them."
    yield (
        "Exact: computed from the lists and the hints. Alpha is Krippendorff's, at interval "
        "level: 1 is agreement, 0 what chance gives; unlike a correlation it falls where one "
        "rater is stricter."
    )
    if unread := sum(answer.reply is None for answer in run.answers):
        answers = many(unread, "unreadable answer")
        yield f"{answers} of the judge: the turns of these are left out."
    if run.missing:
        yield f"{many(run.missing, 'missing answer')}; the same `evaluate judge` goes on."
    turns = {(judged.game, judged.turn) for judged in run.questions}
    if rest := [row for row in report.people if (row.game, row.turn) not in turns]:
        ratings = many(len(rest), "rating")
        where = f"turn {rest[0].turn} of {rest[0].game}"
        yield f"Left out: {ratings} by people of turns that were not judged; the first is {where}."


def _parts(value: Clustered | None, name: str) -> dict[str, Any]:
    low, high = value.interval if value and value.interval else (None, None)
    return {name: value.value if value else None, f"{name}_low": low, f"{name}_high": high}


def agreement_rows(report: Report) -> list[dict[str, Any]]:
    """Return the rows of `agreement.csv`."""
    return [
        {
            "aspect": row.aspect,
            "raters": "+".join(row.raters),
            **_parts(row.pearson, "pearson"),
            **_parts(row.spearman, "spearman"),
            **_parts(row.alpha, "alpha"),
            "turns": row.alpha.units,
            "games": row.alpha.groups,
        }
        for row in report.agreements
    ]


def rating_rows(report: Report) -> list[dict[str, Any]]:
    """Return every rating: a row for each statement and rater."""
    rows = []
    for row in report.rated:
        for rater, rating in row.by.items():
            ratings = {aspect: rating.get(aspect) for aspect in ASPECTS}
            place = {"game": row.game, "turn": row.turn, "lists_by": row.model, "rater": rater}
            rows.append(place | ratings)
    return rows


def json_value(report: Report) -> dict[str, Any]:
    """Return what `--json` prints."""
    scored = [
        {
            "lists_by": score.model,
            "rated_by": score.rater,
            "aspect": score.aspect,
            **_parts(score.mean, "mean"),
            "turns": score.mean.units,
            "games": score.mean.groups,
        }
        for score in report.scores
    ]
    return {
        "judge": report.run.name,
        "language_model": not report.run.label,
        "scores": scored,
        "agreement": agreement_rows(report),
        "notes": list(notes(report)),
    }


def _lines(part: Table) -> tuple[tuple[str, ...], ...]:
    """Return the titles and the texts of a table; nothing of one without rows."""
    if not part.rows:
        return ()
    titles = tuple(column.title for column in part.columns)
    return (titles, *map(tuple, part.texts()))


def summary(report: Report) -> JudgeSummary:
    """Return what the report of an experiment shows of this judge."""
    scores = _lines(score_table(report))
    agreements = _lines(agreement_table(report))
    return JudgeSummary(
        judge=report.run.name, scores=scores, agreement=agreements, notes=tuple(notes(report))
    )


def blocks_of_run(run: Path) -> list[Block]:
    """Return what the judges of a run folder found, as their last command wrote it, for the run's
    report; files of another kind are left out."""
    blocks: list[Block] = []
    for number, path in enumerate(sorted((run / FOLDER_NAME).glob(f"*/{SUMMARY}")), 1):
        with suppress(OSError, ValidationError):
            judged = JudgeSummary.model_validate_json(regular_files.content(path))
            folder = path.parent.relative_to(run)
            caption = (
                "How well seats kept track of what the hints leave of every card, 0 to 1; every "
                f"rating stands in `{folder.as_posix()}`."
            )
            title = f"State tracking, judged by {judged.judge}"
            blocks.append(
                _table(f"judged-scores-{number}", judged.scores, title=title, caption=caption)
            )
            blocks.append(_table(f"judged-agreement-{number}", judged.agreement))
            blocks += plain_notes(judged.notes)
    return blocks


def _table(key: str, texts: Sequence[tuple[str, ...]], **options: Any) -> Table:
    """Return a table of texts, the columns' titles first; its first two columns are words."""
    heads, *rows = texts or ((),)
    columns = [Column(f"{n}", head, TEXT if n < 2 else RIGHT) for n, head in enumerate(heads)]
    return table(key, columns, rows, **options)


def write(report: Report, folder: Path) -> list[Path]:
    """Write the report as Markdown and CSV, with every rating. Raises OSError."""
    texts = {
        "report.md": markdown.text(Document("State tracking, judged", blocks(report))),
        "agreement.csv": data.csv_text(agreement_rows(report)),
        "ratings.csv": data.csv_text(rating_rows(report)),
        SUMMARY: summary(report).model_dump_json(indent=1) + "\n",
    }
    return write_all(folder, texts)
