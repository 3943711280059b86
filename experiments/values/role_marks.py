"""The marks of a game: what every role stated, scored against the truth, beside what others would have scored."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import BaseModel

import roles
from experiments.record.game import Game
from experiments.values import judge_marks, move_marks
from experiments.values.marked_turn import ADVISING, MarkedTurn
from experiments.values.role_mark import UNIFORM, RoleMark, StatedOutcome, place
from experiments.values.rollout_store import RolloutStore
from experiments.values.state_tracking import TrackedGame
from graphs.config import GraphConfig
from graphs.recorded import RecordedReply, program_marks, replies
from orchestrator.models.settings import PROGRAM
from roles import Truth
from roles.hanabi.plan_evaluator import PlannedChoice
from roles.hanabi.truth import truths
from roles.marks import Marker, MarkInfo, Marks, infos
from roles.reply_types import Choice, Judgement, Shortlist


def choice_marks(turn: MarkedTurn, rollouts: int = 0, store: RolloutStore | None = None) -> Iterator[RoleMark]:
    """Yield the marks of a turn. `rollouts`: games played to judge a chosen move, up to half a second each."""
    store = store or RolloutStore()
    yield from move_marks.choices(turn, rollouts, store)
    yield from move_marks.ratings(turn)
    yield from move_marks.several_answers(turn)
    yield from move_marks.lists(turn)
    yield from move_marks.advised(turn)
    yield from judge_marks.verdicts(turn, rollouts, store)


INFOS: Sequence[tuple[tuple[type[BaseModel], ...], tuple[MarkInfo, ...], str]] = (
    ((Choice,), move_marks.CHOICE, ""),
    ((Choice,), (move_marks.ROLLOUT_REGRET,), "with --rollouts"),
    ((Choice,), (move_marks.AGREES,), "beside a role that puts a move first"),
    ((Choice,), move_marks.RECOMMENDED, "after a recommender"),
    ((Choice,), (move_marks.SELECTION_REGRET,), "where it reads several choices"),
    ((Shortlist,), move_marks.LISTED, ""),
    ((Choice, Shortlist), move_marks.RATING, "where its answer rates or ranks moves"),
    ((PlannedChoice,), (move_marks.GAIN_ERROR,), ""),
    ((Choice,), move_marks.SEVERAL, "where its node takes several samples"),
    ((Judgement,), judge_marks.INFOS, ""),
    (ADVISING, move_marks.ADVISED, "where another node decides"),
)
"""By the kinds of replies, the marks that they have here, and where they have them if not everywhere."""
CONDITIONS: Mapping[str, str] = {info.name: where for _, group, where in INFOS for info in group}
"""By mark, where a role has it; empty or missing: everywhere."""


def mark_infos(role: str) -> Mapping[str, MarkInfo]:
    """Return the descriptions of a role's marks, by name: of its own file, and of its type of reply.

    Raises UserError for a role that is not registered.
    """
    definition = roles.get(role)
    more = (info for kinds, group, _ in INFOS if issubclass(definition.reply, kinds) for info in group)
    return {**infos(definition.mark), **{info.name: info for info in more}}


PREVIOUS = "previous"


class _Reply(NamedTuple):
    """A reply of a game with what decides its marks."""

    turn: int
    seat: int
    recorded: RecordedReply
    truth: Truth

    @property
    def place(self) -> Mapping[str, int | str]:
        return place(self.recorded, self.turn, self.seat)


def role_marks(
    story: Game, *, turns: Collection[int] | None = None, rollouts: int = 0, store: RolloutStore | None = None
) -> tuple[RoleMark, ...]:
    """The marks of all replies of a game, turn by turn. Seats that are no graph, or one with roles that are not
    registered here, have none.

    `turns`: the numbers of those to be marked; all by default.
    `rollouts`: games played to judge each chosen and each refused move, for the marks that need them; none with 0,
    else up to half a second a move. `store` keeps what was played.
    """
    tracked, marks = TrackedGame(story), list[RoleMark]()
    for turn in _turns(story):
        if turns is None or turn.number in turns:
            marks += _turn_marks(story, turn, tracked, rollouts, store)
        else:
            tracked.follow(turn.number, tuple(reply.recorded for reply in turn.replies))
    return tuple(marks)


def marked_and_stated(
    story: Game, *, rollouts: int = 0, store: RolloutStore | None = None
) -> tuple[tuple[RoleMark, ...], tuple[StatedOutcome, ...]]:
    """What `role_marks` and `calibration` give, in one reading of the game."""
    turns, tracked = list(_turns(story)), TrackedGame(story)
    marks = tuple(mark for turn in turns for mark in _turn_marks(story, turn, tracked, rollouts, store))
    return marks, tuple(pair for turn in turns for reply in turn.replies for pair in _pairs(reply))


def _turn_marks(
    story: Game, turn: "_Turn", tracked: TrackedGame, rollouts: int, store: RolloutStore | None
) -> Iterator[RoleMark]:
    recorded = tuple(reply.recorded for reply in turn.replies)
    yield from tracked.marks(turn.number, recorded)
    for reply in turn.replies:
        yield from _marks(reply)
    yield from choice_marks(MarkedTurn.of(story, turn.number, turn.config, recorded), rollouts, store)


def calibration(story: Game) -> tuple[StatedOutcome, ...]:
    """All probabilities and categories that the replies of a game stated, each with what came true, turn by turn."""
    return tuple(pair for turn in _turns(story) for reply in turn.replies for pair in _pairs(reply))


class _Turn(NamedTuple):
    """A turn of a seat that is a graph."""

    number: int
    config: GraphConfig
    replies: tuple[_Reply, ...]


def _turns(story: Game) -> Iterator[_Turn]:
    memories = [story.memory(number) for number in range(1, len(story.turns) + 1)]
    turn_truths = truths(story.started.players, story.started.deck, story.moves, memories)
    for number, (turn, truth) in enumerate(zip(story.turns, turn_truths, strict=False), 1):
        seat = turn.seat
        if config := story.config(seat, number):
            recorded_replies = replies(config, (turn.started, *turn.events), memories[number - 1])
            yield _Turn(number, config, tuple(_Reply(number, seat, recorded, truth) for recorded in recorded_replies))


def _marks(reply: _Reply) -> Iterator[RoleMark]:
    recorded, truth = reply.recorded, reply.truth
    scored = roles.mark(recorded.node.role, recorded.reply, recorded.sections, truth) or {}
    baselines = _baselines(recorded, truth) if scored else {}
    for name, value in scored.items():
        values = {baseline: marks[name] for baseline, marks in baselines.items() if name in marks}
        yield RoleMark.model_validate({**reply.place, "name": name, "value": value, "baselines": values})


def _baselines(recorded: RecordedReply, truth: Truth) -> Mapping[str, Marks]:
    baselines: dict[str, Marks] = {PROGRAM: program_marks(recorded, truth)}
    if isinstance(mark := recorded.node.role.mark, Marker):
        for name, baseline in {UNIFORM: mark.guess, PREVIOUS: mark.previous, **mark.others}.items():
            baselines[name] = (baseline and baseline(recorded.reply, recorded.sections, truth)) or {}
    return baselines


def _pairs(reply: _Reply) -> Iterator[StatedOutcome]:
    recorded = reply.recorded
    for pair in roles.stated(recorded.node.role, recorded.reply, recorded.sections, reply.truth):
        words = isinstance(pair.said, str)
        statement = {"probability": None if words else pair.said, "category": pair.said if words else None}
        yield StatedOutcome.model_validate({**reply.place, "kind": pair.kind, **statement, "true": pair.true})
