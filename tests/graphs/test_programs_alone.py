"""Programs that lack a colleague do not do the colleague's work: other games, and none of them another graph's."""

import pytest

from benchmarks.ablations import Played, _worth, removals
from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs import GraphConfig
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.journal.events import Event, Moved
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play, own_rule
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.sections import cut
from tests.support.positions import random_views

HOUSE = graphs.read("house")


async def game(config: GraphConfig | str) -> list[Move]:
    """The first moves of a game of programs."""
    events: list[Event] = []
    await play_async(graphs.seat(config), players=2, seed=3, sink=events.append, max_turns=30)
    return [event.past.move for event in events if isinstance(event, Moved)]


async def test_house_without_a_colleague_does_not_play_like_a_single_agent() -> None:
    literal = await game("sherlock")
    colleagues = [name for name in HOUSE.nodes if name != HOUSE.decides]
    for gone in [*((name,) for name in colleagues), tuple(colleagues)]:
        assert await game(graphs.without(HOUSE, *gone)) != literal, gone


async def test_what_the_past_says_of_the_own_cards_is_the_historians_alone() -> None:
    """Whoever takes the historian away, or what the historian is told, takes it from the whole seat."""
    assert await game(graphs.without(HOUSE, "history_analyst")) != await game(HOUSE)
    assert await game(graphs.without_sections(HOUSE, "convention_facts")) != await game(HOUSE)


@pytest.mark.parametrize(
    ("name", "gone"),
    [("house", "discard_strategist"), ("cac", "interpret"), ("best_of_k", "proposer")],
)
async def test_the_work_of_a_colleague_is_gone_with_them(name: str, gone: str) -> None:
    assert await game(name) != await game(graphs.without(graphs.read(name), gone))


def test_the_simple_rule_takes_a_certain_play_then_the_first_hint_that_helps() -> None:
    met = set()
    for view in random_views(3, 5)[::4]:
        sections = cut(view, [(kind, {}) for kind in TAKES])
        position = Position.read(sections)
        move, _ = own_rule.choose(sections, position)
        sure = literal_play.certain_plays(position)
        helpful = [
            h
            for h in position.hints
            if (found := literal_play.lesson(position, h)).plays or found.points
        ]
        kind = "play" if sure else "hint" if helpful else "discard" if position.discards else "rest"
        assert move in sure if sure else move == helpful[0] if helpful else True
        met.add(kind)
    assert {"hint", "discard"} <= met


def test_the_simple_rule_discards_what_is_dead_then_what_no_hint_touched_each_the_oldest_first() -> (
    None
):
    met = set()
    for view in [view for players in (2, 4) for view in random_views(players, 6)][::2]:
        sections = cut(view, [(kind, {}) for kind in TAKES])
        position = Position.read(sections)
        found = [(move.slot, why) for move, why in own_rule.discards(sections, position)]
        kinds = []
        for slot, why in found:
            told = view.own[slot]
            dead = position.slots[slot].dead == 1.0
            known = told.colour is not None or told.rank is not None
            kinds.append((not dead, known, slot))
            assert why.endswith(
                "known to be dead" if dead else "card left" if known else "that no hint touched"
            )
        assert kinds == sorted(kinds) and len(kinds) == len(position.discards)
        met |= {kind[:2] for kind in kinds}
    assert len(met) == 4, "dead or not, touched or not"


def test_a_discard_is_explained_by_what_is_known_of_the_card() -> None:
    met = set()
    for view in [view for players in (2, 4) for view in random_views(players, 6)][::2]:
        position = Position.read(cut(view, [(kind, {}) for kind in TAKES]))
        for move in position.discards:
            slot = position.slots[move.slot]
            why = literal_play.why_discard(position, move)
            met.add(slot.dead == 1.0)
            if slot.dead == 1.0:
                assert why == f"slot {move.slot} can never score again"
            else:
                assert why.endswith(f"P(critical) {slot.critical:.2f}, P(dead) {slot.dead:.2f}")
    assert met == {True, False}


def test_each_part_of_a_graph_but_the_deciding_node_is_taken_away_once() -> None:
    parts = [part for part, _ in removals(HOUSE)]
    assert "aggregator" not in parts and {"tom_interpreter", "section discards"} <= set(parts)
    assert len(parts) == len(set(parts)) == 3 + 12


def test_the_worth_of_a_part_is_the_mean_over_deals_and_the_same_games_are_counted() -> None:
    hint, other = random_views(2, 1)[0].legal[:2]
    whole = [Played(20, (hint,)), Played(10, (hint,))]
    worth = _worth("g", "part", whole, [Played(20, (hint,)), Played(6, (other,))])
    assert (worth.games, worth.same, worth.difference, worth.error) == (2, 1, -2.0, 2.0)
