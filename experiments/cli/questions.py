"""`evaluate questions` and `evaluate judge`: questions of a file, or about recorded turns, put to a model."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from experiments.cli import completion
from experiments.cli.report import print_task
from experiments.cli.shared_options import Evaluation, Output, check_done, slug
from orchestrator.errors import UserError

if TYPE_CHECKING:
    from experiments.tasks.question_task import Model
    from orchestrator.models.settings import ModelSettings


@dataclass(frozen=True)
class AskedModel:
    """Who is asked."""

    model: "Model"
    replay: Path | None
    """The folder of a run whose answers are taken."""

    @property
    def name(self) -> str:
        return self.model if isinstance(self.model, str) else self.model.model

    @property
    def slug(self) -> str:
        """The model's name as that of a folder: without its server."""
        return f"replay-{slug(self.name)}" if self.replay else slug(self.name)

    def print_estimate(self, output: Output, unit: str, units: int, calls: int, tokens_in: int) -> None:
        """Print what questions would cost."""
        from experiments.forecast import dry_run
        from experiments.study.prompt_positions import TurnLoad
        from orchestrator.models.settings import PROGRAM

        models = {self.name: PROGRAM if self.replay else self.model}
        rows = [dry_run.Asked(self.name, units, {self.name: TurnLoad(calls, tokens_in)})]
        output.show(*dry_run.estimate(rows, models, unit))


def asked_model(asked: Evaluation, recorded: "Callable[[Path], ModelSettings]") -> AskedModel:
    """Return who is asked: `recorded` reads the model of a folder whose answers are replayed.

    Raises UserError for several models, and for a model beside a replay.
    """
    from experiments.tasks.games import single_game
    from experiments.tasks.question_task import model_of
    from orchestrator.models.settings import PROGRAM, REPLAY

    model, replay = asked.model, asked.replay
    if model and model.startswith(REPLAY):
        replay, model = Path(model.removeprefix(REPLAY)), None
    if replay is not None:
        if model is not None:
            raise UserError("replay:DIR takes the model of the recorded run; leave --model out")
        return AskedModel(recorded(replay), replay)
    named = single_game.resampled(single_game.models([], model or PROGRAM), **asked.settings)
    if len(named) > 1 and "default" not in named:
        raise UserError(f"{model} names several models, {', '.join(named)}; questions are asked of one, `default`")
    return AskedModel(model_of(named.get("default") or next(iter(named.values()))), None)


def questions(
    data: Annotated[
        Path | None,
        Option(metavar="CSV", help="The questions, one row a scenario: CoordinationQA's single_turn_trials.csv."),
    ] = None,
    samples: Annotated[int | None, Option(min=1, help="Of each question; default 3, and 1 for the program.")] = None,
    game: Annotated[list[str] | None, Option(help="Only this game: hanabi, overcooked ...; repeatable.")] = None,
    kind: Annotated[list[str] | None, Option(help="Only ec, tom or jp; repeatable.")] = None,
    skip_broken: Annotated[
        bool, Option("--skip-broken", help="Leave out questions whose key names none of their options.")
    ] = False,
    *,
    asked: Evaluation,
    output: Output,
) -> None:
    """Does a model understand the game (CoordinationQA)?

    Asks every question of a file. The same command again goes on; answers that were paid for are not asked again.
    """
    from experiments.tasks import question_task
    from experiments.tasks.questions import coordination_qa, question_report
    from experiments.tasks.questions import questions as questions_file
    from orchestrator.models.settings import PROGRAM

    if data is None:
        raise UserError(f"--data is missing: the questions are no part of this package; {questions_file.SOURCE}")
    answerer = asked_model(asked, coordination_qa.FOLDER.recorded_model)
    games = game or ([questions_file.HANABI] if answerer.name == PROGRAM else [])
    file = questions_file.read(data, games, kind or (), skip_broken=skip_broken)
    if asked.dry_run:
        trials = samples or (1 if answerer.name == PROGRAM else coordination_qa.TRIALS)
        tokens = question_task.prompt_tokens(coordination_qa.CoordinationQuestions(), file.questions)
        number = len(file.questions)
        answerer.print_estimate(output, "questions", number, number * trials, tokens * trials)
        return
    folder = asked.out or Path("runs") / f"qa-{answerer.slug}"
    options, progress, replay = asked.run(replay=False), output.progress(), answerer.replay
    done = coordination_qa.run(
        file, answerer.model, folder, trials=samples, options=options, progress=progress, replay=replay
    )
    if done.left < done.total:
        report = question_report.read([folder])
        print_task(question_report, report, folder, output, folder=str(folder), left=done.left)
    check_done(done, "answers")


def judge(
    games: Annotated[
        Path,
        Argument(metavar="RUN_OR_GAMES", help="A run, a folder of games, or a journal.", autocompletion=completion.run),
    ],
    turns: Annotated[str, Option(help="Which turns: all, or 5,10,20-30.")] = "all",
    every: Annotated[int, Option(min=1, help="Of those, only every so many-th.")] = 1,
    samples: Annotated[int, Option(min=1, help="How many times each is judged.")] = 1,
    human: Annotated[
        Path | None, Option(metavar="CSV", help="Ratings by people: game, turn, the aspects, and rater.")
    ] = None,
    *,
    asked: Evaluation,
    output: Output,
) -> None:
    """Did seats keep track of the cards?

    Asks a judge about every turn on which a seat listed what all cards may be. The same command again goes on.
    """
    from experiments.tasks.judge import human_ratings, judge_report, judge_run
    from experiments.tasks.judge.statements import Choice

    choice = Choice(turns, every)
    people = human_ratings.read(human) if human else ()  # once, since a pipe can be read no more often
    answerer = asked_model(asked, judge_run.FOLDER.recorded_model)
    if asked.dry_run:
        plan = judge_run.plan(games, choice, samples)
        answerer.print_estimate(output, "turns", plan.statements, plan.calls, plan.tokens_in)
        return
    beside = games / judge_report.FOLDER_NAME if games.is_dir() else Path("runs")
    folder = asked.out or beside / f"{'' if games.is_dir() else 'judge-'}{answerer.slug}"
    options, progress, replay = asked.run(replay=False), output.progress(), answerer.replay
    done = judge_run.run(
        games, answerer.model, folder, choice=choice, trials=samples, options=options, progress=progress, replay=replay
    )
    if done.left < done.total:
        report = judge_report.read(folder, people)
        print_task(judge_report, report, folder, output, folder=str(folder), left=done.left)
    check_done(done, "answers")
