"""A position of a game as its acting seat knows it, and the same with the true hands."""

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import Card
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import common_knowledge
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import HOUSE_STEPS, Scene, decide
from hanabi_orchestrator.orchestrator.hanabi.convention.rollout import RolloutGame
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import dealt_hands
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import numbered
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Memory
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.truth import Course


@dataclass(frozen=True)
class Position:
    """A turn as its acting seat knows it: by hints, counting and the conventions, as far as
    partners keep to them."""

    view: View
    memory: Memory
    pack: str = "newest"
    """The convention pack by which the past is read."""

    @classmethod
    def of(cls, story: Game, number: int) -> "Position":
        """Raises UserError when the game has no such turn."""
        return cls(
            story.turn(number).view,
            story.memory(number),
            pack_of(story, story.seat(number), number),
        )

    @cached_property
    def scene(self) -> Scene:
        """As a convention player sees it who adapts to their partners; by the pack `information`,
        with its code."""
        return (
            ConventionFacts.of(self.view, {"told": "whole", "pack": self.pack})
            .holding(self.memory)
            .scene
        )

    @property
    def own(self) -> tuple[Slot, ...]:
        """The exact belief about the own hand, conventions included."""
        return self.scene.beliefs

    @cached_property
    def by_hints(self) -> tuple[Slot, ...]:
        """The exact belief by hints and counting alone."""
        return belief.own_hand(self.view)

    @cached_property
    def usual(self) -> Move:
        """What `house` would do by its programs."""
        return decide(self.scene, HOUSE_STEPS)[0]

    @cached_property
    def state(self) -> str:
        """All that rollouts from here depend on, as text."""
        game = RolloutGame(self.scene.knowledge, self.view.seat, self.view.turns_left)
        hands = {seat: numbered(cards) for seat, cards in self.scene.hands.items()}
        return repr(
            (_plain(game), self.view.deck_size, hands, [slot.possible for slot in self.own])
        )


def pack_of(story: Game | None, seat: int, turn: int) -> str:
    """Return the convention pack by which a seat reads the past at a turn: that of its graph, else
    `newest`."""
    config = story.config(seat, turn) if story else None
    kinds = (chain.from_iterable(config.kinds(name) for name in config.nodes)) if config else ()
    packs = (
        str(options["pack"])
        for kind, options in kinds
        if kind is ConventionFacts and "pack" in options
    )
    return next(packs, "newest")


def _plain(game: RolloutGame) -> list[object]:
    public = (
        "conventions",
        "seat",
        "tops",
        "counts",
        "tokens",
        "lives",
        "turns_left",
        "common",
        "literal",
    )
    return [getattr(game, name) for name in public]


@dataclass(frozen=True)
class OpenPosition:
    """A turn with all hands face up; only the order of the deck is open."""

    game: RolloutGame
    """With the true hands, and what the players know of them."""
    deck: tuple[int, ...]
    """The cards not yet dealt, in the order of the deal."""

    @property
    def state(self) -> str:
        return repr((_plain(self.game), self.game.hands, sorted(self.deck)))


def open_positions(story: Game) -> list[OpenPosition]:
    """Return every turn of a game that has begun, by turn. The players keep to the conventions that
    all their moves, looked at afterwards, fit best; so they are the same in all turns."""
    views = [turn.view for turn in story.turns]
    if not views:
        return []
    hands = true_hands(story)
    course = Course(views[-1].players, views[-1].history, hands[-1])
    conventions = tuple(course.conventions[seat] for seat in range(course.players))
    positions = []
    for view, held in zip(views, hands, strict=True):
        game = RolloutGame(common_knowledge(conventions, view.history), view.seat, view.turns_left)
        deck = numbered(story.started.deck[len(story.started.deck) - view.deck_size :])
        positions.append(
            OpenPosition(game.dealt([numbered(cards) for cards in held], ()), tuple(deck))
        )
    return positions


def true_hands(story: Game) -> list[tuple[tuple[Card, ...], ...]]:
    """Return the hands before each turn that began, by seat."""
    return list(
        islice(
            dealt_hands(story.started.players, story.started.deck, story.moves), len(story.turns)
        )
    )
