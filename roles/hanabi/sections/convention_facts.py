"""The section of what the conventions say now: who discards what next, what each hint would be read as, and what they
say of the own cards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from orchestrator.hanabi import belief
from orchestrator.hanabi.belief import Slot
from orchestrator.hanabi.cards import INDEX, Card
from orchestrator.hanabi.convention.common_knowledge import CommonKnowledge
from orchestrator.hanabi.convention.hint_convention import STRANGER, is_certain, next_discard
from orchestrator.hanabi.convention.partner_model import NOTHING_KNOWN, Understanding, learnt, understand
from orchestrator.hanabi.convention.policy import HintEffect, Scene
from orchestrator.hanabi.literal_knowledge import with_hand
from orchestrator.hanabi.moves import Hint, HintColour, Move
from orchestrator.hanabi.view import Past, View
from orchestrator.table.seat import BEFORE
from roles.hanabi.sections.past_games import records_of
from roles.role_options import Options
from roles.sections import Section, section
from roles.words import Words


@section
@dataclass(frozen=True)
class ConventionFacts(Section):
    """The exact reading of all moves by the conventions of the pack `newest`, as far as each partner keeps to them.

    It is made of what the seat sees and of public moves. It is there only beside that pack.
    """

    name = "convention_facts"
    choices = {"told": ("whole", "without_hints", "without_own")}
    beside = ("conventions", "pack", ("newest",))
    players: int
    seat: int
    history: tuple[Past, ...]
    hands: Mapping[int, tuple[Card, ...]]
    """The hands in sight by seat, in turn order from the next player."""
    legal: tuple[Move, ...]
    turns_left: int | None
    records: Sequence[Mapping[str, Any]] = ()
    """Past games of the others as plain data."""
    told: str = "whole"
    """Whether the words leave out what each hint would be read as, or what the own cards can be."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        hands = {hand.seat: hand.cards for hand in view.hands}
        scope = str(options["told"])
        return cls(view.players, view.seat, view.history, hands, tuple(view.legal), view.turns_left, told=scope)

    def holding(self, memory: Mapping[str, Any]) -> Self:
        records = tuple(memory.get(BEFORE, ()))
        return replace(self, records=records) if records else self

    @cached_property
    def understood(self) -> Understanding:
        """What the public moves say, and how far each partner keeps to the conventions."""
        before = learnt(records_of(self.records)) if self.records else NOTHING_KNOWN
        return understand(self.history, self.players, self.seat, self.hands, before)

    @cached_property
    def scene(self) -> Scene:
        """The position as a convention player sees it. Where no hand fits the conventions, the own cards are what the
        hints leave."""
        now = self.understood.knowledge
        if not self._fits(now):
            now = replace(now, common=with_hand(now.common, self.seat, now.literal[self.seat]))
        return Scene(self.seat, now, self.hands, self.legal, self.turns_left)

    def _fits(self, now: CommonKnowledge) -> bool:
        try:
            return bool(belief.believe(now.common[self.seat], now.piles, *self.hands.values()))
        except ValueError:
            return False

    @cached_property
    def by_hints(self) -> tuple[Slot, ...]:
        """The belief about the own hand by hints and counting alone."""
        now = self.scene.knowledge
        return belief.believe(now.literal[self.seat], now.piles, *self.hands.values())

    def variables(self, words: Words) -> dict[str, object]:
        return {
            "doubts": "".join(f" {doubt}" for doubt in self._doubts(words)),
            "own": "" if self.told == "without_own" else "\n".join(self._own_hand(words)) + "\n\n",
            "others": "\n".join(self._partner(seat, words) for seat in self.hands),
            "danger": self._danger(words),
            "hints": "" if self.told == "without_hints" else self._hints(words),
        }

    def _doubts(self, words: Words) -> Iterator[str]:
        """What is different about partners; nothing where all keep to the conventions."""
        conventions = self.scene.knowledge.conventions
        strangers = [seat for seat in self.hands if conventions[seat] == STRANGER]
        if strangers:
            yield words(NO_CONVENTION, seats=words.listed(f"P{seat}" for seat in strangers))
        for seat in self.hands:
            if seat in strangers:
                continue
            if conventions[seat].reads is None:
                yield words(READS_LITERALLY, seat=seat)
            elif conventions[seat].reads == "oldest":
                yield words(OLDEST, seat=seat)
        if self.told != "without_hints" and any(conventions[seat].reads is None for seat in self.hands):
            yield words(LITERAL)
            if len(strangers) == len(self.hands):
                yield words(ALONE)

    # The own cards

    def _own_hand(self, words: Words) -> Iterator[str]:
        both = enumerate(zip(self.by_hints, self.scene.beliefs, strict=True))
        changed = [(slot, words.few(now)) for slot, (plain, now) in both if words.few(plain) != words.few(now)]
        yield words(MORE if changed else NO_MORE)
        yield from words.shared_slots(changed)
        commonly, piles, own = self.scene.knowledge.common[self.seat], self.scene.piles, self.scene.beliefs
        fits = [(slot, is_certain(commonly[slot], piles.playable)) for slot, s in enumerate(own) if s.playable == 1.0]
        dead = [(slot, is_certain(commonly[slot], piles.dead)) for slot, s in enumerate(own) if s.dead == 1.0]
        yield words(PLAYABLE, slots=_slots_in_words(fits, words))
        yield words(DEAD, slots=_slots_in_words(dead, words))
        going = next_discard(commonly, piles, self.scene.knowledge.conventions[self.seat])
        yield words(GOING, slot=words("none") if going is None else words("slot $slot", slot=going))

    # The others' cards

    def _partner(self, seat: int, words: Words) -> str:
        now, hand = self.scene.knowledge, self.hands[seat]
        fits = [slot for slot, m in enumerate(now.common[seat]) if is_certain(m, now.piles.playable)]
        if now.conventions[seat] == STRANGER:
            going = words("not known")
        elif (slot := next_discard(now.common[seat], now.piles, now.conventions[seat])) is None:
            going = words("none")
        else:
            going = words("slot $slot ($card)", slot=slot, card=hand[slot].value)
        fitting = words.listed(self._seen(seat, slot, words) for slot in fits) or words("none")
        return words(PARTNER, seat=seat, fits=fitting, going=going)

    def _seen(self, seat: int, slot: int, words: Words) -> str:
        card = self.hands[seat][slot]
        right = self.scene.piles.playable >> INDEX[card] & 1
        return words(RIGHT if right else WRONG, slot=slot, card=card.value)

    def _danger(self, words: Words) -> str:
        following, slot = self.scene.next, self.scene.in_danger()
        if self.scene.knowledge.conventions[following] == STRANGER and self.scene.knowledge.deck:
            return words(UNKNOWN_DANGER)
        if slot is None:
            return words(NO_DANGER, seat=following)
        return words(DANGER, seat=following, slot=slot, card=self.hands[following][slot].value)

    # The hints

    def _hints(self, words: Words) -> str:
        if not self.scene.knowledge.tokens:
            return "\n\n" + words(NO_TOKEN)
        late = [words(NO_TURN, seat=seat) for seat in self.hands if not self.scene.has_turn(seat)]
        lines = (self._hint(effect, words) for effect in self.scene.hint_effects)
        return "\n\n" + "\n".join((words(HINTS), *lines, *late))

    def _hint(self, effect: HintEffect, words: Words) -> str:
        hint, hand = effect.hint, self.hands[effect.hint.to]
        touched = (str(slot) for slot, card in enumerate(hand) if _touches(hint, card))
        return words(
            HINT,
            hint=hint,
            slots=words.listed(touched),
            says=self._says(effect, words),
        )

    def _says(self, effect: HintEffect, words: Words) -> str:
        news = words(NEWS, types=effect.removed)
        if effect.says is None:
            return words(KNOWN) + news if effect.plays else words("nothing")
        card = self.hands[effect.hint.to][effect.says.slot]
        what = words(WARNING if effect.warns else POINT, slot=effect.says.slot, card=card.value)
        return what + (words(", true") if effect.true else words(", false")) + (news if effect.helps else "")


NO_CONVENTION = (
    "Exceptions, who do not keep to them: $seats. A hint from or to an exception tells only its colour or rank."
)
READS_LITERALLY = "P$seat hints by them but reads hints literally: a hint to P$seat tells only its colour or rank."
OLDEST = "Between you and P$seat a play hint points at the oldest touched card, not the newest."
LITERAL = (
    "Such a player, after step 3: give them the first hint below that touches playable cards only, one of which they "
    "do not know; or else, if they know of none, the first that touches their oldest card that no hint touched yet, if "
    "that is critical."
)
ALONE = (
    "None of the others keeps to them, so after step 2, with 2 or 3 lives, play the card likeliest to be playable if "
    "that is at least 60%; leave out step 5."
)
MORE = "Your own cards by hints, counting and conventions, where that says more:"
NO_MORE = "Of your own cards the conventions say no more than hints and counting."
PLAYABLE = "You know to be playable: $slots."
DEAD = "You know to be dead: $slots."
GOING = "You discard next: $slot."
PARTNER = "- P$seat knows to be playable: $fits. P$seat discards next: $going."
RIGHT = "slot $slot ($card, it is)"
WRONG = "slot $slot ($card, it is not)"
DANGER = "In danger: P$seat is about to discard slot $slot, the critical $card."
UNKNOWN_DANGER = "In danger: not known."
NO_DANGER = "In danger: nothing of P$seat's."
HINTS = "Each hint, the slots that it touches, and what it says:"
HINT = "- $hint ($slots): $says"
POINT = "play slot $slot ($card)"
WARNING = "warning of slot $slot ($card)"
KNOWN = "makes a playable card known"
NEWS = "; news $types"
NO_TURN = "- any hint to P$seat: nothing, for P$seat has no turn left"
NO_TOKEN = "There is no token for a hint."


def _slots_in_words(slots: Sequence[tuple[int, bool]], words: Words) -> str:
    texts = (
        words("slot $slot (everybody knows)" if all_ else "slot $slot (only you know)", slot=s) for s, all_ in slots
    )
    return words.listed(texts) or words("none")


def _touches(hint: Hint, card: Card) -> bool:
    return card.colour == hint.colour if isinstance(hint, HintColour) else card.rank == hint.rank
