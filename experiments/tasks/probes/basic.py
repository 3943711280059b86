"""The probes of the pack `basic`: play hints, save hints, news, and discarding without fear.

The pack does not say which of several touched cards a hint is about, nor which card is discarded.
So its play hints are read where they touch one card, and any discard keeps rule 1.
"""

from hanabi_orchestrator.experiments.tasks.probes.convention import (
    LITERAL,
    Convention,
    Question,
    at_a_playable_card,
    discards,
    hints,
    hints_to_me,
    only_hint,
    plays,
    touched,
)
from hanabi_orchestrator.experiments.tasks.probes.hgroup_1 import Table
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX, OF_RANK
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import hinted
from hanabi_orchestrator.orchestrator.hanabi.moves import Hint, HintRank
from hanabi_orchestrator.orchestrator.hanabi.view import View

NEWEST = "newest"
STALLS = "hints to pass time"
REPEATS = "repeats itself"
SAVES = "saves first"
"""Players of other conventions; the last three break one rule each."""


def _is_news(view: View, hint: Hint) -> bool:
    """Return True if a hint says something that its receiver does not know literally (rule 4)."""
    masks = tuple(card.mask for card in belief.hand_of(view, hint.to).known)
    return hinted(masks, hint, touched(view, hint)) != masks


def _tells(view: View, hint: Hint, types: int) -> bool:
    """Return True if a hint names, as news, the colour or rank of a card of these types."""
    hand = belief.hand_of(view, hint.to)
    after = hinted(tuple(card.mask for card in hand.known), hint, touched(view, hint))
    slots = (slot for slot in touched(view, hint) if after[slot] != hand.known[slot].mask)
    return any(types >> INDEX[hand.cards[slot]] & 1 for slot in slots)


def _play_hints(view: View) -> tuple[Hint, ...]:
    return tuple(hint for hint in hints(view) if _tells(view, hint, view.piles.playable))


def _save_hints(view: View) -> tuple[Hint, ...]:
    """Return the hints at a 5, a 2 without another copy in sight, or a last copy (rule 3)."""
    table = Table(view)
    cards = set()
    for hand in view.hands:
        for card in hand.cards:
            if table.precious(card):
                cards.add(card)
    types = sum(1 << INDEX[card] for card in cards)
    return tuple(hint for hint in hints(view) if _tells(view, hint, types))


def _fits(view: View) -> bool:
    """Return True if an own card is literally known to fit."""
    return any(card.playable == 1.0 for card in belief.own_hand(view))


def _sure(view: View) -> bool:
    """Return True if there may be an own card to play: known to fit, or named by a hint since the
    last turn."""
    return _fits(view) or bool(Table(view).sure) or any(hints_to_me(view))


def play_hint_read(view: View) -> Question | None:
    hint = only_hint(view)
    if hint is None or len(hint.past.slots) != 1:
        return None
    (slot,) = hint.past.slots
    mask = view.own[slot].mask
    piles = view.piles
    if isinstance(hint.hint, HintRank):
        savable = OF_RANK[5] | OF_RANK[2] | piles.critical
    else:
        savable = piles.critical
    if mask & savable & ~piles.dead or not mask & piles.playable or _fits(view):
        return None
    why = (
        "by rules 1 to 3 it is a play hint, for nothing there is to be saved, and it names slot "
        f"{slot} alone"
    )
    return Question(f"{hint} alone: what do you do?", plays(slot), why, (LITERAL,))


def play_hint_given(view: View) -> Question | None:
    """Ask where only a play hint will do."""
    true = _play_hints(view)
    if _sure(view) or not true or 3 * len(true) > len(view.legal):
        return None
    saves = tuple(hint for hint in _save_hints(view) if hint not in true)
    if not saves:
        return None
    why = "by rule 5 a play hint goes before a save hint; these name a card that can be played now"
    return Question(
        "Both kinds of hint would do: which do you give?", true, why, (SAVES,), {SAVES: saves}
    )


def save_given(view: View) -> Question | None:
    saves = _save_hints(view)
    if _sure(view) or _play_hints(view) or not saves or 2 * len(saves) > len(view.legal):
        return None
    why = "no card in sight can be played, so that by rules 1 and 3 only a save hint is left"
    return Question("No hint helps anybody to play: what do you do?", saves, why, (NEWEST, LITERAL))


def news(view: View) -> Question | None:
    true = _play_hints(view)
    repeats = tuple(hint for hint in at_a_playable_card(view) if not _is_news(view, hint))
    if _sure(view) or not true or not repeats or 3 * len(true) > len(view.legal):
        return None
    why = "by rule 4 the other hints at these cards say what their owner knows already"
    return Question(
        "Which hints tell of a card to play, and are news?",
        true,
        why,
        (REPEATS,),
        {REPEATS: repeats},
    )


def discard(view: View) -> Question | None:
    if (
        _sure(view)
        or not view.tokens
        or _play_hints(view)
        or _save_hints(view)
        or not discards(view)
    ):
        return None
    why = "by rule 1 a player who can give neither a play hint nor a save hint discards"
    text = "No hint helps to play or to save: what do you do?"
    return Question(text, discards(view), why, (STALLS,), {STALLS: tuple(hints(view))})


CONVENTIONS = (
    Convention("play-hint-read", "2: play the card that a play hint names.", play_hint_read),
    Convention("play-hint-given", "5: give a play hint rather than a save hint.", play_hint_given),
    Convention("save-given", "3: with nothing to play, save what must not be lost.", save_given),
    Convention("news", "4: give hints with new information only.", news, (3, 4, 5)),
    Convention(
        "discard", "1: discard if neither kind of hint is possible.", discard, always_same=True
    ),
)
