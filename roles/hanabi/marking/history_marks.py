"""The marks of a report on the past: inferred own cards against the true hand, trust against how partners played."""

from collections.abc import Iterator
from math import log
from typing import NamedTuple

from hanabi_orchestrator.orchestrator.hanabi.cards import ANY, CARDS, Mask, mask
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import STRANGER
from hanabi_orchestrator.orchestrator.hanabi.convention.partner_model import NOTHING_KNOWN
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport, Trusted
from hanabi_orchestrator.roles.hanabi.marking.exact_belief import exact
from hanabi_orchestrator.roles.hanabi.truth import Truth
from hanabi_orchestrator.roles.marks import (
    SUREST,
    Marker,
    MarkInfo,
    Marks,
    Stated,
    brier,
    log_info,
    mean,
    only,
    share_info,
    squared_info,
)
from hanabi_orchestrator.roles.sections import Sections

INFOS = (
    share_info(
        "inferred_held",
        "Share of inferences that contain the real card.",
        uniform="1: it excludes nothing",
    ),
    MarkInfo(
        "inferred_types",
        "Mean number of kinds of card that an inference leaves possible.",
        "kinds of card",
        1,
        higher=False,
        uniform="25",
    ),
    log_info(
        "inferred_log",
        "Log loss of the real card, with 99 % spread over the kinds that the inference leaves and 1 % over the others.",
        "3.22",
    ),
    share_info(
        "inferred_too_narrow",
        "Share of inferences that exclude a kind of card that is possible by the exact belief.",
        0,
        "0: it excludes nothing",
    ),
    share_info(
        "inferred_ruled_out",
        "Of the kinds of card that hints exclude for the inferred slots, the share that the inferences exclude.",
        uniform="0",
    ),
    share_info("hinted_inferred", "Share of the hinted own slots that have an inference."),
    share_info(
        "trust_right",
        "Share of partners for whom the stated convention is the one that fits all their moves best.",
        uniform="0.2",
    ),
    squared_info(
        "trust_brier",
        "Squared error (Brier score) of the stated probabilities that partners keep to it.",
    ),
)
CONVENTIONS = len(NOTHING_KNOWN) + 1
"""What may be said of a partner: each convention, or none."""


class _Inferred(NamedTuple):
    """An inference about a slot that the hand has."""

    slot: int
    kinds: Mask
    """The kinds of card that it leaves possible."""
    held: bool
    """Whether the real card is among them."""

    @property
    def nats(self) -> float:
        """The log loss of the real card, with the share `SUREST` spread over the kinds that the inference leaves."""
        kinds = self.kinds.bit_count()
        rest = len(CARDS) - kinds
        return -log((SUREST if rest else 1.0) / kinds if self.held else (1 - SUREST) / rest)


def _inferred(report: HistoryReport, truth: Truth) -> list[_Inferred]:
    entries = (
        (entry.slot, mask(entry.cards)) for entry in report.inferred if entry.slot < len(truth.own)
    )
    return [_Inferred(slot, kinds, bool(truth.within(slot, kinds))) for slot, kinds in entries]


def _trust(report: HistoryReport, truth: Truth) -> Iterator[tuple[Trusted, bool, bool]]:
    """Each statement about a partner, whether it names the convention that fits their moves best, and whether its
    `chance` came true."""
    conventions = truth.course.conventions if truth.course and report.trust else {}
    for entry in report.trust:
        if (true := conventions.get(entry.seat)) is not None:
            right = (entry.hints, entry.reads) == (true.hints, true.reads)
            stranger = entry.hints is None and entry.reads is None
            yield entry, right, (true != STRANGER if stranger else right)


def score(report: HistoryReport, sections: Sections, truth: Truth) -> Marks | None:
    """The marks that INFOS describes."""
    inferred = _inferred(report, truth)
    trust = list(_trust(report, truth))
    slots = exact(sections, truth)
    named = {card.slot for card in report.inferred}
    hand = truth.view.own if truth.view else ()
    hinted = [slot for slot, card in enumerate(hand) if card.colour or card.rank]
    # the kinds that hints exclude, and those that the inference does
    excluded = [(~hand[i.slot].mask & ANY, ~i.kinds & ANY) for i in (inferred if hand else ())]
    return only(
        inferred_held=mean(inference.held for inference in inferred),
        inferred_types=mean(inference.kinds.bit_count() for inference in inferred),
        inferred_log=mean(inference.nats for inference in inferred),
        inferred_too_narrow=mean(
            bool(slots[i.slot].possible & ~i.kinds) for i in (inferred if slots else ())
        ),
        inferred_ruled_out=mean(
            bool(kinds >> i & 1)
            for by_hints, kinds in excluded
            for i in range(len(CARDS))
            if by_hints >> i & 1
        ),
        hinted_inferred=mean(slot in named for slot in hinted),
        trust_right=mean(right for _, right, _ in trust),
        trust_brier=brier((entry.chance, right) for entry, _, right in trust),
    )


def guess(report: HistoryReport, sections: Sections, truth: Truth) -> Marks | None:
    """The mean marks of a report that leaves all kinds of card open in the same slots, and draws each convention
    evenly, at even chances."""
    trust = list(_trust(report, truth))
    return only(
        inferred_held=1.0,
        inferred_types=len(CARDS),
        inferred_log=log(len(CARDS)),
        inferred_too_narrow=0.0,
        inferred_ruled_out=0.0,
        trust_right=1 / CONVENTIONS if trust else None,
        trust_brier=0.25 if trust else None,
    )


def pairs(report: HistoryReport, sections: Sections, truth: Truth) -> Iterator[Stated]:
    """Inferences by how many kinds they leave, and how likely each partner keeps to a convention."""
    for inference in _inferred(report, truth):
        kinds = inference.kinds.bit_count()
        yield Stated(
            "card is among the inferred",
            f"{kinds} {'kind' if kinds == 1 else 'kinds'}",
            inference.held,
        )
    yield from (
        Stated("partner keeps to the convention", entry.chance, so)
        for entry, _, so in _trust(report, truth)
    )


HISTORIAN = Marker(
    score,
    INFOS,
    guess,
    pairs=pairs,
    prose="What past moves meant is prose; only programs say in a typed field how far partners keep to conventions.",
)
