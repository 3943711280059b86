"""The marks of a game: what every role stated, scored against the truth, beside what others would have scored."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from pydantic import BaseModel

import roles
from experiments.record.game import Game
from experiments.values import judge_marks, move_marks, role_mark
from experiments.values.marked_turn import ADVISING, MarkedTurn
from experiments.values.role_mark import UNIFORM, RoleMark, StatedOutcome
from experiments.values.rollout_store import RolloutStore
from experiments.values.state_tracking import TrackedGame
from graphs.recorded import RecordedReply, program_marks, replies
from orchestrator.models.settings import PROGRAM
from roles import Truth
from roles.hanabi.plan_evaluator import PlannedChoice
from roles.hanabi.truth import truths
from roles.marks import Marker, MarkInfo, Marks, infos
from roles.reply_types import Choice, Judgement, Shortlist

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
BASELINES = (PROGRAM, UNIFORM, PREVIOUS)
"""In the order of tables; roles may name more, which follow."""


def ordered_baselines(names: Collection[str]) -> list[str]:
    """Return baselines in the order of tables."""
    return [*(name for name in BASELINES if name in names), *sorted(set(names) - set(BASELINES))]


def all_baselines() -> list[str]:
    """Return every baseline that a mark may have: those that all roles share, then those that registered roles name."""
    markers = (roles.get(name).mark for name in roles.names())
    return ordered_baselines({*BASELINES, *(n for mark in markers if isinstance(mark, Marker) for n in mark.others)})


def role_marks(
    story: Game, *, turns: Collection[int] | None = None, rollouts: int = 0, store: RolloutStore | None = None
) -> tuple[RoleMark, ...]:
    """The marks of all replies of a game, turn by turn. Seats that are no graph, or one with roles that are not
    registered here, have none.

    `turns`: the numbers of those to be marked; all by default.
    `rollouts`: games played to judge each chosen and each refused move, for the marks that need them; none with 0,
    else up to half a second a move. `store` keeps what was played.
    """
    return marked_and_stated(story, turns=turns, rollouts=rollouts, store=store)[0]


def calibration(story: Game) -> tuple[StatedOutcome, ...]:
    """All probabilities and categories that the replies of a game stated, each with what came true, turn by turn."""
    return tuple(outcome for turn, truth in _turns(story) for outcome in _stated(turn, truth))


def marked_and_stated(
    story: Game, *, turns: Collection[int] | None = None, rollouts: int = 0, store: RolloutStore | None = None
) -> tuple[tuple[RoleMark, ...], tuple[StatedOutcome, ...]]:
    """What `role_marks` and `calibration` give, in one reading of the game."""
    tracked, store = TrackedGame(story), store or RolloutStore()
    marks, outcomes = list[RoleMark](), list[StatedOutcome]()
    for turn, truth in _turns(story):
        if turns is not None and turn.number not in turns:
            tracked.follow(turn.number, turn.replies)
            continue
        marks += tracked.marks(turn.number, turn.replies)
        marks += (mark for recorded in turn.replies for mark in _marks(turn, recorded, truth))
        marks += move_marks.choices(turn, rollouts, store)
        marks += move_marks.ratings(turn)
        marks += move_marks.several_answers(turn)
        marks += move_marks.lists(turn)
        marks += move_marks.advised(turn)
        marks += judge_marks.verdicts(turn, rollouts, store)
        outcomes += _stated(turn, truth)
    return tuple(marks), tuple(outcomes)


def _turns(story: Game) -> Iterator[tuple[MarkedTurn, Truth]]:
    """Yield the turns of seats that are graphs."""
    memories = [story.memory(number) for number in range(1, len(story.turns) + 1)]
    turn_truths = truths(story.started.players, story.started.deck, story.moves, memories)
    for number, (turn, truth) in enumerate(zip(story.turns, turn_truths, strict=False), 1):
        if config := story.config(turn.seat, number):
            recorded = replies(config, (turn.started, *turn.events), memories[number - 1])
            yield MarkedTurn.of(story, number, config, tuple(recorded)), truth


def _marks(turn: MarkedTurn, recorded: RecordedReply, truth: Truth) -> Iterator[RoleMark]:
    """Yield the marks that the role itself gives a reply, beside its baselines."""
    scored = roles.mark(recorded.node.role, recorded.reply, recorded.sections, truth)
    if not scored:
        return
    baselines: dict[str, Marks] = {PROGRAM: program_marks(recorded, truth)}
    if isinstance(mark := recorded.node.role.mark, Marker):
        for name, baseline in {UNIFORM: mark.guess, PREVIOUS: mark.previous, **mark.others}.items():
            baselines[name] = (baseline and baseline(recorded.reply, recorded.sections, truth)) or {}
    yield from role_mark.marks(turn.place(recorded), scored, baselines)


def _stated(turn: MarkedTurn, truth: Truth) -> Iterator[StatedOutcome]:
    for recorded in turn.replies:
        for pair in roles.stated(recorded.node.role, recorded.reply, recorded.sections, truth):
            words = isinstance(pair.said, str)
            statement = {"probability": None if words else pair.said, "category": pair.said if words else None}
            fields = {**turn.place(recorded), "kind": pair.kind, **statement, "true": pair.true}
            yield StatedOutcome.model_validate(fields)
