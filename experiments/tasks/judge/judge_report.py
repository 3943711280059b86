"""The report of a judge's run: a table like the paper's, and agreement, as text, Markdown, CSV and plain data."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from experiments.document.blocks import Block, Column, Table, table
from experiments.document.blocks import notes as notes_of
from experiments.document.formats import RIGHT, TEXT
from experiments.record.files import write_atomically
from experiments.record.table_text import as_csv, as_markdown
from experiments.statistics.clusters import Clustered
from experiments.tasks.judge import scores
from experiments.tasks.judge.human_ratings import HumanRating
from experiments.tasks.judge.ratings import JudgeRun, read
from experiments.tasks.judge.scores import Agreement, Score, Unit
from orchestrator.errors import UserError
from orchestrator.values import Frozen
from roles.hanabi.state_judge import ASPECTS

MARKDOWN, AGREEMENT, RATINGS, SUMMARY = "report.md", "agreement.csv", "ratings.csv", "summary.json"

FOLDER_NAME = "judge"
"""The folder of a run that holds its judges' folders."""


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
    units: tuple[Unit, ...]

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        return tuple(scores.scores(self.units))

    @cached_property
    def agreements(self) -> tuple[Agreement, ...]:
        return tuple(scores.agreements(self.units))

    @property
    def games(self) -> int:
        return len({unit.game for unit in self.units})


def of(folder: Path, people: Sequence[HumanRating] = ()) -> Report:
    """The report of the run in a folder. Raises UserError for a folder without an answer."""
    run = read(folder)
    if not run.answers:
        raise UserError(f"{str(folder)!r} holds no answer yet; `judge run` with the same --out goes on")
    return Report(run, tuple(people), tuple(scores.units(run, people)))


# As rows

SCORES = ("lists by", "rated by", "overall", "deduction accuracy", "history integration", "tracking quality", "turns")
AGREED = ("aspect", "raters", "Pearson r", "Spearman rho", "alpha", "turns")


def score_rows(report: Report) -> list[tuple[str, ...]]:
    """Like the paper's table 4: each model's mean in each aspect, by each rater."""
    made: dict[tuple[str, str], dict[str, Clustered]] = {}
    for one in report.scores:
        made.setdefault((one.model, one.rater), {})[one.aspect] = one.mean
    return [
        (model, _rater(report, rater), *(_cell(means[aspect]) for aspect in scores.SHOWN), str(_units(means)))
        for (model, rater), means in made.items()
    ]


def _units(means: dict[str, Clustered]) -> int:
    return max(one.units for one in means.values())


def agreement_rows(report: Report) -> list[tuple[str, ...]]:
    return [
        (
            one.aspect.replace("_", " "),
            " / ".join(_rater(report, rater) for rater in one.raters),
            *("-" if part is None else _cell(part) for part in (one.pearson, one.spearman, one.alpha)),
            str(one.alpha.units),
        )
        for one in report.agreements
    ]


def _rater(report: Report, rater: str) -> str:
    return f"judge {report.run.name}" if rater == scores.JUDGE else rater


def _cell(one: Clustered) -> str:
    if one.value is None:
        return "-"
    between = f" ({one.interval[0]:.3f} to {one.interval[1]:.3f})" if one.interval else ""
    return f"{one.value:.3f}{between}"


def notes(report: Report) -> list[str]:
    """What a reader of the tables must know."""
    return list(_notes(report))


def _notes(report: Report) -> Iterator[str]:
    run = report.run
    if run.fake:
        yield f"{run.name}: answered by the package's fake server, which is no language model."
    elif run.record.label == "simulated":
        yield f"{run.name}: no language model, but the program with errors at stated rates."
    elif run.record.label == "program":
        yield "program: no model judged; the exact score stands alone."
    games = f"{report.games} {'game' if report.games == 1 else 'games'}"
    yield (
        f"Of {len(report.units)} turns of {games}, each rated from 0 to 1. Intervals are 95 %, by a bootstrap that "
        "draws whole games, since the turns of a game are no independent units."
    )
    if report.games == 1:
        yield "One game gives no interval."
    elif report.games < FEW_GAMES:
        yield f"Intervals over {report.games} games are too narrow: a bootstrap needs some ten of them."
    yield (
        "Exact: computed from the lists and the hints. Alpha is Krippendorff's, at interval level: 1 is agreement, 0 "
        "what chance gives; unlike a correlation it falls where one rater is stricter."
    )
    if run.unread:
        yield f"{run.unread} answers of the judge could not be read; their turns are left out."
    if run.missing:
        yield f"{run.missing} answers are missing; the same `judge run` goes on."
    if away := scores.unjudged(run, report.people):
        ratings = f"{len(away)} {'rating' if len(away) == 1 else 'ratings'}"
        where = f"turn {away[0].turn} of {away[0].game}"
        yield f"Left out: {ratings} by people of turns that were not judged; the first is {where}."


FEW_GAMES = 10
"""Games, below which a bootstrap over games is known to be too narrow."""


# As files and data


def markdown(report: Report) -> str:
    parts = ["# State tracking, judged", as_markdown(SCORES, score_rows(report))]
    if report.agreements:
        parts += ["## Agreement", as_markdown(AGREED, agreement_rows(report))]
    return "\n\n".join([*parts, "\n".join(f"- {note}" for note in notes(report))]) + "\n"


def _plain(one: Clustered | None, name: str) -> dict[str, Any]:
    low, high = one.interval if one and one.interval else (None, None)
    return {name: one.value if one else None, f"{name}_low": low, f"{name}_high": high}


def agreement_data(report: Report) -> list[dict[str, Any]]:
    return [
        {
            "aspect": one.aspect,
            "raters": "+".join(one.raters),
            **_plain(one.pearson, "pearson"),
            **_plain(one.spearman, "spearman"),
            **_plain(one.alpha, "alpha"),
            "turns": one.alpha.units,
            "games": one.alpha.groups,
        }
        for one in report.agreements
    ]


def score_data(report: Report) -> list[dict[str, Any]]:
    return [
        {
            "lists_by": one.model,
            "rated_by": one.rater,
            "aspect": one.aspect,
            **_plain(one.mean, "mean"),
            "turns": one.mean.units,
            "games": one.mean.groups,
        }
        for one in report.scores
    ]


def rating_data(report: Report) -> list[dict[str, Any]]:
    """Every rating: a row for each statement and rater."""
    return [
        {"game": unit.game, "turn": unit.turn, "lists_by": unit.model, "rater": rater}
        | {aspect: rating.get(aspect) for aspect in ASPECTS}
        for unit in report.units
        for rater, rating in unit.by.items()
    ]


def data(report: Report) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "judge": report.run.name,
        "language_model": report.run.label is None and report.run.record.label is None,
        "scores": score_data(report),
        "agreement": agreement_data(report),
        "notes": notes(report),
    }


def summary(report: Report) -> JudgeSummary:
    agreed = (AGREED, *agreement_rows(report)) if report.agreements else ()
    return JudgeSummary(
        judge=report.run.name, scores=(SCORES, *score_rows(report)), agreement=agreed, notes=tuple(notes(report))
    )


def blocks_of_run(run: Path) -> list[Block]:
    """Return what the judges of a run folder found, as their last command wrote it, for the run's report; files of
    another kind are left out."""
    blocks: list[Block] = []
    for number, path in enumerate(sorted((run / FOLDER_NAME).glob(f"*/{SUMMARY}")), 1):
        with suppress(OSError, ValidationError):
            judged, folder = JudgeSummary.model_validate_json(path.read_bytes()), path.parent.relative_to(run)
            caption = (
                "How well seats kept track of what the hints leave of every card, 0 to 1; every rating stands in "
                f"`{folder.as_posix()}`."
            )
            title = f"State tracking, judged by {judged.judge}"
            blocks.append(_table(f"judged-scores-{number}", judged.scores, title=title, caption=caption))
            blocks.append(_table(f"judged-agreement-{number}", judged.agreement))
            blocks += notes_of(judged.notes)
    return blocks


def _table(key: str, texts: Sequence[tuple[str, ...]], **options: Any) -> Table:
    """Return a table of texts, the columns' titles first; its first two columns are words."""
    heads, *rows = texts or ((),)
    columns = [Column(f"{n}", head, TEXT if n < 2 else RIGHT) for n, head in enumerate(heads)]
    return table(key, columns, rows, **options)


def write(report: Report, folder: Path) -> list[Path]:
    """Write the report as Markdown and CSV, with every rating. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        MARKDOWN: markdown(report),
        AGREEMENT: as_csv(agreement_data(report)),
        RATINGS: as_csv(rating_data(report)),
        SUMMARY: summary(report).model_dump_json(indent=1) + "\n",
    }
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return [folder / name for name in texts]
