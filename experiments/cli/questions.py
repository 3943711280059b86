"""`qa`: the questions of CoordinationQA, asked of models and programs, and what their answers show."""

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.asked_model import asked_model, print_estimate
from experiments.cli.shared_options import (
    Evaluation,
    Output,
    check_done,
    print_report,
)
from orchestrator.errors import UserError


def run(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="CSV", help="The questions, one row a scenario: CoordinationQA's single_turn_trials.csv."
        ),
    ] = None,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Of each question; default 3, and 1 for the program.")
    ] = None,
    game: Annotated[
        list[str] | None, typer.Option("--game", help="Only this game: hanabi, overcooked ...; repeatable.")
    ] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="Only ec, tom or jp; repeatable.")] = None,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Leave out questions whose key names none of their options.")
    ] = False,
    *,
    asked: Evaluation,
    output: Output,
) -> None:
    """Does a model understand the game (CoordinationQA)?

    Asks every question of a file. The same command again goes on; answers that were paid for are not asked again.
    """
    from experiments.cli.run_progress import RunProgress
    from experiments.tasks import question_task
    from experiments.tasks.questions import coordination_qa, question_report, questions
    from orchestrator.models.settings import PROGRAM

    loud = output.loud
    if data is None:
        raise UserError(f"--data is missing: the questions are no part of this package; {questions.SOURCE}")
    answerer = asked_model(asked, coordination_qa.FOLDER.recorded_model)
    games = game or ([questions.HANABI] if answerer.name == PROGRAM else [])
    file = questions.read(data, games, kind or (), skip_broken=skip_broken)
    if asked.dry_run:
        trials = samples or (1 if answerer.name == PROGRAM else coordination_qa.TRIALS)
        tokens = question_task.prompt_tokens(coordination_qa.CoordinationQuestions(), file.questions)
        number = len(file.questions)
        print_estimate(answerer, "questions", number, number * trials, tokens * trials, output.as_json)
        return
    folder = asked.out or Path("runs") / f"qa-{answerer.slug}"
    done = coordination_qa.run(
        file,
        answerer.model,
        folder,
        trials=samples,
        options=asked.run(replay=False),
        progress=RunProgress(quiet=loud.quiet),
        replay=answerer.replay,
    )
    if done.left < done.total:
        report = question_report.read([folder])
        written = question_report.write(report, folder)
        answered = {"folder": str(folder), "left": done.left, **question_report.data(report)}
        print_report(answered, question_report.blocks(report), folder, written, as_json=output.as_json)
    check_done(done, "answers")
