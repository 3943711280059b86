"""A graph as a tree in the terminal: its steps in order, what runs in parallel, which node reads which."""

from collections import Counter
from collections.abc import Iterator

import yaml
from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphs import config as graph_configs
from graphs import context, named
from graphs.attempts import calls, depth, judging, steps
from graphs.config import PLAYERS, GraphConfig
from graphs.context import SETTINGS
from graphs.gate import knows_more
from graphs.prompt_facts import blind_nodes

SHOWN = (*SETTINGS, "options")


def mermaid(config: GraphConfig, players: int) -> str:
    """Return the compiled graph as a Mermaid diagram, in which a redo is a loop."""
    from graphs.ablate import at
    from graphs.langgraph_compile import wired  # LangGraph takes a second to import

    return wired(at(config, players)).compile().get_graph().draw_mermaid()


def show_graph(config: GraphConfig, console: Console, source: str = "") -> None:
    """Print the steps of a turn, what each node reads and its prompt sections, and what happens after a refusal."""
    origin = ", ".join(part for part in (f"context {context.resolved(config.context).name}", source) if part)
    console.print(Text.assemble((config.name, "bold"), (f"  ({origin})", "dim")))
    if graph := named.graphs().get(config.name):
        console.print(Text(graph.about, style="italic"))
    sections = {name: [kind.name for kind, _ in config.kinds(name)] for name in config.nodes}
    shared = [name for name in next(iter(sections.values())) if all(name in other for other in sections.values())]
    console.print(Text(f"sections of every node: {', '.join(shared) or 'none in common'}\n"))
    grid = Table.grid(padding=(0, 1))
    for fixed in (True, True, False):
        grid.add_column(no_wrap=fixed, overflow="fold")
    for number, names in enumerate(steps(config), 1):
        for place, name in enumerate(names):
            lines = list(_about(config, name))
            if more := [section for section in sections[name] if section not in shared]:
                lines.append(f"also has {', '.join(more)}")
            last = place == len(names) - 1
            fork = "──" if len(names) == 1 else "┬─" if place == 0 else "└─" if last else "├─"
            branch = Text(f"{number if place == 0 else '':>2} {fork}", style="dim")
            grid.add_row(branch, Text(name, style="bold"), Text("\n".join(lines)))
    console.print(grid)
    console.print(Text("\n".join(["", *_footer(config)])))


def _about(config: GraphConfig, name: str) -> Iterator[str]:
    """Return a few lines about a node."""
    node = config.nodes[name]
    facts = [f"role {node.role}"] if node.role != name else []
    facts += [f"decides for graph {node.inner}"] if node.inner else []
    facts += [f"on {node.model}"] if node.model != "default" else []
    facts += [f"{node.samples} samples"] if node.samples > 1 else []
    facts += [f"at {', '.join(map(str, node.players))} players"] if node.players != PLAYERS else []
    facts += [f"context {context.resolved(node.context).name}"] if node.context else []
    facts += [f"judges {config.decides}"] if name in config.judges else []
    facts += [f"options {flow(node.options)}"] if node.options else []
    if facts:
        yield "; ".join(facts)
    if node.reads:
        yield f"reads {', '.join(node.reads)}"


def flow(value: object) -> str:
    """Return a value as in a config, on one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


def _footer(config: GraphConfig) -> Iterator[str]:
    models = Counter(node.model for node in config.nodes.values())
    bound = ", ".join(f"{model} ({number} node{'s' * (number > 1)})" for model, number in models.items())
    yield f"decides: {config.decides}; calls per turn: {calls(config)}, {depth(config)} in sequence; models: {bound}"
    settings = {name: getattr(config, name) for name in SHOWN if getattr(config, name) not in (None, {})}
    if settings:
        yield f"instead of the context's: {', '.join(f'{name} {flow(value)}' for name, value in settings.items())}"
    if config.without_sections:
        yield f"without the sections: {', '.join(config.without_sections)}"
    yield from blind_nodes(config)
    if config.remembers:
        yield f"remembers for its next turn: {', '.join(config.remembers)}"
    if config.check:
        verb = "judge" if len(config.judges) > 1 else "judges"
        judges = ", then ".join(config.judges)
        yield f"check: {judges} {verb}; after a refusal {config.check.redo} is asked again"
    if config.verify.rule == "safety":
        limits = ", ".join(f"{lives}: {limit}" for lives, limit in sorted(config.verify.limits.items()))
        more = "; the rule knows more than the seat" if knows_more(config) else ""
        before = f", before {config.judges[0]}" if config.judges and config.verify.place == "first" else ""
        yield f"verify: safety{before} (probability that a play needs, by lives left: {limits}){more}"
    inner = []
    for name, graph in ((name, node.inner) for name, node in config.nodes.items() if node.inner):
        dropping = judging(graph_configs.read(graph)) if graph in graph_configs.names() else ["verifiers"]
        dropped = f", without its {', '.join(dropping)} and redos" if dropping else ""
        inner.append(f"{name} ({graph}{dropped})")
    if inner:
        yield f"graphs inside: {', '.join(inner)}; this graph alone judges moves"
    if not judging(config):
        yield "verifier: none; `--set verify=safety` adds the exact safety rule to any graph, `check:` one of its own"
    if config.at_most:
        redos = f"{config.at_most} redo{'s' * (config.at_most > 1)}"
        yield f"at most {redos} per turn; then the safest legal move is played, marked as forced"
