"""`evaluate positions` and `evaluate build`: which roles' notes change what is decided on positions of a bank."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from experiments.cli import completion
from experiments.cli.report import print_task
from experiments.cli.shared_options import REPLAY, Evaluation, Output, check_done, print_json, say
from orchestrator.errors import UserError

if TYPE_CHECKING:
    from experiments.tasks.positions.study import Study


def build(
    sources: Annotated[list[Path], Argument(metavar="PATH...", help="Run folders, folders of arms, or journals.")],
    out: Annotated[Path, Option(help="The bank's file: NAME.jsonl.gz, or NAME.jsonl.")],
    n: Annotated[int, Option(min=1, help="Positions.")] = 200,
    per_game: Annotated[int, Option(min=1, help="Positions of a game at most.")] = 1,
    seed: Annotated[int, Option(help="Of what is drawn.")] = 0,
    rollouts: Annotated[
        int, Option(min=0, help="Stratify by the best move of so many rollouts; 0: by one-step values.")
    ] = 0,
    *,
    output: Output,
) -> None:
    """Draw a bank of positions from journals.

    They are spread over player counts, phases, tokens, lives and kinds of best move.
    """
    from experiments.tasks.positions import bank, draw

    if not out.name.endswith((".jsonl", ".jsonl.gz")):
        raise UserError(f"--out is {str(out)!r}; a bank's file ends with .jsonl or .jsonl.gz")
    draw.build(sources, out, n=n, per_game=per_game, seed=seed, rollouts=rollouts)
    drawn_bank = bank.read(out)
    output.show(bank.bank_data(drawn_bank), bank.bank_tables(drawn_bank))
    if drawn_bank.head.positions < n and not output.as_json:
        say(f"\n{n} were asked for: there are no more games, at {per_game} a game")


def show_bank(name: str, position: str | None, output: Output) -> None:
    """Print what is in a bank and where it is from, or one of its positions."""
    from experiments.tasks.positions import bank

    positions = bank.read(name)
    if position is None:
        output.show(bank.bank_data(positions), bank.bank_tables(positions))
        return
    for row in positions.positions:
        if row.name == position:
            print_json(row.model_dump(mode="json", exclude_defaults=True))
            return
    names = f"{positions.positions[0].name} to {positions.positions[-1].name}" if positions.positions else "none"
    raise UserError(f"bank {positions.head.name!r} has no position {position!r}; it has {names}")


def run(
    name: Annotated[
        str,
        Argument(
            metavar="BANK|FILE",
            help="A bank, or a study file (YAML), such as a run's run.yaml.",
            autocompletion=completion.bank,
        ),
    ],
    graph: Annotated[str | None, Option(help="The graph that decides; default house.")] = None,
    arms: Annotated[
        list[str] | None,
        Option(
            help="removed:NODE, NODE=placebo (shuffled, truth, program, perturbed:RATE, a model), advise:NODE, "
            "gate:NODE, added:ROLE; noise_floor, permuted, same_compute. removed, exact, placebo ... alone: for each "
            "colleague. Repeatable, or separated by commas."
        ),
    ] = None,
    notes: Annotated[str | None, Option(help="recorded, or fresh: made once, shared by all arms.")] = None,
    samples: Annotated[int | None, Option(help="Decisions of each position in each arm; default 1.")] = None,
    first: Annotated[int | None, Option(help="Only so many positions.")] = None,
    seed: Annotated[int | None, Option(help="Of simulated models and of what is drawn.")] = None,
    noise_floor: Annotated[
        bool | None, Option("--noise-floor/--no-noise-floor", help="The noise floor; on where a model is asked.")
    ] = None,
    *,
    asked: Evaluation,
    output: Output,
) -> None:
    """What does a note change in single decisions?

    Decides every position of a bank in every arm. The same command again goes on; answers that were paid for are
    not asked again.
    """
    from experiments.tasks.positions import position_report, position_run

    if asked.model and asked.model.startswith(REPLAY):
        asked = replace(asked, model=None, cache=asked.model)
    settings = {
        "graph": graph,
        "notes": notes,
        "samples": samples,
        "first": first,
        "seed": seed,
        "noise_floor": noise_floor,
    }
    # arms that are separated by commas, those within brackets left alone; a model's name may hold none
    parts = [part.strip() for text in arms or () for part in re.split(r",(?![^{]*\})", text)]
    study = _study(name, {**settings, "arms": tuple(filter(None, parts)) if arms else None}, asked)
    if asked.dry_run:
        _estimate(study, output)
        return
    folder = asked.out or Path("runs") / study.name
    done = position_run.run(study, folder, asked.run(), output.progress())
    if done.left < done.total:
        report = position_report.read(folder)
        print_task(position_report, report, folder, output, folder=str(folder), left=done.left)
    check_done(done, "decisions")


SAMPLED = 12
"""Positions of each arm by which a dry run estimates all."""


def _estimate(study: "Study", output: Output) -> None:
    """Print what the decisions of a study would cost."""
    from experiments.forecast import dry_run
    from experiments.tasks.positions import position_run
    from orchestrator.models.settings import PROGRAM

    models = {"default": PROGRAM, **study.models}
    programs = study.model_copy(update={"models": dry_run.exact(models)})
    rows = [
        dry_run.Asked(each.arm.name, each.positions, dry_run.loads(each.calls, study.config, each.times))
        for each in position_run.calls_of(programs, SAMPLED)
        if each.arm.kind != "model"
    ]
    output.show(*dry_run.estimate(rows, models, "positions"))


def _study(name: str, settings: dict[str, object], asked: Evaluation) -> "Study":
    from pydantic import ValidationError

    from experiments.tasks.games import single_game
    from experiments.tasks.positions import study
    from orchestrator.errors import user_error

    more = {key: value for key, value in settings.items() if value is not None}
    if asked.model is not None:
        more["models"] = dict(single_game.resampled(single_game.models([], asked.model), **asked.settings))
    elif asked.replay is not None:
        more["models"] = study.read(asked.replay / "run.yaml").models
    elif any(asked.settings.values()):
        raise UserError("--temperature, --effort and --max-tokens are for a model: name it with --model")
    if name.endswith((".yaml", ".yml")):
        data = study.read(Path(name)).model_dump(exclude_unset=True)
    else:
        stem = Path(name).name.removesuffix(".gz").removesuffix(".jsonl")
        data = {"name": f"positions-{stem}", "positions": name}
    try:
        return study.Study.model_validate({**data, **more})
    except ValidationError as error:
        raise user_error(f"the study {name!r}", error) from None
