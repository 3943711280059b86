"""What a deciding role's program does in a matter on which nobody advises it: simple rules on what its sections show.

Which hint helps most, and which card the team can best spare, are questions of other roles. A program that decides
without their advice does not answer these questions for them: it takes the first move that fits a simple rule.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX, MAX_TOKENS
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import has_turn
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import types_of
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, HintRank, Move, Play
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import Position
from hanabi_orchestrator.roles.hanabi.sections.table import State
from hanabi_orchestrator.roles.reply_types import Choice
from hanabi_orchestrator.roles.sections import Sections

Reasoned = tuple[Move, str]


def choose(sections: Sections, position: Position, at: Scene | None = None) -> Reasoned:
    """A certain play; else a hint that lets somebody play; else a discard; else what is left.

    `at`: the position as a convention player sees it, where the program has that. Raises StopIteration only when no
    move is left.
    """
    steps: tuple[Iterator[Reasoned], ...] = (
        plays(position),
        hints(position, at),
        discards(sections, position),
        rest(position, at),
    )
    return next(chain.from_iterable(steps))


def advised(
    sections: Sections, position: Position, advice: Iterable[Reasoned], otherwise: str
) -> Choice:
    """The first move of some advice that is left and does no certain harm; where there is none, one by these rules,
    after the reason `otherwise`."""
    for move, why in advice:
        if move in position.moves and literal_play.harmless(position, move):
            return Choice(action=move, reason=why)
    move, why = choose(sections, position)
    return Choice(action=move, reason=f"{otherwise}; {why}")


def plays(position: Position) -> Iterator[tuple[Play, str]]:
    """Plays that cannot fail, the oldest card first."""
    sure = (move for move in position.plays if position.slots[move.slot].playable == 1.0)
    yield from ((move, f"slot {move.slot} is known to be playable") for move in sure)


def hints(position: Position, at: Scene | None = None) -> Iterator[tuple[Hint, str]]:
    """The hints of the list, in its order, that make their receiver play a card that fits.

    Where the receiver keeps to conventions, by what the hint says by them; else those that tell them something new of
    a playable card that they do not know to be playable.
    """
    for hint in position.hints:
        if at is not None and not at.is_stranger(hint.to):
            helps = at.effect_of(hint).helps
        else:
            lesson = literal_play.lesson(position, hint)
            helps = bool(lesson.plays or lesson.points)
        if helps:
            yield hint, f"it is the first hint of the list that helps P{hint.to} to play"


def plain_hints(position: Position) -> Iterator[tuple[Hint, str]]:
    """The hints of the list, in its order, that touch playable cards alone, to one of which they say something new."""
    for hint in position.hints:
        types = types_of(hint)
        cards = position.hands[hint.to]
        masks = position.known[hint.to]
        touched = [slot for slot, card in enumerate(cards) if types >> INDEX[card] & 1]
        fits = all(position.piles.playable >> INDEX[cards[slot]] & 1 for slot in touched)
        in_time = has_turn(hint.to, position.seat, position.players, position.turns_left)
        if fits and in_time and any(masks[slot] & ~types for slot in touched):
            yield (
                hint,
                f"it is the first hint of the list that tells P{hint.to} something new of playable cards alone",
            )


def spent_tokens(position: Position) -> Iterator[tuple[Hint, str]]:
    """With all tokens there, the hint of the highest rank: cards of high ranks are rarely taken for playable."""
    if position.tokens == MAX_TOKENS:
        ranks = [hint for hint in position.hints if isinstance(hint, HintRank)]
        yield from (
            (hint, "a token must be spent") for hint in sorted(ranks, key=lambda hint: -hint.rank)
        )


def discards(sections: Sections, position: Position) -> Iterator[tuple[Discard, str]]:
    """Cards known to be dead, then those that no hint touched, then the others; each the oldest first."""
    touched = [card.colour is not None or card.rank is not None for card in sections[State].known]
    dead = [slot.dead == 1.0 for slot in position.slots]
    for move in sorted(
        position.discards, key=lambda move: (not dead[move.slot], touched[move.slot], move.slot)
    ):
        why = (
            "the oldest card left" if touched[move.slot] else "the oldest card that no hint touched"
        )
        yield move, f"slot {move.slot} is {'known to be dead' if dead[move.slot] else why}"


def rest(position: Position, at: Scene | None = None) -> Iterator[Reasoned]:
    """What is left when nothing of the above may be done: hints that say nothing false, other hints, plays by their
    chance."""
    agreed = [hint for hint in position.hints if at and not at.is_stranger(hint.to)]
    false = [hint for hint in agreed if at and at.effect_of(hint).false]
    true = [hint for hint in position.hints if hint not in false]
    yield from ((hint, "nothing better is allowed") for hint in (*true, *false))
    likely = sorted(position.plays, key=lambda move: -position.slots[move.slot].playable)
    yield from ((move, f"it fits with {position.slots[move.slot].playable:.2f}") for move in likely)
