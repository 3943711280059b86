"""What could not be marked in games, and why, in sentences."""

from collections.abc import Iterable, Iterator, Sequence

from experiments.analysis.role_marks import MarkedGame
from experiments.values.game_marks import NodeReplies
from experiments.values.mark_tally import infos_of
from roles.words import many


def missing(games: Sequence[MarkedGame]) -> Iterator[str]:
    """Roles that state nothing that can be marked, fields that no format asked for, and answers that were unusable."""
    nodes = [node for game in games for node in game.nodes]
    marked = {key.role for game in games for key in game.tallies}
    if silent := sorted({node.role for node in nodes if not infos_of(node.role)} - marked):
        verb = "states" if len(silent) == 1 else "state"
        yield f"{', '.join(silent)} {verb} nothing that can be marked."
    for role in dict.fromkeys(node.role for node in nodes):
        yield from _of_role(role, [node for node in nodes if node.role == role], games)
    if not any(game.nodes for game in games):
        yield "No seat is a graph, so there are no roles."


def _of_role(role: str, nodes: Sequence[NodeReplies], games: Iterable[MarkedGame]) -> Iterator[str]:
    if unasked := sorted({field for node in nodes for field in node.unasked}):
        yield f"{role} is not asked for {' and '.join(unasked)} by its answer format, so these have no marks."
    if infos_of(role) and not any(key.role == role for game in games for key in game.tallies):
        yield f"{role}: none of its replies stated what its marks are about."
    if unusable := sum(node.unusable for node in nodes):
        asked = unusable + sum(node.replies for node in nodes)
        yield f"{role}: {unusable:,} of {many(asked, 'question')} got no usable answer, and so no marks."
