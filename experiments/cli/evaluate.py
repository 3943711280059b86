"""`evaluate`: put decisions, conventions, questions or statements of a player to the test, without whole games."""

from pathlib import Path
from typing import Annotated

from typer import Argument

from experiments.cli import positions, probes, questions
from experiments.cli.shared_options import Output, group

app = group("Ask in positions, probes, questions, or by a judge.")
app.command("positions")(positions.run)
app.command("probes")(probes.run)
app.command("questions")(questions.questions)
app.command("judge")(questions.judge)
app.command("build")(positions.build)


@app.command("show")
def show(
    name: Annotated[
        str, Argument(metavar="BANK|PROBE", help="A bank's file or name, or a probe as its journal names it.")
    ],
    position: Annotated[
        str | None, Argument(help="Of a bank: one position as JSON, e.g. p007.", show_default=False)
    ] = None,
    seed: probes.Seed = 1,
    *,
    output: Output,
) -> None:
    """Show a bank of positions, one position, or a probe."""
    from experiments.tasks.positions import bank

    file = Path(name).exists() or name.endswith((".jsonl", ".jsonl.gz"))
    if file or position is not None or name in bank.packaged():
        positions.show_bank(name, position, output)
    else:
        probes.show_probe(name, seed, output)
