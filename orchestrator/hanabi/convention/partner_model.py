"""Trust: how far each partner keeps to the conventions, learnt from what he did.

What a player's moves say of cards by the conventions (see `common.Claim`) is compared with the cards, once they are
seen. Each claim that holds makes it likelier that he keeps to the convention, each that does not much less likely. Who
is no longer believed is taken at his word, and told things in so many words, from the first move on: the common
knowledge is made anew without his conventions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, log

from orchestrator.hanabi.cards import INDEX, Card
from orchestrator.hanabi.convention.common_knowledge import Claim, CommonKnowledge, PublicMove, Why, common_knowledge
from orchestrator.hanabi.convention.hint_convention import ADAPTING, STRANGER, Convention
from orchestrator.hanabi.public_record import Record
from orchestrator.hanabi.view import Past

RATIOS: Mapping[Why, tuple[float, ...]] = {
    "play hint": (1.25, 0.02),
    "warning": (1.2, 0.1),
    "silence": (1.03, 0.05),
    "passed over": (1.0, 0.02),
    "played as told": (1.3,),  # which always holds
    "played untold": (0.5, 0.05),
}
"""How much likelier a claim that holds, or that does not, is from one who keeps to the convention than from another.

Judged, not fitted: convention players break none of their claims, and play a card that they were not told of only when
they have seen the others; of the claims of those who point at the oldest card, read as if they pointed at the newest,
four in five hold all the same."""

MOST, LEAST = 19.0, 0.001
"""Odds never grow beyond the one, so that one clear breach is always enough to doubt, nor sink beneath the other."""
SURE = 0.8
"""How likely a partner must keep to the convention for an inference to count on the last life."""

Prior = Mapping[Convention, float]
"""The odds of each way of taking part, against keeping to no convention; the likeliest first."""

NOTHING_KNOWN: Prior = {
    Convention("newest", "newest"): 9.0,
    Convention("newest", None): 0.9,
    Convention("oldest", "oldest"): 0.5,
    Convention("oldest", None): 0.05,
}
"""Partners are taken to point at the newest card; that one reads hints literally, or points at the oldest, has to be
shown."""


@dataclass(frozen=True)
class PartnerModel:
    """What is believed of one partner."""

    seat: int
    convention: Convention
    """How he is taken to take part."""
    chance: float
    """The probability of it; when he is taken for a stranger, of the convention that he broke least."""
    broke: tuple[str, ...] = ()
    """What spoke against what he was taken for at first, in words, oldest first."""


@dataclass(frozen=True)
class Understanding:
    """What a seat makes of the past."""

    knowledge: CommonKnowledge
    partners: tuple[PartnerModel, ...]
    """One for each partner, by seat."""


def understand(
    history: Sequence[Past],
    players: int,
    seat: int,
    hands: Mapping[int, Sequence[Card]],
    before: Prior = NOTHING_KNOWN,
    *,
    blind: bool = False,
) -> Understanding:
    """What a seat that adapts to its partners makes of a whole history.

    `hands`: those in sight now. `before`: what is held of partners before the game. `blind`: whatever they do, they
    are taken to keep to the convention of the newest card.
    """
    past = tuple(history)
    others = [other for other in range(players) if other != seat]
    if blind:
        return Understanding(
            common_knowledge([Convention()] * players, past),
            tuple(PartnerModel(other, Convention(), 1.0) for other in others),
        )
    conventions = {other: usual(before) for other in others} | {seat: ADAPTING}
    partners: list[PartnerModel] = []
    for other in others:
        judged = _judged(past, conventions, hands, other, before)
        conventions[other] = judged.convention
        partners.append(judged)
    return Understanding(_common(conventions, past), tuple(partners))


def usual(before: Prior) -> Convention:
    """The likeliest convention of a partner; none where every convention is unlikely."""
    best = max(before, key=lambda convention: before[convention])
    return best if before[best] >= 1 else STRANGER


def _common(conventions: Mapping[int, Convention], history: tuple[Past, ...]) -> CommonKnowledge:
    return common_knowledge([conventions[seat] for seat in sorted(conventions)], history)


def _judged(
    history: tuple[Past, ...],
    conventions: Mapping[int, Convention],
    hands: Mapping[int, Sequence[Card]],
    other: int,
    before: Prior,
) -> PartnerModel:
    """What is believed of one partner, the others taken as they are.

    The likeliest convention from the start is tried first; the others only when he broke it.
    """
    found: list[PartnerModel] = []
    for convention in sorted(before, key=lambda convention: -before[convention]):
        now = _common({**conventions, other: convention}, history)
        odds, broke = _weighed(now, identities(now, hands), other, before[convention])
        found.append(PartnerModel(other, convention if odds >= 1 else STRANGER, odds / (1 + odds), broke))
        if not broke:
            break
    best = max(found, key=lambda model: (model.convention != STRANGER, -len(model.broke), model.chance))
    doubted = bool(history) and history[-1].lives == 1 and best.chance < SURE
    return replace(best, convention=STRANGER if doubted else best.convention, broke=found[0].broke)


def _weighed(now: CommonKnowledge, seen: Mapping[int, Card], seat: int, odds: float) -> tuple[float, tuple[str, ...]]:
    """The odds after all that a player's moves said of the cards that were seen, and what spoke against it."""
    broke = []
    for claim, holds in _compared(now, seen):
        if claim.seat == seat:
            odds = _clipped(odds * RATIOS[claim.why][0 if holds else 1])
            broke += [] if holds else [f"turn {claim.turn}: {BROKEN[claim.why]}"]
    return odds, tuple(broke)


def _compared(now: CommonKnowledge, seen: Mapping[int, Card]) -> Iterator[tuple[Claim, bool]]:
    """The claims that can be compared with their cards, and whether they hold."""
    for claim in now.claims:
        holds = _holds(claim, seen, now)
        if holds is not None:
            yield claim, holds


def _clipped(odds: float) -> float:
    return max(LEAST, min(MOST, odds))


@lru_cache(maxsize=256)
def learnt(games: tuple[Record, ...]) -> Prior:
    """What games of a partner with his like say of him: each convention is tried on every move of all players."""
    found = {convention: log(odds) for convention, odds in NOTHING_KNOWN.items()}
    for game in games:
        for convention in found:
            now = CommonKnowledge.start((convention,) * game.players)
            for step in game.steps():
                now = now.after(PublicMove(step.seat, step.move, step.lost, step.scored, step.touched))
            compared = _compared(now, dict(enumerate(game.deck)))
            found[convention] += sum(log(RATIOS[claim.why][0 if holds else 1]) for claim, holds in compared)
    return {convention: exp(max(log(LEAST), min(log(MOST), odds))) for convention, odds in found.items()}


BROKEN: Mapping[Why, str] = {
    "play hint": "the card that his hint pointed at did not fit",
    "warning": "the card that he warned of was not critical",
    "silence": "he did not warn of a critical card",
    "passed over": "he discarded although he had been told of a card to play",
    "played untold": "he took a hint to point at another card",
}


def _holds(claim: Claim, seen: Mapping[int, Card], now: CommonKnowledge) -> bool | None:
    """Whether a claim is true of its card; None while it cannot be told."""
    card = seen.get(claim.card)
    if card is not None:
        return bool(claim.types >> INDEX[card] & 1)
    held = now.cards[claim.owner]
    left = now.literal[claim.owner][held.index(claim.card)] if claim.card in held else claim.types
    return None if claim.types & left else False


def identities(now: CommonKnowledge, hands: Mapping[int, Sequence[Card]]) -> dict[int, Card]:
    """Every card that has been played or discarded, or is in sight, by the order of dealing."""
    seen = dict(now.gone)
    for seat, cards in hands.items():
        seen |= dict(zip(now.cards[seat], cards, strict=True))
    return seen
