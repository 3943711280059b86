"""A position in which a convention may decide, what was found there, and the players it is compared with."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from orchestrator.hanabi.cards import INDEX
from orchestrator.hanabi.moves import Discard, Hint, HintColour, HintRank, Move, Play
from orchestrator.hanabi.view import Past, View
from orchestrator.players import partners

Moves = tuple[Move, ...]


@dataclass(frozen=True)
class Found:
    """The answers to the question of one position."""

    question: str
    answers: Moves
    why: str
    others: Mapping[str, Moves]
    apart: tuple[str, ...]
    """The players of `others` from whom the position must tell."""

    @property
    def tells(self) -> bool:
        """Whether it has an answer, and tells apart the players from whom it must."""
        there = all(name in self.others for name in self.apart)
        return bool(self.answers) and there and not any(set(self.others[one]) & set(self.answers) for one in self.apart)


Finder = Callable[[View], Found | None]
"""The question that a position asks about a convention; None where it asks none."""


@dataclass(frozen=True)
class Convention:
    """One rule of a pack, and where it decides."""

    name: str
    rule: str
    """The rule in a sentence."""
    find: Finder
    players: tuple[int, ...] = (2, 3, 4, 5)
    """Where it decides often enough to be asked about."""
    always_same: bool = False
    """Whether it has the same answers wherever it decides."""


LITERAL = "literal"


def rule_player(name: str) -> Callable[[View], Move]:
    """The decision of a rule player that draws no random numbers."""
    return lambda view: partners.get(name).rule(view, Random(0))[0]


DRAWS = 40
"""Decisions of the literal player that are drawn in a position: some of its rules take any hint."""


def literal(view: View) -> Moves:
    """All that a player without conventions may do: iggi hints literally and reads hints literally."""
    rule, dice = partners.get("iggi").rule, Random(0)
    untouched = dice.getstate()
    move, _ = rule(view, dice)
    if dice.getstate() == untouched:
        return (move,)
    return tuple(dict.fromkeys(rule(view, Random(draw))[0] for draw in range(DRAWS)))


def others(view: View, **players: Callable[[View], Move | None]) -> dict[str, Moves]:
    """What other players do here, those without a move left out; the literal one is always there."""
    chosen = {name: play(view) for name, play in players.items()}
    return {LITERAL: literal(view), **{name: (move,) for name, move in chosen.items() if move is not None}}


def hints_to_me(view: View) -> Iterator[tuple[int, Past]]:
    """The hints that the asked player got since their last turn, with their indices in the history."""
    first = max(0, len(view.history) - view.players + 1)
    for index, past in enumerate(view.history[first:], first):
        if isinstance(past.move, HintColour | HintRank) and past.move.to == view.seat:
            yield index, past


def only_hint(view: View) -> tuple[int, Past] | None:
    """The hint since the asked player's last turn, if there was just one."""
    found = list(hints_to_me(view))
    return found[0] if len(found) == 1 else None


def hints(view: View) -> list[Hint]:
    """The legal hints."""
    return [move for move in view.legal if isinstance(move, HintColour | HintRank)]


def touched(view: View, hint: Hint) -> tuple[int, ...]:
    """The slots that a hint would touch."""
    cards = next(hand.cards for hand in view.hands if hand.seat == hint.to)
    named = hint.colour if isinstance(hint, HintColour) else hint.rank
    return tuple(slot for slot, card in enumerate(cards) if named in (card.colour, card.rank))


def at_a_playable_card(view: View) -> list[Hint]:
    """The hints that touch a card which can be played now: what a player without conventions may give."""
    cards = {hand.seat: hand.cards for hand in view.hands}
    fits = view.piles.playable
    return [h for h in hints(view) if any(fits >> INDEX[cards[h.to][slot]] & 1 for slot in touched(view, h))]


def slots(numbers: tuple[int, ...]) -> str:
    """`slot 2`, `slots 0 and 3`."""
    *head, last = map(str, numbers)
    return f"slots {', '.join(head)} and {last}" if head else f"slot {last}"


def said(past: Past) -> str:
    """A past hint in words, to the player who got it."""
    assert isinstance(past.move, HintColour | HintRank)
    what = str(past.move).split(maxsplit=2)[2]
    return f"P{past.seat} hinted you {what}, which touched {slots(past.slots)}"


def discards(view: View) -> list[Discard]:
    return [move for move in view.legal if isinstance(move, Discard)]


def plays(view: View) -> list[Play]:
    return [move for move in view.legal if isinstance(move, Play)]
