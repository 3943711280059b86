"""`judge`: how well seats kept track of all cards, judged by a model, beside the exact score and people's ratings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from experiments.cli import completion
from experiments.cli.asked_model import asked_model, print_estimate
from experiments.cli.shared_options import (
    Evaluation,
    Output,
    check_done,
    print_report,
)

if TYPE_CHECKING:
    from experiments.tasks.judge.judge_report import Report

Human = Annotated[
    Path | None,
    typer.Option("--human", metavar="CSV", help="Ratings by people: game, turn, the aspects, and rater."),
]


def run(
    games: Annotated[
        Path,
        typer.Argument(
            metavar="RUN_OR_GAMES", help="A run, a folder of games, or a journal.", autocompletion=completion.run
        ),
    ],
    turns: Annotated[str, typer.Option(help="Which turns: all, or 5,10,20-30.")] = "all",
    every: Annotated[int, typer.Option(min=1, help="Of those, only every so many-th.")] = 1,
    samples: Annotated[int, typer.Option(min=1, help="How many times each is judged.")] = 1,
    human: Human = None,
    *,
    asked: Evaluation,
    output: Output,
) -> None:
    """Did seats keep track of the cards?

    Asks a judge about every turn on which a seat listed what all cards may be. The same command again goes on.
    """
    from experiments.cli.run_progress import RunProgress
    from experiments.tasks.judge import human_ratings, judge_report, judge_run
    from experiments.tasks.judge.statements import Choice

    loud, choice = output.loud, Choice(turns, every)
    people = human_ratings.read(human) if human else ()
    answerer = asked_model(asked, judge_run.FOLDER.recorded_model)
    if asked.dry_run:
        plan = judge_run.plan(games, choice, samples)
        print_estimate(answerer, "turns", plan.statements, plan.calls, plan.tokens_in, output.as_json)
        return
    folder = asked.out or _default(games, answerer.slug)
    done = judge_run.run(
        games,
        answerer.model,
        folder,
        choice=choice,
        trials=samples,
        options=asked.run(replay=False),
        progress=RunProgress(quiet=loud.quiet),
        replay=answerer.replay,
    )
    if done.left < done.total:
        report = judge_report.read(folder, people)
        _print_report(report, folder, output.as_json, {"folder": str(folder), "left": done.left})
    check_done(done, "answers")


def _default(games: Path, name: str) -> Path:
    """Beside the games that are judged."""
    from experiments.tasks.judge.judge_report import FOLDER_NAME

    return games / FOLDER_NAME / name if games.is_dir() else Path("runs") / f"judge-{name}"


def _print_report(report: "Report", out: Path | None, as_json: bool, more: dict[str, object] | None = None) -> None:
    from experiments.tasks.judge import judge_report

    written = judge_report.write(report, out) if out else []
    data = {**(more or {}), **judge_report.data(report)}
    print_report(data, judge_report.blocks(report), out, written, as_json=as_json)
