"""`list`: what there is of a kind, such as graphs, games or runs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from experiments.cli.probes import Conventions, Packs, Per, PlayerCounts, Seed, list_probes
from experiments.cli.shared_options import Output
from orchestrator.errors import UserError

Kind = Literal["graphs", "roles", "partners", "experiments", "runs", "games", "positions", "probes", "references"]


def listed(
    kind: Annotated[Kind, typer.Argument(metavar="KIND", help="graphs, roles, partners, experiments, runs, games ...")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Of runs and games: below this folder; default runs, games.")
    ] = None,
    pack: Packs = None,
    convention: Conventions = None,
    players: PlayerCounts = None,
    per: Per = 3,
    seed: Seed = 1,
    *,
    output: Output,
) -> None:
    """List graphs, roles, partners, experiments, runs, games ...

    Also positions (packaged banks), probes (conventions with their probes) and references (published scores).
    """
    if folder is not None and kind not in ("runs", "games"):
        raise UserError(f"list {kind} takes no folder; list runs and list games do")
    import roles
    from experiments.record import saved
    from experiments.show import listing
    from experiments.study import experiment, references
    from experiments.tasks.positions import bank

    if kind == "probes":
        list_probes(pack, convention, players, per, seed, output)
    elif kind == "graphs":
        output.show(listing.graphs_data(), [listing.graphs_table()])
    elif kind == "roles":
        output.show([listing.role_data(roles.get(name)) for name in roles.names()], [listing.roles_table()])
    elif kind == "partners":
        output.show(listing.partners_data(), [listing.partners_table()])
    elif kind == "games":
        games = saved.games(folder or Path("games"))
        output.rows(games if output.as_json else saved.told(games), f"there is no game in {folder or 'games'}")
    elif kind == "runs":
        output.rows(saved.runs(folder or Path("runs")), f"there is no run in {folder or 'runs'}")
    elif kind == "experiments":
        output.rows(experiment.experiments(), "there is no packaged experiment")
    elif kind == "references":
        output.rows(references.rows(), "there is none")
    else:
        output.rows(bank.rows(), "there is no packaged bank")
