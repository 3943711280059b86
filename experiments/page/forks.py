"""POST /api/fork: a turn decided again by programs, or by models that were named; the game stays as it is."""

from collections.abc import Iterator, Mapping
from typing import Any

import graphs
from experiments.page import spoken
from experiments.page.games import Games
from experiments.page.named_models import NamedModels
from experiments.page.spoken import Json
from experiments.page.turn_page import proposals
from experiments.record.game import Game, Turn
from experiments.running import single_game
from experiments.tasks.fork.decision import Fork, decide
from orchestrator.errors import ModelError, TurnError, UserError, did_you_mean
from orchestrator.journal.events import Call
from orchestrator.models.simulated_settings import among

MOST = 20
"""Samples of one question."""


class Forks:
    """What may be asked, and its answers."""

    def __init__(self, games: Games, models: NamedModels) -> None:
        self.games = games
        self.models = models

    def offered(self) -> Json:
        """The graphs and models that a turn may be decided by, beside its own."""
        return {
            "graphs": list(graphs.names()),
            "models": list(dict.fromkeys((*self.models.offered, *self._simulated()))),
        }

    def _simulated(self) -> Iterator[str]:
        """The simulated models of the games, which cost nothing."""
        for one in self.games.shelf().listed:
            yield from among(str(one.row.model if one.row else one.cells["model"]))

    def decided(self, game: Game, asked: Mapping[str, Any]) -> Json:
        """The old decision and the new ones. Raises UserError."""
        turn, samples = _whole(asked, "turn"), _whole(asked, "samples", 1)
        if not 1 <= samples <= MOST:
            raise UserError(f"samples is {samples}; it can be 1 to {MOST}")
        graph, model = self._one_of(asked, "graph"), self._one_of(asked, "model")
        named = dict(single_game.models([], model)) if model else {}
        game.board(turn)
        try:
            asked = {"model": named.pop("default", None), "named": named, "layer": self.models.layer()}
            fork = decide(game.path, turn, graph=graph, samples=samples, **asked)
        except (TurnError, ModelError) as error:
            raise UserError(str(error)) from None
        return _told(fork)

    def _one_of(self, asked: Mapping[str, Any], key: str) -> str | None:
        """A graph or a model that is offered: no file is read, and nobody is paid whom the user has not named."""
        value, offered = asked.get(key) or None, self.offered()[f"{key}s"]
        if value is not None and value not in offered:
            raise UserError(f"{key} is {str(value)[:80]!r}; {did_you_mean(str(value), offered, 'it can be')}")
        return value


def _whole(asked: Mapping[str, Any], key: str, default: int | None = None) -> int:
    value = asked.get(key, default)
    if type(value) is not int:
        raise UserError(f"{key} is {value!r}; it must be a whole number")
    return value


def _told(fork: Fork) -> Json:
    old, new = fork.place.info, fork.seat.info
    return {
        "old": _turn(fork.old) | {"graph": old.graph, "model": old.model},
        "new": [_turn(turn) | {"graph": new.graph, "model": new.model} for turn in fork.new],
        "moves": fork.moves,
        "same": fork.same,
        "stopped": fork.stopped,
        "warnings": list(fork.warnings),
    }


def _turn(turn: Turn) -> Json:
    decided = turn.decided
    return {
        "move": spoken.move(decided.move) if decided else None,
        "why": decided.why if decided else None,
        "forced": bool(decided and decided.forced),
        "node": decided.node if decided else None,
        "calls": [_call(call) for call in turn.calls],
    }


def _call(call: Call) -> Json:
    proposed = proposals(call.reply)
    return {
        "node": call.node,
        "role": call.role,
        "model": call.model,
        "outcome": call.outcome,
        "fixed": call.fixed,
        "move": spoken.move(proposed[0]) if proposed else None,
        "says": _says(call.reply),
        "reply": call.reply,
        "text": call.text,
        "error": call.error,
    }


def _says(reply: Mapping[str, Any] | None) -> str | None:
    """The sentence in which a node sums up."""
    found = (reply or {}).get("summary") or (reply or {}).get("reason")
    return found if isinstance(found, str) else None
