"""Recorded runs played again with nobody to ask, and answers kept across runs."""

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.orchestrator.errors import ModelError, TurnError, UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.journal.recorded_answers import Recording, Replay
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.cache import Cache, Cached
from hanabi_orchestrator.orchestrator.models.finish import TOO_LARGE, TOO_LONG
from hanabi_orchestrator.orchestrator.models.json_schema import response_format
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import Limiter
from hanabi_orchestrator.orchestrator.models.request import (
    Message,
    ModelRequest,
    ModelResponse,
    Part,
    Place,
    messages,
)
from hanabi_orchestrator.orchestrator.models.retries import ChatBrain
from hanabi_orchestrator.orchestrator.models.settings import settings
from hanabi_orchestrator.orchestrator.models.transport import FakeTransport
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from tests.conftest import Run
from tests.support import processes
from tests.support.servers import ask, in_a_thread, quick, server
from tests.test_games import of

GRAPHS = ("cac", "moa_sherlock", "best_of_k")


TURNS = 8
"""Of a game where its end does not matter."""


async def recorded(
    folder: Path, graph: str = "cac", turns: int | None = None, **more: Any
) -> tuple[Path, str]:
    """A game through the fake endpoint, which is gone afterwards."""
    path = folder / f"{graph}.jsonl"
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        seat = graphs.seat(graph, quick(url, **more))
        await play_async(seat, players=3, seed=2, journal=path, max_turns=turns)
        await seat.aclose()
    return path, url


@pytest.fixture(scope="module")
def whole_game(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A whole game of `cac`, and where its server was."""
    return asyncio.run(recorded(tmp_path_factory.mktemp("whole")))


async def replayed(
    config: Any,
    model: Any,
    path: Path,
    *,
    seed: int = 2,
    layer: ModelLayer | None = None,
    turns: int | None = TURNS,
) -> Path:
    seat = graphs.seat(config, model, layer=layer)
    await play_async(seat, players=3, seed=seed, journal=path, max_turns=turns)
    return path


def same(first: Path, second: Path) -> bool:
    """Byte for byte, but for the times at which it was written."""

    def lines(path: Path) -> list[str]:
        events = [{**json.loads(line), "t": None} for line in path.read_text("utf-8").splitlines()]
        return [json.dumps(event) for event in sorted(events, key=json.dumps)]

    return lines(first) == lines(second)


@pytest.mark.parametrize("graph", GRAPHS)
async def test_a_recorded_game_is_played_again_with_the_server_gone(
    tmp_path: Path, graph: str
) -> None:
    path, url = await recorded(tmp_path, graph, TURNS, temperature=0.7, seed=5)
    by_model = await replayed(graph, f"replay:{path}", tmp_path / "a" / "again.jsonl")
    by_layer = await replayed(
        graph,
        quick(url, temperature=0.7, seed=5),
        tmp_path / "b" / "again.jsonl",
        layer=ModelLayer(replay=Replay(Recording.read(tmp_path))),
    )
    assert same(path, by_model) and same(path, by_layer)


PROSE = "I would rather think."
CHOSEN = '{"reason": "r", "action": "play slot 1"}'
AS_TEXT = "Reasoning: r\nChosen move: play slot 1"


def asked_twice(path: Path, second: str, **more: Any) -> list[dict[str, Any]]:
    """The calls of a turn whose first answer is no answer, as its journal says them."""
    brain = ChatBrain(
        FakeTransport([PROSE, second]), settings(quick("http://127.0.0.1:9/v1", **more)), Limiter(2)
    )
    play(graphs.seat("cac_generator", brain), players=2, seed=2, max_turns=1, journal=path)
    return [
        line
        for line in map(json.loads, path.read_text("utf-8").splitlines())
        if line["event"] == "call"
    ]


@pytest.mark.parametrize(
    ("second", "more", "form"),
    [(CHOSEN, {}, "json_schema"), (AS_TEXT, {"response_format": "none"}, None)],
    ids=["with a schema", "as text"],
)
def test_a_second_ask_is_replayed_in_the_format_that_was_recorded(
    tmp_path: Path, second: str, more: dict[str, Any], form: str | None
) -> None:
    calls = asked_twice(tmp_path / "game.jsonl", second, **more)
    assert [call.get("form") for call in calls] == [None, form]
    again = tmp_path / "b" / "again.jsonl"
    play(
        graphs.seat("cac_generator", f"replay:{tmp_path / 'game.jsonl'}"),
        players=2,
        seed=2,
        max_turns=1,
        journal=again,
    )
    assert same(tmp_path / "game.jsonl", again)


def test_an_answer_that_could_not_be_read_when_it_came_stays_unread_in_a_replay(
    tmp_path: Path,
) -> None:
    """Even if a reader of today would take it: the game went on from there without it."""
    path = tmp_path / "game.jsonl"
    again = tmp_path / "b" / "again.jsonl"
    calls = asked_twice(path, CHOSEN)
    assert [call["outcome"] for call in calls] == ["reasked", "ok"]
    path.write_text(
        path.read_text("utf-8").replace(json.dumps(PROSE), json.dumps(AS_TEXT)), "utf-8"
    )
    play(
        graphs.seat("cac_generator", f"replay:{path}"),
        players=2,
        seed=2,
        max_turns=1,
        journal=again,
    )
    assert same(path, again)


async def test_a_request_that_was_not_recorded_names_its_node_and_the_first_section_that_differs(
    tmp_path: Path,
) -> None:
    path, _ = await recorded(tmp_path, turns=TURNS)
    blind = graphs.without_sections(graphs.read("cac"), "discards")
    with pytest.raises(
        TurnError, match=r"turn 1: node 'generate' asks what was not recorded .* section 'discards'"
    ):
        await replayed(blind, f"replay:{path}", tmp_path / "again" / "a.jsonl")
    with pytest.raises(TurnError, match=r"turn 1: node 'generate' asks what was not recorded"):
        await replayed("cac", f"replay:{path}", tmp_path / "again" / "b.jsonl", seed=3)
    more = graphs.verified(graphs.read("cac"), "safety")
    with pytest.raises(TurnError, match=r"turn 1: node 'generate' asks .* section 'instruction'"):
        await replayed(more, f"replay:{path}", tmp_path / "again" / "c.jsonl")


async def test_two_recordings_of_one_game_that_say_different_things_are_named(
    tmp_path: Path,
) -> None:
    path, _ = await recorded(tmp_path, turns=TURNS)
    other = tmp_path / "other.jsonl"
    shutil.copy(path, other)
    await replayed(
        "cac", f"replay:{tmp_path}", tmp_path / "again" / "a.jsonl"
    )  # twice the same is one
    text = other.read_text("utf-8").replace("A blind answer", "Another answer")
    other.write_text(text, "utf-8")
    with pytest.raises(
        TurnError,
        match=r"was answered in several ways .*cac.jsonl, .*other.jsonl.*: replay one journal",
    ):
        await replayed("cac", f"replay:{tmp_path}", tmp_path / "again" / "b.jsonl")


async def test_a_recording_of_several_models_is_replayed_beside_their_names(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        named: dict[str, graphs.Model] = {"hot": quick(url, temperature=1.0)}
        config = graphs.replace(graphs.read("cac"), check="hot")
        seat = graphs.seat(config, quick(url), named=named)
        await play_async(seat, players=3, seed=2, journal=path, max_turns=TURNS)
        await seat.aclose()
    models = {
        event.model
        for event in journal.read(path)
        if isinstance(event, Call) and event.outcome != "unasked"
    }
    assert len(models) == 2 and any(model.endswith(" (hot)") for model in models)
    with pytest.raises(
        UserError, match=r"recorded with several models or none .* or give --cache replay:"
    ):
        graphs.seat("cac", f"replay:{path}")
    again = tmp_path / "again.jsonl"
    seat = graphs.seat(
        config, quick(url), named=named, layer=ModelLayer(replay=Replay(Recording.read(path)))
    )
    await play_async(seat, players=3, seed=2, journal=again, max_turns=TURNS)
    assert same(path, again)


def test_the_command_replays_a_folder_without_a_server_or_a_key(
    run: Run, whole_game: tuple[Path, str]
) -> None:
    game, url = whole_game
    path = Path("games", game.name)
    path.parent.mkdir()
    shutil.copy(game, path)
    play = ("play", "--json", "--graph", "cac", "--seed", "2")
    code, out, _ = run(*play, "--model", "replay:games")
    result = json.loads(out)
    assert (
        code == 0
        and result["journal"] == "games/cac-3p-s2-replay.jsonl"
        and same(path, Path(result["journal"]))
    )
    code, out, _ = run(*play, "--model", f"openai:fake@{url}", "--cache", f"replay:{path}")
    assert code == 0 and same(path, Path(json.loads(out)["journal"]))
    code, _, err = run(*play, "--model", "replay:games", "--players", "2")
    assert code == 2 and err == (
        "error: no game of 2 players, seed 2 is recorded in 'games'; there: 3 players, seed 2\n"
    )
    code, _, err = run(*play, "--cache", f"replay:{path}", "--set", "verify=safety")
    assert (
        code == 1
        and "asks what was not recorded in 'games/cac.jsonl'" in err
        and err.count("\n") == 1
    )
    assert sorted(left.name for left in Path("games").iterdir()) == [
        "cac-3p-s2-replay-2.jsonl",
        "cac-3p-s2-replay.jsonl",
        "cac.jsonl",
    ]
    shutil.rmtree("games")
    Path("games").mkdir()
    assert run(*play, "--model", "replay:games")[2] == "error: 'games' holds no recorded game\n"


@dataclass
class Blind:
    """Answers as the fake endpoint does, and says how hot it is."""

    heat: float

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        told = [{"role": message.role, "content": message.content} for message in messages]
        answer = fake_endpoint.complete(
            {"messages": told, "response_format": response_format(request.reply)}
        )
        text = answer["choices"][0]["message"]["content"]
        return ModelResponse(text=text.replace("A blind answer", f"A blind answer at {self.heat}"))

    async def aclose(self) -> None:
        """Nothing to close."""


async def test_a_folder_with_games_of_several_models_replays_each_from_its_own(
    tmp_path: Path,
) -> None:
    """Never one game with another's answers, not even where the first broke off."""
    path = tmp_path / "hot.jsonl"
    url = "http://127.0.0.1:9/v1"
    cold, hot = (quick(url, temperature=heat) for heat in (0.0, 1.0))
    for model, turns in ((cold, 3), (hot, TURNS)):
        seat = graphs.seat("cac", model)
        seat = replace(seat, brains=dict.fromkeys(seat.brains, Blind(model["temperature"])))
        name = "cold" if model is cold else "hot"
        await play_async(
            seat, players=3, seed=2, journal=tmp_path / f"{name}.jsonl", max_turns=turns
        )
    layer = ModelLayer(replay=Replay(Recording.read(tmp_path)))
    again = await replayed("cac", hot, tmp_path / "again" / "hot.jsonl", layer=layer)
    assert same(path, again)
    with pytest.raises(TurnError, match="turn 4: node 'interpret' asks what was not recorded"):
        await replayed("cac", cold, tmp_path / "again" / "cold.jsonl", layer=layer)
    with pytest.raises(
        UserError, match=r"several models or none .*'temperature': 0.0.*'temperature': 1.0"
    ):
        graphs.seat("cac", f"replay:{tmp_path}")


# The cache


class Counting:
    """A brain that says something else every time, slowly."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        self.asked[request.node] += 1
        await asyncio.sleep(0.01)
        return ModelResponse(
            text=f"answer {self.asked.total()}", tokens_in=5, tokens_out=2, usd=0.5, finish="stop"
        )

    async def aclose(self) -> None:
        """Nothing to close."""


async def said(cached: Cached, one: ModelRequest) -> ModelResponse:
    return await cached(one, messages(one.parts))


async def test_the_same_question_is_asked_once_and_again_only_when_something_that_decides_differs(
    tmp_path: Path,
) -> None:
    brain = Counting()
    cache = Cache(tmp_path)
    plain = settings("openai:m@http://127.0.0.1:9/v1")
    first = await said(Cached(brain, cache, plain), ask())
    again = await said(Cached(brain, cache, plain), ask(place=Place("another game", 1, 9, 2)))
    assert (again.text, again.cached, again.usd, again.tokens_in) == (first.text, True, None, 5)
    assert not first.cached and brain.asked.total() == 1
    others = [
        ask(node="analyst"),
        ask(sample=1),
        ask(place=Place(repeat=2)),
        ask(Part("state", "Another table.")),
        replace(ask(), ask=1),
    ]
    texts = {(await said(Cached(brain, cache, plain), one)).text for one in (*others, *others)}
    assert len({first.text, *texts}) == 6, (
        "each differs from the first question and from one another"
    )
    for more in (
        {"temperature": 0.5},
        {"top_p": 0.5},
        {"max_tokens": 5},
        {"seed": 1},
        {"extra_body": {"top_k": 5}},
        {"reasoning_effort": "low"},
        {"response_format": "none"},
        {"model": "openai:n@http://127.0.0.1:9/v1"},
        {"model": "openai:m@http://127.0.0.1:10/v1"},
    ):
        other = settings({"model": plain.model, **more})
        assert not (await said(Cached(brain, cache, other), ask())).cached
    same_answers = settings(
        {"model": plain.model, "timeout_s": 5, "max_concurrency": 1, "max_answer_bytes": 20_000}
    )
    assert (await said(Cached(brain, cache, same_answers), ask())).cached


@pytest.mark.parametrize("finish", [TOO_LARGE, TOO_LONG])
async def test_an_answer_that_never_came_is_asked_for_again(tmp_path: Path, finish: str) -> None:
    class Unread(Counting):
        async def __call__(
            self, request: ModelRequest, messages: tuple[Message, ...], /
        ) -> ModelResponse:
            return replace(await super().__call__(request, messages), text="", finish=finish)

    brain = Unread()
    cached = Cached(brain, Cache(tmp_path), settings("openai:m@http://127.0.0.1:9/v1"))
    assert (
        not any([(await said(cached, ask())).cached for _ in range(2)]) and brain.asked.total() == 2
    )


async def test_a_question_that_is_being_asked_is_waited_for(tmp_path: Path) -> None:
    """In one process, and in two that share the folder."""
    brain = Counting()
    plain = settings("openai:m@http://127.0.0.1:9/v1")
    shared = Cached(brain, Cache(tmp_path), plain)
    heard = await asyncio.gather(*(said(shared, ask()) for _ in range(5)))
    assert brain.asked.total() == 1 and sum(one.cached for one in heard) == 4
    others = [asyncio.to_thread(processes.script, tmp_path, OTHER_PROCESS) for _ in range(2)]
    outputs = [done.stdout.split() for done in await asyncio.gather(*others)]
    assert sorted(output[1] for output in outputs) == ["False", "True"]
    assert len({output[0] for output in outputs}) == 1


OTHER_PROCESS = """
import asyncio, os, sys
from pathlib import Path
from hanabi_orchestrator.orchestrator.models.request import ModelResponse, messages
from hanabi_orchestrator.orchestrator.models.cache import Cache, Cached
from hanabi_orchestrator.orchestrator.models.json_schema import response_format
from hanabi_orchestrator.orchestrator.models.settings import settings
from tests.support.servers import ask

class Slow:
    async def __call__(self, request, messages, /):
        await asyncio.sleep(3)
        return ModelResponse(text=str(os.getpid()))

async def main():
    one = ask(node="elsewhere")
    made = Cached(Slow(), Cache(Path(".")), settings("openai:m@http://127.0.0.1:9/v1"))
    said = await made(one, messages(one.parts))
    print(said.text, said.cached)

asyncio.run(main())
"""


async def test_a_call_that_fails_is_not_kept_and_lets_the_next_one_ask(tmp_path: Path) -> None:
    class Failing(Counting):
        async def __call__(
            self, request: ModelRequest, messages: tuple[Message, ...], /
        ) -> ModelResponse:
            spoken = await super().__call__(request, messages)
            if self.asked.total() == 1:
                raise ModelError("down")
            return spoken

    shared = Cached(Failing(), Cache(tmp_path), settings("openai:m@http://127.0.0.1:9/v1"))
    results = await asyncio.gather(*(said(shared, ask()) for _ in range(3)), return_exceptions=True)
    assert sum(isinstance(one, ModelError) for one in results) == 1
    assert sorted(one.cached for one in results if isinstance(one, ModelResponse)) == [False, True]


async def test_a_game_from_the_cache_is_the_same_game_and_costs_nothing(tmp_path: Path) -> None:
    results = []
    games = []
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        for number in (1, 2):
            layer = ModelLayer(cache=Cache(tmp_path / "kept"))
            seat = graphs.seat(
                "best_of_k", quick(url, price={"input": 1, "output": 2}), layer=layer
            )
            events: list[Event] = []
            path = tmp_path / f"{number}.jsonl"
            results.append(
                await play_async(
                    seat, players=2, seed=3, sink=events.append, journal=path, max_turns=TURNS
                )
            )
            games.append(events)
            await seat.aclose()
            layer.close()
    paid, kept = results
    assert (paid.cache_hits, kept.cache_hits, kept.calls) == (0, paid.calls, paid.calls)
    assert (
        (kept.tokens_in, kept.tokens_out, kept.usd) == (0, 0, None)
        and paid.tokens_in > 0
        and (paid.usd or 0) > 0
    )
    assert kept.fireworks == paid.fireworks and kept.turns == paid.turns
    samples = [
        event
        for event in games[0]
        if isinstance(event, Call) and event.turn == 1 and event.node == "proposer"
    ]
    assert sorted(call.sample for call in samples) == [0, 1, 2, 3, 4]
    assert all(call.cached for call in games[1] if isinstance(call, Call) and call.of_model)


# A recording beside a model that is paid


@dataclass
class Mixed:
    """A game whose interpreter is replayed from `recording/`, while a server answers the other nodes."""

    run: Run
    asked: list[str]
    whole: list[bytes]

    def play(self, *more: str) -> tuple[int, str, str]:
        play = (
            "play",
            "--json",
            "--graph",
            "cac",
            "--seed",
            "2",
            "--set",
            "nodes.interpret.model=old",
        )
        return self.run(*play, "--model", "mixed.yaml", *more)

    def record(self, turns: int | None = None) -> None:
        """Have the recording end after so many turns."""
        moved = [number for number, line in enumerate(self.whole, 1) if b'"event": "moved"' in line]
        kept = self.whole[: None if turns is None else moved[turns - 1]]
        Path("recording/game.jsonl").write_bytes(b"".join(kept))


@pytest.fixture
def mixed(run: Run, whole_game: tuple[Path, str]) -> Iterator[Mixed]:
    Path("recording").mkdir()
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        if request.method == "GET":
            return web.json_response({"data": []})
        body = await request.json()
        asked.append(json.dumps(body["messages"]))
        return web.json_response(fake_endpoint.complete(body))

    with in_a_thread(server(answer)) as url:
        models = {"default": quick(url, temperature=0.5, max_tokens=500), "old": "replay:recording"}
        Path("mixed.yaml").write_text(yaml.safe_dump(models), "utf-8")
        whole = whole_game[0].read_bytes().splitlines(keepends=True)
        yield Mixed(run, asked, whole)


def test_paid_answers_are_kept_when_the_recording_beside_them_runs_out(mixed: Mixed) -> None:
    mixed.record(turns=3)
    code, _, err = mixed.play()
    kept = Path("games/cac-interpret-model-old-3p-s2-replay.jsonl")
    assert code == 1 and "asks what was not recorded in 'recording'" in err and err.count("\n") == 1
    assert f"the game is kept in {kept}, and the same command goes on with it" in err
    paid = len(mixed.asked)
    assert paid >= 3 and mixed.play()[0] == 1 and len(mixed.asked) == paid
    mixed.record()
    code, out, err = mixed.play()
    assert (code, json.loads(out)["journal"]) == (0, str(kept)), err
    assert len(mixed.asked) > paid and len(mixed.asked) == len(set(mixed.asked))
    assert list(Path("games").iterdir()) == [kept]


def test_a_budget_stop_of_such_a_game_goes_on_without_paying_again(mixed: Mixed) -> None:
    mixed.record()
    assert mixed.play("--budget", "7000tokens")[0] == 3
    paid = len(mixed.asked)
    (path,) = Path("games").iterdir()
    events = journal.read(path)
    tokens = {
        old: sum(
            call.tokens_in + call.tokens_out
            for call in of(events, Call)
            if (call.node == "interpret") == old
        )
        for old in (True, False)
    }
    assert paid and tokens[False] <= 7_000 and tokens[True] > 500
    assert mixed.play("--budget", f"{7_000 + tokens[True]}tokens")[0] == 3
    assert len(mixed.asked) > paid  # what was replayed cost nothing
    assert mixed.play()[0] == 0 and len(mixed.asked) == len(set(mixed.asked))
