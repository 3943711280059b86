"""The roles of Collab Capture: interpreter, generator, verifier."""

from collections.abc import Sequence

from hanabi_orchestrator.orchestrator.collab.capture import Move, Position, legal
from hanabi_orchestrator.orchestrator.collab.plans import NEVER, CapturePlan, capture_plan
from hanabi_orchestrator.orchestrator.collab.programs import to_the_thief
from hanabi_orchestrator.roles.collab import partner_report
from hanabi_orchestrator.roles.collab.partner_report import Analysed, PartnerReport
from hanabi_orchestrator.roles.collab.sections import (
    CaptureDoors,
    CaptureMap,
    CaptureRules,
    CaptureThief,
    CollabHere,
    CollabMoves,
    CollabPartner,
)
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Choice, Judgement
from hanabi_orchestrator.roles.role_options import AllowedValues
from hanabi_orchestrator.roles.sections import Section, Sections

TAKES: tuple[type[Section], ...] = (
    CaptureRules,
    CaptureMap,
    CollabHere,
    CollabPartner,
    CaptureThief,
    CaptureDoors,
    CollabMoves,
    LegalMoves,
)
ALONE = (CollabHere, CaptureThief, CaptureDoors)
"""What a player must see who does not look at the partner."""


def shown_position(sections: Sections) -> Position:
    """Return the position that the sections show."""
    player = sections[CollabHere]
    partner = sections[CollabPartner]
    rooms = {player.seat: player.room, partner.seat: partner.room}
    return Position((rooms[0], rooms[1]), sections[CaptureThief].room, sections[CaptureDoors].doors)


def _plan(sections: Sections) -> CapturePlan:
    return capture_plan(sections[CaptureThief].rule)


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
def capture_interpreter(sections: Sections, notes: Notes) -> PartnerReport:
    """Explains the partner's last action in Collab Capture, and says what they need and will do (CAC)."""
    seat = sections[CollabHere].seat
    plan = _plan(sections)
    moves = plan.best(shown_position(sections))
    rounds = plan.with_moves(shown_position(sections), moves)
    goal = "nobody is sure to catch the thief"
    if rounds < NEVER:
        goal = f"the thief is caught in {rounds} round{'s' * (rounds > 1)}"
    return partner_report.of_plan(sections[CollabPartner], moves[seat], moves[1 - seat], goal)


@role(reply=Analysed, takes=TAKES, needs=(*ALONE, LegalMoves), rests_on=())
def capture_generator(sections: Sections, notes: Notes) -> Analysed:
    """Chooses a move in Collab Capture by the report on the partner.

    Its program plays its half of the fastest capture, or the best reply to what the report forecasts. Without the
    partner's room it goes a shortest way to the thief.
    """
    offers = sections[LegalMoves].moves
    player = sections[CollabHere]
    if CollabPartner not in sections:
        doors = sections[CaptureDoors].doors
        move, reason = to_the_thief(player.room, sections[CaptureThief].room, doors)
        if move in offers:
            return Analysed(action=move, reason=reason)
        return Analysed(action=offers[0], reason="it is the first move that is left")
    return _by_plan(sections, notes, offers, player.seat)


def _by_plan(sections: Sections, notes: Notes, offers: Sequence[Move], seat: int) -> Analysed:
    plan = _plan(sections)
    position = shown_position(sections)
    planned_move = plan.best(position)[seat]
    expected = partner_report.forecast(notes, legal(position, 1 - seat))

    def rounds(move: Move) -> int:
        if expected is None:
            return plan.with_move(position, seat, move)
        return plan.with_moves(position, _joint(seat, move, expected))

    move = min(offers, key=lambda move: (rounds(move), move != planned_move))
    grounds = (
        "with the partner's best move" if expected is None else f"if the partner's is {expected}"
    )
    number = rounds(move)
    if number >= NEVER:
        return Analysed(action=move, reason=f"{grounds}, no move is sure to catch the thief")
    outcome = f"it catches the thief in {number} round{'s' * (number > 1)}"
    return Analysed(action=move, reason=f"{grounds}, {outcome}")


OPTIONS: AllowedValues = {"reason": ("told", "unsaid")}
"""`reason`: whether it is told why the player chose the move."""


@role(
    reply=Judgement,
    takes=TAKES,
    needs=(*ALONE, CollabPartner),
    options=OPTIONS,
    rests_on=(),
)
def capture_verifier(sections: Sections, notes: Notes) -> Judgement:
    """Accepts or refuses a chosen move of Collab Capture: by the rules, and whether it slows the capture down.

    Its program refuses a move after which the fastest capture takes longer than with another move of the list.
    """
    seat = sections[CollabHere].seat
    position = shown_position(sections)
    plan = _plan(sections)
    move = of_type(notes, Choice)[0].action
    offers = legal(position, seat)
    if move not in offers:
        return Judgement(reason="the rules do not allow it here", accept=False)
    rounds = plan.with_move(position, seat, move)
    best = min(plan.with_move(position, seat, other) for other in offers)
    if rounds > best:
        return Judgement(reason="the capture takes longer than with another move", accept=False)
    return Judgement(reason="no other move catches the thief earlier", accept=True)
