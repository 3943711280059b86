"""The probes of the pack `newest`: what its rules R1-R4, silence, chop and order of moves ask for
in a position.

Answers come from the common knowledge and the steps of the convention policy, which the pack puts
in words.
"""

from hanabi_orchestrator.experiments.tasks.probes.convention import (
    LITERAL,
    Convention,
    Moves,
    Question,
    Received,
    at_a_playable_card,
    only_hint,
    plays,
    rule_player,
)
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import MAX_TOKENS
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import (
    CommonKnowledge,
    common_knowledge,
    made_known,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    NEWEST,
    focus,
    is_certain,
    is_dump,
    next_discard,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene, help_first
from hanabi_orchestrator.orchestrator.hanabi.literal_knowledge import hinted
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintRank
from hanabi_orchestrator.orchestrator.hanabi.view import View

OLDEST = "oldest"
HGROUP = "hgroup_1"
OVER = "sees a play hint"
CAUTIOUS = "cautious"
"""Players of other conventions; the last two make one mistake: they take every hint for a play
hint, or discard what is least likely critical by hints alone, whoever was silent."""

play = rule_player("smart")


def _knowledge(view: View, turns: int | None = None) -> CommonKnowledge:
    """Return the common knowledge of players who all keep to the pack, now or after the first
    `turns` moves."""
    return common_knowledge((NEWEST,) * view.players, view.history[:turns])


def _scene(view: View) -> Scene:
    hands = {hand.seat: hand.cards for hand in view.hands}
    return Scene(view.seat, _knowledge(view), hands, view.legal, view.turns_left)


def _sure(scene: Scene) -> list[int]:
    """Return the slots of the asked player that certainly fit."""
    return [slot for slot, card in enumerate(scene.beliefs) if card.playable == 1.0]


def _hint_first(scene: Scene) -> bool:
    """Return whether a hint may come before a play: one that saves a card, or helps the other of
    two players."""
    return scene.in_danger() is not None or any(help_first(scene))


def _true_hints(scene: Scene) -> Moves:
    legal = set(scene.legal)
    return tuple(e.hint for e in scene.hint_effects if e.helps and not e.warns and e.hint in legal)


def _pointed(view: View, why: str) -> tuple[Received, int] | None:
    """Return the only hint since the asked player's last turn, and the slot of which it says this
    by the pack."""
    if (hint := only_hint(view)) is None:
        return None
    _, points = _knowledge(view, hint.index).read_hint(hint.past.seat, hint.hint, hint.past.slots)
    return next(((hint, point.slot) for point in points if point.why == why), None)


def _tempting(view: View, hint: Received, before: CommonKnowledge) -> int | None:
    """Return the slot that a player would play who takes every hint for a play hint."""
    masks = hinted(before.common[view.seat], hint.hint, hint.past.slots)
    return focus(masks, hint.past.slots, before.piles, "newest")


def play_hint_read(view: View) -> Question | None:
    if (pointed := _pointed(view, "play hint")) is None:
        return None
    hint, slot = pointed
    scene = _scene(view)
    if len(hint.past.slots) < 2 or _sure(scene) != [slot] or _hint_first(scene):
        return None
    why = f"by R4 the newest touched card that may be playable or not, slot {slot}, is playable now"
    return Question(f"{hint}: which card does it point at?", plays(slot), why, (OLDEST, LITERAL))


def made_known_read(view: View) -> Question | None:
    """Ask about a hint that by itself makes a card known, and so says nothing of the newest one."""
    if (hint := only_hint(view)) is None:
        return None
    before = _knowledge(view, hint.index)
    after, points = before.read_hint(hint.past.seat, hint.hint, hint.past.slots)
    learned = [] if points else made_known(before.common[view.seat], after, before.piles)
    tempting = _tempting(view, hint, before)
    scene = _scene(view)
    if len(learned) != 1 or tempting is None or _sure(scene) != learned or _hint_first(scene):
        return None
    why = (
        f"by R3 the hint makes slot {learned[0]} known to be playable and says nothing more of "
        f"slot {tempting}"
    )
    return Question(
        f"{hint}: what do you play?", plays(learned[0]), why, (OVER,), {OVER: plays(tempting)}
    )


def play_hint_given(view: View) -> Question | None:
    scene = _scene(view)
    if not view.tokens or scene.in_danger() is not None or _sure(scene):
        return None
    true = _true_hints(scene)
    tempting = [hint for hint in at_a_playable_card(view) if hint not in true]
    if not true or len(tempting) < len(true):
        return None
    why = (
        "only these hints point, by R3 or R4, at a card that can be played now; a hint that "
        "points elsewhere is false"
    )
    return Question("Which hints tell a partner to play a card that fits?", true, why, (OLDEST,))


def warning_given(view: View) -> Question | None:
    scene = _scene(view)
    slot = scene.in_danger()
    if slot is None or not view.tokens:
        return None
    warning = HintRank(to=scene.next, rank=scene.hands[scene.next][slot].rank)
    effect = scene.effect_of(warning)
    if not (effect.warns and effect.true):
        return None
    helping = [e.hint for e in scene.hint_effects if e.helps and e.hint.to == scene.next]
    why = (
        f"P{scene.next} discards the critical card in slot {slot} next, unless warned (R2) or "
        "given a card to play"
    )
    text = (
        f"P{scene.next} moves next: which hints keep them from losing a card that the team needs?"
    )
    return Question(text, tuple(dict.fromkeys((*helping, warning))), why, (LITERAL,))


def warning_read(view: View) -> Question | None:
    if (pointed := _pointed(view, "warning")) is None:
        return None
    hint, slot = pointed
    move = play(view)
    if not isinstance(move, Discard) or move.slot == slot:
        return None
    why = (
        f"by R2 the hint warns of slot {slot}, which is critical: it stays, and slot {move.slot} "
        "is discarded next"
    )
    return Question(f"{hint}: which card do you discard?", (move,), why, (LITERAL,))


def _spare(view: View) -> int | None:
    """Return the slot that the asked player discards because it is next: nothing dead is known."""
    scene = _scene(view)
    mine = scene.knowledge.common[view.seat]
    move = play(view)
    slot = next_discard(mine, view.piles, NEWEST)
    dead = any(is_certain(mask, view.piles.dead) for mask in mine) or any(
        card.dead == 1.0 for card in scene.beliefs
    )
    if not dead and slot is not None and move == Discard(slot=slot):
        return slot
    return None


def chop(view: View) -> Question | None:
    if (slot := _spare(view)) is None:
        return None
    why = f"slot {slot} has the largest share of dead cards among what it can be"
    text = "No hint helps, and you know of no card to play: which card do you discard?"
    return Question(text, (Discard(slot=slot),), why, (LITERAL, HGROUP))


def silence(view: View) -> Question | None:
    slot = _spare(view)
    if slot is None or not view.history:
        return None
    now = _knowledge(view)
    last = view.history[-1]
    card = now.cards[view.seat][slot]
    if not any(
        claim.card == card and (claim.turn, claim.why) == (last.turn, "silence")
        for claim in now.claims
    ):
        return None
    slots = belief.believe(now.literal[view.seat], view.piles, *(hand.cards for hand in view.hands))
    safest = min(range(len(slots)), key=lambda number: (slots[number].critical, number))
    if slots[safest].critical >= slots[slot].critical:
        return None
    why = (
        f"P{last.seat} had a token and did not warn you, so slot {slot}, which you discard next, "
        "is not critical"
    )
    text = f"P{last.seat} could have warned you and did not: which card do you discard?"
    return Question(
        text, (Discard(slot=slot),), why, (CAUTIOUS,), {CAUTIOUS: (Discard(slot=safest),)}
    )


def spare_hint_given(view: View) -> Question | None:
    if view.tokens < MAX_TOKENS:
        return None
    scene = _scene(view)
    right = (view.seat - 1) % view.players
    hint = HintRank(to=right, rank=scene.hands[right][0].rank)
    if play(view) != hint or _true_hints(scene) or _sure(scene) or scene.in_danger() is not None:
        return None
    why = (
        f"with 8 tokens nothing may be discarded; by R1 the rank of P{right}'s slot 0 only spends "
        "a token"
    )
    return Question(
        "There are 8 tokens, and no hint makes anybody play: what do you do?", (hint,), why, ()
    )


def spare_hint_read(view: View) -> Question | None:
    if (hint := only_hint(view)) is None or hint.past.tokens < MAX_TOKENS - 1:
        return None
    before = _knowledge(view, hint.index)
    if not is_dump(hint.hint, hint.past.seat, view.players, before.tokens, hint.past.slots):
        return None
    tempting = _tempting(view, hint, before)
    scene = _scene(view)
    if tempting is None or _sure(scene) or scene.in_danger() is not None:
        return None
    answers = _true_hints(scene) or (play(view),)
    why = f"by R1 the hint only spent a token and says nothing of slot {tempting}"
    return Question(
        f"{hint}; there were 8 tokens: what do you do?",
        answers,
        why,
        (OVER,),
        {OVER: plays(tempting)},
    )


CONVENTIONS = (
    Convention(
        "play-hint-read",
        "R4: a play hint points at the newest touched card that may be playable.",
        play_hint_read,
    ),
    Convention(
        "play-hint-given",
        "Give a play hint only if the card it points at is playable.",
        play_hint_given,
    ),
    Convention(
        "nothing-more",
        "R3: a hint that makes a card known to be playable says nothing more.",
        made_known_read,
    ),
    Convention(
        "warning-given",
        "R2: warn a next player who is about to discard a critical card.",
        warning_given,
    ),
    Convention("warning-read", "R2: keep the card that a warning is about.", warning_read),
    Convention("chop", "Discard the card most likely to be dead; of equals the oldest.", chop),
    Convention(
        "silence",
        "A player who could warn but does not implies that the next discard is safe.",
        silence,
    ),
    Convention(
        "spare-hint-given", "R1: with 8 tokens and nothing to say, spend one.", spare_hint_given
    ),
    Convention(
        "spare-hint-read",
        "R1: a hint that only spends a token points at nothing.",
        spare_hint_read,
        (2, 3),
    ),
)
