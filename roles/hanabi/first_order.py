"""First-order beliefs: what each partner knows, how they play, what they will do (Guandan, 3.3 and B.1)."""

from collections.abc import Sequence

from hanabi_orchestrator.orchestrator.hanabi.cards import Mask, unmask
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.roles.hanabi.beliefs import Belief, FirstOrder
from hanabi_orchestrator.roles.hanabi.marking.mind_marks import BELIEVER
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.fixed import Conventions, Rules
from hanabi_orchestrator.roles.hanabi.sections.history import History, Remembered
from hanabi_orchestrator.roles.hanabi.sections.table import FinalRound, NextPlayable, State
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.sections import Section, Sections
from hanabi_orchestrator.roles.words import Words

FEW = 6
"""Cards that a slot may be, up to which it counts as narrowed down."""

SEEN: tuple[type[Section], ...] = (
    Rules,
    Conventions,
    *TAKES,
    NextPlayable,
    FinalRound,
    History,
    Remembered,
)
"""The sections of the roles that reason about minds."""


@role(
    reply=FirstOrder,
    takes=tuple(kind for kind in SEEN if kind is not LegalMoves),
    needs=(State,),
    mark=BELIEVER,
    rests_on=("partner_knowledge",),
)
def first_order(sections: Sections, notes: Notes) -> FirstOrder:
    """Forms a belief about each partner: what they know of their hand, how they play, what they will do next."""
    position = Position.read(sections)
    return FirstOrder(beliefs=tuple(_belief(sections, position, seat) for seat in position.hands))


def _belief(sections: Sections, position: Position, seat: int) -> Belief:
    foreseen = literal_play.foresee(position, seat)
    history = sections.get(History)
    return Belief(
        seat=seat,
        knows=narrowed(position.known[seat], sections.words),
        pattern=_pattern(
            [past for past in history.moves if past.seat == seat] if history else [], sections.words
        ),
        next_action=foreseen.say(sections.words),
        plays=foreseen.slot if foreseen.does == "play" else None,
        chance=foreseen.chance,
    )


def narrowed(masks: Sequence[Mask], words: Words) -> str:
    """The slots that hints leave few cards for: `slot 1 R1, R2; slot 3 B5`."""
    few = {slot: unmask(mask) for slot, mask in enumerate(masks) if mask.bit_count() <= FEW}
    cards = {slot: words.series(card.value for card in types) for slot, types in few.items()}
    slots = [words("slot $slot $text", slot=slot, text=text) for slot, text in cards.items()]
    return words("; ").join(slots) or words("no slot is narrowed down to a few cards")


PATTERN = (
    "hints: $hints, plays: $plays, of which failed: $failed, discards: $discards; the last: $move"
)


def _pattern(moves: Sequence[Past], words: Words) -> str:
    """What a player did so far, in numbers."""
    if not moves:
        return words("no move of theirs is known yet")
    plays = [past for past in moves if isinstance(past.move, Play)]
    discards = [past for past in moves if isinstance(past.move, Discard)]
    return words(
        PATTERN,
        hints=len(moves) - len(plays) - len(discards),
        plays=len(plays),
        failed=sum(not past.scored for past in plays),
        discards=len(discards),
        move=f"{moves[-1].move}{words.outcome(moves[-1])}",
    )
