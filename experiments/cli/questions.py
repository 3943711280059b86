"""`qa`: the questions of CoordinationQA, asked of models and programs, and what their answers show."""

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.asked_model import ShardOf, Workers, asked, check_done, run_options, say
from experiments.cli.shared_options import (
    CacheFolder,
    Effort,
    Json,
    MaxAnswerTokens,
    MaxTokens,
    MaxUsd,
    Model,
    Quiet,
    ReplayOf,
    Temperature,
    Verbose,
    group,
    printed,
)

app = group("Ask the questions of CoordinationQA: environment comprehension, theory of mind, joint planning.")


@app.command("run")
def run(
    context: typer.Context,
    data: Annotated[Path, typer.Option("--data", metavar="CSV", help="The questions: one row a scenario.")],
    model: Model = None,
    trials: Annotated[
        int | None, typer.Option(min=1, help="Of each question; default 3, and 1 for the program.")
    ] = None,
    game: Annotated[
        list[str] | None, typer.Option("--game", help="Only this game: hanabi, overcooked ...; repeatable.")
    ] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="Only ec, tom or jp; repeatable.")] = None,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Leave out questions whose key names none of their options.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="The run's folder; default runs/qa-MODEL.")] = None,
    workers: Workers = 1,
    shard: ShardOf = None,
    replay: ReplayOf = None,
    cache: CacheFolder = "off",
    max_tokens: MaxTokens = None,
    max_usd: MaxUsd = None,
    temperature: Temperature = None,
    effort: Effort = None,
    max_answer_tokens: MaxAnswerTokens = None,
    as_json: Json = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
) -> None:
    """Ask every question; the same command again goes on. Answers that were paid for are never asked for again."""
    from experiments.cli.run_progress import RunProgress
    from experiments.document import terminal
    from experiments.tasks.questions import coordination_qa, question_report, questions
    from orchestrator.models.settings import PROGRAM

    loud = context.obj.more(verbose=verbose, quiet=quiet).set_up()
    sampling = {"temperature": temperature, "reasoning_effort": effort, "max_tokens": max_answer_tokens}
    who = asked(model, replay, sampling, coordination_qa.FOLDER.recorded_model)
    games = game or ([questions.HANABI] if who.name == PROGRAM else [])
    file = questions.read(data, games, kind or (), skip_broken=skip_broken)
    folder = out or Path("runs") / f"qa-{who.slug}"
    done = coordination_qa.run(
        file,
        who.model,
        folder,
        trials=trials,
        options=run_options(cache, max_tokens, max_usd, workers, shard),
        progress=RunProgress(quiet=loud.quiet),
        replay=who.replay,
    )
    if done.left < done.total:
        report = question_report.of([folder])
        written = question_report.write(report, folder)
        if as_json:
            printed({"folder": str(folder), "left": done.left, **question_report.data(report)})
        else:
            terminal.show(question_report.blocks(report), terminal.console())
            say(f"\n{folder}/: {', '.join(path.name for path in written)}")
    check_done(done, "answers")


@app.command("report")
def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="The folders of runs of questions.")],
    out: Annotated[Path | None, typer.Option(help="Also write report.md, accuracy.csv and answers.csv here.")] = None,
    as_json: Json = False,
) -> None:
    """Accuracy by kind and game beside guessing; over three models or more, how EC and ToM go with joint planning."""
    from experiments.document import terminal
    from experiments.tasks.questions import question_report

    figures = question_report.of(folders)
    written = question_report.write(figures, out) if out else []
    if as_json:
        printed(question_report.data(figures))
        return
    terminal.show(question_report.blocks(figures), terminal.console())
    if written:
        say(f"\n{out}/: {', '.join(path.name for path in written)}")
