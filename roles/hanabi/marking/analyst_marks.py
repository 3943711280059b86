"""The marks of an analysis: chances and categories of every move, against what the cards were and did."""

from collections.abc import Iterator
from typing import NamedTuple, get_args

from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, Play
from hanabi_orchestrator.roles.hanabi.analysis import (
    Analysis,
    Assessment,
    Risk,
    Success,
    Value,
    in_words,
    risk_of,
)
from hanabi_orchestrator.roles.hanabi.marking import exact_belief
from hanabi_orchestrator.roles.hanabi.marking.exact_belief import (
    played_after,
    says_something,
    share_of_moves,
    slot_of,
    whole_position,
)
from hanabi_orchestrator.roles.hanabi.truth import Truth
from hanabi_orchestrator.roles.marks import (
    Marker,
    Marks,
    Stated,
    brier,
    log_info,
    log_score,
    mean,
    only,
    share_info,
    squared_info,
)
from hanabi_orchestrator.roles.sections import Sections

INFOS = (
    squared_info("play_brier", "Squared error (Brier score) of the stated play probabilities."),
    log_info("play_log", "Log loss of the stated play probabilities.", "0.69"),
    squared_info(
        "play_error",
        "Squared distance of the stated play probabilities from the exact ones.",
        "the squared distance of 0.5 from the exact probabilities",
    ),
    share_info(
        "certain_wrong",
        "Share of the plays called certain that are not playable.",
        0,
        "the share of plays that are not playable",
    ),
    share_info(
        "impossible_wrong",
        "Share of the plays called impossible that are playable.",
        0,
        "the share of plays that are playable",
    ),
    share_info(
        "success_agrees",
        "Share of plays whose stated word matches their exact probability.",
        uniform="0.2",
    ),
    share_info(
        "risk_agrees",
        "Share of discards whose stated word matches their exact probability.",
        uniform="0.25",
    ),
    share_info(
        "immediate_true",
        "Share of the hints called immediate-play that tell something new about a playable card.",
        uniform="the share of hints that do",
    ),
    share_info(
        "redundant_true",
        "Share of the hints called redundant or wasted that neither lead to a play nor save a card.",
        uniform="the share of hints that do neither",
    ),
    share_info(
        "immediate_played",
        "Whether the receiver of a given immediate-play hint next played one of its cards successfully.",
    ),
    share_info("moves_assessed", "Share of the listed moves that have an entry."),
)
SUCCESSES = get_args(Success)
RISKS = get_args(Risk)
VALUES = get_args(Value)
USELESS = ("redundant", "wasted")


class _Play(NamedTuple):
    """A play that was assessed."""

    entry: Assessment
    fits: bool
    exact: float | None


class _Hint(NamedTuple):
    """A hint that was assessed."""

    entry: Assessment
    useful: bool


def _plays(analysis: Analysis, sections: Sections, truth: Truth) -> Iterator[_Play]:
    slots = exact_belief.exact(sections, truth)
    for entry in analysis.moves:
        if isinstance(entry.action, Play):
            fits = truth.within(entry.action.slot, truth.piles.playable)
            slot = slot_of(slots, entry.action.slot)
            if fits is not None:
                yield _Play(entry, fits, slot.playable if slot else None)


def _hints(analysis: Analysis, truth: Truth) -> Iterator[_Hint]:
    if truth.view is None:
        return
    position = whole_position(truth.view)
    for entry in analysis.moves:
        if (
            isinstance(entry.action, Hint)
            and entry.hint_value
            and entry.action.to in position.hands
        ):
            yield _Hint(entry, says_something(position, entry.action))


def _hint_worth(analysis: Analysis, truth: Truth) -> tuple[Value, bool] | None:
    """What the hint that was then given was said to be worth, and whether its receiver next played a card of it."""
    hint = truth.past
    value = next(
        (entry.hint_value for entry in analysis.moves if hint and entry.action == hint.move), None
    )
    done = played_after(truth)
    return None if value is None or done is None else (value, done)


def score(analysis: Analysis, sections: Sections, truth: Truth) -> Marks | None:
    """See INFOS."""
    plays = list(_plays(analysis, sections, truth))
    hints = list(_hints(analysis, truth))
    chances = [(play.entry.chance, play.fits) for play in plays]
    worded = [play for play in plays if play.entry.success and play.exact is not None]
    exact = [
        (p.entry.chance, p.exact)
        for p in plays
        if p.entry.chance is not None and p.exact is not None
    ]
    stated = _hint_worth(analysis, truth)
    slots = dict(enumerate(exact_belief.exact(sections, truth)))
    discards = [
        (entry.discard_risk, slots[entry.action.slot])
        for entry in analysis.moves
        if isinstance(entry.action, Discard) and entry.discard_risk and entry.action.slot in slots
    ]
    return only(
        play_brier=brier(chances),
        play_log=log_score(chances),
        play_error=mean((chance - right) ** 2 for chance, right in exact),
        certain_wrong=mean(not play.fits for play in plays if play.entry.success == "certain"),
        impossible_wrong=mean(play.fits for play in plays if play.entry.success == "impossible"),
        success_agrees=mean(play.entry.success == in_words(play.exact or 0.0) for play in worded),
        risk_agrees=mean(risk == risk_of(slot) for risk, slot in discards),
        immediate_true=mean(
            hint.useful for hint in hints if hint.entry.hint_value == "immediate-play"
        ),
        redundant_true=mean(not hint.useful for hint in hints if hint.entry.hint_value in USELESS),
        immediate_played=float(stated[1]) if stated and stated[0] == "immediate-play" else None,
        moves_assessed=share_of_moves((entry.action for entry in analysis.moves), sections),
    )


def guess(analysis: Analysis, sections: Sections, truth: Truth) -> Marks | None:
    """Of one who gives even chances and draws each word evenly, for the same moves."""
    plays = list(_plays(analysis, sections, truth))
    hints = list(_hints(analysis, truth))
    even = [(0.5, play.fits) for play in plays if play.entry.chance is not None]
    worded = [play for play in plays if play.entry.success]
    return only(
        play_brier=brier(even),
        play_log=log_score(even),
        play_error=mean(
            (0.5 - p.exact) ** 2
            for p in plays
            if p.entry.chance is not None and p.exact is not None
        ),
        certain_wrong=mean(not play.fits for play in worded),
        impossible_wrong=mean(play.fits for play in worded),
        success_agrees=1 / len(SUCCESSES),
        risk_agrees=1 / len(RISKS),
        immediate_true=mean(hint.useful for hint in hints),
        redundant_true=mean(not hint.useful for hint in hints),
    )


def pairs(analysis: Analysis, sections: Sections, truth: Truth) -> Iterator[Stated]:
    """Chances and words of plays, risks of discards, and what the hint that was given was said to be worth."""
    for play in _plays(analysis, sections, truth):
        if play.entry.chance is not None:
            yield Stated("play fits", play.entry.chance, play.fits)
        if play.entry.success:
            yield Stated("play fits, in words", play.entry.success, play.fits)
    for entry in analysis.moves:
        if isinstance(entry.action, Discard) and entry.discard_risk:
            critical = truth.within(entry.action.slot, truth.piles.critical)
            if critical is not None:
                yield Stated("discard loses a critical card", entry.discard_risk, critical)
    if stated := _hint_worth(analysis, truth):
        yield Stated("hint leads to a play", *stated)


ANALYST = Marker(
    score, INFOS, guess, pairs=pairs, prose="Effects, rationales and the summary are prose."
)
