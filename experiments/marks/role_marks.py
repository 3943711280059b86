"""The marks of a game: what every role stated, scored against the truth, beside what its program would have scored."""

from collections.abc import Iterator, Mapping

import roles
from experiments.marks.role_mark import UNIFORM
from experiments.marks.role_mark import RoleMark as RoleMark
from experiments.marks.state_tracking import TrackedGame
from experiments.results.story import Story, StoryTurn
from graphs.recorded_marks import RecordedReply, program_marks, replies
from orchestrator.hanabi.referee import Referee
from orchestrator.models.settings import PROGRAM
from roles import Truth
from roles.marks import Marker


def role_marks(story: Story) -> tuple[RoleMark, ...]:
    """The marks of all replies of a game, turn by turn. Seats that are no graph, or one with roles that are not
    registered here, have none."""
    found, referee = list[RoleMark](), Referee(story.started.players, story.started.deck)
    tracked = TrackedGame(story)
    for number, turn in enumerate(story.turns, 1):
        found += _of_turn(story, number, turn, Truth.of(referee), tracked)
        if turn.moved:
            referee.apply(turn.moved.past.move)
    return tuple(found)


def _of_turn(story: Story, number: int, turn: StoryTurn, truth: Truth, tracked: TrackedGame) -> Iterator[RoleMark]:
    config = story.config(turn.started.seat, number)
    if config is None:
        return
    there = tuple(replies(config, (turn.started, *turn.events), story.memory(number)))
    yield from tracked.marks(number, there)
    for one in there:
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
    if not isinstance(mark, Marker):
        return {PROGRAM: program_marks(one, truth)}
    stated = {UNIFORM: mark.guess, **mark.others}
    made = {who: scored(one.reply, one.sections, truth) or {} for who, scored in stated.items() if scored}
    return {PROGRAM: program_marks(one, truth), **made}
