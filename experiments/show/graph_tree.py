"""A graph as a picture in the terminal: its steps in order, what runs at the same time, who hears whom."""

from collections import Counter
from collections.abc import Iterator

import yaml
from rich.console import Console
from rich.table import Table
from rich.text import Text

import graphs
from graphs import context
from graphs.attempts import attempts
from graphs.config import PLAYERS, SETTINGS, GraphConfig

SHOWN = (*SETTINGS, "options")


def calls(config: GraphConfig) -> str:
    """Asks of models in a turn when all nodes that can be are models': the first attempt's, and with every redo."""
    once = sum(asks(config, name) for name in config.nodes)
    again = sum(asks(config, name) for name in attempts(config)[0].path)
    most = once + again * config.at_most
    return str(once) if most == once else f"{once} to {most}"


def asks(config: GraphConfig, name: str) -> int:
    """A role without a template is never a model's, and a selector of one candidate is never asked."""
    node, role = config.nodes[name], config.role(name)
    settled = role.settled and sum(config.nodes[read].samples for read in node.reads) == 1
    return 0 if role.template is None or settled else node.samples


def steps(config: GraphConfig) -> list[list[str]]:
    """The nodes by when they run in one attempt: those of a step wait for earlier steps alone."""

    def step(node: str) -> int:
        return 1 + max((step(read) for read in config.nodes[node].reads), default=0)

    found: dict[int, list[str]] = {}
    for name in config.nodes:
        found.setdefault(step(name), []).append(name)
    return [found[number] for number in sorted(found)]


def depth(config: GraphConfig) -> int:
    """The longest chain of models that wait for one another, in one attempt: the model latencies of a turn."""

    def below(node: str) -> int:
        return min(asks(config, node), 1) + max((below(read) for read in config.nodes[node].reads), default=0)

    return max(below(node) for node in config.nodes)


def mermaid(config: GraphConfig, players: int) -> str:
    """The compiled graph as a Mermaid picture, every attempt with nodes of its own."""
    return graphs.build(config, players).get_graph().draw_mermaid()


def show_graph(config: GraphConfig, console: Console, source: str = "") -> None:
    """The steps of a turn, what each node hears and is told, and what happens after a refusal."""
    named = ", ".join(part for part in (f"context {context.resolved(config.context).name}", source) if part)
    console.print(Text.assemble((config.name, "bold"), (f"  ({named})", "dim")))
    shared = _shared(config)
    console.print(Text(f"every node is told: {', '.join(shared) or 'nothing in common'}\n"))
    grid = Table.grid(padding=(0, 1))
    for fixed in (True, True, False):
        grid.add_column(no_wrap=fixed, overflow="fold")
    for number, names in enumerate(steps(config), 1):
        for place, name in enumerate(names):
            lines = list(_about(config, name, shared))
            grid.add_row(_branch(number, place, len(names)), Text(name, style="bold"), Text("\n".join(lines)))
    console.print(grid)
    console.print(Text("\n".join(["", *_footer(config)])))


def _branch(number: int, place: int, of: int) -> Text:
    fork = "──" if of == 1 else "┬─" if place == 0 else "└─" if place == of - 1 else "├─"
    return Text(f"{number if place == 0 else '':>2} {fork}", style="dim")


def _told(config: GraphConfig, name: str) -> list[str]:
    kinds = config.context_of(name).kinds(config.role(name), config.without_sections)
    return [kind.name for kind, _ in kinds]


def _shared(config: GraphConfig) -> list[str]:
    """The sections that every node is told."""
    told = [_told(config, name) for name in config.nodes]
    return [section for section in told[0] if all(section in other for other in told)]


def _about(config: GraphConfig, name: str, shared: list[str]) -> Iterator[str]:
    """What there is to say of a node, a line each."""
    node = config.nodes[name]
    facts = [f"role {node.role}"] if node.role != name else []
    facts += [f"on {node.model}"] if node.model != "default" else []
    facts += [f"asked {node.samples} times"] if node.samples > 1 else []
    facts += [f"at {', '.join(map(str, node.players))} players"] if node.players != PLAYERS else []
    facts += [f"context {context.resolved(node.context).name}"] if node.context else []
    facts += [f"judges {config.decides}"] if config.check and name == config.check.judge else []
    facts += [f"options {flow(node.options)}"] if node.options else []
    if facts:
        yield "; ".join(facts)
    if node.reads:
        yield f"hears {', '.join(node.reads)}"
    if more := [section for section in _told(config, name) if section not in shared]:
        yield f"told also {', '.join(more)}"


def flow(value: object) -> str:
    """A value as it stands in a config, on one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


def _footer(config: GraphConfig) -> Iterator[str]:
    models = Counter(node.model for node in config.nodes.values())
    bound = ", ".join(f"{model} ({number} node{'s' * (number > 1)})" for model, number in models.items())
    yield f"decides: {config.decides}; calls a turn: {calls(config)}, {depth(config)} deep; models: {bound}"
    given = {name: getattr(config, name) for name in SHOWN if getattr(config, name) not in (None, {})}
    if given:
        yield f"instead of the context's: {', '.join(f'{name} {flow(value)}' for name, value in given.items())}"
    if config.without_sections:
        yield f"without the sections: {', '.join(config.without_sections)}"
    if config.remembers:
        yield f"remembers for its next turn: {', '.join(config.remembers)}"
    if config.check:
        yield f"check: {config.check.judge} judges; refused, {config.check.redo} is asked again"
    if config.verify.rule == "safety":
        limits = ", ".join(f"{lives}: {limit}" for lives, limit in sorted(config.verify.limits.items()))
        yield f"verify: safety (a play needs this probability at lives left - {limits})"
    if config.at_most:
        yield f"at most {config.at_most} redos a turn, then the safest legal move, forced"
