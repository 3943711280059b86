"""A role's program made fallible: errors of language models, in what it sees and in what it answers.

What the errors of all games have in common is in `roles/slips.py`. See docs/simulated.md.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from hanabi_orchestrator.orchestrator.game.registry import DEFAULT
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS, Card
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Move, Play
from hanabi_orchestrator.roles.hanabi.card_words import outright, read, written
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import Position
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.history import History, Remembered
from hanabi_orchestrator.roles.hanabi.sections.table import (
    NextPlayable,
    OwnDeductions,
    PartnerDeductions,
    State,
)
from hanabi_orchestrator.roles.hanabi.state_judge import ASPECTS, StateRating
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.reply_types import Choice, Judgement, Reply, slot_fields
from hanabi_orchestrator.roles.role_definition import Solve
from hanabi_orchestrator.roles.sections import Section, Sections
from hanabi_orchestrator.roles.slips import INJECTORS, Exact, judgement, shortened
from hanabi_orchestrator.roles.slips import Slips as Slips

R = TypeVar("R", bound=BaseModel)


def reply(
    kind: type[Reply], solve: Solve, exact: Exact, sections: Sections, notes: Notes, slips: Slips
) -> Reply:
    """What the program answers, errors included, as the reply type that is asked for.

    `exact` is the program's own answer; `solve` gives the one to a position misread.
    """
    if issubclass(kind, Judgement):
        return judgement(exact(), slips)
    answer = _misled(solve, sections, notes, slips) or exact()
    assert isinstance(answer, Reply)  # a node checks what its program replies
    answer = (
        overconfident(answer, sections, slips)
        if isinstance(answer, Choice)
        else shortened(answer, slips)
    )
    return rated(moved(answer, sections, slips), kind, sections, slips)


# Errors in what it sees


def _misled(solve: Solve, sections: Sections, notes: Notes, slips: Slips) -> BaseModel | None:
    """The answer to a position misread or half forgotten; None when there is no such error.

    A misreading that contradicts what is known for certain leaves no possible hand: another one is tried.
    """
    before = sections
    errors = list[str]()
    for kind, change in (("forgotten_negatives", forgetful), ("overlooked_move", overlooking)):
        if changed := change(before, slips.strike(kind)):
            before = changed
            errors = [*errors, kind]
    variants = [
        (position, ["misread_stack", *errors])
        for position in misread(before, slips.strike("misread_stack"))
    ]
    for wrong, kinds in [*variants, *([(before, errors)] if errors else [])]:
        try:
            answer = solve(wrong, notes)
        except Exception:  # a program may raise anything where no hand is possible
            continue
        slips.errors += kinds
        return answer
    return None


def misread(sections: Sections, dice: random.Random | None) -> Iterator[Sections]:
    """The position with one firework one too high or too low, all ways in random order."""
    if dice is None or (state := sections.get(State)) is None:
        return
    steps = [
        (i, step)
        for i, top in enumerate(state.fireworks)
        for step in (1, -1)
        if 0 <= top + step <= 5
    ]
    for colour, step in dice.sample(steps, len(steps)):
        r, y, g, w, b = (top + step * (i == colour) for i, top in enumerate(state.fireworks))
        tops = zip(COLOURS, (r, y, g, w, b), strict=True)
        following = tuple(Card(f"{letter}{top + 1}") if top < 5 else None for letter, top in tops)
        changed: list[Section] = [
            replace(state, fireworks=(r, y, g, w, b)),
            NextPlayable(following),
        ]
        if facts := sections.get(ConventionFacts):
            changed.append(replace(facts, fireworks=(r, y, g, w, b)))
        yield sections.replacing(*changed)


def forgetful(sections: Sections, dice: random.Random | None) -> Sections | None:
    """The position with the negative hints to one hand forgotten; None where there are none."""
    if dice is None:
        return None
    variants: list[Section] = []
    if deductions := sections.get(OwnDeductions):
        outright = tuple(card.positive for card in deductions.known)
        variants += [replace(deductions, slots=outright)] if outright != deductions.slots else []
    if partners := sections.get(PartnerDeductions):
        for hand in partners.hands:
            outright = tuple(card.positive for card in hand.known)
            less = replace(partners, masks={**partners.masks, hand.seat: outright})
            variants += [less] if less != partners else []
    if remembered := sections.get(Remembered):
        variants += _less_remembered(remembered)
    return sections.replacing(dice.choice(variants)) if variants else None


def _less_remembered(remembered: Remembered) -> Iterator[Remembered]:
    """What is remembered, with what the own list of one hand rules out by negative hints left out."""
    notes = remembered.memory.get("notes", {})
    every = [
        (node, at, reply) for node, replies in notes.items() for at, reply in enumerate(replies)
    ]
    for node, at, reply in every:
        deductions = reply.get("deductions", ())
        for place, deduction in enumerate(deductions):
            less = {
                **deduction,
                "slots": [written(outright(read(text))) for text in deduction["slots"]],
            }
            if less["slots"] != list(deduction["slots"]):
                changed = {
                    **reply,
                    "deductions": (*deductions[:place], less, *deductions[place + 1 :]),
                }
                replies = (*notes[node][:at], changed, *notes[node][at + 1 :])
                yield replace(
                    remembered, memory={**remembered.memory, "notes": {**notes, node: replies}}
                )


def overlooking(sections: Sections, dice: random.Random | None) -> Sections | None:
    """The position of a player who keeps lists of all hands, with one play or discard since their last turn overlooked:
    the slots of that hand do not move. None for any other player, and where no card has left a hand."""
    history = sections.get(History)
    remembered = sections.get(Remembered)
    if dice is None or history is None or remembered is None:
        return None
    notes = remembered.memory.get("notes", {}).values()
    if not any(reply.get("deductions") for replies in notes for reply in replies):
        return None
    departures = [past for past in history.moves if isinstance(past.move, Play | Discard)]
    if not departures:
        return None
    missed = dice.choice(departures)
    return sections.replacing(
        replace(history, moves=tuple(past for past in history.moves if past is not missed))
    )


# Errors in what it answers


def overconfident(choice: Choice, sections: Sections, slips: Slips) -> Choice:
    """A play of the likeliest hinted card that is not certain to fit, instead of a hint or a discard."""
    if (
        isinstance(choice.action, Play)
        or State not in sections
        or not slips.strike("overconfident_play")
    ):
        return choice
    position = Position.read(sections)
    hinted = [bool(card.colour or card.rank) for card in sections[State].known]
    hoped = [
        move
        for move in position.plays
        if hinted[move.slot] and 0 < position.slots[move.slot].playable < 1
    ]
    if not hoped:
        return choice
    slips.errors.append("overconfident_play")
    move = max(hoped, key=lambda move: position.slots[move.slot].playable)
    return choice.model_copy(
        update={"action": move, "reason": f"slot {move.slot} was hinted, so it should fit"}
    )


def moved(answer: Reply, sections: Sections, slips: Slips) -> Reply:
    """The answer with every slot in it one higher, or one lower."""
    if not (dice := slips.strike("slot_off_by_one")):
        return answer
    state = sections.get(State)
    legal = sections.get(LegalMoves)
    size = len(state.own) if state else 5
    for step in dice.sample((1, -1), 2):
        if (wrong := _shifted(answer, step, size, legal.moves if legal else None)) != answer:
            slips.errors.append("slot_off_by_one")
            return wrong
    return answer


def _shifted(answer: R, step: int, size: int, legal: Iterable[Move] | None) -> R:
    """Moves stay legal ones, and slots of the hand."""

    def shifted(value: Any, *, slots: bool) -> Any:
        if isinstance(value, Play | Discard):
            wrong = value.model_copy(update={"slot": value.slot + step})
            return wrong if 0 <= wrong.slot < size and (legal is None or wrong in legal) else value
        if isinstance(value, BaseModel):
            return _shifted(value, step, size, legal)
        if isinstance(value, tuple):
            return tuple(shifted(inner, slots=slots) for inner in value)
        is_slot = slots and isinstance(value, int) and 0 <= value + step < size
        return value + step if is_slot else value

    slots = slot_fields(type(answer))
    return answer.model_copy(
        update={name: shifted(value, slots=name in slots) for name, value in answer}
    )


def rated(answer: Reply, kind: type[Reply], sections: Sections, slips: Slips) -> Reply:
    """The reply as it is asked for: with a rating of every legal move where there are ratings, the chosen one first."""
    if isinstance(answer, StateRating):
        return misrated(answer, slips)
    if not isinstance(answer, Choice) or "ratings" not in kind.model_fields:
        return answer if isinstance(answer, kind) else kind.model_validate(answer.as_data())
    moves = [answer.action, *(sections[LegalMoves].moves if LegalMoves in sections else ())]
    if (
        State in sections and LegalMoves in sections
    ):  # the best first, as far as the sections show the position
        moves[1:] = [move for move, _ in literal_play.ranked(Position.read(sections))]
    moves = list(dict.fromkeys(moves))
    marks = [round(1 - 2 * i / max(len(moves) - 1, 1), 2) for i in range(len(moves))]
    if len(moves) > 1 and slips.strike("rating_mismatch"):
        slips.errors.append("rating_mismatch")
        marks[:2] = marks[1::-1]
    ratings = [
        {"action": str(move), "rating": mark} for move, mark in zip(moves, marks, strict=True)
    ]
    return kind.model_validate(answer.model_dump(mode="json") | {"ratings": ratings})


def misrated(rating: StateRating, slips: Slips) -> StateRating:
    """A judgement of state tracking with ratings drawn at random."""
    if not (dice := slips.strike("rating_mismatch")):
        return rating
    slips.errors.append("rating_mismatch")
    return rating.model_copy(update={aspect: round(dice.random(), 2) for aspect in ASPECTS})


INJECTORS[DEFAULT] = reply
