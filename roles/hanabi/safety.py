"""The exact safety rule: what it refuses, and the safest move when nothing passes.

A play is judged by the belief about its slot: by what hints and visible cards allow, narrowed by a trusted note on the
past where there is one, else by the exact reading of the past by the conventions where prompts tell a model to trust
it, else, with a life to spare, by what the latest hints mean by the conventions. It never looks at the hidden card.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import ANY, Mask, mask
from hanabi_orchestrator.orchestrator.hanabi.convention import policy
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import GAMBLES
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, Move, Play
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport
from hanabi_orchestrator.roles.hanabi.reasoning import fresh_hints, literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import NEEDS, TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.table import State
from hanabi_orchestrator.roles.notes_text import Notes, of_type
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.reply_types import Choice, Judgement
from hanabi_orchestrator.roles.sections import Sections
from hanabi_orchestrator.roles.words import Words, percent

NEEDED = "$chance (lives left: $lives)"
LIMITS: Mapping[int, float] = {1: 1.0, 2: literal_play.LIKELY, 3: literal_play.LIKELY}
"""Lives left -> the probability from which a play may be made; the last life is never gambled."""
AGREED = "by hints, counting and conventions"
FRESH = "by hints, counting and, with a life to spare, what the latest hints to you mean by the conventions"
NOTED = "by hints, counting and the history analyst's report"
POINTED = "by hints, counting and what the latest hints mean by the conventions"
NOTHING_POINTED: Mapping[int, Mask] = MappingProxyType({})
LAST_CHANCE = 0.01
"""The probability from which a play may be made when the deck is nearly out (`GAMBLES`) and a life is to spare, which
then buys nothing else."""


@dataclass(frozen=True)
class Safety:
    """The rule as the verifier of a graph, with the notes it trusts."""

    limits: Mapping[int, float]

    def words(self, words: Words, grounds: str, redos: int) -> str:
        """The rule as the prompt of a node states it that decides. `grounds`: what the chances come from."""
        by_limit: dict[float, list[int]] = {}
        for lives, limit in sorted(self.limits.items(), reverse=True):
            by_limit.setdefault(limit, []).append(lives)
        needed = words(", ").join(
            words(NEEDED, chance=percent(limit), lives=words(" or ").join(map(str, lives)))
            for limit, lives in by_limit.items()
        )
        nearly = {f"deck_{lives}": cards for lives, cards in GAMBLES.items()}
        return words.fill("gate.md", grounds=words(grounds), needed=needed, redos=redos, **nearly)

    def judge(
        self,
        position: Position,
        move: Move,
        trusted: Sequence[HistoryReport] = (),
        reading: ConventionFacts | None = None,
        pointed: Mapping[int, Mask] = NOTHING_POINTED,
    ) -> Judgement:
        """Return the rule's verdict on a move.

        `reading`: the exact reading of the past, which counts where no note is trusted. `pointed`: the own slots that
        the latest hints point at as playable, which counts where no such reading is there, with a life to spare.
        """
        if isinstance(move, Play):
            reads_own = reading is not None and reading.about_own
            exact = reading.scene.beliefs if reading is not None and reads_own else ()
            narrowed = _inferred(position, trusted) or exact
            grounds = AGREED if reads_own else NOTED
            if not exact and move.slot in pointed and position.lives > 1:
                by_hints = _pointed(position, pointed)
                if (
                    by_hints
                    and by_hints[move.slot].playable
                    > (narrowed or position.slots)[move.slot].playable
                ):
                    narrowed = by_hints
                    grounds = POINTED
            return self._play(position, move, narrowed, grounds)
        if not isinstance(move, Discard):
            return Judgement(accept=True, reason="a hint risks nothing")
        dead = [number for number, slot in enumerate(position.slots) if slot.dead == 1.0]
        if not dead or position.slots[move.slot].critical < 1.0:
            reason = "nothing known to be critical is lost while a dead card could go"
            return Judgement(accept=True, reason=reason)
        return Judgement(
            accept=False,
            reason=f"slot {move.slot} is known critical, and slot {dead[0]} is known dead",
        )

    def _play(
        self, position: Position, move: Play, narrowed: Sequence[belief.Slot], grounds: str
    ) -> Judgement:
        chance = (narrowed or position.slots)[move.slot].playable
        needed = self.limits[position.lives]
        if position.lives > 1 and position.deck_size <= GAMBLES[position.lives]:
            needed = min(needed, LAST_CHANCE)
        lives = f"{position.lives} {'lives' if position.lives > 1 else 'life'} left"
        by = grounds if narrowed else "by hints and counting"
        reason = (
            f"{by}, slot {move.slot} is playable with probability {chance:.2f}; "
            f"with {lives} it must be at least {needed:.2f}"
        )
        return Judgement(accept=chance >= needed, reason=reason)


def _inferred(position: Position, trusted: Sequence[HistoryReport]) -> tuple[belief.Slot, ...]:
    """The belief narrowed by trusted inferences; empty when there are none, or when they contradict what is known."""
    if not trusted:
        return ()
    masks: list[Mask] = list(position.own)
    for report in trusted:
        for inference in report.inferred:
            if inference.slot < len(masks):
                masks[inference.slot] &= mask(inference.cards)
    try:
        return belief.believe(masks, position.piles, *position.hands.values())
    except ValueError:
        return ()


def _pointed(position: Position, pointed: Mapping[int, Mask]) -> tuple[belief.Slot, ...]:
    """The belief narrowed by what hints point at; empty where no hand fits that."""
    masks = [possible & pointed.get(slot, ANY) for slot, possible in enumerate(position.own)]
    try:
        return belief.believe(masks, position.piles, *position.hands.values())
    except ValueError:
        return ()


def refused_now(
    rule: Safety, reports: Sequence[str], sections: Sections, notes: Notes
) -> Sequence[Move]:
    """Return the moves of the list that the rule refuses. `reports`: the trusted notes on the past among `notes`; no
    moves where they are not all there."""
    trusted = of_type({name: notes[name] for name in reports if name in notes}, HistoryReport)
    if State not in sections or len(trusted) < len(reports):
        return ()
    position = Position.read(sections)
    reading = sections.get(ConventionFacts)
    pointed = fresh_hints.play_hints(sections, position)
    return [
        move
        for move in position.moves
        if not rule.judge(position, move, trusted, reading, pointed).accept
    ]


def safest(position: Position, reading: ConventionFacts | None = None) -> tuple[Move, str]:
    """A certain play; else a known dead discard; else, with a token, a hint; else the discard least likely critical.

    `reading`: what the seat is told by the conventions: certain plays are then theirs, and hints say nothing false.
    """
    if sure := certain_plays(position, reading):
        return sure[0], f"slot {sure[0].slot} is known to be playable"
    discards = literal_play.by_spareness(position)
    if discards and position.slots[discards[0].slot].dead == 1.0:
        return discards[0], literal_play.why_discard(position, discards[0])
    for hint, why in _hints(position, reading):
        return hint, why
    least = min(discards, key=lambda move: position.slots[move.slot].critical, default=None)
    if least is None:  # all that the list has is false, or a play
        return literal_play.best(position)
    return least, literal_play.why_discard(position, least)


def certain_plays(position: Position, reading: ConventionFacts | None) -> list[Play]:
    if reading is None or not reading.about_own:
        return literal_play.certain_plays(position)
    return [move for move, _ in policy.play(reading.scene) if move in position.plays]


def _hints(position: Position, reading: ConventionFacts | None) -> Iterator[tuple[Hint, str]]:
    """The hints, the best first; of those whose reading the seat is told none that says something false."""
    if reading is not None and reading.code and reading.about_hints:
        yield from (advice for advice in reading.code.hints() if advice[0] in position.hints)
    if reading is not None and reading.about_hints:
        steps = (policy.save, policy.help, policy.teach, policy.dump)
        best = [
            advice
            for step in steps
            for advice in step(reading.scene)
            if advice[0] in position.hints
        ]
        yield from (advice for advice in best if not reading.scene.effect_of(advice[0]).false)
        harmless = [hint for hint in position.hints if not reading.scene.effect_of(hint).false]
    else:
        harmless = position.hints
    lessons = (
        lesson
        for lesson in literal_play.lessons(position, harmless)
        if not (lesson.late and position.discards)
    )
    yield from ((lesson.hint, literal_play.why_hint(lesson)) for lesson in lessons)


STANDARD = Safety(LIMITS)


@role(reply=Judgement, takes=(*TAKES, ConventionFacts), needs=NEEDS)
def safety(sections: Sections, notes: Notes) -> Judgement:
    """Exact rule: refuses plays that are too risky, and discards of critical cards while a dead one could go."""
    return judged(STANDARD, sections, notes)


def judged(rule: Safety, sections: Sections, notes: Notes) -> Judgement:
    """The rule on the one choice among the notes, trusting the notes on the past among them, else the exact reading of
    the past if the sections hold it. Without the section `state` there is nothing to judge by."""
    if State not in sections:
        return Judgement(accept=True, reason="nothing of the table is shown to judge by")
    move = of_type(notes, Choice)[0].action
    trusted = of_type(notes, HistoryReport)
    position = Position.read(sections)
    pointed = fresh_hints.play_hints(sections, position)
    return rule.judge(position, move, trusted, sections.get(ConventionFacts), pointed)
