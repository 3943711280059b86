"""The attempts of a turn, and which role is asked where in each of them.

A decision that a judge refuses is made again, so that a turn has one attempt or several. The nodes of a later attempt
are nodes of their own, `generate-2`, `check-2`, which read the verdicts before them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial

from hanabi_orchestrator import roles
from hanabi_orchestrator.graphs import gate
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig, between
from hanabi_orchestrator.graphs.control_notes import GIVEN
from hanabi_orchestrator.graphs.gate import SAFETY as SAFETY
from hanabi_orchestrator.graphs.node import RoleNode
from hanabi_orchestrator.orchestrator.table.seat import BEFORE
from hanabi_orchestrator.roles.hanabi.sections.past_games import PastGames


def nth(node: str, attempt: int) -> str:
    """A node's name in an attempt: `check`, `check-2`."""
    return node if attempt == 1 else f"{node}-{attempt}"


def base(node: str) -> str:
    """The node of the graph, without the number of its attempt: `check` of `check-2`."""
    return node.partition("-")[0]


def reads(config: GraphConfig | None, node: str) -> tuple[str, ...]:
    """The nodes whose notes a node of any attempt reads; none where the graph is not known."""
    return config.nodes[base(node)].reads if config and base(node) in config.nodes else ()


@dataclass(frozen=True)
class Attempt:
    """Who is who in one attempt to decide."""

    number: int
    path: frozenset[str]
    """The nodes asked again in every attempt after the first."""
    judges: tuple[str, ...]
    """The judging nodes in the order in which a decision must pass them."""

    def name(self, node: str) -> str:
        """Where a node's note of this attempt lies: its own, or that of the first attempt."""
        return nth(node, self.number if node in self.path or node in self.judges else 1)


def attempts(config: GraphConfig) -> tuple[Attempt, ...]:
    """All attempts of a turn, the first included; the last verdicts lead to a forced move."""
    path = frozenset(name for last in config.judges for name in between(config, config.redo, last))
    judges = judging(config)
    path = path or frozenset([config.decides])
    return tuple(Attempt(number, path, judges) for number in range(1, config.at_most + 2))


def judging(config: GraphConfig) -> tuple[str, ...]:
    """The judges of a decision, the exact rule among them, in the order in which it must pass them."""
    if config.verify.rule != SAFETY:
        return config.judges
    return (SAFETY, *config.judges) if config.verify.place == "first" else (*config.judges, SAFETY)


def waits_for(config: GraphConfig, name: str) -> tuple[str, ...]:
    """The nodes that a node waits for: those that it reads.

    The first judge waits for all that any judge reads, since another is asked as soon as the one before accepts.
    """
    judges = judging(config)
    if name not in judges:
        return config.nodes[name].reads
    if before := judges[: judges.index(name)]:
        return before[-1:]
    read = dict.fromkeys(
        read for judge in config.judges for read in config.nodes[judge].reads if read not in judges
    )
    return tuple(read) or (config.decides,)


def role_node(config: GraphConfig, name: str, attempt: Attempt) -> RoleNode:
    """A node of the config in one attempt."""
    node = config.nodes[name]
    role = config.role(name)
    context = config.context_of(name)
    verdicts = tuple(
        nth(judge, number) for number in range(1, attempt.number) for judge in attempt.judges
    )
    labels = _short(config, node.reads, name)
    together = [other for other in config.nodes if _inside(config, other) == _inside(config, name)]
    outer = not _inside(
        config, name
    )  # the nodes that were added to the outer graph do not change the order of parts
    team = [config.role(other) for other in together if not (outer and config.nodes[other].added)]
    remembered = [other for other in config.remembers if other in together]
    reads = [(labels[read], attempt.name(read)) for read in node.reads]
    reads += [(verdict, verdict) for verdict in verdicts] if name == config.redo else []
    return RoleNode(
        name=attempt.name(name),
        role=role,
        model=node.model,
        answerer=config.controls.answerer(name),
        samples=node.samples,
        kinds=tuple(config.kinds(name)),
        reads=tuple(reads),
        refusals=verdicts,
        judges=attempt.name(config.decides) if name in config.judges else None,
        refuses_unread=config.check is not None and config.check.unreadable == "refuse",
        context=context,
        layout=context.layout(team),
        wording=config.wording_of(name),
        gate=gate.in_words(config, context.words)
        if name == config.decides and role.template is not None
        else "",
        refuses=gate.refuses_now(config) if name == config.decides else None,
        colleagues={labels[read]: config.role(read) for read in node.reads},
        forgets=_forgotten(config),
        options=config.options_of(name),
        controls=config.controls.called(labels),
        remembers=None if len(together) == len(config.nodes) else _short(config, remembered, name),
        graph=config.name,
    )


def safety_node(config: GraphConfig, attempt: Attempt) -> RoleNode:
    """The exact rule as a node; what it may know stands in `gate`."""
    reads = [config.decides, *gate.trusted(config)]
    return RoleNode(
        name=attempt.name(SAFETY),
        role=roles.get(SAFETY),
        model=PROGRAM,
        samples=1,
        kinds=gate.kinds(config),
        reads=tuple((read, attempt.name(read)) for read in reads),
        judges=attempt.name(config.decides),
        solve=gate.rule(config),
        seat_kinds=gate.of_seat(config),
        tells=partial(gate.refusal_reason, config),
        forgets=_forgotten(config),
    )


def _forgotten(config: GraphConfig) -> frozenset[str]:
    """What no node gets of the memory: notes of another game, which controls make notes of; and past games, where their
    section is taken away."""
    return frozenset({GIVEN, BEFORE} if PastGames.name in config.without_sections else {GIVEN})


def _inside(config: GraphConfig, name: str) -> str:
    """Where the graph stands that a node is part of: the name of a node; empty for the outer graph."""
    return name if config.nodes[name].inner else name.rpartition(".")[0]


def _short(config: GraphConfig, nodes: Iterable[str], reader: str) -> dict[str, str]:
    """The names under which notes are shown to a reader: without where their common graph stands."""
    names = {node: node.removeprefix(f"{_inside(config, reader)}.") for node in nodes}
    return names if len({*names.values()}) == len(names) else {node: node for node in names}


def node_calls(config: GraphConfig, name: str) -> int:
    """Return the model calls of a node in one attempt: none for a role without a template, a selector of a single
    candidate, and a node whose note a control gives."""
    node = config.nodes[name]
    role = config.role(name)
    single = (
        role.settled is not None and sum(config.nodes[read].samples for read in node.reads) == 1
    )
    if role.template is None or single or name in config.controls.replaced:
        return 0
    return node.samples


def turn_calls(config: GraphConfig) -> int:
    """Return the model calls of a turn without redos, by all nodes that are not bound to their programs.

    `config` is the graph as it is at the player count (see `at`).
    """
    return sum(
        node_calls(config, name) for name, node in config.nodes.items() if node.model != PROGRAM
    )


def calls(config: GraphConfig) -> str:
    """Model calls in a turn when a model plays every node that one can play: without redos, and with all of them."""
    once = sum(node_calls(config, name) for name in config.nodes)
    again = sum(node_calls(config, name) for name in attempts(config)[0].path)
    most = once + again * config.at_most
    return str(once) if most == once else f"{once} to {most}"


def steps(config: GraphConfig) -> list[list[str]]:
    """Return the nodes of one attempt in steps: a node reads only nodes of earlier steps."""

    @cache  # there are far more paths than nodes
    def step(node: str) -> int:
        return 1 + max((step(other) for other in waits_for(config, node)), default=0)

    by_step: dict[int, list[str]] = {}
    for name in config.nodes:
        by_step.setdefault(step(name), []).append(name)
    return [by_step[number] for number in sorted(by_step)]


def depth(config: GraphConfig) -> int:
    """Return the longest chain of models that wait for each other in one attempt: a turn takes so many model
    latencies."""

    @cache
    def below(node: str) -> int:
        calls = 0 if node == SAFETY else min(node_calls(config, node), 1)
        return calls + max((below(other) for other in waits_for(config, node)), default=0)

    return max(below(node) for node in config.nodes)
