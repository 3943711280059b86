"""A seat may know this much and no more."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX, Card
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal, rebuild
from hanabi_orchestrator.orchestrator.hanabi.view import View
from tests.support.positions import GRAPHS, random_game, random_views, turn_of
from tests.support.prove import FULL

PLAYERS = (2, 3, 4, 5)
CASES = [(graph, players) for graph in GRAPHS for players in PLAYERS]


@pytest.mark.parametrize("players", PLAYERS)
def test_a_view_survives_json(players: int) -> None:
    for view in random_views(players, 1):
        assert View.model_validate_json(view.model_dump_json()) == view


@pytest.mark.parametrize("players", PLAYERS)
def test_a_view_tells_what_hles_own_observation_tells(players: int) -> None:
    """Negative hints, touched slots and drawn cards agree with the hands that the seat sees."""
    for view in random_views(players, 2):
        for hand in view.hands:
            for card, known in zip(hand.cards, hand.known, strict=True):
                assert known.mask >> INDEX[card] & 1 and known.positive >> INDEX[card] & 1
                assert known.mask & ~known.positive == 0
        drawn = [past.drew for past in view.history if past.seat == view.seat]
        assert drawn == [None] * len(drawn)
        assert view.dealt[view.seat] == ()


@pytest.mark.parametrize("players", PLAYERS)
def test_the_others_hands_can_be_replayed_from_what_was_dealt_and_drawn(players: int) -> None:
    view = random_views(players, 4)[-1]
    hands = {seat: list(cards) for seat, cards in enumerate(view.dealt) if seat != view.seat}
    for past in view.history:
        if past.seat != view.seat and past.card is not None:
            assert hands[past.seat].pop(getattr(past.move, "slot", -1)) == past.card
            if past.drew is not None:
                hands[past.seat].append(past.drew)
    assert {hand.seat: list(hand.cards) for hand in view.hands} == hands


def fitting(masks: list[int], pool: list[Card], chance: random.Random) -> list[Card] | None:
    """A random hand of the pool that fits the masks, slot by slot."""
    if not masks:
        return []
    for place in chance.sample(range(len(pool)), len(pool)):
        if masks[0] >> INDEX[pool[place]] & 1:
            rest = fitting(masks[1:], pool[:place] + pool[place + 1 :], chance)
            if rest is not None:
                return [pool[place], *rest]
    return None


def disguised(referee: Referee, view: View, chance: random.Random) -> Referee:
    """The same public past with another hidden hand that fits all hints, and another undealt deck."""
    dealt = len(referee.deck) - view.deck_size
    places = own_places(referee, view)
    pool = [*(referee.deck[place] for place in places), *referee.deck[dealt:]]
    hand = fitting([known.mask for known in view.own], pool, chance)
    assert hand is not None  # the true hand fits
    left = list((Counter(pool) - Counter(hand)).elements())
    chance.shuffle(left)
    deck = list(referee.deck)
    for place, card in zip(places, hand, strict=True):
        deck[place] = card
    deck[dealt:] = left
    return rebuild(view.players, deck, [past.move for past in view.history])


def own_places(referee: Referee, view: View) -> list[int]:
    """Where in the deck the cards of the acting seat's hand lie, oldest first."""
    size = len(view.dealt[(view.seat + 1) % view.players])
    hands = [list(range(seat * size, (seat + 1) * size)) for seat in range(view.players)]
    following = view.players * size
    for past in view.history:
        if past.card is not None:
            del hands[past.seat][getattr(past.move, "slot", -1)]
            if following < len(referee.deck):
                hands[past.seat].append(following)
                following += 1
    return hands[view.seat]


def pairs(players: int, seed: int) -> Iterator[tuple[View, View]]:
    """Views of positions that differ in nothing that the acting seat may know."""
    chance = random.Random(seed)
    for referee in random_game(players, seed):
        if chance.random() < (0.5 if FULL else 0.05):
            view = referee.view()
            yield view, disguised(referee, view, chance).view()


@pytest.mark.parametrize(("graph", "players"), CASES if FULL else CASES[::5])
async def test_another_hidden_hand_changes_no_note_and_no_prompt(graph: str, players: int) -> None:
    config = graphs.at(graphs.read(graph), players)
    met = 0
    for view, other in pairs(players, 11):
        notes = await turn_of(config, view)
        others = await turn_of(config, other)
        assert notes == others
        assert requests(config, view, notes) == requests(config, other, others)
        met += 1
    assert met


def test_the_disguise_is_one() -> None:
    """The hidden hands and decks that the tests above compare do differ."""
    chance = random.Random(1)
    changed = Counter[bool]()
    for referee in random_game(3, 1):
        view = referee.view()
        changed[disguised(referee, view, chance).deck != referee.deck] += 1
    assert changed[True] > 10


def test_a_view_holds_no_seed_and_no_deck() -> None:
    view = Referee(3, deal(123456789)).view()
    text = view.model_dump_json()
    assert "123456789" not in text and "seed" not in text
    assert set(View.model_fields) == {
        "players", "seat", "turn", "fireworks", "tokens", "lives", "deck_size", "discards", "own", "hands", "dealt",
        "history", "turns_left", "legal",
    }  # fmt: skip
