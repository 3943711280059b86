"""Whole games, as a user plays them: by programs, and through an OpenAI-compatible server that answers blindly."""

import statistics
from itertools import product
from pathlib import Path
from typing import TypeVar

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS
from hanabi_orchestrator.orchestrator.hanabi.moves import Play
from hanabi_orchestrator.orchestrator.hanabi.referee import deal, rebuild
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import (
    Decided,
    Event,
    GameEnded,
    GameStarted,
    Memory,
    Moved,
    Result,
    TurnStarted,
    VerdictGiven,
)
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Scripted
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.orchestrator.table.seat import Decision
from hanabi_orchestrator.roles.hanabi.sections.table import Discards
from tests.support.positions import GRAPHS, events_of
from tests.support.prove import FULL

E = TypeVar("E", bound=Event)

PLAYERS = (2, 3, 4, 5)
SEEDS = (1, 2, 3)

CASES = list(product(GRAPHS, PLAYERS, SEEDS))
"""The proof at full size."""
SOME = CASES if FULL else [case for i, case in enumerate(CASES) if i % 13 == 0]


def certain_misplays(events: list[Event]) -> int:
    """Lives lost on a card that the seat could know not to fit."""
    lost = 0
    for started, moved in zip(of(events, TurnStarted), of(events, Moved), strict=True):
        if isinstance(moved.past.move, Play) and not moved.past.scored:
            lost += belief.own_hand(started.view)[moved.past.move.slot].playable == 0
    return lost


def of(events: list[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def check_game(events: list[Event], players: int) -> Result:
    """The events of a whole legal game, each turn complete; its result adds up."""
    (started,), (ended,) = of(events, GameStarted), of(events, GameEnded)
    result = ended.result
    past = [moved.past for moved in of(events, Moved)]
    assert len(past) == len(of(events, TurnStarted)) == len(of(events, Decided)) == result.turns
    referee = rebuild(players, started.deck, [one.move for one in past])
    assert referee.over and referee.end == result.end
    assert result.score_kept == sum(result.fireworks.values()) == referee.score_kept
    assert result.score_strict == referee.score_strict and result.lives == referee.lives
    assert list(result.fireworks) == list(COLOURS) and result.players == players
    assert result.forced == sum(decided.forced for decided in of(events, Decided))
    return result


@pytest.mark.parametrize(("graph", "players", "seed"), SOME)
async def test_every_graph_plays_whole_games_by_programs(
    graph: str, players: int, seed: int
) -> None:
    events = await events_of(graph, players=players, seed=seed)
    result = check_game(events, players)
    assert (result.graph, result.model, result.seed) == (graph, "program", seed)
    assert (result.calls, result.fallbacks, result.forced) == (0, 0, 0)
    assert certain_misplays(events) == 0
    assert result.score_strict >= 5 and result.lives > 0


STRENGTH = {2: (23.18, 1.77), 3: (23.28, 1.38), 4: (22.48, 1.43), 5: (20.74, 1.29)}
"""House by programs in docs/strength.md: mean strict score, and standard deviation of a game."""


@pytest.mark.parametrize("players", STRENGTH if FULL else (3,))
async def test_house_is_as_strong_as_its_page_says(players: int) -> None:
    (mean, sd), deals = STRENGTH[players], 100 if FULL else 4
    scores = [
        check_game(await events_of("house", players=players, seed=s), players).score_strict
        for s in range(deals)
    ]
    assert abs(statistics.mean(scores) - mean) < 3 * sd / deals**0.5


@pytest.mark.parametrize(("graph", "players", "seed"), SOME if FULL else SOME[4::12])
async def test_every_graph_plays_whole_games_through_a_blind_server(
    graph: str, players: int, seed: int
) -> None:
    exact = graphs.dotted(
        graphs.verified(graphs.read(graph), "safety"), ["verify.conventions=false"]
    )
    for config in (graphs.read(graph), exact):
        events: list[Event] = []
        async with fake_endpoint.serving(fake_endpoint.app()) as url:
            seat = graphs.seat(config, f"openai:fake@{url}")
            await play_async(seat, players=players, seed=seed, sink=events.append)
            await seat.aclose()
        result = check_game(events, players)
        assert result.calls >= result.turns and result.tokens_in and result.tokens_out
        counts = any(kind is Discards for node in config.nodes for kind, _ in config.kinds(node))
        unsure = config.verify.rule == "none" or not counts  # its seats cannot count all cards
        assert unsure or certain_misplays(events) == 0
        assert (
            config is not exact or result.lives > 0
        )  # who relies on conventions may lose by blind partners


def blind(ask: ModelRequest) -> str:
    """What the fake endpoint would say."""
    request = {"messages": [{"role": "user", "content": part.text} for part in ask.parts]}
    return str(fake_endpoint.complete(request)["choices"][0]["message"]["content"])


@pytest.mark.parametrize(("graph", "players", "seed"), SOME if FULL else SOME[1::4])
async def test_every_graph_plays_whole_games_by_a_script(
    graph: str, players: int, seed: int
) -> None:
    config = graphs.read(graph)
    events = list[Event]()
    brain = Scripted({node.role: blind for node in config.nodes.values()})
    await play_async(graphs.seat(config, brain), players=players, seed=seed, sink=events.append)
    result = check_game(events, players)
    assert "Scripted" in result.model and result.fallbacks == 0
    assert result.forced == 0 or config.check or config.verify.rule == "safety"
    assert len(brain.asked) == result.calls >= result.turns


async def test_the_same_seed_and_model_give_the_same_journal(tmp_path: Path) -> None:
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        for model in ("program", f"openai:fake@{url}"):
            paths = [tmp_path / f"{model[:4]}{number}.jsonl" for number in (1, 2)]
            for path in paths:
                seat = graphs.seat("moa_sherlock", model)
                await play_async(
                    seat, players=3, seed=2, journal=path, max_turns=200 if FULL else 20
                )
                await seat.aclose()
            first, second = (journal.comparable(journal.read(path)) for path in paths)
            assert first == second and len(first) > 50


async def test_different_graphs_on_one_seed_get_the_same_deal() -> None:
    decks = {
        of(await events_of(graph, players=4, seed=9), GameStarted)[0].deck
        for graph in ("watson", "house")
    }
    assert decks == {deal(9)}


async def test_a_journal_reads_back_and_replays(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    events: list[Event] = []
    await play_async(graphs.seat("house"), players=2, seed=5, journal=path, sink=events.append)
    assert journal.comparable(journal.read(path)) == journal.comparable(events)
    stored = journal.read(path)
    started = of(stored, GameStarted)[0]
    referee = rebuild(2, started.deck, [moved.past.move for moved in of(stored, Moved)[:20]])
    assert referee.view() == of(stored, TurnStarted)[20].view


@pytest.mark.parametrize(
    "odd", ["\\ud83d", "a\u2028b\u0085c", "<script>alert(1)</script>", "\\u0000"]
)
async def test_odd_characters_of_a_reply_stay_in_one_readable_line(
    tmp_path: Path, odd: str
) -> None:
    path = tmp_path / "game.jsonl"
    brain = Scripted({"proposer": f'{{"ratings": [], "reason": "{odd}", "action": 0}}'})
    await play_async(graphs.seat("watson", brain), players=2, seed=5, journal=path, max_turns=2)
    assert [decided.move for decided in of(journal.read(path), Decided)] != []


def test_half_a_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    play(graphs.seat("watson"), players=2, seed=5, journal=path, max_turns=3)
    whole = journal.read(path)
    path.write_text(path.read_text("utf-8")[:-40], "utf-8")
    assert journal.read(path) == whole[:-1]


async def test_a_node_that_runs_beside_a_judge_may_finish_before_or_after_it(
    tmp_path: Path,
) -> None:
    events = await events_of("cac", players=2, seed=1)
    i = next(i for i, event in enumerate(events) if isinstance(event, VerdictGiven))
    swapped = [*events[: i - 1], events[i], events[i - 1], *events[i + 1 :]]
    assert swapped != events and journal.comparable(swapped) == journal.comparable(events)


async def test_a_journal_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("a game\n", "utf-8")
    with pytest.raises(UserError, match="not a journal"):
        await play_async(graphs.seat("watson"), players=2, seed=5, journal=path)
    assert path.read_text("utf-8") == "a game\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: not a journal line"),
        (
            '{"v": 1, "event": "moved"}',
            "line 2: journal version 1; this program reads 2; an older release wrote it",
        ),
        ('{"v": 3, "event": "moved"}', "line 2: journal version 3; this program reads 2$"),
        ('{"v": 2, "event": "danced"}', "line 2: .*danced"),
        ('{"v": 2, "event": "game_ended"}', "line 2: game_ended.result: Field required"),
    ],
)
def test_a_line_that_is_no_event_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "game.jsonl"
    play(graphs.seat("watson"), players=2, seed=5, journal=path, max_turns=1)
    path.write_text(path.read_text("utf-8").splitlines()[0] + f"\n{line}\n", "utf-8")
    with pytest.raises(UserError, match=said):
        journal.read(path)


# Seats of other kinds


async def last(view: View, memory: Memory) -> Decision:
    """The last legal move, and a count of own turns."""
    return Decision(
        view.legal[-1], "the last on the list", memory={"turns": memory.get("turns", 0) + 1}
    )


def test_a_plain_function_is_a_seat_and_its_memory_is_its_own() -> None:
    events: list[Event] = []
    result = play(
        [last, graphs.seat("watson"), last], players=3, seed=1, sink=events.append, max_turns=9
    )
    assert result.graph == "last+watson" and result.end in ("max_turns", "lives_lost")
    mine = [decided.memory["turns"] for decided in of(events, Decided) if decided.seat == 0]
    assert mine == list(range(1, len(mine) + 1))
    assert [decided.memory for decided in of(events, Decided) if decided.seat == 1] == [{}, {}, {}]


def test_a_deck_of_ones_own_is_dealt_first_card_first() -> None:
    deck = list(deal(4))[::-1]
    events: list[Event] = []
    result = play(graphs.seat("watson"), players=2, deck=deck, sink=events.append)
    assert result.seed is None and list(of(events, GameStarted)[0].deck) == deck
    assert of(events, TurnStarted)[0].view.dealt[1] == tuple(deck[5:10])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"players": 6}, "2 to 5 players, not 6"),
        ({"seed": 2**31}, "not 2147483648"),
        ({"deck": ["R1"]}, "a deck has 50 cards"),
        ({"deck": deal(1), "seed": 1}, "a seed or a deck, not both"),
    ],
)
def test_what_cannot_be_played_is_said(options: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        play(graphs.seat("watson"), **options)  # type: ignore[arg-type]


def test_seats_and_players_must_agree() -> None:
    with pytest.raises(UserError, match="3 players need 3 seats, not 2"):
        play([last, last], players=3)


@pytest.mark.parametrize("players", [2, 4, 5])
def test_a_list_of_seats_says_how_many_play(players: int) -> None:
    result = play([last] * players, seed=1, max_turns=players)
    assert result.players == players


def test_one_seat_is_no_table() -> None:
    with pytest.raises(UserError, match="Hanabi is for 2 to 5 players, not 1"):
        play([last], seed=1)
