"""A run that is controlled while it is played: nothing is asked in a pause, and the results are the same."""

import asyncio
import os
import signal
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

from hanabi_orchestrator.experiments.running import control_folder
from hanabi_orchestrator.experiments.running.control_folder import CONTROL, listening, players
from hanabi_orchestrator.experiments.tasks import run_kinds
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from tests.conftest import Run
from tests.experiments.running.test_executors import PROGRAMS, asking, played, scores, written
from tests.support import processes
from tests.support.servers import in_a_thread

GAMES = ["full/2p-s1-r1", "no-discards/2p-s1-r1"]


class Halting:
    """A server that keeps requests waiting after a number of answers, so that commands find the run in play."""

    def __init__(self) -> None:
        self.status = 200
        self.come = self.answered = self.together = self.most = 0
        """Requests that have come, answers, requests in flight, and the most of these at a time."""
        self.answers = 8

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.come += 1
        self.together += 1
        self.most = max(self.most, self.together)
        while self.answered >= self.answers:  # noqa: ASYNC110  # another thread gives no event
            await asyncio.sleep(0.01)
        self.answered += 1
        self.together -= 1
        if self.status != 200:
            return web.json_response({"error": {"message": "not now"}}, status=self.status)
        return web.json_response(fake_endpoint.complete(await request.json()))

    async def listing(self, _: web.Request) -> web.StreamResponse:
        return web.json_response({"data": []})

    def go_on(self, answers: int = 10**9) -> None:
        """Answer so many more."""
        self.answers = self.answered + answers

    @property
    def app(self) -> web.Application:
        made = web.Application(client_max_size=2**26)
        made.router.add_post("/v1/chat/completions", self.answer)
        made.router.add_get("/v1/models", self.listing)
        return made


def patient(url: str) -> dict[str, Any]:
    """Two games, with calls that no halt of the server cuts."""
    return asking(url, timeout_s=100) | {"seeds": [1]}


@pytest.fixture
def halting() -> Iterator[tuple[Halting, str]]:
    server = Halting()
    with in_a_thread(server.app) as url:
        yield server, url


def until(true: Callable[[], object], what: str = "what was awaited") -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.05)


class Meanwhile(threading.Thread):
    """What a user does at another terminal while the test plays a run; its errors are the test's."""

    def __init__(self, act: Callable[[], None]) -> None:
        super().__init__()
        self._act = act
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._act()
        except BaseException as error:
            self._error = error

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self.join()
        if self._error:
            raise self._error


def said(folder: Path, command: str, **given: Any) -> str:
    (sentence,) = run_kinds.command(folder, command, **given)["said"]
    return str(sentence)


def refused(folder: Path, command: str, **given: Any) -> str:
    with pytest.raises(UserError) as error:
        run_kinds.command(folder, command, **given)
    return str(error.value)


def at_rest(server: Halting) -> None:
    """Calls in flight end, and no other comes."""
    server.go_on()
    until(lambda: not server.together, "the end of the calls in flight")
    come = server.come
    time.sleep(0.5)
    assert server.come == come


def halted(server: Halting) -> None:
    until(lambda: server.answered >= server.answers and server.together, "the halt of the server")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run without commands."""
    server = Halting()
    folder = tmp_path_factory.mktemp("undisturbed")
    server.go_on()
    with in_a_thread(server.app) as url:
        played(patient(url), folder)
    return folder


def test_a_paused_run_asks_nothing_and_survives_its_kill(
    run: Run, halting: tuple[Halting, str], undisturbed: Path, tmp_path: Path
) -> None:
    server, url = halting
    path = written(patient(url), tmp_path)
    folder = tmp_path / "out"
    command = ("experiment", "run", path, "--out", str(folder), "-q")
    process = processes.begun(tmp_path, *command)
    halted(server)
    assert said(folder, "pause").startswith("paused")
    at_rest(server)
    (player,) = players(folder)
    assert player.about["pid"] == process.pid
    code, out, _ = run("experiment", "status", str(folder))
    assert code == 0 and "paused since" in out and f"experiment control {folder} resume" in out
    assert said(folder, "pause").startswith("it is paused already, since")

    assert said(folder, "limit", model="fake", most=1).endswith(
        "at most 1 call at a time; before 3"
    )
    server.most = 0
    server.go_on(6)
    assert said(folder, "resume").startswith("it goes on")
    halted(server)
    assert server.most == 1

    said(folder, "pause")
    at_rest(server)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join(60)
    assert "is not running" in refused(folder, "resume") and not list((folder / CONTROL).glob("*"))
    code, out, _ = run("experiment", "status", str(folder))
    assert code == 0 and "not running" in out and "so far" in out
    assert run(*command)[0] == 0
    assert scores(folder) == scores(undisturbed)
    noted = yaml.safe_load((folder / "run.yaml").read_text("utf-8"))
    assert [one["did"] for one in noted["by_hand"]] == ["pause", "limit", "resume", "pause"]
    assert "by hand" not in run("report", str(folder))[1]
    assert not (folder / CONTROL).exists()


def test_workers_obey_and_an_interrupt_ends_a_paused_run(
    halting: tuple[Halting, str], undisturbed: Path, tmp_path: Path
) -> None:
    server, url = halting
    path = written(patient(url), tmp_path)
    folder = tmp_path / "out"
    command = ("experiment", "run", path, "--out", str(folder), "-q", "--workers", "2")
    process = processes.begun(tmp_path, *command)
    halted(server)
    said(folder, "pause")
    at_rest(server)
    assert "2 processes divide the calls" in refused(folder, "limit", model="fake", most=1)
    assert "1 for each of 2 processes" in said(folder, "limit", model="fake", most=2)
    server.most = 0
    server.go_on(8)
    said(folder, "resume")
    halted(server)
    assert 1 <= server.most <= 2
    said(folder, "pause")
    at_rest(server)
    come = server.come
    assert process.pid is not None
    os.kill(process.pid, signal.SIGINT)
    process.join(60)
    assert process.exitcode == 130 and server.come == come
    assert "kept" in (tmp_path / "stderr").read_text("utf-8")
    assert processes.command(tmp_path, *command).returncode == 0
    assert scores(folder) == scores(undisturbed)


def test_a_suspended_game_is_tried_again_and_counted_once(
    halting: tuple[Halting, str], undisturbed: Path, tmp_path: Path
) -> None:
    server, url = halting

    def act() -> None:
        halted(server)
        server.status = 500
        server.go_on(6)  # the two tries of three calls
        until(lambda: run_kinds.status(tmp_path)["suspended"], "the suspension of a game")
        server.status = 200
        server.go_on(2)
        first = next(iter(run_kinds.status(tmp_path)["suspended"]))
        assert first in said(tmp_path, "retry", game=f"games/{first}.jsonl")
        assert "is in play or waits for its turn" in refused(tmp_path, "retry", game=first)
        assert "did you mean 'full/2p-s1-r1'" in refused(tmp_path, "retry", game="ful/2p-s1-r1")
        for name in run_kinds.status(tmp_path)["suspended"]:
            said(tmp_path, "retry", game=name)
        server.go_on()

    with Meanwhile(act):
        done = played(patient(url) | {"seeds": [1, 2]}, tmp_path)
    assert not done.left and not done.suspended
    assert done.status.turns == sum(row.turns for row in done.rows)
    assert done.status.tokens == sum(row.tokens_in + row.tokens_out for row in done.rows)
    assert scores(tmp_path).items() >= scores(undisturbed).items()


def test_a_cancelled_game_is_left_out_until_the_next_command(
    halting: tuple[Halting, str], undisturbed: Path, tmp_path: Path
) -> None:
    server, url = halting

    def act() -> None:
        halted(server)
        assert "left out until the next command" in said(tmp_path, "cancel", game=GAMES[1])
        assert "is cancelled already" in said(tmp_path, "cancel", game=GAMES[1])
        found = refused(tmp_path, "limit", model="fakr", most=2)
        assert found == "this run asks no model 'fakr'; did you mean 'fake'? It asks: fake"
        assert "is in play or waits for its turn" in refused(tmp_path, "retry", game=GAMES[0])
        server.go_on()

    with Meanwhile(act):
        done = played(patient(url), tmp_path)
    assert done.suspended == f"{GAMES[1]}: cancelled by hand" and done.left == 1
    done = played(patient(url), tmp_path)
    assert not done.left and scores(tmp_path) == scores(undisturbed)


def test_a_run_that_nobody_plays_and_folders_without_a_run_are_told(
    run: Run, tmp_path: Path
) -> None:
    played(PROGRAMS | {"players": [2], "seeds": [1]}, tmp_path / "mine")
    code, out, _ = run("experiment", "status", "mine")
    assert (
        code == 0
        and "2 of 2 finished" in out
        and "not running" in out
        and "orchestrator report mine" in out
    )
    code, out, _ = run("experiment", "status", "mine", "--json")
    assert code == 0 and '"games": 2' in out and '"players": []' in out
    for command in (
        ["mine", "pause"],
        ["mine", "resume"],
        ["mine", "limit", "fake", "2"],
        ["x", "retry", "mine"],
        ["mine", "retry", "x"],
    ):
        code, _, err = run("experiment", "control", *command)
        assert (
            code == 2
            and err.startswith("error: the run in 'mine' is not running")
            and err.count("\n") == 1
        )
    code, _, err = run("experiment", "control", "none", "pause")
    assert code == 2 and "there is no run in 'none', for it has no run.yaml" in err


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A run folder under a path longer than a socket may have."""
    folder = tmp_path.joinpath(*["a-folder-with-a-long-name"] * 8)
    folder.mkdir(parents=True)
    (folder / "run.yaml").write_text("name: mine\n", "utf-8")
    return folder


def test_only_the_owner_can_read_what_controls_a_run(mine: Path) -> None:
    with listening(mine, {}) as inbox:
        assert inbox
        there = mine / CONTROL
        assert stat.S_IMODE(there.stat().st_mode) == 0o700
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in there.iterdir())
        (player,) = players(mine)
        with Meanwhile(lambda: until_asked(inbox)):
            assert player.ask(command="pause") == {"ok": True, "asked": "pause"}
        (there / f"{player.name}.1.request").symlink_to(mine / "run.yaml")
        (there / f"{player.name}.2.request").write_text("no JSON", "utf-8")
        (there / f"{player.name}.3.request").write_text("[" * 60_000, "utf-8")
        os.mkfifo(there / f"{player.name}.4.request")
        for number, text in enumerate(("", "{", "[1]", '{"pid": "x"}', "\udcff")):
            (there / f"{number}.player").write_text(text, "utf-8", "surrogateescape")
        os.mkfifo(there / "5.player")
        assert [one.name for one in players(mine)] == [player.name]
        for number in range(6):
            (there / f"{number}.player").unlink()
        inbox.poll(lambda request: pytest.fail(f"answered {request}"))
        assert not list(there.glob("*.re*")) and (mine / "run.yaml").exists()
    assert not there.exists()


def test_what_a_killed_run_left_is_removed(mine: Path) -> None:
    with listening(mine, {"shard": "1/2"}), listening(mine, {"shard": "2/2"}):
        assert len(players(mine)) == 2
        (mine / CONTROL / "99-dead.player").write_text(
            f'{{"pid": 99, "host": "{socket.gethostname()}"}}'
        )
        (mine / CONTROL / "99-far.player").write_text('{"pid": 99, "host": "another"}')
        assert [one.name for one in players(mine) if one.name.startswith("99-")] == ["99-far"]
        assert not (mine / CONTROL / "99-dead.player").exists()
    with listening(mine, {}):
        assert len(players(mine)) == 1


def until_asked(inbox: control_folder.Inbox) -> None:
    asked: list[object] = []

    def answer(request: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(request)
        return {"asked": request["command"]}

    def answered() -> bool:
        inbox.poll(answer)
        return bool(asked)

    until(answered)


def test_a_run_that_does_not_answer_and_another_users_are_told(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_folder, "PATIENCE_S", 0.1)
    with (
        listening(mine, {}),
        pytest.raises(TimeoutError, match=r"does not answer.*Nothing was changed, try again"),
    ):
        run_kinds.command(mine, "pause")
    monkeypatch.setattr(Path, "iterdir", lambda _: (_ for _ in ()).throw(PermissionError))
    (mine / CONTROL).mkdir()
    assert "and only they can control it" in refused(mine, "pause")
    assert "only they can control it" in run_kinds.status(mine)["silent"][0]
