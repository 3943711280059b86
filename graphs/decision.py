"""What a seat does once its nodes have spoken: its decision, and what it keeps for its next turn."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hanabi_orchestrator.graphs import gate
from hanabi_orchestrator.graphs.attempts import Attempt, attempts
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.orchestrator.game.registry import of_view
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.journal.events import Memory
from hanabi_orchestrator.orchestrator.replies.reply import Reply
from hanabi_orchestrator.orchestrator.table.seat import Decision
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.reply_types import Choice, RatedChoice, Shortlist, Verdict


def decided(config: GraphConfig, view: AnyView, notes: Notes) -> Decision:
    """The decision with the votes for it, and the memory for the seat's next turn."""
    decision = decide(config, view, notes)
    return replace(
        decision, votes=votes(config, notes), memory=remember(config, view, notes, decision.move)
    )


def decide(config: GraphConfig, view: AnyView, notes: Notes) -> Decision:
    """The last attempt's choice if every judge let it pass; else the safest legal move, marked as forced."""
    last = [attempt for attempt in attempts(config) if attempt.name(config.decides) in notes][-1]
    (choice,) = notes[last.name(config.decides)]
    verdicts = [note for judge in last.judges for note in notes.get(last.name(judge), ())]
    refused = any(isinstance(verdict, Verdict) and not verdict.accept for verdict in verdicts)
    if isinstance(choice, Choice) and not refused:
        rated = choice.ratings if isinstance(choice, RatedChoice) else None
        ratings = None if rated is None else {str(rating.action): rating.rating for rating in rated}
        rank = _rank(config, last, notes, choice.action)
        return Decision(
            choice.action, choice.reason, ratings, node=last.name(config.decides), rank=rank
        )
    move, why = gate.safest(config, view)
    tries = f"{last.number} {'choice' if last.number == 1 else 'choices'}"
    cause = f"none of {tries} passed" if refused else f"{config.decides} gave no usable choice"
    return Decision(move, f"{cause}: {why}", forced=True, rank=_rank(config, last, notes, move))


def _rank(config: GraphConfig, attempt: Attempt, notes: Notes, move: Any) -> int | None:
    """A move's rank in the list of a recommender, if there is one and it lists the move."""
    replies = [note for node in config.nodes for note in notes.get(attempt.name(node), ())]
    ranks = [note.rank(move) for note in replies if isinstance(note, Shortlist)]
    return next((rank for rank in ranks if rank is not None), None)


def remember(config: GraphConfig, view: AnyView, notes: Notes, move: Any) -> Memory:
    """Return what the seat keeps for its own next turn: notes, each of its last attempt, and the table as it was.

    Empty for a graph that remembers nothing. Absent replies are not remembered, nor the discard pile where its section
    is taken away.
    """
    if not config.remembers:
        return {}
    replies: dict[str, list[Mapping[str, Any]]] = {}
    for node in config.remembers:
        names = [name for attempt in attempts(config) if (name := attempt.name(node)) in notes]
        replies[node] = [
            reply.as_data()
            for name in names[-1:]
            for reply in notes[name]
            if isinstance(reply, Reply)
        ]
    return {
        "turn": view.turn,
        "move": str(move),
        **of_view(view).remembered(view, config.without_sections),
        "notes": {node: data for node, data in replies.items() if data},
    }


def votes(config: GraphConfig, notes: Notes) -> dict[str, dict[str, int]]:
    """How many answers of each node that is asked for several choices chose a move, the most frequent first."""
    nodes = [name for name, node in config.nodes.items() if node.samples > 1 and name in notes]
    counts = {
        name: Counter(str(n.action) for n in notes[name] if isinstance(n, Choice)) for name in nodes
    }
    return {name: dict(count.most_common()) for name, count in counts.items() if count}
