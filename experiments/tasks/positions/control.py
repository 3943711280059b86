"""Notes that are put in the place of a role's own: a placebo, another position's, and the cheat that sees the hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.tasks.positions import cheat
from experiments.tasks.positions.arms import Arm
from experiments.tasks.positions.bank import BankPosition
from graphs.attempts import attempts, role_node
from graphs.config import GraphConfig
from graphs.control_notes import drawn, placebo
from graphs.fixed_notes import Note
from orchestrator.hanabi.view import View
from orchestrator.journal.fingerprint import hashed
from orchestrator.models.request import Absent
from orchestrator.replies.reply import Reply
from roles import Notes


@dataclass(frozen=True)
class Donor:
    """A position whose notes may stand in another's place."""

    position: BankPosition
    notes: Notes
    roles: Mapping[str, str]
    """The role of each node."""


Donors = Sequence[Donor]
Put = tuple[Note, str | None]
"""A note, and the position it is from."""


def put(arm: Arm, position: BankPosition, config: GraphConfig, notes: Notes, donors: Donors, seed: int) -> Put | None:
    """The note that an arm puts in the place of its node's; None where there is none to put.

    `config` is the graph at the player count, `notes` are those of the turn.
    """
    node, view = str(arm.node), position.view
    if arm.kind == "own_hand":
        kind = role_node(config, node, attempts(config)[0]).role.reply
        return (cheat.note(kind, position, notes.get(node, ())),) * config.nodes[node].samples, None
    replies = notes.get(node, ())
    said = [reply for reply in replies if isinstance(reply, Reply)]
    if not said:
        return None
    number = int(hashed([position.name, arm.name, seed]), 16)
    if arm.kind == "placebo":
        told = role_node(config, config.decides, attempts(config)[0])
        brief = told.context is not None and told.context.reports == "brief"
        made: list[Any] = [_neutral(one, view, told.words, brief, number + n) for n, one in enumerate(replies)]
        return tuple(made), None
    return _shuffled(position, config.nodes[node].role, replies, donors, number)


def _neutral(reply: Any, view: View, words: Any, brief: bool, seed: int) -> Any:
    return reply if isinstance(reply, Absent) else placebo(reply, view, words, brief=brief, seed=seed)


def _shuffled(position: BankPosition, role: str, replies: Sequence[Any], donors: Donors, seed: int) -> Put | None:
    """The same role's note of another deal, in the same phase, at the same player count."""
    kind = position.kind
    others = [
        (reply, donor.position.view)
        for donor in donors
        if donor.position.deal != position.deal
        and (donor.position.kind.players, donor.position.kind.phase) == (kind.players, kind.phase)
        for node, given in donor.notes.items()
        if donor.roles.get(node) == role
        for reply in given
        if isinstance(reply, Reply)
    ]
    made, there = list[Any](), None
    for number, reply in enumerate(replies):
        if isinstance(reply, Absent):
            made.append(reply)
            continue
        found = drawn(reply, others, position.view, seed + number)
        if found is None:
            return None
        made.append(found[0])
        there = found[1]
    names = [donor.position.name for donor in donors if donor.position.view is there]
    return tuple(made), next(iter(names), None)
