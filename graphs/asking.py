"""How a node is asked: who answers it, each of its samples, and the verdict of a judge."""

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from hanabi_orchestrator.graphs.answerers import (
    Answerer,
    Fixed,
    ModelAnswerer,
    Question,
    SimulatedModel,
    Unsettled,
    nobody,
    place,
    program,
)
from hanabi_orchestrator.graphs.config import NOBODY, PROGRAM
from hanabi_orchestrator.graphs.control_notes import NOTHING_GIVEN, OtherGame, OtherNote
from hanabi_orchestrator.graphs.node import RoleNode, SeatState
from hanabi_orchestrator.orchestrator.errors import TurnError
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.journal.events import VerdictGiven
from hanabi_orchestrator.orchestrator.journal.recorded_answers import Resumed
from hanabi_orchestrator.orchestrator.models.request import Absent, Brain, Place
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from hanabi_orchestrator.roles import Notes, Verdict
from hanabi_orchestrator.roles.reply_types import Choice, Judgement

ABSENT_JUDGE = "the judge is absent: no objection"
NO_VERDICT = "no verdict came, which counts as a refusal"


@dataclass(frozen=True)
class SeatRuntime:
    """What a node of a seat can reach outside its graph: who answers, and the game's journal."""

    brains: Mapping[str, Brain | SimulatedModel]
    game: GameContext
    fixed: Fixed = field(default_factory=dict)
    other_game: OtherGame = NOTHING_GIVEN
    """The notes of another game, for nodes whose notes a control replaces."""
    failed: list[TurnError] = field(default_factory=list)
    """What ended the turn. Nodes that run at the same time still finish, so that no answer is lost; no other starts."""
    graphs: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    """The runs of graphs inside the graph, by where they stand."""
    node_runs: set[str] = field(default_factory=set)
    """LangGraph's ids of the runs of roles' nodes."""
    view: AnyView | None = None
    """What the seat sees in this turn; None where its graph is somebody's own, which may change it."""
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The settings that decide what each of the brains answers."""

    def answerer(self, node: RoleNode, sample: int) -> Answerer:
        """Return who answers a sample of a node."""
        if fixed := self.fixed.get((node.name, sample)):
            return fixed
        if node.answerer:
            return Unsettled(OtherNote(node.answerer, self.other_game))
        answerers: dict[str, Answerer] = {PROGRAM: program, NOBODY: nobody}
        return Unsettled(answerers.get(node.model) or ModelAnswerer(self.brains[node.model]))


def resumed(
    brains: Mapping[str, Brain | SimulatedModel], game: GameContext
) -> Mapping[str, Brain | SimulatedModel]:
    """Return the brains in a game, where what its journal has answered is not asked again; a simulated model answers
    the same again, at no cost."""
    if not game.answered:
        return brains
    return {
        name: brain if isinstance(brain, SimulatedModel) else Resumed(brain, game.answered)
        for name, brain in brains.items()
    }


async def ask(node: RoleNode, state: SeatState, runtime: SeatRuntime) -> tuple[BaseModel, ...]:
    """Return a node's note: a reply for each sample; none where something has ended the turn."""
    if runtime.failed:
        return ()
    try:
        return await _note(node, state, runtime)
    except TurnError as error:
        runtime.failed.append(error)
        return ()


async def _note(node: RoleNode, state: SeatState, runtime: SeatRuntime) -> tuple[BaseModel, ...]:
    view = state["view"]
    game = runtime.game
    sections = node.sections(view, state["notes"], state["memory"])
    notes = ordered(node, node.notes_read(state["notes"]), place(node, view, game))
    question = Question(node, view, sections, notes, game)
    if node.judges is not None:
        return (await _judge(question, state, runtime),)
    if node.samples == 1:
        return (await runtime.answerer(node, 0)(question),)
    samples = range(node.samples)
    questions = (
        runtime.answerer(node, sample)(replace(question, sample=sample)) for sample in samples
    )
    replies = await asyncio.gather(*questions, return_exceptions=True)
    for reply in replies:
        if isinstance(reply, BaseException):
            raise reply
    return tuple(reply for reply in replies if isinstance(reply, BaseModel))


def ordered(node: RoleNode, notes: Notes, at: Place) -> Notes:
    """Return the notes, in another order where a control permutes them: drawn for each turn and node."""
    if not node.controls.permuted or len(notes) < 2:
        return notes
    chance = random.Random(f"order {at.game} {at.repeat} {at.turn} {at.seat} {node.name}")
    return {name: notes[name] for name in chance.sample(list(notes), len(notes))}


async def _judge(question: Question, state: SeatState, runtime: SeatRuntime) -> BaseModel:
    """Return a verdict. An absent judge refuses if `refuses_unread`; an absent choice is not judged."""
    node = question.node
    view = question.view
    notes = question.notes
    (choice,) = state["notes"][str(node.judges)]
    if not isinstance(choice, Choice):
        return Absent(reason="there is no choice to judge")
    reply = await runtime.answerer(node, 0)(question)
    move = choice.action
    accepted = not node.refuses_unread
    why = ABSENT_JUDGE
    seat_reason = None
    if isinstance(reply, Judgement):
        accepted = reply.accept
        why = reply.reason
    elif not accepted:
        why = node.words(NO_VERDICT)
    if node.tells and not accepted:
        seat_reason = node.tells(
            replace(node, kinds=node.seat_kinds).sections(view, notes, state["memory"]), notes
        )
    if isinstance(reply, Judgement) or not accepted:
        reply = Verdict(
            move=move, accept=accepted, reason=why if seat_reason is None else seat_reason
        )
    verdict = VerdictGiven(
        turn=view.turn,
        seat=view.seat,
        node=node.name,
        move=move,
        accepted=accepted,
        why=why,
        told=seat_reason,
    )
    runtime.game.emit(verdict)
    return reply
