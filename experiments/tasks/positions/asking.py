"""One position decided in one arm: which notes are held fixed, which are put in the place of others, who is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from experiments.tasks.positions import control
from experiments.tasks.positions.arms import BASELINE, PUT, Arm, advisers, downstream
from experiments.tasks.positions.bank import Bank, BankPosition
from graphs import ablate
from graphs.attempts import attempts, role_node
from graphs.config import NOBODY, PROGRAM, GraphConfig
from graphs.config import read as read_graph
from graphs.fixed_notes import Note, depending, edited, recorded, unrolled
from graphs.graph_seat import GraphSeat, Model, seat
from graphs.node import Fixed
from graphs.recorded_notes import notes_of
from orchestrator.errors import UserError
from orchestrator.journal import fingerprint
from orchestrator.journal.events import Call, Event
from orchestrator.models.layer import ModelLayer
from orchestrator.models.simulated_settings import perturbed


@dataclass
class Asker:
    """Makes the seats of a study's arms."""

    config: GraphConfig
    """The graph, not bound, for all player counts."""
    models: Mapping[str, Model]
    layer: ModelLayer
    bank: Bank
    seed: int = 0
    fresh: bool = False
    """Whether the baseline asks the colleagues, too."""
    calls: int = 1
    """Calls of a whole turn that a model can answer, for an arm with as many."""
    _seats: dict[str, GraphSeat] = field(default_factory=dict)
    _at: dict[int, GraphConfig] = field(default_factory=dict)
    _arms_at: dict[tuple[str, int], GraphConfig] = field(default_factory=dict)

    def seat(self, arm: Arm) -> GraphSeat:
        """The seat of an arm, made once. Raises UserError for a change that the graph does not allow."""
        if arm.name not in self._seats:
            config, named = self.changed(arm)
            models: dict[str, Model] = {**self.models, **named}
            default = models.pop("default", PROGRAM)
            self._seats[arm.name] = seat(config, default, named=models, layer=self.layer)
        return self._seats[arm.name]

    def at(self, players: int) -> GraphConfig:
        """The study's graph at a player count, always the same object."""
        if players not in self._at:
            self._at[players] = ablate.at(self.config, players)
        return self._at[players]

    def _arm_at(self, arm: Arm, players: int) -> GraphConfig:
        key = arm.name, players
        if key not in self._arms_at:
            self._arms_at[key] = ablate.at(self.seat(arm).config, players)
        return self._arms_at[key]

    def changed(self, arm: Arm) -> tuple[GraphConfig, dict[str, Model]]:
        """The graph of an arm, and models that it names beside the study's."""
        config, node, value = self.config, arm.node, arm.value or ""
        if arm.kind == "removed" and node:
            return ablate.without(config, node), {}
        if arm.kind == "exact" and node:
            return ablate.replace(config, **{node: PROGRAM}), {}
        if arm.kind == "model" and node:
            return ablate.replace(config, **{node: "another"}), {"another": value}
        if arm.kind == "perturbed" and node:
            return ablate.replace(config, **{node: "perturbed"}), {"perturbed": perturbed(float(value), self.seed)}
        if arm.kind in ("advise", "gate") and node:
            return ablate.controlled(config, **{arm.kind: [node]}), {}
        if arm.kind == "permuted":
            reads = config.nodes[config.decides].reads
            if len(reads) < 2:
                raise UserError(f"{config.decides!r} reads {len(reads)} colleagues, so there is no order to permute")
            return ablate.change(config, **{config.decides: {"reads": list(reversed(reads))}}), {}
        return (self._same_compute(), {}) if arm.kind == "same_compute" else (config, {})

    def _same_compute(self) -> GraphConfig:
        """Best of K answers in the deciding node's context, as many calls in all."""
        many, context = max(self.calls - 1, 1), self.config.context
        best = ablate.setting(read_graph("best_of_k"), context=context)
        answering = next(name for name, node in best.nodes.items() if node.samples > 1)
        return ablate.change(best, **{answering: {"samples": many}})

    def ready(
        self, arm: Arm, position: BankPosition, notes: tuple[Event, ...], donors: "control.Donors"
    ) -> "Ready | None":
        """Who is asked in an arm on a position, given the events of the turn with everybody's notes; None where the arm
        does not apply: its node is not there at this player count, or no note can be put in its place.

        Raises UserError when a note that is to be held fixed is not there.
        """
        made, view = self.seat(arm), position.view
        base, config = self.at(view.players), self._arm_at(arm, view.players)
        if arm.node is not None and arm.node not in base.nodes:
            return None
        if arm.kind == "same_compute" or (arm.name == BASELINE and self.fresh):
            return Ready(made, {}, frozenset(), None)
        edits = dict[str, Note]()
        source: str | None = None
        if arm.kind in PUT and arm.node:
            found = control.put(arm, position, base, notes_of(base, notes), donors, self.seed)
            if found is None:
                return None
            edits[arm.node], source = found
        asks = self._asks(arm, base, config)
        fixed = recorded(config, notes, {*asks, *edits})
        self._check(config, asks, edits, fixed, position)
        return Ready(made, fixed | edited(config, view, notes, edits), frozenset(edits), source)

    def fitting(self, position: BankPosition) -> tuple[Event, ...]:
        """The recorded events without the calls of nodes that have another role in this graph, or are not in it."""
        nodes = unrolled(self.at(position.view.players))

        def fits(event: Event) -> bool:
            return not isinstance(event, Call) or (event.node in nodes and nodes[event.node].role.name == event.role)

        return tuple(event for event in position.events if fits(event))

    def _asks(self, arm: Arm, base: GraphConfig, config: GraphConfig) -> frozenset[str]:
        if arm.kind in ("exact", "model", "perturbed") and arm.node:
            return frozenset({arm.node, *depending(config, {arm.node})})
        return downstream(base, arm)

    def _check(
        self, config: GraphConfig, asks: frozenset[str], edits: Mapping[str, Note], fixed: Fixed, position: BankPosition
    ) -> None:
        held = {name for name, _ in fixed} | asks | set(edits)
        missing = [name for name in advisers(config) if name not in held and config.nodes[name].model != NOBODY]
        if missing:
            recorded_by = self.bank.config(position)
            whose = f"graph {recorded_by.name!r}" if recorded_by else "no graph"
            raise UserError(
                f"position {position.name} has notes of {whose}, none of {missing[0]!r} of graph {self.config.name!r}; "
                f"draw the bank from games of {self.config.name!r} alone (--from RUN/games/ARM), or make them once for "
                "all arms with --notes fresh"
            )


@dataclass(frozen=True)
class Ready:
    """A position, ready to be decided in an arm."""

    seat: GraphSeat
    fixed: Fixed
    edited: frozenset[str]
    """The nodes whose notes were put in their place."""
    source: str | None
    """The position that a shuffled note is from."""

    def at(self, turn: int) -> GraphSeat:
        """The seat with the notes held fixed."""
        return replace(self.seat, fixed={turn: self.fixed})


def game_hash(position: BankPosition, arm: Arm, sample: int, seed: int) -> str:
    """What seeds the models of a decision: each arm and each sample has draws of its own, as on a server."""
    return fingerprint.hashed([position.game, arm.name, sample, seed])


def calls_of_turn(config: GraphConfig) -> int:
    """How many calls a turn without a refusal takes where every node that a model can answer asks one."""
    tries = attempts(config)[0]
    nodes = [role_node(config, name, tries) for name in config.nodes]
    return sum(node.samples for node in nodes if node.role.template is not None)
