"""The probes of the pack `newest`: what its rules R1-R4, silence, chop and order of moves ask for in a position.

Answers come from the common knowledge and the steps of the convention policy, which the pack puts in words.
"""

from experiments.tasks.probes.hgroup import play as hgroup_play
from experiments.tasks.probes.place import (
    LITERAL,
    Convention,
    Found,
    Moves,
    at_a_playable_card,
    only_hint,
    others,
    rule_player,
    said,
)
from orchestrator.hanabi import belief
from orchestrator.hanabi.cards import MAX_TOKENS
from orchestrator.hanabi.convention.common_knowledge import CommonKnowledge, common_knowledge, made_known
from orchestrator.hanabi.convention.hint_convention import NEWEST, focus, is_dump, known, next_discard
from orchestrator.hanabi.convention.policy import Scene
from orchestrator.hanabi.literal_knowledge import hinted
from orchestrator.hanabi.moves import Discard, HintColour, HintRank, Play
from orchestrator.hanabi.view import Past, View

OLDEST, HGROUP, OVER, CAUTIOUS = "oldest", "hgroup_1", "sees a play hint", "cautious"
"""Players of other conventions; the last two make one mistake: they take every hint for a play hint, or discard what is
least likely critical by hints alone, whoever was silent."""

play = rule_player("smart")
_oldest = rule_player("smart_oldest")


def _knowledge(view: View, turns: int | None = None) -> CommonKnowledge:
    """The common knowledge of players who all keep to the pack, now or after the first `turns` moves."""
    return common_knowledge((NEWEST,) * view.players, view.history[:turns])


def _scene(view: View) -> Scene:
    hands = {hand.seat: hand.cards for hand in view.hands}
    return Scene(view.seat, _knowledge(view), hands, view.legal, view.turns_left)


def _sure(scene: Scene) -> list[int]:
    return [slot for slot, one in enumerate(scene.own) if one.playable == 1.0]


def _true_hints(scene: Scene) -> Moves:
    legal = set(scene.legal)
    return tuple(one.hint for one in scene.hint_effects if one.helps and not one.warns and one.hint in legal)


def _other_players(view: View) -> dict[str, Moves]:
    return others(view, oldest=_oldest, hgroup_1=hgroup_play)


def _hint_before(view: View) -> tuple[Past, CommonKnowledge] | None:
    """The only hint since the asked player's last turn, and the common knowledge before it."""
    found = only_hint(view)
    return None if found is None else (found[1], _knowledge(view, found[0]))


def _pointed(view: View, why: str) -> tuple[Past, int] | None:
    """The hint that the asked player got, and the slot of which it says this by the pack."""
    if (found := _hint_before(view)) is None:
        return None
    past, before = found
    assert isinstance(past.move, HintColour | HintRank)
    _, points = before.read_hint(past.seat, past.move, past.slots)
    return next(((past, point.slot) for point in points if point.why == why), None)


def play_hint_read(view: View) -> Found | None:
    if (pointed := _pointed(view, "play hint")) is None:
        return None
    past, slot = pointed
    scene = _scene(view)
    if len(past.slots) < 2 or _sure(scene) != [slot] or scene.in_danger() is not None:
        return None
    why = f"by R4 the newest touched card that may be playable or not, slot {slot}, is playable now"
    apart = (OLDEST, LITERAL)
    return Found(f"{said(past)}: which card does it point at?", (Play(slot=slot),), why, _other_players(view), apart)


def made_known_read(view: View) -> Found | None:
    """A hint that by itself makes a card known says nothing of the newest one."""
    if (found := _hint_before(view)) is None:
        return None
    past, before = found
    hint, me = past.move, view.seat
    assert isinstance(hint, HintColour | HintRank)
    after, points = before.read_hint(past.seat, hint, past.slots)
    learned = [] if points else made_known(before.known[me], after, before.piles)
    tempting = focus(hinted(before.known[me], hint, past.slots), past.slots, before.piles, "newest")
    scene = _scene(view)
    if len(learned) != 1 or tempting is None or _sure(scene) != learned or scene.in_danger() is not None:
        return None
    told = {**_other_players(view), OVER: (Play(slot=tempting),)}
    why = f"by R3 the hint makes slot {learned[0]} known to be playable and says nothing more of slot {tempting}"
    return Found(f"{said(past)}: what do you play?", (Play(slot=learned[0]),), why, told, (OVER,))


def play_hint_given(view: View) -> Found | None:
    scene = _scene(view)
    if not view.tokens or scene.in_danger() is not None or _sure(scene):
        return None
    true = _true_hints(scene)
    tempting = [hint for hint in at_a_playable_card(view) if hint not in true]
    if not true or len(tempting) < len(true):
        return None
    why = "only these hints point, by R3 or R4, at a card that can be played now; a hint that points elsewhere is false"
    return Found("Which hints tell a partner to play a card that fits?", true, why, _other_players(view), (OLDEST,))


def warning_given(view: View) -> Found | None:
    scene = _scene(view)
    slot = scene.in_danger()
    if slot is None or not view.tokens:
        return None
    rank = scene.hands[scene.next][slot].rank
    warning = HintRank(to=scene.next, rank=rank)
    effect = scene.effect_of(warning)
    if not (effect.warns and effect.true):
        return None
    helping = [one.hint for one in scene.hint_effects if one.helps and one.hint.to == scene.next]
    why = f"P{scene.next} discards the critical card in slot {slot} next, unless warned (R2) or given a card to play"
    question = f"P{scene.next} moves next: which hints keep them from losing a card that the team needs?"
    return Found(question, tuple(dict.fromkeys((*helping, warning))), why, _other_players(view), (LITERAL,))


def warning_read(view: View) -> Found | None:
    if (pointed := _pointed(view, "warning")) is None:
        return None
    past, slot = pointed
    chosen = play(view)
    if not isinstance(chosen, Discard) or chosen.slot == slot:
        return None
    why = f"by R2 the hint warns of slot {slot}, which is critical: it stays, and slot {chosen.slot} is discarded next"
    return Found(f"{said(past)}: which card do you discard?", (chosen,), why, _other_players(view), (LITERAL,))


def _spare(view: View) -> int | None:
    """The slot that the asked player discards because it is next, and neither dead nor anything else is known."""
    scene = _scene(view)
    mine, chosen = scene.knowledge.known[view.seat], play(view)
    slot = next_discard(mine, view.piles, NEWEST)
    dead = any(known(mask, view.piles.dead) for mask in mine) or any(one.dead == 1.0 for one in scene.own)
    return slot if not dead and slot is not None and chosen == Discard(slot=slot) else None


def chop(view: View) -> Found | None:
    slot = _spare(view)
    if slot is None:
        return None
    why = f"slot {slot} has the largest share of dead cards among what it can be"
    question = "No hint helps, and you know of no card to play: which card do you discard?"
    return Found(question, (Discard(slot=slot),), why, _other_players(view), (LITERAL, HGROUP))


def silence(view: View) -> Found | None:
    slot = _spare(view)
    if slot is None or not view.history:
        return None
    now, last = _knowledge(view), view.history[-1]
    card = now.cards[view.seat][slot]
    quiet = [claim for claim in now.claims if claim.turn == last.turn and claim.why == "silence"]
    if not any(claim.card == card for claim in quiet):
        return None
    slots = belief.believe(now.literal[view.seat], view.piles, *(hand.cards for hand in view.hands))
    safest = min(range(len(slots)), key=lambda one: (slots[one].critical, one))
    if slots[safest].critical >= slots[slot].critical:
        return None
    told = {**_other_players(view), CAUTIOUS: (Discard(slot=safest),)}
    why = f"P{last.seat} had a token and did not warn you, so slot {slot}, which you discard next, is not critical"
    question = f"P{last.seat} could have warned you and did not: which card do you discard?"
    return Found(question, (Discard(slot=slot),), why, told, (CAUTIOUS,))


def spare_hint_given(view: View) -> Found | None:
    if view.tokens < MAX_TOKENS:
        return None
    scene = _scene(view)
    right = (view.seat - 1) % view.players
    hint = HintRank(to=right, rank=scene.hands[right][0].rank)
    if play(view) != hint or _true_hints(scene) or _sure(scene) or scene.in_danger() is not None:
        return None
    why = f"with 8 tokens nothing may be discarded; by R1 the rank of P{right}'s slot 0 only spends a token"
    question = "There are 8 tokens, and no hint makes anybody play: what do you do?"
    return Found(question, (hint,), why, _other_players(view), ())


def spare_hint_read(view: View) -> Found | None:
    if (found := _hint_before(view)) is None or found[0].tokens < MAX_TOKENS - 1:
        return None
    past, before = found
    hint, me = past.move, view.seat
    assert isinstance(hint, HintColour | HintRank)
    if not is_dump(hint, past.seat, view.players, before.tokens, past.slots):
        return None
    tempting = focus(hinted(before.known[me], hint, past.slots), past.slots, before.piles, "newest")
    scene = _scene(view)
    if tempting is None or _sure(scene) or scene.in_danger() is not None:
        return None
    true, chosen = _true_hints(scene), play(view)
    told = {**_other_players(view), OVER: (Play(slot=tempting),)}
    why = f"by R1 the hint only spent a token and says nothing of slot {tempting}"
    return Found(f"{said(past)}; there were 8 tokens: what do you do?", true or (chosen,), why, told, (OVER,))


CONVENTIONS = (
    Convention("play-hint-read", "R4: a play hint points at the newest touched card that may fit.", play_hint_read),
    Convention("play-hint-given", "Give a hint only if the card it points at fits.", play_hint_given),
    Convention("nothing-more", "R3: a hint that makes a card known says nothing of the others.", made_known_read),
    Convention("warning-given", "R2: warn the next player, who is about to discard a critical card.", warning_given),
    Convention("warning-read", "R2: keep the card that a warning is about.", warning_read),
    Convention("chop", "Discard next what is likeliest dead, of equals the oldest.", chop),
    Convention("silence", "Who could warn and does not says that the next discard is not critical.", silence),
    Convention("spare-hint-given", "R1: with 8 tokens and nothing to say, spend one.", spare_hint_given),
    Convention("spare-hint-read", "R1: such a hint points at nothing.", spare_hint_read, (2, 3)),
)
