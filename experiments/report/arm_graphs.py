"""How the graphs of arms differ from the baseline's: removed nodes, what differs beside the nodes,
and what added roles change in the games: how many go otherwise, their first other move, and what
was proposed."""

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import ValidationError

from hanabi_orchestrator.experiments.analysis import sentence_templates as say
from hanabi_orchestrator.experiments.analysis.caveats import NAMED
from hanabi_orchestrator.experiments.analysis.conclusions import listed
from hanabi_orchestrator.experiments.record.game import Game, first_difference
from hanabi_orchestrator.experiments.report.run_data import NothingToDrawError, RunData
from hanabi_orchestrator.experiments.study.control_arms import Purpose
from hanabi_orchestrator.experiments.study.notes import spans
from hanabi_orchestrator.experiments.study.rerun import RecordedSeat
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.attempts import turn_calls
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.roles.words import many, percent

Run: TypeAlias = Mapping[str, Any]
"""The contents of run.yaml."""
Traits: TypeAlias = Mapping[str, str]
"""What a graph has beside its roles, by name."""


def seat(run: Run, arm: str | None) -> Mapping[str, Any]:
    """Return the seat that an arm has everywhere, as run.yaml records it; empty where it has
    none."""
    return (run.get("seats") or {}).get(
        ((run.get("arms") or {}).get(arm) or {}).get("everybody")
    ) or {}


def removed(run: Run) -> Mapping[str, list[str]]:
    """Return the nodes of the baseline that arms of the same graph lack, by arm."""
    nodes = {}
    for arm, (base, own) in _pairs(run):
        nodes[arm] = [name for name in base["nodes"] if name not in own["nodes"]]
    return {arm: names for arm, names in nodes.items() if names}


def unnamed(run: Run) -> Mapping[str, str]:
    """Say which nodes and sections an arm lacks, by arm, where its name does not name them all."""
    nodes = removed(run)
    clauses = {}
    for arm, (base, own) in _pairs(run):
        sections = []
        for name in own.get("without_sections", ()):
            if name not in base.get("without_sections", ()):
                sections.append(name)
        lacking = nodes.get(arm, [])
        if not all(_names(arm, part) for part in (*lacking, *sections)):
            parts = [*lacking, *(f"section {name}" for name in sections)]
            clauses[arm] = say.LACKS(removed=listed(parts))
    return clauses


def _names(arm: str, part: str) -> bool:
    """Tell whether the name of an arm has a word of a part's name."""
    return any(word in arm for word in part.split("_"))


def _pairs(run: Run) -> Iterator[tuple[str, tuple[Mapping[str, Any], Mapping[str, Any]]]]:
    """Return the graphs of the baseline and of each arm that changes it, by arm."""
    base = seat(run, run.get("baseline"))
    for arm in run.get("arms") or {}:
        own = seat(run, arm)
        if own.get("config") and own["spec"] == base.get("spec"):
            yield arm, (base["config"], own["config"])


def sentences(run: Run, arms: Iterable[str]) -> Iterator[str]:
    """Say, where arms have another graph than the baseline, or none, what differs beside the
    roles."""
    arms = tuple(arms)
    baseline = run.get("baseline")
    base = traits(run, baseline)
    of_graph = {}
    for arm in (baseline, *arms):
        if seat(run, arm):
            of_graph[arm] = bool(seat(run, arm).get("config"))
    if apart := [
        arm for arm in arms if arm in of_graph and of_graph[arm] != of_graph.get(baseline)
    ]:
        yield say.NO_GRAPHS(arms=listed(apart), than=str(baseline))
    others = {}
    for arm in arms:
        if seat(run, arm).get("spec") != seat(run, baseline).get("spec"):
            others[arm] = traits(run, arm)
    others = {arm: each for arm, each in others.items() if base and each and each != base}
    aspects = []
    for name in base:
        if any(each[name] != base[name] for each in others.values()):
            aspects.append(name)
    if not aspects:
        return
    if len(others) <= NAMED:
        graphs = {**others, str(baseline): base}
        values = [_values(name, graphs) for name in aspects]
        yield say.GRAPHS(arms=listed([*others, str(baseline)]), aspects=listed(values))
    else:
        yield say.GRAPHS(
            arms=f"{len(others)} arms and {baseline}", aspects=f"{listed(aspects)}{say.SEATS}"
        )


def _values(aspect: str, graphs: Mapping[str, Traits]) -> str:
    """Return `calls a turn (house: 4, cac: 3)`."""
    by_arm = [f"{arm}: {graph[aspect]}" for arm, graph in graphs.items()]
    return f"{aspect} ({', '.join(by_arm)})"


def traits(run: Run, arm: str | None) -> Traits:
    """Return what an arm's graph has beside its roles; nothing for a seat that is no graph."""
    try:
        recorded = RecordedSeat.model_validate(seat(run, arm))
        counts = run["arms"][arm]["players"]
    except (ValidationError, UserError, KeyError):
        return {}
    if (config := recorded.config) is None:
        return {}
    rule = ["the safety rule"] if config.verify.rule == "safety" else []
    return {
        "verifier": listed(
            [*(f"the role {config.nodes[judge].role}" for judge in config.judges), *rule]
        )
        or "none",
        "context": config.context
        if isinstance(config.context, str)
        else f"its own {config.context.name}",
        "calls a turn": spans(sorted({turn_calls(at(config, count)) for count in counts})),
        "models": recorded.model,
    }


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
    """What the arm does in these turns: `another discard`, `a discard for a hint`; the most
    frequent first."""
    proposed: Mapping[str, tuple[float, int]]
    """By node that proposes moves: the turns in which its proposal was played, samples as shares,
    and all turns."""

    @property
    def data(self) -> dict[str, Any]:
        """It as plain data, with its sentence."""
        return {name: value for name, value in vars(self).items() if name != "baseline"} | {
            "said": self.sentence
        }

    @property
    def sentence(self) -> str:
        of_games = many(self.games, "game")
        added = say.ADDED_SAME(of_games=of_games)
        if self.turns:
            kinds = ", ".join(f"{kind} ({count})" for kind, count in self.moves.items())
            half = statistics.median_high(self.turns)
            n = len(self.turns)
            added = say.ADDED_OTHER(n=n, of_games=of_games, turn=half, moves=kinds)
        played = ""
        for node, (moves, turns) in self.proposed.items():
            of_turns = many(turns, "turn")
            share = percent(moves / turns)
            played += f" {say.ADDED_PLAYED(role=node, percent=share, of_turns=of_turns)}"
        return say.ADDED(arm=self.arm, role=" and ".join(self.nodes), added=added, played=played)


def added_roles(data: RunData) -> list[AddedRole]:
    """Return what each arm changes that only adds nodes; none without a baseline or without
    journals."""
    baseline = data.analysis.baseline
    arms = data.run.get("arms") or {}
    purposes = {}
    for arm, entry in arms.items():
        if entry.get("purpose"):
            purposes[arm] = Purpose.model_validate(entry["purpose"])
    added = {}
    for arm, purpose in purposes.items():
        if purpose.kind == "added" and arm in data.arms:
            added[arm] = purpose.nodes
    there = all(data.path(row).exists() for row in data.rows)
    if baseline and there:
        return [_added(data, arm, baseline, nodes) for arm, nodes in added.items()]
    return []


def _added(data: RunData, arm: str, baseline: str, nodes: tuple[str, ...]) -> AddedRole:
    ours = {row.pairing: row for row in data.rows_of(arm)}
    theirs = {row.pairing: row for row in data.rows_of(baseline)}
    deals = sorted(ours.keys() & theirs.keys())
    turns = list[int]()
    kinds = Counter[str]()
    for deal in deals:
        if ours[deal].moves_digest == theirs[deal].moves_digest:
            continue
        mine, base = (Game.open(data.path(rows[deal])).moves for rows in (ours, theirs))
        if (turn := first_difference(mine, base)) is not None and turn <= min(len(mine), len(base)):
            turns.append(turn)
            ours_is, theirs_is = (moves[turn - 1].kind.partition("_")[0] for moves in (mine, base))
            kinds[
                f"another {ours_is}" if ours_is == theirs_is else f"a {ours_is} for a {theirs_is}"
            ] += 1
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
