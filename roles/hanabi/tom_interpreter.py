"""Theory-of-mind interpreter: what the others meant, believe and will do (CAC, section 3 and appendix C.2)."""

from collections.abc import Iterator

from orchestrator.hanabi.convention import policy
from orchestrator.hanabi.convention.hint_convention import is_certain, next_discard
from orchestrator.hanabi.convention.policy import Scene
from orchestrator.hanabi.moves import Hint
from roles.hanabi.marking.mind_marks import INTERPRETER
from roles.hanabi.mind_report import Intention, MindReport
from roles.hanabi.reasoning import literal_play
from roles.hanabi.reasoning.convention_scene import understood
from roles.hanabi.reasoning.literal_play import Foreseen
from roles.hanabi.reasoning.position import TAKES, Position
from roles.hanabi.sections.convention_facts import ConventionFacts
from roles.hanabi.sections.fixed import Conventions, Rules
from roles.hanabi.sections.history import History, Remembered
from roles.hanabi.sections.past_games import PastGames
from roles.hanabi.sections.table import FinalRound, NextPlayable, State
from roles.legal_moves import LegalMoves
from roles.notes_text import Notes
from roles.registry import role
from roles.sections import Sections
from roles.words import ENGLISH


@role(
    reply=MindReport,
    takes=(Rules, Conventions, ConventionFacts, *TAKES, NextPlayable, FinalRound, History, Remembered, PastGames),
    needs=(State, LegalMoves),
    mark=INTERPRETER,
    rests_on=("partner_knowledge",),
)
def tom_interpreter(sections: Sections, notes: Notes) -> MindReport:
    """Explains the others' latest moves, foresees their next ones and says what to tell them."""
    literally = Position.read(sections)
    position, at = understood(sections, notes)
    legal, facts = set(position.moves), sections.get(ConventionFacts)
    code = facts.code if facts else None
    hints = code.hints() if code else _hints(position, at)
    first = (advice for step in (policy.save, policy.help_first) for advice in (step(at) if at and not code else ()))
    urgent = next((advice for advice in first if advice[0] in legal), None)
    hint, why = urgent or next((advice for advice in hints if advice[0] in legal), (None, NO_HINT))
    explanation = "The past moves are not known."
    if history := sections.get(History):
        lines = [ENGLISH.say(past, history.seat) for past in history.latest]
        explanation = "; ".join(lines) or "Nobody has moved yet."
    return MindReport(
        explanation=explanation,
        intentions=tuple(_intention(literally, at, seat, code is not None) for seat in position.hands),
        suggestion=why,
        hint=hint,
        urgent=urgent is not None,
    )


NO_HINT = "No hint is worth a token now."


def _hints(position: Position, at: Scene | None) -> Iterator[tuple[Hint, str]]:
    """The hints worth a token, the best first: for partners who keep to the conventions by what it points at,
    for the others by what it says; then, when all tokens are there, one that points at nothing."""
    if at is not None:
        yield from (advice for step in (policy.help, policy.teach, policy.dump) for advice in step(at))
        return
    lessons = literal_play.lessons(position)
    yield from (
        (lesson.hint, literal_play.why_hint(lesson)) for lesson in lessons if lesson.worth >= literal_play.WORTHWHILE
    )


def _intention(literally: Position, at: Scene | None, seat: int, coded: bool) -> Intention:
    """What a partner will do by all that they know of their hand; which hint they will give cannot be foretold.

    `literally`: the position by what hints say. It serves for strangers, who keep to no convention, so that what the
    past would mean by the conventions need not be true of them. `coded`: all keep to the code.
    """
    stranger = at is None or (at.is_stranger(seat) and not coded)
    foreseen = literal_play.foresee(literally, seat) if at is None or stranger else foresee(at, seat, coded)
    plays = foreseen.slot if foreseen.does == "play" else None
    return Intention(seat=seat, next_action=foreseen.say(ENGLISH), plays=plays, chance=foreseen.chance)


def foresee(at: Scene, seat: int, coded: bool = False) -> Foreseen:
    """What a convention player, or one who keeps the code, will do next if nobody gives them another hint."""
    hand = at.knowledge.common[seat]
    fits = [slot for slot, mask in enumerate(hand) if is_certain(mask, at.piles.playable)]
    if fits:
        return Foreseen("play", fits[0], 0.5 if at.may_help_first and not coded else 0.95)  # they may give a hint first
    dead = [slot for slot, mask in enumerate(hand) if is_certain(mask, at.piles.dead)]
    slot = dead[0] if dead else next_discard(hand, at.piles) or 0
    return Foreseen("hint or discard", slot, 0.7) if at.knowledge.tokens else Foreseen("discard", slot, 0.9)
