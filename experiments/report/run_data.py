"""The data of a report: the games of a run folder, their analysis, and sums over their turns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hanabi_orchestrator.experiments.analysis import (
    adhoc_teams,
    extensions,
    role_controls,
    stopping,
)
from hanabi_orchestrator.experiments.analysis.adhoc_teams import AdHocTeams
from hanabi_orchestrator.experiments.analysis.analysis import OTHER, Analysis, analyse
from hanabi_orchestrator.experiments.analysis.caveats import labels, provenances
from hanabi_orchestrator.experiments.analysis.coalitions import CoalitionStudy, coalition_study
from hanabi_orchestrator.experiments.analysis.differences import (
    Difference,
    more_differences,
    own_contrasts,
)
from hanabi_orchestrator.experiments.analysis.games import by_arm
from hanabi_orchestrator.experiments.analysis.role_controls import RoleControls
from hanabi_orchestrator.experiments.analysis.role_marks import MarkedGame
from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    Estimate,
    Interval,
    Matrix,
    estimate_mean,
)
from hanabi_orchestrator.experiments.analysis.summaries import DealVariance, Summary, deal_variance
from hanabi_orchestrator.experiments.record import measures, run_folder, turn_rows
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.measures import MARK, Measure, known
from hanabi_orchestrator.experiments.record.provenance import Provenance
from hanabi_orchestrator.experiments.record.rows import Metric, Row
from hanabi_orchestrator.experiments.record.turn_rows import TurnRow
from hanabi_orchestrator.experiments.report import order
from hanabi_orchestrator.experiments.report.answerers import Answerer, Asked, read_asked
from hanabi_orchestrator.experiments.report.mark_metric import of_mark
from hanabi_orchestrator.experiments.study.metric import Headline, headline
from hanabi_orchestrator.experiments.study.pairs import EVALUATED, WITH
from hanabi_orchestrator.experiments.study.references import Reference
from hanabi_orchestrator.experiments.study.rerun import labelled


def of_runs(name: str, folders: Sequence[Path], games: Sequence[Sequence[Row]]) -> Measure:
    """Return the metric of this name; that of a mark is read from the journals of the games. Raises
    UserError."""
    if name.startswith(MARK):
        return of_mark(name, folders, games)
    return measures.metric(name)


def second(headline: Headline) -> Measure:
    """Return what the second columns of a table of differences show: the other score, or the score
    beside another metric."""
    return measures.metric(
        OTHER[headline.score] if headline.metric == headline.score else headline.score
    )


MOST_TURNS = 128
"""Turns that are counted separately; no game of Hanabi has as many."""


@dataclass
class TurnTally:
    """Sums over the turns of an arm's games, added game by game, so that no turn has to be kept."""

    games: int = 0
    longest: int = 0
    deals: dict[int, list[Matrix]] = field(default_factory=dict)
    """By seed, for each repeat: the points after every turn; a finished game keeps its points."""
    lost: list[int] = field(default_factory=lambda: [0] * MOST_TURNS)
    """By turn, the sum of the lives lost until then."""
    ranks: Counter[int] = field(default_factory=Counter)
    agreements: Counter[float] = field(default_factory=Counter)
    proposed: dict[str, list[float]] = field(default_factory=dict)
    """By node: the sum of the shares of its samples that proposed the move, and the number of
    turns."""
    list_ranks: dict[int, dict[tuple[int, int], Counter[int]]] = field(default_factory=dict)
    """By seat, then by seed and repeat: ranks of chosen moves in a recommender's list, as
    `TurnRow.list_rank`."""

    def add(self, turns: Sequence[TurnRow], seed: int = 0) -> None:
        """Add the turns of a game of the deal of this seed, in order."""
        if not turns:
            return
        self.games += 1
        self.longest = min(max(self.longest, len(turns)), MOST_TURNS)
        each = [turns[min(number, len(turns) - 1)] for number in range(MOST_TURNS)]
        self.deals.setdefault(seed, []).append(
            np.array([turn.score for turn in each], dtype=np.uint8)
        )
        for number, turn in enumerate(each):
            self.lost[number] += 3 - turn.lives
        for turn in turns:
            if turn.rank is not None:
                self.ranks[turn.rank] += 1
            if turn.agreement is not None:
                self.agreements[turn.agreement] += 1
            for node, share in turn.proposals.items():
                sums = self.proposed.setdefault(node, [0.0, 0])
                sums[0] += share
                sums[1] += 1
            if turn.list_rank is not None:
                by_game = self.list_ranks.setdefault(turn.seat, {})
                by_game.setdefault((turn.seed or seed, turn.repeat), Counter())[turn.list_rank] += 1

    @cached_property
    def units(self) -> Matrix:
        """The points after every turn, a row for each deal, repeats averaged; of a single deal, for
        each repeat."""
        deals = list(self.deals.values())
        return np.array(
            deals[0] if len(deals) == 1 else [np.mean(games, axis=0) for games in deals],
            dtype=float,
        )

    def score(self, turn: int) -> Estimate | float:
        """Return mean points after a turn, over deals; a bare mean for a single one. Turn 1 is the
        first."""
        points = self.units[:, turn - 1].tolist()
        return estimate_mean(points) or float(points[0])

    def lives_lost(self, turn: int) -> float:
        return self.lost[turn - 1] / self.games


DERIVED = ("lives", "tokens")
"""Metrics that follow from others: lives are 3 less misplays, tokens a sum. They would be tested
twice."""
ROWS = 24
"""The most arms that a figure with a row for each of them shows."""


class NothingToDrawError(Exception):
    """A figure has no data; the message says why."""


@dataclass(frozen=True)
class RunData:
    folder: Path
    rows: tuple[Row, ...]
    analysis: Analysis
    run: Mapping[str, Any]
    """The contents of run.yaml; empty without that file."""
    arms: tuple[str, ...]
    """In the order of the report."""
    headline: Headline
    """What it is about."""
    marked: tuple[MarkedGame, ...] = ()
    """The games with the marks of their roles, where a report has them."""
    references: tuple[Reference, ...] = ()
    """Published scores to show beside the run's own."""
    coalitions: CoalitionStudy | None = None
    """What the parts of a design of coalitions add; None for any other run."""
    own_contrasts: tuple[Difference, ...] = ()
    """The combinations of arms that the experiment names; `arm` is the name of each."""
    journals: Mapping[Path, Game] = field(default_factory=dict)
    """Its games by path, as far as they have been opened already."""
    unread: Mapping[Path, str] = field(default_factory=dict)
    """Why journals could not be read, which count as games that are not finished."""

    @cached_property
    def asked(self) -> Asked:
        """What models were asked; from the journals."""
        return read_asked(self.folder, self.rows)

    @property
    def answerers(self) -> Mapping[str, Answerer]:
        """The models that servers answered for, by name."""
        return self.asked.answerers

    @property
    def standard(self) -> str:
        """The arm that stands for all where one is shown: the baseline, or the first."""
        baseline = self.analysis.baseline
        if baseline in self.arms:
            return baseline
        return self.arms[0]

    @cached_property
    def controls(self) -> list[RoleControls]:
        """Each role's effect beside its controls; none for a run without them."""
        return role_controls.role_controls(self.analysis, self.run)

    @cached_property
    def teams(self) -> list[AdHocTeams]:
        """The ad-hoc teams; none in any other run."""
        return adhoc_teams.teams(self.rows, self.analysis.summaries, labelled(self.run))

    @cached_property
    def pairs(self) -> list[str]:
        """The arms of cross-play."""
        arms = list[str]()
        for arm in self.arms:
            if WITH in arm and not arm.startswith(f"{EVALUATED}{WITH}"):
                arms.append(arm)
        return arms

    @cached_property
    def configs(self) -> tuple[Mapping[str, Any], ...]:
        """The graphs that sat in any arm, as run.yaml has them."""
        return tuple(
            seat["config"] for seat in (self.run.get("seats") or {}).values() if seat.get("config")
        )

    def shortlist(self) -> list[str]:
        """Return the arms that get a row each: of too many, those that differ most from the
        baseline.

        Raises NothingToDrawError when there are too many and nothing to choose by.
        """
        arms = [arm for arm in self.arms if arm not in self.pairs] or self.arms
        if len(arms) > ROWS and not self.analysis.differences:
            if self.pairs:
                what = "pairs are too many for a row each; see the cross-play figure"
            else:
                what = "arms are too many for a row each"
            raise NothingToDrawError(f"{len(arms)} {what}")
        return list(order.foremost(arms, self.analysis, ROWS))

    @property
    def metric(self) -> Metric:
        """The score that tables and figures of scores show first."""
        return self.analysis.score

    def rows_of(self, arm: str) -> list[Row]:
        return [row for row in self.rows if row.arm == arm]

    def summaries(self) -> list[Summary]:
        """Return of the arms that get a row each. Raises NothingToDrawError when there are too
        many."""
        arms = set(self.shortlist())
        return [summary for summary in self.comparable if summary.arm in arms]

    @cached_property
    def comparable(self) -> tuple[Summary, ...]:
        """The summaries, with those of baselines over the player counts that an arm with fewer of
        them has."""
        return order.comparable(self.analysis, self.rows)

    @property
    def mixed(self) -> bool:
        """Whether rows that are pooled over player counts are not all over the same ones."""
        return order.mixed(self.comparable)

    def row_name(self, arm: str, counts: str | None) -> str:
        """Return an arm's name on an axis, with the player counts of a pooled row where these are
        not the same for all."""
        if counts and self.mixed:
            return f"{self.name(arm)} at {counts}"
        return self.name(arm)

    @cached_property
    def variances(self) -> tuple[DealVariance, ...]:
        base = self.rows_of(self.analysis.baseline or "")
        of_arms = {arm: self.rows_of(arm) for arm in self.arms}
        variances = []
        for games in of_arms.values():
            for players in sorted({row.players for row in games}):
                variances.append(deal_variance(games, base, players, self.metric))
        return tuple(variances)

    @cached_property
    def more_differences(self) -> tuple[Difference, ...]:
        """The widest difference of each arm by every other metric that varies, corrected as one
        family: all arms by all of these metrics."""
        base = self.rows_of(self.analysis.baseline or "")
        designed = self.coalitions.arms if self.coalitions else ()
        singles = []
        for arm in self.arms:
            if arm != self.analysis.baseline and arm not in designed:
                singles.append(arm)
        pairs = [(self.rows_of(arm), base) for arm in singles if base]
        tested = (self.analysis.metric, "strict", "kept", *DERIVED)
        metrics = [measure for measure in known().values() if measure.key not in tested]
        return more_differences(pairs, metrics, self.analysis.stopped)

    @cached_property
    def marks(self) -> Mapping[str, str]:
        """By arm: `sim.` for simulated models, `fake` for the fake server, `prog.` for programs,
        else empty."""
        marks = {"simulated": "sim.", "fake server": "fake", "program": "prog."}
        of_arms = dict.fromkeys(self.provenances, "")
        for arm, provenance in self.provenances.items():
            if provenance.labels:
                of_arms[arm] = marks[provenance.labels[0]]
        return of_arms

    @cached_property
    def provenances(self) -> Mapping[str, Provenance]:
        """Who answered in each arm."""
        arms = provenances(self.analysis.summaries)
        return {arm: arms.get(arm, Provenance.PROGRAM) for arm in self.arms}

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """By arm: its name, marked where it is not of language models."""
        return labels(self.analysis.summaries)

    @cached_property
    def label(self) -> str:
        """The note under every figure that is not of language models only; empty otherwise."""
        notes = {mark: self.provenances[arm].note for arm, mark in self.marks.items()}
        if len(notes) == 1:
            return next(iter(notes.values()))
        return "; ".join(f"({mark}): {notes[mark]}" for mark in sorted(notes) if mark)

    def name(self, arm: str) -> str:
        """Return an arm's name on an axis."""
        if arm.startswith(f"{EVALUATED}{WITH}"):
            short = arm.removeprefix(EVALUATED + ".")
        else:
            short = arm
        if len(short) <= LONGEST:
            short = short
        else:
            short = f"{short[: LONGEST - 1]}…"
        mixed = len(set(self.marks.values())) > 1
        if mixed and self.marks[arm]:
            return f"{short} ({self.marks[arm]})"
        return short

    @cached_property
    def tallies(self) -> Mapping[tuple[str, int], TurnTally]:
        """Sums over turns by arm and player count, of the arms that get a row each.

        Raises NothingToDrawError without journals or with too many arms, and UserError for an
        unreadable journal.
        """
        arms = self.shortlist()
        tallies: dict[tuple[str, int], TurnTally] = {}
        for row in self.rows:
            if row.arm in arms:
                turns = turn_rows.turns(self.game(row), row.arm)
                tallies.setdefault((row.arm, row.players), TurnTally()).add(turns, row.seed)
        return tallies

    def path(self, row: Row) -> Path:
        """Return the journal of a game; the data may be those of a single one."""
        return (self.folder if self.folder.is_dir() else self.folder.parent) / row.journal

    def game(self, row: Row) -> Game:
        """Return a game. Raises NothingToDrawError without its journal, and UserError for an
        unreadable one."""
        path = self.path(row)
        if not path.exists():
            raise NothingToDrawError("the journals are not in this folder")
        return self.journals.get(path) or Game.open(path)

    def players(self) -> list[int]:
        return sorted({row.players for row in self.rows})


LONGEST = 22
"""Characters of an arm's name on an axis."""


def in_order(arms: Sequence[str], rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the arms that have games: first those of the given order, then the others."""
    played = {row.arm: None for row in rows}
    return (*(arm for arm in arms if arm in played), *(arm for arm in played if arm not in arms))


def run_data(
    folder: Path,
    games: Sequence[Row],
    run: Mapping[str, Any],
    metric: str | None = None,
    interval: Interval = "t",
) -> RunData:
    """Return the data of a report on these games; `run`: the contents of run.yaml, empty where
    there is none."""
    named = headline(run, metric)
    arms = in_order(list(run.get("arms", {})), games)
    measure = of_runs(named.metric, (folder,), [games])
    study = coalition_study(games, run, measure)
    weights = (run.get("experiment") or {}).get("contrasts") or {}
    extension = extensions.of_run(run)
    analysis = analyse(
        games,
        run.get("baseline"),
        arms,
        interval=interval,
        metric=measure,
        score=named.score,
        stopped=stopping.of_run(run, games),
        contrasts=role_controls.contrasts(run),
        designed=study.arms if study else (),
        gates=role_controls.gates(run),
        extension=extension,
    )
    arms = order.by_effect(arms, analysis, run)
    in_their_order = order.ordered(analysis, arms)
    contrasts = extensions.unclaimed(
        own_contrasts(by_arm(games), weights, measure), extension, combined=True
    )
    if study and extension:
        terms = extensions.unclaimed(
            [effect.difference for effect in study.effects], extension, combined=True
        )
        effects = []
        for effect, term in zip(study.effects, terms, strict=True):
            effects.append(replace(effect, difference=term))
        study = replace(study, effects=tuple(effects))
    return RunData(
        folder,
        tuple(games),
        in_their_order,
        run,
        arms,
        named,
        coalitions=study,
        own_contrasts=contrasts,
    )


def uncompared(folder: Path, games: Sequence[Row], metric: str | None) -> RunData:
    """Return the data of a run of which no report is written: without games, or where none can be
    written."""
    named = headline({"metric": metric})
    return RunData(
        folder, tuple(games), analyse(games, score=named.score), run_folder.run(folder), (), named
    )
