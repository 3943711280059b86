"""One position decided in one arm: which notes are held fixed, which a control gives, and who is
asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from hanabi_orchestrator.experiments.study import asked_nodes
from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.tasks.positions import cheat
from hanabi_orchestrator.experiments.tasks.positions.bank import BankPosition
from hanabi_orchestrator.experiments.tasks.positions.study import PositionStudy
from hanabi_orchestrator.graphs import ablate
from hanabi_orchestrator.graphs.answerers import Fixed
from hanabi_orchestrator.graphs.config import NOBODY, GraphConfig
from hanabi_orchestrator.graphs.control_notes import GIVEN
from hanabi_orchestrator.graphs.graph_seat import GraphSeat
from hanabi_orchestrator.graphs.recorded import given_note, recorded
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, Memory
from hanabi_orchestrator.orchestrator.journal.fingerprint import hashed
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer

DRAWS = 1_000_000
"""Of models: each arm has its own, as on a server, so that a noise floor is as noisy as the arms
beside it."""


@dataclass(frozen=True)
class Donor:
    """A position whose notes controls may give elsewhere."""

    position: BankPosition
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Ready:
    """Who decides, and what they are given."""

    seat: GraphSeat
    view: View
    memory: Memory


class ArmSeats:
    """The seats of a study's arms."""

    def __init__(self, study: PositionStudy, layer: ModelLayer, truth: cheat.Truth) -> None:
        self.study = study
        self.layer = layer
        self.truth = truth
        self.seat = cache(self._seat)
        self.config = cache(self._config)
        self.nodes = cache(self._nodes)

    def _seat(self, arm: str) -> GraphSeat:
        """Return the seat of an arm. Raises UserError for models that cannot be used."""
        seat = self.study.by_name[arm].everybody.seat(self.layer)
        assert isinstance(seat, GraphSeat)  # other players are refused
        if arm == self.study.baseline.name:
            return seat
        draw = 1 + int(hashed(arm), 16) % (DRAWS - 1)
        controls = seat.config.controls.model_copy(update={"draw": draw})
        return replace(seat, config=seat.config.model_copy(update={"controls": controls}))

    def _config(self, arm: str, players: int) -> GraphConfig:
        return ablate.at(self.seat(arm).config, players)

    def _nodes(self, arm: str, players: int) -> frozenset[str]:
        return asked_nodes.nodes_asked(self.study.baseline, self.study.by_name[arm], players)

    def ready(
        self, arm: Arm, position: BankPosition, events: tuple[Event, ...], donors: Iterable[Donor]
    ) -> Ready | None:
        """Return who is asked in an arm on a position, given the events of the turn with
        everybody's notes.

        None where the arm does not apply: its node is not there at this player count, or no other
        deal has a note for a control to give. Raises UserError when a note that is to be held fixed
        is not there.
        """
        players = position.view.players
        view = position.view
        memory = dict(position.memory)
        if not asked_nodes.applies(self.study.baseline, arm, players):
            return None
        seat = self.seat(arm.name)
        config = self.config(arm.name, players)
        replaced = [node for node in config.controls.replaced if node in config.nodes]
        if replaced:
            notes = self._notes(replaced, position, donors)
            if notes is None:
                return None
            memory[GIVEN] = notes
        if config.controls.own_hand:
            view = cheat.view(position, self.truth)
        fixed = self._fixed(arm, position, events)
        return Ready(replace(seat, fixed={view.turn: fixed}), view, memory)

    def _fixed(self, arm: Arm, position: BankPosition, events: tuple[Event, ...]) -> Fixed:
        """Return the notes that are held fixed. Raises UserError for one that is not there."""
        baseline = self.study.baseline
        players = position.view.players
        replaced = arm.everybody.spec != baseline.everybody.spec
        if replaced or (arm is baseline and self.study.experiment.notes == "fresh"):
            return {}
        config = self.config(arm.name, players)
        nodes = self.nodes(arm.name, players)
        fixed = recorded(config, events, nodes)
        held = {name for name, _ in fixed} | nodes
        for name, node in config.nodes.items():
            if name not in held and node.model != NOBODY:
                graph = self.study.bank.config(position)
                source = f"graph {graph.name!r}" if graph else "no graph"
                title = self.config(baseline.name, players).name
                raise UserError(
                    f"position {position.name} has notes of {source}, none of {name!r} of graph "
                    f"{title!r}; draw the bank from games of {title!r} alone (RUN/games/ARM), or "
                    "make them once for all arms with --notes fresh"
                )
        return fixed

    def _notes(
        self, nodes: Sequence[str], position: BankPosition, donors: Iterable[Donor]
    ) -> Mapping[str, object] | None:
        """Return what controls make notes of, as a seat is given it: those of other deals at the
        same player count.

        None where a node has no such note.
        """
        players = position.view.players
        config = self.config(self.study.baseline.name, players)
        notes = []
        for donor in donors:
            if donor.position.deal == position.deal or donor.position.view.players != players:
                continue
            calls = [event for event in donor.events if isinstance(event, Call)]
            for node in nodes:
                note = given_note(config, donor.position.view, calls, node, config.nodes[node].role)
                if note is not None:
                    notes.append(note.model_dump(mode="json"))
        if not {note["node"] for note in notes}.issuperset(nodes):
            return None
        return {"from": f"bank {self.study.bank.head.name}", "notes": notes}
