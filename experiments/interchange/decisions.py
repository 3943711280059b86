"""The decisions of a game with the responses that led to them, each with its question.

The prompt of a response is what the seat's model was sent. Where a program answered, it is what a
model would have been sent, and the response is the program's reply as a model would write it.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.record.lines import USABLE
from hanabi_orchestrator.experiments.values.one_step_value import one_step_values
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.graphs import recorded
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.attempts import attempts, base, role_node
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig
from hanabi_orchestrator.graphs.recorded import RecordedReply
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, messages
from hanabi_orchestrator.orchestrator.models.simulated_settings import Rates
from hanabi_orchestrator.orchestrator.replies import writer
from hanabi_orchestrator.orchestrator.replies.reply import Reply, TableOptions
from hanabi_orchestrator.roles.hanabi.error_injection import Slips, rated
from hanabi_orchestrator.roles.reply_types import BareChoice, Choice, RatedChoice

EXACT = Slips(Rates(), 0)
"""A program's reply as it is, without errors."""

Cells = dict[str, Any]


@dataclass(frozen=True)
class Response:
    """A response of a node, with its question."""

    call: Call | None
    """None where a program answered."""
    question: RecordedReply | None
    """None where the graph is not known here."""

    @property
    def facts(self) -> Cells:
        call = self.call
        question = self.question
        if call:
            if call.fake:
                by = "fake"
            elif call.simulated:
                by = "simulated"
            else:
                by = "model"
            names = {name: getattr(call, name) for name in ("node", "role", "sample", "ask")}
            errors = {"injected": "; ".join(call.injected)}
            return {
                **names,
                "model": call.model,
                "answered_by": by,
                "state": call.outcome,
                **errors,
            }
        assert question
        names = {
            "node": question.node.name,
            "role": question.node.role.name,
            "sample": question.sample,
            "ask": 0,
        }
        return {**names, "model": PROGRAM, "answered_by": PROGRAM, "state": "ok", "injected": ""}

    @property
    def usable(self) -> bool:
        """Whether its text can be a completion, once a repaired form is written anew."""
        state = self.facts["state"]
        return state in USABLE and (
            state == "ok" or isinstance(self.question and self.question.reply, Reply)
        )

    @cached_property
    def request(self) -> ModelRequest:
        assert self.question
        return self.question.node.request(
            self.question.sample, self.question.sections, self.question.notes
        )

    @property
    def prompt(self) -> list[Cells]:
        if self.call:
            sent = self.call.messages
        else:
            sent = messages(self.request.parts)
        return [{"role": message.role, "content": message.content} for message in sent]

    @property
    def text(self) -> str:
        if self.call:
            return self.call.text or ""
        assert self.question and isinstance(self.question.reply, Reply)
        return self.written(self.question.reply)

    @property
    def completion(self) -> str:
        """The text in the right form: of a repaired response its reply, written again."""
        if self.call is None or self.call.outcome != "repaired":
            return self.text
        assert self.question and isinstance(self.question.reply, Reply)
        return writer.text_of(self.question.reply, self.call.form or self.request.form)

    def written(self, reply: Reply) -> str:
        """Return a reply as a model would write it here."""
        assert self.question
        return writer.text_of(
            rated(reply, self.request.reply, self.question.sections, EXACT), self.request.form
        )

    @property
    def reasoning(self) -> str:
        return (self.call.reasoning if self.call else None) or ""

    @property
    def legal(self) -> list[Move]:
        """The legal moves in the order of the prompt."""
        return list(self.request.moves.values())

    @property
    def reader(self) -> str:
        """How the project's reader reads a response: what `rewards` needs, as JSON."""
        request = self.request
        options = self.request.moves
        table = options.table if isinstance(options, TableOptions) else {}
        asked = {"ratings": issubclass(request.reply, RatedChoice)}
        asked["reason_first"] = issubclass(request.reply, Choice) and request.reply.reason_first
        asked["reason"] = not issubclass(request.reply, BareChoice)
        return json.dumps(
            {
                "role": request.role,
                "form": request.form,
                **asked,
                "labels": list(options),
                "table": dict(table),
            }
        )


@dataclass(frozen=True)
class Decision:
    """A turn of a game with the responses that led to its move."""

    game: Game
    turn: Turn
    decided: Decided
    referee: Referee
    """At this turn or an earlier one."""
    prompts: GraphConfig | None = None
    """The graph whose deciding node is asked, in place of the seat's own nodes."""

    @property
    def config(self) -> GraphConfig | None:
        """The seat's graph; None where it is not known here."""
        return self.game.config(self.turn.seat, self.turn.number)

    @property
    def state(self) -> str:
        """What the seat observes, in HLE's words."""
        while self.referee.turn < self.turn.number:
            self.referee.apply(self.game.moves[self.referee.turn - 1])
        return self.referee.observed()

    @property
    def facts(self) -> Cells:
        info = self.game.started.seat_at(self.turn.seat, self.turn.number)
        names = {"turn": self.turn.number, "seat": self.turn.seat, "graph": info.graph}
        return {**names, "forced": self.decided.forced, "move": str(self.decided.move)}

    @cached_property
    def responses(self) -> list[Response]:
        """In the order of the journal, then those of programs. Another graph's deciding node
        answers with the move of the game."""
        turn = self.turn
        config = self.config
        if self.prompts:
            asked_graph = at(self.prompts, self.game.started.players)
            node = role_node(asked_graph, asked_graph.decides, attempts(asked_graph)[0])
            reply = Choice(reason=self.decided.why, action=self.decided.move)
            sections = node.sections(self.game.board(turn.number).view, {})
            return [Response(None, RecordedReply(node, 0, reply, sections, {}))]
        memory = self.game.memory(turn.number)
        replies = recorded.replies(config, (turn.started, *turn.events), memory) if config else ()
        questions = {(question.node.name, question.sample): question for question in replies}
        model_calls = []
        for call in turn.calls:
            if call.of_model and call.text is not None and call.fixed is None:
                model_calls.append(call)
        calls = [Response(call, questions.get((call.node, call.sample))) for call in model_calls]
        # those that a model in the place of a program would have been asked
        for question in questions.values():
            node = question.node
            role = question.node.role
            if (
                node.model != PROGRAM
                or node.answerer
                or role.template is None
                or not isinstance(question.reply, Reply)
            ):
                continue
            if role.settled is None or role.settled(question.sections, question.notes) is None:
                calls.append(Response(None, question))
        return calls

    def refused(self, response: Response) -> bool:
        """Return whether a response named a move that a verifier refused."""
        config = self.config
        node = response.facts["node"]
        decides = config is not None and base(node) == config.decides and not self.prompts
        return decides and (self.decided.forced or node != (self.decided.node or node))

    @property
    def deciding(self) -> Response | None:
        """The response that decided; of a forced move, the last one of the deciding node."""
        if self.prompts:
            return self.responses[0]
        decides = self.decided.node or (self.config.decides if self.config else None)
        names = ((response, response.facts["node"]) for response in reversed(self.responses))
        return next((response for response, name in names if decides in (name, base(name))), None)

    def asked_first(self, response: Response) -> list[Cells]:
        """Return the prompt of a response before it was asked again."""
        place = itemgetter("node", "sample")
        again = (other for other in self.responses if place(other.facts) == place(response.facts))
        return next(again, response).prompt

    def moves(self, response: Response) -> list[Move]:
        """Return every legal move, those of a response's prompt first."""
        return list(dict.fromkeys((*response.legal, *self.turn.view.legal)))

    def extremes(self, moves: Collection[Move]) -> tuple[Move, Move] | None:
        """Return the best and the worst of moves by one-step value; None where all are worth the
        same."""
        best = max(moves, key=self.values.__getitem__)
        worst = min(moves, key=self.values.__getitem__)
        if self.values[best] > self.values[worst]:
            return (best, worst)
        return None

    def ratings(self, moves: Sequence[Move]) -> list[float | None]:
        """Return the seat's own ratings of moves; empty where it gave none."""
        ratings = self.decided.ratings or {}
        if ratings:
            return [ratings.get(str(move)) for move in moves]
        return []

    @cached_property
    def values(self) -> Mapping[Move, float]:
        """What each legal move is worth at once, exactly."""
        return one_step_values(Position.of(self.game, self.turn.number).scene)
