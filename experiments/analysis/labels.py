"""Names of arms wherever scores are shown: games without a language model are marked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from experiments.analysis.summaries import Summary

CHEATS = "cheats: sees its own cards"


@dataclass(frozen=True)
class _Players:
    """What played in an arm besides language models."""

    simulated: bool
    fake: bool
    program: bool
    """Whether nothing else did."""
    cheats: bool = False
    """Whether a seat saw its own cards."""

    def marked(self, arm: str) -> str:
        marks = {CHEATS: self.cheats, "simulated": self.simulated, "fake server": self.fake, "program": self.program}
        found = ", ".join(mark for mark, true in marks.items() if true)
        return f"{arm} ({found})" if found else arm


def labels(found: Iterable[Summary]) -> dict[str, str]:
    """By arm: simulated models and the fake server are marked, and programs when there are models beside them."""
    players = _players(found)
    mixed = not all(one.program for one in players.values())
    return {arm: replace(one, program=one.program and mixed).marked(arm) for arm, one in players.items()}


def difference_labels(found: Sequence[Summary], pairs: Iterable[tuple[str, str]]) -> list[str]:
    """For each arm and the one it is compared with: the arm's name, marked by what played in either of them."""
    players, named = _players(found), labels(found)
    return [_marked_by_both(arm, players[arm], players[baseline], named[arm]) for arm, baseline in pairs]


def _marked_by_both(arm: str, one: _Players, other: _Players, alone: str) -> str:
    both = _Players(one.simulated or other.simulated, one.fake or other.fake, program=False, cheats=one.cheats)
    return both.marked(arm) if both.simulated or both.fake else alone


def _players(found: Iterable[Summary]) -> dict[str, _Players]:
    players: dict[str, _Players] = {}
    for one in found:
        old = players.get(one.arm, _Players(simulated=False, fake=False, program=True))
        program, cheats = old.program and one.program, old.cheats or one.cheats
        now = _Players(old.simulated or one.simulated, old.fake or one.fake, program, cheats)
        players[one.arm] = now
    return players


def labelled(arm: str, simulated: bool) -> str:
    """The name of an arm, marked when a simulated model played in it."""
    return _Players(simulated, fake=False, program=False).marked(arm)
