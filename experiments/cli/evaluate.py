"""`evaluate`: put decisions, conventions, questions or statements of a player to the test, without
whole games.

Here are the group, and probes, questions and the judge; positions.py has what is decided on a
bank's positions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from hanabi_orchestrator.experiments.cli import completion, positions
from hanabi_orchestrator.experiments.cli.report import OwnReports, print_task
from hanabi_orchestrator.experiments.cli.shared_options import (
    Evaluation,
    Output,
    Settings,
    check_done,
    group,
    print_json,
    slug,
)
from hanabi_orchestrator.orchestrator.errors import UserError

if TYPE_CHECKING:
    from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
    from hanabi_orchestrator.experiments.tasks.probes.probe import Probe
    from hanabi_orchestrator.experiments.tasks.question_task import Model
    from hanabi_orchestrator.orchestrator.models.settings import ModelSettings


Seed = Annotated[int, Option("--seed", min=0, help="Other probes of the same kinds.")]


@dataclass(frozen=True)
class ProbeChoice:
    """Options for which probes."""

    pack: Annotated[
        list[str] | None,
        Option(help="A convention pack: newest (default), hgroup_1, basic; repeatable."),
    ] = None
    convention: Annotated[
        list[str] | None,
        Option(help="Only this one, e.g. play-hint-read; repeatable; default all of the pack."),
    ] = None
    players: Annotated[
        list[int] | None, Option(min=2, max=5, help="A player count; repeatable; default 2 to 5.")
    ] = None
    per: Annotated[int, Option(help="Probes of each convention at each player count.")] = 3
    seed: Seed = 1

    def of(self, packs: Sequence[str]) -> "list[Probe]":
        """The probes of these convention packs. Raises UserError."""
        from hanabi_orchestrator.experiments.tasks.probes import bank

        return bank.probes(
            packs, self.convention or (), self.players or bank.PLAYERS, self.per, self.seed
        )


def list_probes(choice: ProbeChoice, output: Output) -> None:
    """Print the conventions with their probes; as JSON every probe."""
    from hanabi_orchestrator.experiments.tasks.probes import bank, probe_report

    packs = choice.pack or bank.packs()
    probes = choice.of(packs)
    output.show(
        [probe_report.probe_data(probe) for probe in probes],
        [probe_report.probe_list(probes, packs)],
    )


def show_probe(name: str, seed: int, output: Output) -> None:
    """Print one probe: how the position came about, the question, the moves that keep the
    convention, and why."""
    from hanabi_orchestrator.experiments.document import terminal
    from hanabi_orchestrator.experiments.show.live_table import picture
    from hanabi_orchestrator.experiments.show.terminal import turn_line
    from hanabi_orchestrator.experiments.tasks.probes import bank, probe_report

    probe = bank.probe(name, seed)
    if output.as_json:
        print_json(probe_report.probe_data(probe))
        return
    screen = terminal.console()
    for turn in probe.story.turns:
        if turn.decided and turn.moved:
            screen.print(turn_line(turn.view, turn.decided, turn.moved.past, None, screen.width))
    screen.print(picture(probe.view))
    terminal.show([probe_report.probe_facts(probe)], screen)


def run_probes(
    player: Annotated[
        str,
        Argument(
            metavar="PLAYER",
            help="A graph, partner:NAME, or python:module:object.",
            autocompletion=completion.player,
        ),
    ],
    *,
    choice: ProbeChoice,
    settings: Settings = None,
    asked: Evaluation,
    output: Output,
) -> None:
    """Which conventions does a player keep?

    Asks it in positions where one convention decides the move. The same command again goes on.
    """
    from hanabi_orchestrator.experiments.forecast import dry_run
    from hanabi_orchestrator.experiments.study import seat_spec
    from hanabi_orchestrator.experiments.tasks.probes import bank, probe_report, probe_run

    probes = choice.of(choice.pack or bank.packs()[:1])
    player_spec = _player_spec(player, settings, asked)
    for count in choice.players or bank.PLAYERS:
        seat_spec.check(player_spec.seat(), count)
    if asked.dry_run:
        loads = {}
        models = player_spec.models
        if player_spec.config:
            exact = player_spec.model_copy(update={"models": dry_run.exact(models)})
            loads = dry_run.loads(probe_run.calls_of(probes, exact), player_spec.config)
        rows = [dry_run.Asked(player_spec.spec, len(probes), loads)]
        output.show(*dry_run.estimate(rows, models, "probes"))
        return
    folder = asked.out or Path("runs") / slug(
        "probes", player_spec.spec, "replay" if asked.replay else asked.model
    )
    done = probe_run.run(
        probes,
        player_spec,
        folder,
        seed=choice.seed,
        options=asked.run(),
        progress=output.progress(),
    )
    if done.left < done.total:
        print_task(probe_report, probe_report.read([folder]), folder, output, folder=str(folder))
    check_done(done, "probes")


def _player_spec(player: str, settings: list[str] | None, asked: Evaluation) -> "PlayerSpec":
    """The player with its models; a rule player may be named without its prefix. Raises
    UserError."""
    from hanabi_orchestrator import graphs
    from hanabi_orchestrator.experiments.study import seat_spec
    from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
    from hanabi_orchestrator.experiments.tasks.games import single_game
    from hanabi_orchestrator.orchestrator.models.settings import PERSON, PROGRAM, REPLAY
    from hanabi_orchestrator.orchestrator.players import partners

    if player == PERSON:
        raise UserError(
            "a person answers no probes; name a graph, partner:NAME, or python:module:object"
        )
    rule_player = player in partners.names() and player not in graphs.names()
    if rule_player:
        spec = f"{partners.PREFIX}{player}"
    else:
        spec = player
    if spec.startswith(seat_spec.OTHERS):
        options = {"--model": asked.model, "--set": settings, **asked.settings}
        if wrong := next((name for name, value in options.items() if value), None):
            raise UserError(f"{wrong} is for graphs, and {spec} is none")
        return PlayerSpec(spec=spec)
    config = graphs.dotted(seat_spec.read_graph(spec), settings or ())
    answering = asked.model or (PROGRAM if asked.replay is None else f"{REPLAY}{asked.replay}")
    models = single_game.resampled(single_game.models([config], answering), **asked.settings)
    return PlayerSpec(spec=spec, config=config, models=dict(models))


@dataclass(frozen=True)
class AskedModel:
    """Who is asked."""

    model: "Model"
    replay: Path | None
    """The folder of a run whose answers are taken."""

    @property
    def name(self) -> str:
        if isinstance(self.model, str):
            return self.model
        return self.model.model

    @property
    def slug(self) -> str:
        """The model's name as that of a folder: without its server."""
        if self.replay:
            return f"replay-{slug(self.name)}"
        return slug(self.name)

    def print_estimate(
        self, output: Output, unit: str, questions: int, tokens: int, trials: int
    ) -> None:
        """Print what questions would cost whose prompts have so many tokens together."""
        from hanabi_orchestrator.experiments.forecast import dry_run
        from hanabi_orchestrator.experiments.study.prompt_positions import TurnLoad
        from hanabi_orchestrator.orchestrator.models.settings import PROGRAM

        models = {self.name: PROGRAM if self.replay else self.model}
        load = TurnLoad(questions * trials, tokens * trials)
        rows = [dry_run.Asked(self.name, questions, {self.name: load})]
        output.show(*dry_run.estimate(rows, models, unit))


def asked_model(
    asked: Evaluation, recorded: "Callable[[Path], ModelSettings] | None"
) -> AskedModel:
    """Return who is asked: `recorded` reads the model of a folder whose answers are replayed.

    Raises UserError for several models, and for a model beside a replay.
    """
    from hanabi_orchestrator.experiments.tasks.games import single_game
    from hanabi_orchestrator.experiments.tasks.question_task import model_of
    from hanabi_orchestrator.orchestrator.models.settings import PROGRAM, REPLAY

    model = asked.model
    replay = asked.replay
    if model and model.startswith(REPLAY):
        replay = Path(model.removeprefix(REPLAY))
        model = None
    if replay is not None:
        if model is not None:
            raise UserError("replay:DIR takes the model of the recorded run; leave --model out")
        if recorded is None:
            raise UserError("this task has no recorded answers; leave replay:DIR out")
        return AskedModel(recorded(replay), replay)
    named = single_game.resampled(single_game.models([], model or PROGRAM), **asked.settings)
    if len(named) > 1 and "default" not in named:
        raise UserError(
            f"{model} names several models, {', '.join(named)}; questions are asked of one, "
            "`default`"
        )
    return AskedModel(model_of(named.get("default") or next(iter(named.values()))), None)


def questions(
    data: Annotated[
        Path | None,
        Option(
            metavar="CSV",
            help="The questions, one row a scenario: CoordinationQA's single_turn_trials.csv.",
        ),
    ] = None,
    samples: Annotated[
        int | None, Option(min=1, help="Of each question; default 3, and 1 for the program.")
    ] = None,
    game: Annotated[
        list[str] | None, Option(help="Only this game: hanabi, overcooked ...; repeatable.")
    ] = None,
    kind: Annotated[list[str] | None, Option(help="Only ec, tom or jp; repeatable.")] = None,
    skip_broken: Annotated[
        bool,
        Option("--skip-broken", help="Leave out questions whose key names none of their options."),
    ] = False,
    *,
    asked: Evaluation,
    output: Output,
) -> None:
    """Does a model understand the game (CoordinationQA)?

    Asks every question of a file. The same command again goes on; answers that were paid for are
    not asked again.
    """
    from hanabi_orchestrator.experiments.tasks.question_task import prompt_tokens
    from hanabi_orchestrator.experiments.tasks.questions import coordination_qa, question_report
    from hanabi_orchestrator.experiments.tasks.questions import questions as questions_file
    from hanabi_orchestrator.orchestrator.models.settings import PROGRAM

    if data is None:
        raise UserError(
            f"--data is missing: the questions are no part of this package; {questions_file.SOURCE}"
        )
    answerer = asked_model(asked, coordination_qa.FOLDER.recorded_model)
    games = game or ([questions_file.HANABI] if answerer.name == PROGRAM else [])
    file = questions_file.read(data, games, kind or (), skip_broken=skip_broken)
    if asked.dry_run:
        trials = samples or (1 if answerer.name == PROGRAM else coordination_qa.TRIALS)
        kind_of_questions = coordination_qa.CoordinationQuestions()
        tokens = prompt_tokens(kind_of_questions, file.questions)
        answerer.print_estimate(output, "questions", len(file.questions), tokens, trials)
        return
    folder = asked.out or Path("runs") / f"qa-{answerer.slug}"
    options = asked.run(replay=False)
    progress = output.progress()
    replay = answerer.replay
    done = coordination_qa.run(
        file,
        answerer.model,
        folder,
        trials=samples,
        options=options,
        progress=progress,
        replay=replay,
    )
    if done.left < done.total:
        report = question_report.read([folder])
        print_task(question_report, report, folder, output, folder=str(folder), left=done.left)
    check_done(done, "answers")


def judge(
    games: Annotated[
        Path,
        Argument(
            metavar="RUN_OR_GAMES",
            help="A run, a folder of games, or a journal.",
            autocompletion=completion.run,
        ),
    ],
    turns: Annotated[str, Option(help="Which turns: all, or 5,10,20-30.")] = "all",
    every: Annotated[int, Option(min=1, help="Of those, only every so many-th.")] = 1,
    samples: Annotated[int, Option(min=1, help="How many times each is judged.")] = 1,
    human: Annotated[
        Path | None,
        Option(metavar="CSV", help="Ratings by people: game, turn, the aspects, and rater."),
    ] = None,
    *,
    asked: Evaluation,
    output: Output,
) -> None:
    """Did seats keep track of the cards?

    Asks a judge about every turn on which a seat listed what all cards may be. The same command
    again goes on.
    """
    from hanabi_orchestrator.experiments.tasks.judge import human_ratings, judge_report, judge_run
    from hanabi_orchestrator.experiments.tasks.judge.statements import Choice, find
    from hanabi_orchestrator.experiments.tasks.question_task import prompt_tokens

    choice = Choice(turns, every)
    # once, since a pipe can be read no more often
    people = human_ratings.read(human) if human else ()
    answerer = asked_model(asked, judge_run.FOLDER.recorded_model)
    if asked.dry_run:
        statements = find(games, choice)
        tokens = prompt_tokens(judge_run.Judging(), statements)
        answerer.print_estimate(output, "turns", len(statements), tokens, samples)
        return
    if games.is_dir():
        beside = games / judge_report.FOLDER_NAME
    else:
        beside = Path("runs")
    folder = asked.out or beside / f"{'' if games.is_dir() else 'judge-'}{answerer.slug}"
    options = asked.run(replay=False)
    progress = output.progress()
    replay = answerer.replay
    done = judge_run.run(
        games,
        answerer.model,
        folder,
        choice=choice,
        trials=samples,
        options=options,
        progress=progress,
        replay=replay,
    )
    if done.left < done.total:
        report = judge_report.read(folder, people)
        print_task(judge_report, report, folder, output, folder=str(folder), left=done.left)
    check_done(done, "answers")


def task(
    name: Annotated[
        str,
        Argument(
            metavar="TASK",
            help="A task of your own or of an installed package; see `list tasks`.",
            autocompletion=completion.task,
        ),
    ],
    samples: Annotated[int, Option(min=1, help="How many times each question is asked.")] = 1,
    settings: Annotated[
        list[str] | None,
        Option("--set", metavar="KEY=VALUE", help="A setting of the task; repeatable."),
    ] = None,
    *,
    asked: Evaluation,
    output: Output,
) -> None:
    """Ask a task of your own.

    One that --import or an installed package brings (docs/add-a-task.md). The same command again
    goes on.
    """
    from hanabi_orchestrator.experiments.study.overrides import place
    from hanabi_orchestrator.experiments.tasks import task_kinds
    from hanabi_orchestrator.orchestrator.yaml_files import setting

    kind = task_kinds.kinds.get(name)
    if kind.ask is None:
        raise UserError(f"`evaluate {name}` asks that task")
    values = dict[str, Any]()
    for text in settings or ():
        keys, value = setting(text, "seed=2")
        place(values, keys, value, f"--set {text!r}")
    answerer = asked_model(asked, kind.recorded)
    given = task_kinds.Asked(
        model=answerer.model,
        samples=samples,
        settings=values,
        options=asked.run(replay=False),
        progress=output.progress(),
        replay=answerer.replay,
    )
    if asked.dry_run:
        if kind.estimate is None:
            raise UserError(f"the task {name!r} estimates nothing; leave --dry-run out")
        answerer.print_estimate(output, "questions", *kind.estimate(given), samples)
        return
    folder = asked.out or Path("runs") / f"{name}-{answerer.slug}"
    done = kind.ask(given, folder)
    if done.left < done.total and kind.report:
        reports = OwnReports(name)
        report = reports.read([folder])
        print_task(reports, report, folder, output, folder=str(folder), left=done.left)
    check_done(done, "answers")


def show(
    name: Annotated[
        str,
        Argument(
            metavar="BANK|PROBE", help="A bank's file or name, or a probe as its journal names it."
        ),
    ],
    position: Annotated[
        str | None, Argument(help="Of a bank: one position as JSON, e.g. p007.", show_default=False)
    ] = None,
    seed: Seed = 1,
    *,
    output: Output,
) -> None:
    """Show a bank of positions, one position, or a probe."""
    from hanabi_orchestrator.experiments.tasks.positions import bank

    file = Path(name).exists() or name.endswith((".jsonl", ".jsonl.gz"))
    if file or position is not None or name in bank.packaged():
        positions.show_bank(name, position, output)
    else:
        show_probe(name, seed, output)


app = group("Ask in positions, probes, questions, or by a judge.")
app.command("positions")(positions.run)
app.command("probes")(run_probes)
app.command()(questions)
app.command()(judge)
app.command()(task)
app.command("build")(positions.build)
app.command()(show)
