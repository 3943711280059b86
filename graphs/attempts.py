"""The attempts of a turn, and which role is asked where in each of them.

A decision that a judge refuses is made again, so that a turn has one attempt or several. The nodes of a later attempt
are nodes of their own, `generate-2`, `check-2`, which read the verdicts before them.
"""

from dataclasses import dataclass
from functools import partial

import roles
from graphs.config import PROGRAM, GraphConfig, between
from graphs.node import RoleNode
from roles.hanabi.history_report import HistoryReport
from roles.hanabi.safety import Safety, judged
from roles.hanabi.sections.convention_facts import ConventionFacts
from roles.hanabi.sections.fixed import Conventions
from roles.role_options import defaults

SAFETY = "safety"


def nth(node: str, attempt: int) -> str:
    """A node's name in an attempt: `check`, `check-2`."""
    return node if attempt == 1 else f"{node}-{attempt}"


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
    judges = (config.check.judge,) if config.check else ()
    path = frozenset(between(config, config.redo, config.check.judge) if config.check else [config.decides])
    whole = (*judges, SAFETY) if config.verify.rule == "safety" else judges
    return tuple(Attempt(number, path, whole) for number in range(1, config.at_most + 2))


def _earlier(attempt: Attempt) -> tuple[str, ...]:
    """The verdicts of the attempts before."""
    return tuple(nth(judge, number) for number in range(1, attempt.number) for judge in attempt.judges)


def role_node(config: GraphConfig, name: str, attempt: Attempt) -> RoleNode:
    """A node of the config in one attempt."""
    node, role, context = config.nodes[name], config.role(name), config.context_of(name)
    verdicts = _earlier(attempt)
    reads = [(read, attempt.name(read)) for read in node.reads]
    reads += [(verdict, verdict) for verdict in verdicts] if name == config.redo else []
    return RoleNode(
        name=attempt.name(name),
        role=role,
        model=node.model,
        samples=node.samples,
        kinds=tuple(context.kinds(role, config.without_sections)),
        reads=tuple(reads),
        refusals=verdicts,
        judges=attempt.name(config.decides) if config.check and name == config.check.judge else None,
        refuses_unread=config.check is not None and config.check.unreadable == "refuse",
        context=context,
        layout=context.layout([config.role(other) for other in config.nodes]),
        wording=context.worded(config.without_sections),
        gate=_gate(config) if name == config.decides and role.template is not None else "",
        options=config.options_of(name),
    )


def _gate(config: GraphConfig) -> str:
    """The safety rule as the prompt of the node that decides states it."""
    if config.verify.rule != "safety":
        return ""
    if _reads_past(config):
        grounds = "by hints, counting and conventions"
    else:
        grounds = "by hints, counting and the report on past moves" if _trusted(config) else "by hints and counting"
    return Safety(config.verify.limits).words(config.context_of(config.decides).words, grounds, config.at_most)


def safety_node(config: GraphConfig, attempt: Attempt) -> RoleNode:
    """The exact rule as a node, with all its sections whatever the context leaves out: it is no part of a prompt."""
    role = roles.get(SAFETY)
    reads = [config.decides, *_trusted(config)]
    return RoleNode(
        name=attempt.name(SAFETY),
        role=role,
        model=PROGRAM,
        samples=1,
        kinds=tuple((kind, {}) for kind in role.takes if kind is not ConventionFacts or _reads_past(config)),
        reads=tuple((read, attempt.name(read)) for read in reads),
        judges=attempt.name(config.decides),
        solve=partial(judged, Safety(config.verify.limits)),
    )


def _reads_past(config: GraphConfig) -> bool:
    """Whether the rule reads the past by the conventions: prompts on the way to the decision tell a model to."""
    if config.verify.trust != "conventions":
        return False
    asked = [name for name in config.nodes if config.nodes[name].model != PROGRAM]
    return any(_told_conventions(config, name) and between(config, name, config.decides) for name in asked)


def _told_conventions(config: GraphConfig, name: str) -> bool:
    """Whether a node gets the pack that the exact reading knows."""
    kinds = config.context_of(name).kinds(config.role(name), config.without_sections)
    return any(
        kind is Conventions and {**defaults(kind.choices), **options}["pack"] == "newest" for kind, options in kinds
    )


def _trusted(config: GraphConfig) -> list[str]:
    """The nodes whose notes on the past count as knowledge, of those that reach the decision."""
    return [
        name
        for name, node in config.nodes.items()
        if config.role(name).reply is HistoryReport
        and (node.model == PROGRAM or config.verify.trust == "models")
        and between(config, name, config.decides)
    ]
