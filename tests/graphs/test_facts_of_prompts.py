"""Every fact of the table in the prompts of every packaged graph is the one that raw HLE tells of the same game."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.hanabi.moves import parse
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.roles import Choice, Notes
from tests.support.positions import GRAPHS
from tests.support.prove import FULL
from tests.support.raw_sections import CHECKS, wrong
from tests.support.raw_table import Game, Table

PLAYERS = (2, 3, 4, 5)
GAMES = 3 if FULL else 1
LEAST = 500 if FULL else 12


@cache
def positions() -> tuple[tuple[Table, View], ...]:
    """Tables of HLE's games, each with our view of the same game; reduced, three of each game, its last turn too."""
    pairs = []
    for players in PLAYERS:
        for seed in range(1, GAMES + 1):
            tables, deck = Game(players, seed).play()
            chosen = (
                range(len(tables)) if FULL else (1, len(tables) // 2, len(tables) - players + 1)
            )
            pairs += [
                (tables[turn], view)
                for turn, view in enumerate(views(players, deck, tables))
                if turn in chosen
            ]
    return tuple(pairs)


def views(players: int, deck: list[str], tables: list[Table]) -> Iterator[View]:
    """Our view of each table of a game."""
    referee = Referee(players, deck)
    for past in tables[-1].past:
        yield referee.view()
        referee.apply(parse(past.move))
    yield referee.view()


def notes(config: graphs.GraphConfig, view: View) -> Notes:
    """A choice to judge, where the graph has a judge."""
    return {config.decides: (Choice(action=view.legal[0], reason="it comes first"),)}


@pytest.mark.parametrize("graph", GRAPHS)
def test_what_a_prompt_says_of_the_table_is_what_raw_hle_says(graph: str) -> None:
    sections = Counter[str]()
    for table, view in positions():
        config = graphs.at(graphs.read(graph), table.players)
        for node, request in requests(config, view, notes(config, view)).items():
            assert request.counts.get("slots", len(view.own)) == len(table.known[table.seat])
            for part in request.parts:
                assert not list(wrong(part.name, part.text, table)), (node, part.name, view.turn)
                sections[part.name] += part.name in CHECKS
            final = any(part.name == "final_round" for part in request.parts)
            assert not final or table.turns_left is not None
    assert len(positions()) >= LEAST
    assert sections["convention_facts" if graph == "compact" else "state"] >= LEAST


def test_a_wrong_fact_is_noticed() -> None:
    """Each check refuses the section of another position of the game."""
    noticed = Counter[str]()
    pairs = [(table, view) for table, view in positions() if table.players == 3]
    for graph in ("house", "moa_sherlock", "cac", "spin_bench"):
        config = graphs.at(graphs.read(graph), 3)
        for (_, view), (other, _) in pairwise(pairs):
            for request in requests(config, view, {}).values():
                noticed.update(
                    {
                        part.name
                        for part in request.parts
                        if list(wrong(part.name, part.text, other))
                    }
                )
    assert set(noticed) >= {*CHECKS} - {"final_round"}
