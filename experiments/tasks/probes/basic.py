"""The probes of the pack `basic`: play hints, save hints, news, and discarding without fear.

The pack does not say which of several touched cards a hint is about, nor which card is discarded. So its play hints
are read where they touch one card, and any discard keeps rule 1.
"""

from experiments.tasks.probes.hgroup import Table
from experiments.tasks.probes.hgroup import play as hgroup_play
from experiments.tasks.probes.newest import play as newest_play
from experiments.tasks.probes.place import (
    LITERAL,
    Convention,
    Found,
    Moves,
    at_a_playable_card,
    discards,
    hints,
    hints_to_me,
    only_hint,
    others,
    said,
    touched,
)
from orchestrator.hanabi import belief
from orchestrator.hanabi.cards import INDEX, OF_RANK
from orchestrator.hanabi.literal_knowledge import hinted
from orchestrator.hanabi.moves import Hint, HintColour, HintRank, Play
from orchestrator.hanabi.view import View

NEWEST, HGROUP, STALLS, REPEATS, SAVES = "newest", "hgroup_1", "hints to pass time", "repeats itself", "saves first"
"""Players of other conventions; the last three break one rule each."""


def _others(view: View) -> dict[str, Moves]:
    return others(view, newest=newest_play, hgroup_1=hgroup_play)


def _is_news(view: View, hint: Hint) -> bool:
    """Rule 4: whether the hint says something that its receiver does not know literally."""
    masks = tuple(known.mask for known in belief.hand_of(view, hint.to).known)
    return hinted(masks, hint, touched(view, hint)) != masks


def _tells(view: View, hint: Hint, wanted: int) -> bool:
    """Whether a hint names, as news, the colour or rank of a card of these types."""
    hand = belief.hand_of(view, hint.to)
    after = hinted(tuple(known.mask for known in hand.known), hint, touched(view, hint))
    return any(
        wanted >> INDEX[hand.cards[slot]] & 1 and after[slot] != hand.known[slot].mask for slot in touched(view, hint)
    )


def _play_hints(view: View) -> list[Hint]:
    return [hint for hint in hints(view) if _tells(view, hint, view.piles.playable)]


def _save_hints(view: View) -> list[Hint]:
    """Rule 3: of a 5, a 2 without another copy in sight, or a last copy."""
    table = Table(view)
    cards = {card for hand in view.hands for card in hand.cards if table.precious(card)}
    wanted = sum(1 << INDEX[card] for card in cards)
    return [hint for hint in hints(view) if _tells(view, hint, wanted)]


def _sure(view: View) -> bool:
    """Whether there may be an own card to play: one that is known to fit, or that a hint since the last turn named."""
    literally = any(one.playable == 1.0 for one in belief.own(view))
    return literally or bool(Table(view).sure) or any(hints_to_me(view))


def play_hint_read(view: View) -> Found | None:
    found = only_hint(view)
    if found is None or len(found[1].slots) != 1:
        return None
    past = found[1]
    hint, (slot,) = past.move, past.slots
    assert isinstance(hint, HintColour | HintRank)
    mask, piles = view.own[slot].mask, view.piles
    savable = OF_RANK[5] | OF_RANK[2] | piles.critical if isinstance(hint, HintRank) else piles.critical
    if mask & savable & ~piles.dead or not mask & piles.playable or belief.own(view)[slot].playable == 1.0:
        return None
    if any(one.playable == 1.0 for one in belief.own(view)):
        return None
    why = f"by rules 1 to 3 it is a play hint, for nothing there is to be saved, and it names slot {slot} alone"
    return Found(f"{said(past)} alone: what do you do?", (Play(slot=slot),), why, _others(view), (LITERAL,))


def play_hint_given(view: View) -> Found | None:
    """Where only a play hint will do."""
    true = tuple(_play_hints(view))
    if _sure(view) or not true or 3 * len(true) > len(view.legal):
        return None
    saves = tuple(hint for hint in _save_hints(view) if hint not in true)
    if not saves:
        return None
    why = "by rule 5 a play hint goes before a save hint; these name a card that can be played now"
    told = {**_others(view), SAVES: saves}
    return Found("Both kinds of hint would do: which do you give?", true, why, told, (SAVES,))


def save_given(view: View) -> Found | None:
    saves = tuple(_save_hints(view))
    if _sure(view) or _play_hints(view) or not saves or 2 * len(saves) > len(view.legal):
        return None
    why = "no card in sight can be played, so that by rules 1 and 3 only a save hint is left"
    return Found("No hint helps anybody to play: what do you do?", saves, why, _others(view), (NEWEST, LITERAL))


def news(view: View) -> Found | None:
    true = tuple(_play_hints(view))
    repeats = tuple(hint for hint in at_a_playable_card(view) if not _is_news(view, hint))
    if _sure(view) or not true or not repeats or 3 * len(true) > len(view.legal):
        return None
    why = "by rule 4 the other hints at these cards say what their owner knows already"
    told = {**_others(view), REPEATS: repeats}
    return Found("Which hints tell of a card to play, and are news?", true, why, told, (REPEATS,))


def discard(view: View) -> Found | None:
    if _sure(view) or not view.tokens or _play_hints(view) or _save_hints(view) or not discards(view):
        return None
    why = "by rule 1 a player who can give neither a play hint nor a save hint discards"
    told = {**_others(view), STALLS: tuple(hints(view))}
    return Found("No hint helps to play or to save: what do you do?", tuple(discards(view)), why, told, (STALLS,))


CONVENTIONS = (
    Convention("play-hint-read", "2: play the card that a play hint names.", play_hint_read),
    Convention("play-hint-given", "5: give a play hint rather than a save hint.", play_hint_given),
    Convention("save-given", "3: with nothing to play, save what must not be lost.", save_given),
    Convention("news", "4: tell only what is news.", news, (3, 4, 5)),
    Convention("discard", "1: who can give neither kind of hint discards.", discard, always_same=True),
)
