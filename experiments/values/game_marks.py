"""All marks of a game: those of its roles' replies, the known faults of its moves, and what was not stated."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property

import roles
from experiments.record.game import Game
from experiments.values.mistakes import KINDS, MoveFault, faults_of
from experiments.values.move_values import Kind
from experiments.values.role_mark import RoleMark, StatedOutcome
from experiments.values.role_marks import marked_and_stated
from experiments.values.rollout_store import RolloutStore
from experiments.values.score_strip import strip
from graphs.attempts import base
from graphs.config import GraphConfig
from orchestrator.journal.events import Call
from orchestrator.values import Frozen
from roles.reply_types import Choice, RatedChoice


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
    """Points that all moves together changed the expected score by, against a convention player's in their place; None
    without rollouts."""

    @cached_property
    def quality(self) -> Mapping[Kind, int]:
        """How many moves had each known fault."""
        counts = Counter(fault.kind for fault in self.faults)
        return {kind: counts[kind] for kind in KINDS}


def game_marks(story: Game, rollouts: int = 0, store: RolloutStore | None = None) -> GameMarks:
    """The marks of a game, finished or not, from its journal alone; half a second to a few seconds.

    `rollouts`: as in `role_marks`; with any, `swing` is there, too, and a game takes half a minute or more.
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
        for call in {(call.node, call.sample): call for call in turn.calls if call.outcome != "unasked"}.values():
            key = base(call.node), call.role, call.model
            counts[*key, call.reply is not None] += 1
            if key not in unasked:
                unasked[key] = _unasked(story.config(turn.seat, turn.number), call)
    for key, missing in unasked.items():
        node, role, model = key
        yield NodeReplies(
            node=node,
            role=role,
            model=model,
            replies=counts[*key, True],
            unusable=counts[*key, False],
            unasked=missing,
        )


def _unasked(config: GraphConfig | None, call: Call) -> tuple[str, ...]:
    """What the prompt of a model did not ask for; nothing for programs, which reply in the role's own type."""
    node = base(call.node)
    if call.text is None or config is None or node not in config.nodes or call.role not in roles.names():
        return ()
    role = roles.get(call.role)
    rated = issubclass(config.context_of(node).reply(role), RatedChoice)
    return () if rated or role.reply is not Choice else ("ratings",)
