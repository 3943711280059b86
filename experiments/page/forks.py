"""POST /api/fork: a turn decided again by programs, or by models that were named; the game stays as
it is."""

from collections.abc import Mapping
from typing import Any

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.page import spoken
from hanabi_orchestrator.experiments.page.games import Games
from hanabi_orchestrator.experiments.page.named_models import NamedModels
from hanabi_orchestrator.experiments.page.spoken import Json
from hanabi_orchestrator.experiments.page.turn_page import proposals
from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.tasks.fork.decision import decide
from hanabi_orchestrator.experiments.tasks.games import single_game
from hanabi_orchestrator.orchestrator.errors import ModelError, TurnError, UserError, did_you_mean
from hanabi_orchestrator.orchestrator.models.simulated_settings import among

MOST = 20
"""Samples of one question."""


class Forks:
    """The questions that may be asked about a turn, and their answers."""

    def __init__(self, games: Games, models: NamedModels) -> None:
        self.games = games
        self.models = models

    def offers(self) -> Json:
        """Return the graphs and models that a turn may be decided by, beside its own; simulated
        models of the games cost nothing."""
        simulated = list[str]()
        for entry in self.games.shelf().entries:
            simulated += among(str(entry.cells["model"]))
        return {
            "graphs": list(graphs.names()),
            "models": list(dict.fromkeys((*self.models.choices, *simulated))),
        }

    def decide(self, game: Game, query: Mapping[str, Any]) -> Json:
        """Return the old decision and the new ones. Raises UserError."""
        query = {"turn": None, "samples": 1, **query}
        for key in ("turn", "samples"):
            if type(query[key]) is not int:
                raise UserError(f"{key} is {query[key]!r}; it must be a whole number")
        turn = query["turn"]
        samples = query["samples"]
        if not 1 <= samples <= MOST:
            raise UserError(f"samples is {samples}; it can be 1 to {MOST}")
        graph = query.get("graph") or None
        model = query.get("model") or None
        offers = self.offers()
        # only what is offered: no file is read, and nobody is paid whom the user has not named
        for key, choice in (("graph", graph), ("model", model)):
            if choice is not None and choice not in offers[f"{key}s"]:
                hint = did_you_mean(str(choice), offers[f"{key}s"], "it can be")
                raise UserError(f"{key} is {str(choice)[:80]!r}; {hint}")
        named = dict(single_game.models([], model)) if model else {}
        game.board(turn)
        try:
            default = named.pop("default", None)
            layer = self.models.layer()
            fork = decide(
                game.path,
                turn,
                graph=graph,
                samples=samples,
                model=default,
                named=named,
                layer=layer,
            )
        except (TurnError, ModelError) as error:
            raise UserError(str(error)) from None
        old = fork.place.info
        new = fork.seat.info
        return {
            "old": _turn(fork.old) | {"graph": old.graph, "model": old.model},
            "new": [_turn(turn) | {"graph": new.graph, "model": new.model} for turn in fork.new],
            **{name: getattr(fork, name) for name in ("moves", "same", "stopped", "warnings")},
        }


def _turn(turn: Turn) -> Json:
    """Return the decision, and the calls with the sentences in which their nodes sum up."""
    calls = list[Json]()
    names = ("node", "role", "model", "outcome", "fixed", "reply", "text", "error")
    for call in turn.calls:
        moves = proposals(call.reply)
        reply = call.reply or {}
        summary = reply.get("summary") or reply.get("reason")
        given_answers = {
            "move": spoken.move(moves[0]) if moves else None,
            "says": summary if isinstance(summary, str) else None,
        }
        calls.append({name: getattr(call, name) for name in names} | given_answers)
    empty = {"move": None, "why": None, "forced": False, "node": None}
    return (spoken.decision(turn.decided) if turn.decided else empty) | {"calls": calls}
