"""The marks of a report on what can be spared, against what was critical and how likely that was."""

from collections.abc import Iterator
from typing import NamedTuple, get_args

from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.roles.hanabi.discard_report import (
    CardRisk,
    Criticality,
    DiscardReport,
    criticality_of,
)
from hanabi_orchestrator.roles.hanabi.marking.exact_belief import exact, slot_of
from hanabi_orchestrator.roles.hanabi.truth import Truth
from hanabi_orchestrator.roles.marks import (
    Marker,
    MarkInfo,
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
    squared_info(
        "safety_brier",
        "Squared error (Brier score) of the stated probabilities that cards are not critical.",
    ),
    log_info("safety_log", "Log loss of these probabilities.", "0.69"),
    squared_info(
        "safety_error",
        "Squared distance of these probabilities from the exact ones.",
        "the squared distance of 0.5 from the exact probabilities",
    ),
    share_info(
        "criticality_agrees",
        "Share of cards whose stated word matches their exact probability.",
        uniform="0.2",
    ),
    MarkInfo(
        "discard_regret",
        "Probability that the card named first is critical, minus the lowest such probability in the hand.",
        "chance",
        0,
        higher=False,
        uniform="the mean over the own cards",
    ),
    share_info(
        "first_critical",
        "Whether the card named first was critical.",
        0,
        "the share of own cards that are critical",
    ),
    share_info(
        "dead_missed",
        "Whether the card named first was not a known dead card although the hand had one.",
        0,
        "the share of own cards not known to be dead",
    ),
    share_info("cards_judged", "Share of the own cards that have an entry."),
)
WORDS = get_args(Criticality)


class _Judged(NamedTuple):
    """An own card that was judged."""

    entry: CardRisk
    critical: bool
    exact: Slot | None


def _judged(report: DiscardReport, sections: Sections, truth: Truth) -> list[_Judged]:
    slots = exact(sections, truth)
    seen = ((card, truth.within(card.slot, truth.piles.critical)) for card in report.cards)
    return [
        _Judged(card, critical, slot_of(slots, card.slot))
        for card, critical in seen
        if critical is not None
    ]


def score(report: DiscardReport, sections: Sections, truth: Truth) -> Marks | None:
    """See INFOS."""
    judged = _judged(report, sections, truth)
    slots = exact(sections, truth)
    first = next((slot for slot in report.safest_first[:1] if slot < len(truth.own)), None)
    chances = [(card.entry.safety, not card.critical) for card in judged]
    chosen = slots[first] if slots and first is not None else None
    dead = any(slot.dead == 1.0 for slot in slots)
    return only(
        safety_brier=brier(chances),
        safety_log=log_score(chances),
        safety_error=mean(
            (card.entry.safety - 1 + card.exact.critical) ** 2 for card in judged if card.exact
        ),
        criticality_agrees=mean(
            card.entry.criticality == criticality_of(card.exact) for card in judged if card.exact
        ),
        discard_regret=chosen.critical - min(slot.critical for slot in slots) if chosen else None,
        first_critical=None if first is None else truth.within(first, truth.piles.critical),
        dead_missed=float(chosen.dead < 1.0) if chosen and dead else None,
        cards_judged=len({card.entry.slot for card in judged}) / len(truth.own)
        if report.cards
        else None,
    )


def guess(report: DiscardReport, sections: Sections, truth: Truth) -> Marks | None:
    """Of one who gives even chances, draws each word evenly, and orders the slots by lot."""
    judged = _judged(report, sections, truth)
    slots = exact(sections, truth)
    even = [(0.5, not card.critical) for card in judged]
    least = min((slot.critical for slot in slots), default=0.0)
    dead = [slot.dead == 1.0 for slot in slots]
    return only(
        safety_brier=brier(even),
        safety_log=log_score(even),
        safety_error=mean((card.exact.critical - 0.5) ** 2 for card in judged if card.exact),
        criticality_agrees=1 / len(WORDS),
        discard_regret=mean(slot.critical - least for slot in slots),
        first_critical=mean(
            bool(truth.within(slot, truth.piles.critical)) for slot in range(len(truth.own))
        ),
        dead_missed=mean(not is_dead for is_dead in dead) if any(dead) else None,
    )


def pairs(report: DiscardReport, sections: Sections, truth: Truth) -> Iterator[Stated]:
    """Chances that a card can be spared, and how critical it was said to be."""
    for card in _judged(report, sections, truth):
        yield Stated("card can be spared", card.entry.safety, not card.critical)
        yield Stated("card is critical, in words", card.entry.criticality, card.critical)


STRATEGIST = Marker(
    score, INFOS, guess, pairs=pairs, prose="Duplicates, reasons and the summary are prose."
)
