"""A convention of a pack: its rule, where it decides, and what other players than one who keeps it
do there."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX
from hanabi_orchestrator.orchestrator.hanabi.moves import (
    Discard,
    Hint,
    HintColour,
    HintRank,
    Move,
    Play,
)
from hanabi_orchestrator.orchestrator.hanabi.view import Past, View
from hanabi_orchestrator.orchestrator.players import partners

Moves = tuple[Move, ...]
Plays = Callable[[View], Move | None]
"""A player's decision; None where they have none."""
LITERAL = "literal"
DRAWS = 40
"""Decisions of the literal player that are drawn in a position: some of its rules take any hint."""


@dataclass(frozen=True)
class Question:
    """What a position asks about a convention."""

    text: str
    answers: Moves
    """The moves that keep it."""
    why: str
    rivals: tuple[str, ...]
    """Players from whom the position must tell one who keeps the convention."""
    mistakes: Mapping[str, Moves] = field(default_factory=dict)
    """The moves of players who make one mistake, by name."""


@dataclass(frozen=True)
class Convention:
    """One rule of a pack, and where it decides."""

    name: str
    rule: str
    """The rule in a sentence."""
    find: Callable[[View], Question | None]
    """The question that a position asks; None where it asks none."""
    players: tuple[int, ...] = (2, 3, 4, 5)
    """Player counts at which it decides often enough to be asked about."""
    always_same: bool = False
    """True if it has the same answers wherever it decides."""


@dataclass(frozen=True)
class Received:
    """A hint that the asked player got since their last turn."""

    index: int
    """Its place in the history, from 0."""
    past: Past
    hint: Hint

    def __str__(self) -> str:
        """Return the hint in words, to the player who got it."""
        what = str(self.hint).split(maxsplit=2)[2]
        *more, last = map(str, self.past.slots)
        if more:
            slots = f"slots {', '.join(more)} and {last}"
        else:
            slots = f"slot {last}"
        return f"P{self.past.seat} hinted you {what}, which touched {slots}"


def hints_to_me(view: View) -> Iterator[Received]:
    """Yield the hints that the asked player got since their last turn, oldest first."""
    first = max(0, len(view.history) - view.players + 1)
    for index, past in enumerate(view.history[first:], first):
        if isinstance(past.move, HintColour | HintRank) and past.move.to == view.seat:
            yield Received(index, past, past.move)


def only_hint(view: View) -> Received | None:
    """Return the hint since the asked player's last turn, if there was just one."""
    hints = list(hints_to_me(view))
    if len(hints) == 1:
        return hints[0]
    return None


def hints(view: View) -> list[Hint]:
    """Return the legal hints."""
    return [move for move in view.legal if isinstance(move, HintColour | HintRank)]


def discards(view: View) -> tuple[Discard, ...]:
    """Return the legal discards."""
    return tuple(move for move in view.legal if isinstance(move, Discard))


def touched(view: View, hint: Hint) -> tuple[int, ...]:
    """Return the slots that a hint would touch."""
    cards = next(hand.cards for hand in view.hands if hand.seat == hint.to)
    named = hint.colour if isinstance(hint, HintColour) else hint.rank
    return tuple(slot for slot, card in enumerate(cards) if named in (card.colour, card.rank))


def at_a_playable_card(view: View) -> list[Hint]:
    """Return the hints that touch a card which can be played now: those of a player without
    conventions."""
    cards = {hand.seat: hand.cards for hand in view.hands}
    fits = view.piles.playable
    hs = list[Hint]()
    for h in hints(view):
        if any(fits >> INDEX[cards[h.to][slot]] & 1 for slot in touched(view, h)):
            hs.append(h)
    return hs


def plays(slot: int) -> Moves:
    """Return the move of a player who plays a slot."""
    return (Play(slot=slot),)


def rule_player(name: str) -> Callable[[View], Move]:
    """Return the decision of a rule player that draws no random numbers."""
    return lambda view: partners.get(name).rule(view, Random(0))[0]


def literal(view: View) -> Moves:
    """Return all that a player without conventions may do: iggi hints literally and reads hints
    literally."""
    rule = partners.get("iggi").rule
    dice = Random(0)
    untouched = dice.getstate()
    move, _ = rule(view, dice)
    if dice.getstate() == untouched:
        return (move,)
    return tuple(dict.fromkeys(rule(view, Random(draw))[0] for draw in range(DRAWS)))


def other_moves(view: View, players: Mapping[str, Plays]) -> dict[str, Moves]:
    """Return the moves of players of other conventions by name, the literal one first; who has none
    is left out."""
    moves = {name: play(view) for name, play in players.items()}
    return {
        LITERAL: literal(view),
        **{name: (move,) for name, move in moves.items() if move is not None},
    }
