"""Who sits where: a seat from its spec, and the seats of a table.

A spec is `partner:NAME`, `python:module:object`, or a graph: its name or the path to its YAML file.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import graphs
from graphs.config import PROGRAM, GraphConfig
from graphs.graph_seat import GraphSeat, Model
from orchestrator import players as partners
from orchestrator.errors import UserError
from orchestrator.models.layer import ModelLayer
from orchestrator.players import Partner, python_agent
from orchestrator.table.seat import Seat

OTHERS = (partners.PREFIX, python_agent.PREFIX)
"""How specs begin that are no graphs."""

_PLACE = re.compile(r"(?P<seat>\d+)=(?P<spec>.+)")


def read_seat(
    spec: str,
    *,
    model: Model = PROGRAM,
    layer: ModelLayer | None = None,
    named: Mapping[str, Model] | None = None,
    verify: str | None = None,
) -> Seat:
    """The seat of a spec. The rest is for graphs: the model bound to `default`, others by name, another verifier.

    Raises UserError for a partner, a module, an object, a graph or a model that is not there or cannot be.
    """
    if spec.startswith(partners.PREFIX):
        return partners.get(spec.removeprefix(partners.PREFIX))
    if spec.startswith(python_agent.PREFIX):
        return python_agent.read(spec)
    config = graphs.read(spec)
    return graphs.seat(config if verify is None else graphs.verified(config, verify), model, named=named, layer=layer)


def check(seat: Seat, players: int) -> Seat:
    """The seat. Raises UserError when it is not for so many players."""
    if isinstance(seat, GraphSeat):
        graphs.at(seat.config, players)
    elif isinstance(seat, Partner) and players not in seat.players:
        counts = ", ".join(map(str, seat.players))
        raise UserError(f"{partners.PREFIX}{seat.name} is for {counts} players, not {players}")
    return seat


def placed(given: Sequence[str], players: int) -> dict[int, str]:
    """The specs of `--seat N=SPEC` by seat. Raises UserError for a seat that is not at the table, or given twice."""
    specs: dict[int, str] = {}
    for one in given:
        if not (found := _PLACE.fullmatch(one)):
            raise UserError(f"--seat {one!r} is no seat; say N=SPEC, e.g. 1=partner:piers")
        seat = int(found["seat"])
        if seat >= players:
            raise UserError(f"--seat {one!r}: {players} players sit on the seats 0 to {players - 1}")
        if seat in specs:
            raise UserError(f"--seat {one!r}: seat {seat} is taken by {specs[seat]!r}")
        specs[seat] = found["spec"]
    return dict(sorted(specs.items()))


def configs(config: GraphConfig, specs: Mapping[int, str], players: int) -> list[GraphConfig]:
    """The graphs of a table: `config`, unless others have all seats, and those that `specs` name."""
    told = [spec for spec in dict.fromkeys(specs.values()) if not spec.startswith(OTHERS)]
    return [*([config] if len(specs) < players else []), *map(graphs.read, told)]


def table(
    config: GraphConfig,
    specs: Mapping[int, str],
    players: int,
    *,
    named: Mapping[str, Model],
    layer: ModelLayer,
    verify: str | None = None,
) -> tuple[Seat, ...]:
    """The seats of a table: those of `specs`, and the graph on all others. What sits twice is made once.

    Raises UserError for a seat that cannot be, or not with so many players.
    """
    model = named.get("default", PROGRAM)
    made: dict[str | None, Seat] = {}
    for seat in range(players):
        if (spec := specs.get(seat)) in made:
            continue
        if spec is None:
            made[spec] = graphs.seat(config, model, named=named, layer=layer)
        else:
            made[spec] = read_seat(spec, model=model, layer=layer, named=named, verify=verify)
        check(made[spec], players)
    return tuple(made[specs.get(seat)] for seat in range(players))


def name(graph: str, specs: Mapping[int, str], players: int) -> str:
    """What tells a table from others in the name of a file: `house-P1-partner-piers`."""
    there = [graph] if len(specs) < players else []
    return "-".join((*there, *(f"P{seat}-{_short(spec)}" for seat, spec in specs.items())))


def _short(spec: str) -> str:
    """`partner-piers`, `python-Careful`, a graph's name."""
    if spec.startswith(python_agent.PREFIX):
        told = python_agent.PREFIX + spec.rpartition(":")[2]
    else:
        told = spec if spec.startswith(partners.PREFIX) else Path(spec).stem
    return re.sub(r"[^\w.]+", "-", told).strip("-")
