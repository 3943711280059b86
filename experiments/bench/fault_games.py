"""Games in which one role errs and all others are exact programs, and what every role's marks were in them."""

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import graphs
import roles
from experiments.marks.role_marks import role_marks
from experiments.results.story import Story
from graphs.config import GraphConfig, checked
from orchestrator import journal, play
from orchestrator.errors import UserError
from orchestrator.journal.events import GameEnded, GameStarted
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import KINDS
from roles.marks import infos

FAULTY = "faulty"
"""The model of the node that errs."""
HOST = "house"
"""The graph that gets a node of a role that no graph has."""

Mark = tuple[str, str]
"""A role and the name of one of its marks."""


@dataclass(frozen=True)
class Game:
    """One game to be played."""

    role: str
    """The one that errs."""
    rate: float
    """Of each kind of error in its answers, 0 to 1; its text is never malformed."""
    seed: int
    players: int
    graph: str | None
    """Where the role is, if that graph has it."""

    def path(self, folder: Path) -> Path:
        return folder / f"{self.role}-{self.players}p" / f"rate-{self.rate:g}" / f"s{self.seed}.jsonl"


@dataclass(frozen=True)
class Played:
    """The marks of a game, each as the mean over its replies: one value a game, for games are what is independent."""

    game: Game
    marks: Mapping[Mark, float]
    beside: Mapping[Mark, float]
    """The same less what the role's program would have had with the same sections and notes."""


def faulty(role: str, graph: str | None) -> tuple[GraphConfig, tuple[str, ...]]:
    """A graph with the role, every node a program but those of the role; and the names of these nodes.

    It is `graph` if that has the role, else the first that has it, else `house` with a node of it that the deciding
    node reads. Raises UserError for an unknown graph or role, or a role without a program.
    """
    if roles.get(role).solve is None:
        raise UserError(f"role {role!r} has no program, so no errors can be put into it")
    found = next((one for one in _candidates(graph) if _nodes(one, role)), None) or _with(graphs.read(HOST), role)
    nodes = _nodes(found, role)
    return graphs.change(found, **{node: {"model": FAULTY} for node in nodes}), nodes


def _candidates(graph: str | None) -> Iterator[GraphConfig]:
    yield from (graphs.read(name) for name in ([graph] if graph else []) + list(graphs.names()))


def _nodes(config: GraphConfig, role: str) -> tuple[str, ...]:
    return tuple(name for name, node in config.nodes.items() if node.role == role)


def _with(config: GraphConfig, role: str) -> GraphConfig:
    data = config.model_dump(mode="json")
    others = [name for name in config.nodes if name != config.decides]
    decides = data["nodes"].pop(config.decides)
    decides["reads"] = [*decides["reads"], role]
    data["nodes"] |= {
        role: {"role": role, "reads": others[:1]},
        config.decides: decides,
    }  # a node stands after its notes
    return checked(data | {"name": f"{config.name}_{role}"}, f"{config.name} with {role}")


def marked_roles() -> list[str]:
    """The roles with marks that a program can play."""
    known = (roles.get(name) for name in roles.names())
    return [role.name for role in known if infos(role.mark) and role.solve and role.template]


def played(games: Sequence[Game], folder: Path, processes: int = 1) -> Iterator[Played]:
    """The games with their marks, in any order. Those whose journals are in the folder are not played again."""
    if processes == 1:
        yield from (_played(game, folder) for game in games)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(_played, games, [folder] * len(games))


def _played(game: Game, folder: Path) -> Played:
    path, seat = game.path(folder), _seat(game)
    if not _whole(path, seat):
        _play(game, seat, path)
    found: dict[Mark, list[tuple[float, float | None]]] = {}
    for one in role_marks(Story.read(journal.read(path))):
        exact = one.baselines.get(PROGRAM)
        found.setdefault((one.role, one.name), []).append((one.value, None if exact is None else one.value - exact))
    beside = {mark: [less for _, less in values if less is not None] for mark, values in found.items()}
    return Played(game, _means({mark: [v for v, _ in values] for mark, values in found.items()}), _means(beside))


def _means(found: Mapping[Mark, Iterable[float]]) -> Mapping[Mark, float]:
    return {mark: fmean(values) for mark, values in found.items() if values}


def _seat(game: Game) -> graphs.GraphSeat:
    config, _ = faulty(game.role, game.graph)
    errors = {kind: 0.0 if kind == "malformed" else game.rate for kind in KINDS}
    return graphs.seat(config, PROGRAM, named={FAULTY: {"model": "sim:average", **errors}})


def _whole(path: Path, seat: graphs.GraphSeat) -> bool:
    """Whether the game was played to its end by such a seat: another graph or other errors would be another game."""
    if not path.exists():
        return False
    started, *_, ended = journal.read(path)
    return isinstance(started, GameStarted) and isinstance(ended, GameEnded) and started.seats[0] == seat.info


def _play(game: Game, seat: graphs.GraphSeat, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    play(seat, players=game.players, seed=game.seed, journal=unfinished)
    shutil.move(unfinished, path)
