"""`experiment`: arms of games on the same deals, and what they come to."""

from pathlib import Path
from typing import Annotated

import typer

from experiments import config, dry, planning, proposal, sim_table, summary
from experiments import run as running
from experiments.commands import Json, Quiet, group, printed
from experiments.power import POWER
from experiments.progress import Progress
from experiments.terminal import console
from orchestrator.errors import Suspended, TurnError

Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Another setting of the experiment, e.g. seeds.count=10; may be repeated."),
]
Past = Annotated[
    Path | None, typer.Option("--from", help="A run's folder: estimate costs by its finished games as well.")
]
AnswerTokens = Annotated[
    int | None, typer.Option("--answer-tokens", help="Estimate costs with answers of so many tokens.")
]

app = group("Arms of games on the same deals, and what they come to.")


@app.command("run")
def run(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="FILE", help="A YAML file, or the name of a packaged experiment.")],
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder; runs/NAME if not given.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that play.")] = 1,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would cost, and play nothing.")] = False,
    past: Past = None,
    answer_tokens: AnswerTokens = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run an experiment; the same command again goes on with it."""
    loud = context.obj.more(verbose=False, quiet=quiet).set_up()
    asked = config.read(name, settings or ())
    folder = out or Path("runs") / asked.name
    if dry_run:
        planned = dry.of(asked, folder, past, answer_tokens)
        printed(dry.data(planned)) if as_json else dry.show(planned, console())
        return
    done = running.run(asked, folder, workers=workers, progress=Progress(quiet=loud.quiet))
    printed(summary.data(done)) if as_json else summary.show(done, console())
    if done.suspended:
        raise Suspended(f"{done.suspended}. The same command goes on from there", 0)
    if done.failed:
        raise TurnError(summary.failures(done))


@app.command("plan")
def plan(
    name: Annotated[str, typer.Argument(metavar="FILE", help="A YAML file, or the name of a packaged experiment.")],
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder; runs/NAME if not given.")] = None,
    past: Past = None,
    answer_tokens: AnswerTokens = None,
    effect: Annotated[float | None, typer.Option(help="Points that an arm should differ by and be seen to.")] = None,
    power: Annotated[float, typer.Option(help="How often such a difference is to be seen.")] = POWER,
    max_usd: Annotated[float | None, typer.Option("--max-usd", help="What it may cost.")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", help="What it may take, in and out.")] = None,
    as_json: Json = False,
) -> None:
    """Propose player counts and deals: what a budget can show, or what an effect costs."""
    asked, given = config.read(name, settings or ()), settings or []
    wish = planning.Wish(effect, power, max_usd, max_tokens)
    made = planning.of(asked, out or Path("runs") / asked.name, wish, past, answer_tokens)
    if as_json:
        printed(proposal.data(made, name, given, out))
    else:
        proposal.show(made, name, given, out, console())


@app.command("errors")
def errors(
    folder: Annotated[Path, typer.Argument(help="A run's folder, e.g. runs/cac-table-3.")], as_json: Json = False
) -> None:
    """Count what became of the errors of a run's simulated models."""
    found = sim_table.tallies(folder)
    printed(sim_table.data(found)) if as_json else sim_table.show(found, console())
