"""Mistakes: moves that another move beats as far as the seat could know, and what was wrong with
them in plain words.

A move whose loss is more than half a point and more than `SURE` standard errors is a mistake
whatever it is. A move with one of the known faults below is one if its loss is more than one
standard error: there are few of these, and each is wrong by itself. The move with the best value is
never a mistake. docs/values.md says how often chance makes one.
"""

from collections.abc import Callable

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values.move_values import TITLES, Kind, Mistake, TurnValues
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import GAMBLES
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import types_of
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, HintRank, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.orchestrator.values import Frozen
from hanabi_orchestrator.roles.words import percent

WORTH = 0.5
"""Points: a smaller loss is no mistake unless the move has a known fault."""
SURE = 2.5
"""Standard errors of the loss from which on it is clear."""
RISKY = 0.6
"""The probability from which on a play is worth its risk, as for the safety rule; the last life is
never risked."""

Fault = tuple[Kind, str]


def mistake(position: Position, past: Past, values: TurnValues) -> Mistake | None:
    """Return what was wrong with the move that was played; None where nothing was, or where chance
    may explain the loss."""
    if values.best == past.move or not values.loss or values.error is None:
        return None
    clear = values.loss > WORTH and values.loss > SURE * values.error
    reason = fault(position, past)
    if not clear and not (reason and values.loss > values.error):
        return None
    final = position.view.turns_left is not None
    kind, why = reason or (
        "final_round" if final else "clear_loss",
        "in the final round " if final else "",
    )
    what = f"{why}; " if reason else why
    return Mistake(
        turn=values.turn,
        seat=values.seat,
        kind=kind,
        move=past.move,
        better=values.best,
        loss=values.loss,
        error=values.error,
        text=f"{what}{values.best} was worth {values.loss:.1f} points more "
        f"(\N{PLUS-MINUS SIGN}{values.error:.1f})",
    )


def fault(position: Position, past: Past) -> Fault | None:
    """Return the known fault of a move, without any value; None where it has none of them."""
    return next((match for look in FAULTS if (match := look(position, past))), None)


def known_fault(position: Position, past: Past) -> Fault | None:
    """Return the gravest fault of a move that needs no judge, the error in the final round
    included."""
    if known := fault(position, past):
        return known
    # a turn of the final round that scored nothing and let nobody score, although a play might have
    view = position.view
    move = past.move
    if view.turns_left is None or view.lives < 2 or isinstance(move, Play):
        return None
    if isinstance(move, HintColour | HintRank) and position.scene.effect_of(move).helps:
        return None
    chance = max((slot.playable for slot in position.own), default=0.0)
    if not chance:
        return None
    return (
        "final_round",
        f"in the final round a play that fits with {percent(chance)} would have cost nothing",
    )


def _risky_misplay(position: Position, past: Past) -> Fault | None:
    """Return a misplay that the seat could know to be too risky, by hints and by conventions."""
    view = position.view
    if past.scored is not False or not isinstance(past.move, Play):
        return None
    chance = max(slots[past.move.slot].playable for slots in (position.own, position.by_hints))
    if chance >= (1.0 if view.lives == 1 else RISKY) or (
        chance and view.deck_size <= GAMBLES.get(view.lives, -1)
    ):
        return None
    if view.lives == 1:
        lives = "the last life"
    else:
        lives = f"one of {view.lives} lives"
    if chance:
        known = f"the card was playable with at most {percent(chance)}"
    else:
        known = "the card was known not to be playable"
    return "risky_misplay", f"{known}; the play cost {lives}"


def _critical_discard(position: Position, past: Past) -> Fault | None:
    """Return a last copy discarded although the seat could know that, or fear it, and another card
    was known dead."""
    if not isinstance(past.move, Discard) or past.card is None:
        return None
    chance = position.own[past.move.slot].critical
    dead = []
    for slot, card in enumerate(position.own):
        if card.dead == 1.0 and slot != past.move.slot:
            dead.append(slot)
    if not (position.view.piles.critical >> INDEX[past.card] & 1 and chance and dead):
        return None
    return (
        "critical_discard",
        f"it threw the last {past.card.value} away (critical with {percent(chance)}) although "
        f"slot {dead[0]} was known to be dead",
    )


def _missed_play(position: Position, past: Past) -> Fault | None:
    """Return a card that certainly fits was not played, no other card was, nor a hint given that
    comes before a play."""
    if isinstance(past.move, Play) or past.move == position.usual:
        return None
    for slots, by in (
        (position.by_hints, "by hints and counting"),
        (position.own, "by the conventions"),
    ):
        if sure := [slot for slot, card in enumerate(slots) if card.playable == 1.0]:
            return "missed_play", f"slot {sure[0]} was certainly playable {by}, but was not played"
    return None


def _wasted_hint(position: Position, past: Past) -> Fault | None:
    """Return a hint that left every card of its receiver as possible as before, or touched only
    dead cards and had no use."""
    move = past.move
    if not isinstance(move, HintColour | HintRank):
        return None
    named = types_of(move)
    hand = next(hand for hand in position.view.hands if hand.seat == move.to)
    after = (
        card.mask & (named if slot in past.slots else ~named)
        for slot, card in enumerate(hand.known)
    )
    if all(card.mask == now for card, now in zip(hand.known, after, strict=True)):
        return "empty_hint", f"the hint told P{move.to} nothing new about any card"
    cards = position.scene.hands[move.to]
    effect = position.scene.effect_of(move)
    touched = [cards[slot] for slot in past.slots]
    if effect.helps or not all(position.view.piles.dead >> INDEX[card] & 1 for card in touched):
        return None
    return "wasted_token", f"the hint touched only cards of P{move.to} that can never score"


FAULTS: tuple[Callable[[Position, Past], Fault | None], ...] = (
    _risky_misplay,
    _critical_discard,
    _missed_play,
    _wasted_hint,
)
"""The gravest first."""

KINDS: tuple[Kind, ...] = tuple(kind for kind in TITLES if kind != "clear_loss")
"""The faults that are counted, the gravest first."""


class MoveFault(Frozen):
    """A known fault of a move."""

    turn: int
    seat: int
    kind: Kind
    text: str
    """What was wrong, in a sentence."""


def faults_of(story: Game) -> tuple[MoveFault, ...]:
    """Return the known faults of a game's moves, oldest first; a move has at most one, the
    gravest."""
    faults = []
    for number, turn in enumerate(story.turns, 1):
        if turn.moved and (fault := known_fault(Position.of(story, number), turn.moved.past)):
            faults.append(MoveFault(turn=number, seat=turn.seat, kind=fault[0], text=fault[1]))
    return tuple(faults)
