"""The section of what the conventions say now: who discards what next, what each hint would be read as, and what they
say of the own cards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import DECK_SIZE, INDEX, Card, Fireworks
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import CommonKnowledge
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    STRANGER,
    is_certain,
    next_discard,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.partner_model import (
    NOTHING_KNOWN,
    Understanding,
    learnt,
    understand,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import (
    HintEffect,
    Scene,
    discard,
    is_kept,
    lowest,
    play,
)
from hanabi_orchestrator.orchestrator.hanabi.information.policy import CodePosition
from hanabi_orchestrator.orchestrator.hanabi.information.table import HatTable, table_of
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import types_of, with_hand
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.view import Knowledge, Past, View
from hanabi_orchestrator.orchestrator.table.seat import BEFORE
from hanabi_orchestrator.roles.hanabi.sections import (
    code_words,
    compact_words,
    decision_sheet,
    known_hands,
)
from hanabi_orchestrator.roles.hanabi.sections.past_games import records_of
from hanabi_orchestrator.roles.role_options import Options
from hanabi_orchestrator.roles.sections import Fact, Section, section
from hanabi_orchestrator.roles.words import ENGLISH, Words, percent

TOLD_FACTS: Mapping[str, tuple[Fact, ...]] = {
    "own": ("own_hand",),
    "losses": ("own_hand",),
    "others": ("partner_knowledge",),
    "without_own": ("partner_knowledge",),
    "compact": ("table", "own_hand", "partner_knowledge"),
}
"""The facts that its words state by the part they tell; any other part states what all players know of their cards."""
PACKS = ("newest", "information")
"""The convention packs of which there is an exact reading."""


@section
@dataclass(frozen=True)
class ConventionFacts(Section):
    """The exact reading of all moves by the conventions of the pack `newest`, as far as each partner keeps to them, or
    by the code of the pack `information`, until a breach of it.

    It follows from the seat's view and public moves. A context has it only with one of these packs.
    """

    name = "convention_facts"
    choices = {
        "told": (
            "whole",
            "without_hints",
            "without_own",
            "own",
            "others",
            "losses",
            "sheet",
            "compact",
        ),
        "partners": ("learnt", "blind"),
    }
    beside = ("conventions", "pack", PACKS)
    players: int
    """2 to 5."""
    seat: int
    """The seat that is asked."""
    history: tuple[Past, ...]
    """Every past turn, oldest first."""
    hands: Mapping[int, tuple[Card, ...]]
    """The hands in sight by seat, in turn order from the next player."""
    legal: tuple[Move, ...]
    """The legal moves; a move refused this turn is not among them."""
    turns_left: int | None
    """Turns of the game, this one included; None while the deck has cards."""
    outright: Mapping[int, tuple[Knowledge, ...]]
    """The positive hints to the hands in sight, by seat and slot."""
    records: Sequence[Mapping[str, Any]] = ()
    """Past games of the others as plain data."""
    told: str = "whole"
    """The parts that the words tell: all; all but the hints, or all but the own cards; the subject of one role:
    `own` cards, the `others` and the hints to them, or possible `losses`; `sheet`, the choices step by step; or
    `compact`, the whole position in a few short lines."""
    blind: bool = False
    """True if every partner is assumed to keep the conventions, whatever they do."""
    fireworks: Fireworks | None = None
    """The fireworks as a simulated model misreads them; None without an error."""
    pack: str = "newest"
    """Of `PACKS`: what the section `conventions` beside it tells."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        hands = {hand.seat: hand.cards for hand in view.hands}
        return cls(
            view.players,
            view.seat,
            view.history,
            hands,
            tuple(view.legal),
            view.turns_left,
            {hand.seat: tuple(card.outright for card in hand.known) for hand in view.hands},
            told=str(options["told"]),
            blind=options.get("partners") == "blind",
            pack=str(options.get("pack", "newest")),
        )

    @classmethod
    def facts(cls, options: Options) -> frozenset[Fact]:
        scope = str(options.get("told", "whole"))
        if (
            scope == "own" and options.get("pack") == "information"
        ):  # after a breach of the code it says nothing of them
            return frozenset()
        return (
            frozenset(("own_hand", "partner_knowledge"))
            if scope not in TOLD_FACTS
            else frozenset(TOLD_FACTS[scope])
        )

    @classmethod
    def files(cls, options: Options) -> tuple[str, ...]:
        file = FILES.get(str(options["told"]))
        return (file,) if file else super().files(options)

    def words(self, words: Words = ENGLISH) -> str:
        if self.told not in FILES or (self.code and self.told != "compact"):
            return super().words(words)
        doubts = self._doubts(words)
        if self.told == "compact":
            values = compact_words.values(self.scene, self.history, words)
            text = words.fill(FILES[self.told], doubts=doubts, **values)
            return "\n".join((text, "", *self._code_lines(self.code, words))) if self.code else text
        return words.fill(
            FILES[self.told],
            doubts=doubts,
            own="\n".join(self._own_hand(words)),
            hands="\n".join(self._others_hands(words)),
            steps=decision_sheet.steps(self.scene, self.legal, words),
        )

    def without(self, refused: Sequence[Move]) -> Self:
        return replace(self, legal=tuple(move for move in self.legal if move not in refused))

    def holding(self, memory: Mapping[str, Any]) -> Self:
        records = tuple(memory.get(BEFORE, ()))
        return replace(self, records=records) if records else self

    @cached_property
    def table(self) -> HatTable | None:
        """What everybody knows by the code; None with another pack."""
        if self.pack != "information":
            return None
        table = table_of(self.players, self.seat, self.hands, self.history)
        return (
            table
            if self.fireworks is None
            else replace(table, piles=replace(table.piles, fireworks=self.fireworks))
        )

    @cached_property
    def code(self) -> CodePosition | None:
        """The position of a player who keeps the code; None with another pack, and after a breach of it."""
        return (
            None
            if self.table is None or self.table.breach
            else CodePosition(self.table, self.legal)
        )

    @cached_property
    def understood(self) -> Understanding:
        """The conclusions from the public moves, and how far each partner keeps to the conventions; by the code, what
        everybody knows, and no partner who reads a hint otherwise than literally."""
        if self.table is not None:
            return Understanding(_by_code(self.table), ())
        before = learnt(records_of(self.records)) if self.records else NOTHING_KNOWN
        return understand(
            self.history, self.players, self.seat, self.hands, before, blind=self.blind
        )

    @cached_property
    def scene(self) -> Scene:
        """The position as a convention player sees it. Where no hand fits the conventions, the own cards are what the
        hints leave."""
        now = self.understood.knowledge
        try:
            belief.believe(now.common[self.seat], now.piles, *self.hands.values())
        except ValueError:
            now = replace(now, common=with_hand(now.common, self.seat, now.literal[self.seat]))
        if self.fireworks is not None:
            now = replace(now, piles=replace(now.piles, fireworks=self.fireworks))
        return Scene(self.seat, now, self.hands, self.legal, self.turns_left)

    @cached_property
    def by_hints(self) -> tuple[Slot, ...]:
        """The belief about the own hand by hints and counting alone."""
        now = self.scene.knowledge
        return belief.believe(now.literal[self.seat], now.piles, *self.hands.values())

    @property
    def about_own(self) -> bool:
        """Whether it tells what the own cards can be."""
        return self.told in ("whole", "without_hints", "own", "sheet", "compact")

    @property
    def about_hints(self) -> bool:
        """Whether it tells what each hint would be read as."""
        return self.told in ("whole", "without_own", "others", "sheet", "compact")

    def variables(self, words: Words) -> dict[str, object]:
        if self.code:
            return {"doubts": "", "facts": "\n".join(self._code_lines(self.code, words))}
        lines: list[str] = []
        if self.told in ("own", "whole", "without_hints"):
            lines += (
                *self._belief_lines(words),
                words(PLAYABLE, slots=self._sure("playable", words)),
            )
        if self.told == "losses":
            lines += self._risk_lines(words)
        if self.told in ("whole", "without_hints", "losses"):
            chop = self.scene.chop if self.scene.chop is not None else self._dead_next(self.seat)
            going = words("none") if chop is None else words("slot $slot", slot=chop)
            lines += (words(DEAD, slots=self._sure("dead", words)), words(GOING, slot=going))
        if self.told in ("whole", "without_hints"):
            lines.append("")
        if self.told == "own" and self.scene.among_strangers:
            lines.append(words(ALONE))
        if self.told not in ("own", "losses"):
            lines += (self._partner(seat, words) for seat in self.hands)
            lines.append(
                self._danger(words) + ("" if self.told == "without_hints" else self._hints(words))
            )
        doubts = self._off(words) if self.told in ("own", "losses") else self._doubts(words)
        return {"doubts": doubts, "facts": "\n".join(lines)}

    def _code_lines(self, code: CodePosition, words: Words) -> Iterator[str]:
        """What the code says, of the subject that the words tell."""
        complete = self.told not in ("own", "others", "losses")
        if self.told == "own" or (complete and self.about_own):
            yield from code_words.readings(code, self.history, words)
            if self.told == "sheet":
                yield words(OWN_HAND)
                yield from self._own_hand(words)
            else:
                yield from self._belief_lines(words)
            yield from code_words.plays(code, words)
        if self.told == "losses" or (complete and self.about_own):
            yield from self._risk_lines(words)
            yield from code_words.discards(code, words)
        if self.about_hints or self.told == "without_hints":
            yield from (
                code_words.partner(code, seat, hand, words) for seat, hand in self.hands.items()
            )
        if self.about_hints:
            yield from code_words.hints(code, words)

    def _own_hand(self, words: Words) -> Iterator[str]:
        """What each own slot can be, with the hints that touched it."""
        hints = known_hands.hints_by_slot(self.seat, self.players, self.history)
        return known_hands.own_lines(hints, self.by_hints, self.scene.beliefs, words)

    def _others_hands(self, words: Words) -> Iterator[str]:
        """What each partner knows of their hand."""
        partners = {seat: self._partner(seat, words) for seat in self.hands}
        return known_hands.others_lines(partners, self.hands, self.outright, words)

    def _belief_lines(self, words: Words) -> Iterator[str]:
        """The own slots of which the conventions say more than hints and counting."""
        both = enumerate(zip(self.by_hints, self.scene.beliefs, strict=True))
        changed = [
            (slot, words.few(now))
            for slot, (plain, now) in both
            if words.few(plain) != words.few(now)
        ]
        yield words(MORE if changed else NO_MORE)
        yield from words.shared_slots(changed)

    def _risk_lines(self, words: Words) -> Iterator[str]:
        """What the team would lose with each own card."""
        risks = [
            words(RISK, dead=percent(slot.dead), critical=percent(slot.critical), rank=lowest(slot))
            + (words(KEPT) if is_kept(slot) else "")
            for slot in self.scene.beliefs
        ]
        yield words(RISKS)
        yield from words.shared_slots(enumerate(risks))

    def _doubts(self, words: Words) -> str:
        """What is different about partners; nothing where all keep to the conventions."""
        reads = {seat: self.scene.knowledge.conventions[seat].reads for seat in self.hands}
        strangers = [
            seat for seat in self.hands if self.scene.knowledge.conventions[seat] == STRANGER
        ]
        off = self._off(words)
        named = strangers and not off
        doubts = (
            [words(NO_CONVENTION, seats=words.series(f"P{seat}" for seat in strangers))]
            if named
            else []
        )
        for seat in (
            seat for seat in self.hands if seat not in strangers and reads[seat] in (None, "oldest")
        ):
            doubts.append(words(READS_LITERALLY if reads[seat] is None else OLDEST, seat=seat))
        if self.told not in ("without_hints", *FILES) and None in reads.values():
            doubts.append(words(LITERAL))
            if self.scene.among_strangers and self.told != "others":
                doubts.append(words(ALONE))
        return off + "".join(f" {doubt}" for doubt in doubts)

    def _off(self, words: Words) -> str:
        """The breach of the code, if there was one."""
        return (
            f" {code_words.breach(self.table.breach, words)}"
            if self.table and self.table.breach
            else ""
        )

    # The own cards

    def _sure(self, what: Literal["playable", "dead"], words: Words) -> str:
        """The slots that are surely so, in the order in which they go: first those of which nobody else can tell."""
        step, types = (
            (play, self.scene.piles.playable)
            if what == "playable"
            else (discard, self.scene.piles.dead)
        )
        sure = [
            slot for slot, belief in enumerate(self.scene.beliefs) if getattr(belief, what) == 1.0
        ]
        commonly = self.scene.knowledge.common[self.seat]
        slots = dict.fromkeys(move.slot for move, _ in step(self.scene) if move.slot in sure)
        texts = list[str]()
        for slot in slots:
            knowers = words(EVERYBODY_KNOWS if is_certain(commonly[slot], types) else BY_SIGHT)
            grounds = words(
                BY_COUNTING if getattr(self.by_hints[slot], what) == 1.0 else BY_CONVENTION
            )
            texts.append(
                words(
                    "slot $slot ($knowers, $grounds)", slot=slot, knowers=knowers, grounds=grounds
                )
            )
        return words.series(texts) or words("none")

    # The others' cards

    def _partner(self, seat: int, words: Words) -> str:
        now = self.scene.knowledge
        hand = self.hands[seat]
        fits = [
            slot for slot, m in enumerate(now.common[seat]) if is_certain(m, now.piles.playable)
        ]
        if now.conventions[seat] == STRANGER:
            going = words("not known")
        elif (slot := self._discards_next(seat)) is None:
            going = words("none")
        else:
            going = words("slot $slot ($card)", slot=slot, card=hand[slot].value)
        cards = {slot: hand[slot] for slot in fits}
        right = {slot: now.piles.playable >> INDEX[card] & 1 for slot, card in cards.items()}
        seen = (
            words(RIGHT if right[slot] else WRONG, slot=slot, card=card.value)
            for slot, card in cards.items()
        )
        return words(PARTNER, seat=seat, fits=words.series(seen) or words("none"), going=going)

    def _discards_next(self, seat: int) -> int | None:
        """The slot that a player who keeps to conventions discards next; None for one who plays."""
        now = self.scene.knowledge
        slot = next_discard(now.common[seat], now.piles, now.conventions[seat])
        return self._dead_next(seat) if slot is None else slot

    def _dead_next(self, seat: int) -> int | None:
        """The oldest card that a player takes for dead, where they take none for playable."""
        now = self.scene.knowledge
        dead = [
            slot for slot, mask in enumerate(now.common[seat]) if is_certain(mask, now.piles.dead)
        ]
        return None if now.takes_for_playable(seat) else min(dead, default=None)

    def _danger(self, words: Words) -> str:
        following = self.scene.next
        slot = self.scene.in_danger()
        if self.scene.knowledge.conventions[following] == STRANGER and self.scene.knowledge.deck:
            return words(UNKNOWN_DANGER)
        if slot is None:
            return words(NO_DANGER, seat=following)
        return words(DANGER, seat=following, slot=slot, card=self.hands[following][slot].value)

    # The hints

    def _hints(self, words: Words) -> str:
        if not self.scene.knowledge.tokens:
            waits = (
                words(WAITS, seat=self.scene.next)
                if self.scene.knowledge.may_wait(self.seat)
                else ""
            )
            return f"\n\n{words(NO_TOKEN)}{waits}"
        late = [words(NO_TURN, seat=seat) for seat in self.hands if not self.scene.has_turn(seat)]
        lines = []
        for effect in self.scene.hint_effects:
            types = types_of(effect.hint)
            hand = self.hands[effect.hint.to]
            touched = words.series(
                str(slot) for slot, card in enumerate(hand) if types >> INDEX[card] & 1
            )
            lines.append(
                words(HINT, hint=effect.hint, slots=touched, says=self._says(effect, words))
            )
        return "\n\n" + "\n".join((words(HINTS), *lines, *late))

    def _says(self, effect: HintEffect, words: Words) -> str:
        by_value = effect.helps and self.scene.knowledge.conventions[self.seat].waits
        news = words(VALUE, value=effect.value) if by_value else words(NEWS, types=effect.removed)
        if effect.says is None:
            if effect.plays:
                return words(KNOWN) + (words(LATE) if effect.late else news)
            return words(TELLS, cards=effect.tells) + news if effect.tells else words("nothing")
        card = self.hands[effect.hint.to][effect.says.slot]
        what = words(WARNING if effect.warns else POINT, slot=effect.says.slot, card=card.value)
        late = words(LATE) if effect.late and effect.true else ""
        truth = words(", true") if effect.true else words(", false")
        return f"{what}{truth}{late}{news if effect.helps else ''}"


def _by_code(table: HatTable) -> CommonKnowledge:
    """The common knowledge by the code, and after a breach by hints alone."""
    return CommonKnowledge.of_position(
        (STRANGER,) * table.players,
        table.piles,
        tokens=table.tokens,
        lives=table.lives,
        deck=DECK_SIZE - sum(map(len, table.common)) - sum(table.piles.counts),
        literal=table.literal,
        common=table.literal if table.breach else table.common,
    )


FILES = {"sheet": "sections/decision_sheet.md", "compact": "sections/compact.md"}
"""The templates of those words that have one of their own."""

OWN_HAND = "Your own cards: the hints that touched each, what hints and counting leave, and what the conventions add."
NO_CONVENTION = "Exceptions, who do not keep to them: $seats. A hint from or to an exception tells only its colour or rank."
READS_LITERALLY = "P$seat hints by them but reads hints literally: a hint to P$seat tells only its colour or rank."
OLDEST = "Between you and P$seat a play hint points at the oldest touched card, not the newest."
LITERAL = (
    "Who reads hints literally is told, when no other hint helps, something new of playable cards: of the most cards, "
    "of equals the most news."
)
ALONE = (
    "None of the others keeps to the conventions: with 2 or 3 lives, count as surely playable what is playable with "
    "60% or more, the likeliest first, after what is certain; name no likeliest slot."
)
MORE = "Your own cards by hints, counting and conventions, where that says more:"
NO_MORE = "Of your own cards the conventions say no more than hints and counting."
PLAYABLE = "Surely playable, in the order to play them: $slots."
RISKS = "What your own cards are by hints, counting and conventions:"
RISK = "dead $dead, critical $critical, lowest rank $rank"
KEPT = ", to be kept"
DEAD = "Surely dead, in the order to discard them: $slots."
GOING = "You discard next: $slot."
PARTNER = "- P$seat takes for playable: $fits. P$seat discards next: $going."
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
TELLS = "something new of playable cards: $cards"
LATE = ", late"
VALUE = "; value $value"
NEWS = "; news $types"
NO_TURN = "- any hint to P$seat: nothing, for P$seat has no turn left"
NO_TOKEN = "There is no token for a hint."
WAITS = " Everybody expects you to play, so a discard would warn P$seat."
EVERYBODY_KNOWS = "everybody knows"
BY_SIGHT = "by what you see"
BY_COUNTING = "for certain"
BY_CONVENTION = "by the conventions"
