"""The section on past games of the other players: public records, and the habits that they show."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Self

from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, Play
from hanabi_orchestrator.orchestrator.hanabi.public_record import Record, RecordedMove
from hanabi_orchestrator.orchestrator.table.seat import BEFORE
from hanabi_orchestrator.roles.sections import Section, section
from hanabi_orchestrator.roles.words import ENGLISH, Words, percent


@dataclass(frozen=True)
class Habits:
    """How the players of some games treated hints; counts over all games and players."""

    hinted_turns: int = 0
    """Turns of players who had been hinted since their turn before."""
    played_newest: int = 0
    """Of these: the newest card touched by the latest such hint was played."""
    played_oldest: int = 0
    """Likewise the oldest, where the hint touched several."""
    played_other: int = 0
    """Likewise another card that it touched."""
    plays: int = 0
    unhinted_plays: int = 0
    """Plays of a card that no hint had touched."""
    misplays: int = 0
    discards: int = 0
    oldest_unhinted: int = 0
    """Discards of the oldest card that no hint had touched."""
    newest_unhinted: int = 0
    """Discards of the newest such card, where there were several."""
    hinted_discards: int = 0
    """Discards of a card that a hint had touched."""
    tokens: int = 0
    """Information tokens at the beginning of each turn, added up."""
    turns: int = 0
    colour_hints: int = 0
    rank_hints: int = 0

    @classmethod
    def from_games(cls, games: Iterable[Record]) -> Self:
        counts: Counter[str] = Counter()
        for game in games:
            hinted: dict[
                int, tuple[int, ...]
            ] = {}  # the slots of the latest hint to a player since their last turn
            for step in game.steps():
                counts["turns"] += 1
                counts["tokens"] += step.tokens
                if slots := hinted.pop(step.seat, ()):
                    counts["hinted_turns"] += 1
                    counts.update(_answered(step, slots))
                if isinstance(step.move, Play):
                    counts["plays"] += 1
                    counts["unhinted_plays"] += not step.hinted[step.move.slot]
                    counts["misplays"] += step.scored is False
                elif isinstance(step.move, Discard):
                    counts.update(_discarded(step.move.slot, step.hinted))
                else:
                    hinted[step.move.to] = step.touched
                    counts[
                        "colour_hints" if isinstance(step.move, HintColour) else "rank_hints"
                    ] += 1
        return cls(**counts)

    def in_words(self, words: Words) -> str:
        """A line each for answers to hints, plays, discards, hints and tokens."""
        hints = self.colour_hints + self.rank_hints
        answered = _shares(
            self.hinted_turns,
            newest=self.played_newest,
            oldest=self.played_oldest,
            other=self.played_other,
        )
        discarded = _shares(
            self.discards,
            oldest=self.oldest_unhinted,
            newest=self.newest_unhinted,
            hinted=self.hinted_discards,
        )
        kinds = _shares(self.turns, share=hints) | _shares(
            hints, colour=self.colour_hints, rank=self.rank_hints
        )
        lines = (
            words(ANSWERED, count=self.hinted_turns, **answered),
            words(
                PLAYED,
                count=self.plays,
                **_shares(self.plays, blind=self.unhinted_plays, wrong=self.misplays),
            ),
            words(DISCARDED, count=self.discards, **discarded),
            words(HINTED, count=hints, **kinds),
            words(TOKENS, tokens=f"{self.tokens / max(self.turns, 1):.1f}"),
        )
        return "\n".join(lines)


def _answered(step: RecordedMove, slots: Sequence[int]) -> dict[str, int]:
    """Which touched card was played. A hint's slots keep their numbers until its owner moves."""
    if not isinstance(step.move, Play) or step.move.slot not in slots:
        return {}
    if step.move.slot == slots[-1]:
        return {"played_newest": 1}
    return {"played_oldest": 1} if step.move.slot == slots[0] else {"played_other": 1}


def _discarded(slot: int, hinted: Sequence[int]) -> dict[str, int]:
    free = [number for number, turn in enumerate(hinted) if not turn]
    oldest = slot in free[:1]
    return {
        "discards": 1,
        "oldest_unhinted": oldest,
        "newest_unhinted": slot in free[-1:] and not oldest,
        "hinted_discards": hinted[slot] > 0,
    }


def records_of(records: Sequence[Mapping[str, Any]]) -> tuple[Record, ...]:
    """Records of plain data, typed. Raises UserError for what is no record."""
    return _typed(json.dumps(list(records))) if records else ()


_habits = lru_cache(maxsize=64)(Habits.from_games)


@lru_cache(maxsize=64)  # once for all turns of a game
def _typed(text: str) -> tuple[Record, ...]:
    return tuple(Record.read(record) for record in json.loads(text))


@section
@dataclass(frozen=True)
class PastGames(Section):
    """Past games of the others; empty unless the seat was given some before the game."""

    name = "past_games"
    records: Sequence[Mapping[str, Any]] = ()
    """Public records as plain data, oldest first."""

    def holding(self, memory: Mapping[str, Any]) -> Self:
        return type(self)(tuple(memory.get(BEFORE, ())))

    @cached_property
    def games(self) -> tuple[Record, ...]:
        """Typed: players, deck, moves. Raises UserError for what is no record."""
        return records_of(self.records)

    @cached_property
    def habits(self) -> Habits:
        """The habits of the partners in these games."""
        return _habits(self.games)

    def variables(self, words: Words) -> dict[str, object]:
        endings = (
            words(
                GAME,
                number=number,
                score=game.ending.score,
                lives=game.ending.lives,
                turns=len(game.moves),
            )
            for number, game in enumerate(self.games, 1)
        )
        return {
            "count": len(self.games),
            "games": "\n".join(endings),
            "habits": self.habits.in_words(words),
        }

    def words(self, words: Words = ENGLISH) -> str:
        return super().words(words) if self.records else ""


GAME = "- game $number: $score points, $lives lives left, $turns turns"


ANSWERED = (
    "- A player who was hinted since their last turn ($count turns) then played, of the cards that the latest hint "
    "touched: the newest on $newest, the oldest of several on $oldest, one between on $other; otherwise they did "
    "something else."
)
PLAYED = "- Plays: $count. Of cards that no hint had touched: $blind. Wrong: $wrong."
DISCARDED = (
    "- Discards: $count. The oldest card that no hint had touched: $oldest; the newest of several such: $newest; "
    "a card that a hint had touched: $hinted."
)
HINTED = "- Hints: $count, $share of all turns; of a colour: $colour, of a rank: $rank."
TOKENS = "- Tokens at the beginning of a turn: $tokens on average."


def _shares(total: int, **parts: int) -> dict[str, str]:
    """Each part as a percentage of the whole; `0%` of an empty one."""
    return {name: percent(part / total) if total else "0%" for name, part in parts.items()}
