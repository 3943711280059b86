"""What hanab.live makes of a game in its JSON format, written from its rules and its checks alone.

A hand is dealt whole, player after player; cards are named by their place in the deck. Nothing here comes from the
exporter or from HLE.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

COPIES = {1: 3, 2: 2, 3: 2, 4: 2, 5: 1}


@dataclass
class Site:
    """The state of a game on the site."""

    players: int
    deck: list[tuple[int, int]]
    hands: list[list[int]] = field(default_factory=list)
    drawn: int = 0
    stacks: list[int] = field(default_factory=lambda: [0] * 5)
    clues: int = 8
    strikes: int = 0
    lost: Counter[tuple[int, int]] = field(default_factory=Counter)
    turn: int = 0
    last_turn: int | None = None
    end: str | None = None

    def __post_init__(self) -> None:
        for _ in range(self.players):
            self.hands.append([])
            for _ in range(5 if self.players <= 3 else 4):
                self.draw(-1)

    def draw(self, player: int) -> None:
        if self.drawn < 50:
            self.hands[player].append(self.drawn)
            self.drawn += 1
            if self.drawn == 50:
                self.last_turn = self.turn + self.players

    def act(self, kind: int, target: int, value: int | None) -> None:
        player = self.turn % self.players
        assert self.end is None, "the game is over"
        if kind in (0, 1):
            assert value in (None, 0) and target in self.hands[player], "not a card of the hand"
            assert kind == 0 or self.clues < 8, "no discard with 8 clues"
            self.hands[player].remove(target)
            self.lose(self.deck[target], kind)
            self.draw(player)
        elif kind in (2, 3):
            assert (
                target in range(self.players)
                and target != player
                and self.clues > 0
                and value is not None
            )
            assert value in (range(5) if kind == 2 else range(1, 6))
            assert any(self.deck[order][kind - 2] == value for order in self.hands[target]), (
                "an empty clue"
            )
            self.clues -= 1
        else:
            assert kind == 4 and target in range(self.players) and value in range(1, 11)
            self.end = "terminated"
            return
        self.finish()
        self.turn += 1

    def lose(self, card: tuple[int, int], kind: int) -> None:
        suit, rank = card
        if kind == 0 and self.stacks[suit] == rank - 1:
            self.stacks[suit] = rank
            self.clues = min(8, self.clues + (rank == 5))
            return
        self.lost[card] += 1
        self.strikes += kind == 0
        self.clues += kind == 1

    def finish(self) -> None:
        if self.strikes == 3:
            self.end = "strikeout"
        elif sum(self.stacks) == 25 or self.turn == self.last_turn or self.dead:
            self.end = "normal"

    @property
    def dead(self) -> bool:
        """Whether no card can score any more."""
        return all(
            top == 5 or self.lost[suit, top + 1] == COPIES[top + 1]
            for suit, top in enumerate(self.stacks)
        )

    @property
    def score(self) -> int:
        return 0 if self.end == "strikeout" else sum(self.stacks)


def played(game: dict[str, Any]) -> Site:
    """The game after its actions. Raises AssertionError where the site refuses it."""
    players = game["players"]
    deck = [(card["suitIndex"], card["rank"]) for card in game["deck"]]
    assert (
        2 <= len(players) <= 6
        and len(set(players)) == len(players)
        and all(len(name) > 0 for name in players)
    )
    assert Counter(deck) == Counter(
        {(suit, rank): many for suit in range(5) for rank, many in COPIES.items()}
    )
    assert game["options"] == {"variant": "No Variant"} and game["actions"]
    assert "seed" not in game, "the site would compare the deck with its own of that seed"
    notes = game["notes"]
    assert len(notes) == len(players) and all(
        len(of) == 50 and all(isinstance(n, str) for n in of) for of in notes
    )
    site = Site(len(players), deck)
    for action in game["actions"]:
        assert action.keys() <= {"type", "target", "value"} and not (
            action["type"] < 2 and "value" in action
        )
        site.act(action["type"], action["target"], action.get("value"))
    return site
