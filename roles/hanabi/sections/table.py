"""The sections of the table as it stands: counts, hands, deductions, discards, the end in sight."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    COLOURS,
    MAX_TOKENS,
    Card,
    Fireworks,
    Mask,
    Piles,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import GAMBLES
from hanabi_orchestrator.orchestrator.hanabi.view import Hand, Knowledge, View
from hanabi_orchestrator.orchestrator.models.request import Absent
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.role_options import Options
from hanabi_orchestrator.roles.sections import Section, Sections, section
from hanabi_orchestrator.roles.words import ENGLISH, Words

OWN_HAND = "Your hand, which you cannot see, with what you have been told outright:"


@section
@dataclass(frozen=True)
class State(Section):
    """The table: public counts, visible hands, and the positive hints to the own cards."""

    name = "state"
    choices = {"own": ("told", "unsaid"), "words": ("told", "unsaid")}
    conditions = ("two players", "8 tokens", "no token", "nearly over")
    states = {"table": ("words",), "own_hand": ("own", "words")}
    players: int
    """2 to 5."""
    seat: int
    """The seat that is asked, from 0."""
    turn: int
    """1 is the game's first move."""
    lives: int
    tokens: int
    """Information tokens, 0 to 8."""
    deck_size: int
    """Cards left to draw."""
    fireworks: Fireworks
    own: tuple[Mask, ...]
    """By own slot, oldest first: the types that positive hints allow."""
    known: tuple[Knowledge, ...]
    """The positive hints to each own slot."""
    hands: dict[int, tuple[Card, ...]]
    """The others' cards by seat, in turn order from the next player; oldest card first."""
    own_in_words: bool = True
    """Whether the words give the hints to the own cards; where deductions are listed they can leave them out."""
    told: bool = True
    """False if the prompt leaves it out, because another section states the table."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(
            own_in_words=options["own"] == "told",
            told=options["words"] == "told",
            players=view.players,
            seat=view.seat,
            turn=view.turn,
            lives=view.lives,
            tokens=view.tokens,
            deck_size=view.deck_size,
            fireworks=view.fireworks,
            own=tuple(k.positive for k in view.own),
            known=tuple(k.outright for k in view.own),
            hands={hand.seat: hand.cards for hand in view.hands},
        )

    def entries(self) -> dict[str, int]:
        return {"players": self.players, "others": self.players - 1, "slots": len(self.own)}

    def variables(self, words: Words) -> dict[str, object]:
        order = [
            words.player((self.seat + step) % self.players, self.seat)
            for step in range(self.players)
        ]
        hands = {
            seat: words.by_slot(card.value for card in cards) for seat, cards in self.hands.items()
        }
        own_hand = (
            f"{words(OWN_HAND)}\n{words.slots(map(words.hint, self.known))}\n\n"
            if self.own_in_words
            else ""
        )
        return {
            "seat": self.seat,
            "turn": self.turn,
            "order": words.series(order),
            "lives": self.lives,
            "tokens": self.tokens,
            "deck_size": self.deck_size,
            "score": sum(self.fireworks),
            "fireworks": words.fireworks(self.fireworks),
            "own": own_hand,
            "hands": words.by_seat(hands),
        }

    @property
    def silent(self) -> bool:
        return not self.told

    @property
    def holds(self) -> frozenset[str]:
        """`nearly over`: the deck is so short that a likely play is better than a discard, with a life to spare."""
        conditions = {
            "two players": self.players == 2,
            "8 tokens": self.tokens == MAX_TOKENS,
            "no token": self.tokens == 0,
            "nearly over": self.deck_size <= GAMBLES.get(self.lives, -1),
        }
        return frozenset(condition for condition, holds in conditions.items() if holds)


def unmoved(sections: Sections, notes: Notes) -> Absent | None:
    """The reply of a role that reads the past, on the first turn: `settled` of such a role."""
    state = sections.get(State)
    return Absent(reason="nobody has moved yet") if state and state.turn == 1 else None


@section
@dataclass(frozen=True)
class OwnDeductions(Section):
    """The possible types of each own card, by hints alone (as in the papers) or with visible cards (`counting`)."""

    name = "own_deductions"
    choices = {"from": ("hints", "counting"), "cards": ("likely", "few", "unsaid")}
    states = {"own_hand": ("cards",)}
    slots: tuple[Mask, ...]
    """By own slot, oldest first: the types that positive and negative hints allow, without counting cards."""
    known: tuple[Knowledge, ...]
    """By own slot: the hints to it."""
    in_sight: tuple[Piles, tuple[tuple[Card, ...], ...]] | None = None
    """The cards that are counted, if any: the piles, and the others' hands."""
    cards: str = "likely"
    """The cards that the words name for each slot where cards are counted: the likeliest (`likely`), or all where
    they are few (`few`); `unsaid`: no words, for a role that does not judge the own cards."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        in_sight = (
            (view.piles, tuple(hand.cards for hand in view.hands))
            if options["from"] == "counting"
            else None
        )
        return cls(tuple(k.mask for k in view.own), view.own, in_sight, str(options["cards"]))

    @cached_property
    def counted(self) -> tuple[Slot, ...]:
        """By own slot: the exact probabilities from hints and cards in sight; empty where the context has `hints`."""
        if self.in_sight is None:
            return ()
        piles, hands = self.in_sight
        return belief.believe(self.slots, piles, *hands)

    def variables(self, words: Words) -> dict[str, object]:
        if not self.counted:
            slots = words.slots(map(words.possible, self.known))
            return {"title": words(HINTS_LEAVE), "basis": words(HINTED), "slots": slots}
        if self.cards == "few":
            slots = "\n".join(words.shared_slots(enumerate(map(words.few, self.counted))))
        else:
            slots = words.slots(map(words.counted, self.counted))
        return {"title": words(CAN_BE), "basis": words(COUNTED), "slots": slots}

    @property
    def silent(self) -> bool:
        return self.cards == "unsaid"


COUNTED = "By hints and counting alone (what hints touched or not, and every card you see):"
HINTED = "By what hints touched and did not touch; no card in sight is counted:"
CAN_BE = "What your own cards can be"
HINTS_LEAVE = "What hints leave of your own cards"


@section
@dataclass(frozen=True)
class PartnerKnowledge(Section):
    """The positive hints to the others' cards."""

    name = "partner_knowledge"
    states = {"partner_knowledge": ()}
    hands: dict[int, tuple[Mask, ...]]
    """By seat and slot: the types that positive hints allow."""
    known: dict[int, tuple[Knowledge, ...]]
    """The positive hints, as if there had been no others."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(
            {hand.seat: tuple(k.positive for k in hand.known) for hand in view.hands},
            {hand.seat: tuple(k.outright for k in hand.known) for hand in view.hands},
        )

    def variables(self, words: Words) -> dict[str, object]:
        return {
            "hands": words.by_seat(
                {seat: words.by_slot(map(words.hint, h)) for seat, h in self.known.items()}
            )
        }


@section
@dataclass(frozen=True)
class PartnerDeductions(Section):
    """The others' literal deductions about their own cards from hints, without counting."""

    name = "partner_deductions"
    choices = {"words": ("told", "unsaid")}
    states = {"partner_knowledge": ("words",)}
    hands: tuple[Hand, ...]
    """The others' hands, in turn order from the next player."""
    masks: dict[int, tuple[Mask, ...]]
    """By seat and slot: the types that positive and negative hints allow."""
    told: bool = True
    """False if the prompt leaves it out, because another section states its consequences."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        masks = {hand.seat: tuple(k.mask for k in hand.known) for hand in view.hands}
        return cls(view.hands, masks, options["words"] == "told")

    @property
    def silent(self) -> bool:
        return not self.told

    def variables(self, words: Words) -> dict[str, object]:
        lines = []
        for hand in self.hands:
            lines.append(words("- P$seat:", seat=hand.seat))
            for slot, (card, hints) in enumerate(zip(hand.cards, hand.known, strict=True)):
                text = words.possible(hints)
                lines.append(
                    words("  - slot $slot ($card): $text", slot=slot, card=card.value, text=text)
                )
        return {"hands": "\n".join(lines)}


@section
@dataclass(frozen=True)
class NextPlayable(Section):
    """The next playable card of each colour."""

    name = "next_playable"
    cards: tuple[Card | None, ...]
    """The next card of each colour, R Y G W B; None when its firework is complete."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        tops = zip(COLOURS, view.fireworks, strict=True)
        return cls(tuple(Card(f"{colour}{top + 1}") if top < 5 else None for colour, top in tops))

    def variables(self, words: Words) -> dict[str, object]:
        pairs = zip(COLOURS, self.cards, strict=True)
        lines = (
            words(
                "- $name: $text",
                name=words.colour(c),
                text=card.value if card else words("complete"),
            )
            for c, card in pairs
        )
        return {"cards": "\n".join(lines)}


@section
@dataclass(frozen=True)
class Discards(Section):
    """The discard pile."""

    name = "discards"
    cards: tuple[Card, ...]
    """Discarded and misplayed cards, oldest first."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(view.discards)

    def variables(self, words: Words) -> dict[str, object]:
        if not self.cards:
            return {"cards": words("Empty.")}
        lines = []
        for colour in COLOURS:
            if mine := sorted(card.rank for card in self.cards if card.colour == colour):
                ranks = words.series(map(str, mine))
                lines.append(words("- $name: $text", name=words.colour(colour), text=ranks))
        return {"cards": "\n".join(lines)}


FINAL = (
    "The deck is empty. $turns turns are left in the whole game, this one included; P$last takes the last. "
    "After this turn you will have no other."
)


@section
@dataclass(frozen=True)
class FinalRound(Section):
    """The turns that are left; empty while the deck has cards."""

    name = "final_round"
    turns_left: int | None
    """Turns of the game, this one included; None while the deck has cards."""
    last: int | None
    """The seat that takes the last turn."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(view.turns_left, view.last_seat)

    def variables(self, words: Words) -> dict[str, object]:
        if self.turns_left == 1:
            return {
                "text": words(
                    "The deck is empty. This is the last turn of the game, and it is yours."
                )
            }
        return {"text": words(FINAL, turns=self.turns_left, last=self.last)}

    def words(self, words: Words = ENGLISH) -> str:
        return super().words(words) if self.turns_left is not None else ""
