"""`diff`: how two games, or two runs, differ."""

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.experiment import MetricOf
from experiments.cli.shared_options import Import, Json, printed
from orchestrator.errors import UserError


def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="A game's journal, or a run folder.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    arm: Annotated[str | None, typer.Option(help="Of runs: only this arm; default every arm that both have.")] = None,
    arm_b: Annotated[str | None, typer.Option(help="The arm of B, if its name differs.")] = None,
    metric: MetricOf = None,
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Compare two games turn by turn, or two runs deal by deal. Exit code 0: the same; 1: different."""
    from experiments.document import terminal
    from experiments.report import two_runs
    from experiments.show import two_games

    if two_games.check(first, second):
        runs = two_runs.diff(first, second, arm, arm_b, metric=metric)
        printed(two_runs.json_value(runs)) if as_json else terminal.show(two_runs.blocks(runs), terminal.console())
        same = runs.same
    elif arm or arm_b or metric:
        raise UserError("--arm, --arm-b and --metric are for two runs, and these are two games")
    else:
        games = two_games.compare(first, second)
        printed(two_games.data(games)) if as_json else two_games.show(games, terminal.console())
        same = games.same
    if not same:
        raise typer.Exit(1)
