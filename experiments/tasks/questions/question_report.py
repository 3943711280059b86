"""The accuracy of runs of questions, and their report: one table like the paper's, in every form of
a document."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, product
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.analysis.statistics.clusters import (
    cluster_means,
    guessed_share,
    mean_share,
)
from hanabi_orchestrator.experiments.analysis.statistics.correlation import (
    LEAST,
    Correlation,
    correlate,
)
from hanabi_orchestrator.experiments.analysis.statistics.estimates import Bounds, standard_error
from hanabi_orchestrator.experiments.document import data, markdown, plots
from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Cell,
    Column,
    Document,
    Figure,
    Heading,
    Table,
    table,
)
from hanabi_orchestrator.experiments.document.formats import INT, PERCENT_ESTIMATE, RIGHT, number
from hanabi_orchestrator.experiments.record.files import write_all
from hanabi_orchestrator.experiments.tasks.question_folder import ANSWERED, distinct_names, notes_of
from hanabi_orchestrator.experiments.tasks.questions import coordination_qa
from hanabi_orchestrator.experiments.tasks.questions.coordination_qa import (
    FOLDER,
    QaRun,
    chosen_option,
    is_right,
)
from hanabi_orchestrator.experiments.tasks.questions.questions import (
    GAMES,
    KINDS,
    TITLES,
    KeyedQuestion,
    Kind,
)
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.roles.words import many

ALL = "all"
"""In place of a game: every game."""


@dataclass(frozen=True)
class Guess:
    """What an option drawn at random gives in a kind of questions of a game: exact, from the
    options and the keys."""

    game: str
    """`all` for every game."""
    kind: Kind
    questions: int
    accuracy: float
    """The mean chance of being right."""
    interval: Bounds
    """Between the 2.5 % and 97.5 % points of the accuracy that one guess a question gives."""


@dataclass(frozen=True)
class Accuracy(Guess):
    """The same of the answers that there are: an answer that could not be read is not right.

    Its mean is over questions, of the share of trials; its interval is Clopper and Pearson's, over
    questions.
    """

    trials: int
    trial_error: float | None
    """The standard error over trials, as the paper takes it; None for one trial."""
    unread: int
    """Trials without a readable answer, after a second ask."""
    asked_again: int
    """Trials with a second ask."""


def cells(run: QaRun) -> list[Accuracy]:
    """Return, for each game and for all, each kind that has answers."""
    rows = []
    for game, kind in product(_games(run.questions), KINDS):
        answers = [answer for answer in run.answers if _fits(answer.question, game, kind)]
        if answers:
            share = mean_share((answer.question.name, is_right(answer)) for answer in answers)
            by_trial = cluster_means((answer.trial, is_right(answer)) for answer in answers)
            error = standard_error(list(by_trial.values()))
            unread = sum(
                chosen_option(answer.question.options, answer.reply) is None for answer in answers
            )
            again = sum(answer.asks > 1 for answer in answers)
            cell = Accuracy(
                game,
                kind,
                share.clusters,
                share.value,
                share.interval,
                share.n,
                error,
                unread,
                again,
            )
            rows.append(cell)
    return rows


def _games(questions: Iterable[KeyedQuestion]) -> list[str]:
    names = {question.game for question in questions}
    games = [*(game for game in GAMES if game in names), *sorted(names - {*GAMES})]
    if len(games) > 1:
        return [*games, ALL]
    return games


def _fits(question: KeyedQuestion, game: str, kind: Kind) -> bool:
    return question.kind == kind and game in (ALL, question.game)


def guesses(questions: Sequence[KeyedQuestion]) -> list[Guess]:
    """Return, for each game and for all, each kind that has questions."""
    guess = list[Guess]()
    for game, kind in product(_games(questions), KINDS):
        if chances := [question.chance for question in questions if _fits(question, game, kind)]:
            for share in [guessed_share(chances)]:
                guess.append(Guess(game, kind, share.n, share.value, share.interval))
    return guess


def correlations(runs: Sequence[QaRun]) -> list[Correlation]:
    """Correlate environment comprehension and theory of mind with joint planning, over language
    models, the sample.

    Runs of programs, simulated models and the fake server are left out. None for fewer than three
    models.
    """
    points = []
    for run in runs:
        if not run.label:
            of_run = cells(run)
            last = of_run[-1].game
            points.append({cell.kind: cell.accuracy for cell in of_run if cell.game == last})
    points = [point for point in points if len(point) == len(KINDS)]
    if len(points) < LEAST:
        return []
    planning = [point["jp"] for point in points]
    correlates = list[Correlation]()
    for kind in KINDS[:2]:
        correlates.append(correlate(kind, [point[kind] for point in points], planning))
    return correlates


SHORT: dict[Kind, str] = {"ec": "EC", "tom": "ToM", "jp": "JP"}
CAPTION = (
    "Accuracy in each kind of questions, all games together, with its 95 % interval over "
    "questions. The dashed line: options drawn at random."
)
GUESSING = "guessing"
"""The name of the row for options drawn at random."""


@dataclass(frozen=True)
class Report:
    """The figures of runs."""

    names: tuple[str, ...]
    """What the runs are called: by their model, and by their folder, too, where several have the
    same."""
    runs: tuple[QaRun, ...]
    cells: tuple[tuple[Accuracy, ...], ...]
    """The accuracies of each run."""
    guesses: tuple[Guess, ...]
    correlations: tuple[Correlation, ...]


def read(folders: Sequence[Path]) -> Report:
    """Return the report of the runs in these folders. Raises UserError for a folder without
    answers, and for questions of several files."""
    runs = tuple(map(FOLDER.run, folders))
    first = runs[0]
    for run in runs:
        if not run.answers:
            raise UserError(
                f"{str(run.folder)!r} holds no answer yet; `evaluate questions` with the same "
                "--out goes on"
            )
        if run.record.digest != first.record.digest:
            raise UserError(
                f"{str(run.folder)!r} asked the questions of another file ({run.record.file}, "
                f"{run.record.digest}) than {str(first.folder)!r} ({first.record.file}, "
                f"{first.record.digest}); report them apart"
            )
    questions: list[KeyedQuestion] = list(
        {q.name: q for run in runs for q in run.questions}.values()
    )
    accuracies = tuple(tuple(cells(run)) for run in runs)
    names = distinct_names([(run.name, run.folder) for run in runs])
    return Report(names, runs, accuracies, tuple(guesses(questions)), tuple(correlations(runs)))


def blocks(report: Report) -> tuple[Block, ...]:
    """Return the table, the correlations and the notes."""
    correlations = correlation_table(report)
    heading = (
        (Heading("Correlation with joint planning, over models"),) if correlations.rows else ()
    )
    return (accuracy_table(report), *heading, correlations, *notes_of(dict.fromkeys(notes(report))))


def accuracy_table(report: Report) -> Table:
    """Return the table: for each game, the runs and then guessing."""
    kinds = [Column(kind, SHORT[kind], PERCENT_ESTIMATE) for kind in KINDS]
    columns = (Column("who", "who", unbroken=True), Column("game", "game", unbroken=True), *kinds)
    rows: list[tuple[Cell, ...]] = []
    for game in dict.fromkeys(guess.game for guess in report.guesses):
        for name, cells in zip(report.names, report.cells, strict=True):
            ours = {cell.kind: cell for cell in cells if cell.game == game}
            if ours:
                unread = sum(cell.unread for cell in ours.values())
                trials = sum(cell.trials for cell in ours.values())
                rows.append((name, game, *_shares(ours), f"{unread} of {trials}"))
        guesses = {guess.kind: guess for guess in report.guesses if guess.game == game}
        rows.append((GUESSING, game, *_shares(guesses), None))
    looks = []
    for row in rows:
        looks.append("faint" if row[0] == GUESSING else "plain")
    return table(
        "accuracy", (*columns, Column("unread", "no answer", RIGHT)), rows, looks=tuple(looks)
    )


def _shares(cells: Mapping[Kind, Guess]) -> Iterator[Cell]:
    for kind in KINDS:
        cell = cells.get(kind)
        if cell is None:
            yield None
        else:
            yield (cell.accuracy, *cell.interval)


def correlation_table(report: Report) -> Table:
    """Return, like the paper's table 6, how the accuracy in EC and ToM goes with that in JP, over
    models."""
    columns = (
        Column("kind", "with JP"),
        Column("models", "models", INT),
        Column("pearson", "Pearson r", number(3)),
        Column("pearson_p", "p", number(3)),
        Column("spearman", "Spearman rho", number(3)),
        Column("spearman_p", "p", number(3)),
    )
    titles = {str(kind): title for kind, title in SHORT.items()}
    rows = []
    for row in report.correlations:
        rows.append(
            (titles[row.figure], row.n, row.pearson, row.pearson_p, row.spearman, row.spearman_p)
        )
    return table("correlations", columns, rows)


def notes(report: Report) -> Iterator[str]:
    """Give what a reader of the table must know."""
    yield (
        "Accuracy over questions, each with its share of right trials, and its 95 % interval "
        f"over questions; an answer that cannot be read is wrong. {GUESSING.capitalize()} is "
        "exact, with the range of 95 % of guessers."
    )
    for name, run in zip(report.names, report.runs, strict=True):
        if run.label == PROGRAM:
            yield (
                "program: no model; it reads the text of Hanabi positions and has no answers "
                "for other games."
            )
        elif run.label:
            yield f"{name}: {ANSWERED[run.label]}"
        if run.missing:
            missing = many(run.missing, "missing answer")
            yield f"{name}: {missing}; the same `evaluate questions` goes on."
        yield from (f"{name}: left out: {sentence}." for sentence in run.record.left_out)
        yield from (f"{q.name}: {q.mended.rstrip('.')}." for q in run.questions if q.mended)
    names = []
    for run in report.runs:
        names.append({question.name for question in run.questions})
    if any(questions != names[0] for questions in names):
        yield (
            "The runs did not have the same questions; compare them only where their games are "
            "the same."
        )
    if not report.correlations and len(report.runs) > 1:
        models = sum(not run.label for run in report.runs)
        yield (
            f"No correlations: they need {LEAST} language models with all kinds of questions, and "
            f"here are {models}."
        )


def paint(
    names: Sequence[str], cells: Sequence[Sequence[Accuracy]], guesses: Sequence[Guess]
) -> Any:
    """Return accuracy by kind of question as a matplotlib figure: a panel for each kind, a row for
    each run with its accuracy over all its games, and what guessing gives."""
    game = guesses[-1].game
    chance = {guess.kind: guess.accuracy for guess in guesses if guess.game == game}
    kinds = [kind for kind in KINDS if kind in chance]
    figure, axes = plots.panels([plots.height(len(names))] * len(kinds))
    for ax, kind in zip(axes, kinds, strict=True):
        ax.set_title(f"{TITLES[kind].removesuffix(' reasoning')} ({SHORT[kind]})")
        ax.axvline(
            100 * chance[kind], color=plots.MUTED, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1
        )
        for place, run in enumerate(cells):
            for cell in (cell for cell in run if (cell.game, cell.kind) == (game, kind)):
                low, high = cell.interval
                plots.interval(ax, place, 100 * cell.accuracy, 100 * low, 100 * high)
        plots.rows(ax, names)
        ax.set_xlim(-2, 102)
    axes[-1].set_xlabel("% of questions right")
    return figure


def rows(report: Report) -> list[dict[str, Any]]:
    """Return a row of `accuracy.csv` for each run, game and kind."""
    chance = {(guess.game, guess.kind): guess.accuracy for guess in report.guesses}
    return [
        {
            "model": name,
            "folder": str(run.folder),
            "language_model": not run.label,
            **{
                key: getattr(cell, key)
                for key in ("game", "kind", "questions", "trials", "accuracy")
            },
            **dict(zip(("low", "high"), cell.interval, strict=True)),
            "trial_error": cell.trial_error,
            "guessing": chance.get((cell.game, cell.kind)),
            "unread": cell.unread,
            "asked_again": cell.asked_again,
        }
        for name, run, cells in zip(report.names, report.runs, report.cells, strict=True)
        for cell in cells
    ]


def json_value(report: Report) -> dict[str, Any]:
    """Return what `--json` prints."""
    return {
        "cells": rows(report),
        "guessing": [asdict(guess) for guess in report.guesses],
        "correlations": [asdict(row) for row in report.correlations],
        "notes": list(dict.fromkeys(notes(report))),
    }


def write(report: Report, folder: Path) -> list[Path]:
    """Write the report as Markdown with its picture, and CSV, with every answer of the runs. Raises
    OSError."""
    answers = list(chain.from_iterable(map(coordination_qa.rows, report.runs)))
    shown = Figure("accuracy", "Accuracy", CAPTION, "accuracy.csv", "accuracy.svg")
    texts = {
        "report.md": markdown.text(Document("CoordinationQA", (shown, *blocks(report)))),
        "accuracy.csv": data.csv_text(rows(report)),
        "answers.csv": data.csv_text(answers),
    }
    svg = plots.picture(
        lambda: paint(report.names, report.cells, report.guesses), png=folder / "accuracy.png"
    )
    return write_all(folder, {**texts, "accuracy.svg": svg})
