"""A role that errs in whole games of its own, all other roles exact programs, and what every role's marks were."""

import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.fault_graphs import FAULTY, errors, hosting
from benchmarks.fault_positions import Again, asked_again
from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values import RoleMark, role_marks
from hanabi_orchestrator.experiments.values.marking import version
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.journal import fingerprint
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM

Mark = tuple[str, str]
"""A role and the name of one of its marks."""


@dataclass(frozen=True)
class Deal:
    """A deal in which a role errs."""

    role: str
    rate: float
    """Of each kind of error in its answers, 0 to 1; its text is never malformed."""
    seed: int
    players: int
    graph: str | None
    """Where the role is, if that graph has it."""
    own_games: bool = False
    """Whether the role errs all game long. Else it answers again at turns of a game in which nobody errs."""

    def path(self, folder: Path) -> Path:
        """Of what is kept: the marks, and beside them the journal."""
        way = "own-games" if self.own_games else "given-positions"
        return (
            folder
            / way
            / f"{self.role}-{self.players}p"
            / f"rate-{self.rate:g}"
            / f"s{self.seed}.json"
        )


@dataclass(frozen=True)
class Played:
    """The marks of a game, each as the mean over its replies: one value a game, for games are what is independent."""

    game: Deal
    marks: Mapping[Mark, float]
    beside: Mapping[Mark, float]
    """The same less what the role's program would have had with the same sections and notes."""
    erred: float = 0.0
    """Of the answers of the role that errs, the share in which an error was made."""


def played(games: Sequence[Deal], folder: Path, processes: int = 1) -> Iterator[Played]:
    """The games with their marks, in their order if games of a role and deal follow each other. What the folder has is
    neither played nor marked again."""
    deals = [list(each) for _, each in groupby(games, key=lambda game: (game.role, game.seed))]
    if processes == 1:
        yield from (one for deal in deals for one in _deal(deal, folder))
        return
    with ProcessPoolExecutor(processes) as pool:
        for found in pool.map(_deal, deals, [folder] * len(deals)):
            yield from found


def _deal(games: Sequence[Deal], folder: Path) -> list[Played]:
    """Games of one deal, one after the other: they share the game in which nobody errs."""
    return [_played(game, folder) for game in games]


def _played(game: Deal, folder: Path) -> Played:
    config, nodes = hosting(game.role, game.graph)
    path = game.path(folder)
    told = _told(config)
    if (kept := _read(path, told)) is None:
        story, turns = (
            _own(game, config, nodes, path)
            if game.own_games
            else _given(game, config, nodes, folder)
        )
        kept = _summed(story, turns, nodes)
        write_atomically(path, json.dumps({"of": told, **kept}))
    marks, beside = (
        {(role, name): value for role, name, value in kept[key]} for key in ("marks", "beside")
    )
    return Played(game, marks, beside, kept["erred"])


def _told(config: GraphConfig) -> str:
    """A hash of all that decides the marks: other code or another graph would be another game."""
    return fingerprint.hashed([version(tuple(roles.names())), config.model_dump(mode="json")])


def _read(path: Path, told: str) -> Any:
    """What is kept; None where that is nothing, or of something else."""
    found = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found if found.get("of") == told else None


def _summed(story: Game, turns: Collection[int], nodes: Sequence[str]) -> dict[str, Any]:
    """The means of a game's marks over its replies at these turns, as plain data."""
    found: dict[Mark, list[RoleMark]] = {}
    for one in role_marks(story, turns=turns):
        found.setdefault((one.role, one.name), []).append(one)
    less = {
        mark: [one.value - one.baselines[PROGRAM] for one in each if PROGRAM in one.baselines]
        for mark, each in found.items()
    }
    calls = [call for turn in turns for call in story.turn(turn).calls if call.node in nodes]
    return {
        "marks": [(*mark, fmean(one.value for one in each)) for mark, each in found.items()],
        "beside": [(*mark, fmean(values)) for mark, values in less.items() if values],
        "erred": fmean(bool(call.injected) for call in calls) if calls else 0.0,
    }


def _given(
    game: Deal, config: GraphConfig, nodes: Sequence[str], folder: Path
) -> tuple[Game, Collection[int]]:
    story = _programs(game.role, game.graph, game.players, game.seed, folder)
    turns = asked_again(story)
    return Again(story, _erring(game, config, nodes), nodes).at(turns), turns


@lru_cache(maxsize=1)
def _programs(role: str, graph: str | None, players: int, seed: int, folder: Path) -> Game:
    """The game in which nobody errs, that all rates of a deal begin with."""
    config, _ = hosting(role, graph)
    path = folder / "programs" / f"{config.name}-{players}p" / f"s{seed}.jsonl"
    return _story(graphs.seat(config), players, seed, path)


def _own(
    game: Deal, config: GraphConfig, nodes: Sequence[str], path: Path
) -> tuple[Game, Collection[int]]:
    story = _story(
        _erring(game, config, nodes), game.players, game.seed, path.with_suffix(".jsonl")
    )
    return story, range(1, len(story.turns) + 1)


def _erring(game: Deal, config: GraphConfig, nodes: Sequence[str]) -> graphs.GraphSeat:
    changed = graphs.change(config, **{node: {"model": FAULTY} for node in nodes})
    return graphs.seat(changed, named={FAULTY: errors(game.rate)})


def _story(seat: graphs.GraphSeat, players: int, seed: int, path: Path) -> Game:
    """The game of this seat with itself, played unless it is there."""
    if (found := _whole(path, seat)) is not None:
        return found
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(
        f".{os.getpid()}.part"
    )  # another command may play the same game at this time
    unfinished.unlink(missing_ok=True)
    play(seat, players=players, seed=seed, journal=unfinished)
    shutil.move(unfinished, path)
    return Game.open(path)


def _whole(path: Path, seat: graphs.GraphSeat) -> Game | None:
    """A game that such a seat played to its end; None where there is none: another graph's would be another game."""
    if not path.exists():
        return None
    story = Game.open(path)
    return story if story.result and story.started.seats[0] == seat.info else None
