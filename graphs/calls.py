"""How often a graph asks models in a turn, before any answer is refused."""

from graphs.config import PROGRAM, GraphConfig


def node_calls(config: GraphConfig, name: str) -> int:
    """Model calls of a node in one attempt: none for a role without a template, a selector of a single candidate, and a
    node whose note a control gives."""
    node, role = config.nodes[name], config.role(name)
    settled = role.settled and sum(config.nodes[read].samples for read in node.reads) == 1
    asked = role.template is not None and not settled and name not in config.controls.given
    return node.samples if asked else 0


def turn_calls(config: GraphConfig) -> int:
    """Model calls of a turn without redos, by all nodes that are not bound to their programs.

    `config` is the graph as it is at the player count (see `at`).
    """
    return sum(node_calls(config, name) for name, node in config.nodes.items() if node.model != PROGRAM)
