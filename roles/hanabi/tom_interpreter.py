"""Theory-of-mind interpreter: what the others meant, believe and will do (CAC, section 3 and appendix C.2)."""

from collections.abc import Collection, Iterator

from hanabi_orchestrator.orchestrator.hanabi.convention import policy
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import STRANGER, has_turn
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene
from hanabi_orchestrator.orchestrator.hanabi.moves import Hint, Move
from hanabi_orchestrator.roles.hanabi.marking.mind_marks import INTERPRETER
from hanabi_orchestrator.roles.hanabi.mind_report import Intention, MindReport
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.convention_scene import understood
from hanabi_orchestrator.roles.hanabi.reasoning.forecast import forecast
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.fixed import Conventions, Rules
from hanabi_orchestrator.roles.hanabi.sections.history import History, Remembered
from hanabi_orchestrator.roles.hanabi.sections.past_games import PastGames
from hanabi_orchestrator.roles.hanabi.sections.table import FinalRound, NextPlayable, State
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.sections import Sections
from hanabi_orchestrator.roles.words import ENGLISH


@role(
    reply=MindReport,
    takes=(
        Rules,
        Conventions,
        ConventionFacts,
        *TAKES,
        NextPlayable,
        FinalRound,
        History,
        Remembered,
        PastGames,
    ),
    needs=(State, LegalMoves),
    mark=INTERPRETER,
    rests_on=("partner_knowledge",),
)
def tom_interpreter(sections: Sections, notes: Notes) -> MindReport:
    """Explains the others' latest moves, foresees their next ones and says what to tell them."""
    literally = Position.read(sections)
    position, at = understood(sections, notes)
    legal = set(position.moves)
    facts = sections.get(ConventionFacts)
    code = facts.code if facts else None
    hints = code.hints() if code else _hints(position, at)
    urgent = None if at is None or code else _urgent(at, legal)
    no_hint = NO_HINT if any(isinstance(move, Hint) for move in legal) else NO_TOKEN
    hint, why = urgent or next((advice for advice in hints if advice[0] in legal), (None, no_hint))
    explanation = "The past moves are not known."
    if history := sections.get(History):
        lines = [ENGLISH.say(past, history.seat) for past in history.latest]
        explanation = "; ".join(lines) or "Nobody has moved yet."
    return MindReport(
        explanation=explanation,
        intentions=tuple(_intentions(literally, at, facts, coded=code is not None)),
        suggestion=why,
        hint=hint,
        urgent=urgent is not None,
    )


NO_HINT = "No hint is worth a token now."
NO_TOKEN = "No hint is possible."


def _urgent(at: Scene, legal: Collection[Move]) -> tuple[Hint | None, str] | None:
    """The hint that comes before a play, or no hint where a discard in place of the play warns the next player."""
    for hint, why in policy.save(at):
        if hint in legal:
            return hint, why
    for move, why in policy.wait(at):
        if move in legal:
            return None, why
    return next((advice for advice in policy.help_first(at) if advice[0] in legal), None)


def _hints(position: Position, at: Scene | None) -> Iterator[tuple[Hint, str]]:
    """The hints worth a token, the best first: for partners who keep to the conventions by what it points at,
    for the others by what it says; then, when all tokens are there, one that points at nothing."""
    if at is not None:
        yield from (
            advice for step in (policy.help, policy.teach, policy.dump) for advice in step(at)
        )
        return
    lessons = literal_play.lessons(position)
    yield from (
        (lesson.hint, literal_play.why_hint(lesson))
        for lesson in lessons
        if lesson.worth >= literal_play.WORTHWHILE
    )


def _intentions(
    literally: Position, at: Scene | None, facts: ConventionFacts | None, *, coded: bool
) -> Iterator[Intention]:
    """Yield what each partner who has a turn left will do by all that they know of their hand; which hint they will
    give cannot be foretold.

    `literally`: the position by what hints say. It serves for strangers, who keep to no convention, so that what the
    past would mean by the conventions need not be true of them. `coded`: all keep to the code.
    """
    for seat in literally.hands:
        if not has_turn(seat, literally.seat, literally.players, literally.turns_left):
            continue
        if at is None or (at.knowledge.conventions[seat] == STRANGER and not coded):
            foreseen = literal_play.foresee(literally, seat)
            plays = foreseen.slot if foreseen.does == "play" else None
            yield Intention(
                seat=seat, next_action=foreseen.say(ENGLISH), plays=plays, chance=foreseen.chance
            )
        else:
            history = facts.history if facts and not coded else ()
            partner = forecast(at, seat, history, coded=coded)
            plays = partner.slot if partner.plays else None
            action = ENGLISH(partner.text, slot=partner.slot)
            yield Intention(seat=seat, next_action=action, plays=plays, chance=partner.chance)
