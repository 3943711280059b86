"""Games that stop at any moment and go on by the same command: nothing asked twice, nothing lost, nothing different."""

import random
import re
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.orchestrator.errors import IllegalMove, Suspended, TurnError, UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import HintColour
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameSuspended,
    Memory,
    Moved,
    Result,
)
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.request import Message, Scripted, prompt_hash
from hanabi_orchestrator.orchestrator.table.seat import Decision
from tests.support import processes
from tests.support.prove import FULL
from tests.support.servers import in_a_thread, quick
from tests.support.small_graph import scripted


def game(path: Path, brain: Scripted, **more: Any) -> Result:
    """Sixteen turns of a graph with a judge."""
    return play(graphs.seat("cac", brain), players=3, seed=4, journal=path, max_turns=16, **more)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Scripted]:
    """The journal of a whole game, and who was asked in it."""
    path = tmp_path_factory.mktemp("whole") / "whole.jsonl"
    brain = talkative()
    game(path, brain)
    return path.read_bytes(), brain


Whole = tuple[Path, Scripted]


@pytest.fixture
def whole(unbroken: tuple[bytes, Scripted], tmp_path: Path) -> Whole:
    """A whole game in the folder of a test."""
    path = tmp_path / "whole.jsonl"
    path.write_bytes(unbroken[0])
    return path, unbroken[1]


@pytest.fixture(scope="module")
def programs_game(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The journal of a game of `cac` by programs."""
    path = tmp_path_factory.mktemp("programs") / "game.jsonl"
    play(graphs.seat("cac"), players=3, seed=4, journal=path)
    return path.read_bytes()


def talkative() -> Scripted:
    """Answers by the prompt alone: now and then unusable, now and then refused."""

    def chosen(ask: Any) -> Any:
        risky = [number for number, move in ask.moves.items() if move.kind == "play"]
        discards = [number for number, move in ask.moves.items() if move.kind == "discard"]
        calm = discards or [number for number in ask.moves if number not in risky]
        unusable = ask.place.turn % 7 == 0 and ask.ask == 0
        return "mumble" if unusable else {"reason": "r", "action": (calm or list(ask.moves))[-1]}

    return scripted(
        generator=chosen,
        self_verifier=lambda ask: {
            "reason": "x",
            "accept": ask.place.turn % 5 != 0 or "-" in ask.node,
        },
        cac_interpreter="no report today",
    )


def cut(path: Path, size: int) -> Path:
    """The journal as a killed program would have left it."""
    broken = path.with_name(f"cut-{size}.jsonl")
    broken.write_bytes(path.read_bytes()[:size])
    return broken


def test_a_game_cut_anywhere_goes_on_to_the_same_journal_and_asks_nothing_twice(
    whole: Whole,
) -> None:
    path, brain = whole
    data = path.read_bytes()
    unbroken = journal.comparable(journal.read(path))
    calls = sum(event.of_model for event in journal.read(path) if isinstance(event, Call))
    assert calls == len(brain.asked)
    chance = random.Random(1)
    places = [
        0,
        1,
        len(data) - 1,
        len(data),
        *(chance.randrange(len(data)) for _ in range(200 if FULL else 3)),
    ]
    for place in places:
        broken = cut(path, place)
        again = talkative()
        there = sum(event.of_model for event in journal.read(broken) if isinstance(event, Call))
        game(broken, again)
        assert journal.comparable(journal.read(broken)) == unbroken
        assert len(again.asked) == calls - there
        assert broken.read_bytes().endswith(b"\n")


def test_a_game_cut_between_two_lines_goes_on_to_the_same_journal(whole: Whole) -> None:
    path, _ = whole
    lines = path.read_bytes().splitlines(keepends=True)
    unbroken = journal.comparable(journal.read(path))
    for number in range(1, 26, 1 if FULL else 11):
        broken = cut(path, sum(map(len, lines[:number])))
        game(broken, talkative())
        assert journal.comparable(journal.read(broken)) == unbroken


def test_a_finished_game_is_not_played_again(whole: Whole) -> None:
    path, _ = whole
    before = path.read_bytes()
    again = talkative()
    heard = list[Event]()
    result = game(path, again, sink=heard.append)
    assert path.read_bytes() == before and not again.asked
    assert heard == journal.read(path) and result.turns == 16 == sum(
        isinstance(event, Moved) for event in heard
    )


def test_memories_go_on(tmp_path: Path) -> None:
    async def counting(view: View, memory: Memory) -> Decision:
        return Decision(view.legal[-1], memory={"turns": memory.get("turns", 0) + 1})

    def on(path: Path) -> list[Event]:
        play(counting, players=2, seed=1, journal=path)
        return journal.read(path)

    first = on(tmp_path / "a.jsonl")
    size = (tmp_path / "a.jsonl").stat().st_size
    for share in (0.3, 0.6, 0.9):
        assert journal.comparable(
            on(cut(tmp_path / "a.jsonl", int(size * share)))
        ) == journal.comparable(first)
    assert [e.memory["turns"] for e in first if isinstance(e, Decided) and e.seat == 1][:3] == [
        1,
        2,
        3,
    ]


def test_a_suspended_game_goes_on_and_keeps_its_faults(tmp_path: Path, whole: Whole) -> None:
    class Gate:
        turns = 0

        async def enter(self) -> str | None:
            self.turns += 1
            return "enough for today" if self.turns % 4 == 0 else None

        def leave(self) -> None:
            """Nothing to do."""

    path = tmp_path / "game.jsonl"
    gate = Gate()
    stops = 0
    while True:
        try:
            game(path, talkative(), gate=gate)
            break
        except Suspended as error:
            assert str(error) == "enough for today"
            stops += 1
    events = journal.read(path)
    assert stops > 3 and sum(isinstance(event, GameSuspended) for event in events) == stops
    plain = [event for event in events if not isinstance(event, GameSuspended)]
    assert journal.comparable(plain) == journal.comparable(journal.read(whole[0]))


async def illegal(view: View, memory: Memory) -> Decision:
    return Decision(HintColour(to=view.seat, colour="R"))


async def legal(view: View, memory: Memory) -> Decision:
    return Decision(view.legal[-1], memory={"kept": {1: (2, 3)}})


def test_an_illegal_decision_was_never_made(tmp_path: Path) -> None:
    """The seat is mended, and the game goes on."""
    path = tmp_path / "game.jsonl"
    named = {"illegal": illegal, "legal": legal}
    for name, seat in named.items():
        seat.__name__ = "seat"
        if name == "illegal":
            with pytest.raises(IllegalMove):
                play(seat, players=2, seed=1, journal=path)
        else:
            assert play(seat, players=2, seed=1, journal=path, max_turns=4).turns
    assert {
        str(decided.memory) for decided in journal.read(path) if isinstance(decided, Decided)
    } == {"{'kept': {'1': [2, 3]}}"}


def test_a_seat_gets_its_memory_as_a_game_that_goes_on_would_read_it() -> None:
    heard: list[Memory] = []

    async def listening(view: View, memory: Memory) -> Decision:
        heard.append(memory)
        return await legal(view, memory)

    play(listening, players=2, seed=1, max_turns=4)
    assert heard[2:] == [{"kept": {"1": [2, 3]}}] * 2


# What is no continuation


def model(**more: Any) -> dict[str, Any]:
    return quick("http://127.0.0.1:9/v1", **more)


@pytest.mark.parametrize(
    ("seat", "options", "said"),
    [
        (lambda: graphs.seat("watson"), {}, "graph was 'cac', is 'watson'"),
        (
            lambda: graphs.seat(graphs.verified(graphs.read("cac"), "safety")),
            {},
            "verify.rule was 'none', is 'safety'",
        ),
        (
            lambda: graphs.seat("cac", named={"default": "program"}),
            {"seed": 5},
            "the deal was seed 4, is seed 5",
        ),
        (lambda: graphs.seat("cac"), {"players": 2}, "players was 3, is 2"),
        (lambda: graphs.seat("cac"), {"repeat": 2}, "repeat was 1, is 2"),
        (
            lambda: graphs.seat("cac", model()),
            {},
            "holds another game: model was 'program', is 'openai:fake@http://127.0.0.1:9/v1'",
        ),
    ],
)
def test_another_configuration_is_refused_with_the_difference_named(
    tmp_path: Path,
    programs_game: bytes,
    seat: Callable[[], Any],
    options: dict[str, Any],
    said: str,
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(programs_game)
    with pytest.raises(UserError) as caught:
        play(seat(), **{"players": 3, "seed": 4, "journal": path, **options})
    assert said in str(caught.value) and "holds another game: " in str(caught.value)
    assert path.read_bytes() == programs_game


def test_another_sampling_is_another_game_and_another_timeout_is_not(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with pytest.raises(Suspended):
        play(graphs.seat("cac", model()), players=3, seed=4, journal=path)
    for changed, said in (
        (
            {"temperature": 0.5},
            "temperature of openai:fake@http://127.0.0.1:9/v1 was not there, is 0.5",
        ),
        ({"max_tokens": 9}, "max_tokens"),
    ):
        with pytest.raises(UserError, match=said):
            play(graphs.seat("cac", model(**changed)), players=3, seed=4, journal=path)
    with pytest.raises(Suspended):  # tried again, in vain: it is the same game
        play(graphs.seat("cac", model(attempts=2, timeout_s=1)), players=3, seed=4, journal=path)


def test_a_changed_prompt_is_named(
    tmp_path: Path, programs_game: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hanabi_orchestrator import prompts

    path = tmp_path / "game.jsonl"
    path.write_bytes(programs_game)
    other = {
        **prompts.hashes(),
        "sections/rules_brief.md": "0123456789abcdef",
        "roles/analyst.md": "fedcba9876543210",
    }
    monkeypatch.setattr(prompts, "hashes", lambda: other)
    with pytest.raises(UserError) as caught:
        play(graphs.seat("cac"), players=3, seed=4, journal=path)
    assert "prompts.sections/rules_brief.md was" in str(caught.value) and "analyst" not in str(
        caught.value
    )


def test_a_program_that_answers_otherwise_than_its_journal_is_found_out(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    play(graphs.seat("watson"), players=3, seed=4, journal=path)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if '"event": "call"' in line)
    path.write_text(
        "".join(lines[:last]) + lines[last].replace('"reason": "', '"reason": "Hm, '), "utf-8"
    )
    with pytest.raises(
        TurnError,
        match="node 'proposer' says is not what the journal says; was the program changed",
    ):
        play(graphs.seat("watson"), players=3, seed=4, journal=path)


def test_an_answer_to_another_prompt_is_not_used(whole: Whole) -> None:
    path, _ = whole
    lines = path.read_text("utf-8").splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if '"prompt_hash": "' in line)
    changed = re.sub('"prompt_hash": "[^"]*"', '"prompt_hash": "0"', lines[last])
    path.write_text("".join(lines[:last]) + changed, "utf-8")
    with pytest.raises(TurnError, match="the journal holds an answer to another prompt"):
        game(path, talkative())


def test_one_program_at_a_time_plays_a_game(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with (
        journal.Journal(path),
        pytest.raises(UserError, match="another program is playing the game"),
    ):
        game(path, talkative())


@pytest.mark.parametrize("text", ["notes of mine", "{", '{"v": 2, "ev', "\x00\xff", '{"a": 1}\n'])
def test_a_file_that_is_no_journal_stays_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(text, "utf-8")
    if '{"v": 2, "event": "game_started"'.startswith(text):  # the first line of a killed program
        assert game(path, talkative()).turns
    else:
        with pytest.raises(UserError):
            game(path, talkative())
        assert path.read_text("utf-8") == text


def test_a_journal_without_its_first_line_is_not_played_on(whole: Whole) -> None:
    path, brain = whole
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(rest := b"".join(lines[1:]))
    with pytest.raises(UserError, match="does not begin with a game_started line"):
        game(path, brain)
    assert path.read_bytes() == rest


# kill -9


class Watched:
    """The fake endpoint, with what it was asked and what is being answered."""

    def __init__(self, latency_s: float) -> None:
        self.asked: Counter[str] = Counter()
        self.latency_s = latency_s
        self.app = fake_endpoint.app(latency_s)
        self.app.middlewares.append(self._count)

    @web.middleware
    async def _count(self, request: web.Request, handler: Any) -> Any:
        if request.method == "POST":
            told = (await request.json())["messages"]
            self.asked[
                prompt_hash([Message(role=m["role"], content=m["content"]) for m in told])
            ] += 1
        return await handler(request)

    @property
    def total(self) -> int:
        return self.asked.total()


KILLS = 5 if FULL else 2
"""A game."""
TOGETHER = 5
"""Calls that a seat of these graphs has in flight at most."""
KINDS = ("moa_sherlock", "cac", "house", "best_of_k")
GAMES = [(KINDS[(number + number // 4) % 4], 2 + number % 4) for number in range(10 if FULL else 1)]


@pytest.mark.parametrize(("graph", "players"), GAMES)
def test_killed_at_any_moment_a_game_pays_again_only_what_was_in_flight(
    tmp_path: Path, graph: str, players: int
) -> None:
    chance = random.Random(f"{graph}-{players}")
    watched = Watched(latency_s=0.01)
    broken = tmp_path / "broken"
    unbroken = tmp_path / "unbroken"
    lost = [0]
    with in_a_thread(watched.app) as url:
        model = tmp_path / "model.yaml"
        model.write_text(yaml.safe_dump(quick(url)), "utf-8")
        command = ["play", "--json", "--graph", graph, "--players", str(players), "--seed", "6"]
        command += ["--model", str(model), "--out"]
        assert processes.command(tmp_path, *command, str(unbroken)).returncode == 0
        wanted = watched.total
        watched.asked.clear()
        for _ in range(KILLS):
            kill(tmp_path, [*command, str(broken)], watched, chance)
            lost.append(watched.total - paid(broken))
        assert processes.command(tmp_path, *command, str(broken)).returncode == 0
    first, second = (journal.read(next(folder.glob("*.jsonl"))) for folder in (unbroken, broken))
    assert journal.comparable(second) == journal.comparable(first)
    assert all(0 <= after - before <= TOGETHER for before, after in pairwise(lost))
    assert watched.total - wanted == lost[-1]


def kill(folder: Path, command: list[str], watched: Watched, chance: random.Random) -> None:
    """Start the command, and kill it at some moment after its first call."""
    before = watched.total
    process = processes.begun(folder, *command)
    while watched.total == before and process.is_alive():
        time.sleep(0.005)
    time.sleep(chance.random() * 0.4)
    process.kill()
    process.join()
    time.sleep(3 * watched.latency_s)


def paid(folder: Path) -> int:
    """The answers that its journal holds."""
    events = [event for file in folder.glob("*.jsonl") for event in journal.read(file)]
    return sum(isinstance(event, Call) and event.of_model for event in events)
