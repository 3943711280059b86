"""Values of moves: against enumeration, within bounds, the same twice, for every kind of game."""

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values import strip, turn_values
from hanabi_orchestrator.experiments.values.one_step_value import (
    LIFE,
    TOKEN,
    one_step_values,
    out_of_reach,
)
from hanabi_orchestrator.experiments.values.position import Position, open_positions, true_hands
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore, key
from hanabi_orchestrator.experiments.values.rollouts import SeatRollouts, mean_and_error, points
from hanabi_orchestrator.orchestrator.hanabi import referee
from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, INDEX, Card, Piles
from hanabi_orchestrator.orchestrator.hanabi.convention.rollout import RolloutGame
from hanabi_orchestrator.orchestrator.hanabi.convention.search import Deals
from hanabi_orchestrator.orchestrator.hanabi.moves import HintColour, HintRank, Play
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import act, numbered
from tests.support.positions import events_of
from tests.support.prove import FULL
from tests.support.stories import partners_story, random_story, story_of


def hands_of(position: Position) -> list[tuple[Card, ...]]:
    """Every hand that the acting seat may hold, as often as there are ways to deal it."""
    unseen = [CARDS[index] for index in Deals(position.scene, None).pool]  # type: ignore[arg-type]
    masks = [slot.possible for slot in position.own]
    return [
        hand
        for hand in permutations(unseen, len(masks))
        if all(mask >> INDEX[card] & 1 for mask, card in zip(masks, hand, strict=True))
    ]


def late(story: Game, deck: int) -> list[int]:
    """The turns with so many cards in the deck, or fewer."""
    return [turn.number for turn in story.turns if turn.view.deck_size <= deck]


async def test_a_position_is_read_by_the_code_that_its_seat_keeps() -> None:
    """Read by `newest`, hints of that code rule out what cards are."""
    story = Game.of(await events_of("house_information", players=4, seed=4))
    wrong = {"information": 0, "newest": 0}
    for turn, hands in zip(story.turns, true_hands(story), strict=True):
        by_code = Position.of(story, turn.number)
        assert by_code.pack == "information"
        for position in (by_code, replace(by_code, pack="newest")):
            pairs = zip(position.own, hands[turn.view.seat], strict=True)
            wrong[position.pack] += sum(
                not slot.possible >> INDEX[card] & 1 for slot, card in pairs
            )
    assert not wrong["information"] and wrong["newest"]


@pytest.mark.parametrize("players", [3, 5])
def test_one_step_values_are_those_of_an_enumeration_of_the_own_hand(players: int) -> None:
    story = partners_story(["smart"] * players, 4)
    looked = 0
    for number in late(story, 1):
        position = Position.of(story, number)
        view = position.view
        hands = hands_of(position)
        for move, value in one_step_values(position.scene).items():
            if isinstance(move, HintColour | HintRank):
                continue
            looked += 1
            token = TOKEN if view.deck_size and view.tokens < 8 else 0
            total = 0.0
            for hand in hands:
                card = hand[move.slot]
                fits = view.fireworks["RYGWB".index(card.colour)] == card.rank - 1
                if isinstance(move, Play) and fits:
                    total += 1 + token * (card.rank == 5)
                    continue
                after = Piles(view.fireworks, (*view.discards, card))
                life = LIFE[view.lives] if view.lives > 1 else view.score
                total -= view.piles.best_possible - after.best_possible
                total += -life if isinstance(move, Play) else token
            assert value == pytest.approx(total / len(hands))
    assert looked > 10


def test_a_lost_card_costs_the_points_that_it_puts_out_of_reach() -> None:
    for turn in random_story(4, 2).turns:
        piles = turn.view.piles
        for card in CARDS:
            if piles.counts[INDEX[card]] < card.copies:
                after = Piles(piles.fireworks, (*piles.discards, card))
                assert out_of_reach(card, piles) == piles.best_possible - after.best_possible


@pytest.mark.parametrize("names", [["smart"] * 3, ["piers"] * 5])
def test_rollouts_agree_with_the_enumeration_of_a_final_round(names: list[str]) -> None:
    story = partners_story(names, 2)
    (first, *_) = late(story, 0)
    position = Position.of(story, first)
    game = RolloutGame(position.scene.knowledge, position.view.seat, position.view.turns_left)
    trials = SeatRollouts(position, RolloutStore())
    hands = hands_of(position)
    for move in position.scene.legal:
        exact = []
        for hand in hands:
            table = {**position.scene.hands, position.view.seat: hand}
            played = game.dealt([numbered(table[seat]) for seat in range(len(names))], [])
            played.apply(act(move))
            exact.append(played.taken_over().finish())
        mean, error = mean_and_error(points(trials.ends(move, 0, 80), "strict"))
        assert abs(mean - sum(exact) / len(exact)) <= 4 * error + 1e-9


def test_on_the_last_turn_a_play_is_worth_its_chance() -> None:
    story = partners_story(["piers"] * 3, 2)
    position = Position.of(story, len(story.turns))
    trials = SeatRollouts(position, RolloutStore())
    assert position.view.turns_left == 1
    for slot, own in enumerate(position.own):
        mean, error = mean_and_error(points(trials.ends(Play(slot=slot), 0, 200), "kept"))
        assert abs(mean - position.view.score - own.playable) <= 4 * error + 1e-9


STORIES = {
    "two": lambda: partners_story(["smart", "iggi"], 1),
    "three": lambda: partners_story(["smart", "literal", "smart_oldest"], 2),
    "four": lambda: random_story(4, 3),
    "struck out": lambda: partners_story(["flawed"] * 5, 4),
}


@pytest.mark.parametrize("name", STORIES)
def test_values_keep_to_their_bounds_for_every_table(name: str) -> None:
    story = STORIES[name]()
    for number in (
        (1, *range(2, len(story.turns))) if FULL else (len(story.turns) - 4, len(story.turns))
    ):
        found = turn_values(story, number, rollouts=50)
        view = story.turn(number).view
        moved = story.turn(number).moved
        assert {value.move for value in found.moves} == set(view.legal)
        assert [value.rank for value in found.moves] == list(range(1, len(view.legal) + 1))
        assert found.moves[0].move == found.best and found.played == (moved and moved.past.move)
        for value in found.moves:
            assert value.rollout is not None and value.kept is not None and value.error is not None
            assert 0 <= value.kept <= 25 and 0 <= value.rollout <= 25
            if (
                value.error
            ):  # the played move counts on more deals than the others: two deals alone say nothing
                assert value.rollout <= value.kept + 3 * value.error + 1e-9
        assert found.loss is None or found.loss >= 0
        assert found.mistake is None or found.mistake.move != found.best


@pytest.mark.parametrize("name", STORIES if FULL else ["struck out"])
def test_the_strip_ends_with_the_score(name: str) -> None:
    story = STORIES[name]()
    strict, kept = (
        strip(story, deals=2, mistakes=False, metric=metric) for metric in ("strict", "kept")
    )
    assert story.result
    assert strict.expected[-1] == story.result.score_strict and strict.errors[-1] == 0
    assert kept.expected[-1] == story.result.score_kept
    assert len(strict.expected) == len(strict.swings) == len(story.turns)
    assert all(0 <= value <= 25 for value in (strict.start, *strict.expected))
    assert all(low <= high + 1e-9 for low, high in zip(strict.expected, kept.expected, strict=True))
    assert max(strict.swings, key=abs) == strict.swings[-1] != 0, "the third life"


def test_an_unfinished_game_has_values_for_the_turn_that_comes_next() -> None:
    whole = partners_story(["flawed"] * 5, 4)
    made = [turn.moved.past.move for turn in whole.turns[:-1] if turn.moved]
    story = story_of(referee.Referee(5, whole.started.deck), made)
    found = turn_values(story, len(whole.turns), rollouts=50)
    assert found.played is None and found.loss is None and found.mistake is None
    assert found.best == found.moves[0].move
    assert len(strip(story, deals=2, mistakes=False).expected) == len(made)
    empty = story_of(referee.Referee(5, whole.started.deck), [])
    assert strip(empty, deals=2).expected == () == strip(empty, deals=2).swings


def test_hands_and_deck_are_those_of_the_game() -> None:
    story = random_story(3, 5)
    table = referee.Referee(3, story.started.deck)
    for turn, hands, position in zip(
        story.turns, true_hands(story), open_positions(story), strict=True
    ):
        for hand in table.view().hands:
            assert hands[hand.seat] == hand.cards
        assert len(position.deck) == table.view().deck_size
        assert position.game.tops == list(table.fireworks) and position.game.lives == table.lives
        if turn.moved:
            table.apply(turn.moved.past.move)


def test_values_are_the_same_fresh_and_stored(tmp_path: Path) -> None:
    story = random_story(3, 6)
    store = RolloutStore(tmp_path)
    number = len(story.turns) - 5
    fresh = turn_values(story, number, rollouts=100)
    turn_values(story, number, rollouts=50, store=store)  # fewer are stored first
    assert turn_values(story, number, rollouts=100, store=store) == fresh
    trials = SeatRollouts(Position.of(story, number), RolloutStore(tmp_path))
    trials.ends(fresh.best, 0, 4)
    assert trials.played == 0, "they were read from the store"
    for broken in ("{", "[]", '{"play slot 0": "?"}', '{"play slot 0": 3}'):
        (path,) = tmp_path.rglob("*.json")
        path.write_text(broken)
        assert turn_values(story, number, rollouts=100, store=store) == fresh
    (tmp_path / "file").write_text("")
    assert turn_values(story, number, rollouts=100, store=RolloutStore(tmp_path / "file")) == fresh


def test_a_strip_is_the_same_fresh_and_stored(tmp_path: Path) -> None:
    story = partners_story(["flawed"] * 5, 4)
    store = RolloutStore(tmp_path)
    fresh = strip(story, deals=2, mistakes=False)
    assert strip(story, deals=2, mistakes=False, store=store) == fresh
    assert strip(story, deals=2, mistakes=False, store=store) == fresh


def test_a_store_keeps_the_longer_scores_of_two_writers(tmp_path: Path) -> None:
    one = RolloutStore(tmp_path)
    other = RolloutStore(tmp_path)
    one.write("ab", {"play slot 0": "ABC", "play slot 1": "Z"})
    other.write("ab", {"play slot 0": "AB", "discard slot 1": "z"})
    assert one.read("ab") == {"play slot 0": "ABC", "play slot 1": "Z", "discard slot 1": "z"}
    assert [json.loads(path.read_text()) for path in tmp_path.rglob("*.json")] == [one.read("ab")]


def test_changed_code_reads_no_old_values_and_draws_the_same_deals(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = RolloutStore(tmp_path)
    before = key("a position")
    store.write(before, {"play slot 0": "ABC"})
    monkeypatch.setattr(
        "hanabi_orchestrator.experiments.values.rollout_store.version", lambda: "another"
    )
    assert key("a position") == before and store.read(before) == {}
