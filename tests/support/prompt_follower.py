"""A reader of prompts who takes each sentence of "What to do" at its word.

It was written from the words of the prompt alone, never from the programs: if it plays as the programs do, the words
say what the programs do. It reads the facts, the legal moves, and the steps in the prompt's order, but no report of an
adviser: the words send to none, and rank the facts above them all. A step whose words it has no reading for is an
error, so that nobody changes the words without reading them anew.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from orchestrator.models.request import ModelRequest


class OwnCard(NamedTuple):
    """What the prompt says of an own card, by hints, counting and conventions."""

    slot: int
    kinds: tuple[str, ...]
    """The kinds of card that it can be; empty where the prompt names none, because there are many."""
    playable: int
    """In percent, as `critical`."""
    critical: int

    @property
    def lowest_rank(self) -> int:
        return min((int(kind[1]) for kind in self.kinds), default=1)


class Known(NamedTuple):
    """A slot that "You know to be playable" or "You know to be dead" names."""

    slot: int
    only_you: bool


class Hint(NamedTuple):
    """A line of the list "Each hint, the slots that it touches, and what it says"."""

    move: str
    """As among the legal moves: `hint P1 rank 3`."""
    says: str

    @property
    def news(self) -> int:
        found = re.search(r"; news (\d+)", self.says)
        return int(found[1]) if found else 0

    @property
    def helps(self) -> bool:
        """Whether it is a true play hint, or makes a playable card known."""
        return self.says.startswith("makes a playable card known") or bool(re.match(r"play .*\), true", self.says))


OWN_CARD = r"^- slots? (\d(?:, \d)*): (?:(.*); )?playable (\d+)%, dead \d+%, critical (\d+)%$"
"""Slots of which the same is said share a line."""


def wanted(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    assert found, f"the prompt has no words like {pattern!r}"
    return found[1]


@dataclass(frozen=True)
class Prompt:
    """The words of a prompt, looked up as a reader would."""

    text: str

    def section(self, title: str) -> str:
        return wanted(rf"^#+ {title}\n\n((?:.|\n)*?)(?=\n\n#+ |\Z)", self.text)

    @cached_property
    def table(self) -> str:
        return self.section("The table now")

    @cached_property
    def facts(self) -> str:
        return self.section("What the conventions say now")

    @cached_property
    def moves(self) -> tuple[str, ...]:
        return tuple(re.findall(r"^\d+: (.+)$", self.section("Your legal moves"), re.MULTILINE))

    @cached_property
    def steps(self) -> tuple[str, ...]:
        return tuple(re.findall(r"^\d\. (.+)$", self.section("What to do"), re.MULTILINE))

    @cached_property
    def hints(self) -> tuple[Hint, ...]:
        lines = re.findall(r"^- (hint P\d .+?) \([\d, ]+\): (.+)$", self.facts, re.MULTILINE)
        return tuple(Hint(*line) for line in lines)

    @cached_property
    def own_cards(self) -> tuple[OwnCard, ...]:
        """By hints and counting, or by conventions too where these say more."""
        cards = {}
        for text in (self.section("What your own cards can be"), self.facts):
            for slots, kinds, playable, critical in re.findall(OWN_CARD, text, re.MULTILINE):
                names = tuple(kinds.split(" or ")) if kinds else ()
                for slot in map(int, slots.split(", ")):
                    cards[slot] = OwnCard(slot, names, int(playable), int(critical))
        return tuple(cards[slot] for slot in sorted(cards))

    def known(self, what: str) -> tuple[Known, ...]:
        line = wanted(rf"^You know to be {what}: (.+)\.$", self.facts)
        slots = re.findall(r"slot (\d) \((only you|everybody)", line)
        return tuple(Known(int(slot), who == "only you") for slot, who in slots)

    def number(self, name: str) -> int:
        return int(wanted(rf"{name}: (\d+)", self.table))

    @property
    def player_before(self) -> str:
        return wanted(r"Players move in the order .*(P\d)\.$", self.table)

    def card(self, player: str, slot: int) -> str:
        return wanted(rf"^- {player}: .*slot {slot} ([RYGWB][1-5])", self.table)


def save(prompt: Prompt) -> str | None:
    danger = re.search(r"In danger: (P\d) is about to discard slot \d, the critical .(\d)", prompt.facts)
    if not danger:
        return None
    player, rank = danger.groups()
    return best_hint(hint for hint in prompt.hints if f" {player} " in hint.move) or f"hint {player} rank {rank}"


def play_sure(prompt: Prompt) -> str | None:
    cards = {card.slot: card for card in prompt.own_cards}
    known = prompt.known("playable")
    best = min(known, key=lambda it: (not it.only_you, cards[it.slot].lowest_rank, it.slot), default=None)
    return f"play slot {best.slot}" if best else None


def hint_anyone(prompt: Prompt) -> str | None:
    return best_hint(prompt.hints)


def best_hint(hints: Iterable[Hint]) -> str | None:
    """The one with the most news of those that help; `max` takes the first of equals."""
    best = max((hint for hint in hints if hint.helps), key=lambda hint: hint.news, default=None)
    return best.move if best else None


def spend(prompt: Prompt) -> str | None:
    if prompt.number("Information tokens") < 8:
        return None
    before = prompt.player_before
    return f"hint {before} rank {prompt.card(before, 0)[1]}"


def gamble(prompt: Prompt) -> str | None:
    lives, deck = prompt.number("Lives"), prompt.number("Cards left in the deck")
    if not ((lives == 3 and deck <= 3) or (lives == 2 and deck <= 1)):
        return None
    best = max(prompt.own_cards, key=lambda card: (card.playable, -card.slot))
    return f"play slot {best.slot}" if best.playable else None


def discard(prompt: Prompt) -> str | None:
    dead = min(prompt.known("dead"), key=lambda it: (not it.only_you, it.slot), default=None)
    following = re.search(r"^You discard next: slot (\d)", prompt.facts, re.MULTILINE)
    if dead:
        return f"discard slot {dead.slot}"
    if following:
        return f"discard slot {following[1]}"
    best = min(prompt.own_cards, key=lambda card: (card.critical, -card.lowest_rank, card.slot))
    return f"discard slot {best.slot}"


def touched_slots(owner: str) -> set[int]:
    """The slots that a hint touched, of a player's lines under "What the others can deduce of their own cards"."""
    lines = re.findall(r"slot (\d) \(..\): (.*); (.*)$", owner, re.MULTILINE)
    return {int(slot) for slot, colours, ranks in lines if _one(colours) or _one(ranks)}


def _one(kinds: str) -> bool:
    return "," not in kinds and not kinds.startswith("any")


@dataclass(frozen=True)
class Exceptions:
    """The players of whom the facts say that they do not keep to the conventions, or read hints literally."""

    prompt: Prompt

    @property
    def alone(self) -> bool:
        return "None of the others keeps to them" in self.prompt.facts

    @cached_property
    def hands(self) -> dict[str, dict[int, str]]:
        lines = re.findall(r"^- (P\d): (slot.*)$", self.prompt.table, re.MULTILINE)
        return {player: {int(s): card for s, card in re.findall(r"slot (\d) (..)", line)} for player, line in lines}

    def playable(self, card: str) -> bool:
        return f"{COLOUR[card[0]]} {int(card[1]) - 1}" in wanted(r"Fireworks: (.*)\.$", self.prompt.table)

    def critical(self, card: str) -> bool:
        """A 5, or a card whose last other copy was discarded; not one whose firework has it."""
        colour, rank = COLOUR[card[0]], int(card[1])
        gone = re.search(rf"^- {colour}: (.*)$", self.prompt.section("The discard pile"), re.MULTILINE)
        copies = gone[1].split(", ").count(card[1]) if gone else 0
        built = int(wanted(rf"Fireworks: .*{colour} (\d)", self.prompt.table))
        return built < rank and (rank == 5 or copies == (2 if rank == 1 else 1))

    def known_playable(self, player: str) -> set[int]:
        line = wanted(rf"^- {player} knows to be playable: (.*?)\. P\d", self.prompt.facts)
        return {int(slot) for slot in re.findall(r"slot (\d) \(", line)}

    def oldest_untouched(self, player: str) -> int | None:
        text = self.prompt.section("What the others can deduce of their own cards")
        owner = wanted(rf"^- {player}:\n((?:  - .*\n?)*)", text)
        return min(set(self.hands[player]) - touched_slots(owner), default=None)

    @cached_property
    def hints(self) -> tuple[tuple[str, str, set[int]], ...]:
        """The list's hints to them: the move, the player, the slots it touches."""
        lines = re.findall(r"^- (hint (P\d) .+?) \(([\d, ]+)\):", self.prompt.facts, re.MULTILINE)
        named = " ".join(
            re.findall(r"Exceptions, .*?: .*?\.|P\d hints by them but reads hints literally", self.prompt.facts)
        )
        return tuple((move, who, set(map(int, slots.split(", ")))) for move, who, slots in lines if who in named)


COLOUR = {"R": "red", "Y": "yellow", "G": "green", "W": "white", "B": "blue"}


def hint_exceptions(prompt: Prompt) -> str | None:
    """ "Such a player, after step 3: give them the first hint below that touches playable cards only, ..." """
    if "Such a player, after step 3" not in prompt.facts:
        return None
    them = Exceptions(prompt)
    for move, player, slots in them.hints:
        fits = all(them.playable(them.hands[player][slot]) for slot in slots)
        if fits and slots - them.known_playable(player):
            return move
    for move, player, slots in them.hints:
        oldest = them.oldest_untouched(player)
        if oldest in slots and not them.known_playable(player) and them.critical(them.hands[player][oldest]):
            return move
    return None


def play_alone(prompt: Prompt) -> str | None:
    """ "None of the others keeps to them, so after step 2, with 2 or 3 lives, play the card likeliest ..." """
    if not Exceptions(prompt).alone or prompt.number("Lives") < 2:
        return None
    best = max(prompt.own_cards, key=lambda card: (card.playable, -card.slot))
    return f"play slot {best.slot}" if best.playable >= 60 else None


READINGS: dict[str, Callable[[Prompt], str | None]] = {
    "Save: if the next player is about to discard a critical card, give that player a hint as in 3, or else the hint "
    "of that card's rank.": save,
    "Play a surely playable card: first one that only you know to be, then the one with the lowest rank it can have, "
    "then the lowest slot.": play_sure,
    "Hint any player: a true play hint, or a hint that makes a playable card known. Take the one with the most news "
    "(kinds of card that it rules out by itself); of equals the first in the list of what each hint says. Never give "
    "a hint that the list calls false.": hint_anyone,
    "With 8 tokens, spend one: hint the player before you the rank of the card in slot 0.": spend,
    "With 3 lives and at most 3 cards in the deck, or 2 lives and at most 1: play the card likeliest to be playable, "
    "of equals the lowest slot, if any may be.": gamble,
    "Discard a surely dead card: first one that only you know to be, then the lowest slot. Else what you discard next. "
    "If that is nothing, the card least likely to be critical; of equals the one whose lowest possible rank is "
    "highest, then the lowest slot.": discard,
}
"""The words of each step, and how the follower reads them."""


AFTER: dict[int, tuple[Callable[[Prompt], str | None], ...]] = {2: (play_alone,), 3: (hint_exceptions,)}
"""What the facts add after a step where somebody does not keep to the conventions."""


def move_of(text: str) -> tuple[int, str]:
    """The step that decides by the words of a prompt, and its move."""
    prompt = Prompt(text)
    for number, words in enumerate(prompt.steps, 1):
        assert words in READINGS, f"the follower has no reading of step {number}: {words}"
        if number == 5 and Exceptions(prompt).alone:
            continue  # "leave out step 5"
        for move in (READINGS[words](prompt), *(step(prompt) for step in AFTER.get(number, ()))):
            if move in prompt.moves:
                return number, move
    raise AssertionError(f"no step of {len(prompt.steps)} names a legal move")


def follower(request: ModelRequest) -> dict[str, str]:
    """The follower as a script of the deciding role; it is not shown the reports of the advisers."""
    step, move = move_of("\n\n".join(part.text for part in request.parts if part.name != "notes"))
    return {"reason": f"step {step}", "action": move}
