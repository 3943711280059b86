"""The marks of what partners were foreseen to do, against what they did.

A forecast says what a partner does if nobody hints them again. So it is tested only where nobody did, and where they
had a next turn.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hanabi_orchestrator.orchestrator.hanabi.cards import MAX_TOKENS
from hanabi_orchestrator.orchestrator.hanabi.moves import Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.roles.hanabi.truth import Truth
from hanabi_orchestrator.roles.marks import (
    Marker,
    MarkInfo,
    Marks,
    Stated,
    log_info,
    mean,
    nats,
    only,
    share_info,
)

INFOS = (
    share_info(
        "next_right",
        "Share of forecasts that came true: the partner played the foreseen slot, or did not play as foreseen.",
        uniform="its probability of what happened",
    ),
    MarkInfo(
        "next_brier",
        "Squared error (Brier score) of the forecast, summed over no play and each slot: 0 to 2.",
        "summed squared error",
        0,
        higher=False,
        uniform="with equal probabilities for each kind of legal move, and for each slot",
    ),
    log_info("next_log", "Log loss of the forecast.", "with the same probabilities"),
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
        forecast = self.forecast
        rest = [option for option in self.options if option != forecast.plays]
        return dict.fromkeys(rest, (1 - forecast.chance) / len(rest)) | {
            forecast.plays: forecast.chance
        }

    def frequencies(self, history: Iterable[Past]) -> Chances:
        """Of each option: the share of the partner's moves before, each option counted once more."""
        moves = [past.move for past in history if past.seat == self.forecast.seat]
        done = Counter(move.slot if isinstance(move, Play) else None for move in moves)
        plays = sum(done[option] for option in self.options)  # a hand may be shorter than it was
        return {option: (done[option] + 1) / (plays + len(self.options)) for option in self.options}


def tested(forecasts: Iterable[Forecast], truth: Truth) -> list[_Tested]:
    """Those that can be tested."""
    if truth.view is None:
        return []
    sizes = {hand.seat: len(hand.cards) for hand in truth.view.hands}
    tests = []
    for forecast in forecasts:
        did = truth.next_of(forecast.seat) if forecast.seat in sizes else None
        if did and not truth.hinted_before(forecast.seat):
            before = truth.after[did.turn - truth.view.turn - 1]  # the move just before theirs
            tests.append(_Tested(forecast, did, before.tokens, sizes[forecast.seat]))
    return tests


def score(forecasts: Iterable[Forecast], truth: Truth) -> Marks:
    """See INFOS; empty where nothing can be tested."""
    tests = tested(forecasts, truth)
    return _scored([(test, test.chances) for test in tests], [float(test.right) for test in tests])


def _scored(tests: Sequence[tuple[_Tested, Chances]], right: Sequence[float]) -> Marks:
    brier = mean(
        sum((c - (option == test.outcome)) ** 2 for option, c in chances.items())
        for test, chances in tests
    )
    surprise = mean(nats(chances.get(test.outcome, 0.0)) for test, chances in tests)
    return only(next_right=mean(right), next_brier=brier, next_log=surprise) or {}


def guess(forecasts: Iterable[Forecast], truth: Truth) -> Marks:
    """Of one who gives each kind of move that the partner can make the same chance, and each slot to play; and who
    names a move by these chances."""
    tests = []
    for test in tested(forecasts, truth):
        kinds = 1 + (test.tokens < MAX_TOKENS) + (test.tokens > 0)
        even = {
            option: 1 - 1 / kinds if option is None else 1 / kinds / test.size
            for option in test.options
        }
        tests.append((test, even))
    return _scored(tests, [even[test.outcome] for test, even in tests])


def previous(forecasts: Iterable[Forecast], truth: Truth) -> Marks:
    """Of one who gives the shares of the partner's moves before, each option counted once more, and names the likeliest
    option."""
    history = truth.view.history if truth.view else ()
    tests = [(test, test.frequencies(history)) for test in tested(forecasts, truth)]
    return _scored(tests, [max(c, key=c.__getitem__) == test.outcome for test, c in tests])


def marker(forecasts: Callable[[Any], list[Forecast]], prose: str) -> Marker:
    """The marks of a reply that holds forecasts; `prose`: what it says besides."""
    return Marker(
        lambda reply, sections, truth: score(forecasts(reply), truth) or None,
        INFOS,
        lambda reply, sections, truth: guess(forecasts(reply), truth) or None,
        lambda reply, sections, truth: previous(forecasts(reply), truth) or None,
        lambda reply, sections, truth: (
            Stated("partner does as foreseen", test.forecast.chance, test.right)
            for test in tested(forecasts(reply), truth)
        ),
        prose,
    )
