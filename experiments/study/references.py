"""Published scores that a report may show beside a run's own: what they are, and which of them fit
a run.

They are for orientation: no claim, interval or test uses them.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import yaml

from hanabi_orchestrator.experiments.record.rows import Metric
from hanabi_orchestrator.graphs.config import PLAYERS, PlayerCount
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.values import Frozen


class Reference(Frozen):
    name: str
    says: str
    """Who played, in words."""
    score: Metric | Literal["rating"]
    """How a game counts in which the third life was lost; `rating` of a judge's, which is no
    score."""
    means: Mapping[PlayerCount | Literal["all"], float]
    """By player count, `all` over 2 to 5 players; empty where the source states none, so that
    nothing can be drawn."""
    n: str
    """How many games, as the source says."""
    source: str


@cache
def packaged() -> Mapping[str, Reference]:
    """Return the packaged references, by name."""
    data: Any = yaml.safe_load(files(__package__).joinpath("references.yaml").read_text("utf-8"))
    return {name: Reference(name=name, **fields) for name, fields in data.items()}


def named(names: Sequence[str]) -> tuple[Reference, ...]:
    """Return those of these names, each once. Raises UserError."""
    for name in names:
        if name not in packaged():
            raise UserError(f"there is no reference {name!r}; {did_you_mean(name, packaged())}")
    return tuple(packaged()[name] for name in dict.fromkeys(names))


def fitting(ref: Reference, players: Sequence[int], score: Metric) -> Mapping[int | str, float]:
    """Return its means at these player counts, and over all four; empty if it counts lost games
    otherwise than the run."""
    if set(players) == set(PLAYERS):
        counts = {*players, "all"}
    else:
        counts = set(players)
    if ref.score == score:
        return {count: mean for count, mean in ref.means.items() if count in counts}
    return {}


def unfit(references: Sequence[Reference], players: Sequence[int], score: Metric) -> Iterator[str]:
    """Why some are not shown, or not at every player count, in sentences."""
    for ref in references:
        counts = " and ".join(map(str, players))
        if not ref.means:
            yield (
                f"The reference {ref.name} is not drawn: its source gives no mean for a player "
                f"count ({ref.n})."
            )
        elif ref.score != score:
            yield (
                f"The reference {ref.name} is not shown: its score is {ref.score}, and this "
                f"report is by {score}."
            )
        elif not (means := fitting(ref, players, score)):
            has = ", ".join(map(str, ref.means))
            yield (
                f"The reference {ref.name} is not shown: it has {has} players, and this run "
                f"{counts}."
            )
        elif "all" not in means and (missing := [count for count in players if count not in means]):
            yield (
                f"The reference {ref.name} has no mean at {' and '.join(map(str, missing))} "
                "players."
            )


def rows() -> list[dict[str, str]]:
    """Return a row for each, for a list."""
    rows = []
    for ref in packaged().values():
        means = []
        for count, mean in ref.means.items():
            means.append(f"{count}{'' if count == 'all' else 'p'} {mean:g}")
        rows.append(
            {
                "name": ref.name,
                "score": ref.score,
                "means": ", ".join(means) or "none by player count",
                "n": ref.n,
                "says": ref.says,
                "source": ref.source,
            }
        )
    return rows
