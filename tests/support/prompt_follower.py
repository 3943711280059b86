"""Readers of house's prompts who take each sentence at its word: one for each role, and one for the sheet.

They were written from the words of the prompts alone, never from the programs: if they play as the programs do, the
words say what the programs do. A deciding step whose words they have no reading for is an error, so that nobody changes
the words without reading them anew.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hanabi_orchestrator.orchestrator.models.request import ModelRequest


class Hint(NamedTuple):
    """A line of the list "Each hint, the slots that it touches, and what it says"."""

    move: str
    """As among the legal moves: `hint P1 rank 3`."""
    says: str

    @property
    def value(self) -> int:
        """What a hint that helps is worth, or how many kinds of card another rules out."""
        count = re.search(r"; (?:value|news) (-?\d+)", self.says)
        return int(count[1]) if count else 0

    @property
    def tells(self) -> int:
        """Of how many playable cards it says something new."""
        count = re.search(r"^something new of playable cards: (\d+)", self.says)
        return int(count[1]) if count else 0

    @property
    def helps(self) -> bool:
        """Whether it is a true play hint, or makes a playable card known, and is not late."""
        known = self.says.startswith("makes a playable card known") or re.match(
            r"play .*\), true", self.says
        )
        return bool(known) and ", late" not in self.says


COLOUR = {"R": "red", "Y": "yellow", "G": "green", "W": "white", "B": "blue"}


def wanted(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    assert match, f"the prompt has no words like {pattern!r}"
    return match[1]


def optional(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else None


def first(slots: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(slots))


@dataclass(frozen=True)
class Prompt:
    """The words of a prompt, looked up as a reader would."""

    text: str

    def section(self, title: str) -> str:
        return wanted(rf"^#+ {title}\n\n((?:.|\n)*?)(?=\n\n# |\Z)", self.text)

    @cached_property
    def table(self) -> str:
        return self.section("The table now")

    @cached_property
    def facts(self) -> str:
        return self.section("What the conventions say now")

    @cached_property
    def moves(self) -> tuple[str, ...]:
        return tuple(re.findall(r"^- (.+)$", self.section("Your legal moves"), re.MULTILINE))

    @cached_property
    def hints(self) -> tuple[Hint, ...]:
        lines = re.findall(r"^- (hint P\d .+?) \([\d, ]+\): (.+)$", self.facts, re.MULTILINE)
        return tuple(Hint(*line) for line in lines)

    def number(self, name: str) -> int:
        return int(wanted(rf"{name}: (\d+)", self.table))

    @cached_property
    def hands(self) -> dict[str, dict[int, str]]:
        lines = re.findall(r"^- (P\d): (slot.*)$", self.table, re.MULTILINE)
        return {
            player: {int(s): card for s, card in re.findall(r"slot (\d) (..)", line)}
            for player, line in lines
        }

    @property
    def dump(self) -> str | None:
        """With 8 tokens: to the player before you, the rank of the card in slot 0."""
        before = wanted(r"Players move in the order .*(P\d)\.$", self.table)
        return (
            f"hint {before} rank {self.hands[before][0][1]}"
            if self.number("Information tokens") == 8
            else None
        )

    @cached_property
    def chances(self) -> dict[int, dict[str, int]]:
        """The own cards' chances in percent; where the conventions say more, theirs."""
        cards: dict[int, dict[str, int]] = {}
        parts = [
            optional(r"^# What your own cards can be\n\n((?:.|\n)*?)(?=\n\n# |\Z)", self.text) or ""
        ]
        parts += [self.facts] if "# What the conventions say now" in self.text else []
        for line in (line for part in parts for line in part.splitlines()):
            if slots := optional(r"^- slots? (\d(?:, \d)*): .*\d%", line):
                values = {
                    name: int(value)
                    for name, value in re.findall(r"(playable|dead|critical) (\d+)%", line)
                }
                lowest = optional(r"lowest rank (\d)", line)
                kinds = re.findall(r"[RYGWB](\d)", line)
                values["lowest"] = int(lowest) if lowest else min(map(int, kinds), default=1)
                for slot in map(int, slots.split(", ")):
                    cards[slot] = values
        return dict(sorted(cards.items()))

    def listed(self, what: str) -> list[int]:
        return [
            int(slot) for slot in re.findall(r"slot (\d)", wanted(rf"^{what}: (.+)\.$", self.facts))
        ]

    @cached_property
    def nearly_over(self) -> bool:
        lives = self.number("Lives")
        deck = self.number("Cards left in the deck")
        return (lives == 3 and deck <= 3) or (lives == 2 and deck <= 1)

    def report(self, title: str) -> str:
        return wanted(rf"^## {title}\n((?:.|\n)*?)(?=\n\n|\Z)", self.text)


def best_hint(hints: Iterable[Hint]) -> str | None:
    """The one of most value; `max` takes the first of equals."""
    best = max(hints, key=lambda hint: hint.value, default=None)
    return best.move if best else None


def history_analyst(prompt: Prompt) -> Mapping[str, object]:
    chances = prompt.chances
    playable = prompt.listed("Surely playable, in the order to play them")
    if "Name no slot likeliest" in prompt.text and "Worth a life: " in prompt.facts:
        playable += prompt.listed("Worth a life")
        return {
            "insights": [],
            "inferred": [],
            "summary": "by the sums",
            "playable": playable,
            "likeliest": None,
        }
    alone = "None of the others keeps to the conventions" in prompt.facts
    likely = sorted(chances, key=lambda slot: (-chances[slot]["playable"], slot))
    if alone and prompt.number("Lives") > 1:
        playable += [slot for slot in likely if chances[slot]["playable"] >= 60]
    asked = "name the slot likeliest to be playable" in prompt.text
    likeliest = likely[0] if asked and not alone and chances[likely[0]]["playable"] else None
    return {
        "insights": [],
        "inferred": [],
        "summary": "as the facts say",
        "playable": first(playable),
    } | {"likeliest": likeliest}


def coded_hint(prompt: Prompt) -> str | None:
    """If a hint is due, the first of those that stand for the sum of the hands' numbers, which the reader does anew."""
    if "A hint is due: " not in prompt.facts:
        return None
    numbers = dict(re.findall(r"^- (\d+): (.+)$", prompt.facts, re.MULTILINE))
    hands = map(int, re.findall(r"'s hand has the number (\d+)", prompt.facts))
    hint = numbers[str(sum(hands) % len(numbers))].split(", ")[0]
    return optional(r"a token must be spent: (.+)\.$", prompt.facts) if hint == "none" else hint


def tom_interpreter(prompt: Prompt) -> Mapping[str, object]:
    if "Your number: " in prompt.facts or "No hint is due" in prompt.facts:
        return {
            "explanation": "none",
            "intentions": [],
            "suggestion": "by the number",
            "hint": coded_hint(prompt),
        }
    danger = re.search(
        r"In danger: (P\d) is about to discard slot \d, the critical .(\d)", prompt.facts
    )
    hint = None
    if danger:
        player, rank = danger.groups()
        hint = best_hint(hint for hint in prompt.hints if hint.helps and f" {player} " in hint.move)
        hint = hint or f"hint {player} rank {rank}"
        hint = hint if hint in [other.move for other in prompt.hints] else None
    takes = optional(r"^- P\d takes for playable: (.+?)\. P\d discards next", prompt.facts)
    two = len(prompt.hands) == 1 and prompt.number("Cards left in the deck") > 0
    if hint is None and two and prompt.number("Information tokens") >= 3 and takes == "none":
        hint = best_hint(hint for hint in prompt.hints if hint.helps)
    urgent = hint is not None
    if danger and "so a discard would warn" in prompt.facts:
        return {
            "explanation": "none",
            "intentions": [],
            "suggestion": "wait",
            "hint": None,
            "urgent": True,
        }
    hint = hint or best_hint(hint for hint in prompt.hints if hint.helps)
    if "reads hints literally" in prompt.facts:
        most = max((hint.tells for hint in prompt.hints), default=0)
        hint = hint or best_hint(hint for hint in prompt.hints if most and hint.tells == most)
    hint = hint or prompt.dump
    return {
        "explanation": "none",
        "intentions": [],
        "suggestion": "by the list",
        "hint": hint,
        "urgent": urgent,
    }


def discard_strategist(prompt: Prompt) -> Mapping[str, object]:
    if "The order to discard them: " in prompt.facts:
        order = prompt.listed("The order to discard them")
        return {"cards": [], "safest_first": order, "summary": "in the order of the facts"}
    chances = prompt.chances
    following = optional(r"^You discard next: slot (\d)", prompt.facts)
    lines = re.findall(r"^- slots? (\d(?:, \d)*): .*, to be kept$", prompt.facts, re.MULTILINE)
    kept = [int(slot) for slots in lines for slot in slots.split(", ")]
    rest = sorted(
        chances,
        key=lambda slot: (slot in kept, chances[slot]["critical"], -chances[slot]["lowest"], slot),
    )
    dead = prompt.listed("Surely dead, in the order to discard them")
    going = [int(following)] if following and int(following) not in kept else []
    safest = first([*dead, *going, *rest])
    return {"cards": [], "safest_first": safest, "summary": "in the order of the task"}


Step = Callable[[Prompt], str | None]


def urgent_hint(prompt: Prompt) -> str | None:
    if "urgent: yes" not in prompt.report("tom interpreter"):
        return None
    hint = reported_hint(prompt)
    if hint != "none":
        return hint
    return (
        reported_discard(prompt)
        if "## discard strategist" in prompt.text
        else plain_discard(prompt)
    )


def reported_hint(prompt: Prompt) -> str | None:
    return optional(r"^hint: (.+)$", prompt.report("tom interpreter"))


def reported_play(prompt: Prompt) -> str | None:
    slot = optional(r"^playable: (\d)", prompt.report("history analyst"))
    return f"play slot {slot}" if slot else None


def reported_gamble(prompt: Prompt) -> str | None:
    slot = optional(r"^likeliest: (\d)", prompt.report("history analyst"))
    return f"play slot {slot}" if slot and prompt.nearly_over else None


def reported_discard(prompt: Prompt) -> str | None:
    slot = wanted(r"^safest first: (\d)", prompt.report("discard strategist"))
    return f"discard slot {slot}"


def most_proposed(prompt: Prompt) -> str | None:
    """The legal move that is proposed most often; of equals the first."""
    proposed = re.findall(r"^action: (.+)$", prompt.text, re.MULTILINE)
    for move, times in re.findall(
        r"^candidate \d+: (.+) \(given (\d+) of \d+ times\)$", prompt.text, re.MULTILINE
    ):
        proposed += [move] * int(times)
    legal = [move for move in proposed if move in prompt.moves]
    return max(legal, key=legal.count, default=None)


def likely_play(prompt: Prompt) -> str | None:
    chances = prompt.chances
    sure = [slot for slot in chances if chances[slot]["playable"] == 100]
    if sure:
        return f"play slot {min(sure, key=lambda slot: (chances[slot]['lowest'], slot))}"
    best = max(chances, key=lambda slot: (chances[slot]["playable"], -slot))
    return (
        f"play slot {best}"
        if prompt.number("Lives") > 1 and chances[best]["playable"] >= 60
        else None
    )


def plain_gamble(prompt: Prompt) -> str | None:
    best = max(prompt.chances, key=lambda slot: (prompt.chances[slot]["playable"], -slot))
    return f"play slot {best}" if prompt.nearly_over and prompt.chances[best]["playable"] else None


def plain_hint(prompt: Prompt) -> str | None:
    for move in prompt.moves:
        if not (match := re.match(r"hint (P\d) (rank (\d)|\w+)$", move)):
            continue
        player, kind, rank = match.groups()
        cards = prompt.hands[player]
        touched = [
            slot for slot, card in cards.items() if rank == card[1] or kind == COLOUR[card[0]]
        ]
        new = any(kind not in deduced(prompt, player, slot) for slot in touched)
        if (
            new
            and has_turn(prompt, player)
            and all(playable(prompt, cards[slot]) for slot in touched)
        ):
            return move
    return None


def playable(prompt: Prompt, card: str) -> bool:
    return f"{COLOUR[card[0]]} {int(card[1]) - 1}" in wanted(r"Fireworks: (.*)\.$", prompt.table)


def has_turn(prompt: Prompt, player: str) -> bool:
    """The next players in the order have one, as many as there are turns after this one."""
    if "# Final round" not in prompt.text:
        return True
    turns = int(optional(r"(\d+) turns are left", prompt.section("Final round")) or 1)
    order = re.findall(r"P\d", wanted(r"Players move in the order (.*)\.$", prompt.table))
    return player in order[1:turns]


def deduced(prompt: Prompt, player: str, slot: int) -> list[str]:
    """What its owner can deduce of a card for certain: `red`, `rank 3`."""
    text = prompt.section("What hints leave of the others' cards")
    owner = wanted(rf"^- {player}:\n((?:  - .*\n?)*)", text)
    return [
        kind for kind in wanted(rf"slot {slot} \(..\): (.*)$", owner).split("; ") if "," not in kind
    ]


def plain_discard(prompt: Prompt) -> str | None:
    slots = [slot for slot, chance in prompt.chances.items() if chance["dead"] == 100] or list(
        prompt.chances
    )
    untouched = [
        int(slot) for slot in re.findall(r"^- slot (\d): nothing", prompt.table, re.MULTILINE)
    ]
    return f"discard slot {min([slot for slot in slots if slot in untouched] or slots)}"


def highest_rank(prompt: Prompt) -> str | None:
    ranks = [move for move in prompt.moves if re.match(r"hint P\d rank", move)]
    return (
        max(ranks, key=lambda move: move[-1], default=None)
        if prompt.number("Information tokens") == 8
        else None
    )


READINGS: Mapping[str, Step] = {
    "If the tom interpreter's report is urgent: its hint; if it names none, the discard that a later step "
    "gives.": urgent_hint,
    "Play the first slot that the history analyst lists as playable.": reported_play,
    'Play the slot likeliest to be playable by "What your own cards can be", if that is certain, or with 2 or '
    "3 lives at least 60%. Of those that are certain, the one with the lowest rank it can have, then the "
    "lowest slot.": likely_play,
    "The tom interpreter's hint.": reported_hint,
    "The first hint in the list of legal moves, to a player who still has a turn, that touches only cards "
    "which can be played now, and tells one of them a colour or rank that its owner cannot deduce yet.": plain_hint,
    "The deck is nearly out, and a life is to spare: play the slot that the history analyst calls "
    "likeliest, if it names one.": reported_gamble,
    "The deck is nearly out, and a life is to spare: play the slot likeliest to be playable, of equals the "
    "lowest slot, if any may be.": plain_gamble,
    "The legal move that is proposed most often, as the action of a report or as a candidate; of equals the "
    "first.": most_proposed,
    "Discard the first slot that the discard strategist lists as safest.": reported_discard,
    "Discard a slot that is surely dead, else any; of these one that no hint of its colour or rank has "
    "touched, else any; of these the lowest.": plain_discard,
    "The rank hint of the highest rank in the list, of equals the first.": highest_rank,
}
"""The words of each deciding step, and how the follower reads them."""


def aggregator(prompt: Prompt) -> Mapping[str, object]:
    for words in re.findall(r"^\d\. (.+)$", prompt.section("Your task: decide"), re.MULTILINE):
        assert words in READINGS, f"the follower has no reading of the step: {words}"
        if (move := READINGS[words](prompt)) in prompt.moves:
            return {"reason": words, "action": move}
    raise AssertionError("no step names a legal move")


def convention_player(prompt: Prompt) -> Mapping[str, object]:
    """The first move of the first step of the sheet."""
    first = optional(r"^1\. .*?: (.+?) \(", prompt.section("Decision sheet"))
    if first:
        return {"reason": "the first move of the sheet", "action": first}
    return {"reason": "the sheet names none", "action": prompt.moves[0]}


def _reading(
    read: Callable[[Prompt], Mapping[str, object]],
) -> Callable[[ModelRequest], Mapping[str, object]]:
    return lambda request: read(Prompt("\n\n".join(part.text for part in request.parts)))


FOLLOWERS: Mapping[str, Callable[[ModelRequest], Mapping[str, object]]] = {
    read.__name__: _reading(read)
    for read in (
        history_analyst,
        tom_interpreter,
        discard_strategist,
        aggregator,
        convention_player,
    )
}
"""A reader for each role of `house` and `house_solo`, as a script of models."""
