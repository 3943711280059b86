"""One-ply search: each of a few moves is tried on sampled deals, which players of the seat's convention then play to
the end.

The deals are drawn from the seat's belief: its own hand as common knowledge and the hands in sight allow, the deck in
any order. A hand beside which the partners' past moves would not have been those of the convention's players is less
likely (`Deals`). All moves are tried on the same deals, so that differences are due to the moves alone. Only moves are
tried by which nobody is misled. The move that the seat would make anyway is kept unless another is better by more than
chance explains.

After single-agent search of Lerer et al. 2020 (Improving policies via search in cooperative partially observable
games), in which all others keep to a known policy and the searching seat's belief is conditioned on their moves. Here
every seat may search: partners do not always do what the policy says, so a move that it does not explain makes a hand
less likely and not impossible.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, permutations
from math import ceil, log2, sqrt
from operator import mul
from random import Random
from typing import Generic, TypeVar

from hanabi_orchestrator.orchestrator.hanabi.cards import COPIES_OF, Card
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import HandMasks
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.past_moves import PastMoves
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import Rollout, act, numbered

MARGIN = 1.5
"""A move must be better than the usual one by this many standard errors."""
ROUNDING = 1e-9
"""Where every deal was played there is no error but this."""
WORTH_A_TRY = 0.6
"""The least P(playable) of a play that is tried; the safety verifier would refuse less."""
TRIES = 1000
"""Attempts to draw a hand; about one of three succeeds, at worst one of 26."""
HANDS = 200
"""Hands that are weighed by what they explain, and from which deals are then drawn."""
UNEXPLAINED = 0.08
"""The factor by which a hand is less likely for each past move of a partner that it does not explain."""
MANY = 4
"""Moves that a hand leaves unexplained are counted up to so many more than the best one leaves."""
PREDICTABLE = 1 / 3
"""The greatest share of surprising moves of partners at which rollouts are worth something: they play otherwise than
rollouts suppose. Beside planners it is a sixth, beside players of other conventions more than half."""
LIKELY = 10
"""Hands by which that share is told."""
MOST = 99
"""More surprises than a game has moves."""

R = TypeVar("R", bound=Rollout, covariant=True)


@dataclass(frozen=True)
class Ingredients:
    """The parts of a search, each of which can be left out to measure what it is worth."""

    readable: bool = True
    """Whether moves that mislead somebody are left out."""
    exact: bool = True
    """Whether every deal is played where they are few."""


@dataclass
class Trial:
    """A move and the final scores of its rollouts, deal by deal."""

    move: Move
    scores: list[float] = field(default_factory=list)
    shares: Sequence[float] = ()
    """The probability of each deal, where every deal was played; empty where they were drawn."""

    @cached_property
    def act(self) -> int:
        """The move as rollouts know it."""
        return act(self.move)

    @property
    def mean(self) -> float:
        if self.shares:
            return float(sum(map(mul, self.scores, self.shares)))
        return sum(self.scores) / len(self.scores) if self.scores else 0.0

    def gain(self, other: "Trial") -> tuple[float, float]:
        """Return the mean gain over another trial on the deals that both played, and its standard error."""
        if self.shares:
            return self.mean - other.mean, 0.0
        gains = [ours - theirs for ours, theirs in zip(self.scores, other.scores, strict=False)]
        if len(gains) < 2:
            return 0.0, float("inf")
        mean = sum(gains) / len(gains)
        return mean, sqrt(sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1) / len(gains))


class Deals(ABC, Generic[R]):
    """Samples deals that a seat cannot tell from the real one; a convention's package says which moves are tried.

    All hands that fit the common knowledge and the hands in sight are equally likely, but for what the partners' moves
    tell of them: with past moves, `HANDS` hands are drawn, and each is less likely by `UNEXPLAINED` for every one that
    a player of the convention would not have made beside it.
    """

    def __init__(
        self,
        game: R,
        hands: Mapping[int, Sequence[Card]],
        masks: HandMasks,
        chance: Random,
        past: PastMoves | None,
    ) -> None:
        """`game`: before the seat's turn, without a deal. `hands`: those in sight, by seat. `masks`: the types that the
        own cards may be."""
        self.chance = chance
        self.game = game
        self.masks = masks
        self.past = past
        self.seat = game.seat
        self.players = game.players
        self.hands = {seat: numbered(cards) for seat, cards in hands.items()}
        held = Counter(chain(*self.hands.values()))
        lost = game.counts
        unseen = (copies - lost[index] - held[index] for index, copies in enumerate(COPIES_OF))
        self.pool = [index for index, copies in enumerate(unseen) for _ in range(copies)]
        self.fits = [
            [number for number, card in enumerate(self.pool) if mask >> card & 1] for mask in masks
        ]
        self.order = sorted(range(len(masks)), key=lambda slot: len(self.fits[slot]))
        self.weighed = [hand for _ in range(HANDS) if (hand := self._hand())] if past else []
        likelihoods = self._likelihoods([self._cards(hand) for hand in self.weighed])
        self.likelihoods = list(accumulate(likelihoods[self._cards(hand)] for hand in self.weighed))

    @abstractmethod
    def candidates(self, usual: Move) -> list[Move]:
        """Return the usual move, then the legal moves that may be better."""

    def readable(self, moves: Sequence[Move]) -> list[Move]:
        """Return the first move, and the others by which nobody is misled."""
        return list(moves)

    @property
    def surprising(self) -> float:
        """The share of the partners' past moves that the convention's players would not have made, 0-1, beside the
        hands that explain them best."""
        if self.past is None or not self.weighed:
            return 0.0
        hands = {
            self._cards(hand)
            for hand in self.chance.choices(self.weighed, cum_weights=self.likelihoods, k=LIKELY)
        }
        return self.past.share(
            sum(self.past.surprises(hand, MOST) for hand in sorted(hands)) / len(hands)
        )

    def draw(self) -> R | None:
        """Return one deal; None when none was found."""
        if self.weighed:
            numbers: tuple[int, ...] | None = self.chance.choices(
                self.weighed, cum_weights=self.likelihoods
            )[0]
        else:
            numbers = self._hand()
        if numbers is None:
            return None
        deck = [card for number, card in enumerate(self.pool) if number not in numbers]
        self.chance.shuffle(deck)
        return self._dealt(self._cards(numbers), deck)

    def every(self, most: int) -> list[tuple[R, float]]:
        """Return every deal with its probability; nothing if there are more than `most`, or more than a card is left in
        the deck."""
        slots = len(self.masks)
        if len(self.pool) > slots + 1:
            return []
        fitting = (
            order
            for order in permutations(range(len(self.pool)))
            if all(
                mask >> self.pool[number] & 1
                for mask, number in zip(self.masks, order, strict=False)
            )
        )
        deals = Counter(tuple(self.pool[number] for number in order) for order in fitting)
        if len(deals) > most:
            return []
        likelihoods = self._likelihoods([cards[:slots] for cards in deals])
        weights = [number * likelihoods[cards[:slots]] for cards, number in deals.items()]
        games = (self._dealt(cards[:slots], cards[slots:]) for cards in deals)
        return [
            (game, weight / sum(weights))
            for game, weight in zip(games, weights, strict=True)
            if weight
        ]

    def _dealt(self, hand: Sequence[int], deck: Sequence[int]) -> R:
        return self.game.dealt(
            [hand if seat == self.seat else self.hands[seat] for seat in range(self.players)], deck
        )

    def _hand(self) -> tuple[int, ...] | None:
        """Return numbers of cards for the own slots, or None: by rejection, so that all possible hands are equally
        likely."""
        for _ in range(TRIES if all(self.fits) else 0):
            numbers: dict[int, int] = {}
            for slot in self.order:
                fits = self.fits[slot]
                number = fits[int(self.chance.random() * len(fits))]
                if number in numbers.values():
                    break
                numbers[slot] = number
            else:
                return tuple(numbers[slot] for slot in range(len(self.masks)))
        return None

    def _cards(self, numbers: Sequence[int]) -> tuple[int, ...]:
        return tuple([self.pool[number] for number in numbers])

    def _likelihoods(self, hands: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], float]:
        """Return how likely the partners' past moves are beside each hand, the best of them 1."""
        if self.past is None:
            return dict.fromkeys(hands, 1.0)
        numbers = dict[tuple[int, ...], int]()
        fewest = MOST
        for hand in dict.fromkeys(hands):
            numbers[hand] = self.past.surprises(hand, fewest + MANY)
            fewest = min(fewest, numbers[hand])
        return {hand: UNEXPLAINED ** (number - fewest) for hand, number in numbers.items()}


def search(
    deals: Deals[Rollout],
    usual: Move,
    rollouts: int,
    *,
    moves: Sequence[Move] = (),
    ingredients: Ingredients = Ingredients(),
) -> list[Trial]:
    """Return the moves that were tried, the usual one first, with the scores of their rollouts.

    `usual`: the move that the seat would make anyway. `rollouts`: the most games played, all moves together. They are
    shared out among rounds (successive halving): after each, the better half of the moves that are ahead of the usual
    one is kept; when none is ahead, the search ends. Near the end of a game, where at most so many deals are possible,
    all moves are tried on every deal. A single move is not tried. `moves`: what to try in place of the candidates.
    Nothing is tried beside partners whose moves are too surprising.
    """
    if deals.surprising > PREDICTABLE:
        return [Trial(usual)]
    tried = list(moves) or deals.candidates(usual)
    trials = [
        Trial(move)
        for move in (deals.readable(tried) if ingredients.readable and not moves else tried)
    ]
    if len(trials) > 1 and ingredients.exact and (games := deals.every(rollouts)):
        shares = [share for _, share in games]
        return [
            Trial(t.move, [float(game.outcome(t.act)) for game, _ in games], shares) for t in trials
        ]
    return halved(trials, deals, rollouts)


def halved(trials: list[Trial], deals: Deals[Rollout], rollouts: int) -> list[Trial]:
    """Return the trials with the scores of rollouts on sampled deals, shared out by successive halving."""
    remaining = list(trials)
    rounds = ceil(log2(len(trials))) if len(trials) > 1 else 0
    for _round in range(rounds):
        for _deal in range(rollouts // rounds // len(remaining)):
            if (game := deals.draw()) is None:
                return trials
            for trial in remaining:
                trial.scores.append(game.outcome(trial.act))
        first, *rivals = remaining
        ahead = sorted(
            (trial for trial in rivals if trial.mean > first.mean), key=lambda trial: -trial.mean
        )
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
        if gain > MARGIN * error + ROUNDING:
            return trial
    return usual
