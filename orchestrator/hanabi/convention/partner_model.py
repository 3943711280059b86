"""Partner models: how far each partner keeps to the conventions, learnt from the moves of a game.

What a player's moves say about cards by the conventions (`common_knowledge.Claim`) is compared with the cards once they
are seen. Each true claim makes it likelier that the player keeps to the convention, each false one less likely. Players
make slips: who keeps to a convention at a slip rate e makes each move by it with probability 1 - e, else at random, so
that with the prior p(e), and for each move m the product k_m of the `RATIOS` of its claims that hold (0 if one does
not) and s_m of those that do not,

    odds of the convention = odds before * sum over e of p(e) * product over m of ((1 - e) * k_m + e * s_m).

Where they are too low, the common knowledge is computed again from the first move with that partner as a stranger:
their hints are read literally, and hints to them count for what they say literally.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from math import exp, log, prod

from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX, Card
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import (
    Claim,
    CommonKnowledge,
    PublicMove,
    Why,
    common_knowledge,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    ADAPTING,
    LITERAL,
    NEWEST,
    OLDEST,
    SMART,
    STRANGER,
    Convention,
)
from hanabi_orchestrator.orchestrator.hanabi.public_record import Record
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.orchestrator.values import Same

RATIOS: Mapping[Why, tuple[float, float]] = {
    "play hint": (1.5, 1.0),
    "warning": (3.0, 0.3),
    "silence": (1.2, 1.0),
    "passed over": (1.0, 0.5),
    "played as told": (4.0, 1.0),  # which always holds
    "played untold": (0.4, 5.0),
}
"""Likelihood ratios of a claim against a player who keeps to no convention: where it holds, from one who keeps to the
convention; where it does not, from a random move.

Near the shares of the moves of `piers`, `iggi`, `outer` and `vandenbergh`, and of random moves, beside a player who
keeps to the convention; wrong untold plays tell even more of a slip, but players with another focus make them, too.
Convention players break none of their claims, and play a card that no hint pointed at only when the cards in sight show
that it fits."""

SLIPS: Mapping[float, float] = {0.05: 0.4, 0.1: 0.4, 0.2: 0.2}
"""The slip rates of players who keep to a convention, with their probabilities."""

MOST = 19.0
LEAST = 0.001
"""Bounds of the odds that earlier games leave, of the likeliest convention and of each: however many games they were,
this one may say otherwise."""
DROPPED = 0.25
"""The odds below which the convention assumed at first is dropped; another is taken up at even odds. Doubt costs more
than trust: who reads a partner literally keeps to no convention either, so the partner doubts too, and neither shows
the other any more that they would keep to it."""
SURE = 0.8
"""On the last life, an inference counts only from a partner who keeps to the convention at least this probably."""

Prior = Mapping[Convention, float]
"""The odds of each convention against keeping to none; the likeliest first."""

NOTHING_KNOWN: Prior = {
    NEWEST: 9.0,
    SMART: 0.9,
    LITERAL: 0.9,
    OLDEST: 0.5,
    Convention("oldest", None, waits=False): 0.05,
}
"""Without evidence, partners are assumed to keep to the convention of the newest card."""


@dataclass(frozen=True)
class PartnerModel:
    """What is believed about one partner."""

    seat: int
    convention: Convention
    """The convention that the partner is assumed to keep to."""
    chance: float
    """Its probability, 0-1; for a stranger, that of the convention which they broke least."""
    broke: tuple[str, ...] = ()
    """The moves that broke the convention assumed at first, in words, oldest first."""


@dataclass(frozen=True)
class Understanding:
    """What a seat concludes from the past moves."""

    knowledge: CommonKnowledge
    partners: tuple[PartnerModel, ...]
    """One model for each partner, by seat."""


def understand(
    history: Sequence[Past],
    players: int,
    seat: int,
    hands: Mapping[int, Sequence[Card]],
    before: Prior = NOTHING_KNOWN,
    *,
    blind: bool = False,
) -> Understanding:
    """Return what a seat that adapts to its partners concludes from a whole history.

    `hands`: the hands in sight now. `before`: the odds of each convention before the game. `blind`: all partners are
    assumed to keep to the convention of the newest card, whatever they do.
    """
    cards = tuple((other, tuple(hand)) for other, hand in hands.items())
    return _understand(Same(tuple(history)), players, seat, cards, Same(before), blind)


@lru_cache(maxsize=64)  # several roles ask on the same turn
def _understand(
    history: Same[tuple[Past, ...]],
    players: int,
    seat: int,
    hands: tuple[tuple[int, tuple[Card, ...]], ...],
    prior: Same[Prior],
    blind: bool,
) -> Understanding:
    past = history.value
    before = prior.value
    partner_seats = [other for other in range(players) if other != seat]
    if blind:
        return Understanding(
            common_knowledge([NEWEST] * players, past),
            tuple(PartnerModel(other, NEWEST, 1.0) for other in partner_seats),
        )
    conventions = {other: usual(before) for other in partner_seats} | {seat: ADAPTING}
    partners: list[PartnerModel] = []
    for other in partner_seats:
        judged = _judged(past, conventions, dict(hands), other, before)
        conventions[other] = judged.convention
        partners.append(judged)
    return Understanding(
        common_knowledge([conventions[s] for s in range(players)], past), tuple(partners)
    )


def usual(before: Prior) -> Convention:
    """Return the likeliest convention; STRANGER where every convention is less likely than none."""
    best = max(before, key=lambda convention: before[convention])
    return best if before[best] >= 1 else STRANGER


def _judged(
    history: tuple[Past, ...],
    conventions: Mapping[int, Convention],
    hands: Mapping[int, Sequence[Card]],
    other: int,
    before: Prior,
) -> PartnerModel:
    """Return what is believed about one partner, given the conventions of the others.

    The convention that was likeliest at the start is tried first, the others only if the partner broke it.
    """
    models: list[PartnerModel] = []
    for convention in sorted(before, key=lambda convention: -before[convention]):
        tried = {**conventions, other: convention}
        now = common_knowledge([tried[seat] for seat in sorted(tried)], history)
        compared = [
            (claim, holds)
            for claim, holds in _compared(now, identities(now, hands))
            if claim.seat == other
        ]
        broke = tuple(
            f"turn {claim.turn}: {BROKEN[claim.why]}" for claim, holds in compared if not holds
        )
        odds = before[convention] * exp(_log_ratio(compared))
        least = DROPPED if convention == usual(before) else 1
        models.append(
            PartnerModel(other, convention if odds >= least else STRANGER, odds / (1 + odds), broke)
        )
        if not broke:
            break
    best = max(models, key=lambda model: (model.convention != STRANGER, model.chance))
    doubted = bool(history) and history[-1].lives == 1 and best.chance < SURE
    return replace(best, convention=STRANGER if doubted else best.convention, broke=models[0].broke)


def _log_ratio(compared: Iterable[tuple[Claim, bool]]) -> float:
    """Return the log of the likelihood ratio of a player's claims, given in the order of their turns."""
    moves = [tuple(move) for _, move in groupby(compared, key=lambda item: item[0].turn)]
    true = [prod(RATIOS[claim.why][0] if holds else 0.0 for claim, holds in move) for move in moves]
    slipped = [prod(RATIOS[claim.why][1] for claim, holds in move if not holds) for move in moves]
    logs = [
        log(share)
        + sum(
            log((1 - rate) * keeps + rate * slip) for keeps, slip in zip(true, slipped, strict=True)
        )
        for rate, share in SLIPS.items()
    ]
    most = max(logs)
    return most + log(sum(exp(each - most) for each in logs))


def _compared(now: CommonKnowledge, seen: Mapping[int, Card]) -> Iterator[tuple[Claim, bool]]:
    """Yield the claims whose cards have been seen, or can be ruled out, and whether they hold."""
    for claim in now.claims:
        card = seen.get(claim.card)
        held = now.cards[claim.owner]
        possible = (
            now.literal[claim.owner][held.index(claim.card)] if claim.card in held else claim.types
        )
        if card is not None:
            yield claim, bool(claim.types >> INDEX[card] & 1)
        elif not claim.types & possible:
            yield claim, False


@lru_cache(maxsize=256)
def learnt(games: tuple[Record, ...]) -> Prior:
    """Return the odds after games that a partner played with its own kind: each convention is tested on all moves of
    them."""
    logs = {}
    for convention, odds in NOTHING_KNOWN.items():
        compared: list[tuple[Claim, bool]] = []
        for game in games:
            now = CommonKnowledge.start((convention,) * game.players)
            for step in game.steps():
                now = now.after(
                    PublicMove(step.seat, step.move, step.lost, step.scored, step.touched)
                )
            compared += _compared(now, dict(enumerate(game.deck)))
        logs[convention] = log(odds) + _log_ratio(compared)
    excess = max(0.0, max(logs.values()) - log(MOST))
    return {convention: max(LEAST, exp(odds - excess)) for convention, odds in logs.items()}


# Models read these sentences in notes: their wording is part of the prompts.
BROKEN: Mapping[Why, str] = {
    "play hint": "the card that their hint pointed at did not fit",
    "warning": "the card that they warned of was not critical",
    "silence": "they did not warn of a critical card",
    "passed over": "they discarded although they had been told of a card to play",
    "played untold": "they took a hint to point at another card",
}


def identities(now: CommonKnowledge, hands: Mapping[int, Sequence[Card]]) -> dict[int, Card]:
    """Return every card that was played or discarded, or is in sight, by its number in the order of dealing."""
    seen = dict(now.face_up)
    for seat, cards in hands.items():
        seen |= dict(zip(now.cards[seat], cards, strict=True))
    return seen
