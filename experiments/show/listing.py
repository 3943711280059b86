"""The graphs, roles and partners there are, as tables and as data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from rich.console import Console
from rich.text import Text

import roles
from experiments.document.terminal import plain_table
from experiments.show.graph_tree import calls, depth
from experiments.values.choice_marks import mark_infos
from graphs import config as graph_configs
from graphs import context
from orchestrator.players import partners
from roles.marks import Marker, MarkInfo, infos
from roles.reply_types import answer_format
from roles.role_definition import Role
from roles.role_options import shown


def list_graphs(console: Console) -> None:
    columns = ("graph", "context", "nodes", "calls per turn", "depth", "verify", "from")
    table = plain_table(*columns, words=columns, fixed={*columns} - {"nodes"})
    for name in graph_configs.names():
        config = graph_configs.read(name)
        verify = config.verify.rule if not config.check else f"{config.check.judge} + {config.verify.rule}"
        nodes = ", ".join(f"{n} x{x.samples}" if x.samples > 1 else n for n, x in config.nodes.items())
        named, source = context.resolved(config.context).name, graph_configs.source(name)
        table.add_row(name, named, nodes, calls(config), str(depth(config)), verify, source)
    console.print(table)


def graphs_data() -> list[dict[str, Any]]:
    names, read, source = graph_configs.names(), graph_configs.read, graph_configs.source
    return [{**read(name).model_dump(mode="json"), "source": source(name)} for name in names]


def list_roles(console: Console) -> None:
    columns = ("role", "replies with", "played by", "marks", "from", "what for")
    fixed = tuple(name for name in columns if name != "what for")
    table = plain_table(*columns, words=tuple(name for name in columns if name != "marks"), fixed=fixed)
    for name in roles.names():
        role = roles.get(name)
        title = Text(role.title, no_wrap=True, overflow="ellipsis")
        table.add_row(name, role.reply.__name__, played_by(role), _marked(role), roles.source(name), title)
    console.print(table)


def played_by(role: Role) -> str:
    return " or ".join(who for who, there in (("model", role.template), ("program", role.solve)) if there)


def _marked(role: Role) -> str:
    """How many marks a role may have; of a plain function it is not known."""
    if role.mark is None or isinstance(role.mark, Marker):
        return str(len(mark_infos(role.name)) or "-")
    return "yes"


def role_data(role: Role) -> dict[str, Any]:
    return {
        "name": role.name,
        "title": role.title,
        "source": roles.source(role.name),
        "reply": role.reply.__name__,
        "takes": [section.name for section in role.takes],
        "needs": [section.name for section in role.needs],
        "played_by": played_by(role),
        "after_game": role.after_game,
        "options": {name: [_allowed(value) for value in values] for name, values in role.options.items()},
        "marked": _marked(role) != "-",
        "marks": [asdict(info) for info in mark_infos(role.name).values()],
        "not_marked": role.mark.prose if isinstance(role.mark, Marker) else "",
        "template": role.template,
        "schema": role.reply.model_json_schema(),
    }


def show_role(role: Role, console: Console) -> None:
    """The sections of a role, its reply and its instruction."""
    console.print(Text.assemble((role.name, "bold"), (f"  {role.title}", "italic")))
    console.print(Text(f"sections: {', '.join(section.name for section in role.takes)}"))
    console.print(Text(f"its program needs: {', '.join(section.name for section in role.needs) or 'none'}"))
    console.print(Text(f"played by: {played_by(role)}; replies with: {role.reply.__name__}"))
    if role.after_game:
        console.print(Text("asked: after a game, by `judge run`; no graph can have it"))
    for name, values in role.options.items():
        allowed = ", ".join(str(_allowed(value)) for value in values)
        console.print(Text(f"option {name}: {allowed}; the first is the default"))
    console.print(Text(f"from: {roles.source(role.name)}"))
    for line in _marks(role):
        console.print(Text(line))
    if role.template:
        console.print(Text(f"\n{role.template}\n\n{answer_format(role.reply)}"))


def _marks(role: Role) -> Iterator[str]:
    """Each mark in its words, and what of a reply is not marked."""
    own, found = infos(role.mark), mark_infos(role.name)
    if role.mark is not None and not isinstance(role.mark, Marker):
        yield f"marks: {(role.mark.__doc__ or 'yes').strip().splitlines()[0].rstrip('.')}"
    elif not found:
        yield "marks: none"
    if own:
        yield "marks of what it states, by the hidden cards and the exact belief:"
        yield from chain.from_iterable(map(_mark, own.values()))
    if by_values := [info for name, info in found.items() if name not in own]:
        yield "marks of the moves it names or judges, by what each was worth; which it has depends on graph and format:"
        yield from chain.from_iterable(map(_mark, by_values))
    if isinstance(role.mark, Marker) and role.mark.prose:
        yield f"not marked: {role.mark.prose}"


def _mark(info: MarkInfo) -> Iterator[str]:
    better = "higher" if info.higher else "lower"
    best = "no value is better than another" if info.best is None else f"best {info.best:.2g}, {better} is better"
    guess = f"; uniform guess: {info.uniform}" if info.uniform else ""
    yield f"  {info.name}: {info.says}"
    yield f"    {info.unit}; {best}{guess}"


def list_partners(console: Console) -> None:
    columns = ("partner", "players", "after")
    table = plain_table(*columns, words=columns, fixed=("partner",))
    for name in partners.names():
        partner = partners.get(name)
        table.add_row(name, ", ".join(map(str, partner.players)), partner.source)
    console.print(table)


def partners_data() -> list[dict[str, Any]]:
    found = [partners.get(name) for name in partners.names()]
    return [{"name": partner.name, "players": partner.players, "source": partner.source} for partner in found]


def list_rows(rows: Sequence[Mapping[str, Any]], nothing: str, console: Console) -> None:
    """Rows of equal keys as a table; `nothing` is printed where there are none."""
    if not rows:
        console.print(Text(nothing, style="dim"))
        return
    columns = {name: name.replace("_", " ") for name in rows[0]}
    words = [columns[name] for name in columns if any(isinstance(row[name], str | list | bool) for row in rows)]
    whole = [called for name, called in columns.items() if name not in LONG]
    table = plain_table(*columns.values(), words=words, fixed=whole)
    for row in rows:
        table.add_row(*(_cell(row[name], cut=name in CUT) for name in columns))
    console.print(table)


LONG = ("what_for", "models", "rule", "says", "source", "n")
"""Columns that are narrower on a narrow terminal."""
CUT = ("what_for",)
"""Those of them that end with a sign of omission there, so that a row stays one line."""


def _cell(value: object, *, cut: bool = False) -> Text:
    if isinstance(value, list):
        return Text(", ".join(map(str, value)))
    if cut:
        return Text(str(value), no_wrap=True, overflow="ellipsis")
    return Text({True: "yes", False: "no", None: "-"}[value] if isinstance(value, bool | None) else str(value))


def _allowed(value: object) -> object:
    """A possible value of an option, for people and JSON."""
    return shown(value) if value is int or isinstance(value, range) else value
