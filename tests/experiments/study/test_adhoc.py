"""Ad-hoc teams: what a trial is drawn as, what the evaluated seat is told, and that it keeps nothing."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.running.runner import RunOptions
from hanabi_orchestrator.experiments.study import experiment as config
from hanabi_orchestrator.experiments.study.arms import Deal, Trials
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import HintColour, Play
from hanabi_orchestrator.orchestrator.hanabi.public_record import Record
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameStarted,
    Memory,
    Moved,
)
from hanabi_orchestrator.orchestrator.journal.file import public_record
from hanabi_orchestrator.orchestrator.models.request import ModelRequest
from hanabi_orchestrator.orchestrator.players.partners import get
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.orchestrator.table.seat import BEFORE, Decision, Seat
from hanabi_orchestrator.roles.hanabi.sections.past_games import Habits, PastGames
from hanabi_orchestrator.roles.sections import cut
from tests.support.small_graph import LAST, scripted

TEXT: dict[str, Any] = {
    "name": "strangers",
    "players": [2, 3],
    "seeds": {"first": 1, "count": 3},
    "journals": "lean",
    "adhoc": {
        "seat": f"python:{__name__}:watching",
        "pool": {
            "chance": "partner:random",
            "last": "python:tests.experiments.study.test_cross_play:last",
        },
        "games": 2,
        "past": {"first": 5000, "count": 4},
        "cross": 1,
    },
}


async def watching(view: View, memory: Memory) -> Decision:
    """Says how many past games it sees, and how often it was asked in this game."""
    count = memory.get("asked", 0) + 1
    return Decision(
        view.legal[-1],
        f"{len(memory[BEFORE])} games, asked {count}",
        memory={**memory, "asked": count},
    )


def experiment(**changes: Any) -> config.Experiment:
    return config.parse(yaml.safe_dump({**TEXT, "adhoc": {**TEXT["adhoc"], **changes}}))


async def record_async(players: int, seed: int) -> Record:
    events: list[Event] = []
    await play_async(get("random"), players=players, seed=seed, sink=events.append)
    public: Record = public_record(events)
    return public


def record(players: int, seed: int) -> Record:
    return asyncio.run(record_async(players, seed))


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 5), st.integers(0, 10_000))
def test_a_record_replays_as_the_referee_played_it(players: int, seed: int) -> None:
    events: list[Event] = []
    result = play(get("random"), players=players, seed=seed, sink=events.append)
    made = public_record(events)
    assert Record.read(json.loads(json.dumps(made.plain))) == made
    past = [event.past for event in events if isinstance(event, Moved)]
    steps = list(made.steps())
    assert [(s.seat, s.move, s.touched, s.scored) for s in steps] == [
        (p.seat, p.move, p.slots, p.scored) for p in past
    ]
    assert [s.tokens for s in steps[1:]] == [p.tokens for p in past[:-1]]
    assert (made.ending.score, made.ending.lives) == (result.score_kept, result.lives)


def test_trials_are_drawn_the_same_each_time_with_a_hundred_sets_and_all_positions() -> None:
    asked = config.read("challenge-adhoc").adhoc
    assert asked is not None and asked.games == 10
    for players in (2, 3, 4, 5):
        deals = [Deal(seed, players) for seed in range(1, 201)]
        first, again = ([Trials(asked, "piers", {}).draw(deal) for deal in deals] for _ in range(2))
        assert first == again
        assert len({frozenset(trial.games) for trial in first}) >= 100
        assert all(len(set(trial.games)) == 10 for trial in first)
        seats = [trial.position for trial in first]
        assert all(120 / players < seats.count(seat) < 300 / players for seat in range(players))
    other = asked.model_copy(update={"draw": 2})
    assert [Trials(other, "piers", {}).draw(deal) for deal in deals] != first
    turned = asked.model_copy(update={"position": "rotate"})
    assert [Trials(turned, "piers", {}).draw(Deal(seed, 4)).position for seed in range(8)] == [
        0,
        1,
        2,
        3,
    ] * 2


def test_the_evaluated_seat_sees_the_partners_games_on_every_turn_and_keeps_nothing_between_trials(
    tmp_path: Path,
) -> None:
    asked = experiment()
    done = run_experiment(asked, tmp_path)
    trials = [row for row in done.rows if row.arm == "evaluated.with.chance"]
    assert len(trials) == 6 and not done.failed
    for row in trials:
        events = journal.read(tmp_path / row.journal)
        started = events[0]
        assert isinstance(started, GameStarted) and asked.adhoc
        trial = Trials(asked.adhoc, "chance", {}).draw(Deal(row.seed, row.players))
        names = [seat.graph for seat in started.seats]
        assert names.count("watching") == 1 and names[trial.position] == "watching"
        assert started.memories == {
            trial.position: {
                BEFORE: [record(row.players, 5000 + number).plain for number in trial.games]
            }
        }
        said = [
            event for event in events if isinstance(event, Decided) and event.seat == trial.position
        ]
        assert [event.why for event in said] == [
            f"2 games, asked {n}" for n in range(1, len(said) + 1)
        ]
        assert all(
            event.memory == {"asked": n} for n, event in enumerate(said, 1)
        )  # the games are told once
    measured = {"evaluated.with.chance", "evaluated.with.last", "evaluated.self-play"}
    pool = {row.arm for row in done.rows} - measured
    assert pool == {
        f"{one}.with.{rest}" for one in ("chance", "last") for rest in ("chance", "last")
    }
    assert {row.seed for row in done.rows if row.arm in pool} == {1}  # cross: 1


def test_past_games_are_made_once_and_a_trial_with_others_is_refused(tmp_path: Path) -> None:
    run_experiment(experiment(), tmp_path)
    path = tmp_path / "past" / "chance" / "3p.json"
    before = path.stat().st_mtime_ns, (tmp_path / "results.csv").read_bytes()
    run_experiment(experiment(), tmp_path, options=RunOptions(workers=2))
    assert (path.stat().st_mtime_ns, (tmp_path / "results.csv").read_bytes()) == before
    with pytest.raises(UserError, match=r"what seat . was given before the game"):
        run_experiment(experiment(games=1), tmp_path)
    with pytest.raises(UserError, match="holds other past games: seeds differ"):
        run_experiment(experiment(past={"first": 6000, "count": 4}), tmp_path)


def test_mistakes_are_found_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match="seed 2 is also the deal of a trial; past games need other deals"
    ):
        experiment(past={"first": 2, "count": 4})
    with pytest.raises(UserError, match="5 games cannot be drawn from 4 past ones"):
        experiment(games=5)
    with pytest.raises(UserError, match="there is no seat 2 among 2 players"):
        run_experiment(experiment(position=2), tmp_path)


def test_a_game_goes_on_with_the_same_memory_and_with_no_other(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    given_games = {1: {BEFORE: [record(2, 9).plain]}}
    seats: list[Seat] = [get("random"), watching]
    whole = play(seats, players=2, seed=3, journal=path, memories=given_games)
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b'"turn": 9')])
    assert play(seats, players=2, seed=3, journal=path, memories=given_games) == whole
    for other in ({}, {1: {BEFORE: [record(2, 8).plain]}}, {0: given_games[1]}):
        with pytest.raises(UserError, match=r"what seat . was given before the game"):
            play(seats, players=2, seed=3, journal=path, memories=other)
    with pytest.raises(UserError, match="there is no seat 2 to give a memory"):
        play(seats, players=2, seed=3, memories={2: given_games[1]})


def told(view: View, games: list[Record]) -> PastGames:
    return cut(view, [(PastGames, {})], memory={BEFORE: [game.plain for game in games]})[PastGames]


async def test_models_of_house_are_told_the_habits_and_nothing_when_there_are_no_games() -> None:
    games = [await record_async(3, seed) for seed in (71, 72)]
    given_games: list[tuple[dict[int, Memory], int]] = [
        ({0: {BEFORE: [game.plain for game in games]}}, 2),
        ({}, 0),
    ]
    for memories, expected in given_games:
        brain = scripted()
        await play_async(
            graphs.seat("house", brain), players=3, seed=1, memories=memories, max_turns=4
        )
        told_to = [(ask.place.turn, ask.node, text) for ask in brain.asked for text in past_of(ask)]
        assert {(turn, node) for turn, node, _ in told_to} == (
            {(turn, node) for turn in (1, 4) for node in ("history_analyst", "tom_interpreter")}
            if expected
            else set()
        )
        assert len({text for _, _, text in told_to}) <= 1
        for _, _, text in told_to:
            assert "2 whole games" in text and f"- game 2: {games[1].ending.score} points" in text


def past_of(request: ModelRequest) -> list[str]:
    return [part.text for part in request.parts if part.name == "past_games"]


def test_habits_are_counted_as_they_happened() -> None:
    """A game made by hand: R1 hinted and played at once, an unhinted misplay, the oldest unhinted discarded."""
    deck = ["R1", "R2", "R3", "R4", "R5", "G2", "Y1", "G3", "W1", "B1"]
    rest = [f"{c}{r}" for c in "RYGWB" for r in (1, 1, 1, 2, 2, 3, 3, 4, 4, 5)]
    for card in deck:
        rest.remove(card)
    moves = [
        "hint P1 rank 1",
        "play slot 4",
        "hint P1 yellow",
        "play slot 0",
        "discard slot 0",
        "discard slot 0",
    ]
    made = Record.read({"players": 2, "deck": [*deck, *rest], "moves": moves})
    steps = list(made.steps())
    assert [step.scored for step in steps] == [None, True, None, False, None, None]
    assert steps[0].touched == (1, 3, 4) and steps[2].touched == (1,)
    habits = Habits.from_games([made])
    assert (habits.hinted_turns, habits.played_newest, habits.played_oldest) == (2, 1, 0)
    assert (habits.plays, habits.unhinted_plays, habits.misplays) == (2, 1, 1)
    assert (habits.discards, habits.oldest_unhinted, habits.hinted_discards) == (2, 1, 1)
    assert (habits.colour_hints, habits.rank_hints, habits.turns) == (1, 1, 6)


def test_past_games_are_typed_and_perspective_free() -> None:
    games = [record(3, 5)]
    section = told(LAST, games)
    assert section.games == tuple(games) and section.games[0].players == 3
    assert {type(move) for move in section.games[0].moves} >= {Play, HintColour}
    assert not PastGames().words() and not [c for c in section.words() if c == "$"]
    broken = PastGames(({**games[0].plain, "deck": ["R1"]},))
    with pytest.raises(UserError, match="a public record: deck"):
        assert broken.games


def test_the_calls_of_a_journal_do_not_repeat_the_games(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    play(
        graphs.seat("mycroft"),
        players=2,
        seed=1,
        journal=path,
        memories={0: {BEFORE: [record(2, 9).plain]}},
    )
    events = journal.read(path)
    assert all(BEFORE not in event.memory for event in events if isinstance(event, Decided))
    assert path.read_text("utf-8").count(f'"{BEFORE}"') == 1 and [
        e for e in events if isinstance(e, Call)
    ]
