"""The finished games of a run folder, read from its journals, and results.csv, which has a line for each."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from hanabi_orchestrator.experiments.record.files import write_csv
from hanabi_orchestrator.experiments.record.game import Game, NotBegun
from hanabi_orchestrator.experiments.record.provenance import Provenance
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import MAX_LIVES
from hanabi_orchestrator.orchestrator.journal.events import Result
from hanabi_orchestrator.orchestrator.logs import log
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.models.simulated_settings import among
from hanabi_orchestrator.orchestrator.regular_files import below

GAMES = "games"
RESULTS = "results.csv"
PERFECT = 25
"""The highest score."""

Metric = Literal["strict", "kept"]
"""How a game in which the third life was lost scores: 0, or the points on the table."""

Better = Literal["more", "fewer"]

Int8 = Annotated[int, "int8"]
Int16 = Annotated[int, "int16"]
Int32 = Annotated[int, "int32"]
Int64 = Annotated[int, "int64"]
"""Integers with the width that they have in Parquet files."""


@dataclass(frozen=True)
class Number:
    """The meaning of a number of a game, as the column of that number declares it."""

    says: str
    """What it is, in a clause."""
    unit: str = ""
    """`points`, `turns per game`: what there is more or fewer of."""
    better: Better | None = None
    """Which side is better; None where neither is."""
    least: float | None = 0.0
    """The smallest value that is possible; None where there is no such value."""
    most: float | None = None
    by_moves: bool = False
    """Whether it follows from the moves, so that games with the same moves cannot differ in it."""


@dataclass(frozen=True, order=True)
class Row:
    """A finished game; the fields are the columns of results.csv."""

    arm: str
    """The name of the arm."""
    graph: str
    """The names of the graphs and players in the seats, joined by `+`."""
    players: Int8
    """The number of players, 2 to 5."""
    seed: Int64
    """The number of the deal: HLE's own deal of this seed, or the place of a named deck."""
    repeat: Int32
    """Which game of the deal, from 1."""
    score_strict: Annotated[
        Int8,
        Number(
            "the score, 0 in a game in which the third life was lost",
            "points",
            "more",
            most=PERFECT,
            by_moves=True,
        ),
    ]
    score_kept: Annotated[
        Int8,
        Number(
            "the points on the table, even when the third life was lost",
            "kept points",
            "more",
            most=PERFECT,
            by_moves=True,
        ),
    ]
    lives: Annotated[
        Int8,
        Number("lives left at the end", "lives at the end", "more", most=MAX_LIVES, by_moves=True),
    ]
    turns: Annotated[Int16, Number("the turns of a game", "turns per game", by_moves=True)]
    end: str
    """How the game ended, `perfect`, `deck_exhausted`, `lives_lost` or `max_turns`; an imported one also by `vote`,
    `player` or `clock`."""
    calls: Annotated[Int32, Number("calls of models", "calls per game", "fewer")]
    fallbacks: Annotated[
        Int32, Number("questions without a usable answer", "fallbacks per game", "fewer")
    ]
    forced: Annotated[
        Int32, Number("moves that a program chose safely", "forced moves per game", "fewer")
    ]
    tokens_in: Annotated[Int64, Number("tokens of prompts", "prompt tokens per game", "fewer")]
    tokens_out: Annotated[Int64, Number("tokens of answers", "answer tokens per game", "fewer")]
    usd: Annotated[
        float | None, Number("the price of a game in dollars", "dollars per game", "fewer")
    ]
    journal: str
    """The path of the journal, relative to the run folder."""
    simulated: bool = False
    """Whether a simulated model played, which must never be taken for a language model."""
    model: str = PROGRAM
    """The names of the models, joined by `+`."""
    misplays: Annotated[
        Int8,
        Number(
            "plays that cost a life", "misplays per game", "fewer", most=MAX_LIVES, by_moves=True
        ),
    ] = 0
    hints_wasted: Annotated[
        Int16,
        Number("hints that told nothing new", "wasted hints per game", "fewer", by_moves=True),
    ] = 0
    reasked: Annotated[
        Int32, Number("answers that were asked again", "second asks per game", "fewer")
    ] = 0
    model_moves: Annotated[Int16, Number("moves of seats that ask a model")] = 0
    own: Annotated[Int16, Number("of these, the moves that the seat chose")] = 0
    refused: Annotated[
        Int16, Number("choices that a judge or rule refused", "refused choices per game", "fewer")
    ] = 0
    refused_by_rule: Annotated[Int16, Number("of these, choices that the safety rule refused")] = 0
    refused_turns: Annotated[Int16, Number("turns with a refused choice")] = 0
    after_refusal: Annotated[
        Int16, Number("of these, turns in which the next choice was accepted")
    ] = 0
    copied: Annotated[Int32, Number("answers that repeat the example of their prompt")] = 0
    copied_moves: Annotated[Int16, Number("moves read from such answers")] = 0
    second_ask: Annotated[Int16, Number("moves read from the deciding node's second answer")] = 0
    first_misplays: Annotated[
        Int16, Number("refused first choices that would have cost a life")
    ] = 0
    first_points: Annotated[Int16, Number("refused first choices that would have scored")] = 0
    played_misplays: Annotated[Int16, Number("moves played in their place that cost a life")] = 0
    played_points: Annotated[Int16, Number("moves played in their place that scored")] = 0
    fake: bool = False
    """Whether the package's fake server answered, which must never be taken for a language model."""
    moves_digest: str = ""
    """A hash of the moves: games of a deal with the same are the same game."""
    control: str | None = None
    """The control that the arm is, such as `noise_floor` or `placebo analyst`; with `own_hand` a seat cheated."""

    deck_name: str | None = None
    """The name of a deck of the experiment, whose number is `seed`; None for HLE's own deal."""

    def score(self, metric: Metric) -> float:
        return self.score_strict if metric == "strict" else self.score_kept

    @property
    def name(self) -> str:
        """The game's name in its run: `full/2p-s1-r1`."""
        return f"{self.arm}/{Path(self.journal).stem}"

    @property
    def pairing(self) -> tuple[int, int, int]:
        """Player count, seed and repeat: games of two arms with the same are a pair."""
        return self.players, self.seed, self.repeat

    @property
    def game(self) -> tuple[object, ...]:
        """The identity of the game among those of its deal: its moves, or the game itself where these are not known."""
        return (self.moves_digest or self.name,)

    @property
    def moves(self) -> tuple[int, int]:
        """The moves of seats that ask a model, and the number of own moves among them."""
        return self.model_moves, self.own

    @property
    def provenance(self) -> Provenance:
        """The kinds of players."""
        return Provenance.of_models(self.model, fake=self.fake)

    @property
    def cheats(self) -> bool:
        """Whether a seat saw its own cards, which must never be taken for play by the rules."""
        return "own_hand" in (self.control or "").split("; ")


COLUMNS = tuple(Row.__dataclass_fields__)


STATED = tuple(name for name in COLUMNS if name in Result.model_fields)
"""The columns that a game's result has under the same names."""


def row(arm: str, repeat: int, journal: str, result: Result) -> Row:
    named = {name: getattr(result, name) for name in STATED}
    simulated = bool(among(result.model))
    misplays = MAX_LIVES - result.lives
    return Row(
        arm=arm, repeat=repeat, journal=journal, simulated=simulated, misplays=misplays, **named
    )


CONSTRUCTED = "probe"
"""The graph of seats whose moves were set to make a position. A game with such seats has no score of its own."""


def constructed(graph: str) -> bool:
    """Whether some seats of a game, named as in `Row.graph`, only made the position that another was asked about."""
    return CONSTRUCTED in graph.split("+")


def who_played(graph: str, model: str) -> str:
    """What stands for the arm of a game that is no part of a run."""
    names = "+".join(name.partition("@")[0] for name in model.split("+"))
    return graph if model == PROGRAM else f"{graph} on {names}"


def with_seeds(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Rows for statistics, which ask for a seed: a deck of its own counts as a deal of its own."""
    return tuple(
        replace(row, seed=-1 - n) if row.seed is None else row for n, row in enumerate(rows)
    )


def journal_name(players: int, seed: int | None, repeat: int) -> str:
    """The name of a game's journal in the folder of its arm."""
    return f"{players}p-s{seed}-r{repeat}.jsonl"


_NAME = re.compile(r"\d+p-s\d+-r\d+\.jsonl")


Refusal = Callable[[Path, UserError], None]
"""What is done about a journal that cannot be read."""


def refuse(path: Path, error: UserError) -> None:
    raise error


def leave_out(path: Path, error: UserError) -> None:
    log.warning("left out", file=str(path), why=str(error))


def peek_all(
    folder: Path, earlier: Mapping[Path, Game] | None = None, unreadable: Refusal = refuse
) -> dict[Path, Game]:
    """Return the games of a run folder that have begun, by path; finished ones of an `earlier` look are not read again.

    Files with other names than those of journals, such as copies, are left out. A file that is no journal, was changed,
    or has the name of another game is `unreadable`: then this raises UserError, unless something else is done.
    """
    finished = {path: game for path, game in (earlier or {}).items() if game.result}
    games = {}
    for path in below(folder, f"{GAMES}/*/*.jsonl"):
        if not _NAME.fullmatch(path.name):
            if earlier is None:
                log.warning("left out: its name is not that of a game's journal", file=str(path))
            continue
        try:
            games[path] = finished.get(path) or _named(path)
        except NotBegun:
            continue
        except UserError as error:
            unreadable(path, error)
    return games


def _named(path: Path) -> Game:
    """Return the game of a journal. Raises UserError where it has the name of another one."""
    game = Game.open(path)
    started = game.started
    if (name := journal_name(started.players, started.seed, started.repeat)) != path.name:
        advice = "give it that name, or move it out of the run folder"
        raise UserError(f"{str(path)!r} holds the game of {name}; {advice}")
    return game


def rows(folder: Path) -> list[Row]:
    """All finished games of a run folder, sorted by arm, players, seed and repeat."""
    return finished(folder, peek_all(folder))


def finished(folder: Path, games: Mapping[Path, Game]) -> list[Row]:
    """Return the finished games among the journals of a run folder, sorted by arm, players, seed and repeat."""
    rows = [
        row(path.parent.name, game.started.repeat, path.relative_to(folder).as_posix(), game.result)
        for path, game in games.items()
        if game.result
    ]
    return sorted(rows, key=lambda row: (row.arm, row.players, row.seed, row.repeat))


def write(folder: Path, rows: Iterable[Row]) -> None:
    """Write results.csv into a run folder."""
    write_csv(folder / RESULTS, COLUMNS, ([getattr(row, name) for name in COLUMNS] for row in rows))
