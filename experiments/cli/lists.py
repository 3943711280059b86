"""`list`: what there is of a kind, such as graphs, games or runs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from experiments.cli.probes import Conventions, Packs, Per, PlayerCounts, Seed, list_probes
from experiments.cli.shared_options import Output, print_blocks, print_rows
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
    if kind == "probes":
        list_probes(pack, convention, players, per, seed, output.as_json)
    elif kind in ("graphs", "roles", "partners"):
        _parts(kind, output.as_json)
    else:
        _rows(kind, folder, output.as_json)


def _parts(kind: str, as_json: bool) -> None:
    """Graphs, roles or partners."""
    import roles
    from experiments.show import listing

    if kind == "graphs":
        print_blocks(listing.graphs_data(), [listing.graphs_table()], as_json=as_json)
    elif kind == "roles":
        data = [listing.role_data(roles.get(name)) for name in roles.names()]
        print_blocks(data, [listing.roles_table()], as_json=as_json)
    else:
        print_blocks(listing.partners_data(), [listing.partners_table()], as_json=as_json)


def _rows(kind: str, folder: Path | None, as_json: bool) -> None:
    """Kinds whose rows are the table."""
    from experiments.record import saved
    from experiments.study import experiment, references
    from experiments.tasks.positions import bank

    if kind == "games":
        games = saved.games(folder or Path("games"))
        print_rows(games if as_json else saved.told(games), f"there is no game in {folder or 'games'}", as_json=as_json)
    elif kind == "runs":
        print_rows(saved.runs(folder or Path("runs")), f"there is no run in {folder or 'runs'}", as_json=as_json)
    elif kind == "experiments":
        print_rows(experiment.experiments(), "there is no packaged experiment", as_json=as_json)
    elif kind == "references":
        print_rows(references.rows(), "there is none", as_json=as_json)
    else:
        print_rows(bank.rows(), "there is no packaged bank", as_json=as_json)
