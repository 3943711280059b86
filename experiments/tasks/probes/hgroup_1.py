"""The probes of the pack `hgroup_1`: chop, focus, play and save hints, good touch and waiting.

The pack has no finesse: its rule 3 knows a card that will be playable soon, and rule 8 trusts a card played out of
turn, but nobody there is asked to play a card that no hint touched.
"""

from experiments.tasks.probes.convention import LITERAL, Convention, Question, only_hint, plays
from experiments.tasks.probes.hgroup import Table, knowledge, play
from orchestrator.hanabi.moves import Discard
from orchestrator.hanabi.view import View

NEWEST, OLDEST, PLAYS, BLIND = "newest", "oldest", "sees a play hint", "touches anything"
"""Players of other conventions; the last two make one mistake each."""


def _calm(table: Table) -> bool:
    """Return True if nobody must be saved now."""
    return table.must_be_saved(table.next) is None


def chop(view: View) -> Question | None:
    slot = Table(view).now.chop(view.seat)
    if not slot or play(view) != Discard(slot=slot):
        return None
    why = f"by rule 1 slot {slot} is the oldest card that no hint has touched"
    text = "You have nothing to play and no hint to give: which card do you discard?"
    return Question(text, (Discard(slot=slot),), why, (LITERAL,))


def _focus(view: View, *, on_chop: bool) -> Question | None:
    """Ask about a play hint whose focus is, or is not, the chop card."""
    hint = only_hint(view)
    if hint is None or len(hint.past.slots) < 2:
        return None
    read, table = knowledge(view, hint.index).read(hint.hint, hint.past.slots), Table(view)
    if read.on_chop != on_chop or read.saved or table.sure != [read.focus] or not _calm(table):
        return None
    which = "the chop card" if on_chop else "the newest of the cards that were untouched"
    why = f"by rule 2 the focus is {which}, slot {read.focus}, and no save fits: it can be played"
    rivals = (LITERAL, NEWEST) if on_chop else (LITERAL, OLDEST)
    return Question(f"{hint}: which card can you play?", plays(read.focus), why, rivals)


def focus_newest(view: View) -> Question | None:
    return _focus(view, on_chop=False)


def focus_chop(view: View) -> Question | None:
    return _focus(view, on_chop=True)


def play_hint_given(view: View) -> Question | None:
    table = Table(view)
    if table.sure or not _calm(table):
        return None
    good = tuple(hint for hint in table.play_hints() if table.good_touch(hint))
    why = "only these hints have a playable card as their focus, by rules 2 and 3, and touch no useless card"
    return Question("Which hints tell a partner of a card to play?", good, why, (OLDEST, NEWEST))


def good_touch(view: View) -> Question | None:
    table = Table(view)
    if table.sure or not _calm(table):
        return None
    good = tuple(hint for hint in table.play_hints() if table.good_touch(hint))
    bad = tuple(hint for hint in table.play_hints() if not table.good_touch(hint))
    if not bad:
        return None
    why = "by rule 5 the other play hints touch a card that is played already, or touched in another hand, or twice"
    return Question("Which play hint touches no useless card?", good, why, (BLIND,), {BLIND: bad})


def save_given(view: View) -> Question | None:
    table = Table(view)
    slot = table.must_be_saved(table.next)
    saves = tuple(table.saves(table.next))
    if slot is None or not saves:
        return None
    card = table.hands[table.next][slot]
    why = f"P{table.next}'s chop is slot {slot}, {card}, which must not be lost; these hints save it by rule 4"
    text = f"P{table.next} moves next: which hint keeps them from losing a card that the team needs?"
    return Question(text, saves, why, (LITERAL,))


def save_read(view: View) -> Question | None:
    """Ask about a hint on the chop that fits a save: the card is kept, and not played."""
    if (hint := only_hint(view)) is None:
        return None
    read, slot = knowledge(view, hint.index).read(hint.hint, hint.past.slots), Table(view).now.chop(view.seat)
    if not read.saved or slot is None or play(view) != Discard(slot=slot):
        return None
    why = f"by rule 4 the hint may save slot {read.focus}, the chop: it stays, and slot {slot} is the chop now"
    rivals = (LITERAL, PLAYS)
    return Question(f"{hint}: what do you do?", (Discard(slot=slot),), why, rivals, {PLAYS: plays(read.focus)})


CONVENTIONS = (
    Convention("chop", "1: discard the oldest card without a hint (the chop).", chop),
    Convention(
        "focus-newest", "2: a hint that misses the chop is about the newest card without an earlier hint.", focus_newest
    ),
    Convention("focus-chop", "2: a hint that touches the chop is about it.", focus_chop),
    Convention("play-hint-given", "3: the focus of a play hint is playable.", play_hint_given),
    Convention("save-given", "4: save the next player's chop, by an allowed hint.", save_given),
    Convention("save-read", "4: a hint on the chop may be a save: keep the card and do not play it.", save_read),
    Convention("good-touch", "5: touch no card that is played already, touched elsewhere, or held twice.", good_touch),
)
