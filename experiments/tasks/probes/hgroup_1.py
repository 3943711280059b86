"""The pack `hgroup_1`: its rules as a program, and its probes on chop, focus, play and save hints,
good touch, waiting.

The beginner's rules of prompts/conventions/hgroup_1.md. Nothing plays games by this program but the
probes, which need histories in which everybody keeps to the pack. The pack has no finesse: its rule
3 knows a card that will be playable soon, and rule 8 trusts a card played out of turn, but nobody
there is asked to play a card that no hint touched.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain

from hanabi_orchestrator.experiments.tasks.probes.convention import (
    LITERAL,
    Convention,
    Question,
    hints,
    only_hint,
    plays,
    touched,
)
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    ANY,
    CARDS,
    DECK_SIZE,
    HAND_SIZES,
    INDEX,
    OF_RANK,
    Card,
    Mask,
    Piles,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import counted
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import is_certain
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import (
    Hands,
    hinted,
    shifted,
    unknown_hands,
    with_hand,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, HintRank, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past, View


@dataclass(frozen=True)
class Reading:
    """A hint as the pack reads it."""

    focus: int
    on_chop: bool
    playable: Mask
    """The types of the focus if the hint is a play hint: playable now, or once the known cards of
    others are played."""
    saved: Mask
    """The types of the focus if the hint saves it; none when the focus is not the chop."""
    hand: tuple[Mask, ...]
    """The receiver's hand afterwards, as everybody knows it."""


@dataclass(frozen=True)
class HGroup:
    """The knowledge that everybody has by the pack's rules before a turn."""

    piles: Piles
    deck: int
    literal: Hands
    by_rules: Hands
    """The hands as the pack's rules tell them, beyond what hints say literally."""
    touched: tuple[tuple[bool, ...], ...]
    """By seat and slot: True if a hint has touched the card."""

    @classmethod
    def start(cls, players: int) -> "HGroup":
        hands = unknown_hands(players)
        size = HAND_SIZES[players]
        piles = Piles((0, 0, 0, 0, 0), ())
        return cls(piles, DECK_SIZE - players * size, hands, hands, ((False,) * size,) * players)

    def after(self, past: Past, discards: tuple[Card, ...]) -> "HGroup":
        """Return what everybody knows after one more move; `discards` lie there then."""
        move = past.move
        seat = past.seat
        deck = self.deck
        piles = Piles(past.fireworks, discards)
        if isinstance(move, Play | Discard):
            new = (ANY,) if deck else ()
            deck = max(0, deck - 1)
            literal, by_rules = (
                shifted(hands[seat], move.slot, new) for hands in (self.literal, self.by_rules)
            )
            touched = shifted(self.touched[seat], move.slot, (False,) * len(new))
        else:
            seat = move.to
            by_rules = self.read(move, past.slots).hand
            literal = hinted(self.literal[seat], move, past.slots)
            touched = tuple(
                flag or slot in past.slots for slot, flag in enumerate(self.touched[seat])
            )
        hands = with_hand(self.literal, seat, literal)
        rules = counted(with_hand(self.by_rules, seat, by_rules), hands, piles)
        return HGroup(piles, deck, hands, rules, with_hand(self.touched, seat, touched))

    def chop(self, seat: int) -> int | None:
        """Return the oldest untouched slot (rule 1)."""
        return next((slot for slot, flag in enumerate(self.touched[seat]) if not flag), None)

    def read(self, hint: Hint, slots: Sequence[int]) -> Reading:
        """Return what a hint that touches these slots says (rules 2-5)."""
        to = hint.to
        masks = list(hinted(self.by_rules[to], hint, slots))
        literal = hinted(self.literal[to], hint, slots)
        masks = [mask or other for mask, other in zip(masks, literal, strict=True)]
        new = [slot for slot in slots if not self.touched[to][slot]]
        chop = self.chop(to)
        if chop is not None and chop in slots:
            focus = chop
        else:
            focus = max(new or slots)
        playable = masks[focus] & (self.piles.playable | self._soon(to))
        if focus == chop:
            saved = masks[focus] & self._worth_saving(hint)
        else:
            saved = 0
        for slot in new:
            masks[slot] = masks[slot] & ~_played(self.piles) or masks[slot]
        masks[focus] = masks[focus] & (playable | saved) or masks[focus]
        return Reading(focus, focus == chop, playable, saved, tuple(masks))

    def _soon(self, to: int) -> Mask:
        """Return the types that can be played once cards are played that others hold and know
        of."""
        tops = list(self.piles.fireworks)
        types = 0
        held = []
        for seat, hand in enumerate(self.by_rules):
            if seat != to:
                for mask in hand:
                    if mask.bit_count() == 1:
                        held.append(mask)
        cards = {CARDS[mask.bit_length() - 1] for mask in held}
        for colour in range(5):
            top = tops[colour]
            while top < 4 and CARDS[5 * colour + top] in cards:
                top += 1
                types |= 1 << 5 * colour + top
        return types

    def _worth_saving(self, hint: Hint) -> Mask:
        """Return the types that a hint may save (rule 4), as far as everybody can tell."""
        alive = ~self.piles.dead
        if isinstance(hint, HintRank) and hint.rank in (2, 5):
            return OF_RANK[hint.rank] & alive
        return self.piles.critical & ~OF_RANK[5]


def _played(piles: Piles) -> Mask:
    played = 0
    for colour, top in enumerate(piles.fireworks):
        played += sum(1 << 5 * colour + rank for rank in range(top))
    return played


def knowledge(view: View, turns: int | None = None) -> HGroup:
    """Return what everybody knows after the first `turns` moves, by default after all."""
    return _after(view.players, view.history[:turns])


@lru_cache(maxsize=4096)
def _after(players: int, history: tuple[Past, ...]) -> HGroup:
    if not history:
        return HGroup.start(players)
    discards = tuple(past.card for past in history if past.card is not None and not past.scored)
    return _after(players, history[:-1]).after(history[-1], discards)


@dataclass(frozen=True)
class Table:
    """The table as a player who keeps to the pack sees it."""

    view: View

    @cached_property
    def now(self) -> HGroup:
        return knowledge(self.view)

    @cached_property
    def hands(self) -> Mapping[int, tuple[Card, ...]]:
        return {hand.seat: hand.cards for hand in self.view.hands}

    @property
    def next(self) -> int:
        return (self.view.seat + 1) % self.view.players

    @cached_property
    def own(self) -> tuple[Slot, ...]:
        """The exact belief about the own hand, by the pack's rules and the cards in sight."""
        for masks in (self.now.by_rules[self.view.seat], self.now.literal[self.view.seat]):
            try:
                return belief.believe(masks, self.view.piles, *self.hands.values())
            except ValueError:
                continue
        raise ValueError("no hand fits the hints and the cards in sight")

    @cached_property
    def sure(self) -> list[int]:
        """The own slots that certainly fit."""
        return [slot for slot, card in enumerate(self.own) if card.playable == 1.0]

    def reading(self, hint: Hint) -> Reading:
        return self.now.read(hint, touched(self.view, hint))

    @cached_property
    def in_danger(self) -> int | None:
        """The chop of the next player if they know of no card to play, and the card there must not
        be lost."""
        slot = self.now.chop(self.next)
        if slot is None or any(
            is_certain(mask, self.view.piles.playable) for mask in self.now.by_rules[self.next]
        ):
            return None
        if self.precious(self.hands[self.next][slot]):
            return slot
        return None

    def precious(self, card: Card) -> bool:
        """Return True for a 5, a 2 without another copy in sight, the last copy of a card that is
        still needed."""
        bit = 1 << INDEX[card]
        if self.view.piles.dead & bit:
            return False
        seen = sum(other == card for other in chain.from_iterable(self.hands.values()))
        return bool(self.view.piles.critical & bit) or (card.rank == 2 and seen == 1)

    def saves(self) -> Iterator[Hint]:
        """Yield the hints that save the next player's chop by rule 4, and do not make them play it
        in error."""
        if (slot := self.in_danger) is None:
            return
        bit = 1 << INDEX[self.hands[self.next][slot]]
        for hint in (hint for hint in hints(self.view) if hint.to == self.next):
            read = self.reading(hint)
            fits = self.view.piles.playable & bit or not is_certain(read.hand[slot], read.playable)
            if fits and read.focus == slot and read.saved & bit:
                yield hint

    def play_hints(self) -> Iterator[Hint]:
        """Yield the hints that tell a partner for certain of a card that can be played now, good
        touch or not."""
        playable = self.view.piles.playable
        for hint in hints(self.view):
            read = self.reading(hint)
            fits = playable >> INDEX[self.hands[hint.to][read.focus]] & 1
            new = not is_certain(self.now.by_rules[hint.to][read.focus], playable)
            if fits and new and not read.saved and is_certain(read.hand[read.focus], playable):
                yield hint

    def good_touch(self, hint: Hint) -> bool:
        """Return True if no newly touched card is played already, touched in another hand, or there
        twice (rule 5)."""
        new = [slot for slot in touched(self.view, hint) if not self.now.touched[hint.to][slot]]
        cards = [self.hands[hint.to][slot] for slot in new]
        elsewhere = set()
        for seat, hand in self.hands.items():
            for slot, card in enumerate(hand):
                if self.now.touched[seat][slot] and not (seat == hint.to and slot in new):
                    elsewhere.add(card)
        played = _played(self.view.piles)
        return len(set(cards)) == len(cards) and not any(
            played >> INDEX[card] & 1 or card in elsewhere for card in cards
        )


def steps(table: Table) -> Iterator[Move]:
    """Yield the moves of rule 7 in their order: save, play, play hint, discard the chop."""
    yield from table.saves()
    lowest = {}
    for slot in table.sure:
        lowest[slot] = next(r for r, types in OF_RANK.items() if table.own[slot].possible & types)
    for slot in sorted(table.sure, key=lambda slot: (lowest[slot], slot)):
        yield Play(slot=slot)
    yield from (hint for hint in table.play_hints() if table.good_touch(hint))
    chop = table.now.chop(table.view.seat)
    if chop is not None:
        yield Discard(slot=chop)


def play(view: View) -> Move | None:
    """Return the first legal move of rule 7; None where the pack has none."""
    legal = set(view.legal)
    return next((move for move in steps(Table(view)) if move in legal), None)


# The probes

NEWEST = "newest"
OLDEST = "oldest"
PLAYS = "sees a play hint"
BLIND = "touches anything"
"""Players of other conventions; the last two make one mistake each."""


def chop(view: View) -> Question | None:
    slot = Table(view).now.chop(view.seat)
    if not slot or play(view) != Discard(slot=slot):
        return None
    why = f"by rule 1 slot {slot} is the oldest card that no hint has touched"
    text = "You have nothing to play and no hint to give: which card do you discard?"
    return Question(text, (Discard(slot=slot),), why, (LITERAL,))


def _focus(view: View, *, on_chop: bool) -> Question | None:
    """Ask about a play hint whose focus is, or is not, the chop card."""
    hint = only_hint(view)
    if hint is None or len(hint.past.slots) < 2:
        return None
    read = knowledge(view, hint.index).read(hint.hint, hint.past.slots)
    table = Table(view)
    if (
        read.on_chop != on_chop
        or read.saved
        or table.sure != [read.focus]
        or table.in_danger is not None
    ):
        return None
    if on_chop:
        which = "the chop card"
    else:
        which = "the newest of the cards that were untouched"
    why = f"by rule 2 the focus is {which}, slot {read.focus}, and no save fits: it can be played"
    if on_chop:
        rivals = (LITERAL, NEWEST)
    else:
        rivals = (LITERAL, OLDEST)
    return Question(f"{hint}: which card can you play?", plays(read.focus), why, rivals)


focus_newest, focus_chop = (partial(_focus, on_chop=on_chop) for on_chop in (False, True))


def play_hint_given(view: View) -> Question | None:
    table = Table(view)
    if table.sure or table.in_danger is not None:
        return None
    good = tuple(hint for hint in table.play_hints() if table.good_touch(hint))
    why = (
        "only these hints have a playable card as their focus, by rules 2 and 3, and touch no "
        "useless card"
    )
    return Question("Which hints tell a partner of a card to play?", good, why, (OLDEST, NEWEST))


def good_touch(view: View) -> Question | None:
    table = Table(view)
    if table.sure or table.in_danger is not None:
        return None
    good = tuple(hint for hint in table.play_hints() if table.good_touch(hint))
    bad = tuple(hint for hint in table.play_hints() if not table.good_touch(hint))
    if not bad:
        return None
    why = (
        "by rule 5 the other play hints touch a card that is played already, or touched in "
        "another hand, or twice"
    )
    return Question("Which play hint touches no useless card?", good, why, (BLIND,), {BLIND: bad})


def save_given(view: View) -> Question | None:
    table = Table(view)
    saves = tuple(table.saves())
    if (slot := table.in_danger) is None or not saves:
        return None
    card = table.hands[table.next][slot]
    why = (
        f"P{table.next}'s chop is slot {slot}, {card}, which must not be lost; these hints save "
        "it by rule 4"
    )
    text = (
        f"P{table.next} moves next: which hint keeps them from losing a card that the team needs?"
    )
    return Question(text, saves, why, (LITERAL,))


def save_read(view: View) -> Question | None:
    """Ask about a hint on the chop that fits a save: the card is kept, and not played."""
    if (hint := only_hint(view)) is None:
        return None
    read = knowledge(view, hint.index).read(hint.hint, hint.past.slots)
    slot = Table(view).now.chop(view.seat)
    if not read.saved or slot is None or play(view) != Discard(slot=slot):
        return None
    why = (
        f"by rule 4 the hint may save slot {read.focus}, the chop: it stays, and slot {slot} is "
        "the chop now"
    )
    rivals = (LITERAL, PLAYS)
    return Question(
        f"{hint}: what do you do?", (Discard(slot=slot),), why, rivals, {PLAYS: plays(read.focus)}
    )


CONVENTIONS = (
    Convention("chop", "1: discard the oldest card without a hint (the chop).", chop),
    Convention(
        "focus-newest",
        "2: a hint that misses the chop is about the newest card without an earlier hint.",
        focus_newest,
    ),
    Convention("focus-chop", "2: a hint that touches the chop is about it.", focus_chop),
    Convention("play-hint-given", "3: the focus of a play hint is playable.", play_hint_given),
    Convention("save-given", "4: save the next player's chop, by an allowed hint.", save_given),
    Convention(
        "save-read",
        "4: a hint on the chop may be a save: keep the card and do not play it.",
        save_read,
    ),
    Convention(
        "good-touch",
        "5: touch no card that is played already, touched elsewhere, or held twice.",
        good_touch,
    ),
)
