"""The roles of house by the code of the pack `information`: they play as hat players do, until a breach of it."""

import re
from itertools import pairwise
from random import Random

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.journal.events import Event, Moved
from hanabi_orchestrator.orchestrator.journal.file import comparable
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.orchestrator.table.seat import GameContext, Seat
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.sections import cut
from hanabi_orchestrator.roles.words import ENGLISH
from tests.support.positions import partners_game
from tests.support.prove import FULL

HOUSE = graphs.read("house_information")
BY_OPTION = {"options": {"conventions": "information"}}
PLAYERS = (2, 3, 4, 5)
SEEDS = range(1, 51) if FULL else range(1, 2)
ADVISERS = ("history_analyst", "tom_interpreter", "discard_strategist")


async def moves(seat: Seat, players: int, seed: int) -> list[object]:
    """Every move of a game as the journal has it: the move, what it showed, and the table after it."""
    events: list[Event] = []
    await play_async(seat, players=players, seed=seed, sink=events.append)
    return [
        event["past"]
        for event in comparable([event for event in events if isinstance(event, Moved)])
    ]


@pytest.mark.parametrize("players", PLAYERS)
async def test_the_roles_play_the_games_of_hat_players(players: int) -> None:
    for seed in SEEDS:
        assert await moves(graphs.seat(HOUSE), players, seed) == await moves(
            partners.get("hat"), players, seed
        )


async def test_a_single_node_plays_the_same_games() -> None:
    solo = graphs.setting(graphs.read("house_solo"), **BY_OPTION)
    assert await moves(graphs.seat(solo), 3, 2) == await moves(partners.get("hat"), 3, 2)


def test_the_pack_is_chosen_by_an_option_and_each_role_then_has_its_words() -> None:
    chosen = graphs.setting(graphs.read("house"), **BY_OPTION)
    for config in (HOUSE, chosen):
        texts = {
            name: config.role(name).instruction(ENGLISH, wording(config, name))
            for name in config.nodes
        }
        assert all(
            "code" in texts[name] or "in the order to discard them" in texts[name]
            for name in ADVISERS
        )
        assert "by the first of these steps" in texts["aggregator"]
    assert wording(graphs.without_sections(HOUSE, "convention_facts"), "tom_interpreter") is None


def wording(config: graphs.GraphConfig, name: str) -> str | None:
    return config.wording_of(name)


@pytest.mark.parametrize("node", ADVISERS)
async def test_without_an_adviser_the_games_are_others(node: str) -> None:
    less = graphs.without(HOUSE, node)
    assert await moves(graphs.seat(less), 3, 1) != await moves(graphs.seat(HOUSE), 3, 1)


def words(view: object) -> str:
    (facts,) = cut(view, [(ConventionFacts, {"pack": "information"})])  # type: ignore[arg-type]
    return facts.words()


@pytest.mark.parametrize("players", PLAYERS)
def test_the_sums_of_a_prompt_are_right(players: int) -> None:
    """Each sum, of what is left for the own hand and of what the hint must say, comes out as the words say."""
    sums = 0
    for referee in partners_game(("hat",) * players, 3):
        text = "" if referee.over else words(referee.view())
        for terms, result, size in re.findall(
            r"(?:For you|Your number|Yours): (.*?) = (\d+), modulo (\d+)", text
        ):
            total = eval(re.sub(r" \(P\d\)", "", terms))  # numbers with + and - between them
            assert total % int(size) == int(result) < int(size)
            sums += 1
    assert sums > 50


async def test_beside_others_the_code_is_soon_off_and_hints_are_read_literally() -> None:
    mine = graphs.seat(HOUSE).bind(GameContext())
    for players, name in ((2, "iggi"), (3, "smart")):
        rule = partners.get(name).rule
        referee = Referee(players, deal(4))
        off = list[bool]()
        while not referee.over:
            view = referee.view()
            if referee.seat == 0:
                off.append("code, which is off" in words(view))
            referee.apply(rule(view, Random(0))[0] if referee.seat else (await mine(view, {})).move)
        assert (
            off[-1] and not off[0] and all(later or not earlier for earlier, later in pairwise(off))
        )
        assert referee.lives and referee.score_kept > 12


async def test_hat_players_and_seats_of_the_roles_play_together() -> None:
    result = await play_async(
        [graphs.seat(HOUSE), partners.get("hat"), graphs.seat(HOUSE)], players=3, seed=5
    )
    rule = partners.get("hat").rule
    referee = Referee(3, deal(5))
    while not referee.over:
        referee.apply(rule(referee.view(), Random(0))[0])
    assert result.score_strict == referee.score_strict
