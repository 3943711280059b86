"""The report of runs of questions: one table like the paper's, as text, Markdown, CSV and plain data."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.record.files import write_atomically
from experiments.record.table_text import as_csv, as_markdown
from experiments.tasks.questions import accuracy, answers
from experiments.tasks.questions.accuracy import LEAST, Cell, Correlation, Guess
from experiments.tasks.questions.answers import Run
from experiments.tasks.questions.questions import KINDS, Kind
from experiments.tasks.questions.run_folder import Asked
from orchestrator.errors import UserError
from roles.words import percent

MARKDOWN, TABLE, ANSWERS = "report.md", "accuracy.csv", "answers.csv"
SHORT: dict[Kind, str] = {"ec": "EC", "tom": "ToM", "jp": "JP"}
GUESSING = "guessing"
"""The name of the row for options drawn at random."""


@dataclass(frozen=True)
class Report:
    """The figures of runs."""

    runs: tuple[Run, ...]
    cells: tuple[tuple[Cell, ...], ...]
    """Of each run."""
    guesses: tuple[Guess, ...]
    correlations: tuple[Correlation, ...]

    @property
    def names(self) -> list[str]:
        """What the runs are called: by their model, and by their folder, too, where several have the same."""
        named = [run.name for run in self.runs]
        pairs = zip(named, self.runs, strict=True)
        return [name if named.count(name) == 1 else f"{name} in {run.folder}" for name, run in pairs]


def of(folders: Sequence[Path]) -> Report:
    """The report of the runs in these folders. Raises UserError for a folder without answers, and for questions of
    several files."""
    runs = tuple(answers.read(folder) for folder in folders)
    for run in runs:
        if not run.answers:
            raise UserError(f"{str(run.folder)!r} holds no answer yet; `qa run` with the same --out goes on")
    asked = _asked(runs)
    made = tuple(tuple(accuracy.cells(run)) for run in runs)
    return Report(runs, made, tuple(accuracy.guesses(asked)), tuple(accuracy.correlations(runs)))


def _asked(runs: Sequence[Run]) -> list[Asked]:
    """The questions of all runs. Raises UserError where runs have other questions under the same name."""
    first = runs[0].record
    for run in runs:
        if run.record.digest != first.digest:
            raise UserError(
                f"{str(run.folder)!r} asked the questions of another file ({run.record.file}, {run.record.digest}) "
                f"than {str(runs[0].folder)!r} ({first.file}, {first.digest}); report them apart"
            )
    return list({question.name: question for run in runs for question in run.questions}.values())


# As rows

COLUMNS = ("who", "game", *SHORT.values(), "no answer")


def rows(report: Report) -> list[tuple[str, ...]]:
    """The table: for each game, the runs and then guessing."""
    made = []
    for game in dict.fromkeys(one.game for one in report.guesses):
        for name, found in zip(report.names, report.cells, strict=True):
            here = {cell.kind: cell for cell in found if cell.game == game}
            if here:
                unread = sum(cell.unread for cell in here.values())
                trials = sum(cell.trials for cell in here.values())
                made.append((name, game, *_shares(here), f"{unread} of {trials}"))
        made.append((GUESSING, game, *_shares({one.kind: one for one in report.guesses if one.game == game}), "-"))
    return made


def _shares(found: dict[Kind, Cell] | dict[Kind, Guess]) -> Iterator[str]:
    for kind in KINDS:
        one = found.get(kind)
        yield "-" if one is None else _share(one.accuracy, *one.interval)


def _share(of: float, low: float, high: float) -> str:
    return f"{percent(of)} ({100 * low:.0f}–{100 * high:.0f})"


def notes(report: Report) -> list[str]:
    """What a reader of the table must know."""
    told = [
        "Accuracy over questions, each with its share of right trials, and its 95 % interval over questions; an answer "
        f"that cannot be read is wrong. {GUESSING.capitalize()} is exact, with the range of 95 % of guessers."
    ]
    for name, run in zip(report.names, report.runs, strict=True):
        told += list(_of_run(name, run))
    return [*told, *_same_questions(report), *_correlated(report)]


def _of_run(name: str, run: Run) -> Iterator[str]:
    if run.fake:
        yield f"{name}: answered by the package's fake server, which is no language model."
    elif run.record.label == "simulated":
        yield f"{name}: no language model, but the program with errors at stated rates."
    elif run.record.label == "program":
        yield "program: no model; it reads the text of Hanabi positions and has no answers for other games."
    if run.missing:
        yield f"{name}: {run.missing} answers are missing; the same `qa run` goes on."
    yield from (f"{name}: left out: {sentence}." for sentence in run.record.left_out)
    for question in run.questions:
        if question.mended:
            yield f"{question.name}: {question.mended.rstrip('.')}."


def _same_questions(report: Report) -> Iterator[str]:
    names = [{question.name for question in run.questions} for run in report.runs]
    if any(one != names[0] for one in names):
        yield "The runs did not have the same questions; compare them only where their games are the same."


def _correlated(report: Report) -> Iterator[str]:
    if report.correlations or len(report.runs) == 1:
        return
    models = sum(run.is_model for run in report.runs)
    yield f"No correlations: they need {LEAST} language models with all kinds of questions, and here are {models}."


def correlation_rows(report: Report) -> list[tuple[str, str, str, str]]:
    """Like the paper's table 6: how the accuracy in EC and ToM goes with that in JP, over models."""
    return [
        (SHORT[one.kind], _number(one.pearson), _number(one.spearman), str(one.models)) for one in report.correlations
    ]


CORRELATED = ("with JP", "Pearson r", "Spearman rho", "models")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


# As files and data


def markdown(report: Report) -> str:
    parts = ["# CoordinationQA", as_markdown(COLUMNS, rows(report))]
    if report.correlations:
        parts += ["## Correlation with joint planning, over models", as_markdown(CORRELATED, correlation_rows(report))]
    told = list(dict.fromkeys(notes(report)))
    return "\n\n".join([*parts, "\n".join(f"- {note}" for note in told)]) + "\n"


def tidy(report: Report) -> list[dict[str, Any]]:
    """A row for each run, game and kind."""
    chance = {(one.game, one.kind): one for one in report.guesses}
    return [
        {
            "model": name,
            "folder": str(run.folder),
            "language_model": run.is_model,
            "game": cell.game,
            "kind": cell.kind,
            "questions": cell.questions,
            "trials": cell.trials,
            "accuracy": cell.accuracy,
            "low": cell.interval[0],
            "high": cell.interval[1],
            "trial_error": cell.trial_error,
            "guessing": chance[cell.game, cell.kind].accuracy if (cell.game, cell.kind) in chance else None,
            "unread": cell.unread,
            "asked_again": cell.asked_again,
        }
        for name, run, found in zip(report.names, report.runs, report.cells, strict=True)
        for cell in found
    ]


def data(report: Report) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "cells": tidy(report),
        "guessing": [asdict(one) for one in report.guesses],
        "correlations": [asdict(one) for one in report.correlations],
        "notes": list(dict.fromkeys(notes(report))),
    }


def write(report: Report, folder: Path) -> list[Path]:
    """Write the report as Markdown and CSV, with every answer of the runs. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    every = [row for run in report.runs for row in answers.rows(run)]
    texts = {MARKDOWN: markdown(report), TABLE: as_csv(tidy(report)), ANSWERS: as_csv(every)}
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return [folder / name for name in texts]
