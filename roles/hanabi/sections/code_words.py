"""What the code of the pack `information` says now, with its sums done: the words of `convention_facts` beside that
pack."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX, Card, unmask
from hanabi_orchestrator.orchestrator.hanabi.information.policy import CodePosition, Due, Sum
from hanabi_orchestrator.orchestrator.hanabi.information.table import Breach, Fault
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import HandMasks
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.roles.words import Words, percent

# The own cards


def readings(code: CodePosition, history: Sequence[Past], words: Words) -> Iterator[str]:
    """The numbers since the own last turn, each with what it leaves for the own hand."""
    last = max((past.turn for past in history if past.seat == code.seat), default=0)
    recent = [reading for reading in code.table.readings if reading.turn > last]
    yield words(READINGS if recent else NO_READING)
    for reading in recent:
        yield words(
            READING,
            turn=reading.turn,
            giver=reading.giver,
            move=history[reading.turn - 1].move,
            number=reading.number,
            terms="".join(f" - {share} (P{seat})" for seat, share in reading.shares),
            rest=reading.rest,
            size=reading.size,
            told=_news(reading.before, reading.after, words),
        )


def _news(hand: HandMasks, then: HandMasks, words: Words) -> str:
    """What a number says of a hand."""
    news = []
    for slot, (before, after) in enumerate(zip(hand, then, strict=True)):
        if lost := before & ~after:
            keeps = after.bit_count() <= lost.bit_count()
            cards = words(" or ").join(card.value for card in unmask(after if keeps else lost))
            news.append(words(KEEPS if keeps else LOSES, slot=slot, cards=cards))
    return words("; ").join(news) or words("nothing new")


def plays(code: CodePosition, words: Words) -> Iterator[str]:
    """The slots to play, and the one worth a life."""
    yield words(PLAYS, slots=_slots(code.sure, words))
    chance = 0.0 if code.risky is None else code.chances(code.table.piles.playable)[code.risky]
    yield words(RISKY, slot=code.risky, chance=percent(chance)) if chance else words(NO_RISK)


def discards(code: CodePosition, words: Words) -> Iterator[str]:
    """The order in which to discard the own cards, and the number that decides it."""
    if code.coded:
        yield words(CODED, slots=_slots(code.coded, words), **_sum(code.discard_sum, words))
    yield words(ORDER, slots=_slots(dict.fromkeys(move.slot for move, _ in code.discards()), words))


# The others, and the hint to them


def partner(code: CodePosition, seat: int, hand: Sequence[Card], words: Words) -> str:
    """What a partner knows of the playable cards of their hand, and by which slot hints to them are read."""
    table = code.table
    fits = {slot: card for slot, card in enumerate(hand) if table.piles.playable >> INDEX[card] & 1}
    sure = [
        slot for slot, types in enumerate(table.common[seat]) if not types & ~table.piles.playable
    ]
    cards = words.series(
        words("slot $slot ($card)", slot=slot, card=hand[slot].value) for slot in sure or fits
    )
    text = words(KNOWS if sure else WAITS, seat=seat, cards=cards or words("none"))
    return f"{text} {words(READ_BY, seat=seat, slot=table.asked(seat))}"


def hints(code: CodePosition, words: Words) -> Iterator[str]:
    """Whether a hint is due, the number that it stands for, and the hints that stand for each number."""
    if not code.table.tokens:
        yield words(NO_TOKEN)
        return
    yield words(DUE[code.due] if code.due else NOT_DUE)
    for seat in code.hint_sum.shares:
        share, after = code.table.share(seat, code.hint_sum.size)
        yield words(
            SHARE, seat=seat, share=share, told=_news(code.table.common[seat], after, words)
        )
    yield words(NUMBER, **_sum(code.hint_sum, words))
    yield words(HINTS)
    for number in range(code.hint_sum.size):
        same = sorted(
            (hint for hint, n in code.numbers.items() if n == number),
            key=lambda hint: -code.news(hint),
        )
        yield f"- {number}: {words.series(map(str, same)) or words('none')}"
    if code.hint_sum.number not in code.numbers.values() and (spent := next(code.hints(), None)):
        yield words(SPENT, hint=spent[0])


def _sum(code_sum: Sum, words: Words) -> Mapping[str, object]:
    """The values of a sentence that writes out a sum."""
    terms = words(" + ").join(f"{share} (P{seat})" for seat, share in code_sum.shares.items())
    return {"terms": terms, "size": code_sum.size, "number": code_sum.number}


def _slots(slots: Iterable[int], words: Words) -> str:
    return words.series(words("slot $slot", slot=slot) for slot in slots) or words("none")


def breach(slip: Breach, words: Words) -> str:
    """What to say once the code is off."""
    return words(OFF, turn=slip.turn, fault=words(FAULTS[slip.fault], seat=slip.seat))


READINGS = "The numbers since your last turn, and what they leave for your hand:"
NO_READING = "No number was told since your last turn."
READING = "- turn $turn, P$giver: $move stands for $number. For you: $number$terms = $rest, modulo $size, which says: $told."
KEEPS = "slot $slot is $cards"
LOSES = "slot $slot is not $cards"
PLAYS = "Surely playable, in the order to play them: $slots."
RISKY = "Worth a life: slot $slot, which fits with $chance and else is dead."
NO_RISK = "Worth a life: none."
CODED = (
    "Everybody knows that these are useless: $slots. Which of them you discard, counted from 0, stands for a number. "
    "Yours: $terms = $number, modulo $size."
)
ORDER = "The order to discard them: $slots."
KNOWS = "- P$seat knows of playable cards: $cards."
WAITS = "- P$seat waits for a hint; playable cards: $cards."
READ_BY = "Hints to P$seat are read by slot $slot."
DUE: Mapping[Due, str] = {
    "all tokens": "A hint is due: all 8 tokens are there.",
    "waited for": "A hint is due: somebody waits for one and holds a playable card.",
    "useful": "A hint is due: tokens abound, or somebody holds a playable card, and you have no better discard.",
}
NOT_DUE = "No hint is due."
NO_TOKEN = "No hint is due: there is no token."
SHARE = "- P$seat's hand has the number $share, which says: $told."
NUMBER = "Your number: $terms = $number, modulo $size."
HINTS = "The numbers, and the hints that stand for them, those with most news first:"
SPENT = "No hint stands for your number, and a token must be spent: $hint."
OFF = "Somebody does not keep to the code, which is off: $fault (turn $turn). Every hint tells only its colour or rank."
FAULTS: Mapping[Fault, str] = {
    "passed over": "P$seat did not play, though everybody knew a card to play",
    "silent": "P$seat discarded, though somebody waited for a hint and held a playable card",
    "misplayed": "P$seat played a card that neither fitted nor was dead",
    "other card": "P$seat, you, held a card that the code had ruled out",
    "no card": "after P$seat's move the code and the hints leave no card that one of yours can be",
}
