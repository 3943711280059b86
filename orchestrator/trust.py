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
from orchestrator.conventions import ADAPTING, FOCUSES, Custom, Focus
from orchestrator.view import Past

Aspect = Literal["hints", "reads"]

OF: Mapping[Why, Aspect] = {
    "play hint": "hints",
    "warning": "hints",
    "silence": "hints",
    "passed over": "reads",
    "played as told": "reads",
}
"""What a claim is evidence of: how a player hints, or how he reads."""

RATIOS: Mapping[Why, tuple[float, float]] = {
    "play hint": (1.5, 0.02),
    "warning": (1.2, 0.1),
    "silence": (1.1, 0.05),
    "passed over": (1.0, 0.02),
    "played as told": (2.0, 0.02),
}
"""How much likelier a claim that holds, or that does not, is from one who keeps to the convention than from a stranger.

Judged, not fitted: a stranger's hint points at a playable card about as often as not, and convention players break
none of their claims."""

PRIOR = 9.0
"""The odds that an unknown partner keeps to the convention: nine to one."""
MOST = 19.0
"""Odds never grow beyond this, so that one clear breach is always enough to doubt."""

Odds = Mapping[Aspect, Mapping[Focus, float]]
NOTHING_KNOWN: Odds = {aspect: {"newest": PRIOR, "oldest": 1 / PRIOR} for aspect in ("hints", "reads")}
"""Partners are taken to keep to the newest card; the mirror convention has to be shown."""


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
        court = Court(seat, tuple(history), hands, customs, other)
        hints = court.verdict("hints", odds["hints"])
        customs[other] = replace(customs[other], hints=hints.focus)
        reads = court.verdict("reads", odds["reads"])
        customs[other] = replace(customs[other], reads=reads.focus)
        trust.append(Trust(other, customs[other], hints.chance, reads.chance, (*hints.broke, *reads.broke)))
    return Understanding(_common(customs, history), tuple(trust))


def usual(odds: Odds) -> Custom:
    """The likeliest custom of a partner; none where every convention is unlikely."""
    return Custom(_likeliest(odds["hints"]), _likeliest(odds["reads"]))


def _likeliest(odds: Mapping[Focus, float]) -> Focus | None:
    best = max(FOCUSES, key=lambda focus: odds[focus])
    return best if odds[best] >= 1 else None


def _common(customs: Mapping[int, Custom], history: Sequence[Past]) -> Common:
    return common([customs[seat] for seat in sorted(customs)], history)


@dataclass(frozen=True)
class Verdict:
    focus: Focus | None
    chance: float
    broke: tuple[str, ...]


@dataclass(frozen=True)
class Court:
    """Compares the claims of one partner with the cards."""

    seat: int | None
    """Whose own cards are hidden until they leave his hand; None for one who looks back on a whole game."""
    history: tuple[Past, ...]
    hands: Mapping[int, Sequence[Card]]
    customs: dict[int, Custom]
    """As far as they are settled."""
    other: int
    """Whose claims."""

    def verdict(self, aspect: Aspect, odds: Mapping[Focus, float]) -> Verdict:
        """By which focus he most likely hints or reads. The likeliest from the start is tried first; where it holds,
        no other is."""
        doubted: Verdict | None = None
        for focus in sorted(FOCUSES, key=lambda focus: -odds[focus]):
            tried = self._tried(aspect, focus, odds[focus])
            if tried.chance >= 0.5:
                return tried
            doubted = doubted or replace(tried, focus=None)
        assert doubted is not None
        return doubted

    def _tried(self, aspect: Aspect, focus: Focus, odds: float) -> Verdict:
        custom = self.customs[self.other]
        tried = replace(custom, hints=focus) if aspect == "hints" else replace(custom, reads=focus)
        now = _common({**self.customs, self.other: tried}, self.history)
        seen = identities(now, self.hands)
        broke = []
        for claim in now.claims:
            if claim.seat == self.other and OF[claim.why] == aspect:
                holds = _holds(claim, seen, now)
                odds = min(MOST, odds * (1.0 if holds is None else RATIOS[claim.why][0 if holds else 1]))
                broke += [f"turn {claim.turn}: {BROKEN[claim.why]}"] if holds is False else []
        return Verdict(focus, odds / (1 + odds), tuple(broke))


BROKEN: Mapping[Why, str] = {
    "play hint": "the card that his hint pointed at did not fit",
    "warning": "the card that he warned of was not critical",
    "silence": "he did not warn of a critical card",
    "passed over": "he discarded although he had been told of a card to play",
    "played as told": "",
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
