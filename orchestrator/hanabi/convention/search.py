"""One-ply search: each of a few moves is tried on sampled deals, which convention players then play to the end.

The deals are drawn from the seat's exact belief: its own hand as common knowledge and the hands in sight allow, the
deck in any order. All moves are tried on the same deals, so that differences are due to the moves alone. The move that
the seat would make anyway is kept unless another is better by more than chance explains.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, log2, sqrt
from random import Random

from orchestrator.hanabi import belief
from orchestrator.hanabi.convention.hint_convention import is_certain
from orchestrator.hanabi.convention.policy import Scene
from orchestrator.hanabi.convention.rollout import RolloutGame, act, numbered
from orchestrator.hanabi.moves import Discard, Move, Play

MARGIN = 1.5
"""A move must be better than the usual one by this many standard errors."""
MOST = 6
"""The most moves that are tried, the usual one included."""
WORTH_A_TRY = 0.6
"""The least P(playable) of a play that is tried; the safety verifier would refuse less."""
TRIES = 1000
"""Attempts to draw a hand; about one of three succeeds, at worst one of 26."""


@dataclass
class Trial:
    """A move and the final scores of its rollouts, deal by deal."""

    move: Move
    scores: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return sum(self.scores) / len(self.scores) if self.scores else 0.0

    def gain(self, other: "Trial") -> tuple[float, float]:
        """Return the mean gain over another trial on the deals that both played, and its standard error."""
        gains = [ours - theirs for ours, theirs in zip(self.scores, other.scores, strict=False)]
        if len(gains) < 2:
            return 0.0, float("inf")
        mean = sum(gains) / len(gains)
        return mean, sqrt(sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1) / len(gains))


def search(scene: Scene, usual: Move, rollouts: int, chance: Random, moves: Sequence[Move] = ()) -> list[Trial]:
    """Return the moves that were tried, the usual one first, with the scores of their rollouts.

    `usual`: the move that the seat would make anyway. `rollouts`: the most games played, all moves together. They are
    shared out among rounds (successive halving): after each, the better half of the moves that are ahead of the usual
    one is kept; when none is ahead, the search ends. A single move is not tried.
    """
    trials = [Trial(move) for move in (moves or candidates(scene, usual))]
    remaining, deals = list(trials), Deals(scene, chance)
    rounds = ceil(log2(len(trials))) if len(trials) > 1 else 0
    for _round in range(rounds):
        for _deal in range(rollouts // rounds // len(remaining)):
            if (game := deals.draw()) is None:
                return trials
            for trial in remaining:
                played = game.dealt(game.hands, game.deck)
                played.apply(act(trial.move))
                trial.scores.append(played.finish())
        first, *rivals = remaining
        ahead = sorted((trial for trial in rivals if trial.mean > first.mean), key=lambda trial: -trial.mean)
        remaining = [first, *ahead[: (len(rivals) + 1) // 2]]
        if len(remaining) == 1:
            break
    return trials


def best(trials: Sequence[Trial]) -> Trial:
    """Return the best of the moves that were tried longest, if it beats the usual one by the margin; else the usual
    one."""
    usual = trials[0]
    longest = [trial for trial in trials[1:] if len(trial.scores) == len(usual.scores)]
    for trial in sorted(longest, key=lambda trial: -trial.mean):
        gain, error = trial.gain(usual)
        if gain > MARGIN * error:
            return trial
    return usual


class Deals:
    """Samples deals that the seat cannot tell from the real one."""

    def __init__(self, scene: Scene, chance: Random) -> None:
        self.chance, self.seat, self.players = chance, scene.seat, scene.knowledge.players
        self.game = RolloutGame(scene.knowledge, scene.seat, scene.turns_left)
        self.hands = {seat: numbered(cards) for seat, cards in scene.hands.items()}
        self.masks = [slot.possible for slot in scene.beliefs]
        unseen = belief.unseen(scene.piles, *scene.hands.values())
        self.pool = [index for index, copies in enumerate(unseen) for _ in range(copies)]
        self.fits = [[number for number, card in enumerate(self.pool) if mask >> card & 1] for mask in self.masks]
        self.order = sorted(range(len(self.masks)), key=lambda slot: len(self.fits[slot]))

    def draw(self) -> RolloutGame | None:
        """Return one deal; None when none was found."""
        for _ in range(TRIES):
            numbers = self._hand()
            if numbers is not None:
                hand = [self.pool[numbers[slot]] for slot in range(len(self.masks))]
                out = set(numbers.values())
                deck = [card for number, card in enumerate(self.pool) if number not in out]
                self.chance.shuffle(deck)
                hands = [hand if seat == self.seat else self.hands[seat] for seat in range(self.players)]
                return self.game.dealt(hands, deck)
        return None

    def _hand(self) -> dict[int, int] | None:
        """Return a card for each own slot, or None: by rejection, so that all possible hands are equally likely."""
        numbers: dict[int, int] = {}
        for slot in self.order:
            fits = self.fits[slot]
            number = fits[int(self.chance.random() * len(fits))]
            if number in numbers.values():
                return None
            numbers[slot] = number
        return numbers


# Which moves are tried


def candidates(scene: Scene, usual: Move) -> list[Move]:
    """Return the usual move, then a few plays, hints and discards that may be better and say nothing false."""
    least = 1.0 if scene.knowledge.lives == 1 else WORTH_A_TRY
    likely = [(slot, belief.playable) for slot, belief in enumerate(scene.beliefs) if belief.playable >= least]
    plays = [Play(slot=slot) for slot, _ in sorted(likely, key=lambda item: -item[1])][:3]
    tried = (usual, *plays, *_truthful_hints(scene), *_safe_discards(scene))
    legal = set(scene.legal)
    return list(dict.fromkeys(move for move in tried if move in legal))[:MOST]


def _truthful_hints(scene: Scene) -> Sequence[Move]:
    """Hints that say nothing false; only hints to the next player when they are about to lose a critical card."""
    danger = scene.in_danger() is not None
    effects = (effect for effect in scene.hint_effects if not danger or effect.hint.to == scene.next)
    truthful = (effect for effect in effects if not effect.false)
    ranked = sorted(truthful, key=lambda effect: (not effect.helps, not effect.warns, -effect.removed))
    return [effect.hint for effect in ranked][:5]


def _safe_discards(scene: Scene) -> Sequence[Move]:
    """Discards with the least risk; none when a discard would say something false: that no own card is known to fit, or
    that the next player is not about to lose a critical card."""
    if (scene.knowledge.tokens and scene.in_danger() is not None) or any(
        is_certain(mask, scene.piles.playable) for mask in scene.knowledge.common[scene.seat]
    ):
        return []
    ranked = sorted(enumerate(scene.beliefs), key=lambda item: item[1].critical + item[1].playable - item[1].dead)
    return [Discard(slot=slot) for slot, belief in ranked if belief.critical < 1.0][:2]
