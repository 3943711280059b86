"""The marks of what partners were foreseen to do, against what they did.

A forecast says what a partner does if nobody hints them again. So it is tested only where nobody did, and where they
had a next turn.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from orchestrator.hanabi.cards import MAX_TOKENS
from orchestrator.hanabi.moves import Play
from orchestrator.hanabi.view import Past
from roles.hanabi.truth import Truth
from roles.marks import LEAST_NATS, MarkInfo, Marks, Stated, mean, nats, only

INFOS = (
    MarkInfo(
        "next_right",
        "Share of partners who then played the slot that was foreseen, or did not play where no play was.",
        "share",
        1,
        uniform="the chance it gives to what came",
    ),
    MarkInfo(
        "next_brier",
        "Squared error of these chances, summed over no play and each slot: 0 to 2.",
        "summed squared error",
        0,
        higher=False,
        uniform="by the same chance for each kind of move they can make, and for each slot",
    ),
    MarkInfo(
        "next_log",
        "Surprise at what they then played, or did not play.",
        "nats",
        LEAST_NATS,
        higher=False,
        uniform="by the same chances",
    ),
)


Chances = Mapping[int | None, float]
"""Of what a partner does next, by the slot that they play; None for any other move. They sum to 1."""


class Forecast(NamedTuple):
    """What a partner was foreseen to do."""

    seat: int
    plays: int | None
    """The slot that they will play; None when it is no play."""
    chance: float


class _Tested(NamedTuple):
    """A forecast of which it is known what came."""

    forecast: Forecast
    did: Past
    tokens: int
    """Before that move."""
    size: int
    """Slots of their hand."""

    @property
    def outcome(self) -> int | None:
        """The slot that they played; None for another move."""
        return self.did.move.slot if isinstance(self.did.move, Play) else None

    @property
    def right(self) -> bool:
        return self.outcome == self.forecast.plays

    @property
    def options(self) -> tuple[int | None, ...]:
        """All that can come: no play, or a play of each slot."""
        return (None, *range(self.size))

    @property
    def chances(self) -> Chances:
        """Of each option: the forecast's for what was foreseen, even a slot that the hand lacks; the others share
        the rest evenly."""
        said = self.forecast
        others = [one for one in self.options if one != said.plays]
        return dict.fromkeys(others, (1 - said.chance) / len(others)) | {said.plays: said.chance}


def tested(forecasts: Iterable[Forecast], truth: Truth) -> list[_Tested]:
    """Those that can be tested."""
    if truth.view is None:
        return []
    sizes = {hand.seat: len(hand.cards) for hand in truth.view.hands}
    found = []
    for one in forecasts:
        did = truth.next_of(one.seat) if one.seat in sizes else None
        if did and not truth.hinted_before(one.seat):
            before = truth.after[did.turn - truth.view.turn - 1]  # the move just before theirs
            found.append(_Tested(one, did, before.tokens, sizes[one.seat]))
    return found


def score(forecasts: Iterable[Forecast], truth: Truth) -> Marks:
    """See INFOS; empty where nothing can be tested."""
    found = tested(forecasts, truth)
    return _scored([(one, one.chances) for one in found], [float(one.right) for one in found])


def _scored(said: Sequence[tuple[_Tested, Chances]], right: Sequence[float]) -> Marks:
    brier = mean(sum((c - (option == one.outcome)) ** 2 for option, c in chances.items()) for one, chances in said)
    surprise = mean(nats(chances.get(one.outcome, 0.0)) for one, chances in said)
    return only(next_right=mean(right), next_brier=brier, next_log=surprise) or {}


def guess(forecasts: Iterable[Forecast], truth: Truth) -> Marks:
    """Of one who gives each kind of move that the partner can make the same chance, and each slot to play; and who
    names a move by these chances."""
    said = [(one, _even(one)) for one in tested(forecasts, truth)]
    return _scored(said, [chances[one.outcome] for one, chances in said])


def _even(one: _Tested) -> Chances:
    kinds = 1 + (one.tokens < MAX_TOKENS) + (one.tokens > 0)
    return {option: 1 - 1 / kinds if option is None else 1 / kinds / one.size for option in one.options}


def previous(forecasts: Iterable[Forecast], truth: Truth) -> Marks:
    """Of one who gives the shares of the partner's moves before, each option counted once more, and names the likeliest
    option."""
    history = truth.view.history if truth.view else ()
    said = [(one, _before(one, history)) for one in tested(forecasts, truth)]
    return _scored(said, [max(c, key=lambda option: c[option]) == one.outcome for one, c in said])


def _before(one: _Tested, history: Iterable[Past]) -> Chances:
    moves = [past.move for past in history if past.seat == one.forecast.seat]
    done = Counter(move.slot if isinstance(move, Play) else None for move in moves)
    there = sum(done[option] for option in one.options)  # a hand may be shorter than it was
    return {option: (done[option] + 1) / (there + len(one.options)) for option in one.options}


def pairs(forecasts: Iterable[Forecast], truth: Truth) -> Iterator[Stated]:
    """The chance of each forecast that can be tested."""
    for one in tested(forecasts, truth):
        yield Stated("partner does as foreseen", one.forecast.chance, one.right)
