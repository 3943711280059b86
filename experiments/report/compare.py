"""Two runs, arm by arm, on the deals that both played, and what differs between their games."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from experiments.analysis import compare as comparisons
from experiments.analysis import conclusions
from experiments.analysis.analysis import Analysis
from experiments.analysis.caveats import caveats
from experiments.analysis.differences import differences
from experiments.analysis.games import by_arm, player_counts
from experiments.analysis.summaries import Summary, summaries, too_few_own
from experiments.document.blocks import Block, Note, notes
from experiments.record import measures, rows, run_folder
from experiments.record.game import Game
from experiments.record.rows import Row
from experiments.report import order, run_data, run_summary, score_tables
from experiments.statistics.estimates import Interval
from experiments.study.metric import Headline, headline
from experiments.study.stop_rule import StopRule
from orchestrator.errors import UserError
from orchestrator.journal.events import GameStarted
from orchestrator.journal.game_so_far import differences as changed


@dataclass(frozen=True)
class Pair:
    """An arm of each run."""

    first: str
    second: str
    """Their names in the analysis: `A: full`, `B: full`."""
    differs: tuple[str, ...]
    """What is different in the second, in words: graphs, models, prompts, versions."""


@dataclass(frozen=True)
class Compared:
    runs: tuple[Path, Path]
    pairs: tuple[Pair, ...]
    analysis: Analysis
    """Of the arms of both runs; each difference is that of an arm of the second from one of the first."""
    only: tuple[str, ...]
    """Arms without a counterpart."""
    headline: Headline
    """The score that they are compared by."""
    summaries: tuple[Summary, ...]
    """Of both runs, comparable row by row."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the differences show, and what a stop rule of either run means for them."""
        stopped = [run for run, folder in zip("AB", self.runs, strict=True) if StopRule.read(run_folder.run(folder))]
        warning = (
            f"{' and '.join(stopped)} had a stop rule: what it saw decided which deals there are, and these tests, the "
            "usual ones, do not allow for that. Its own report has those that do."
        )
        return (*conclusions.sentences(self.analysis), *([warning] if stopped else []))


def compare(
    first: Path,
    second: Path,
    arm: str | None = None,
    arm_b: str | None = None,
    *,
    interval: Interval = "t",
    metric: str | None = None,
) -> Compared:
    """Return arms of the same names, or one of each run. Raises UserError where nothing can be compared.

    `metric`: what to compare by, if it is not to be the one that both runs name.
    """
    headline = _headline(first, second, metric)
    runs = _games(first), _games(second)
    chosen = _chosen(runs, (first, second), arm, arm_b)
    ours = [[replace(row, arm=f"B: {b}") for row in runs[1][b]] for _, b in chosen]
    theirs = [[replace(row, arm=f"A: {a}") for row in runs[0][a]] for a, _ in chosen]
    tested_pairs = [
        (_pair(a, b, (first, second)), a, b)
        for a, b in zip(theirs, ours, strict=True)
        if comparisons.compare([row for row in b if row.players in player_counts(a)], a, measures.STRICT)
    ]
    if not tested_pairs:
        raise UserError(f"{str(first)!r} and {str(second)!r} have no deal in common: the same players, seed and repeat")
    tested = [(b, a) for _, a, b in tested_pairs]
    flat = [row for _, a, _ in tested_pairs for row in a], [row for _, _, b in tested_pairs for row in b]
    measure = run_data.of_runs(headline.metric, (first, second), flat)
    other = run_data.second(headline)
    analysis = Analysis(
        baseline=None,
        summaries=tuple(s for _, a, b in tested_pairs for games in (a, b) for s in summaries(games, interval)),
        differences=differences(tested, measure),
        other_differences=differences(tested, other),
        metric=headline.metric,
        score=headline.score,
        withheld=tuple(games[0].arm for _, a, b in tested_pairs for games in (a, b) if too_few_own(games)),
        interval=interval,
    )
    alone = [f"{run}: {name}" for run, games in zip("AB", runs, strict=True) for name in games]
    seen = {name for pair, _, _ in tested_pairs for name in (pair.first, pair.second)}
    only = () if arm or arm_b else tuple(name for name in alone if name not in seen)
    comparable = order.comparable(analysis, [row for _, a, b in tested_pairs for games in (a, b) for row in games])
    return Compared((first, second), tuple(pair for pair, _, _ in tested_pairs), analysis, only, headline, comparable)


def _headline(first: Path, second: Path, metric: str | None) -> Headline:
    """Return what both runs name; the strict score where they name different metrics."""
    ours, other = (headline(run_folder.run(folder), metric) for folder in (first, second))
    if ours.metric != other.metric:
        return Headline("strict", f"A names {ours.metric} and B {other.metric}; see --metric")
    return ours


def _games(run: Path) -> Mapping[str, list[Row]]:
    """Return the games of a run by arm. Raises UserError for a folder without finished games."""
    if not (arms := by_arm(rows.rows(run))):
        raise UserError(f"{str(run)!r} is not a run folder with finished games: there are none in {rows.GAMES}/")
    return arms


def _chosen(
    runs: Sequence[Mapping[str, list[Row]]], folders: Sequence[Path], arm: str | None, arm_b: str | None
) -> list[tuple[str, str]]:
    """Return names of arms. Raises UserError."""
    if arm or arm_b:
        first, other = arm or arm_b or "", arm_b or arm or ""
        for name, games, folder in zip((first, other), runs, folders, strict=True):
            if name not in games:
                raise UserError(f"{str(folder)!r} has no games of arm {name!r}; its arms are: {', '.join(games)}")
        return [(first, other)]
    if both := [(name, name) for name in runs[0] if name in runs[1]]:
        return both
    named = " and ".join(f"{str(folder)!r} ({', '.join(games)})" for folder, games in zip(folders, runs, strict=True))
    raise UserError(f"{named} have no arm of the same name; name one of each: --arm A --arm B")


def _pair(theirs: Sequence[Row], ours: Sequence[Row], folders: tuple[Path, Path]) -> Pair:
    differs = dict[str, None]()
    for n in player_counts(theirs):
        at = [{(row.seed, row.repeat): row for row in games if row.players == n} for games in (theirs, ours)]
        for game in sorted(at[0].keys() & at[1].keys())[:1]:
            differs |= dict.fromkeys(_differs(*(folders[i] / at[i][game].journal for i in (0, 1))))
    return Pair(theirs[0].arm, ours[0].arm, tuple(differs))


def _differs(first: Path, second: Path) -> list[str]:
    """Return why the second game is a different one. Raises UserError where its deck differs: they cannot be paired."""
    old, new = Game.open(first).started, Game.open(second).started
    if old.deck != new.deck:
        raise UserError(f"{str(first)!r} and {str(second)!r} have the same seed and different decks")
    changes = changed(old, new)
    names = [
        change for change in changes if change.startswith(("graph was", "model was"))
    ]  # the rest follows from these
    return [*(names if any(change.startswith("graph") for change in names) else changes), *_versions(old, new)]


def _versions(old: GameStarted, new: GameStarted) -> list[str]:
    before, after = old.versions, new.versions
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return [f"{name} was {before.get(name, 'missing')}, is {after.get(name, 'missing')}" for name in names]


def json_value(compared: Compared) -> dict[str, Any]:
    """Return the comparison as plain data."""
    a, b = map(str, compared.runs)
    return {
        "a": a,
        "b": b,
        "pairs": [asdict(pair) for pair in compared.pairs],
        "only": list(compared.only),
        **run_summary.analysis_data(compared.analysis),
        "said": [*caveats(compared.analysis), *compared.sentences],
        "metric_why": compared.headline.why,
    }


def blocks(compared: Compared) -> Iterator[Block]:
    """Return the tables of both runs' arms and their differences, what differs between the games, and conclusions."""
    yield from notes(f"{name}  {folder}" for name, folder in zip("AB", compared.runs, strict=True))
    yield from notes(caveats(compared.analysis), "no model")
    yield score_tables.brief(compared.analysis, compared.summaries)
    for pair in compared.pairs:
        differs = "; ".join(pair.differs) or "nothing that affects a game"
        yield Note(f"{pair.second} differs from {pair.first} in: {differs}.")
    yield from notes((compared.headline.sentence, *compared.sentences))
    if compared.only:
        yield Note(f"Without a counterpart: {', '.join(compared.only)}.")
