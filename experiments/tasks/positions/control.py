"""Notes that are put in the place of a role's own: a placebo, another position's, and the cheat that sees the hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.tasks.positions import cheat
from experiments.tasks.positions.arms import Arm
from experiments.tasks.positions.bank import BankPosition
from graphs.attempts import attempts, role_node
from graphs.config import GraphConfig
from graphs.control_notes import draw_note, placebo
from graphs.recorded import Note
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


def replacement(
    arm: Arm, position: BankPosition, config: GraphConfig, notes: Notes, donors: Sequence[Donor], seed: int
) -> Note | None:
    """Return the note that an arm puts in the place of its node's; None where there is none to put.

    `config` is the graph at the player count, `notes` are those of the turn.
    """
    node, view, replies = str(arm.node), position.view, notes.get(str(arm.node), ())
    if arm.kind == "own_hand":
        kind = role_node(config, node, attempts(config)[0]).role.reply
        return (cheat.note(kind, position, replies),) * config.nodes[node].samples
    if not any(isinstance(reply, Reply) for reply in replies):
        return None
    number = int(hashed([position.name, arm.name, seed]), 16)
    if arm.kind == "shuffled":
        return _shuffled(position, config.nodes[node].role, replies, donors, number)
    reader = role_node(config, config.decides, attempts(config)[0])
    brief = reader.context is not None and reader.context.reports == "brief"
    return tuple(
        placebo(reply, view, reader.words, brief=brief, seed=number + n) if isinstance(reply, Reply) else reply
        for n, reply in enumerate(replies)
    )


def _shuffled(
    position: BankPosition, role: str, replies: Sequence[Any], donors: Sequence[Donor], seed: int
) -> Note | None:
    """Return the same role's note of another deal, in the same phase, at the same player count."""
    kind = position.kind
    notes = [
        (reply, donor.position.view)
        for donor in donors
        if donor.position.deal != position.deal
        and (donor.position.kind.players, donor.position.kind.phase) == (kind.players, kind.phase)
        for node, samples in donor.notes.items()
        if donor.roles.get(node) == role
        for reply in samples
        if isinstance(reply, Reply)
    ]
    shuffled = list[Any]()
    for number, reply in enumerate(replies):
        donation = (reply, None) if isinstance(reply, Absent) else draw_note(reply, notes, position.view, seed + number)
        if donation is None:
            return None
        shuffled.append(donation[0])
    return tuple(shuffled)
