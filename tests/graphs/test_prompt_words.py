"""The words of house's prompts say what its programs do: who only follows the words plays as the programs play."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import pytest

import graphs
from graphs.prompt_preview import requests
from graphs.recorded import notes_of
from orchestrator.journal.events import Decided, Event, TurnStarted
from orchestrator.models.request import ModelRequest, Scripted
from orchestrator.players import partners
from orchestrator.table.game_loop import play_async
from tests.support.positions import events_of
from tests.support.prompt_follower import follower
from tests.support.prompt_rules import differences
from tests.support.prove import FULL

GAMES = [(players, seed) for players in (2, 3, 4, 5) for seed in range(101, 105)] if FULL else [(3, 101)]
EVERY = 2
"""Of a game's turns, one in EVERY is compared."""


def turns(events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    starts = [number for number, event in enumerate(events) if isinstance(event, TurnStarted)]
    for start, end in pairwise((*starts, len(events))):
        yield events[start:end]


async def asked(graph: str, players: int, seed: int) -> list[tuple[Mapping[str, ModelRequest], str]]:
    """What a model would have been asked at turns of a game of programs, by node, and what the program decided."""
    config = graphs.at(graphs.read(graph), players)
    made: list[tuple[Mapping[str, ModelRequest], str]] = []
    for turn in list(turns(await events_of(graph, players=players, seed=seed)))[::EVERY]:
        (view,) = (event.view for event in turn if isinstance(event, TurnStarted))
        (move,) = (str(event.move) for event in turn if isinstance(event, Decided))
        made.append((requests(config, view, notes_of(config, turn)), move))
    return made


@pytest.mark.parametrize("graph", ["house", "house_lite"] if FULL else ["house"])
async def test_who_follows_the_words_decides_as_the_program_does(graph: str) -> None:
    made = [one for players, seed in GAMES for one in await asked(graph, players, seed)]
    pairs = [(follower(asks["aggregator"]), move) for asks, move in made]
    other = [(answer, move) for answer, move in pairs if answer["action"] != move]
    assert len(pairs) >= (400 if FULL else 25)
    assert len(other) <= 0.01 * len(pairs), other[:5]


BESIDE = [(name, n, s) for name in ("piers", "literal", "smart_oldest") for n in (2, 3) for s in (1, 2, 3)]


async def test_beside_others_who_follows_the_words_mostly_decides_as_the_program_does() -> None:
    """The program takes the hint to them that teaches most, the words the first one that helps."""
    same = []
    for name, players, seed in BESIDE if FULL else [("literal", 3, 2)]:
        config, events = graphs.at(graphs.read("house"), players), list[Event]()
        seats = [partners.get(name) if seat % 2 else graphs.seat("house") for seat in range(players)]
        await play_async(seats, players=players, seed=seed, sink=events.append)
        for turn in turns(events):
            (view,) = (event.view for event in turn if isinstance(event, TurnStarted))
            if view.seat % 2 == 0:
                asks = requests(config, view, notes_of(config, turn))
                (move,) = (str(event.move) for event in turn if isinstance(event, Decided))
                same.append(follower(asks["aggregator"])["action"] == move)
    assert len(same) > (600 if FULL else 25)
    assert sum(same) >= 0.85 * len(same)


def part(request: ModelRequest, name: str) -> str:
    return next(part.text for part in request.parts if part.name == name)


async def test_the_words_give_what_each_hint_says_and_what_the_others_know() -> None:
    for players, seed in GAMES:
        for asks, _ in (await asked("house", players, seed))[:: 1 if FULL else 3]:
            table, facts = (part(asks["aggregator"], name) for name in ("state", "convention_facts"))
            assert "knows to be playable" in facts and "You discard next" in facts
            assert not list(differences(table, part(asks["history_analyst"], "history"), facts))


@pytest.mark.parametrize(("players", "least"), [(2, 21), (3, 21)] if FULL else [(2, 18)])
async def test_a_team_that_follows_the_words_scores_as_the_programs_do(players: int, least: float) -> None:
    config = graphs.read("house")
    advisers = {name: "program" for name in config.nodes if name != "aggregator"}
    seat = graphs.seat(graphs.replace(config, **advisers), Scripted({"aggregator": follower}))
    games = [await play_async(seat, players=players, seed=seed) for seed in range(1, 21 if FULL else 2)]
    assert not any(game.forced or game.reasked or game.fallbacks for game in games)
    assert sum(game.score_strict for game in games) >= least * len(games)
