"""`experiment`: run, plan and compare ablation experiments."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from experiments.cli import positions
from experiments.cli.shared_options import (
    Calls,
    Import,
    Interrupted,
    Json,
    Output,
    Traces,
    group,
    grouped,
    print_blocks,
    print_rows,
    printed,
)
from orchestrator.errors import Suspended, TurnError, UserError

if TYPE_CHECKING:  # importing it takes a second, and most commands need none of it
    from experiments.running.runner import Done


Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A run folder, e.g. runs/role-ablation.")]
Game = Annotated[
    str, typer.Argument(metavar="GAME", help="A game as ARM/NAME, e.g. full/2p-s1-r1, or the path of its journal.")
]
Executors = Literal["local", "ray"]

Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a setting of the experiment, e.g. seeds.count=10; repeatable."),
]
Past = Annotated[
    Path | None, typer.Option("--from", help="A run folder: estimate costs from its finished games as well.")
]
AnswerTokens = Annotated[
    int | None, typer.Option("--answer-tokens", help="Estimate costs with responses of this many tokens.")
]

MinOwn = Annotated[
    float | None,
    typer.Option("--min-own", help="Stop when a smaller share of moves is the models' own; default 0.5, 0 for never."),
]

app = group("Run, plan and compare ablation experiments.")

Intervals = Annotated[
    Literal["t", "bootstrap"],
    typer.Option("--interval", help="The method of the 95 % intervals of means; differences have their test's."),
]
MetricOf = Annotated[
    str | None,
    typer.Option(
        "--metric",
        help="What arms are compared by: the score strict, 0 when the third life was lost, or kept, the points on the "
        "table; turns, misplays, hints_wasted, own, tokens, calls ...; or a mark, mark:ROLE.NAME. Default: the one "
        "that the run names.",
    ),
]
StopWhen = Annotated[
    Literal["shown", "excluded", "either"] | None,
    typer.Option(
        "--stop-when",
        help="Stop an arm before the last deal when its difference from the baseline is shown, when one of "
        "--stop-effect is excluded, or at either; error rates stay what they are.",
    ),
]
StopEffect = Annotated[
    float | None, typer.Option("--stop-effect", help="With --stop-when: the difference to exclude; default 1 point.")
]
Looks = Annotated[
    str | None,
    typer.Option("--looks", help="With --stop-when: deals after which to look, e.g. 10,20,40; default five looks."),
]
Latex = Annotated[bool, typer.Option("--latex", help="Also write tables.tex: all tables for LaTeX (booktabs).")]
References = Annotated[
    list[str] | None,
    typer.Option(
        "--reference",
        help="Show a published score beside the run's own; repeatable. `experiment references`, or `list`, lists them.",
    ),
]
Marks = Annotated[
    bool | None,
    typer.Option(
        "--marks/--no-marks",
        help="Mark the roles' answers in the report, seconds a game; default for up to 20 games in which a model was "
        "asked, and for all whose marks are kept.",
        show_default=False,
    ),
]


@app.command("run")
@grouped
def run(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="FILE", help="A YAML file, or the name of a packaged experiment.")],
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option(help="The run folder; default runs/NAME.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    executor: Annotated[Executors, typer.Option(help="local, or ray for several machines.")] = "local",
    shard: Annotated[str | None, typer.Option(help="I/N: only this part of the deals, for job arrays.")] = None,
    *,
    calls: Calls,
    min_own: MinOwn = None,
    traces: Traces,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Estimate the cost, and play nothing.")] = False,
    interval: Intervals = "t",
    metric: MetricOf = None,
    marks: Marks = None,
    stop_when: StopWhen = None,
    stop_effect: StopEffect = None,
    looks: Looks = None,
    past: Past = None,
    answer_tokens: AnswerTokens = None,
    imports: Import = None,
    output: Output,
) -> None:
    """Run an experiment; the same command again continues it. Completed API calls are never billed again."""
    from experiments.cli.run_progress import RunProgress
    from experiments.report import mark_metric
    from experiments.running.runner import RunOptions
    from experiments.running.shard import Shard
    from experiments.study import experiment
    from experiments.tasks.games import experiment_run

    loud, as_json = output.set_up(context), output.as_json
    if metric is not None:
        mark_metric.check(metric)
    study = experiment.read(name, [*(settings or ()), *_stop(stop_when, stop_effect, looks)])
    folder = out or Path("runs") / study.name
    if dry_run:
        from experiments.costs import dry_run as dry

        planned = dry.forecast(study, folder, past, answer_tokens)
        print_blocks(dry.data(planned), dry.blocks(planned), as_json=as_json)
        return
    options = RunOptions(calls.options, workers, executor, Shard.read(shard) if shard else None, min_own)
    with traces.sent(folder):
        done = experiment_run.run(study, folder, options=options, progress=RunProgress(quiet=loud.quiet))
    from experiments.report import run_summary
    from experiments.tasks.judge import judge_report

    tasks = judge_report.blocks_of_run(done.plan.folder)
    summary = run_summary.summary(done, interval=interval, metric=metric, marks=marks, tasks=tasks)
    print_blocks(run_summary.json_value(summary), run_summary.blocks(summary), as_json=as_json)
    if done.interrupted:
        games = "1 game in progress is" if done.kept == 1 else f"{done.kept} games in progress are"
        raise Interrupted(f"{games} kept, {done.left - done.kept} not begun; the same command goes on")
    if done.suspended:
        raise Suspended(f"{done.suspended}. {_onward(done)} continues from there", 0)
    if done.failed:
        raise TurnError(run_summary.failed(done))


def _stop(when: str | None, effect: float | None, looks: str | None) -> list[str]:
    """The options of a stop rule as settings of the experiment. Raises UserError where there is no --stop-when."""
    if when is None and (effect is not None or looks is not None):
        raise UserError(f"{'--looks' if effect is None else '--stop-effect'} is for --stop-when, and there is none")
    options = {"when": when, "effect": effect, "looks": None if looks is None else f"[{looks}]"}
    return [f"stop.{key}={value}" for key, value in options.items() if value is not None]


def _onward(done: "Done") -> str:
    """What continues a run that stopped."""
    if done.halted:
        return "The games in progress are kept: a smaller --min-own"
    return "A larger budget" if done.over_budget else "The same command"


@app.command("list")
def packaged(as_json: Json = False) -> None:
    """List the packaged experiments, a line each; --json has their descriptions in full."""
    from experiments.study import experiment

    print_rows(experiment.experiments(), "there is no packaged experiment", as_json=as_json)


@app.command("runs")
def runs(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder below which to look.")] = Path("runs"),
    as_json: Json = False,
) -> None:
    """List the run folders below a folder, with their finished games."""
    from experiments.record import saved

    print_rows(saved.runs(folder), f"there is no run in {folder}", as_json=as_json)


@app.command("report")
def report(
    folder: Folder,
    interval: Intervals = "t",
    metric: MetricOf = None,
    latex: Latex = False,
    marks: Marks = None,
    reference: References = None,
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Write report.html and report.md, with figures and tables, for a run folder."""
    from experiments.report import run_report
    from experiments.tasks.judge import judge_report

    if reference == ["list"]:
        references(as_json)
        return
    tasks = judge_report.blocks_of_run(folder)
    written = run_report.write(
        folder, interval=interval, metric=metric, tex=latex, marks=marks, reference=reference or (), tasks=tasks
    )
    print_blocks(run_report.json_value(written), run_report.files(written), as_json=as_json)


@app.command("references")
def references(as_json: Json = False) -> None:
    """List the published scores that `report --reference NAME` shows, with their source and number of games."""
    from experiments.study import references as published

    print_rows(published.rows(), "there is none", as_json=as_json)


@app.command("compare")
def compared(
    first: Annotated[Path, typer.Argument(metavar="DIR_A", help="A run folder.")],
    second: Annotated[Path, typer.Argument(metavar="DIR_B", help="Another run folder, to compare with it.")],
    arm: Annotated[str | None, typer.Option(help="Only this arm; default every arm that both runs have.")] = None,
    arm_b: Annotated[str | None, typer.Option(help="The arm of DIR_B, if its name differs.")] = None,
    interval: Intervals = "t",
    metric: MetricOf = None,
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Compare two runs arm by arm, on the deals that both played."""
    from experiments.report import compare

    pairs = compare.compare(first, second, arm, arm_b, interval=interval, metric=metric)
    print_blocks(compare.json_value(pairs), compare.blocks(pairs), as_json=as_json)


@app.command("plan")
def plan(
    name: Annotated[str, typer.Argument(metavar="FILE", help="A YAML file, or the name of a packaged experiment.")],
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option(help="The run folder; default runs/NAME.")] = None,
    past: Past = None,
    answer_tokens: AnswerTokens = None,
    effect: Annotated[float | None, typer.Option(help="The difference to detect, in points.")] = None,
    power: Annotated[float, typer.Option(help="The probability of detecting it.")] = 0.8,
    max_usd: Annotated[float | None, typer.Option("--max-usd", help="Budget in dollars.")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", help="Budget in tokens, input and output.")] = None,
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Propose player counts and deals: what a budget can detect, or what an effect needs."""
    from experiments.costs import sample_size, sample_size_report
    from experiments.study import experiment

    study, changes = experiment.read(name, settings or ()), settings or []
    wish = sample_size.Goal(effect, power, max_usd, max_tokens)
    proposal = sample_size.propose(study, out or Path("runs") / study.name, wish, past, answer_tokens)
    print_blocks(
        sample_size_report.data(proposal, name, changes, out),
        sample_size_report.blocks(proposal, name, changes, out),
        as_json=as_json,
    )


@app.command("policy")
def policy(
    folder: Folder,
    arm: Annotated[str | None, typer.Option(help="Only this arm; default all.")] = None,
    players: Annotated[int | None, typer.Option(help="Only this player count; default all.")] = None,
    by: Annotated[
        Literal["player", "seat"], typer.Option("--by", help="Tables for what sits in the seats, or for each seat.")
    ] = "player",
    list_ranks: Annotated[
        bool, typer.Option("--list-ranks", help="Instead: the ranks of the chosen moves in a recommender's list.")
    ] = False,
    csv: Annotated[Path | None, typer.Option("--csv", help="Also write the tables with 95 % intervals here.")] = None,
    figure: Annotated[Path | None, typer.Option("--figure", help="Also draw them here: .svg or .png.")] = None,
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Count which action follows which: the conditional action tables of the Hanabi Challenge."""
    from experiments.report import policy_tables

    choice = policy_tables.Wanted(arm, players, by, list_ranks, csv, figure)
    tables = policy_tables.make(folder, choice)
    print_blocks(tables.data, tables.blocks, as_json=as_json)


@app.command("errors")
def errors(
    folder: Annotated[Path, typer.Argument(help="A run folder, e.g. runs/cac-table-3.")],
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Count what became of the errors of simulated models in a run."""
    from experiments.analysis import error_counts

    arms = error_counts.count_run(folder)
    print_blocks(error_counts.data(arms), [error_counts.block(arms)], as_json=as_json)


app.add_typer(positions.app, name="positions")


@app.command("status")
def status(folder: Folder, as_json: Json = False) -> None:
    """Show how a run stands: games, tokens, money, limits, and who plays it; also when nobody does."""
    from experiments.document.terminal import console
    from experiments.show import run_status as shown
    from experiments.tasks import run_status

    data = run_status.status(folder)
    printed(data) if as_json else shown.show(data, console())


@app.command("pause")
def pause(folder: Folder, as_json: Json = False) -> None:
    """Pause a run: calls in flight end, no other begins until `resume`. It changes no result."""
    _say(folder, as_json, "pause")


@app.command("resume")
def resume(folder: Folder, as_json: Json = False) -> None:
    """Go on with a paused run."""
    _say(folder, as_json, "resume")


@app.command("limit")
def limit(
    folder: Folder,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="As in a models file, or its bare name.")],
    n: Annotated[int, typer.Argument(metavar="N", min=1, help="Calls at the same time.")],
    as_json: Json = False,
) -> None:
    """Allow a model another number of calls at a time (max_concurrency) until the command that plays the run ends."""
    _say(folder, as_json, "limit", model=model, most=n)


@app.command("retry")
def retry(game: Game, folder: Folder, as_json: Json = False) -> None:
    """Try a game that failed or was suspended again now, while its run is still played."""
    _say_of_game(game, folder, as_json, "retry")


@app.command("cancel")
def cancel(game: Game, folder: Folder, as_json: Json = False) -> None:
    """Suspend a game at the end of its turn, and leave it out until the run is started again."""
    _say_of_game(game, folder, as_json, "cancel")


def _say_of_game(game: str, folder: Path, as_json: bool, command: str) -> None:
    """Act on a game; the folder may also stand first, as in the other commands."""
    if Path(game).is_dir() and not folder.is_dir():
        game, folder = folder.as_posix(), Path(game)
    _say(folder, as_json, command, game=game)


def _say(folder: Path, as_json: bool, command: str, **values: Any) -> None:
    from experiments.tasks import run_status

    answer = run_status.command(folder, command, **values)
    printed(answer) if as_json else print("\n".join(answer["said"]))
