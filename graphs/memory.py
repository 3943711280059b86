"""What a seat keeps for its own next turn in the same game."""

from collections.abc import Mapping
from typing import Any

from graphs.attempts import attempts
from graphs.config import GraphConfig
from orchestrator.hanabi.moves import Move
from orchestrator.hanabi.view import View
from orchestrator.journal.events import Memory
from orchestrator.replies.reply import Reply
from roles import Notes
from roles.hanabi.sections.table import Discards
from roles.words import ENGLISH


def remember(config: GraphConfig, view: View, notes: Notes, move: Move) -> Memory:
    """The notes of the nodes that the graph remembers, each in its last attempt, and the table as it was then.

    Empty for a graph that remembers nothing. Absent replies are not remembered, nor the discard pile where its section
    is taken away.
    """
    if not config.remembers:
        return {}
    return {
        "turn": view.turn,
        "move": str(move),
        "lives": view.lives,
        "tokens": view.tokens,
        "deck_size": view.deck_size,
        "fireworks": list(view.fireworks),
        "own": [ENGLISH.hint(known) for known in view.own],
        "hands": {str(hand.seat): [card.value for card in hand.cards] for hand in view.hands},
        **({} if Discards.name in config.without_sections else {"discards": [card.value for card in view.discards]}),
        "notes": {node: kept for node in config.remembers if (kept := _kept(config, notes, node))},
    }


def _kept(config: GraphConfig, notes: Notes, node: str) -> list[Mapping[str, Any]]:
    names = [attempt.name(node) for attempt in attempts(config)]
    there = [notes[name] for name in names if name in notes]
    return [reply.as_data() for reply in (there[-1] if there else ()) if isinstance(reply, Reply)]
