"""The roles of Collab Escape: interpreter, generator, verifier."""

from collections.abc import Sequence

from hanabi_orchestrator.orchestrator.collab.escape import Move, Position, legal
from hanabi_orchestrator.orchestrator.collab.plans import CLOSE, EscapePlan, escape_plan
from hanabi_orchestrator.orchestrator.collab.programs import to_the_work
from hanabi_orchestrator.roles.collab import partner_report
from hanabi_orchestrator.roles.collab.partner_report import Analysed, PartnerReport
from hanabi_orchestrator.roles.collab.sections import (
    CollabHere,
    CollabMoves,
    CollabPartner,
    EscapeGenerators,
    EscapeKiller,
    EscapeMap,
    EscapeRules,
)
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Choice, Judgement
from hanabi_orchestrator.roles.role_options import AllowedValues
from hanabi_orchestrator.roles.sections import Section, Sections

TAKES: tuple[type[Section], ...] = (
    EscapeRules,
    EscapeMap,
    CollabHere,
    CollabPartner,
    EscapeKiller,
    EscapeGenerators,
    CollabMoves,
    LegalMoves,
)
ALONE = (CollabHere, EscapeKiller, EscapeGenerators)
"""What a player must see who does not look at the partner."""


def shown_position(sections: Sections) -> Position:
    """Return the position that the sections show."""
    player = sections[CollabHere]
    partner = sections[CollabPartner]
    killer = sections[EscapeKiller]
    rooms = {player.seat: player.room, partner.seat: partner.room}
    fixes = sections[EscapeGenerators].fixes
    return Position((rooms[0], rooms[1]), killer.room, fixes, killer.target)


def _plan(sections: Sections) -> EscapePlan:
    return escape_plan(sections[EscapeGenerators].rule)


def _remaining(sections: Sections) -> int:
    """Return the rounds that are left, this one among them."""
    player = sections[CollabHere]
    return player.rounds - player.round + 1


def _joint(seat: int, move: Move, reply: Move) -> tuple[Move, Move]:
    return (move, reply) if seat == 0 else (reply, move)


@role(
    reply=PartnerReport,
    takes=TAKES,
    needs=ALONE,
    settled=partner_report.unseen,
    rests_on=(),
    mark=partner_report.UNMARKED,
)
def escape_interpreter(sections: Sections, notes: Notes) -> PartnerReport:
    """Explains the partner's last action in Collab Escape, and says what they need and will do (CAC)."""
    seat = sections[CollabHere].seat
    plan = _plan(sections)
    position = shown_position(sections)
    moves = plan.best(position, _remaining(sections))
    goal = f"the chance of an escape is {plan.chance(position, _remaining(sections)):.2f}"
    return partner_report.of_plan(sections[CollabPartner], moves[seat], moves[1 - seat], goal)


@role(reply=Analysed, takes=TAKES, needs=(*ALONE, LegalMoves), rests_on=())
def escape_generator(sections: Sections, notes: Notes) -> Analysed:
    """Chooses a move in Collab Escape by the report on the partner.

    Its program plays its half of the surest escape, of these of the fastest, or the best reply to what the report
    forecasts. Without the partner's room it goes around the killer to the nearest work.
    """
    offers = sections[LegalMoves].moves
    player = sections[CollabHere]
    if CollabPartner not in sections:
        fixes = sections[EscapeGenerators].fixes
        move, reason = to_the_work(player.room, sections[EscapeKiller].room, fixes)
        if move in offers:
            return Analysed(action=move, reason=reason)
        return Analysed(action=offers[0], reason="it is the first move that is left")
    return _by_plan(sections, notes, offers, player.seat)


def _by_plan(sections: Sections, notes: Notes, offers: Sequence[Move], seat: int) -> Analysed:
    plan = _plan(sections)
    position = shown_position(sections)
    rounds = plan.rounds(position, _remaining(sections)) or 1
    joints = plan.with_moves(position, rounds)
    planned_move = plan.best(position, _remaining(sections))[seat]
    expected = partner_report.forecast(notes, legal(position, 1 - seat))

    def chance(move: Move) -> float:
        if expected is not None:
            return joints[_joint(seat, move, expected)]
        return max(value for moves, value in joints.items() if moves[seat] == move)

    best = max(chance(move) for move in offers)
    equal = [move for move in offers if chance(move) >= best - CLOSE]
    move = planned_move if planned_move in equal else equal[0]
    grounds = (
        "with the partner's best move" if expected is None else f"if the partner's is {expected}"
    )
    within = f"within {rounds} round{'s' * (rounds > 1)}"
    return Analysed(
        action=move, reason=f"{grounds}, the chance of an escape {within} is {best:.2f}"
    )


OPTIONS: AllowedValues = {"reason": ("told", "unsaid")}
"""`reason`: whether it is told why the player chose the move."""


@role(
    reply=Judgement,
    takes=TAKES,
    needs=(*ALONE, CollabPartner),
    options=OPTIONS,
    rests_on=(),
)
def escape_verifier(sections: Sections, notes: Notes) -> Judgement:
    """Accepts or refuses a chosen move of Collab Escape: by the rules, and whether it makes the escape less likely.

    Its program refuses a move after which the chance of an escape is smaller than after another move of the list.
    """
    seat = sections[CollabHere].seat
    position = shown_position(sections)
    plan = _plan(sections)
    move = of_type(notes, Choice)[0].action
    offers = legal(position, seat)
    if move not in offers:
        return Judgement(reason="the rules do not allow it here", accept=False)
    rounds = _remaining(sections)
    best = max(plan.with_move(position, seat, other, rounds) for other in offers)
    if plan.with_move(position, seat, move, rounds) < best - CLOSE:
        return Judgement(reason="another move makes the escape more likely", accept=False)
    return Judgement(reason="no other move makes the escape more likely", accept=True)
