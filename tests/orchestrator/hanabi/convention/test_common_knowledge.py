"""Common knowledge: the same for every seat, within what hints allow, and true where the conventions are kept."""

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.hanabi.belief import believe
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX, Card, Piles
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import (
    CommonKnowledge,
    PublicMove,
    common_knowledge,
    counted,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import (
    _course as caches_of_common,
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
from hanabi_orchestrator.orchestrator.hanabi.convention.partner_model import understand
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene, decide
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from tests.support.positions import partners_game, random_game
from tests.support.prove import FULL

PLAYERS = (2, 3, 4, 5)
CUSTOMS = {
    "newest": (NEWEST,) * 5,
    "smart": (SMART,) * 5,
    "oldest": (OLDEST,) * 5,
    "literal": (LITERAL,) * 5,
    "strangers": (STRANGER,) * 5,
    "mixed": (NEWEST, OLDEST, LITERAL, STRANGER, Convention("oldest", None)),
    "adapting": (ADAPTING, NEWEST, STRANGER, ADAPTING, OLDEST),
}
GAMES = 1000 if FULL else 4


def hands_of(referee: Referee) -> list[tuple[Card, ...]]:
    """Every hand, which no seat sees."""
    first = referee.view(0)
    second = referee.view(1)
    own = next(hand.cards for hand in second.hands if hand.seat == 0)
    return [own, *(hand.cards for hand in sorted(first.hands, key=lambda hand: hand.seat))]


def literal_of(view: View) -> tuple[tuple[int, ...], ...]:
    """What the referee says that hints leave of every card."""
    masks = {hand.seat: tuple(known.mask for known in hand.known) for hand in view.hands}
    masks[view.seat] = tuple(known.mask for known in view.own)
    return tuple(masks[seat] for seat in range(view.players))


def within(masks: Sequence[Sequence[int]], hands: Sequence[Sequence[Card]]) -> bool:
    """Whether every card is among those that it may be."""
    return all(
        mask >> INDEX[card] & 1
        for some, cards in zip(masks, hands, strict=True)
        for mask, card in zip(some, cards, strict=True)
    )


def sound(now: CommonKnowledge) -> bool:
    """Whether something is left of every card, and nothing that hints exclude."""
    pairs = zip(now.common, now.literal, strict=True)
    return all(
        mask and not mask & ~said
        for hand, hints in pairs
        for mask, said in zip(hand, hints, strict=True)
    )


def now_at(now: CommonKnowledge, referee: Referee) -> CommonKnowledge:
    """The state one turn later, by the latest move alone."""
    history = referee.view(0).history
    return now.after(PublicMove.from_past(history[-1])) if history else now


CASES = [(tuple(CUSTOMS)[number % 6], 2 + number % 4, number) for number in range(GAMES)]


@pytest.mark.parametrize(("name", "players", "seed"), CASES)
def test_it_grows_move_by_move_to_what_every_seat_makes_of_its_whole_history(
    name: str, players: int, seed: int
) -> None:
    customs = CUSTOMS[name][:players]
    now = CommonKnowledge.start(customs)
    for referee in random_game(players, seed):
        now = now_at(now, referee)
        views = [referee.view(seat) for seat in range(players)]
        assert all(common_knowledge(customs, view.history) == now for view in views)
        assert now.literal == literal_of(views[0])
        assert (now.piles.fireworks, now.tokens, now.lives) == (
            views[0].fireworks,
            views[0].tokens,
            views[0].lives,
        )
        assert (
            sorted(now.piles.discards) == sorted(views[0].discards)
            and now.deck == views[0].deck_size
        )
        assert within(now.literal, hands_of(referee)) and sound(now)
        assert all(referee.deck[number] == card for number, card in now.face_up)
        if name == "strangers":
            assert within(now.common, hands_of(referee)) and not now.claims


def test_a_past_that_nobody_worked_out_before_is_worked_out_from_its_beginning() -> None:
    *_, referee = random_game(3, 5)
    views = [referee.view(seat) for seat in range(3)]
    known = [common_knowledge(CUSTOMS["newest"][:3], view.history) for view in views]
    caches_of_common.cache_clear()
    assert [
        common_knowledge(CUSTOMS["newest"][:3], view.history) for view in reversed(views)
    ] == known


SELF_PLAY = [
    (custom, players, seed)
    for custom, players in product(("smart", "smart_oldest", "literal"), PLAYERS)
    for seed in range(84 if FULL else 1)
]
KEPT = {"smart": SMART, "smart_oldest": OLDEST, "literal": LITERAL}


@pytest.mark.parametrize(("name", "players", "seed"), SELF_PLAY)
def test_among_those_who_keep_to_it_a_convention_is_never_broken_and_never_wrong(
    name: str, players: int, seed: int
) -> None:
    customs = (KEPT[name],) * players
    for referee in partners_game((name,) * players, seed):
        now = common_knowledge(customs, () if referee.turn == 1 else referee.view(0).history)
        assert within(now.common, hands_of(referee))
    assert now.claims
    assert all(claim.types >> INDEX[referee.deck[claim.card]] & 1 for claim in now.claims)
    assert referee.lives > 0


def test_a_play_is_said_to_fit_by_convention_where_hints_and_sight_alone_do_not_show_it() -> None:
    said = set()
    for referee in partners_game(("smart", "smart", "smart"), 3):
        if referee.over:
            break
        view = referee.view()
        move, why = partners.get("smart").rule(view, Random(f"3 {view.turn}"))
        if move.kind == "play" and why.startswith(("it is known to fit", "it fits by convention")):
            shown = believe(
                [one.mask for one in view.own], view.piles, *(hand.cards for hand in view.hands)
            )
            said.add((why == "it is known to fit", shown[move.slot].playable == 1.0))
    assert said == {(True, True), (False, False)}


@pytest.mark.parametrize("players", PLAYERS if FULL else (2, 4))
async def test_house_trusts_itself_and_is_right_to(players: int) -> None:
    house = graphs.seat("house").bind(GameContext())
    for seed in range(250 if FULL else 1):
        referee = Referee(players, deal(seed))
        while not referee.over:
            view = referee.view()
            hands = {hand.seat: hand.cards for hand in view.hands}
            understood = understand(view.history, players, view.seat, hands)
            assert {(one.convention, one.broke) for one in understood.partners} == {(NEWEST, ())}
            assert within(understood.knowledge.common, hands_of(referee))
            referee.apply((await house(view, {})).move)
        assert referee.lives > 0 and referee.score_strict >= 15


MANNERS = st.sampled_from(("newest", "oldest", "adapts", None))
ANY_CUSTOM = st.builds(Convention, MANNERS, MANNERS)


@settings(max_examples=300 if FULL else 10, deadline=None)
@given(st.lists(ANY_CUSTOM, min_size=2, max_size=5), st.integers(0, 10_000))
def test_no_legal_game_leaves_a_card_that_can_be_nothing_or_a_player_without_a_move(
    customs: list[Convention], seed: int
) -> None:
    for referee in random_game(len(customs), seed):
        view = referee.view()
        now = common_knowledge(customs, view.history)
        assert sound(now)
        if (referee.turn + seed) % (1 if FULL else 12):
            continue
        hands = {hand.seat: hand.cards for hand in view.hands}
        understood = understand(view.history, view.players, view.seat, hands)
        assert sound(understood.knowledge) and {one.seat for one in understood.partners} == set(
            hands
        )
        for state in (now, understood.knowledge):
            move, why = decide(Scene(view.seat, state, hands, view.legal, view.turns_left))
            assert move in view.legal and why


def test_a_card_that_is_located_is_ruled_out_elsewhere_and_so_may_locate_the_next() -> None:
    """The one R5 lies in a slot; so the card that is R5 or G5 is the one G5; so a third card is not G5."""
    red, green, blue = (1 << INDEX[Card(card)] for card in ("R5", "G5", "B5"))
    hands = ((red, red | green), (green | blue,))
    assert counted(hands, hands, Piles((0,) * 5, ())) == ((red, green), (blue,))
    both = (red | 1 << INDEX[Card("R4")], red)
    assert counted((both,), (both,), Piles((0,) * 5, ())) == ((1 << INDEX[Card("R4")], red),)
