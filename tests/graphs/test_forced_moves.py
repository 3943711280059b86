"""A forced move of house says nothing that its own prompts call false, and is a sure play wherever they list one."""

from collections import Counter
from collections.abc import Iterator, Sequence

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs import gate
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.hanabi.moves import Hint, Play
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Event, TurnStarted
from hanabi_orchestrator.orchestrator.models.request import ModelRequest
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from tests.support.positions import random_views
from tests.support.prompt_follower import Prompt
from tests.support.prove import FULL

TABLES: Sequence[tuple[str, int, int]] = [
    (name, players, seed)
    for name in ("house", "piers", "literal", "smart_oldest", "random moves")
    for players in (2, 3, 4, 5)
    for seed in ((1, 2) if FULL else (1,))
    if FULL or (name, players) in {("house", 3), ("piers", 2), ("literal", 4), ("random moves", 5)}
]
"""Who sits in every other seat (random moves: in all), how many players, and the deal."""


async def views(name: str, players: int, seed: int) -> Sequence[View]:
    if name == "random moves":
        return random_views(players, seed)
    events = list[Event]()
    partner = graphs.seat("house") if name == "house" else partners.get(name)
    seats = [partner if seat % 2 else graphs.seat("house") for seat in range(players)]
    await play_async(seats, players=players, seed=seed, sink=events.append)
    return [
        event.view for event in events if isinstance(event, TurnStarted) and event.seat % 2 == 0
    ]


def checked(config: GraphConfig, view: View) -> Iterator[str]:
    """What a forced move is: one of the sure plays, a hint; it must contradict no list."""
    asks = requests(config, view, {})
    past, others = (prompt(asks[node]) for node in ("history_analyst", "tom_interpreter"))
    move, _ = gate.safest(config, view)
    if sure := past.listed("Surely playable, in the order to play them"):
        assert isinstance(move, Play) and move.slot in sure, (view.turn, move)
        yield "sure plays"
    if isinstance(move, Hint):
        says = next((hint.says for hint in others.hints if hint.move == str(move)), "")
        assert not says.endswith("false"), (view.turn, move, says)
        yield (
            "hints beside false ones"
            if any(hint.says.endswith("false") for hint in others.hints)
            else "hints"
        )


def prompt(request: ModelRequest) -> Prompt:
    return Prompt("\n\n".join(part.text for part in request.parts))


async def test_a_forced_move_contradicts_no_list_of_the_prompts() -> None:
    counts = Counter[str]()
    for name, players, seed in TABLES:
        config = graphs.at(graphs.read("house"), players)
        for view in await views(name, players, seed):
            counts.update(["positions", *checked(config, view)])
    assert counts["positions"] > (700 if FULL else 60), counts
    assert min(counts[kind] for kind in ("sure plays", "hints beside false ones")) > 5, counts
    print(dict(counts))
