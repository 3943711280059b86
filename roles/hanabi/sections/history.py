"""The sections on what happened: the moves so far, and what the seat remembers of its own last turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from hanabi_orchestrator.orchestrator.hanabi.view import Past, View
from hanabi_orchestrator.orchestrator.table.seat import BEFORE
from hanabi_orchestrator.roles.notes_text import lines
from hanabi_orchestrator.roles.role_options import Options
from hanabi_orchestrator.roles.sections import Section, section
from hanabi_orchestrator.roles.words import ENGLISH, Words

NO_MOVE = "None yet: this is the game's first turn."
SHIFT = " When a card leaves a hand, the newer cards move down one slot, and a card that is drawn comes in highest."
AFTER = " Fireworks, tokens and lives are those after the move."
NAMING = (
    "`+1` and so on count seats. Before a player they count from you, $you: `$after, +1` sits next after you. "
    "In a hint they count from the player who GAVE it, not from you: `hint +1 red` of $after went to $third. "
    "The absolute name stands beside it. "
)


@section
@dataclass(frozen=True)
class History(Section):
    """Past moves: all of them, the last so many, or those since the seat's own last turn."""

    name = "history"
    states = {"past_moves": ()}
    choices = {
        "moves": ("all", "since_last_turn", int),
        "names": ("absolute", "relative"),
        "after": ("told", "unsaid"),
        "details": ("told", "unsaid"),
        "shift": ("unsaid", "told"),
    }
    players: int
    """2 to 5."""
    seat: int
    """The seat that is asked."""
    moves: tuple[Past, ...]
    """Oldest first."""
    whole: bool
    """Whether these are all moves of the game."""
    after: bool
    """Whether the words give fireworks, tokens and lives after each move."""
    relative: bool
    """Whether players are also named by their distance, as in the papers' engine: from the seat, and in a hint from
    who gave it."""
    details: bool = True
    """Whether the words name the slots that a hint touched, and the card that was played or discarded. For cards
    still held, the touched slots follow from the hands and the hints."""
    shift: bool = False
    """Whether the words say how slots change when a card leaves a hand, for prompts without rules."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        which = options["moves"]
        moves = view.history
        if which == "since_last_turn":
            moves = since_last_turn(moves, view.seat)
        elif isinstance(which, int):
            moves = moves[-which:] if which else ()
        switches = {option: options[option] == "told" for option in ("after", "details", "shift")}
        return cls(
            view.players,
            view.seat,
            moves,
            moves == view.history,
            relative=options["names"] == "relative",
            **switches,
        )

    def variables(self, words: Words) -> dict[str, object]:
        players = self.players if self.relative else None
        sentences = (
            words.say(past, self.seat, players, after=self.after, details=self.details)
            for past in self.moves
        )
        lines = list(sentences) or [words(NO_MOVE)]
        title = "All moves so far, oldest first" if self.whole else "The latest moves, oldest first"
        after, third = (f"P{(self.seat + step) % self.players}" for step in (1, 2))
        naming = (
            words(NAMING, you=f"P{self.seat}", after=after, third=third) if self.relative else ""
        )
        return {
            "title": words(title),
            "naming": naming,
            "after": (words(SHIFT) if self.shift else "") + (words(AFTER) if self.after else ""),
            "moves": "\n".join(f"- {line}" for line in lines),
        }

    @property
    def latest(self) -> tuple[Past, ...]:
        """The others' moves since the seat's own last one."""
        return tuple(
            past for past in since_last_turn(self.moves, self.seat) if past.seat != self.seat
        )


def since_last_turn(moves: tuple[Past, ...], seat: int) -> tuple[Past, ...]:
    """The moves since a seat's last one, itself included."""
    last = max((past.turn for past in moves if past.seat == seat), default=0)
    return tuple(past for past in moves if past.turn >= last)


@section
@dataclass(frozen=True)
class OwnActions(Section):
    """The seat's own moves: CAC's episodic memory."""

    name = "own_actions"
    choices = {"results": ("told", "unsaid")}
    moves: tuple[Past, ...]
    """Oldest first."""
    results: bool = True
    """Whether the words name the cards played and discarded, and the lives lost."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(
            tuple(past for past in view.history if past.seat == view.seat),
            options["results"] == "told",
        )

    def variables(self, words: Words) -> dict[str, object]:
        results = [words.result(past) if self.results else "" for past in self.moves]
        pairs = zip(self.moves, results, strict=True)
        moves = (
            words("$turn: $move", turn=past.turn, move=f"{past.move}{result}")
            for past, result in pairs
        )
        return {"moves": words("; ").join(moves) or words("None yet.")}


@section
@dataclass(frozen=True)
class Remembered(Section):
    """The seat's memory of its own last turn; empty on the first turn and for graphs without `remembers`."""

    name = "remembered"
    choices = {"table": ("counts", "whole")}
    memory: Mapping[str, Any] = field(default_factory=dict)
    """`turn`, `move`, `lives`, `tokens`, `deck_size`, `fireworks`, `own`, `hands` and `discards`, and `notes`: node ->
    its replies as data."""
    whole: bool = False
    """Whether the words give the others' hands and the discard pile of that turn, too."""

    @classmethod
    def of(cls, view: View, options: Options) -> Self:
        return cls(whole=options["table"] == "whole")

    def holding(self, memory: Mapping[str, Any]) -> Self:
        return replace(self, memory={key: value for key, value in memory.items() if key != BEFORE})

    def variables(self, words: Words) -> dict[str, object]:
        notes = [
            f"## {words.name(node)}\n{lines(reply, words)}"
            for node, replies in self.memory["notes"].items()
            for reply in replies
        ]
        return {
            **{key: self.memory[key] for key in ("turn", "move", "lives", "tokens", "deck_size")},
            "fireworks": words.fireworks(self.memory["fireworks"]),
            "own": words.by_slot(self.memory["own"]),
            "table": self._table(words),
            "notes": "\n\n".join(notes) or words("You noted nothing."),
        }

    def _table(self, words: Words) -> str:
        if not self.whole or "hands" not in self.memory:
            return ""
        hands = [
            words("P$seat: $text", seat=seat, text=words.by_slot(h))
            for seat, h in self.memory["hands"].items()
        ]
        text = words("The others' hands then: $hands", hands=words("; ").join(hands))
        if "discards" not in self.memory:
            return f"\n{text}"
        pile = words.series(self.memory["discards"]) or words("Empty.")
        return f"\n{text}\n{words('The discard pile then: $cards', cards=pile)}"

    def words(self, words: Words = ENGLISH) -> str:
        return super().words(words) if self.memory else ""
