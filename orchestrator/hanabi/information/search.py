"""The deals and the moves that a search tries among players who keep the code."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from hanabi_orchestrator.orchestrator.hanabi import search
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX, Card
from hanabi_orchestrator.orchestrator.hanabi.information.policy import CodePosition
from hanabi_orchestrator.orchestrator.hanabi.information.rollout import CodeRollout
from hanabi_orchestrator.orchestrator.hanabi.information.table import HatTable, course
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import shifted
from hanabi_orchestrator.orchestrator.hanabi.moves import Hint, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.past_moves import PLACES, PartnerTurn, PastMoves
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import NONE, act
from hanabi_orchestrator.orchestrator.hanabi.view import Past


class Deals(search.Deals[CodeRollout]):
    """Deals of a position as a player sees it who keeps the code."""

    def __init__(
        self,
        position: CodePosition,
        hands: Mapping[int, Sequence[Card]],
        turns_left: int | None,
        chance: Random,
        history: tuple[Past, ...] = (),
    ) -> None:
        """`hands`: those in sight, by seat. `history`: all past turns; without them, what the partners did tells
        nothing of the own hand but by the code."""
        self.position = position
        self.turns_left = turns_left
        game = CodeRollout(position.table, position.seat, turns_left)
        past = (
            past_moves(course(len(hands) + 1, position.seat, hands, history), history)
            if history
            else None
        )
        super().__init__(game, hands, position.own_hand[0], chance, past)

    def candidates(self, usual: Move) -> list[Move]:
        """Return the usual move, then the legal moves that keep the code, plays if they are likely to fit; on the last
        turn of a game, all legal moves."""
        if self.turns_left == 1:
            return list(dict.fromkeys((usual, *self.position.legal)))
        fits = self.position.chances(self.position.table.piles.playable)
        moves = (
            m
            for m in self.position.keeping
            if not isinstance(m, Play) or fits[m.slot] >= search.WORTH_A_TRY
        )
        return list(dict.fromkeys((usual, *moves)))


def past_moves(tables: Sequence[HatTable], history: Sequence[Past]) -> PastMoves:
    """Return what the partners of a seat did. `tables`: those of the seat, before each move and now."""
    # as late as numba
    from hanabi_orchestrator.orchestrator.hanabi.information.rollout_play import surprises

    return PastMoves(_turns(tables, history), tables[0].seat, surprises)


def _turns(tables: Sequence[HatTable], history: Sequence[Past]) -> Iterator[PartnerTurn]:
    """Yield the past turns of partners at which the seat held a card that it still holds."""
    seat = tables[0].seat
    numbers, cards = _own_cards(tables, history)
    now = {number: slot for slot, number in enumerate(numbers[-1])}
    for past, then, held in zip(history, tables, numbers, strict=False):
        places = tuple(now.get(number, NONE) for number in held)
        if past.seat == seat or set(places) == {NONE}:
            continue
        hands = [[card.bit_length() - 1 for card in hand] for hand in then.cards]
        hands[seat] = [cards.get(number, 0) for number in held]
        yield PartnerTurn(
            CodeRollout(then, past.seat, None).dealt(hands, ()), act(past.move), places
        )


def _own_cards(
    tables: Sequence[HatTable], history: Sequence[Past]
) -> tuple[list[tuple[int, ...]], Mapping[int, int]]:
    """Return the own hand before each move and now, its cards numbered as they came; and which they were that left."""
    seat = tables[0].seat
    cards = dict[int, int]()
    numbers = [tuple(range(len(tables[0].common[seat])))]
    for past, after in zip(history, tables[1:], strict=True):
        held = numbers[-1]
        if past.seat == seat and past.card is not None and not isinstance(past.move, Hint):
            cards[held[past.move.slot]] = INDEX[past.card]
            held = shifted(held, past.move.slot, (PLACES + past.turn,))[: len(after.common[seat])]
        numbers.append(held)
    return numbers, cards
