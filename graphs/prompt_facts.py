"""Whether a node's prompt holds what its task asks: a role says which facts it rests on, a section which it states.

A node that lost a fact still answers, by guesses: a strategist who sees nothing of their own hand rates all slots
alike. So an arm that takes a section or a colleague away may change more than its name says.
"""

from collections.abc import Iterator

from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.roles.sections import FACTS, SECTIONS, Fact


def missing_facts(config: GraphConfig, node: str) -> tuple[Fact, ...]:
    """Return the facts that a node's task asks for, and neither a section of its prompt nor a report that it reads
    states. `config` is the graph as it is at the player count (see `at`)."""
    if config.role(node).template is None:
        return ()
    stated = {fact for kind, options in config.kinds(node) for fact in kind.facts(options)}
    stated |= {fact for read in config.nodes[node].reads for fact in config.role(read).asks}
    return tuple(fact for fact in config.role(node).asks if fact not in stated)


def blind_nodes(config: GraphConfig) -> Iterator[str]:
    """Yield a sentence for each node of a graph whose prompt lacks a fact that its task asks for, with the remedy."""
    for name in config.nodes:
        if missing := missing_facts(config, name):
            takes = {kind.name for kind in config.role(name).takes}
            telling = [
                kind.name
                for kind in SECTIONS.values()
                if {*missing} & {*kind.states} and kind.name in takes
            ]
            facts = " and ".join(FACTS[fact] for fact in missing)
            remove = "" if name == config.decides else f", or remove {name}, too"
            yield (
                f"{name} is asked about {facts}, which its prompt does not hold; give it a section that says so "
                f"({', '.join(telling)}){remove}"
            )
