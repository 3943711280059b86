"""`experiment`: arms of games on the same deals, and what they come to."""

from pathlib import Path
from typing import Annotated

import typer

from experiments import config, dry, sim_table, summary
from experiments import run as running
from experiments.commands import Json, Quiet, group, printed
from experiments.progress import Progress
from experiments.terminal import console
from orchestrator.errors import Suspended, TurnError

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
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another setting of the experiment, e.g. seeds.count=10; may be repeated."),
    ] = None,
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


@app.command("errors")
def errors(
    folder: Annotated[Path, typer.Argument(help="A run's folder, e.g. runs/cac-table-3.")], as_json: Json = False
) -> None:
    """Count what became of the errors of a run's simulated models."""
    found = sim_table.tallies(folder)
    printed(sim_table.data(found)) if as_json else sim_table.show(found, console())
