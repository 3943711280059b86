"""What there is: graphs and roles, as tables and pictures."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import graphs
import roles
from graphs import context
from graphs.build import attempts
from graphs.config import GraphConfig
from roles import Role
from roles.replies import answer_format


def list_graphs(console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("graph", "context", "nodes", "calls a turn", "depth", "verify"):
        table.add_column(column)
    for name in graphs.names():
        config = graphs.read(name)
        verify = config.verify.rule if not config.check else f"{config.check.judge} + {config.verify.rule}"
        nodes = ", ".join(f"{n} x{x.samples}" if x.samples > 1 else n for n, x in config.nodes.items())
        table.add_row(name, context.of(config.context).name, nodes, calls(config), str(depth(config)), verify)
    console.print(table)


def graphs_data() -> list[dict[str, Any]]:
    return [graphs.read(name).model_dump(mode="json") for name in graphs.names()]


def calls(config: GraphConfig) -> str:
    """Asks of models in a turn when all nodes are models': the first attempt's, and with every redo."""
    once = sum(node.samples for node in config.nodes.values())
    again = sum(config.nodes[name].samples for name in attempts(config)[0].path)
    most = once + again * config.at_most
    return str(once) if most == once else f"{once} to {most}"


def depth(config: GraphConfig) -> int:
    """The longest chain of nodes that wait for one another, in one attempt."""

    def below(node: str) -> int:
        return 1 + max((below(read) for read in config.nodes[node].reads), default=0)

    return max(below(node) for node in config.nodes)


def show_graph(config: GraphConfig, console: Console) -> None:
    """Who hears whom, what each is told, and what happens after a refusal."""
    console.print(Text.assemble((config.name, "bold"), (f"  (context {config.context})", "dim")))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("node", "role", "model", "hears", "is told"):
        table.add_column(column, overflow="fold")
    for name, node in config.nodes.items():
        told = [kind.name for kind, _ in config.context_of(name).kinds(config.role(name), config.without_sections)]
        label = f"{name} x{node.samples}" if node.samples > 1 else name
        label += f" ({', '.join(map(str, node.players))} players)" if len(node.players) < 4 else ""
        table.add_row(label, node.role, Text(node.model), ", ".join(node.reads) or "nobody", ", ".join(told))
    console.print(table)
    console.print(Text(f"decides: {config.decides}; calls a turn: {calls(config)}, {depth(config)} deep"))
    if config.remembers:
        console.print(Text(f"remembers for its next turn: {', '.join(config.remembers)}"))
    if config.check:
        console.print(Text(f"check: {config.check.judge} judges; refused, {config.check.redo} is asked again"))
    if config.verify.rule == "safety":
        limits = ", ".join(f"{lives}: {limit}" for lives, limit in sorted(config.verify.limits.items()))
        console.print(Text(f"verify: safety (a play needs this probability at lives left - {limits})"))
    if config.at_most:
        console.print(Text(f"at most {config.at_most} redos a turn, then the safest legal move, forced"))


def mermaid(config: GraphConfig, players: int) -> str:
    """The compiled graph as a Mermaid picture, every attempt with nodes of its own."""
    return graphs.build(config, players).get_graph().draw_mermaid()


def list_roles(console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("role", "replies with", "played by", "what for"):
        table.add_column(column)
    for name in roles.names():
        role = roles.get(name)
        table.add_row(name, role.reply.__name__, played_by(role), role.title)
    console.print(table)


def played_by(role: Role) -> str:
    return " or ".join(who for who, there in (("model", role.template), ("program", role.solve)) if there)


def role_data(role: Role) -> dict[str, Any]:
    return {
        "name": role.name,
        "title": role.title,
        "reply": role.reply.__name__,
        "takes": [kind.name for kind in role.takes],
        "needs": [kind.name for kind in role.needs],
        "played_by": played_by(role),
        "template": role.template,
        "schema": role.reply.model_json_schema(),
    }


def show_role(role: Role, console: Console) -> None:
    """What a role takes and answers, and its instruction."""
    console.print(Text.assemble((role.name, "bold"), (f"  {role.title}", "italic")))
    console.print(Text(f"takes: {', '.join(kind.name for kind in role.takes)}"))
    console.print(Text(f"its program needs: {', '.join(kind.name for kind in role.needs) or 'nothing'}"))
    console.print(Text(f"played by: {played_by(role)}; replies with: {role.reply.__name__}"))
    if role.template:
        console.print(Text(f"\n{role.template}\n\n{answer_format(role.reply)}"))
