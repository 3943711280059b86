"""Which combination beats which, what cards make one, and the list of moves against a search through all of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from hanabi_orchestrator.orchestrator.guandan.cards import (
    CARDS,
    COPIES,
    OF_SUIT,
    SUITS,
    Card,
    Suit,
    deal,
    hands_of,
    value,
    wild_card,
)
from hanabi_orchestrator.orchestrator.guandan.listing import legal_moves
from hanabi_orchestrator.orchestrator.guandan.plays import (
    PASS,
    Combination,
    StoredMove,
    beats,
    flaw,
    parse,
    power,
)
from tests.support.prove import FULL

# Each line: the level, a combination, a combination, and which is higher: the first (>), the second (<), neither (=)
# or no comparison (|), where neither may be played on the other.
TABLE = """
2 | single 7: S7 > single 6: D6
2 | single A: SA > single K: SK
2 | single 2: S2 > single A: SA
7 | single 7: C7 > single A: SA
7 | single 2: S2 < single 3: S3
7 | single black joker: BJ > single 7: S7
7 | single red joker: RJ > single black joker: BJ
7 | single 7: H7 = single 7: S7
5 | single 9: S9 = single 9: D9
5 | single 9: S9 | pair 3: S3 D3
5 | pair 5: S5 D5 > pair A: SA DA
5 | pair 5: H5 H5 = pair 5: S5 D5
5 | pair 8: S8 H5 = pair 8: S8 D8
5 | pair 8: S8 H5 < pair 9: S9 D9
5 | pair black joker: BJ BJ > pair 5: S5 C5
5 | pair red joker: RJ RJ > pair black joker: BJ BJ
5 | pair red joker: RJ RJ | trips 3: S3 D3 C3
5 | trips 4: S4 D4 C4 > trips 3: S3 D3 H5
5 | trips 4: S4 H5 H5 = trips 4: S4 D4 C4
5 | trips 5: S5 D5 C5 > trips A: SA DA CA
5 | trips A: SA DA CA | full house 3 over 4: S3 D3 C3 S4 D4
5 | full house 4 over 3: S4 D4 C4 S3 D3 > full house 3 over A: S3 D3 C3 SA DA
5 | full house 4 over 3: S4 D4 C4 S3 D3 = full house 4 over K: S4 H4 H4 SK DK
5 | full house 5 over 3: S5 D5 C5 S3 D3 > full house A over K: SA DA CA SK DK
5 | full house 4 over red joker: S4 D4 C4 RJ RJ < full house 6 over 3: S6 D6 C6 S3 D3
5 | full house 4 over 5: S4 D4 C4 H5 H5 = full house 4 over 3: S4 D4 H5 S3 H5
5 | full house 4 over 3: S4 D4 C4 S3 D3 | straight 6-10: S6 D7 D8 C9 C10
5 | three pairs 3-5: S3 D3 S4 D4 S5 D5 > three pairs A-3: SA DA S2 D2 S3 D3
5 | three pairs 3-5: S3 D3 S4 D4 S5 D5 < three pairs 6-8: S6 D6 S7 D7 S8 H5
5 | three pairs Q-A: SQ DQ SK DK SA DA > three pairs 10-Q: S10 D10 SJ DJ SQ DQ
5 | three pairs 6-8: S6 D6 H5 H5 S8 D8 = three pairs 6-8: S6 D6 S7 D7 S8 D8
5 | three pairs 6-8: S6 D6 S7 D7 S8 D8 | two trips 6-7: S6 D6 C6 S7 D7 C7
5 | two trips A-2: SA DA CA S2 D2 C2 < two trips 2-3: S2 D2 C2 S3 D3 C3
5 | two trips K-A: SK DK CK SA DA CA > two trips 5-6: S5 D5 C5 S6 D6 C6
5 | two trips 7-8: S7 D7 H5 S8 D8 C8 = two trips 7-8: S7 D7 C7 S8 D8 C8
5 | two trips 7-8: S7 D7 C7 S8 D8 C8 | trips 3: S3 D3 C3
5 | straight A-5: SA D2 C3 H4 S5 < straight 2-6: S2 D3 C4 S5 S6
5 | straight 10-A: S10 DJ CQ HK SA > straight 9-K: S9 D10 CJ HQ SK
5 | straight 10-A: S10 DJ CQ HK SA > straight A-5: SA D2 C3 H4 S5
5 | straight 3-7: S3 D4 S5 C6 S7 < straight 4-8: S4 S5 D6 C7 S8
5 | straight 3-7: S3 S4 H5 S6 S7 = straight 3-7: S3 D4 S5 C6 S7
5 | straight 3-7: S3 D4 S5 C6 S7 | pair 5: S5 C5
2 | bomb 4 x 3: S3 D3 C3 H3 > single red joker: RJ
2 | bomb 4 x 3: S3 D3 C3 H3 > pair red joker: RJ RJ
2 | bomb 4 x 3: S3 D3 C3 H3 > full house 2 over A: S2 D2 C2 SA DA
2 | bomb 4 x 3: S3 D3 C3 H3 > two trips K-A: SK DK CK SA DA CA
2 | bomb 4 x 3: S3 D3 C3 H3 > straight 10-A: S10 DJ CQ HK SA
2 | bomb 4 x 2: S2 D2 C2 H2 > bomb 4 x A: SA DA CA HA
2 | bomb 4 x 4: S4 D4 C4 H2 > bomb 4 x 3: S3 D3 C3 H3
2 | bomb 4 x 4: S4 D4 C4 H2 = bomb 4 x 4: S4 D4 C4 H4
2 | bomb 5 x 3: S3 D3 C3 H3 H2 > bomb 4 x 2: S2 S2 D2 C2
2 | straight flush of spades A-5: SA S2 S3 S4 S5 > bomb 5 x A: SA DA CA HA HA
2 | straight flush of spades A-5: SA S2 S3 S4 S5 < bomb 6 x 3: S3 D3 C3 H3 H3 C3
2 | straight flush of hearts 10-A: H10 HJ HQ HK HA > straight flush of clubs 9-K: C9 C10 CJ CQ CK
2 | straight flush of spades 3-7: S3 S4 H2 S6 S7 = straight flush of clubs 3-7: C3 C4 C5 C6 C7
2 | straight flush of spades 3-7: S3 S4 S5 S6 S7 > straight 10-A: S10 DJ CQ HK SA
2 | bomb 7 x 3: S3 S3 D3 D3 C3 C3 H3 > bomb 6 x 2: S2 S2 D2 D2 C2 C2
2 | bomb 8 x 3: S3 S3 D3 D3 C3 C3 H3 H3 > bomb 7 x A: SA SA DA DA CA CA HA
2 | bomb 10 x 3: S3 S3 D3 D3 C3 C3 H3 H3 H2 H2 > bomb 9 x A: SA SA DA DA CA CA HA HA H2
2 | four jokers: BJ BJ RJ RJ > bomb 10 x A: SA SA DA DA CA CA HA HA H2 H2
2 | four jokers: BJ BJ RJ RJ > straight flush of hearts 10-A: H10 HJ HQ HK HA
"""
LINES = TABLE.strip().splitlines()


def played(text: str) -> Combination:
    """The combination of a text."""
    move = parse(text)
    assert isinstance(move, Combination)
    return move


def hand_of(codes: str) -> list[Card]:
    return [Card(code) for code in codes.split()]


@pytest.mark.parametrize("line", LINES)
def test_what_beats_what(line: str) -> None:
    number, _, pair = line.partition(" | ")
    sign = next(sign for sign in (" > ", " < ", " = ", " | ") if sign in pair)
    first, second = map(played, pair.split(sign))
    level = int(number)
    assert (flaw(first, level), flaw(second, level)) == (None, None)
    assert beats(first, second, level) == (sign == " > ")
    assert beats(second, first, level) == (sign == " < ")


def test_the_table_has_each_kind_against_bombs_or_another_kind() -> None:
    assert len(LINES) >= 60
    assert {
        word
        for line in LINES
        for word in ("flush", "jokers", "full", "three", "two")
        if word in line
    }


@pytest.mark.parametrize(
    ("level", "text", "reason"),
    [
        (5, "straight flush of spades 6-10: S6 S7 S8 S9 D10", "its cards are not of its suit"),
        (5, "straight 6-10: S6 S7 S8 S9 S10", "five cards of one suit are a straight flush"),
        (5, "pair black joker: BJ H5", "a wild card stands for no joker"),
        (5, "single 9: H5", "wild cards alone are of rank 5"),
        (5, "full house 9 over 3: S9 D9 C9 H5 H5", "wild cards alone are of rank 5"),
        (5, "pair 9: S9 S8", "8 has no place in it"),
        (5, "bomb 4 x black joker: BJ BJ RJ RJ", None),
        (5, "pair 9: S9", "it takes 2 cards, not 1"),
        (5, "straight Q-3: SQ DK CA H2 S3", None),
        (5, "bomb 3 x 9: S9 D9 C9", None),
        (5, "full house 9 over 9: S9 S9 C9 D9 D9", None),
        (5, "straight 3-6: S3 D4 C5 S6", None),
    ],
)
def test_what_is_no_combination_is_refused_in_words(
    level: int, text: str, reason: str | None
) -> None:
    if reason is None:
        with pytest.raises(ValueError, match="is not a move; moves read like"):
            parse(text)
    else:
        assert flaw(played(text), level) == reason


class Stored(BaseModel):
    move: StoredMove


def test_a_move_is_stored_as_its_text() -> None:
    hand = hands_of(deal(3))[0]
    moves = legal_moves(hand, 4, None)
    assert len({str(move) for move in moves}) == len(moves) > 40
    for move in (PASS, *moves):
        stored = Stored(move=move).model_dump_json()
        assert stored == f'{{"move":"{move}"}}' and Stored.model_validate_json(stored).move == move
    for text in ("pair 7", "pair 7: S7 X7", "Pass", "", "pair 7:", "straight 3-8: S3 D4 C5 H6 S7"):
        with pytest.raises(ValueError, match="is not a move"):
            parse(text)


# The list of moves against a search: every set of cards, with every card that its wild ones may stand for.

Key = tuple[str, int, int | None, Suit | None]


def kinds(cards: Sequence[tuple[int, Suit | None]]) -> Iterator[Key]:
    """What cards without wild ones are, by the words of the rules."""
    counts = Counter(rank for rank, _ in cards)
    ranks = set(counts)
    size = len(cards)
    if size == 4 and ranks == {16, 17}:
        yield "four_jokers", 17, None, None
    if len(ranks) == 1:
        yield {1: "single", 2: "pair", 3: "trips"}.get(size, "bomb"), max(ranks), None, None
    if sorted(counts.values()) == [2, 3]:
        trips, pair = sorted(ranks, key=counts.__getitem__, reverse=True)
        yield "full_house", trips, pair, None
    suits = {suit for _, suit in cards}
    for row in (ranks, {1 if rank == 14 else rank for rank in ranks}):
        if (
            max(row) <= 14
            and max(row) - min(row) + 1 == len(row)
            and len(set(counts.values())) == 1
        ):
            flush = len(suits) == 1
            rows = {
                (6, 3): "three_pairs",
                (6, 2): "two_trips",
                (5, 5): "straight_flush" if flush else "straight",
            }
            if kind := rows.get((size, len(row))):
                yield kind, max(row), None, min(suits) if kind == "straight_flush" else None  # type: ignore[type-var]


def readings(cards: Sequence[Card], level: int) -> set[Key]:
    """What cards may be played as, whatever the wild ones stand for."""
    wild = wild_card(level)
    naturals = [(card.rank, card.suit) for card in cards if card != wild]
    wilds = len(cards) - len(naturals)
    suits = SUITS if len(cards) == 5 else SUITS[:1]
    stands = [(rank, suit) for rank in range(2, 15) for suit in suits]
    keys: set[Key] = set()
    for chosen in product(stands, repeat=wilds):
        for key in kinds([*naturals, *chosen]):
            groups = {"full_house": (key[1], key[2])}.get(
                key[0], (key[1],) if key[0] in ("single", "pair") else ()
            )
            ranks = {rank for rank, _ in naturals}
            if all(rank in ranks or rank == level for rank in groups):
                keys.add(key)
    return keys


def searched(hand: Sequence[Card], level: int) -> set[tuple[Key, int, int]]:
    """Every kind, number of cards and number of wild cards that the list should have, by trying all sets of cards."""
    entries: dict[tuple[Key, int], set[int]] = {}
    for size in range(1, len(hand) + 1):
        for cards in {tuple(sorted(cards)) for cards in combinations(hand, size)}:
            for key in readings(cards, level):
                number = size if key[0] == "bomb" else 0
                entries.setdefault((key, number), set()).add(cards.count(wild_card(level)))
    listed = set()
    for (key, number), wilds in entries.items():
        listed |= {(key, number, count) for count in wilds if count <= min(wilds) + 1}
    return listed


def keyed(move: Combination, level: int) -> tuple[Key, int, int]:
    number = len(move.cards) if move.kind == "bomb" else 0
    return (move.kind, move.rank, move.pair, move.suit), number, move.wilds(level)


@st.composite
def small_hands(draw: st.DrawFn) -> tuple[list[Card], int]:
    """Few cards of few ranks, near each other, and their level, so that there is much to combine."""
    level = draw(st.integers(2, 14))
    low = draw(st.integers(2, 10))
    near = [card for card in CARDS if card.rank in range(low, low + 5)]
    rare = [wild_card(level), wild_card(level), *(OF_SUIT[suit, 14] for suit in SUITS), *CARDS[-2:]]
    source = st.sampled_from(near) | st.sampled_from(near) | st.sampled_from(rare)
    cards = draw(st.lists(source, min_size=1, max_size=8))
    kept = [card for number, card in enumerate(cards) if cards[:number].count(card) < COPIES]
    return kept, level


@settings(max_examples=1000 if FULL else 40, deadline=None)
@given(small_hands())
def test_the_list_has_what_a_search_finds(position: tuple[list[Card], int]) -> None:
    hand, level = position
    moves = legal_moves(hand, level, None)
    combined = [move for move in moves if isinstance(move, Combination)]
    assert len(moves) == len(combined) and not any(flaw(move, level) for move in combined)
    assert all(not Counter(move.cards) - Counter(hand) for move in combined)
    entries = [keyed(move, level) for move in combined]
    assert len(set(entries)) == len(entries) and set(entries) == searched(hand, level)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 10_000), st.randoms(use_true_random=False))
def test_an_answer_is_all_of_the_list_that_beats_the_trick(seed: int, chance) -> None:  # type: ignore[no-untyped-def]
    first, second, *_ = hands_of(deal(seed))
    level = 2 + seed % 13
    trick = chance.choice(
        [move for move in legal_moves(first, level, None) if isinstance(move, Combination)]
    )
    leads = [move for move in legal_moves(second, level, None) if isinstance(move, Combination)]
    answers = legal_moves(second, level, trick)
    assert answers == (PASS, *(move for move in leads if beats(move, trick, level)))


def test_the_list_runs_by_kind_then_value_then_wild_cards() -> None:
    hand = hand_of("S3 D3 S2 H5 S5 BJ RJ")
    names = [str(move) for move in legal_moves(hand, 5, None)[:9]]
    assert names == [
        "single 2: S2",
        "single 3: S3",
        "single 5: S5",
        "single 5: H5",
        "single black joker: BJ",
        "single red joker: RJ",
        "pair 2: S2 H5",
        "pair 3: S3 D3",
        "pair 3: S3 H5",
    ]


def test_spare_cards_go_before_those_of_a_straight_flush() -> None:
    hand = hand_of("S3 S4 S5 S6 S7 D5 S4 C6")
    moves = {str(move) for move in legal_moves(hand, 9, None)}
    assert {"single 5: D5", "single 6: C6", "single 4: S4", "straight 3-7: S3 S4 D5 C6 S7"} <= moves
    assert "straight flush of spades 3-7: S3 S4 S5 S6 S7" in moves


def test_a_straight_flush_has_the_power_between_bombs_of_five_and_six() -> None:
    hand = hand_of("S3 S3 D3 D3 C3 C3 H3 H3 H9 H9 S4 S5 S6 S7 BJ BJ RJ RJ")
    powers = [power(move) for move in legal_moves(hand, 9, None) if isinstance(move, Combination)]
    assert powers == sorted(powers) and set(powers) == set(range(10))
    assert value(9, 9) == 15
