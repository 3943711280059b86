"""The marks of a game: what every role stated, scored against the truth, beside what others would have scored."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import roles
from experiments.results.story import Story
from graphs.recorded_marks import RecordedReply, program_marks, replies
from orchestrator.models.settings import PROGRAM
from orchestrator.values import Frozen
from roles import Truth
from roles.hanabi.truth import truths
from roles.marks import Marker, Marks

UNIFORM, PREVIOUS = "uniform", "previous"


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
    baselines: Mapping[str, float] = {}
    """The same mark of others on the same turn: `program`, that of the role's program; `uniform`, that of a uniform
    guess on average; `previous`, that of one who states how often it was so before."""


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


def role_marks(story: Story) -> tuple[RoleMark, ...]:
    """The marks of all replies of a game, turn by turn. Seats that are no graph, or one with roles that are not
    registered here, have none."""
    return tuple(mark for found in _replies(story) for mark in _marks(found))


def calibration(story: Story) -> tuple[StatedOutcome, ...]:
    """All probabilities and categories that the replies of a game stated, each with what came true, turn by turn."""
    return tuple(pair for found in _replies(story) for pair in _pairs(found))


def _replies(story: Story) -> Iterator[_Reply]:
    memories = [story.memory(number) for number in range(1, len(story.turns) + 1)]
    known = truths(story.started.players, story.started.deck, story.moves, memories)
    for number, (turn, truth) in enumerate(zip(story.turns, known, strict=False), 1):
        seat = turn.started.seat
        if config := story.config(seat, number):
            for one in replies(config, (turn.started, *turn.events), memories[number - 1]):
                yield _Reply(number, seat, one, truth)


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
        for name, baseline in ((UNIFORM, mark.guess), (PREVIOUS, mark.previous)):
            found[name] = (baseline and baseline(one.reply, one.sections, truth)) or {}
    return found


def _pairs(found: _Reply) -> Iterator[StatedOutcome]:
    one = found.one
    for pair in roles.stated(one.node.role, one.reply, one.sections, found.truth):
        words = isinstance(pair.said, str)
        said = {"probability": None if words else pair.said, "category": pair.said if words else None}
        yield StatedOutcome.model_validate({**found.place, "kind": pair.kind, **said, "true": pair.true})
