"""A graph as a tree in the terminal: its steps in order, what runs in parallel, which node reads
which."""

from collections import Counter
from collections.abc import Iterator

import yaml
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hanabi_orchestrator.graphs import config as graph_configs
from hanabi_orchestrator.graphs import context, named
from hanabi_orchestrator.graphs.attempts import calls, depth, judging, steps
from hanabi_orchestrator.graphs.config import PLAYERS, GraphConfig
from hanabi_orchestrator.graphs.context import SETTINGS
from hanabi_orchestrator.graphs.gate import knows_more
from hanabi_orchestrator.graphs.prompt_facts import blind_nodes

SHOWN = (*SETTINGS, "options")


def mermaid(config: GraphConfig, players: int) -> str:
    """Return the compiled graph as a Mermaid diagram, in which a redo is a loop."""
    from hanabi_orchestrator.graphs.ablate import at

    # LangGraph takes a second to import
    from hanabi_orchestrator.graphs.langgraph_compile import wired

    return wired(at(config, players)).compile().get_graph().draw_mermaid()


def show_graph(config: GraphConfig, console: Console, source: str = "") -> None:
    """Print the steps of a turn, what each node reads and its prompt sections, and what happens
    after a refusal."""
    origin = ", ".join(
        part for part in (f"context {context.resolved(config.context).name}", source) if part
    )
    console.print(Text.assemble((config.name, "bold"), (f"  ({origin})", "dim")))
    if graph := named.graphs().get(config.name):
        console.print(Text(graph.about, style="italic"))
    sections = {}
    for name in config.nodes:
        sections[name] = [kind.name for kind, _ in config.kinds(name)]
    shared = []
    for name in next(iter(sections.values())):
        if all(name in sections_of_node for sections_of_node in sections.values()):
            shared.append(name)
    console.print(Text(f"sections of every node: {', '.join(shared) or 'none in common'}\n"))
    grid = Table.grid(padding=(0, 1))
    for fixed in (True, True, False):
        grid.add_column(no_wrap=fixed, overflow="fold")
    for number, names in enumerate(steps(config), 1):
        for place, name in enumerate(names):
            lines = list(_about(config, name))
            if extra := [section for section in sections[name] if section not in shared]:
                lines.append(f"also has {', '.join(extra)}")
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


def _models(config: GraphConfig) -> Iterator[str]:
    """Yield each model with the number of its nodes."""
    for model, number in Counter(node.model for node in config.nodes.values()).items():
        yield f"{model} ({number} node{'s' * (number > 1)})"


def _safety_rule(config: GraphConfig) -> str:
    """Return the place and the limits of the safety rule."""
    limits = [f"{lives}: {limit}" for lives, limit in sorted(config.verify.limits.items())]
    place = ""
    if config.judges and config.verify.place == "first":
        place = f", before {config.judges[0]}"
    needs = f"probability that a play needs, by lives left: {', '.join(limits)}"
    knowledge = "; the rule knows more than the seat" if knows_more(config) else ""
    return f"verify: safety{place} ({needs}){knowledge}"


def _inner_graphs(config: GraphConfig) -> Iterator[str]:
    """Yield each node that a graph decides for, with that graph and what is dropped from it."""
    for name, node in config.nodes.items():
        if node.inner:
            dropped = ["verifiers"]
            if node.inner in graph_configs.names():
                dropped = list(judging(graph_configs.read(node.inner)))
            without = f", without its {', '.join(dropped)} and redos" if dropped else ""
            yield f"{name} ({node.inner}{without})"


def _judges(config: GraphConfig) -> Iterator[str]:
    """Yield who judges moves: nodes, the safety rule, graphs inside; or that nobody does."""
    if config.check:
        verb = "judge" if len(config.judges) > 1 else "judges"
        judges = ", then ".join(config.judges)
        yield f"check: {judges} {verb}; after a refusal {config.check.redo} is asked again"
    if config.verify.rule == "safety":
        yield _safety_rule(config)
    if inner := list(_inner_graphs(config)):
        yield f"graphs inside: {', '.join(inner)}; this graph alone judges moves"
    if not judging(config):
        yield (
            "verifier: none; `--set verify=safety` adds the exact safety rule to any graph, "
            "`check:` one of its own"
        )


def _footer(config: GraphConfig) -> Iterator[str]:
    yield (
        f"decides: {config.decides}; calls per turn: {calls(config)}, {depth(config)} in "
        f"sequence; models: {', '.join(_models(config))}"
    )
    settings = {}
    for name in SHOWN:
        if getattr(config, name) not in (None, {}):
            settings[name] = getattr(config, name)
    if settings:
        yield (
            "instead of the context's: "
            f"{', '.join(f'{name} {flow(value)}' for name, value in settings.items())}"
        )
    if config.without_sections:
        yield f"without the sections: {', '.join(config.without_sections)}"
    yield from blind_nodes(config)
    if config.remembers:
        yield f"remembers for its next turn: {', '.join(config.remembers)}"
    yield from _judges(config)
    if config.at_most:
        redos = f"{config.at_most} redo{'s' * (config.at_most > 1)}"
        yield f"at most {redos} per turn; then the safest legal move is played, marked as forced"
