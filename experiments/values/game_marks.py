"""All marks of a game: what every role stated, scored against the truth, beside what others would
have scored.

With them go the known faults of its moves, and what was not stated."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from pydantic import BaseModel

from hanabi_orchestrator import roles
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values import judge_marks, move_marks, role_mark
from hanabi_orchestrator.experiments.values.marked_turn import ADVISING, MarkedTurn
from hanabi_orchestrator.experiments.values.mistakes import KINDS, MoveFault, faults_of
from hanabi_orchestrator.experiments.values.move_values import Kind
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.experiments.values.role_mark import UNIFORM, RoleMark, StatedOutcome
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore
from hanabi_orchestrator.experiments.values.score_strip import strip
from hanabi_orchestrator.experiments.values.state_tracking import TrackedGame
from hanabi_orchestrator.graphs.attempts import base
from hanabi_orchestrator.graphs.recorded import RecordedReply, program_marks, replies
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.values import Frozen
from hanabi_orchestrator.roles import Truth
from hanabi_orchestrator.roles.hanabi.plan_evaluator import PlannedChoice
from hanabi_orchestrator.roles.hanabi.truth import truths
from hanabi_orchestrator.roles.marks import Marker, MarkInfo, Marks, infos
from hanabi_orchestrator.roles.reply_types import Choice, Judgement, RatedChoice, Shortlist

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
"""By the kinds of replies, the marks that they have here, and where they have them if not
everywhere."""
CONDITIONS: Mapping[str, str] = {info.name: where for _, group, where in INFOS for info in group}
"""By mark, where a role has it; empty or missing: everywhere."""


def mark_infos(role: str) -> Mapping[str, MarkInfo]:
    """Return the marks of a role by name: of its own file, and of its type of reply. Raises
    UserError for a role that is not registered."""
    definition = roles.get(role)
    more = chain.from_iterable(
        group for kinds, group, _ in INFOS if issubclass(definition.reply, kinds)
    )
    return {**infos(definition.mark), **{info.name: info for info in more}}


PREVIOUS = "previous"
BASELINES = (PROGRAM, UNIFORM, PREVIOUS)
"""In the order of tables; roles may name more, which follow."""


def ordered_baselines(names: Collection[str]) -> list[str]:
    """Return baselines in the order of tables."""
    return [*(name for name in BASELINES if name in names), *sorted(set(names) - set(BASELINES))]


def all_baselines() -> list[str]:
    """Return every baseline that a mark may have: those that all roles share, then those that
    registered roles name."""
    markers = (roles.get(name).mark for name in roles.names())
    names = list[str]()
    for mark in markers:
        if isinstance(mark, Marker):
            names.extend(mark.baselines)
    return ordered_baselines({*BASELINES, *names})


def role_marks(
    story: Game,
    *,
    turns: Collection[int] | None = None,
    rollouts: int = 0,
    store: RolloutStore | None = None,
) -> tuple[RoleMark, ...]:
    """Return the marks of all replies of a game, turn by turn. Seats that are no graph, or one with
    roles that are not registered here, have none.

    `turns`: the numbers of those to be marked; all by default. `rollouts`: games played to judge
    each chosen and each refused move, for the marks that need them; none with 0, else up to half a
    second a move. `store` keeps what was played.
    """
    return marked_and_stated(story, turns=turns, rollouts=rollouts, store=store)[0]


def calibration(story: Game) -> tuple[StatedOutcome, ...]:
    """Return all probabilities and categories that the replies of a game stated, each with what
    came true, turn by turn."""
    outcomes = list[StatedOutcome]()
    for turn, truth in _turns(story):
        outcomes.extend(_stated(turn, truth))
    return tuple(outcomes)


def marked_and_stated(
    story: Game,
    *,
    turns: Collection[int] | None = None,
    rollouts: int = 0,
    store: RolloutStore | None = None,
) -> tuple[tuple[RoleMark, ...], tuple[StatedOutcome, ...]]:
    """Return what `role_marks` and `calibration` give, in one reading of the game."""
    tracked = TrackedGame(story)
    store = store or RolloutStore()
    marks = list[RoleMark]()
    outcomes = list[StatedOutcome]()
    for turn, truth in _turns(story):
        of_lists = [*tracked.marks(turn.number, turn.replies)]
        if turns is not None and turn.number not in turns:
            continue
        marks += of_lists
        marks += chain.from_iterable(_marks(turn, recorded, truth) for recorded in turn.replies)
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
            recorded = tuple(replies(config, (turn.started, *turn.events), memories[number - 1]))
            yield MarkedTurn(number, config, recorded, Position.of(story, number), turn), truth


def _marks(turn: MarkedTurn, recorded: RecordedReply, truth: Truth) -> Iterator[RoleMark]:
    """Yield the marks that the role itself gives a reply, beside its baselines."""
    scored = roles.mark(recorded.node.role, recorded.reply, recorded.sections, truth)
    if not scored:
        return
    baselines: dict[str, Marks] = {PROGRAM: program_marks(recorded, truth)}
    if isinstance(mark := recorded.node.role.mark, Marker):
        for name, baseline in {
            UNIFORM: mark.guess,
            PREVIOUS: mark.previous,
            **mark.baselines,
        }.items():
            baselines[name] = (
                baseline and baseline(recorded.reply, recorded.sections, truth)
            ) or {}
    yield from role_mark.marks(turn.place(recorded), scored, baselines)


def _stated(turn: MarkedTurn, truth: Truth) -> Iterator[StatedOutcome]:
    for recorded in turn.replies:
        for pair in roles.stated(recorded.node.role, recorded.reply, recorded.sections, truth):
            words = isinstance(pair.claim, str)
            statement = {
                "probability": None if words else pair.claim,
                "category": pair.claim if words else None,
            }
            fields = {**turn.place(recorded), "kind": pair.kind, **statement, "true": pair.true}
            yield StatedOutcome.model_validate(fields)


# The whole


class NodeReplies(Frozen):
    """What a node was asked in a game, and what it stated."""

    node: str
    """Without the number of a redo."""
    role: str
    model: str
    replies: int
    """Usable ones."""
    unusable: int
    """Questions without a usable answer."""
    unasked: tuple[str, ...] = ()
    """Fields of a reply that can be marked and that the graph's answer format does not ask for."""


class GameMarks(Frozen):
    """What is marked in a game."""

    marks: tuple[RoleMark, ...]
    faults: tuple[MoveFault, ...]
    nodes: tuple[NodeReplies, ...]
    stated: tuple[StatedOutcome, ...] = ()
    """Probabilities and categories that replies stated, each with what came true."""
    swing: float | None = None
    """Points by which all moves changed the expected score, against a convention player's; None
    without rollouts."""

    @cached_property
    def quality(self) -> Mapping[Kind, int]:
        """How many moves had each known fault."""
        counts = Counter(fault.kind for fault in self.faults)
        return {kind: counts[kind] for kind in KINDS}


def game_marks(story: Game, rollouts: int = 0, store: RolloutStore | None = None) -> GameMarks:
    """Return the marks of a game, finished or not, from its journal alone; half a second to a few
    seconds.

    `rollouts`: as in `role_marks`; with any, `swing` is there, too, and a game takes half a minute
    or more.
    """
    marks, stated = marked_and_stated(story, rollouts=rollouts, store=store)
    return GameMarks(
        marks=marks,
        faults=faults_of(story),
        nodes=tuple(_nodes(story)),
        stated=stated,
        swing=sum(strip(story, mistakes=False, store=store).swings) if rollouts else None,
    )


def _nodes(story: Game) -> Iterator[NodeReplies]:
    counts: Counter[tuple[str, str, str, bool]] = Counter()
    unasked: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for turn in story.turns:
        # the call with which each question ended; none where there was nothing to ask
        for call in {
            (call.node, call.sample): call for call in turn.calls if call.outcome != "unasked"
        }.values():
            key = base(call.node), call.role, call.model
            counts[*key, call.reply is not None] += 1
            if key not in unasked:
                unasked[key] = ()
                config = story.config(turn.seat, turn.number)
                known = call.role in roles.names()
                # programs reply in the role's own type; of a model the prompt may not ask for all
                # of that
                if (
                    call.text is not None
                    and config is not None
                    and key[0] in config.nodes
                    and known
                ):
                    role = roles.get(call.role)
                    rated = issubclass(config.context_of(key[0]).reply(role), RatedChoice)
                    unasked[key] = () if rated or role.reply is not Choice else ("ratings",)
    for (node, name, model), missing in unasked.items():
        usable, unusable = (counts[node, name, model, answered] for answered in (True, False))
        yield NodeReplies(
            node=node, role=name, model=model, replies=usable, unusable=unusable, unasked=missing
        )
