"""The positions of Hanabi on which `conformance` runs a role: of games that the literal player plays with itself."""

from hanabi_orchestrator.orchestrator.game.registry import DEFAULT
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.roles import conformance
from hanabi_orchestrator.roles.conformance import CASES, Case
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.hanabi.truth import truths
from hanabi_orchestrator.roles.sections import cut


def cases() -> tuple[Case, ...]:
    """Some positions of a game at each player count, the first and the last turn among them."""
    positions: list[Case] = []
    for players in (2, 3, 4, 5):
        referee = Referee(players, deal(seed=players))
        moves = list[Move]()
        while not referee.over:
            sections = cut(referee.view(), [(kind, {}) for kind in TAKES])
            move, _ = literal_play.best(Position.read(sections))
            referee.apply(move)
            moves.append(move)
        turns = []
        for truth in truths(players, referee.deck, moves):
            if truth.view:
                turns.append(Case(truth.view, truth))
        positions += [*turns[: -1 : conformance.EVERY], turns[-1]]
    return tuple(positions)


CASES[DEFAULT] = cases
