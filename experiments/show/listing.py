"""The graphs, roles and partners there are, as tables and as data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from hanabi_orchestrator import roles
from hanabi_orchestrator.experiments.document.blocks import Cell, Column, Table, listing, table
from hanabi_orchestrator.experiments.document.formats import INT, RIGHT, TEXT
from hanabi_orchestrator.experiments.formats import exports, imports
from hanabi_orchestrator.experiments.show import section_fields
from hanabi_orchestrator.experiments.values.game_marks import CONDITIONS, mark_infos
from hanabi_orchestrator.graphs import config as graph_configs
from hanabi_orchestrator.graphs import context, named
from hanabi_orchestrator.graphs.attempts import calls, depth, judging
from hanabi_orchestrator.orchestrator import plugins
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.plugins import BUILT_IN
from hanabi_orchestrator.roles.marks import Marker, infos
from hanabi_orchestrator.roles.reply_types import answer_format
from hanabi_orchestrator.roles.role_definition import Role
from hanabi_orchestrator.roles.role_options import in_words
from hanabi_orchestrator.roles.words import ENGLISH


def graphs_table() -> Table:
    """Return the graphs with their nodes, calls and rules."""
    names = ("graph", "context", "nodes", "calls per turn", "depth", "verify", "from")
    columns = [Column(name, name, TEXT, unbroken=name not in ("nodes", "from")) for name in names]
    rows = []
    for name in graph_configs.names():
        config = graph_configs.read(name)
        verify = " + ".join(judging(config)) or "none"
        nodes = ", ".join(
            f"{name} x{node.samples}" if node.samples > 1 else name
            for name, node in config.nodes.items()
        )
        kind = context.resolved(config.context).name
        source = graph_configs.source(name)
        paper = named.graphs()[name].about.partition(":")[0]
        if source == BUILT_IN:
            source = paper
        else:
            source = f"{source}: {paper}"
        rows.append((name, kind, nodes, calls(config), str(depth(config)), verify, source))
    return table("graphs", columns, rows)


def graphs_data() -> list[dict[str, Any]]:
    """Return the graphs as plain data."""
    graphs = list[dict[str, Any]]()
    for name in graph_configs.names():
        graphs.append(
            {
                **graph_configs.read(name).model_dump(mode="json"),
                "source": graph_configs.source(name),
                "what_for": named.graphs()[name].about,
            }
        )
    return graphs


def roles_table() -> Table:
    """Return the roles with their replies and how many marks they may have."""
    columns = (
        Column("role", "role", unbroken=True, of=lambda role: role.name),
        Column("reply", "replies with", unbroken=True, of=lambda role: role.reply.__name__),
        Column("played_by", "played by", unbroken=True, of=played_by),
        Column("marks", "marks", RIGHT, of=_marked),
        Column("source", "from", unbroken=True, of=lambda role: roles.source(role.name)),
        Column("what_for", "what for", cut=True, of=lambda role: role.title),
    )
    return listing("roles", columns, map(roles.get, roles.names()))


def played_by(role: Role) -> str:
    """Return `model`, `program`, or both."""
    return " or ".join(
        player for player, means in (("model", role.template), ("program", role.solve)) if means
    )


def _marked(role: Role) -> str:
    """Return how many marks a role may have; of a plain function it is not known."""
    if role.mark is None or isinstance(role.mark, Marker):
        return str(len(mark_infos(role.name)) or "-")
    return "yes"


def role_data(role: Role) -> dict[str, Any]:
    """Return a role as plain data."""
    options: dict[str, list[Any]] = {}
    for name, values in role.options.items():
        options[name] = []
        for value in values:
            any_number = value is int or isinstance(value, range)
            options[name].append(in_words(value) if any_number else value)
    return {
        "name": role.name,
        "title": role.title,
        "source": roles.source(role.name),
        "reply": role.reply.__name__,
        "takes": [section.name for section in role.takes],
        "sections": [section_fields.data(section) for section in role.takes],
        "needs": _needs(role),
        "played_by": played_by(role),
        "after_game": role.after_game,
        "options": options,
        "marked": _marked(role) != "-",
        "marks": [
            asdict(info) | {"where": CONDITIONS.get(info.name, "")}
            for info in mark_infos(role.name).values()
        ],
        "not_marked": role.mark.prose if isinstance(role.mark, Marker) else "",
        "extends": role.extends.name if role.extends else None,
        "template": role.template,
        "schema": role.reply.model_json_schema(),
    }


def _needs(role: Role) -> list[str]:
    """Return the sections that its program needs, with their options: `own_deductions (from:
    counting)`."""
    needs = list[str]()
    for kind, options in role.requirements.items():
        settings = ", ".join(f"{option}: {value}" for option, value in options.items())
        needs.append(f"{kind.name} ({settings})" if settings else kind.name)
    return needs


def show_role(role: Role, console: Console) -> None:
    """Print the sections of a role, its reply and its instruction."""
    console.print(Text.assemble((role.name, "bold"), (f"  {role.title}", "italic")))
    console.print(Text("sections, with the fields that a program finds in `sections[Class]`:"))
    for section in role.takes:
        console.print(
            Text("\n".join(f"  {line}" for line in section_fields.lines(section, with_types=False)))
        )
    console.print(
        Text(
            "`orchestrator roles show SECTION` defines the types of a section's fields.",
            style="dim",
        )
    )
    console.print(Text(f"its program needs: {', '.join(_needs(role)) or 'none'}"))
    console.print(Text(f"played by: {played_by(role)}; replies with: {role.reply.__name__}"))
    if role.after_game:
        console.print(Text("asked: after a game, by `evaluate judge`; no graph can have it"))
    for name, values in role.options.items():
        console.print(
            Text(f"option {name}: {', '.join(map(in_words, values))}; the first is the default")
        )
    console.print(Text(f"from: {roles.source(role.name)}"))
    for line in _marks(role):
        console.print(Text(line))
    if role.template:
        task, *addition = role.texts(ENGLISH).values()
        console.print(Text("\n\n".join((f"\n{task}", answer_format(role.reply), *addition))))


def _marks(role: Role) -> Iterator[str]:
    """Return each mark in its words, and what of a reply is not marked."""
    stated = infos(role.mark)
    every = mark_infos(role.name)
    by_values = {name: info for name, info in every.items() if name not in stated}
    if role.mark is not None and not isinstance(role.mark, Marker):
        yield f"marks: {(role.mark.__doc__ or 'yes').strip().splitlines()[0].rstrip('.')}"
    elif not every:
        yield "marks: none"
    for heading, marks in (
        ("marks of its note, against the hidden cards and the exact belief:", stated),
        ("marks of the moves it chooses, lists, rates or judges:", by_values),
    ):
        yield from [heading] * bool(marks)
        for info in marks.values():
            best = "no value is better than another"
            if info.best is not None:
                best = f"best {info.best:.2g}, {'higher' if info.higher else 'lower'} is better"
            if info.uniform:
                guess = f"; uniform guess: {info.uniform}"
            else:
                guess = ""
            if condition := CONDITIONS.get(info.name):
                where = f"; only {condition}"
            else:
                where = ""
            yield f"  {info.name}: {info.says}"
            yield f"    {info.unit}; {best}{guess}{where}"
    if isinstance(role.mark, Marker) and role.mark.prose:
        yield f"not marked: {role.mark.prose}"


def partners_table() -> Table:
    """Return the rule players."""
    columns = (
        Column("partner", "partner", unbroken=True, of=lambda partner: partner.name),
        Column("players", "players", of=lambda partner: ", ".join(map(str, partner.players))),
        Column("source", "after"),
    )
    return listing("partners", columns, map(partners.get, partners.names()))


def partners_data() -> list[dict[str, Any]]:
    """Return the rule players as plain data."""
    players = map(partners.get, partners.names())
    return [
        {"name": partner.name, "players": partner.players, "source": partner.source}
        for partner in players
    ]


LONG = ("what_for", "models", "rule", "says", "source", "n")
"""Columns that are narrower on a narrow terminal."""


def rows_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return rows of equal keys."""

    def cell(value: Any) -> Cell:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, list):
            return ", ".join(map(str, value))
        text: Cell = value
        return text

    columns = []
    for name in rows[0] if rows else ():
        words = any(isinstance(row[name], str | list | bool) for row in rows)
        title = name.replace("_", " ")
        cut = name == "what_for"
        columns.append(
            Column(name, title, TEXT if words else INT, unbroken=name not in LONG, cut=cut)
        )
    return table("rows", columns, [[*map(cell, row.values())] for row in rows])


def formats(of_command: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the formats of exports and imports, each with who brings it and what it holds; of a broken one, why it
    cannot be used. `of_command`: what those hold that options of the command are for."""
    rows = []
    for name, says in of_command.items():
        rows.append({"format": name, "for": "export", "from": plugins.BUILT_IN, "holds": says})
    return [*rows, *_rows(exports, "export"), *_rows(imports, "import")]


def _rows(known: plugins.Table[Any], way: str) -> Iterator[dict[str, str]]:
    for name in known.names():
        source = known.source(name)
        yield {"format": name, "for": way, "from": source, "holds": known.says(name)}
