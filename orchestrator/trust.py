"""Trust: how far each partner keeps to the conventions, learnt from what he did.

What a player's moves say of cards by the conventions (see `common.Claim`) is compared with the cards, once they are
seen. Each claim that holds makes it likelier that he keeps to the convention, each that does not much less likely. Who
is no longer believed is taken at his word, and told things in so many words, from the first move on: the common
knowledge is made anew without his conventions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from orchestrator.cards import INDEX, Card
from orchestrator.common import Claim, Common, Why, common
from orchestrator.conventions import ADAPTING, FOCUSES, STRANGER, Custom, Focus
from orchestrator.view import Past

Aspect = Literal["hints", "reads"]

OF: Mapping[Why, Aspect] = {
    "play hint": "hints",
    "warning": "hints",
    "silence": "hints",
    "passed over": "reads",
    "played as told": "reads",
    "played untold": "reads",
}
"""What a claim is evidence of: how a player hints, or how he reads."""

RATIOS: Mapping[Why, tuple[float, float]] = {
    "play hint": (1.5, 0.02),
    "warning": (1.2, 0.1),
    "silence": (1.1, 0.05),
    "passed over": (1.0, 0.02),
    "played as told": (2.0, 0.02),
    "played untold": (1.0, 0.05),
}
"""How much likelier a claim that holds, or that does not, is from one who keeps to the convention than from a stranger.

Judged, not fitted: a stranger's hint points at a playable card about as often as not, and convention players break
none of their claims."""

MOST = 19.0
"""Odds never grow beyond this, so that one clear breach is always enough to doubt."""

Odds = Mapping[Focus, float]
"""The odds that a partner keeps to a convention, against his keeping to none."""

NOTHING_KNOWN: Odds = {"newest": 9.0, "oldest": 0.25}
"""Partners are taken to point at the newest card; that one points at the oldest has to be shown."""
SURE = 0.8
"""How likely that has to be on the last life."""
DEAF = 0.1
"""How likely it is beside that, that somebody hints by the convention and reads hints literally."""


@dataclass(frozen=True)
class Trust:
    """What is believed of one partner."""

    seat: int
    custom: Custom
    """By which focus he is taken to hint and to read; None: by none."""
    hints: float
    """The probability that he hints by it, or would by the newest card if he is taken to hint by none."""
    reads: float
    """The same of reading."""
    broke: tuple[str, ...] = ()
    """What speaks against it, in words, oldest first."""


@dataclass(frozen=True)
class Understanding:
    """What a seat makes of the past."""

    common: Common
    trust: tuple[Trust, ...]
    """One for each partner, by seat."""


def understand(
    history: Sequence[Past],
    players: int,
    seat: int,
    hands: Mapping[int, Sequence[Card]],
    before: Mapping[int, Odds] | None = None,
) -> Understanding:
    """What a seat that adapts to its partners makes of a whole history.

    `hands`: those in sight now. `before`: what earlier games say of partners, by seat.
    """
    known = {other: (before or {}).get(other, NOTHING_KNOWN) for other in range(players) if other != seat}
    customs = {other: usual(odds) for other, odds in known.items()} | {seat: ADAPTING}
    trust = []
    for other, odds in known.items():
        judged = _judged(tuple(history), customs, hands, other, odds)
        customs[other] = judged.custom
        trust.append(judged)
    return Understanding(_common(customs, tuple(history)), tuple(trust))


def usual(odds: Odds) -> Custom:
    """The likeliest custom of a partner; none where every convention is unlikely."""
    best = max(FOCUSES, key=lambda focus: odds[focus])
    return Custom(best, best) if odds[best] >= 1 else STRANGER


def _common(customs: Mapping[int, Custom], history: tuple[Past, ...]) -> Common:
    return common([customs[seat] for seat in sorted(customs)], history)


def _judged(
    history: tuple[Past, ...],
    customs: Mapping[int, Custom],
    hands: Mapping[int, Sequence[Card]],
    other: int,
    odds: Odds,
) -> Trust:
    """What is believed of one partner, the others taken as they are.

    The likeliest convention from the start is tried first; the others only when he broke it.
    """
    found: list[Trust] = []
    for focus in sorted(FOCUSES, key=lambda focus: -odds[focus]):
        now = _common({**customs, other: Custom(focus, focus)}, history)
        found.append(weighed(now, identities(now, hands), other, focus, odds[focus]))
        if not found[-1].broke:
            break
    best = max(found, key=lambda trust: (trust.custom != STRANGER, -len(trust.broke), trust.hints))
    doubted = bool(history) and history[-1].lives == 1 and best.hints < SURE
    return replace(best, custom=STRANGER) if doubted else best


def weighed(now: Common, seen: Mapping[int, Card], seat: int, focus: Focus, odds: float) -> Trust:
    """How likely a player keeps to a convention, by what his moves said of the cards that were seen."""
    both = hints = odds
    broke = []
    for claim in now.claims:
        if claim.seat != seat or (holds := _holds(claim, seen, now)) is None:
            continue
        ratio = RATIOS[claim.why][0 if holds else 1]
        both = min(MOST, both * ratio)
        hints = min(MOST, hints * ratio) if OF[claim.why] == "hints" else hints
        broke += [] if holds else [f"turn {claim.turn}: {BROKEN[claim.why]}"]
    hints = max(both, DEAF * hints)
    custom = Custom(focus, focus if both == hints else None) if hints >= 1 else STRANGER
    return Trust(seat, custom, hints / (1 + hints), both / (1 + both), tuple(broke))


BROKEN: Mapping[Why, str] = {
    "play hint": "the card that his hint pointed at did not fit",
    "warning": "the card that he warned of was not critical",
    "silence": "he did not warn of a critical card",
    "passed over": "he discarded although he had been told of a card to play",
    "played as told": "",
    "played untold": "he took a hint to point at another card",
}


def _holds(claim: Claim, seen: Mapping[int, Card], now: Common) -> bool | None:
    """Whether a claim is true of its card; None while it cannot be told."""
    card = seen.get(claim.card)
    if card is not None:
        return bool(claim.types >> INDEX[card] & 1)
    held = now.cards[claim.owner]
    left = now.literal[claim.owner][held.index(claim.card)] if claim.card in held else claim.types
    return None if claim.types & left else False


def identities(now: Common, hands: Mapping[int, Sequence[Card]]) -> dict[int, Card]:
    """Every card that has been played or discarded, or is in sight, by the order of dealing."""
    seen = dict(now.gone)
    for seat, cards in hands.items():
        seen |= dict(zip(now.cards[seat], cards, strict=True))
    return seen
