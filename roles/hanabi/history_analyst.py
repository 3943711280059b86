"""History analyst: what past moves reveal (mixture of agents, agent 5; appendix I.5)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import ANY, Mask, Piles, unmask
from hanabi_orchestrator.orchestrator.hanabi.convention import policy
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import CommonKnowledge, Why
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import is_certain
from hanabi_orchestrator.orchestrator.hanabi.convention.partner_model import (
    NOTHING_KNOWN,
    PartnerModel,
    Understanding,
    learnt,
    understand,
)
from hanabi_orchestrator.orchestrator.hanabi.information.policy import CodePosition
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import (
    literal_hands,
    shifted,
    unknown_hands,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.roles.hanabi.history_report import (
    Believed,
    Inference,
    Insight,
    PastReport,
    Trusted,
    by_history,
)
from hanabi_orchestrator.roles.hanabi.marking.history_marks import HISTORIAN
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.fixed import (
    CardCounts,
    Conventions,
    ProbabilityAdvice,
    Rules,
)
from hanabi_orchestrator.roles.hanabi.sections.history import History, Remembered
from hanabi_orchestrator.roles.hanabi.sections.past_games import PastGames
from hanabi_orchestrator.roles.hanabi.sections.table import (
    Discards,
    FinalRound,
    NextPlayable,
    OwnDeductions,
    PartnerDeductions,
    State,
)
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.registry import role
from hanabi_orchestrator.roles.role_options import AllowedValues
from hanabi_orchestrator.roles.sections import Section, Sections


@dataclass(frozen=True)
class Hints:
    """What the hints of a history say of the hand of one seat, slot by slot."""

    slots: tuple[Mask, ...]
    touched: tuple[tuple[int, ...], ...]
    """The turns of the hints that touched each slot."""


def replay(history: History, players: int, seat: int) -> Hints:
    """The literal hints of `seat`'s hand after a whole history."""
    slots = unknown_hands(players)[seat]
    touched: tuple[tuple[int, ...], ...] = ((),) * len(slots)
    for past, hands in literal_hands(players, history.moves):
        slots = hands[seat]
        if isinstance(past.move, Play | Discard):
            if past.seat == seat:
                touched = shifted(touched, past.move.slot, [()])[
                    : len(slots)
                ]  # an empty deck gives no new card
        elif past.move.to == seat:
            touched = tuple(
                (*turns, past.turn) if slot in past.slots else turns
                for slot, turns in enumerate(touched)
            )
    return Hints(slots, touched)


SECTIONS: tuple[type[Section], ...] = (
    Rules,
    Conventions,
    ConventionFacts,
    *TAKES,
    NextPlayable,
    FinalRound,
    History,
)


OPTIONS: AllowedValues = {"trust": ("learnt", "blind")}
"""`trust`: whether its program learns from what partners do how far they keep to the conventions, or assumes that
everybody does."""


@role(
    reply=PastReport,
    takes=(*SECTIONS, CardCounts, ProbabilityAdvice, Remembered, PastGames),
    needs=(Rules, History),
    mark=HISTORIAN,
    rests_on=("own_hand",),
    options=OPTIONS,
)
def history_analyst(sections: Sections, notes: Notes) -> PastReport:
    """Explains what past moves reveal of the hidden cards, and which own cards may be played."""
    report = past(sections)
    playable, likeliest = _own_plays(sections, report)
    summary = f"{_own_summary(playable)} {report.summary}".strip()
    return report.model_copy(
        update={"playable": playable, "likeliest": likeliest, "summary": summary}
    )


def _own_plays(sections: Sections, report: PastReport) -> tuple[tuple[int, ...], int | None]:
    """The own slots that are surely playable, in the order to play them, and nearly at the end the likeliest of all.

    By the section `convention_facts`; without it by hints and counting, narrowed by what the past says.
    """
    facts = sections.get(ConventionFacts)
    if facts and facts.code:
        return tuple(move.slot for move, _ in facts.code.plays()), None
    if facts:
        at = facts.scene
        slots = tuple(
            dict.fromkeys(
                move.slot for step in (policy.play, policy.likely) for move, _ in step(at)
            )
        )
        chances = [belief.playable for belief in at.beliefs] if not at.among_strangers else []
    elif State in sections:
        position = by_history(Position.read(sections), {"": (report,)})
        plays = (*literal_play.certain_plays(position), *literal_play.likely_plays(position))
        slots = tuple(dict.fromkeys(move.slot for move in plays))
        chances = [slot.playable for slot in position.slots]
    else:
        return (), None
    if State not in sections or "nearly over" not in sections[State].holds:
        return slots, None
    best = max(range(len(chances)), key=chances.__getitem__, default=None)
    return slots, best if best is not None and chances[best] else None


def past(sections: Sections) -> PastReport:
    """The report on the past moves, without what may be played."""
    history = sections[History]
    players = sections[Rules].players
    facts = sections.get(ConventionFacts)
    if not history.whole and facts is None:
        return PastReport(
            insights=insights(history), inferred=(), summary="Only the latest moves are known."
        )
    if (conventions := sections.get(Conventions)) and conventions.agreed:
        return by_conventions(sections, history)
    hints = replay(history, players, history.seat)
    state = sections.get(State)
    discards = sections.get(Discards)
    piles = (
        Piles(state.fireworks, discards.cards if discards else ()) if state else Piles((0,) * 5, ())
    )
    inferred = tuple(
        Inference(
            slot=i,
            cards=unmask(types),
            reason=f"hinted on turn {', '.join(map(str, hints.touched[i]))}",
        )
        for i, types in enumerate(_counted(hints.slots, piles, state))
        if hints.touched[i]
    )
    summary = "Hints so far leave " + "; ".join(
        f"slot {i.slot}: {len(i.cards)} kinds of card" for i in inferred
    )
    return PastReport(
        insights=insights(history),
        inferred=inferred,
        summary=summary if inferred else "No card of mine was hinted.",
    )


def _counted(masks: Sequence[Mask], piles: Piles, state: State | None) -> tuple[Mask, ...]:
    """What the own slots can be when the piles and the hands in sight are counted; each alone where no hand fits."""
    hands = state.hands.values() if state else ()
    try:
        slots = belief.believe(masks, piles, *hands)
    except ValueError:
        unseen = sum(
            1 << index for index, copies in enumerate(belief.unseen(piles, *hands)) if copies
        )
        return tuple(mask & unseen or mask for mask in masks)
    return tuple(slot.possible for slot in slots)


def by_conventions(sections: Sections, history: History) -> PastReport:
    """The readings of everything that happened, as far as each partner is trusted to keep to the conventions."""
    facts = _facts(sections, history)
    understood = _understood(sections, history, facts)
    code = facts.code if facts else None
    now = understood.knowledge
    counted = _counted(now.common[history.seat], now.piles, sections.get(State))
    played = [move.slot for move, _ in code.plays()] if code else []
    inferred = []
    for slot, mask in enumerate(now.common[history.seat]):
        card = now.cards[history.seat][slot]
        claims = [claim for claim in now.claims if claim.card == card and claim.why in POINTING]
        few = mask.bit_count() <= FEW or slot in played
        if mask != ANY and (few or any(claim.why != "silence" for claim in claims)):
            grounds = "; ".join(
                f"{claim.why} of P{claim.seat} on turn {claim.turn}" for claim in claims
            )
            reason = grounds or ("hints, counting and the code" if code else "hints and counting")
            inferred.append(Inference(slot=slot, cards=unmask(counted[slot]), reason=reason))
    inferred_slots = {(history.seat, partner.slot) for partner in inferred}
    telling = (
        OwnDeductions if seat == history.seat else PartnerDeductions
        for seat in range(len(now.common))
    )
    visible = [kind in sections for kind in telling]
    believed = tuple(
        Believed(seat=seat, slot=slot, cards=unmask(mask))
        for seat, hand in enumerate(now.common)
        for slot, mask in enumerate(hand)
        if mask != (now.literal[seat][slot] if visible[seat] else ANY)
        and (seat, slot) not in inferred_slots
    )
    return PastReport(
        insights=tuple(_read(insight, now, history.seat, code) for insight in insights(history)),
        inferred=tuple(inferred),
        summary=_summary(now, history.seat, understood.partners),
        believed=believed,
        trust=tuple(
            Trusted(
                seat=partner.seat,
                hints=None if partner.convention.hints == "adapts" else partner.convention.hints,
                reads=None if partner.convention.reads == "adapts" else partner.convention.reads,
                waits=partner.convention.waits,
                chance=partner.chance,
                broke=partner.broke,
            )
            for partner in understood.partners
        ),
    )


def _facts(sections: Sections, history: History) -> ConventionFacts | None:
    """The section on the conventions; without it, where the code is agreed on, what follows from the history."""
    state = sections.get(State)
    facts = sections.get(ConventionFacts)
    if facts is not None or state is None or sections[Conventions].pack != "information":
        return facts
    return ConventionFacts(
        state.players,
        state.seat,
        history.moves,
        state.hands,
        (),
        None,
        outright={},
        pack="information",
    )


def _understood(
    sections: Sections, history: History, facts: ConventionFacts | None
) -> Understanding:
    """By the whole history; where it is told in part, by the facts that follow from the whole."""
    if facts is not None:
        return facts.understood
    state = sections.get(State)
    past = sections.get(PastGames)
    before = learnt(past.games) if past else NOTHING_KNOWN
    blind = sections.options.get("trust") == "blind"
    hands = state.hands if state else {}
    return understand(
        history.moves, sections[Rules].players, history.seat, hands, before, blind=blind
    )


MEANINGS: Mapping[Why, str] = {
    "play hint": "it points at a card of P$owner's that can be played",
    "warning": "it warns P$owner of a critical card",
    "silence": "P$owner was not warned, so the card that P$owner would discard next is not critical",
    "passed over": "they did not play a card that they had been told of",
    "played as told": "they read the hint by the conventions",
    "played untold": "they had not been told so: they saw it, or read a hint otherwise",
}
MINE: Mapping[Why, str] = {
    "play hint": "it points at a card of mine that can be played",
    "warning": "it warns me of a critical card",
    "silence": "I was not warned, so the card that I would discard next is not critical",
}


FEW = 6
"""Kinds of card to which a card is narrowed that the report names though no hint pointed at it."""
POINTING = ("play hint", "warning", "silence")


def _read(insight: Insight, now: CommonKnowledge, me: int, code: CodePosition | None) -> Insight:
    """An insight with what the conventions say of the move: what it means, then what its player left undone; by the
    code, the number for which it stands."""
    claims = sorted(
        (c for c in now.claims if c.turn == insight.turn), key=lambda claim: claim.why == "silence"
    )
    meanings = [(MINE if c.owner == me else MEANINGS).get(c.why, MEANINGS[c.why]) for c in claims]
    meant = [
        text.replace("$owner", str(claim.owner))
        for text, claim in zip(meanings, claims, strict=True)
    ]
    readings = code.table.readings if code else ()
    meant += [
        f"it stands for {reading.number}, which leaves {reading.rest} for my hand"
        for reading in readings
        if reading.turn == insight.turn
    ]
    return Insight(turn=insight.turn, meaning="; ".join((insight.meaning, *dict.fromkeys(meant))))


def _summary(now: CommonKnowledge, me: int, trust: Iterable[PartnerModel]) -> str:
    hands = enumerate(now.common)  # their owners know which of their cards can be played
    sure = [
        (seat, slot)
        for seat, hand in hands
        for slot, m in enumerate(hand)
        if is_certain(m, now.piles.playable)
    ]
    playable = [f"P{seat} slot {slot}" for seat, slot in sure if seat != me]
    doubted = [
        f"P{partner.seat}"
        for partner in trust
        if partner.convention.hints is None or partner.convention.reads is None
    ]
    sentences = []
    if playable:
        sentences.append(f"The others know that they can play {', '.join(playable)}.")
    if doubted:
        sentences.append(
            f"Players who do not wholly keep to the conventions: {', '.join(doubted)}."
        )
    return " ".join(sentences)


def _own_summary(playable: Sequence[int]) -> str:
    """Say which own cards can be played, as the report's list does."""
    if not playable:
        return "By hints, counting and the conventions I know of no card to play."
    return f"By hints, counting and the conventions I can play slot {', then '.join(map(str, playable))}."


RECENT = 5


def insights(history: History) -> tuple[Insight, ...]:
    """The latest moves of the others, read literally."""
    moves = [past for past in history.moves if past.seat != history.seat]
    return tuple(
        Insight(turn=past.turn, meaning=_meaning(past, history.seat))
        for past in moves[: -RECENT - 1 : -1]
    )


def _meaning(past: Past, seat: int) -> str:
    if isinstance(past.move, Play):
        return f"P{past.seat} thought the card could be played, {'rightly' if past.scored else 'wrongly'}"
    if isinstance(past.move, Discard):
        return f"P{past.seat} saw no play and thought the card could be spared"
    receiver = "me" if past.move.to == seat else f"P{past.move.to}"
    return f"P{past.seat} told {receiver} of {len(past.slots)} card{'s' if len(past.slots) > 1 else ''}"
