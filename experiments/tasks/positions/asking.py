"""One position decided in one arm: which notes are held fixed, which are put in the place of others, who is asked."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from experiments.tasks.positions.arms import BASELINE, PUT, Arm, advisers, downstream
from experiments.tasks.positions.bank import Bank, BankPosition
from experiments.tasks.positions.control import Donor, replacement
from experiments.tasks.positions.study import Study
from graphs import ablate, interventions
from graphs.attempts import attempts, role_node
from graphs.config import NOBODY, PROGRAM, GraphConfig
from graphs.config import read as read_graph
from graphs.graph_seat import GraphSeat, Model, seat
from graphs.interventions import Intervention
from graphs.recorded import Note, depending, edited, notes_of, recorded, unrolled
from orchestrator.errors import UserError
from orchestrator.journal.events import Call, Event
from orchestrator.models.layer import ModelLayer
from orchestrator.models.simulated_settings import perturbed


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
        config, more = self._changed(arm)
        models: dict[str, Model] = {**self.study.models, **more}
        default = models.pop("default", PROGRAM)
        return seat(config, default, named=models, layer=self.layer)

    def _changed(self, arm: Arm) -> tuple[GraphConfig, dict[str, Model]]:
        """Return the graph of an arm, and models that it names beside the study's."""
        config, kind, value = self.config, arm.kind, arm.value or ""
        if kind in ("model", "perturbed"):
            model: Model = value if kind == "model" else perturbed(float(value), self.study.seed)
            return ablate.replace(config, **{str(arm.node): kind}), {kind: model}
        if kind == "permuted":
            reads = config.nodes[config.decides].reads
            if len(reads) < 2:
                raise UserError(f"{config.decides!r} reads {len(reads)} colleagues, so there is no order to permute")
            return ablate.change(config, **{config.decides: {"reads": list(reversed(reads))}}), {}
        if kind == "same_compute":  # best of K answers in the deciding node's context, as many calls in all
            best = ablate.setting(read_graph("best_of_k"), context=config.context)
            answering = next(name for name, node in best.nodes.items() if node.samples > 1)
            return ablate.change(best, **{answering: {"samples": max(calls_of_turn(config) - 1, 1)}}), {}
        if kind in ("removed", "exact", "advise", "gate"):
            return interventions.apply(config, (Intervention(kind, arm.node),)), {}
        if kind == "added":
            return interventions.parse(arm.short).apply(config), {}
        return config, {}

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
        nodes = unrolled(self.at(position.view.players))

        def fits(event: Event) -> bool:
            return not isinstance(event, Call) or (event.node in nodes and nodes[event.node].role.name == event.role)

        return tuple(event for event in position.events if fits(event))

    def donor(self, position: BankPosition, events: tuple[Event, ...]) -> Donor:
        """Return the notes of a position's turn, for others."""
        config = self.at(position.view.players)
        first = attempts(config)[0]
        roles = {name: role_node(config, name, first).role.name for name in config.nodes}
        return Donor(position, notes_of(config, events), roles)


def calls_of_turn(config: GraphConfig) -> int:
    """Return how many calls a turn without a refusal takes where every node that a model can answer asks one."""
    nodes = [role_node(config, name, attempts(config)[0]) for name in config.nodes]
    return sum(node.samples for node in nodes if node.role.template is not None)
