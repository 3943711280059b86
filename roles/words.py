"""How past moves, cards and chances are worded, for models and people alike, in the language of a prompt."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from hanabi_orchestrator import prompts
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOUR_NAMES, COLOURS, RANKS, Colour
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Knowledge, Past

FEW = 5
"""Kinds of card that are spelled out where they are spelled out only if they are few."""
SHOWN = 6
"""Cards of a belief that are spelled out."""


@dataclass(frozen=True)
class Words:
    """The words of one language. The code says everything in English; another language has each phrase in its list.

    Moves (`play slot 0`), cards (`R1`), seats (`P1`) and the names of a reply's parts are the same in all. Raises
    UserError for a text or a phrase that the language lacks.
    """

    lang: prompts.Lang = "en"
    replaced: tuple[tuple[str, str], ...] = ()
    """Prompt files by their English names, with the texts that stand in their place."""

    def __call__(self, english: str, **values: object) -> str:
        """A phrase of the code, with its `$variables` filled; as it is, when there are no values to fill in."""
        try:
            phrase = prompts.phrase(english, self.lang)
            return prompts.substitute(phrase, values, english) if values else phrase
        except ValueError as error:
            raise UserError(str(error)) from None

    def text(self, name: str) -> str:
        """The text of a prompt file, unfilled."""
        if (text := self.replacement(name)) is not None:
            return text
        try:
            return prompts.text(name, self.lang)
        except ValueError as error:
            raise UserError(str(error)) from None

    def replacement(self, name: str) -> str | None:
        """The text that stands in the place of a prompt file, if one does."""
        return next((text for file, text in self.replaced if file == name), None)

    def fill(self, name: str, **values: object) -> str:
        """The text of a prompt file, filled."""
        return prompts.substitute(self.text(name), values, prompts.path(name, self.lang))

    def name(self, node: str) -> str:
        """A node's name; one that the language has no phrase for is left as it is, for users choose them."""
        plain = node.replace("_", " ")
        try:
            return prompts.phrase(plain, self.lang)
        except ValueError:
            return plain

    def series(self, texts: Iterable[str]) -> str:
        return self(", ").join(texts)

    def colour(self, colour: Colour) -> str:
        return self(COLOUR_NAMES[colour])

    def player(self, seat: int, reader: int) -> str:
        """`P1`, or `P1 (you)` for the own seat."""
        return self("P$seat (you)", seat=seat) if seat == reader else f"P{seat}"

    def say(
        self,
        past: Past,
        seat: int,
        players: int | None = None,
        *,
        after: bool = True,
        details: bool = True,
    ) -> str:
        """A past move: `turn 3, P1: hint P2 red, touching slots 0, 3; fireworks R0 ..., tokens 6, lives 3`.

        With `players`, how many they are, also by distance: `turn 3, P1, +2: hint +1 (P2) red ...`. The table after the
        move is left out without `after`; the slots that a hint touched, and what a card turned out to be, without
        `details`.
        """
        return _worded(self, past, seat, players, after, details)

    def standing(self, past: Past) -> str:
        """The table after a move, to be added to it."""
        tops = " ".join(
            f"{colour}{top}" for colour, top in zip(COLOURS, past.fireworks, strict=True)
        )
        return self(
            "; fireworks $tops, tokens $tokens, lives $lives",
            tops=tops,
            tokens=past.tokens,
            lives=past.lives,
        )

    def touched(self, past: Past) -> str:
        """The slots that a hint touched, to be added to it."""
        if not past.slots:
            return ""
        touched = ", touching slots $slots" if len(past.slots) > 1 else ", touching slot $slots"
        return self(touched, slots=self.series(map(str, past.slots)))

    def outcome(self, past: Past) -> str:
        """What a play or a discard showed, e.g. ` (R1, it fits)`."""
        if isinstance(past.move, Play) and past.card:
            phrase = (
                " ($card, it fits)" if past.scored else " ($card, it does not fit, a life is lost)"
            )
            return self(phrase, card=past.card.value)
        return (
            self(" ($card)", card=past.card.value)
            if isinstance(past.move, Discard) and past.card
            else ""
        )

    def result(self, past: Past) -> str:
        """The same, shorter: ` (R1)`, ` (R1, a life lost)`."""
        lost = isinstance(past.move, Play) and not past.scored
        return (
            self(" ($card, a life lost)" if lost else " ($card)", card=past.card.value)
            if past.card
            else ""
        )

    def fireworks(self, tops: Iterable[int]) -> str:
        """`red 2, yellow 0, ...`."""
        pairs = zip(COLOURS, tops, strict=True)
        return self.series(
            self("$colour $rank", colour=self.colour(c), rank=top) for c, top in pairs
        )

    def by_slot(self, texts: Iterable[str]) -> str:
        """`slot 0 R1, slot 1 B3`."""
        return self.series(
            self("slot $slot $text", slot=i, text=text) for i, text in enumerate(texts)
        )

    def by_seat(self, texts: Mapping[int, str]) -> str:
        """`- P1: ...`, a line each."""
        return "\n".join(
            self("- P$seat: $text", seat=seat, text=text) for seat, text in texts.items()
        )

    def slots(self, texts: Iterable[str]) -> str:
        """`- slot 0: ...`, a line each."""
        return "\n".join(
            self("- slot $slot: $text", slot=i, text=text) for i, text in enumerate(texts)
        )

    def shared_slots(self, texts: Iterable[tuple[int, str]]) -> Iterator[str]:
        """A line per slot as in `slots`, and one for all slots of which the same is said."""
        for text, slots in slots_by_text(texts):
            if len(slots) == 1:
                yield self("- slot $slot: $text", slot=slots[0], text=text)
            else:
                yield self("- slots $slots: $text", slots=", ".join(map(str, slots)), text=text)

    def hint(self, card: Knowledge) -> str:
        """What positive hints say about a card: `nothing`, `red`, `rank 3` or `red 3`."""
        if card.colour and card.rank:
            return self("$colour $rank", colour=self.colour(card.colour), rank=card.rank)
        if card.colour:
            return self.colour(card.colour)
        return self("rank $rank", rank=card.rank) if card.rank else self("nothing")

    def possible(self, card: Knowledge) -> str:
        """What hints leave of a card, e.g. `red, white; rank 1, 2`."""
        colours = self("any colour")
        ranks = self("any rank")
        if len(card.colours) < len(COLOURS):
            colours = self.series(map(self.colour, card.colours))
        if len(card.ranks) < len(RANKS):
            ranks = self("rank $rank", rank=self.series(map(str, card.ranks)))
        return f"{colours}{self('; ')}{ranks}"

    def few(self, slot: Slot) -> str:
        """A belief, briefly: its cards where they are few, and the three chances that matter."""
        cards = [card.value for card in slot.cards()]
        chances = self("playable $playable, dead $dead, critical $critical", **_chances(slot))
        if len(cards) > FEW:
            return chances
        return self("$cards; $chances", cards=self(" or ").join(cards), chances=chances)

    def counted(self, slot: Slot) -> str:
        """A belief: its likeliest cards, and the three chances that matter."""
        likely = list(slot.likely().items())
        if len(likely) == 1:
            card = likely[0][0]
            cards = self(
                "$colour $rank, for certain", colour=self.colour(card.colour), rank=card.rank
            )
        else:
            spelled = [f"{card.value} {percent(share)}" for card, share in likely[:SHOWN]]
            more = len(likely) - SHOWN
            cards = self.series(
                (*spelled, self("$count more", count=more)) if more > 0 else spelled
            )
        return cards + self(
            " (playable $playable, dead $dead, critical $critical)", **_chances(slot)
        )


ENGLISH = Words()


def slots_by_text(texts: Iterable[tuple[int, str]]) -> Iterable[tuple[str, list[int]]]:
    """Every text with the slots of which it is said."""
    same: dict[str, list[int]] = {}
    for slot, text in texts:
        same.setdefault(text, []).append(slot)
    return same.items()


def _chances(slot: Slot) -> dict[str, str]:
    return {name: percent(getattr(slot, name)) for name in ("playable", "dead", "critical")}


@lru_cache(maxsize=16384)  # every turn words the history again, one move longer
def _worded(
    words: Words, past: Past, seat: int, players: int | None, after: bool, details: bool
) -> str:
    player = words.player(past.seat, seat)
    if players is not None and past.seat != seat:
        player += words(", +$steps", steps=(past.seat - seat) % players)
    start = words("turn $turn, $who: ", turn=past.turn, who=player)
    move = str(past.move)
    if players is not None and isinstance(past.move, Hint):
        to = past.move.to
        move = move.replace(f"P{to}", f"+{(to - past.seat) % players} (P{to})", 1)
    more = f"{words.outcome(past)}{words.touched(past)}" if details else ""
    return f"{start}{move}{more}{words.standing(past) if after else ''}"


def many(number: int, singular: str, several: str = "") -> str:
    """A number with its noun: `1 turn`, `2 turns`, `2 lives`, `1,000 games`."""
    return f"{number:,} {singular if number == 1 else several or singular + 's'}"


def percent(chance: float) -> str:
    """0% and 100% only when it is certain."""
    return f"{chance:.0%}" if chance in (0.0, 1.0) else f"{min(max(round(chance * 100), 1), 99)}%"
