"""The marks of a game: what every role stated, scored against the truth, beside what others would have scored."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import roles
from experiments.record.story import Story
from experiments.values.choice_marks import choice_marks
from experiments.values.marked_turn import MarkedTurn
from experiments.values.role_mark import UNIFORM
from experiments.values.role_mark import RoleMark as RoleMark
from experiments.values.rollout_store import RolloutStore
from experiments.values.state_tracking import TrackedGame
from graphs.config import GraphConfig
from graphs.recorded_marks import RecordedReply, program_marks, replies
from orchestrator.models.settings import PROGRAM
from orchestrator.values import Frozen
from roles import Truth
from roles.hanabi.truth import truths
from roles.marks import Marker, Marks

PREVIOUS = "previous"


class StatedOutcome(Frozen):
    """A probability or a category that a reply stated, and whether it came true."""

    turn: int
    seat: int
    node: str
    role: str
    model: str
    sample: int
    kind: str
    """What was stated, such as `play fits`."""
    probability: float | None
    """0 to 1; None where a category was stated."""
    category: str | None
    """In the reply's own word, such as `high`; None where a probability was stated."""
    true: bool


class _Reply(NamedTuple):
    """A reply of a game with what decides its marks."""

    turn: int
    seat: int
    one: RecordedReply
    truth: Truth

    @property
    def place(self) -> Mapping[str, int | str]:
        node = self.one.node
        who = {"node": node.name, "role": node.role.name, "model": node.model}
        return {"turn": self.turn, "seat": self.seat, "sample": self.one.sample, **who}


def role_marks(
    story: Story, *, turns: Collection[int] | None = None, rollouts: int = 0, store: RolloutStore | None = None
) -> tuple[RoleMark, ...]:
    """The marks of all replies of a game, turn by turn. Seats that are no graph, or one with roles that are not
    registered here, have none.

    `turns`: the numbers of those to be marked; all by default.
    `rollouts`: games played to judge each chosen and each refused move, for the marks that need them; none with 0,
    else up to half a second a move. `store` keeps what was played.
    """
    tracked, found = TrackedGame(story), list[RoleMark]()
    for turn in _turns(story):
        if turns is None or turn.number in turns:
            found += _of_turn(story, turn, tracked, rollouts, store)
        else:
            tracked.follow(turn.number, tuple(reply.one for reply in turn.replies))
    return tuple(found)


def marked_and_stated(
    story: Story, *, rollouts: int = 0, store: RolloutStore | None = None
) -> tuple[tuple[RoleMark, ...], tuple[StatedOutcome, ...]]:
    """What `role_marks` and `calibration` give, in one reading of the game."""
    turns, tracked = list(_turns(story)), TrackedGame(story)
    marks = tuple(mark for turn in turns for mark in _of_turn(story, turn, tracked, rollouts, store))
    return marks, tuple(pair for turn in turns for found in turn.replies for pair in _pairs(found))


def _of_turn(
    story: Story, turn: "_Turn", tracked: TrackedGame, rollouts: int, store: RolloutStore | None
) -> Iterator[RoleMark]:
    there = tuple(found.one for found in turn.replies)
    yield from tracked.marks(turn.number, there)
    for found in turn.replies:
        yield from _marks(found)
    yield from choice_marks(MarkedTurn.of(story, turn.number, turn.config, there), rollouts, store)


def calibration(story: Story) -> tuple[StatedOutcome, ...]:
    """All probabilities and categories that the replies of a game stated, each with what came true, turn by turn."""
    return tuple(pair for turn in _turns(story) for found in turn.replies for pair in _pairs(found))


class _Turn(NamedTuple):
    """A turn of a seat that is a graph."""

    number: int
    config: GraphConfig
    replies: tuple[_Reply, ...]


def _turns(story: Story) -> Iterator[_Turn]:
    memories = [story.memory(number) for number in range(1, len(story.turns) + 1)]
    known = truths(story.started.players, story.started.deck, story.moves, memories)
    for number, (turn, truth) in enumerate(zip(story.turns, known, strict=False), 1):
        seat = turn.started.seat
        if config := story.config(seat, number):
            there = replies(config, (turn.started, *turn.events), memories[number - 1])
            yield _Turn(number, config, tuple(_Reply(number, seat, one, truth) for one in there))


def _marks(found: _Reply) -> Iterator[RoleMark]:
    one, truth = found.one, found.truth
    scored = roles.mark(one.node.role, one.reply, one.sections, truth) or {}
    others = _baselines(one, truth) if scored else {}
    for name, value in scored.items():
        beside = {who: marks[name] for who, marks in others.items() if name in marks}
        yield RoleMark.model_validate({**found.place, "name": name, "value": value, "baselines": beside})


def _baselines(one: RecordedReply, truth: Truth) -> Mapping[str, Marks]:
    found: dict[str, Marks] = {PROGRAM: program_marks(one, truth)}
    if isinstance(mark := one.node.role.mark, Marker):
        for name, baseline in {UNIFORM: mark.guess, PREVIOUS: mark.previous, **mark.others}.items():
            found[name] = (baseline and baseline(one.reply, one.sections, truth)) or {}
    return found


def _pairs(found: _Reply) -> Iterator[StatedOutcome]:
    one = found.one
    for pair in roles.stated(one.node.role, one.reply, one.sections, found.truth):
        words = isinstance(pair.said, str)
        said = {"probability": None if words else pair.said, "category": pair.said if words else None}
        yield StatedOutcome.model_validate({**found.place, "kind": pair.kind, **said, "true": pair.true})
