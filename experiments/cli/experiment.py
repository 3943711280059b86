"""`experiment`: run, plan and compare ablation experiments."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from hanabi_orchestrator.experiments.cli import completion
from hanabi_orchestrator.experiments.cli.shared_options import (
    Calls,
    Full,
    Interrupted,
    Intervals,
    Output,
    Traces,
    group,
)
from hanabi_orchestrator.orchestrator.errors import Suspended, TurnError, UserError, shortened
from hanabi_orchestrator.orchestrator.values import whole_number

if TYPE_CHECKING:
    from hanabi_orchestrator.experiments.running.runner import RunOptions
    from hanabi_orchestrator.experiments.study.experiment import Experiment

Folder = Annotated[
    Path,
    Argument(
        metavar="DIR", help="A run folder, e.g. runs/role-ablation.", autocompletion=completion.run
    ),
]
Settings = Annotated[
    list[str] | None,
    Option(
        "--set", help="Change the experiment: seeds=10, models.default=sim:average ...; repeatable."
    ),
]
Out = Annotated[Path | None, Option(help="The run folder; default runs/NAME.")]
Past = Annotated[
    Path | None,
    Option("--from", help="A run folder: estimate costs from its finished games as well."),
]
AnswerTokens = Annotated[
    int | None, Option(help="Estimate costs with responses of this many tokens.")
]
Name = Annotated[
    str,
    Argument(
        metavar="FILE",
        help="A YAML file, or the name of a packaged experiment.",
        autocompletion=completion.experiment,
    ),
]

app = group("Play whole games in several arms, and compare the arms.")


@app.command("run")
def run(
    name: Name,
    settings: Settings = None,
    out: Out = None,
    workers: Annotated[int, Option(min=1, help="Worker processes.")] = 1,
    executor: Annotated[
        Literal["local", "ray"], Option(help="local, or ray for several machines.")
    ] = "local",
    shard: Annotated[
        str | None, Option(help="I/N: only this part of the deals, for job arrays.")
    ] = None,
    *,
    calls: Calls,
    min_own: Annotated[
        float | None,
        Option(
            help="Stop when a smaller share of moves is the models' own; default 0.5, 0 for never."
        ),
    ] = None,
    traces: Traces,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Estimate the cost, and play nothing.")
    ] = False,
    interval: Intervals = "t",
    marks: Annotated[
        bool | None,
        Option(
            "--marks/--no-marks",
            help="Mark the roles' answers in the report, seconds a game; default for up to 20 "
            "games in which a model was asked, and for all whose marks are kept.",
            show_default=False,
        ),
    ] = None,
    past: Past = None,
    answer_tokens: AnswerTokens = None,
    full: Full = False,
    output: Output,
) -> None:
    """Run an experiment, or go on with one.

    The same command again continues it. Completed API calls are never billed again.
    """
    from hanabi_orchestrator.experiments.report import mark_metric
    from hanabi_orchestrator.experiments.running.runner import RunOptions, Shard
    from hanabi_orchestrator.experiments.study import experiment
    from hanabi_orchestrator.experiments.tasks.games import experiment_run

    study = experiment.read(name, settings or ())
    if study.task == experiment.POSITIONS:
        run_options = RunOptions(
            calls.options, workers, executor, Shard.read(shard) if shard else None
        )
        of_games: dict[str, object] = {
            "--min-own": min_own,
            "--otlp": traces.otlp,
            "--marks": marks,
            "--from": past,
        }
        of_games |= {
            "--answer-tokens": answer_tokens,
            "--interval": interval != "t",
            "--full": full,
        }
        if wrong := [option for option, value in of_games.items() if value]:
            raise UserError(f"{wrong[0]} is for games, and {study.name} asks positions")
        _positions(study, out, run_options, output, dry_run=dry_run)
        return
    if study.metric is not None:
        mark_metric.check(study.metric)
    folder = out or Path("runs") / study.name
    if dry_run:
        from hanabi_orchestrator.experiments.forecast import dry_run as estimates

        planned = estimates.forecast(study, folder, past, answer_tokens, output.progress().line)
        output.show(estimates.data(planned), estimates.blocks(planned))
        return
    options = RunOptions(
        calls.options, workers, executor, Shard.read(shard) if shard else None, min_own
    )
    progress = output.progress()
    with traces.sent(folder):
        done = experiment_run.run(study, folder, options=options, progress=progress)
    if done.rows:
        progress.line("Marking the games and writing the report ...")
    from hanabi_orchestrator.experiments.cli import run_summary
    from hanabi_orchestrator.experiments.tasks.judge import judge_report

    tasks = judge_report.blocks_of_run(done.plan.folder)
    summary = run_summary.summary(done, interval=interval, marks=marks, tasks=tasks)
    output.show(run_summary.json_value(summary), run_summary.blocks(summary, full=full))
    if done.interrupted:
        games = "1 game in progress is" if done.kept == 1 else f"{done.kept} games in progress are"
        raise Interrupted(
            f"{games} kept, {done.left - done.kept} not begun; the same command goes on"
        )
    if done.suspended:
        onward = "A larger budget" if done.over_budget else "The same command"
        onward = "The games in progress are kept: a smaller --min-own" if done.halted else onward
        raise Suspended(f"{done.suspended}. {onward} continues from there", 0)
    if done.failed:
        raise TurnError(run_summary.failed(done))


def _positions(
    study: "Experiment", out: Path | None, options: "RunOptions", output: Output, *, dry_run: bool
) -> None:
    from hanabi_orchestrator.experiments.cli import positions

    folder = out or Path("runs") / study.name
    if dry_run:
        positions.show_estimate(study, folder, output)
    else:
        positions.ask(study, folder, options, output)


@app.command("plan")
def plan(
    name: Name,
    settings: Settings = None,
    out: Out = None,
    past: Past = None,
    answer_tokens: AnswerTokens = None,
    effect: Annotated[float | None, Option(help="The difference to detect, in points.")] = None,
    power: Annotated[float, Option(help="The probability of detecting it.")] = 0.8,
    budget: Annotated[
        list[str] | None, Option(help="What the run may need: 2000000tokens or 5usd; or both.")
    ] = None,
    *,
    output: Output,
) -> None:
    """Propose deals: what a budget can detect, or an effect needs."""
    from hanabi_orchestrator.experiments.forecast import sample_size
    from hanabi_orchestrator.experiments.running import model_options
    from hanabi_orchestrator.experiments.study import experiment

    study = experiment.read(name, settings or ())
    changes = settings or []
    if study.task == experiment.POSITIONS:
        raise UserError(
            "plan proposes deals of games; `experiment run FILE --dry-run` says what positions "
            "would cost"
        )
    tokens, usd = model_options.budget(budget or ())
    wish = sample_size.Goal(effect, power, usd, tokens)
    proposal = sample_size.propose(
        study, out or Path("runs") / study.name, wish, past, answer_tokens
    )
    command = name, changes, out
    output.show(sample_size.data(proposal, *command), sample_size.blocks(proposal, *command))


@app.command("policy")
def policy(
    folder: Folder,
    arm: Annotated[str | None, Option(help="Only this arm; default all.")] = None,
    players: Annotated[int | None, Option(help="Only this player count; default all.")] = None,
    by: Annotated[
        Literal["player", "seat"],
        Option(help="Tables for what sits in the seats, or for each seat."),
    ] = "player",
    list_ranks: Annotated[
        bool,
        Option(
            "--list-ranks", help="Instead: the ranks of the chosen moves in a recommender's list."
        ),
    ] = False,
    out: Annotated[
        list[Path] | None,
        Option(help="Also write the tables here (.csv), or draw them (.svg, .png); repeatable."),
    ] = None,
    *,
    output: Output,
) -> None:
    """Count each action and the action of the next player.

    These are the conditional action tables of the Hanabi Challenge.
    """
    from hanabi_orchestrator.experiments.report import policy_tables

    output.show(
        *policy_tables.tables(folder, arm, players, by, list_ranks=list_ranks, out=out or ())
    )


@app.command("status")
def status(folder: Folder, *, output: Output) -> None:
    """Show how a run stands: games, tokens, money, limits.

    Also who plays it; and of a run that is not running how to go on.
    """
    from hanabi_orchestrator.experiments.show import run_status
    from hanabi_orchestrator.experiments.tasks import run_kinds

    data = run_kinds.status(folder)
    output.draw(data, run_status.show, data)


@app.command("control")
def control(
    folder: Folder,
    action: Annotated[
        Literal["pause", "resume", "limit", "retry", "cancel"],
        Argument(
            metavar="ACTION",
            help="pause: let calls in flight end and begin no other; resume; limit MODEL N: "
            "so many calls at a time; retry GAME: one that failed or was suspended; "
            "cancel GAME: suspend it at the end of its turn.",
        ),
    ],
    what: Annotated[
        list[str] | None,
        Argument(
            metavar="[MODEL N|GAME]",
            help="limit: a model and a number; else a game, ARM/NAME or its journal.",
        ),
    ] = None,
    *,
    output: Output,
) -> None:
    """Pause, resume or slow down a run that is being played.

    Also retry or cancel one of its games. No result changes by it.
    """
    from hanabi_orchestrator.experiments.tasks import run_kinds

    words = what or []
    number, needed = WORDS[action]
    if len(words) != number:
        raise UserError(f"{action} takes {needed}, not {' '.join(words) or 'nothing'!r}")
    values: dict[str, Any] = {}
    if action == "limit":
        most = whole_number(words[1])
        if not most:
            raise UserError(
                f"limit {shortened(repr(words[1]))}: say how many calls at the same time, 1 or more"
            )
        values = {"model": words[0], "most": most}
    elif words:
        game = words[0]
        if Path(game).is_dir() and not folder.is_dir():  # the game may also stand first
            game, folder = folder.as_posix(), Path(game)
        values = {"game": game}
    answer = run_kinds.command(folder, action, **values)
    output.lines(answer, *answer["said"])


WORDS = {
    **dict.fromkeys(("pause", "resume"), (0, "no more words")),
    "limit": (2, "a model and a number, e.g. limit gpt-4.1-mini 2"),
    **dict.fromkeys(("retry", "cancel"), (1, "a game: ARM/NAME or the path of its journal")),
}
"""How many words an action takes, and which."""
