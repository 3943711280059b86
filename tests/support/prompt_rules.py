"""A reader of a prompt's rules of hints, who works out from all moves so far what everybody knows of every card.

Like the follower, it was written from the words of "Our conventions" alone: the meaning of dead and critical, who
discards which card next, R1 to R4, and silence. If it finds what the prompt prints under "What the conventions say
now", the words say what the programs compute. It reads games in which everybody keeps to the conventions.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import NamedTuple

COLOURS = {"red": "R", "yellow": "Y", "green": "G", "white": "W", "blue": "B"}
RANKS = {"1": 3, "2": 2, "3": 2, "4": 2, "5": 1}
COPIES = {colour + rank: copies for colour in COLOURS.values() for rank, copies in RANKS.items()}

PAST = re.compile(r"^- turn \d+, P(\d).*?: (.*)$", re.MULTILINE)
HINT = re.compile(r"hint P(\d) (?:rank )?(\w+)(?:, touching slots?)? \(?([\d, ]+)\)?")
LOST = re.compile(r"(?:play|discard) slot (\d) \((..)(, it fits)?")

Hand = list[set[str]]
"""What everybody knows that each card can be, the oldest first."""


class Said(NamedTuple):
    """What a hint says: nothing more, that a slot is playable now, or a warning of it."""

    what: str
    slot: int | None = None
    news: int = 0


class Common:
    """What everybody knows."""

    def __init__(self, players: int) -> None:
        self.size = 5 if players <= 3 else 4
        self.hands: list[Hand] = [[set(COPIES) for _ in range(self.size)] for _ in range(players)]
        self.scored: set[str] = set()
        self.gone: Counter[str] = Counter()
        self.tokens = 8
        self.deck = 50 - players * self.size

    def playable(self, kind: str) -> bool:
        return kind not in self.scored and all(
            kind[0] + str(low) in self.scored for low in range(1, int(kind[1]))
        )

    def dead(self, kind: str) -> bool:
        needed = {kind[0] + str(rank) for rank in range(1, int(kind[1]) + 1)} - self.scored
        return kind not in needed or any(self.gone[card] == COPIES[card] for card in needed)

    def critical(self, kind: str) -> bool:
        return not self.dead(kind) and self.gone[kind] == COPIES[kind] - 1

    def known_playable(self, player: int) -> list[int]:
        return [
            slot for slot, card in enumerate(self.hands[player]) if all(map(self.playable, card))
        ]

    def known_dead(self, player: int) -> list[int]:
        return [slot for slot, card in enumerate(self.hands[player]) if all(map(self.dead, card))]

    def discards_next(self, player: int) -> int | None:
        hand = self.hands[player]
        if self.known_playable(player) or self.known_dead(player):
            return None
        loose = [slot for slot, card in enumerate(hand) if not all(map(self.critical, card))]
        shares = {slot: sum(map(self.dead, hand[slot])) / len(hand[slot]) for slot in loose}
        return max(loose, key=lambda slot: (shares[slot], -slot), default=None)

    def count(self) -> None:
        """Rules out the kinds of which all copies are gone, or known to be in hands."""
        cards = [card for hand in self.hands for card in hand]
        while True:
            known = Counter(next(iter(card)) for card in cards if len(card) == 1)
            used = {
                kind
                for kind in COPIES
                if self.gone[kind] + (kind in self.scored) + known[kind] == COPIES[kind]
            }
            if not any(len(card) > 1 and card & used for card in cards):
                return
            for card in cards:
                if len(card) > 1:
                    card -= used

    def hint(self, giver: int, owner: int, what: str, touched: Sequence[int]) -> Said:
        """Takes in a hint of a colour's letter or a rank. Its news is what it rules out itself, before any counting."""
        before = deepcopy(self.hands[owner])
        known = self.known_playable(owner)
        spends = (
            self.tokens == 8 and what.isdigit() and owner == self.beside(giver, -1) and 0 in touched
        )
        warned = None if spends else self.warned(giver, owner, what, touched)
        for slot, card in enumerate(self.hands[owner]):
            card -= {kind for kind in card if (what in kind) != (slot in touched)}
        said = self.beyond(owner, [] if spends else touched, warned, known)
        news = sum(len(old - new) for old, new in zip(before, self.hands[owner], strict=True))
        self.count()
        return said._replace(news=news)

    def beside(self, player: int, step: int) -> int:
        return (player + step) % len(self.hands)

    def warned(self, giver: int, owner: int, what: str, touched: Sequence[int]) -> int | None:
        """The slot of which a hint warns by R2."""
        slot = self.discards_next(owner)
        if (
            slot is None
            or slot not in touched
            or owner != self.beside(giver, 1)
            or not what.isdigit()
        ):
            return None
        return (
            slot
            if any(what in kind and self.critical(kind) for kind in self.hands[owner][slot])
            else None
        )

    def beyond(
        self, owner: int, touched: Sequence[int], warned: int | None, known: Sequence[int]
    ) -> Said:
        """R2 to R4: what is said beyond the touched cards. `known`: the slots known to be playable before the hint."""
        hand = self.hands[owner]
        playable = self.known_playable(owner)
        if warned is not None:
            hand[warned] = {kind for kind in hand[warned] if self.critical(kind)}
            return Said("warning of", warned)
        if set(playable) - set(known):
            return Said("makes a playable card known")
        unsure = [
            slot for slot in touched if slot not in playable and any(map(self.playable, hand[slot]))
        ]
        if not unsure:
            return Said("nothing")
        newest = max(unsure)
        hand[newest] = {kind for kind in hand[newest] if self.playable(kind)}
        return Said("play", newest)

    def silence(self, giver: int) -> None:
        owner = self.beside(giver, 1)
        slot = self.discards_next(owner)
        if slot is not None:
            card = self.hands[owner][slot]
            card -= {kind for kind in card if self.critical(kind)}
            self.count()

    def move(self, player: int, move: str) -> None:
        hint = HINT.match(move)
        if self.tokens and self.deck and not (hint and int(hint[1]) == self.beside(player, 1)):
            self.silence(player)
        if hint:
            self.hint(player, *read_hint(hint))
            self.tokens -= 1
        else:
            self.lose(player, move)

    def lose(self, player: int, move: str) -> None:
        found = LOST.match(move)
        assert found, move
        slot, card, fits = found.groups()
        del self.hands[player][int(slot)]
        if fits:
            self.scored.add(card)
        else:
            self.gone[card] += 1
        if move.startswith("discard") or (fits and card[1] == "5"):
            self.tokens = min(8, self.tokens + 1)
        if self.deck:
            self.deck -= 1
            self.hands[player].append(set(COPIES))
        self.count()


def read_hint(hint: re.Match[str]) -> tuple[int, str, list[int]]:
    owner, what, touched = hint.groups()
    return int(owner), COLOURS.get(what, what), [int(slot) for slot in touched.split(",")]


def slots(words: str) -> list[int]:
    return [int(slot) for slot in re.findall(r"slot (\d)", words)]


def everybody(line: str) -> list[int]:
    return [int(slot) for slot in re.findall(r"slot (\d) \(everybody", line)]


def differences(table: str, history: str, facts: str) -> Iterator[tuple[str, object]]:
    """The lines of the printed facts that the words do not give, with what they give.

    The sections "The table now", "All moves so far" and "What the conventions say now".
    """
    you, *others = re.findall(r"P(\d)", table.split("Players move in the order")[1].split(".")[0])
    common = Common(1 + len(others))
    for player, move in PAST.findall(history):
        common.move(int(player), move)
    for line in facts.splitlines():
        given, printed = reading(common, int(you), line)
        if given != printed:
            yield line, given


def reading(common: Common, you: int, line: str) -> tuple[object, object]:
    """What the words give for a line of the facts, and what it prints; the same for a line of another kind."""
    if line.startswith("You know to be playable"):
        return common.known_playable(you), everybody(line)
    if line.startswith("You know to be dead"):
        return common.known_dead(you), everybody(line)
    if line.startswith("You discard next"):
        return common.discards_next(you), next(iter(slots(line)), None)
    if player := re.match(r"- P(\d) knows to be playable: (.*)\. P\d discards next: (.*)\.$", line):
        owner = int(player[1])
        printed = slots(player[2]), next(iter(slots(player[3])), None)
        return (common.known_playable(owner), common.discards_next(owner)), printed
    if hint := HINT.match(line.removeprefix("- ")):
        said = deepcopy(common).hint(you, *read_hint(hint))
        words = line.split(": ", 1)[1]
        what = next(
            what
            for what in ("nothing", "makes a playable card known", "play", "warning of")
            if what in words
        )
        news = re.search(r"news (\d+)", words)
        return said._replace(news=said.news if news else 0), Said(
            what, next(iter(slots(words)), None), int(news[1]) if news else 0
        )
    return None, None
