"""Two run folders: which games are the same, where the others part, and the paired differences of
their arms."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.analysis import conclusions
from hanabi_orchestrator.experiments.analysis.analysis import Analysis
from hanabi_orchestrator.experiments.analysis.caveats import caveats
from hanabi_orchestrator.experiments.analysis.compare import compare
from hanabi_orchestrator.experiments.analysis.differences import differences, second_differences
from hanabi_orchestrator.experiments.analysis.games import by_arm, player_counts
from hanabi_orchestrator.experiments.analysis.statistics.estimates import Interval
from hanabi_orchestrator.experiments.analysis.summaries import Summary, summaries, too_few_own
from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Column,
    Heading,
    Note,
    notes,
    table,
)
from hanabi_orchestrator.experiments.document.formats import INT, Format
from hanabi_orchestrator.experiments.record import measures, rows, run_folder
from hanabi_orchestrator.experiments.record.game import Game, first_difference
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.report import order, run_data, run_report, score_tables
from hanabi_orchestrator.experiments.study.metric import Headline, headline
from hanabi_orchestrator.experiments.study.stop_rule import StopRule
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.game_so_far import differences as changed
from hanabi_orchestrator.roles.words import many

SHOWN = 40
"""Games that are shown; `--json` has all."""


@dataclass(frozen=True)
class ArmPair:
    """An arm of each run."""

    first: str
    second: str
    """Their names in the analysis: `A: full`, `B: full`."""
    differs: tuple[str, ...]
    """What is different in the second, in words: graphs, models, prompts, versions."""


@dataclass(frozen=True)
class GamePair:
    """A deal that an arm of each run played."""

    arm: str
    """Of the first run; where the other is named otherwise, both: `full / full-2`."""
    players: int
    seed: int
    repeat: int
    a: float
    """The scores that the runs are compared by."""
    b: float
    first_turn: int | None
    """The first turn whose moves differ; None where all moves are the same, 0 where the journals
    are not there."""

    @property
    def difference(self) -> float:
        return self.b - self.a


@dataclass(frozen=True)
class RunDiff:
    runs: tuple[Path, Path]
    pairs: tuple[ArmPair, ...]
    games: tuple[GamePair, ...]
    alone: tuple[int, int]
    """Finished games of these arms that only the first run has, and only the second."""
    analysis: Analysis
    """Of the arms of both runs; each difference is that of an arm of the second from one of the
    first."""
    only: tuple[str, ...]
    """Arms without a counterpart."""
    headline: Headline
    """The score that they are compared by."""
    summaries: tuple[Summary, ...]
    """Of both runs, comparable row by row."""

    @property
    def same(self) -> bool:
        return (
            not any(self.alone)
            and not self.only
            and all(game.first_turn is None for game in self.games)
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the differences show, and what a stop rule of either run means for them."""
        stopped = []
        for run, folder in zip("AB", self.runs, strict=True):
            if StopRule.read(run_folder.run(folder)):
                stopped.append(run)
        warning = (
            f"{' and '.join(stopped)} had a stop rule: what it saw decided which deals there are, "
            "and these tests, the usual ones, do not allow for that. Its own report has those "
            "that do."
        )
        sentences = conclusions.sentences(self.analysis)
        return (*sentences, warning) if stopped else sentences


def diff(
    first: Path,
    second: Path,
    arm: str | None = None,
    arm_b: str | None = None,
    *,
    metric: str | None = None,
    interval: Interval = "t",
) -> RunDiff:
    """Compare arms of the same names, or one of each run. Raises UserError where nothing can be
    compared.

    `metric`: what to compare by, if it is not to be the one that both runs name.
    """
    folders = first, second
    headline = _headline(folders, metric)
    runs = [by_arm(rows.rows(folder)) for folder in folders]
    for folder, arms in zip(folders, runs, strict=True):
        if not arms:
            raise UserError(
                f"{str(folder)!r} is not a run folder with finished games: there are none in "
                f"{rows.GAMES}/"
            )
    tested = list[tuple[list[Row], list[Row]]]()
    pairs = list[ArmPair]()
    games = list[GamePair]()
    alone = [0, 0]
    for name, other in _chosen(runs, folders, arm, arm_b):
        a = [replace(row, arm=f"A: {name}") for row in runs[0][name]]
        b = [replace(row, arm=f"B: {other}") for row in runs[1][other]]
        if compare([row for row in b if row.players in player_counts(a)], a, measures.STRICT):
            tested.append((b, a))
            deals = []
            for arm_games in (a, b):
                deals.append({row.pairing: row for row in arm_games})
            pairs.append(ArmPair(f"A: {name}", f"B: {other}", _differs(folders, *deals)))
            both = name if name == other else f"{name} / {other}"
            games += _games(both, folders, headline, *deals)
            alone = [alone[i] + len(deals[i].keys() - deals[1 - i].keys()) for i in (0, 1)]
    if not tested:
        raise UserError(
            f"{str(first)!r} and {str(second)!r} have no deal in common: the same players, seed "
            "and repeat"
        )
    samples = [*chain.from_iterable((a, b) for b, a in tested)]
    of_arms = chain.from_iterable(summaries(sample, interval) for sample in samples)
    flat = [list(chain.from_iterable(samples[run::2])) for run in (0, 1)]
    first_differences = differences(tested, run_data.of_runs(headline.metric, folders, flat))
    analysis = Analysis(
        baseline=None,
        summaries=tuple(of_arms),
        differences=first_differences,
        other_differences=second_differences(tested, run_data.second(headline), first_differences),
        metric=headline.metric,
        score=headline.score,
        withheld=tuple(sample[0].arm for sample in samples if too_few_own(sample)),
        interval=interval,
    )
    only = () if arm or arm_b else _unpaired(runs, pairs)
    comparable = order.comparable(analysis, list(chain.from_iterable(samples)))
    return RunDiff(
        folders,
        tuple(pairs),
        tuple(games),
        (alone[0], alone[1]),
        analysis,
        only,
        headline,
        comparable,
    )


def _unpaired(runs: Sequence[Mapping[str, list[Row]]], pairs: Sequence[ArmPair]) -> tuple[str, ...]:
    """Return the arms of either run that are compared with none."""
    paired = set()
    for pair in pairs:
        paired |= {pair.first, pair.second}
    names = [f"A: {name}" for name in runs[0]] + [f"B: {name}" for name in runs[1]]
    return tuple(name for name in names if name not in paired)


def _headline(folders: tuple[Path, Path], metric: str | None) -> Headline:
    """Return what both runs name; the strict score where they name different metrics."""
    ours, other = (headline(run_folder.run(folder), metric) for folder in folders)
    if ours.metric != other.metric:
        return Headline("strict", f"A names {ours.metric} and B {other.metric}; see --metric")
    return ours


def _chosen(
    runs: Sequence[Mapping[str, list[Row]]],
    folders: Sequence[Path],
    arm: str | None,
    arm_b: str | None,
) -> list[tuple[str, str]]:
    """Return names of arms. Raises UserError."""
    if arm or arm_b:
        first = arm or arm_b or ""
        other = arm_b or arm or ""
        for name, games, folder in zip((first, other), runs, folders, strict=True):
            if name not in games:
                raise UserError(
                    f"{str(folder)!r} has no games of arm {name!r}; its arms are: "
                    f"{', '.join(games)}"
                )
        return [(first, other)]
    if both := [(name, name) for name in runs[0] if name in runs[1]]:
        return both
    named = " and ".join(
        f"{str(folder)!r} ({', '.join(games)})" for folder, games in zip(folders, runs, strict=True)
    )
    raise UserError(f"{named} have no arm of the same name; name one of each: --arm A --arm B")


Deals = Mapping[tuple[int, int, int], Row]
"""An arm's games by player count, seed and repeat."""


def _differs(folders: tuple[Path, Path], first: Deals, second: Deals) -> tuple[str, ...]:
    """Return why the second arm's games are different ones, by one deal of each player count.

    Raises UserError where its deck differs: they cannot be paired.
    """
    differs = dict[str, None]()
    smallest = {deal[0]: deal for deal in sorted(first.keys() & second.keys(), reverse=True)}
    for _, deal in sorted(smallest.items()):
        paths = folders[0] / first[deal].journal, folders[1] / second[deal].journal
        old, new = (Game.open(path).started for path in paths)
        if old.deck != new.deck:
            raise UserError(
                f"{str(paths[0])!r} and {str(paths[1])!r} have the same seed and different decks"
            )
        changes = list(changed(old, new))
        names = [change for change in changes if change.startswith(("graph was", "model was"))]
        if any(change.startswith("graph") for change in names):
            changes = names  # the rest follows from these
        before = old.versions
        after = new.versions
        versions = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        changes += [
            f"{name} was {before.get(name, 'missing')}, is {after.get(name, 'missing')}"
            for name in versions
        ]
        differs |= dict.fromkeys(changes)
    return tuple(differs)


def _games(
    arm: str, folders: tuple[Path, Path], headline: Headline, first: Deals, second: Deals
) -> Iterator[GamePair]:
    for deal in sorted(first.keys() & second.keys()):
        a = first[deal]
        b = second[deal]
        paths = folders[0] / a.journal, folders[1] / b.journal
        turn = None
        if a.moves_digest != b.moves_digest:
            there = all(path.exists() for path in paths)
            if there:
                turn = first_difference(*(Game.open(path).moves for path in paths))
            else:
                turn = 0
        yield GamePair(arm, *deal, a.score(headline.score), b.score(headline.score), turn)


def json_value(difference: RunDiff) -> dict[str, Any]:
    """Return the differences as plain data."""
    return {
        "same": difference.same,
        "games": [asdict(game) | {"difference": game.difference} for game in difference.games],
        "only_a": difference.alone[0],
        "only_b": difference.alone[1],
        "compared": {
            "a": str(difference.runs[0]),
            "b": str(difference.runs[1]),
            "pairs": [asdict(pair) for pair in difference.pairs],
            "only": list(difference.only),
            **run_report.analysis_data(difference.analysis),
            "said": [*caveats(difference.analysis), *difference.sentences],
            "metric_why": difference.headline.why,
        },
    }


def blocks(difference: RunDiff) -> Iterator[Block]:
    """Return the games that differ, the largest differences first where there are many; then the
    runs compared."""
    games = difference.games
    same = sum(game.first_turn is None for game in games)
    text = f"{many(len(games), 'game')} of the same deals, {same} of them the same move by move"
    more = [f"{n} only in {name}" for name, n in zip("AB", difference.alone, strict=True) if n]
    yield Heading(f"{'; '.join((text, *more))}.")
    differing = [game for game in games if game.first_turn is not None]
    if len(differing) <= SHOWN:
        largest = differing
    else:
        largest = sorted(differing, key=lambda game: -abs(game.difference))[:SHOWN]
    columns = (
        Column("arm", "arm"),
        Column("players", "players", INT),
        Column("seed", "seed", INT),
        Column("repeat", "repeat", INT),
        Column("first_turn", "first turn", INT),
        Column("a", "A", INT),
        Column("b", "B", INT),
        Column("difference", "B - A", Format(lambda value: f"{value:+d}")),
    )
    yield table("games", columns, [(*astuple(game), game.difference) for game in largest])
    if largest:
        score = difference.headline.score
        yield Note(
            f"A and B are {score} scores; first turn is the first whose moves differ.", "aside"
        )
    if len(differing) > len(largest):
        others = many(len(differing) - len(largest), "more game")
        yield Note(f"Smaller differences in {others}: --json has all.", "aside")
    yield from notes(
        f"{name}  {folder}" for name, folder in zip("AB", difference.runs, strict=True)
    )
    yield from notes(caveats(difference.analysis), "no model")
    yield score_tables.brief(difference.analysis, difference.summaries)
    for pair in difference.pairs:
        differs = "; ".join(pair.differs) or "nothing that affects a game"
        yield Note(f"{pair.second} differs from {pair.first} in: {differs}.")
    yield from notes((difference.headline.sentence, *difference.sentences))
    if difference.only:
        yield Note(f"Without a counterpart: {', '.join(difference.only)}.")
