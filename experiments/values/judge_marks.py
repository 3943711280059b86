"""Marks of those who judge a choice, a model or the exact rule: the safety rule with the full view
knows better.

A choice is safe when the safety rule, with the limits of the seat's graph, accepts it by all that
the seat can see: hints, counting, and the conventions as far as the partners keep to them. The
hidden card itself decides nothing.
"""

from collections.abc import Iterator

from hanabi_orchestrator import roles
from hanabi_orchestrator.experiments.values import role_mark
from hanabi_orchestrator.experiments.values.marked_turn import MarkedTurn, MoveMarks
from hanabi_orchestrator.experiments.values.role_mark import UNIFORM, RoleMark
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore
from hanabi_orchestrator.experiments.values.rollouts import SeatRollouts, mean, points
from hanabi_orchestrator.graphs.attempts import base
from hanabi_orchestrator.graphs.gate import SAFETY
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.roles.hanabi.reasoning.position import Position
from hanabi_orchestrator.roles.hanabi.safety import Safety
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.marks import MarkInfo
from hanabi_orchestrator.roles.reply_types import Judgement
from hanabi_orchestrator.roles.sections import cut

RIGHT_VERDICT = MarkInfo(
    "right_verdict", "Whether it accepted a safe choice or refused an unsafe one.", "share", 1
)
REFUSED_SAFE = MarkInfo(
    "refused_safe", "Share of the safe choices that it refused.", "share", 0, False
)
ACCEPTED_UNSAFE = MarkInfo(
    "accepted_unsafe", "Share of the unsafe choices that it accepted.", "share", 0, False
)
REFUSED = MarkInfo("refused", "Share of the choices that it refused.", "share", None)
REFUSAL_GAIN = MarkInfo(
    "refusal_gain",
    "One-step value of the move played, minus that of the refused choice.",
    "points",
    None,
)
REFUSAL_ROLLOUT_GAIN = MarkInfo(
    "refusal_rollout_gain", "The same by rollouts on equal deals.", "points", None
)
INFOS = (RIGHT_VERDICT, REFUSED_SAFE, ACCEPTED_UNSAFE, REFUSED, REFUSAL_GAIN, REFUSAL_ROLLOUT_GAIN)
COIN: MoveMarks = {
    info.name: 0.5 for info in (RIGHT_VERDICT, REFUSED_SAFE, ACCEPTED_UNSAFE, REFUSED)
}
"""What a verdict by the toss of a coin scores on average."""


def verdicts(turn: MarkedTurn, rollouts: int, store: RolloutStore) -> Iterator[RoleMark]:
    """Yield the marks of all verdicts of a turn."""
    judges = {recorded.node.name: recorded for recorded in turn.replies}
    for verdict in turn.verdicts:
        if verdict.move not in turn.values:
            continue
        safe = _safe(turn, verdict.move)
        judge = judges.get(verdict.node)
        scores = _marks(safe, verdict.accepted)
        if judge is None:
            program = scores  # the exact rule is a program
        else:
            solved = turn.program(judge)
            program = _marks(safe, solved.accept) if isinstance(solved, Judgement) else {}
        node = turn.config.nodes.get(base(verdict.node))
        role, model = (node.role, node.model) if node else (SAFETY, PROGRAM)
        place = {"turn": turn.number, "seat": verdict.seat, "sample": 0}
        source = {**place, "node": verdict.node, "role": role, "model": model}
        yield from role_mark.marks(source, scores, {PROGRAM: program, UNIFORM: COIN})
        if not verdict.accepted and turn.played is not None:
            gains = {REFUSAL_GAIN.name: turn.values[turn.played] - turn.values[verdict.move]}
            if rollouts:  # on equal deals, half of the rollouts for each move
                trials = SeatRollouts(turn.position, store)
                deals = max(2, rollouts // 2)
                moves = turn.played, verdict.move
                gained, lost = (
                    mean(points(trials.ends(move, 0, deals), "strict")) for move in moves
                )
                trials.keep()
                gains[REFUSAL_ROLLOUT_GAIN.name] = gained - lost
            yield from role_mark.marks(source, gains, {})


def _marks(safe: bool, accepted: bool) -> MoveMarks:
    error, wrong = (REFUSED_SAFE, not accepted) if safe else (ACCEPTED_UNSAFE, accepted)
    return {
        RIGHT_VERDICT.name: float(safe == accepted),
        error.name: float(wrong),
        REFUSED.name: float(not accepted),
    }


def _safe(turn: MarkedTurn, move: Move) -> bool:
    """By all that the seat can see."""
    view = turn.position.view
    rule = roles.get(SAFETY)
    seen = cut(view, [(kind, {}) for kind in rule.takes], memory=turn.position.memory)
    verdict = Safety(turn.config.verify.limits).judge(
        Position.read(seen), move, reading=seen[ConventionFacts]
    )
    return verdict.accept
