"""What there is: graphs, roles and partners, as tables."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import graphs
import roles
from experiments.show.graph_tree import calls, depth
from graphs import context
from orchestrator import players
from roles import Role
from roles.options import shown
from roles.replies import answer_format


def list_graphs(console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("graph", "context", "nodes", "calls a turn", "depth", "verify", "from"):
        table.add_column(column, no_wrap=column != "nodes", overflow="fold")
    for name in graphs.names():
        config = graphs.read(name)
        verify = config.verify.rule if not config.check else f"{config.check.judge} + {config.verify.rule}"
        nodes = ", ".join(f"{n} x{x.samples}" if x.samples > 1 else n for n, x in config.nodes.items())
        named, source = context.resolved(config.context).name, graphs.source(name)
        table.add_row(name, named, nodes, calls(config), str(depth(config)), verify, source)
    console.print(table)


def graphs_data() -> list[dict[str, Any]]:
    return [{**graphs.read(name).model_dump(mode="json"), "source": graphs.source(name)} for name in graphs.names()]


def list_roles(console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("role", "replies with", "played by", "from", "what for"):
        table.add_column(column, no_wrap=column == "role", overflow="fold")
    for name in roles.names():
        role = roles.get(name)
        table.add_row(name, role.reply.__name__, played_by(role), roles.source(name), role.title)
    console.print(table)


def played_by(role: Role) -> str:
    return " or ".join(who for who, there in (("model", role.template), ("program", role.solve)) if there)


def role_data(role: Role) -> dict[str, Any]:
    return {
        "name": role.name,
        "title": role.title,
        "source": roles.source(role.name),
        "reply": role.reply.__name__,
        "takes": [kind.name for kind in role.takes],
        "needs": [kind.name for kind in role.needs],
        "played_by": played_by(role),
        "options": {name: [_allowed(value) for value in values] for name, values in role.options.items()},
        "marked": role.mark is not None,
        "template": role.template,
        "schema": role.reply.model_json_schema(),
    }


def show_role(role: Role, console: Console) -> None:
    """What a role takes and answers, and its instruction."""
    console.print(Text.assemble((role.name, "bold"), (f"  {role.title}", "italic")))
    console.print(Text(f"takes: {', '.join(kind.name for kind in role.takes)}"))
    console.print(Text(f"its program needs: {', '.join(kind.name for kind in role.needs) or 'nothing'}"))
    console.print(Text(f"played by: {played_by(role)}; replies with: {role.reply.__name__}"))
    for name, values in role.options.items():
        allowed = ", ".join(str(_allowed(value)) for value in values)
        console.print(Text(f"option {name}: {allowed}; the first is the default"))
    marked = (role.mark.__doc__ or "").strip().split("\n")[0].rstrip(".") if role.mark else "no"
    console.print(Text(f"marked: {marked or 'yes'}; from: {roles.source(role.name)}"))
    if role.template:
        console.print(Text(f"\n{role.template}\n\n{answer_format(role.reply)}"))


def list_partners(console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("partner", "players", "after"):
        table.add_column(column, no_wrap=column == "partner", overflow="fold")
    for name in players.names():
        partner = players.get(name)
        table.add_row(name, ", ".join(map(str, partner.players)), partner.source)
    console.print(table)


def partners_data() -> list[dict[str, Any]]:
    told = [players.get(name) for name in players.names()]
    return [{"name": partner.name, "players": partner.players, "source": partner.source} for partner in told]


def _allowed(value: object) -> object:
    """A value that an option can have, as a person or JSON says it."""
    return shown(value) if value is int or isinstance(value, range) else value
