"""One position decided in one arm: which notes are held fixed, which are put in the place of others, who is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pydantic import BaseModel

from experiments.tasks.positions import cheat
from experiments.tasks.positions.bank import Bank, BankPosition
from experiments.tasks.positions.study import BASELINE, PUT, Arm, Study, advisers, downstream
from graphs import ablate
from graphs.attempts import attempts, node_calls, role_node
from graphs.config import NOBODY, PROGRAM, GraphConfig
from graphs.config import read as read_graph
from graphs.control_notes import draw_note, placebo
from graphs.graph_seat import GraphSeat, Model, seat
from graphs.recorded import Note, depending, edited, notes_of, recorded, unrolled
from orchestrator.errors import UserError
from orchestrator.journal.events import Call, Event
from orchestrator.journal.fingerprint import hashed
from orchestrator.models.layer import ModelLayer
from orchestrator.models.simulated_settings import perturbed
from orchestrator.replies.reply import Reply
from roles import Notes


@dataclass(frozen=True)
class Donor:
    """A position whose notes may stand in another's place."""

    position: BankPosition
    notes: Mapping[str, Sequence[Reply]]
    """By role."""


class ArmSeats:
    """The seats of a study's arms."""

    def __init__(self, study: Study, bank: Bank, layer: ModelLayer) -> None:
        self.study, self.bank, self.layer = study, bank, layer
        self.config = study.config
        """The graph, not bound, for all player counts."""
        self.seat = cache(self._seat)
        self.at = cache(lambda players: ablate.at(self.config, players))
        self.arm_at = cache(lambda arm, players: ablate.at(self.seat(arm).config, players))

    def _seat(self, arm: Arm) -> GraphSeat:
        """Return the seat of an arm. Raises UserError for a change that the graph does not allow."""
        config, models, kind = self.config, dict[str, Model](self.study.models), arm.kind
        if kind in ("model", "perturbed"):
            value = arm.value or ""
            models[kind] = value if kind == "model" else perturbed(float(value), self.study.seed)
            config = ablate.replace(config, **{str(arm.node): kind})
        elif kind == "permuted":
            reads = config.nodes[config.decides].reads
            if len(reads) < 2:
                raise UserError(f"{config.decides!r} reads {len(reads)} colleagues, so there is no order to permute")
            config = ablate.change(config, **{config.decides: {"reads": list(reversed(reads))}})
        elif kind == "same_compute":  # best of K answers in the deciding node's context, as many calls in all
            best = ablate.setting(read_graph("best_of_k"), context=config.context)
            answering = next(name for name, node in best.nodes.items() if node.samples > 1)
            calls = sum(node_calls(config, name) for name in config.nodes)  # where models answer all that they can
            config = ablate.change(best, **{answering: {"samples": max(calls - 1, 1)}})
        elif kind in ("removed", "exact", "advise", "gate", "added"):
            config = arm.step.apply(config)
        default = models.pop("default", PROGRAM)
        return seat(config, default, named=models, layer=self.layer)

    def ready(
        self, arm: Arm, position: BankPosition, events: tuple[Event, ...], donors: Sequence[Donor]
    ) -> GraphSeat | None:
        """Return who is asked in an arm on a position, given the events of the turn with everybody's notes.

        None where the arm does not apply: its node is not there at this player count, or no note can be put in its
        place. Raises UserError when a note that is to be held fixed is not there.
        """
        seat, view = self.seat(arm), position.view
        base, config = self.at(view.players), self.arm_at(arm, view.players)
        if arm.node is not None and arm.node not in (config if arm.kind == "added" else base).nodes:
            return None
        if arm.kind == "same_compute" or (arm.kind == BASELINE and self.study.notes == "fresh"):
            return seat
        edits = dict[str, Note]()
        if arm.kind in PUT and arm.node:
            note = replacement(arm, position, base, notes_of(base, events), donors, self.study.seed)
            if note is None:
                return None
            edits[arm.node] = note
        asks = downstream(base, arm)
        if arm.node and arm.kind in ("added", "exact", "model", "perturbed"):
            asks = frozenset({arm.node, *depending(config, {arm.node})})
        fixed = recorded(config, events, {*asks, *edits})
        held = {name for name, _ in fixed} | asks | {*edits}
        for name in advisers(config):
            if name not in held and config.nodes[name].model != NOBODY:
                graph = self.bank.config(position)
                source = f"graph {graph.name!r}" if graph else "no graph"
                raise UserError(
                    f"position {position.name} has notes of {source}, none of {name!r} of graph {self.config.name!r}; "
                    f"draw the bank from games of {self.config.name!r} alone (RUN/games/ARM), or make them once "
                    "for all arms with --notes fresh"
                )
        return replace(seat, fixed={view.turn: fixed | edited(config, view, events, edits)})

    def fitting(self, position: BankPosition) -> tuple[Event, ...]:
        """Return the recorded events without the calls of nodes that have another role in this graph, or are not in
        it."""
        roles = {name: node.role.name for name, node in unrolled(self.at(position.view.players)).items()}
        return tuple(e for e in position.events if not isinstance(e, Call) or roles.get(e.node) == e.role)

    def donor(self, position: BankPosition, events: tuple[Event, ...]) -> Donor:
        """Return the notes of a position's turn, for others."""
        config, replies = self.at(position.view.players), dict[str, list[Reply]]()
        for node, samples in notes_of(config, events).items():
            if node in config.nodes:
                role = replies.setdefault(config.role(node).name, [])
                role += [reply for reply in samples if isinstance(reply, Reply)]
        return Donor(position, replies)


def replacement(
    arm: Arm, position: BankPosition, config: GraphConfig, notes: Notes, donors: Sequence[Donor], seed: int
) -> Note | None:
    """Return the note that an arm puts in the place of its node's: a placebo, that of the same role in another deal at
    the same player count and phase, or the own hand; None where there is none to put.

    `config` is the graph at the player count, `notes` are those of the turn.
    """
    node, view, kind = str(arm.node), position.view, position.kind
    role, replies = config.role(node), notes.get(node, ())
    if arm.kind == "own_hand":
        return (cheat.note(role.reply, position, replies),) * config.nodes[node].samples
    if not any(isinstance(reply, Reply) for reply in replies):
        return None
    number = int(hashed([position.name, arm.name, seed]), 16)
    reader = role_node(config, config.decides, attempts(config)[0])
    brief = reader.context is not None and reader.context.reports == "brief"
    pool = [
        (reply, donor.position.view)
        for donor in donors
        if donor.position.deal != position.deal
        and (donor.position.kind.players, donor.position.kind.phase) == (kind.players, kind.phase)
        for reply in donor.notes.get(role.name, ())
    ]
    note = list[BaseModel]()
    for n, reply in enumerate(replies, number):
        if not isinstance(reply, Reply):
            note.append(reply)
        elif arm.kind == "placebo":
            note.append(placebo(reply, view, reader.words, brief=brief, seed=n))
        elif donation := draw_note(reply, pool, view, n):
            note.append(donation[0])
        else:
            return None
    return tuple(note)
