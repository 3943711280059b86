"""The marks of a game: what every role stated, scored against the truth, beside what its program would have scored."""

from collections.abc import Iterator, Mapping

import roles
from experiments.results.story import Story, StoryTurn
from graphs.recorded_marks import RecordedReply, program_marks, replies
from orchestrator.hanabi.referee import Referee
from orchestrator.models.settings import PROGRAM
from orchestrator.values import Frozen
from roles import Truth
from roles.marks import Marker


class RoleMark(Frozen):
    """One mark of one reply."""

    turn: int
    seat: int
    node: str
    """By its name in its attempt: `generate`, `generate-2`."""
    role: str
    model: str
    """Who replied; `program` for the role's program."""
    sample: int
    name: str
    """As its `MarkInfo` says."""
    value: float
    other: str | None = None
    """Of a mark that is about two roles: the other's role."""
    baselines: Mapping[str, float] = {}
    """The same mark of others on the same turn: `program`, that of the role's program; `uniform`, that of a uniform
    guess on average."""


UNIFORM = "uniform"


def role_marks(story: Story) -> tuple[RoleMark, ...]:
    """The marks of all replies of a game, turn by turn. Seats that are no graph, or one with roles that are not
    registered here, have none."""
    found, referee = list[RoleMark](), Referee(story.started.players, story.started.deck)
    for number, turn in enumerate(story.turns, 1):
        found += _of_turn(story, number, turn, Truth.of(referee))
        if turn.moved:
            referee.apply(turn.moved.past.move)
    return tuple(found)


def _of_turn(story: Story, number: int, turn: StoryTurn, truth: Truth) -> Iterator[RoleMark]:
    config = story.config(turn.started.seat, number)
    if config is None:
        return
    for one in replies(config, (turn.started, *turn.events), story.memory(number)):
        scored = roles.mark(one.node.role, one.reply, one.sections, truth) or {}
        others = _baselines(one, truth) if scored else {}
        for name, value in scored.items():
            yield RoleMark(
                turn=number,
                seat=turn.started.seat,
                node=one.node.name,
                role=one.node.role.name,
                model=one.node.model,
                sample=one.sample,
                name=name,
                value=value,
                baselines={who: marks[name] for who, marks in others.items() if name in marks},
            )


def _baselines(one: RecordedReply, truth: Truth) -> Mapping[str, Mapping[str, float]]:
    mark = one.node.role.mark
    guess = mark.guess(one.reply, one.sections, truth) if isinstance(mark, Marker) and mark.guess else None
    return {PROGRAM: program_marks(one, truth), UNIFORM: guess or {}}
