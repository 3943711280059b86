"""The verdict of a run, the beginning of its report and of its terminal output: who played, what
differs, one table."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import asdict, replace
from itertools import chain
from typing import Any

from hanabi_orchestrator.experiments.analysis import (
    adhoc_teams,
    caveats,
    coalition_sentences,
    conclusions,
    headroom,
    role_controls,
)
from hanabi_orchestrator.experiments.analysis.analysis import Analysis
from hanabi_orchestrator.experiments.analysis.conclusions import ArmVerdict
from hanabi_orchestrator.experiments.analysis.sentence_templates import IN_TERMS
from hanabi_orchestrator.experiments.document.blocks import Block, Note, notes
from hanabi_orchestrator.experiments.report import (
    allocation,
    arm_graphs,
    coalition_tables,
    control_tables,
    role_sentences,
    score_tables,
)
from hanabi_orchestrator.experiments.report.marked_run import MarkedRun, Unmarked
from hanabi_orchestrator.experiments.report.run_data import RunData
from hanabi_orchestrator.experiments.study.coalitions import FULL
from hanabi_orchestrator.experiments.study.notes import spans
from hanabi_orchestrator.roles.words import many


def blocks(data: RunData, roles: MarkedRun | Unmarked | None) -> Iterator[Block]:
    """Return the verdict for a terminal."""
    yield played(data.analysis)
    yield from notes(caveats.own_moves(data.analysis), "caution")
    yield from notes(sentences(data, roles))
    if data.coalitions and data.coalitions.effects:
        yield coalition_tables.brief(data.coalitions)
    if allocations := coalition_tables.allocation_of(data):
        yield allocation.front(allocations)
    if data.teams:
        table = control_tables.adhoc(data.teams)
    else:
        table = score_tables.brief(data.analysis, data.comparable)
    yield replace(table, title="", caption="")


def sentences(data: RunData, roles: MarkedRun | Unmarked | None) -> tuple[str, ...]:
    """Return a sentence for each arm, with its caution; with controls, one for each role that is
    removed. Then what else differs between graphs, and the faults that changed most."""
    if data.teams:
        return tuple(adhoc_teams.sentences(data.teams))
    control_arms = role_controls.gates(data.run)
    named = []
    for each in conclusions.widest(data.analysis.differences):
        if each.arm not in control_arms:
            named.append(each.arm)
    weights = (data.run.get("experiment") or {}).get("contrasts") or {}
    parts = list[str]()
    if data.coalitions:
        parts += coalition_sentences.sentences(data.coalitions)
    parts += coalition_sentences.own_contrasts(data.own_contrasts, weights)
    parts += conclusions.verdict(data.analysis, clauses(data), named if control_arms else None)
    parts += arm_graphs.sentences(data.run, dict.fromkeys(named))
    if isinstance(roles, MarkedRun):
        parts += role_sentences.faults(roles, dict.fromkeys(named))
    return (*parts, *_room(data))


def _room(data: RunData) -> tuple[str, ...]:
    """Return that the baseline leaves no room for what the run could detect, where no arm is shown
    to differ."""
    differences = data.analysis.differences
    sizes = [each.mde for each in conclusions.widest(differences) if each.mde is not None]
    if not sizes or any(each.claimed for each in differences):
        return ()
    room = headroom.sentence(data.rows, data.run.get("baseline"), min(sizes), data.analysis.metric)
    if room:
        return (room,)
    return ()


def arms(data: RunData) -> tuple[ArmVerdict, ...]:
    """Return how each arm stands beside the baseline, in the words of the verdict."""
    compared = conclusions.arm_verdicts(data.analysis, clauses(data))
    return (*compared, *_coalition_arms(data, {each.arm for each in compared}))


def _coalition_arms(data: RunData, compared: Container[str]) -> Iterator[ArmVerdict]:
    """Yield where the arms of coalitions are compared: in terms, not one by one."""
    if data.coalitions is None:
        return
    designed = data.coalitions.arms - {FULL}
    for arm in dict.fromkeys(summary.arm for summary in data.analysis.summaries):
        if arm in designed and arm not in compared:
            yield ArmVerdict(arm, data.analysis.baseline, "in_terms", IN_TERMS())


def plain(data: RunData, roles: MarkedRun | Unmarked | None) -> dict[str, Any]:
    """Return the sentences of the verdict as plain data, then the state of each arm with the
    sentence about it."""
    return {
        "verdict": list(sentences(data, roles)),
        "verdict_arms": [asdict(each) for each in arms(data)],
    }


def concluded(data: RunData) -> tuple[str, ...]:
    """Return the verdict without the faults of moves, then what readers of the numbers must
    know."""
    return (*sentences(data, None), *conclusions.notes(data.analysis))


def clauses(data: RunData) -> Mapping[str, str]:
    """Return what the sentences of arms end with, by arm: what an arm lacks, and what controls say
    of its effect."""
    of_controls = {role.removed.arm: role.clause for role in data.controls if role.removed}
    lacking = arm_graphs.unnamed(data.run)
    both = {arm: (lacking.get(arm), of_controls.get(arm)) for arm in (*lacking, *of_controls)}
    return {arm: "; ".join(filter(None, parts)) for arm, parts in both.items()}


def played(analysis: Analysis) -> Note:
    """Return how many games were played, and by whom."""
    last = caveats.last(analysis.summaries)
    games = sum(summary.n for summary in analysis.summaries if summary.players is not None)
    deals = max(summary.deals for summary in analysis.summaries)
    counts = sorted(set(chain.from_iterable(summary.counts for summary in analysis.summaries)))
    players = spans(counts)
    notes_of = {summary.provenance.note for summary in last}
    who = notes_of.pop() if len(notes_of) == 1 else ""
    size = f"{many(games, 'game')}, {many(deals, 'deal')}, {players} players"
    if notes_of or any(each.cheats for each in last):
        others = " ".join(caveats.answerers(analysis))
    else:
        others = ""
    return Note(
        f"{size}{f', by {who}' if who else ''}.{f' {others}' if others else ''}",
        "no model" if who or others else "plain",
    )
