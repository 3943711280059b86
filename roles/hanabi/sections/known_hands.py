"""What a seat that decides alone is told of each hand: the hints that touched its cards, and what follows from them."""

from collections.abc import Iterator, Mapping, Sequence

from hanabi_orchestrator.orchestrator.hanabi.belief import Slot
from hanabi_orchestrator.orchestrator.hanabi.cards import HAND_SIZES, Card
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, Hint, HintColour, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Knowledge, Past
from hanabi_orchestrator.roles.words import Words


def hints_by_slot(seat: int, players: int, history: Sequence[Past]) -> list[list[Past]]:
    """Return for each slot of a hand the past turns whose hints touched the card that is there now."""
    slots: list[list[Past]] = [[] for _ in range(HAND_SIZES[players])]
    for past in history:
        if isinstance(past.move, Hint) and past.move.to == seat:
            for slot in past.slots:
                slots[slot].append(past)
        elif past.seat == seat and isinstance(past.move, Play | Discard):
            del slots[past.move.slot]
            slots.append(
                []
            )  # with an empty deck a slot that holds no card and that no hint touches
    return slots


def own_lines(
    hints: Sequence[Sequence[Past]],
    counted: Sequence[Slot],
    believed: Sequence[Slot],
    words: Words,
) -> Iterator[str]:
    """Say of each own slot which hints touched it, what hints and counting leave, and what conventions add."""
    texts = list[str]()
    # with an empty deck there are more lists of hints than cards, the last of them empty
    for pasts, literal, belief in zip(hints, counted, believed, strict=False):
        sources = words("; ").join(_source(past, words) for past in pasts) or words("no hint")
        text = f"({sources}) {words.few(literal)}"
        if words.few(belief) != words.few(literal):
            text += words(ADDED, belief=words.few(belief))
        texts.append(text)
    yield from words.shared_slots(enumerate(texts))


def partner_hints(cards: Sequence[Card], hints: Sequence[Knowledge], words: Words) -> str:
    """Say which hints touched the cards of another hand: `slot 2 (Y5) rank 5`."""
    entries = list[str]()
    for slot, (card, knowledge) in enumerate(zip(cards, hints, strict=True)):
        if knowledge.colour or knowledge.rank:
            hint = words.hint(knowledge)
            entries.append(words("slot $slot ($card) $hint", slot=slot, card=card.value, hint=hint))
    return words.series(entries) or words("none")


def others_lines(
    partners: Mapping[int, str],
    hands: Mapping[int, Sequence[Card]],
    hints: Mapping[int, Sequence[Knowledge]],
    words: Words,
) -> Iterator[str]:
    """Say of each other hand which hints touched it, after what its owner does by the conventions."""
    for seat, text in partners.items():
        yield f"{text} {words(HINTED, hints=partner_hints(hands[seat], hints[seat], words))}"


def _source(past: Past, words: Words) -> str:
    """Say a hint to the own hand: `turn 14, P2: white`."""
    assert isinstance(past.move, Hint)
    if isinstance(past.move, HintColour):
        value = words.colour(past.move.colour)
    else:
        value = words("rank $rank", rank=past.move.rank)
    return words("turn $turn, P$seat: $hint", turn=past.turn, seat=past.seat, hint=value)


ADDED = "; with the conventions $belief"
HINTED = "Touched by hints: $hints."
