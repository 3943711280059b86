"""What a role that an arm adds changes: the games that go otherwise, their first other move, and what was proposed."""

import statistics
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from experiments.analysis import sentence_templates as say
from experiments.record.game import Game, first_difference
from experiments.report.run_data import NothingToDrawError, RunData
from experiments.study.controls import Purpose
from roles.words import many, percent


@dataclass(frozen=True)
class AddedRole:
    """What an arm that only adds nodes to the baseline's graph changes."""

    arm: str
    baseline: str
    nodes: tuple[str, ...]
    games: int
    """Pairs of games of the same deal."""
    turns: tuple[int, ...]
    """Of each pair whose moves differ, the first turn in which they do, ascending."""
    moves: Mapping[str, int]
    """What the arm does in these turns: `another discard`, `a discard for a hint`; the most frequent first."""
    proposed: Mapping[str, tuple[float, int]]
    """By node that proposes moves: the turns in which its proposal was played, samples as shares, and all turns."""

    @property
    def data(self) -> dict[str, Any]:
        """It as plain data, with its sentence."""
        return {name: value for name, value in vars(self).items() if name != "baseline"} | {"said": self.sentence}

    @property
    def sentence(self) -> str:
        added = say.ADDED_SAME(n=self.games)
        if self.turns:
            kinds = ", ".join(f"{kind} ({count})" for kind, count in self.moves.items())
            half = statistics.median_high(self.turns)
            added = say.ADDED_OTHER(n=len(self.turns), games=self.games, turn=half, moves=kinds)
        played = (
            f" {say.ADDED_PLAYED(role=node, percent=percent(played / turns), of_turns=many(turns, 'turn'))}"
            for node, (played, turns) in self.proposed.items()
        )
        return say.ADDED(arm=self.arm, role=" and ".join(self.nodes), added=added, played="".join(played))


def added_roles(data: RunData) -> list[AddedRole]:
    """Return what each arm changes that only adds nodes; none without a baseline or without journals."""
    baseline, arms = data.analysis.baseline, data.run.get("arms") or {}
    purposes = {arm: Purpose.model_validate(entry["purpose"]) for arm, entry in arms.items() if entry.get("purpose")}
    added = {arm: purpose.nodes for arm, purpose in purposes.items() if purpose.kind == "added" and arm in data.arms}
    there = all((data.folder / row.journal).exists() for row in data.rows)
    return [_added(data, arm, baseline, nodes) for arm, nodes in added.items()] if baseline and there else []


def _added(data: RunData, arm: str, baseline: str, nodes: tuple[str, ...]) -> AddedRole:
    ours, theirs = ({row.pairing: row for row in data.rows_of(name)} for name in (arm, baseline))
    deals, turns, kinds = sorted(ours.keys() & theirs.keys()), list[int](), Counter[str]()
    for deal in deals:
        if (digest := ours[deal].moves_digest) is not None and digest == theirs[deal].moves_digest:
            continue
        mine, base = (Game.open(data.folder / rows[deal].journal).moves for rows in (ours, theirs))
        if (turn := first_difference(mine, base)) is not None and turn <= min(len(mine), len(base)):
            turns.append(turn)
            ours_is, theirs_is = (moves[turn - 1].kind.partition("_")[0] for moves in (mine, base))
            kinds[f"another {ours_is}" if ours_is == theirs_is else f"a {ours_is} for a {theirs_is}"] += 1
    tallies = []
    with suppress(NothingToDrawError):  # more arms than have a row each
        tallies = [tally.proposed for (name, _), tally in data.tallies.items() if name == arm]
    proposed = dict[str, tuple[float, int]]()
    for node in nodes:
        sums = [tally[node] for tally in tallies if node in tally]
        if number := int(sum(turns_of for _, turns_of in sums)):
            proposed[node] = sum(played for played, _ in sums), number
    return AddedRole(
        arm, baseline, nodes, len(deals), tuple(sorted(turns)), dict(kinds.most_common()), proposed
    )  # fmt: skip
