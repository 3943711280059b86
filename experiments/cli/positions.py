"""`evaluate positions` and `evaluate build`: which roles' notes change what is decided on positions
of a bank."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from hanabi_orchestrator.experiments.cli import completion
from hanabi_orchestrator.experiments.cli.report import print_task
from hanabi_orchestrator.experiments.cli.shared_options import (
    REPLAY,
    Evaluation,
    Output,
    check_done,
    print_json,
    say,
)
from hanabi_orchestrator.orchestrator.errors import UserError

if TYPE_CHECKING:
    from hanabi_orchestrator.experiments.running.runner import RunOptions
    from hanabi_orchestrator.experiments.study.experiment import Experiment


def build(
    sources: Annotated[
        list[Path], Argument(metavar="PATH...", help="Run folders, folders of arms, or journals.")
    ],
    out: Annotated[Path, Option(help="The bank's file: NAME.jsonl.gz, or NAME.jsonl.")],
    n: Annotated[int, Option(min=1, help="Positions.")] = 200,
    per_game: Annotated[int, Option(min=1, help="Positions of a game at most.")] = 1,
    seed: Annotated[int, Option(help="Of what is drawn.")] = 0,
    rollouts: Annotated[
        int,
        Option(min=0, help="Stratify by the best move of so many rollouts; 0: by one-step values."),
    ] = 0,
    *,
    output: Output,
) -> None:
    """Draw a bank of positions from journals.

    They are spread over player counts, phases, tokens, lives and kinds of best move.
    """
    from hanabi_orchestrator.experiments.tasks.positions import bank, draw

    if not out.name.endswith((".jsonl", ".jsonl.gz")):
        raise UserError(f"--out is {str(out)!r}; a bank's file ends with .jsonl or .jsonl.gz")
    if rollouts:
        output.before_rollouts()
    draw.build(sources, out, n=n, per_game=per_game, seed=seed, rollouts=rollouts)
    drawn_bank = bank.read(out)
    output.show(bank.bank_data(drawn_bank), bank.bank_tables(drawn_bank))
    if drawn_bank.head.positions < n and not output.as_json:
        say(f"\n{n} were asked for: there are no more games, at {per_game} a game")


def show_bank(name: str, position: str | None, output: Output) -> None:
    """Print what is in a bank and where it is from, or one of its positions."""
    from hanabi_orchestrator.experiments.tasks.positions import bank

    positions = bank.read(name)
    if position is None:
        output.show(bank.bank_data(positions), bank.bank_tables(positions))
        return
    for row in positions.positions:
        if row.name == position:
            print_json(row.model_dump(mode="json", exclude_defaults=True))
            return
    if positions.positions:
        names = f"{positions.positions[0].name} to {positions.positions[-1].name}"
    else:
        names = "none"
    raise UserError(f"bank {positions.head.name!r} has no position {position!r}; it has {names}")


def run(
    name: Annotated[
        str,
        Argument(
            metavar="BANK|FILE",
            help="A bank, or an experiment file with `task: positions` (YAML), such as a run's "
            "run.yaml.",
            autocompletion=completion.bank,
        ),
    ],
    graph: Annotated[str | None, Option(help="The graph that decides; default house.")] = None,
    arms: Annotated[
        list[str] | None,
        Option(
            help="removed:NODE, NODE=placebo (shuffled, program, perturbed:RATE, a model), "
            "advise:NODE, gate:NODE, added:ROLE; noise_floor, permuted, same_compute, own_hand. "
            "removed, exact, placebo ... alone: for each colleague. Repeatable, or separated by "
            "commas. Default: removed, placebo, shuffled."
        ),
    ] = None,
    notes: Annotated[
        str | None, Option(help="recorded, or fresh: made once, shared by all arms.")
    ] = None,
    samples: Annotated[
        int | None, Option(help="Decisions of each position in each arm; default 1.")
    ] = None,
    first: Annotated[int | None, Option(help="Only so many positions.")] = None,
    seed: Annotated[
        int | None, Option(help="Of models, and of what is drawn for controls.")
    ] = None,
    noise_floor: Annotated[
        bool | None,
        Option(
            "--noise-floor/--no-noise-floor", help="The noise floor; on where a model is asked."
        ),
    ] = None,
    *,
    asked: Evaluation,
    output: Output,
) -> None:
    """What does a note change in single decisions?

    Decides every position of a bank in every arm: an experiment with `task: positions`, in a line.
    The same command again goes on; answers that were paid for are not asked again.
    """
    if asked.model and asked.model.startswith(REPLAY):
        asked = replace(asked, model=None, cache=asked.model)
    settings: dict[str, Any] = {
        "graph": graph,
        "notes": notes,
        "repeats": samples,
        "first": first,
        "draw": seed,
        "controls": None if noise_floor is None else {"noise_floor": noise_floor},
    }
    if arms:  # separated by commas, those within brackets left alone; a model's name may hold none
        parts = []
        for text in arms:
            for part in re.split(r",(?![^{]*\})", text):
                parts.append(part.strip())
        settings["arms"] = [part for part in parts if part]
    experiment = _experiment(name, settings, asked)
    folder = asked.out or Path("runs") / experiment.name
    if asked.dry_run:
        show_estimate(experiment, folder, output)
    else:
        ask(experiment, folder, asked.run(), output)


def ask(experiment: "Experiment", folder: Path, options: "RunOptions", output: Output) -> None:
    """Ask what an experiment on positions asks, and print its report."""
    from hanabi_orchestrator.experiments.tasks.positions import position_report, position_run

    done = position_run.run(experiment, folder, options, output.progress())
    if done.left < done.total:
        report = position_report.read(folder)
        print_task(position_report, report, folder, output, folder=str(folder), left=done.left)
    check_done(done, "decisions")


DEFAULT_ARMS = ("removed", "placebo", "shuffled")
SAMPLED = 12
"""Positions of each arm by which a dry run estimates all."""


def show_estimate(experiment: "Experiment", folder: Path, output: Output) -> None:
    """Print what the decisions of an experiment on positions would cost."""
    from hanabi_orchestrator.experiments.forecast import dry_run
    from hanabi_orchestrator.experiments.study.arms import Arm
    from hanabi_orchestrator.experiments.study.plan import Plan
    from hanabi_orchestrator.experiments.tasks.positions import position_run
    from hanabi_orchestrator.experiments.tasks.positions.study import study_of
    from hanabi_orchestrator.orchestrator.models.settings import PROGRAM

    models = {"default": PROGRAM, **experiment.models}
    plan = Plan.resolve(experiment, folder)
    arms = list[Arm]()
    for arm in plan.arms:
        exact = arm.everybody.model_copy(update={"models": dry_run.exact(arm.everybody.models)})
        arms.append(replace(arm, everybody=exact))
    rows = list[dry_run.Asked]()
    for sample in position_run.calls_of(study_of(replace(plan, arms=tuple(arms))), SAMPLED):
        config = sample.arm.everybody.config
        assert config is not None  # arms on positions are graphs
        loads = dry_run.loads(sample.calls, config, sample.times)
        if loads.keys() <= models.keys():
            rows.append(dry_run.Asked(sample.arm.name, sample.positions, loads))
    output.show(*dry_run.estimate(rows, models, "positions"))


def _experiment(name: str, settings: Mapping[str, Any], asked: Evaluation) -> "Experiment":
    """Return the experiment of a file or on a bank, with what the command says in its place. Raises
    UserError."""
    from hanabi_orchestrator.experiments.record import run_folder
    from hanabi_orchestrator.experiments.study import experiment as files
    from hanabi_orchestrator.experiments.tasks.games import single_game

    more = {key: value for key, value in settings.items() if value is not None}
    if asked.model is not None:
        models = single_game.resampled(single_game.models([], asked.model), **asked.settings)
        more["models"] = {
            key: model
            if isinstance(model, str)
            else model.model_dump(mode="json", exclude_unset=True)
            for key, model in models.items()
        }
    elif asked.replay is not None:
        recorded = run_folder.read(asked.replay / run_folder.RUN).get("experiment") or {}
        more["models"] = recorded.get("models") or {}
    elif any(asked.settings.values()):
        raise UserError(
            "--temperature, --effort and --max-tokens are for a model: name it with --model"
        )
    if name.endswith((".yaml", ".yml")):
        changes = [f"{key}={json.dumps(value)}" for key, value in more.items()]
        return files.read(name, changes)
    stem = Path(name).name.removesuffix(".gz").removesuffix(".jsonl")
    data = {
        "name": f"positions-{stem}",
        "task": "positions",
        "bank": name,
        "arms": list(DEFAULT_ARMS),
    }
    return files.checked({**data, **more}, f"the experiment on {name!r}")
