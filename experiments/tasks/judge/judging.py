"""How a statement is put to the state judge: the role as a node outside any graph, with a layout of its own."""

from dataclasses import dataclass
from functools import cache, partial

import roles
from experiments.running.question_run import call_about
from experiments.tasks.judge.statements import Statement
from graphs.context import Context
from graphs.node import RoleNode
from graphs.simulated_model import Question, SimulatedModel
from orchestrator.journal.events import Call
from orchestrator.models.request import Brain, ModelRequest
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import SimSettings
from roles import Sections
from roles.hanabi.sections.judged_lists import JUDGED

ROLE = "state_judge"


@cache
def context() -> Context:
    """What the judge is told: the rules, what happened since the player's last turn, and the lists."""
    sections = ["rules", {"history": {"moves": "since_last_turn"}}, "judged_lists"]
    return Context.model_validate({"name": ROLE, "sections": sections})


def node(statement: Statement) -> RoleNode:
    """The judge of one statement."""
    role = roles.get(ROLE)
    return RoleNode(
        name=statement.name,
        role=role,
        model=ROLE,
        samples=1,
        kinds=tuple(context().kinds(role)),
        reads=(),
        context=context(),
        layout=context().layout([role]),
    )


def sections(statement: Statement) -> Sections:
    """What the judge gets to see."""
    judged = {"now": statement.now, "before": statement.before}
    return node(statement).sections(statement.view, {}, {JUDGED: judged})


@dataclass(frozen=True)
class Judging:
    """The statements as questions of a run."""

    role: str = ROLE

    def request(self, statement: Statement, trial: int) -> ModelRequest:
        return node(statement).request(trial, sections(statement), {})

    def programmed(self, statement: Statement, trial: int) -> Call:
        reply = self._solve(sections(statement))
        return call_about(ROLE, statement.name, trial, model=PROGRAM, reply=reply.model_dump(mode="json"))

    def simulated(self, settings: SimSettings, statement: Statement) -> Brain:
        told = sections(statement)
        solve = roles.get(ROLE).solve
        assert solve is not None
        return SimulatedModel(settings).for_question(Question(solve, partial(self._solve, told), told, {}))

    def _solve(self, told: Sections) -> "roles.Reply":
        solve = roles.get(ROLE).solve
        assert solve is not None
        reply = solve(told, {})
        assert isinstance(reply, roles.Reply)
        return reply
