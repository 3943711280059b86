"""Players made of production rules: the first rule that fires decides.

Walton-Rivers et al. (2017) put published players into this form to compare them, and in this form they are known as
partners for mixed teams. A probability is computed slot by slot: among the unseen cards that hints allow there, the
share of those that are wanted. Slot 0 holds the oldest card; nobody discards with eight tokens.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    COLOURS,
    INDEX,
    MAX_TOKENS,
    OF_COLOUR,
    RANKS,
    Card,
    Mask,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, HintColour, HintRank, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Hand, Knowledge, View
from hanabi_orchestrator.orchestrator.players.base import Partner, ReasonedMove, Rule


@dataclass(frozen=True)
class CountedView:
    """A view with the counts that the rules use."""

    view: View
    rng: Random

    @cached_property
    def unseen(self) -> Sequence[int]:
        return belief.unseen(self.view.piles, *(hand.cards for hand in self.view.hands))

    @cached_property
    def playable(self) -> list[float]:
        """P(playable) of each own slot."""
        return [
            self._share(knowledge.mask, self.view.piles.playable) for knowledge in self.view.own
        ]

    @cached_property
    def useless(self) -> list[float]:
        """P(can never score) of each own slot."""
        return [self._share(knowledge.mask, self.view.piles.dead) for knowledge in self.view.own]

    def _share(self, possible: Mask, types: Mask) -> float:
        cards = [(i, n) for i, n in enumerate(self.unseen) if n and possible >> i & 1]
        return sum(n for i, n in cards if types >> i & 1) / sum(n for _, n in cards)

    @cached_property
    def hints(self) -> list[Hint]:
        return [move for move in self.view.legal if isinstance(move, Hint)]

    @property
    def may_discard(self) -> bool:
        return self.view.tokens < MAX_TOKENS

    def held(self) -> Iterator[tuple[Hand, Card, Knowledge]]:
        """Yield the others' cards: in turn order from the next player, oldest first."""
        for hand in self.view.hands:
            for card, knowledge in zip(hand.cards, hand.known, strict=True):
                yield hand, card, knowledge


ProductionRule = Callable[[CountedView], ReasonedMove | None]
"""Chooses a move; None when the rule does not fire."""


def best(shares: Sequence[float]) -> int:
    """Return the slot with the largest share, the newest of equals; that costs van den Bergh's player a point in
    pairs."""
    return max(range(len(shares)), key=lambda slot: (shares[slot], slot))


# Plays


def play_hinted(seen: CountedView) -> ReasonedMove | None:
    """Play a card whose colour and rank were both hinted, and which fits."""
    for slot, knowledge in enumerate(seen.view.own):
        if knowledge.colour and knowledge.rank and knowledge.mask & seen.view.piles.playable:
            return Play(slot=slot), "told both its colour and its rank, and it fits"
    return None


def play_safe(seen: CountedView) -> ReasonedMove | None:
    """Play a card that certainly fits."""
    slot = next((slot for slot, chance in enumerate(seen.playable) if chance == 1), None)
    return None if slot is None else (Play(slot=slot), "it fits whatever it is")


def play_likely(least: float, *, lives: int = 2) -> ProductionRule:
    """Play the likeliest card with `lives` left, where P(playable) is at least `least`."""

    def rule(seen: CountedView) -> ReasonedMove | None:
        slot = best(seen.playable)
        if seen.view.lives < lives or seen.playable[slot] < least:
            return None
        return Play(slot=slot), f"it fits with a chance of {seen.playable[slot]:.2f}"

    return rule


def play_at_the_end(seen: CountedView) -> ReasonedMove | None:
    """With no card left to draw and a life to spare, play the likeliest card that can fit at all."""
    slot = best(seen.playable)
    if seen.view.deck_size or seen.view.lives < 2 or not seen.playable[slot]:
        return None
    return Play(slot=slot), "the deck is empty and a life can be spared"


# Hints


def tell_useful(seen: CountedView) -> ReasonedMove | None:
    """Hint at the first playable card what its owner does not know of it: the rank, then the colour."""
    if not seen.view.tokens:
        return None
    for hand, card, knowledge in seen.held():
        if seen.view.piles.playable >> INDEX[card] & 1 and (
            hint := _missing(hand, card, knowledge)
        ):
            return hint, f"{card} of P{hand.seat} fits"
    return None


def _missing(hand: Hand, card: Card, knowledge: Knowledge) -> Hint | None:
    if knowledge.rank is None:
        return HintRank(to=hand.seat, rank=card.rank)
    return HintColour(to=hand.seat, colour=card.colour) if knowledge.colour is None else None


def tell_dispensable(below: int) -> ProductionRule:
    """With fewer tokens than `below`, give a hint that shows a dead card to be dead."""

    def rule(seen: CountedView) -> ReasonedMove | None:
        if not 0 < seen.view.tokens < below:
            return None
        for hand, card, knowledge in seen.held():
            if hint := _showing_dead(seen.view, hand, card, knowledge):
                return hint, f"{card} of P{hand.seat} is of no more use"
        return None

    return rule


def _showing_dead(view: View, hand: Hand, card: Card, knowledge: Knowledge) -> Hint | None:
    """Return a hint at a complete colour, a rank that every colour has passed, or the rest of a played card."""
    top = view.fireworks[COLOURS.index(card.colour)]
    if knowledge.colour is None and (top == max(RANKS) or (knowledge.rank and card.rank <= top)):
        return HintColour(to=hand.seat, colour=card.colour)
    if knowledge.rank is None and (
        card.rank <= min(view.fireworks) or (knowledge.colour and card.rank <= top)
    ):
        return HintRank(to=hand.seat, rank=card.rank)
    return None


def tell_next(seen: CountedView) -> ReasonedMove | None:
    """Hint at the next player's first playable card what they do not know of it, the rank first; else at any card, the
    colour first."""
    hand = seen.view.hands[0]
    if not seen.view.tokens:
        return None
    cards = list(zip(hand.cards, hand.known, strict=True))
    for card, knowledge in cards:
        if seen.view.piles.playable >> INDEX[card] & 1 and (
            hint := _missing(hand, card, knowledge)
        ):
            return hint, f"{card} of the next player fits"
    for card, knowledge in cards:
        if knowledge.colour is None:
            return HintColour(to=hand.seat, colour=card.colour), f"its colour is news of {card}"
        if knowledge.rank is None:
            return HintRank(to=hand.seat, rank=card.rank), f"its rank is news of {card}"
    return None


def tell_most(seen: CountedView) -> ReasonedMove | None:
    """Give the hint that is new to most cards; a rank before a colour."""
    if not seen.hints:
        return None
    hint = max(seen.hints, key=lambda hint: (_news(seen.view, hint), isinstance(hint, HintRank)))
    return hint, f"it is news of {_news(seen.view, hint)} cards"


def _news(view: View, hint: Hint) -> int:
    """For how many of the touched cards the hint is new."""
    hand = belief.hand_of(view, hint.to)
    both = zip(hand.cards, hand.known, strict=True)
    if isinstance(hint, HintColour):
        return sum(
            card.colour == hint.colour and knowledge.colour is None for card, knowledge in both
        )
    return sum(card.rank == hint.rank and knowledge.rank is None for card, knowledge in both)


def tell_random(seen: CountedView) -> ReasonedMove | None:
    return (seen.rng.choice(seen.hints), "any hint") if seen.hints else None


# Discards


def discard_hinted_dead(seen: CountedView) -> ReasonedMove | None:
    """Discard a card that can never score, by positive hints alone."""
    if not seen.may_discard:
        return None
    alive = ~seen.view.piles.dead
    passed = min(seen.view.fireworks)
    for slot, card in enumerate(seen.view.own):
        by_colour = card.colour is not None and not card.mask & OF_COLOUR[card.colour] & alive
        if by_colour or (card.rank and card.rank <= passed):
            return Discard(slot=slot), "what was told of it says that it is of no use"
    return None


def discard_useless(seen: CountedView) -> ReasonedMove | None:
    """Discard a card that certainly can never score."""
    slot = next((slot for slot, chance in enumerate(seen.useless) if chance == 1), None)
    return (
        None
        if slot is None or not seen.may_discard
        else (Discard(slot=slot), "it is of no use whatever it is")
    )


def discard_likely(seen: CountedView) -> ReasonedMove | None:
    """Discard the card that is most probably of no use."""
    slot = best(seen.useless)
    return (
        (Discard(slot=slot), f"of no use with a chance of {seen.useless[slot]:.2f}")
        if seen.may_discard
        else None
    )


def discard_oldest(seen: CountedView) -> ReasonedMove | None:
    return (Discard(slot=0), "the oldest card") if seen.may_discard else None


def discard_random(seen: CountedView) -> ReasonedMove | None:
    slot = seen.rng.randrange(len(seen.view.own))
    return (Discard(slot=slot), "any card") if seen.may_discard else None


# Players


def first(*rules: ProductionRule) -> Rule:
    """Return the rule of a player: the move of the first production rule that fires, any legal move when none does."""

    def rule(view: View, rng: Random) -> ReasonedMove:
        seen = CountedView(view, rng)
        choices = (production_rule(seen) for production_rule in rules)
        return next((choice for choice in choices if choice), None) or (
            rng.choice(view.legal),
            "no rule fires",
        )

    return rule


WALTON_RIVERS = "Walton-Rivers et al. 2017, Evaluating and modelling Hanabi-playing agents"

PARTNERS = (
    Partner(
        "flawed",
        first(
            play_safe, play_likely(0.25, lives=1), tell_random, discard_hinted_dead, discard_oldest
        ),
        f"{WALTON_RIVERS}: plays what fits with a chance of a quarter, and so loses all lives",
    ),
    Partner(
        "outer",
        first(play_safe, discard_hinted_dead, tell_next, discard_random),
        "Osawa 2015, Solving Hanabi: estimating hands by opponent's actions in cooperative game: outer state strategy",
    ),
    Partner(
        "vandenbergh",
        first(play_likely(0.6), play_safe, discard_useless, tell_useful, tell_most, discard_likely),
        "van den Bergh et al. 2016, Aspects of the cooperative card game Hanabi: with the thresholds of the paper",
    ),
    Partner(
        "iggi",
        first(
            play_hinted, play_safe, tell_useful, discard_hinted_dead, discard_oldest, tell_random
        ),
        f"{WALTON_RIVERS}: IGGI, safe plays, hints of playable cards, the oldest card goes",
    ),
    Partner(
        "piers",
        first(
            play_at_the_end,
            play_safe,
            play_likely(0.6),
            tell_useful,
            tell_dispensable(4),
            discard_hinted_dead,
            discard_oldest,
            tell_random,
            discard_random,
        ),
        f"{WALTON_RIVERS}: Piers, IGGI that plays at a chance of 0.6 and shows dead cards",
    ),
)
