"""The graphs, roles and partners there are, as tables and as data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from rich.console import Console
from rich.text import Text

import roles
from experiments.document.blocks import Cell, Column, Table, table
from experiments.document.formats import INT, RIGHT, TEXT
from experiments.show import section_fields
from experiments.values.role_marks import CONDITIONS, mark_infos
from graphs import config as graph_configs
from graphs import context, named
from graphs.attempts import calls, depth, judging
from orchestrator.players import partners
from orchestrator.plugins import BUILT_IN
from roles.marks import Marker, MarkInfo, infos
from roles.reply_types import answer_format
from roles.role_definition import Role
from roles.role_options import shown
from roles.words import ENGLISH


def graphs_table() -> Table:
    """Return the graphs with their nodes, calls and rules."""
    names = ("graph", "context", "nodes", "calls per turn", "depth", "verify", "from")
    columns = [Column(name, name, TEXT, unbroken=name not in ("nodes", "from")) for name in names]
    rows = []
    for name in graph_configs.names():
        config = graph_configs.read(name)
        verify = " + ".join(judging(config)) or "none"
        nodes = ", ".join(f"{n} x{x.samples}" if x.samples > 1 else n for n, x in config.nodes.items())
        kind, source = context.resolved(config.context).name, graph_configs.source(name)
        paper = named.graphs()[name].about.partition(":")[0]
        source = paper if source == BUILT_IN else f"{source}: {paper}"
        rows.append((name, kind, nodes, calls(config), str(depth(config)), verify, source))
    return table("graphs", columns, rows)


def graphs_data() -> list[dict[str, Any]]:
    """Return the graphs as plain data."""
    return [
        {
            **graph_configs.read(name).model_dump(mode="json"),
            "source": graph_configs.source(name),
            "what_for": named.graphs()[name].about,
        }
        for name in graph_configs.names()
    ]


def roles_table() -> Table:
    """Return the roles with their replies and how many marks they may have."""
    columns = (
        *(Column("role", "role", unbroken=True), Column("reply", "replies with", unbroken=True)),
        *(Column("played_by", "played by", unbroken=True), Column("marks", "marks", RIGHT)),
        *(Column("source", "from", unbroken=True), Column("what_for", "what for", cut=True)),
    )
    every = map(roles.get, roles.names())
    rows = [
        (role.name, role.reply.__name__, played_by(role), _marked(role), roles.source(role.name), role.title)
        for role in every
    ]
    return table("roles", columns, rows)


def played_by(role: Role) -> str:
    """Return `model`, `program`, or both."""
    return " or ".join(player for player, means in (("model", role.template), ("program", role.solve)) if means)


def _marked(role: Role) -> str:
    """Return how many marks a role may have; of a plain function it is not known."""
    if role.mark is None or isinstance(role.mark, Marker):
        return str(len(mark_infos(role.name)) or "-")
    return "yes"


def role_data(role: Role) -> dict[str, Any]:
    """Return a role as plain data."""
    return {
        "name": role.name,
        "title": role.title,
        "source": roles.source(role.name),
        "reply": role.reply.__name__,
        "takes": [section.name for section in role.takes],
        "sections": [section_fields.data(section) for section in role.takes],
        "needs": [section.name for section in role.needs],
        "played_by": played_by(role),
        "after_game": role.after_game,
        "options": {name: [_allowed(value) for value in values] for name, values in role.options.items()},
        "marked": _marked(role) != "-",
        "marks": [asdict(info) | {"where": CONDITIONS.get(info.name, "")} for info in mark_infos(role.name).values()],
        "not_marked": role.mark.prose if isinstance(role.mark, Marker) else "",
        "extends": role.extends.name if role.extends else None,
        "template": role.template,
        "schema": role.reply.model_json_schema(),
    }


def show_role(role: Role, console: Console) -> None:
    """Print the sections of a role, its reply and its instruction."""
    console.print(Text.assemble((role.name, "bold"), (f"  {role.title}", "italic")))
    console.print(Text("sections, with the fields that a program finds in `sections[Class]`:"))
    for section in role.takes:
        console.print(Text("\n".join(f"  {line}" for line in section_fields.lines(section, with_types=False))))
    console.print(Text("`orchestrator roles show SECTION` defines the types of a section's fields.", style="dim"))
    console.print(Text(f"its program needs: {', '.join(section.name for section in role.needs) or 'none'}"))
    console.print(Text(f"played by: {played_by(role)}; replies with: {role.reply.__name__}"))
    if role.after_game:
        console.print(Text("asked: after a game, by `evaluate judge`; no graph can have it"))
    for name, values in role.options.items():
        allowed = ", ".join(str(_allowed(value)) for value in values)
        console.print(Text(f"option {name}: {allowed}; the first is the default"))
    console.print(Text(f"from: {roles.source(role.name)}"))
    for line in _marks(role):
        console.print(Text(line))
    if role.template:
        task, *addition = role.texts(ENGLISH).values()
        console.print(Text("\n\n".join((f"\n{task}", answer_format(role.reply), *addition))))


def _marks(role: Role) -> Iterator[str]:
    """Return each mark in its words, and what of a reply is not marked."""
    stated, every = infos(role.mark), mark_infos(role.name)
    if role.mark is not None and not isinstance(role.mark, Marker):
        yield f"marks: {(role.mark.__doc__ or 'yes').strip().splitlines()[0].rstrip('.')}"
    elif not every:
        yield "marks: none"
    if stated:
        yield "marks of its note, against the hidden cards and the exact belief:"
        yield from chain.from_iterable(map(_mark, stated.values()))
    if by_values := [info for name, info in every.items() if name not in stated]:
        yield "marks of the moves it chooses, lists, rates or judges:"
        yield from chain.from_iterable(map(_mark, by_values))
    if isinstance(role.mark, Marker) and role.mark.prose:
        yield f"not marked: {role.mark.prose}"


def _mark(info: MarkInfo) -> Iterator[str]:
    better = "higher" if info.higher else "lower"
    best = "no value is better than another" if info.best is None else f"best {info.best:.2g}, {better} is better"
    guess = f"; uniform guess: {info.uniform}" if info.uniform else ""
    yield f"  {info.name}: {info.says}"
    where = f"; only {condition}" if (condition := CONDITIONS.get(info.name)) else ""
    yield f"    {info.unit}; {best}{guess}{where}"


def partners_table() -> Table:
    """Return the rule players."""
    columns = (Column("partner", "partner", unbroken=True), Column("players", "players"), Column("source", "after"))
    every = map(partners.get, partners.names())
    rows = [(partner.name, ", ".join(map(str, partner.players)), partner.source) for partner in every]
    return table("partners", columns, rows)


def partners_data() -> list[dict[str, Any]]:
    """Return the rule players as plain data."""
    every = map(partners.get, partners.names())
    return [{"name": partner.name, "players": partner.players, "source": partner.source} for partner in every]


LONG = ("what_for", "models", "rule", "says", "source", "n")
"""Columns that are narrower on a narrow terminal."""


def rows_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return rows of equal keys."""
    columns = []
    for name in rows[0] if rows else ():
        words = any(isinstance(row[name], str | list | bool) for row in rows)
        title, cut = name.replace("_", " "), name == "what_for"
        columns.append(Column(name, title, TEXT if words else INT, unbroken=name not in LONG, cut=cut))
    return table("rows", columns, [[_cell(value) for value in row.values()] for row in rows])


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _allowed(value: object) -> object:
    """Return a possible value of an option, for people and JSON."""
    return shown(value) if value is int or isinstance(value, range) else value
