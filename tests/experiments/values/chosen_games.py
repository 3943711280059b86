"""A graph in which every kind of choice and judgement happens, and games of it whose answers a function gives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values.one_step_value import one_step_values
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.graphs.config import checked
from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Event, TurnStarted
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Scripted
from hanabi_orchestrator.roles.hanabi.reasoning import position as seen
from hanabi_orchestrator.roles.hanabi.safety import STANDARD
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.sections import cut

CONFIG: dict[str, Any] = {
    "name": "choosing",
    "context": "house",
    "nodes": {
        "recommender": {"role": "action_recommender", "options": {"k": 4}},
        "proposer": {"role": "proposer", "samples": 3},
        "analyst": {"role": "analyst", "model": "program"},
        "strategist": {"role": "discard_strategist", "model": "program"},
        "planner": {"role": "plan_evaluator", "reads": ["recommender"]},
        "aggregator": {
            "role": "aggregator",
            "reads": ["proposer", "planner", "analyst", "strategist"],
        },
        "judge": {"role": "self_verifier", "reads": ["aggregator"]},
    },
    "decides": "aggregator",
    "check": {"judge": "judge", "redo": "aggregator", "at_most": 1},
    "verify": "safety",
    "ratings": True,
}
CHOOSERS = ("proposer", "plan_evaluator", "aggregator")


@dataclass(frozen=True)
class Question:
    """What is asked of a role, with what nobody at the table may know of it: the values of the moves."""

    request: ModelRequest
    view: View
    judged: Move | None
    """The last choice of the deciding node."""

    @property
    def values(self) -> Mapping[Move, float]:
        return values(self.view)

    @property
    def moves(self) -> list[Move]:
        return list(self.request.moves.values())

    @property
    def chance(self) -> Random:
        return Random(f"{self.view.turn} {self.request.node} {self.request.sample}")

    def choice(self, move: Move, ratings: Mapping[Move, float]) -> dict[str, Any]:
        """A choice with ratings, or plans of these gains."""
        if self.request.role == "plan_evaluator":
            plans = [{"action": str(m), "plan": "p", "gain": gain} for m, gain in ratings.items()]
            return {"plans": plans, "reason": "r", "action": str(move)}
        rated = [{"action": str(m), "rating": rating / 30} for m, rating in ratings.items()]
        return {"ratings": rated, "reason": "r", "action": str(move)}


@cache
def _values(turn: str) -> Mapping[Move, float]:
    return one_step_values(Position(View.model_validate_json(turn), {}).scene)


def values(view: View) -> Mapping[Move, float]:
    """What every legal move is worth at once."""
    return _values(view.model_dump_json())


Answer = Callable[[Question], dict[str, Any]]


def safe(question: Question, move: Move) -> bool:
    """By the safety rule and all that the seat can see."""
    sections = cut(question.view, [(kind, {}) for kind in (*seen.TAKES, ConventionFacts)])
    return STANDARD.judge(
        seen.Position.read(sections), move, reading=sections[ConventionFacts]
    ).accept


def best(question: Question) -> dict[str, Any]:
    """The exact maximiser of one-step values, and the judge who is never wrong."""
    if question.request.role == "self_verifier":
        assert question.judged
        return {"reason": "r", "accept": safe(question, question.judged)}
    kept = {move: question.values[move] for move in question.moves}
    return question.choice(max(kept, key=lambda move: kept[move]), kept)


def guessed(question: Question) -> dict[str, Any]:
    """A uniform guess, ratings and verdicts as well."""
    if question.request.role == "self_verifier":
        return {"reason": "r", "accept": question.chance.random() < 0.5}
    chance = question.chance
    moves = question.moves
    return question.choice(
        chance.choice(moves), {move: round(chance.uniform(-25, 25), 3) for move in moves}
    )


@cache
def game(answer: Answer, players: int = 2, seed: int = 1, turns: int | None = None) -> Game:
    """A game whose answers a function gives."""
    events: list[Event] = []
    chosen: list[Move] = []

    def asked(request: ModelRequest) -> dict[str, Any]:
        view = next(event.view for event in reversed(events) if isinstance(event, TurnStarted))
        found = answer(Question(request, view, chosen[-1] if chosen else None))
        chosen.extend([parse(found["action"])] if request.role == "aggregator" else [])
        return found

    brain = Scripted(dict.fromkeys((*CHOOSERS, "self_verifier"), asked))
    seat = graphs.seat(checked(CONFIG, "a test"), brain)
    play(seat, players=players, seed=seed, sink=events.append, max_turns=turns)
    return Game.of(events)
