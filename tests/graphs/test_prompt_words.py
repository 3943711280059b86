"""The words of house's prompts say what its programs do: who only follows the words plays as the programs play."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.graphs.recorded import notes_of
from hanabi_orchestrator.orchestrator.journal.events import Event, Moved, TurnStarted
from hanabi_orchestrator.orchestrator.models.request import Scripted
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.orchestrator.table.seat import Seat
from tests.support.prompt_follower import FOLLOWERS
from tests.support.prove import FULL

ADVISERS = ("history_analyst", "tom_interpreter", "discard_strategist")
ADVISED = graphs.add(graphs.read("house"), second={"role": "proposer", "model": "program"})
DEALS = range(1, 41) if FULL else range(1, 2)
ARMS: Mapping[str, GraphConfig] = {
    "house": graphs.read("house"),
    "house_solo": graphs.read("house_solo"),
    "house_information": graphs.read("house_information"),
    **{f"without {node}": graphs.without(graphs.read("house"), node) for node in ADVISERS},
    "without all three": graphs.without(graphs.read("house"), *ADVISERS),
    "with proposals": graphs.change(ADVISED, second={"samples": 3}),
    "with a proposal, without the interpreter": graphs.without(ADVISED, "tom_interpreter"),
}
GAMES = [(arm, players) for players in (2, 3) for arm in ARMS]
GAMES += [
    (arm, players) for players in (4, 5) for arm in ("house", "house_solo", "house_information")
]
GAMES = GAMES if FULL else GAMES[::2]
WHOLE = (("house", 2), ("house_information", 4))
"""Games that `make test`, too, plays to their end."""


async def games(seat: Seat, players: int, turns: int) -> list[tuple[int, list[str]]]:
    """The strict score and the moves of each deal."""
    rows = []
    for seed in DEALS:
        events = list[Event]()
        game = await play_async(
            seat, players=players, seed=seed, sink=events.append, max_turns=turns
        )
        assert not (game.forced or game.reasked or game.fallbacks)
        rows.append(
            (
                game.score_strict,
                [str(event.past.move) for event in events if isinstance(event, Moved)],
            )
        )
    return rows


@pytest.mark.parametrize(("arm", "players"), GAMES)
async def test_who_follows_the_words_plays_as_the_programs_do_in_every_arm(
    arm: str, players: int
) -> None:
    turns = 200 if FULL or (arm, players) in WHOLE else 25
    programs = await games(
        graphs.seat(graphs.bind(ARMS[arm], {"default": "program"})), players, turns
    )
    readers = await games(graphs.seat(ARMS[arm], Scripted(dict(FOLLOWERS))), players, turns)
    same = sum(program == reader for program, reader in zip(programs, readers, strict=True))
    means = [statistics.mean(score for score, _ in rows) for rows in (readers, programs)]
    print(f"| {arm} | {players} | {same} of {len(DEALS)} | {means[0]:.2f} | {means[1]:.2f} |")
    assert same >= 0.9 * len(DEALS)


def turns(events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    starts = [number for number, event in enumerate(events) if isinstance(event, TurnStarted)]
    for start, end in pairwise((*starts, len(events))):
        yield events[start:end]


BESIDE = [
    (name, n, s) for name in ("piers", "literal", "smart_oldest") for n in (2, 3) for s in (1, 2, 3)
]


async def test_beside_others_who_follows_the_words_reports_what_the_programs_report() -> None:
    same = []
    for name, players, seed in BESIDE if FULL else [("literal", 3, 2)]:
        config = graphs.at(graphs.read("house"), players)
        events = list[Event]()
        seats = [
            partners.get(name) if seat % 2 else graphs.seat("house") for seat in range(players)
        ]
        await play_async(seats, players=players, seed=seed, sink=events.append)
        for turn in turns(events):
            (view,) = (event.view for event in turn if isinstance(event, TurnStarted))
            notes = notes_of(config, turn) if view.seat % 2 == 0 else {}
            asks = requests(config, view, notes) if notes else {}
            for node in ADVISERS:
                if node not in asks:
                    continue
                (report,) = (note.model_dump(mode="json") for note in notes[node])
                same += [
                    report[key] == value for key, value in conclusions(FOLLOWERS[node](asks[node]))
                ]
    assert len(same) > (2000 if FULL else 100)
    assert sum(same) >= 0.97 * len(same)


def conclusions(answer: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for key in ("playable", "likeliest", "hint", "urgent", "safest_first"):
        if key in answer:
            yield key, answer[key]
