"""However a run is played, and whatever stops it: the same games, nothing lost, the exit code that says why."""

import asyncio
import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.running.executors import LocalExecutor, WorkerPool, stream
from hanabi_orchestrator.experiments.running.model_options import ModelOptions
from hanabi_orchestrator.experiments.running.processes import Processes
from hanabi_orchestrator.experiments.running.runner import RunOptions, Shard
from hanabi_orchestrator.experiments.running.unit_pool import UnitPool
from hanabi_orchestrator.experiments.study.experiment import parse
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.tasks.games.experiment_run import ExperimentDone as Done
from hanabi_orchestrator.experiments.tasks.games.experiment_run import GameTask
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal import fsync
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    GameSuspended,
    Memory,
    Moved,
    TurnStarted,
)
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.budget import Accounts
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import Limiter, turn_to_call
from hanabi_orchestrator.orchestrator.models.usage import Usage
from hanabi_orchestrator.orchestrator.table.seat import Decision
from tests.conftest import Run
from tests.support import processes
from tests.support.folders import ROOT
from tests.support.prove import FULL
from tests.support.servers import in_a_thread, quick
from tests.test_games import of

PROGRAMS: dict[str, Any] = {
    "name": "small",
    "graph": "watson",
    "players": [2, 3],
    "seeds": {"first": 1, "count": 2},
    "arms": {"alone": {}, "with-iggi": {"seats": {1: "partner:iggi"}}},
    "baseline": "alone",
    "journals": "lean",
}


def asking(url: str, **more: Any) -> dict[str, Any]:
    """An experiment on a model: four games."""
    model = quick(url, max_concurrency=3, attempts=2, **more)
    arms = {"full": {}, "no-discards": {"without_sections": ["discards"]}}
    return {
        "name": "asking",
        "graph": "sherlock",
        "players": [2],
        "seeds": [1, 2],
        "models": {"default": model},
        "arms": arms,
    }


def played(text: dict[str, Any], folder: Path, **options: Any) -> Done:
    return run_experiment(parse(yaml.safe_dump(text)), folder, options=RunOptions(**options))


def written(text: dict[str, Any], folder: Path) -> str:
    path = folder / f"{text['name']}.yaml"
    path.write_text(yaml.safe_dump(text), "utf-8")
    return str(path)


def scores(folder: Path | str) -> dict[str, str]:
    rows = csv.DictReader((Path(folder) / "results.csv").read_text("utf-8").splitlines())
    return {row["journal"]: row["score_kept"] for row in rows}


class Fickle:
    """A server that answers blindly while it is well, and with a status of its own while it is not."""

    def __init__(self, latency_s: float = 0.0) -> None:
        self.status = 200
        self.asked = self.together = self.most = 0
        self.latency_s = latency_s

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            return web.json_response({"data": []})
        self.asked += 1
        if self.status != 200:
            return web.json_response({"error": {"message": "not now"}}, status=self.status)
        self.together += 1
        self.most = max(self.most, self.together)
        await asyncio.sleep(self.latency_s)
        self.together -= 1
        return web.json_response(fake_endpoint.complete(await request.json()))

    @property
    def app(self) -> web.Application:
        made = web.Application(client_max_size=2**26)
        made.router.add_route("*", "/v1/chat/completions", self.answer)
        made.router.add_route("*", "/v1/models", self.answer)
        return made


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Fickle, str]]:
    server = Fickle(latency_s=0.002)
    with in_a_thread(server.app) as url:
        yield server, url


@pytest.fixture
def fickle(served: tuple[Fickle, str]) -> tuple[Fickle, str]:
    """The server of all tests, as if nobody had asked it yet."""
    server, url = served
    server.status = 200
    server.asked = 0
    server.most = 0
    return server, url


@pytest.fixture(scope="module")
def unbroken(served: tuple[Fickle, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing stopped."""
    folder = tmp_path_factory.mktemp("unbroken") / "run"
    played(asking(served[1]), folder)
    return folder


def test_processes_and_shards_play_the_same_games(tmp_path: Path) -> None:
    played(PROGRAMS, tmp_path / "one")
    played(PROGRAMS, tmp_path / "two", workers=2)
    for number in (1, 2, 3):
        done = played(PROGRAMS, tmp_path / "shards", shard=Shard(number, 3))
        assert not done.left and not done.failed
    tables = [(tmp_path / name / "results.csv").read_bytes() for name in ("one", "two", "shards")]
    assert tables[0] == tables[1] == tables[2] and tables[0].count(b"\n") == 9


def test_a_shard_has_whole_deals() -> None:
    jobs = Plan.resolve(parse(yaml.safe_dump(PROGRAMS)), Path()).jobs
    parts = [Shard(number, 3).select(jobs) for number in (1, 2, 3)]
    assert sorted(job.name for part in parts for job in part) == sorted(job.name for job in jobs)
    deals = [{job.deal for job in part} for part in parts]
    assert not deals[0] & deals[1] and all(
        len(part) == 2 * len(mine) for part, mine in zip(parts, deals, strict=True)
    )
    with pytest.raises(UserError, match="--shard is '0/3'; it must be I/N with I from 1 to N"):
        Shard.read("0/3")


RAY = (
    "-q",
    "--out",
    "ray",
    "--executor",
    "ray",
    "--workers",
    "2" if FULL else "1",
    "--budget",
    "10000000tokens",
)


def test_ray_plays_the_same_games(run: Run, endpoint: str, tmp_path: Path) -> None:
    """In a process of its own: Ray changes signals, warnings and threads."""
    pytest.importorskip("ray")
    text = asking(endpoint) | {"seeds": [1]}
    text["arms"] |= {"programs": {"models": {"default": "program"}}}
    path = written(text, tmp_path)
    undrawn = f"from tests.support.processes import run_command; run_command('experiment', 'run', {path!r}, *{RAY!r})"
    ray = [sys.executable, "-c", undrawn]
    alone = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(ray, capture_output=True, text=True, timeout=300, env=alone)
    assert done.returncode == 0, done.stderr
    assert run("experiment", "run", path, "-q", "--out", str(tmp_path / "local"))[0] == 0
    assert (tmp_path / "ray/results.csv").read_bytes() == (
        tmp_path / "local/results.csv"
    ).read_bytes()


def test_a_run_joins_the_ray_cluster_whose_address_is_given_and_no_other() -> None:
    """Without one it has a cluster of its own, which listens to this machine alone."""
    pytest.importorskip("ray")
    told = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run(
        [sys.executable, "-c", JOINING], capture_output=True, text=True, env=told, check=True
    )
    private, empty, auto, there = json.loads(done.stdout)
    assert private == empty == ["local", "127.0.0.1", None]
    assert auto == ["auto", None, "cannot join the Ray cluster at RAY_ADDRESS='auto': none runs"]
    assert there == [
        "head:6379",
        None,
        "cannot join the Ray cluster at RAY_ADDRESS='head:6379': none runs",
    ]


JOINING = """
import json, os
from hanabi_orchestrator.experiments.running import ray_actors
from hanabi_orchestrator.orchestrator.errors import UserError
from ray._private.services import resolve_ip_for_localhost

found = []

def init(address, _node_ip_address=None, **given):
    found.append([address, _node_ip_address and resolve_ip_for_localhost(_node_ip_address), None])
    if address != "local":
        raise ConnectionError("none runs\\nand more")

ray_actors.ray.init = init
for address in (None, "", "auto", "head:6379"):
    if address is not None:
        os.environ["RAY_ADDRESS"] = address
    try:
        ray_actors._join_cluster()
    except UserError as error:
        found[-1][-1] = str(error)
print(json.dumps(found))
"""


def test_games_at_once_fill_a_models_limit_and_never_pass_it(
    fickle: tuple[Fickle, str], tmp_path: Path
) -> None:
    server, url = fickle
    done = played(asking(url) | {"seeds": [1, 2, 3, 4]}, tmp_path)
    assert 1 < server.most <= 3 and not done.left
    server.most = 0
    played(asking(url), tmp_path / "crowded", workers=5)
    assert 1 <= server.most <= 3


async def test_waiting_calls_of_earlier_games_go_first() -> None:
    limiter = Limiter(1)
    order = list[int]()
    release = asyncio.Event()

    async def call(number: int) -> None:
        turn_to_call.set(number)
        async with limiter:
            order.append(number)
            await release.wait()

    tasks = []
    for number in (5, 9, 2, 7):
        tasks.append(asyncio.create_task(call(number)))
        await asyncio.sleep(0)
    release.set()
    await asyncio.gather(*tasks)
    assert order == [5, 2, 7, 9]


@pytest.mark.parametrize("workers", ["1", "2"] if FULL else ["2"])
def test_a_budget_stops_a_run_which_goes_on_with_more(
    workers: str, run: Run, unbroken: Path, fickle: tuple[Fickle, str], tmp_path: Path
) -> None:
    server, url = fickle
    command = (
        "experiment",
        "run",
        written(asking(url), tmp_path),
        "--out",
        "here",
        "-q",
        "--workers",
        workers,
    )
    code, _, err = run(*command, "--budget", "30000tokens")
    calls = [
        call for path in Path("here").rglob("*.jsonl") for call in of(journal.read(path), Call)
    ]
    assert (
        code == 3
        and "the budget is reached: " in err
        and err.endswith("A larger budget continues from there\n")
    )
    assert 15_000 < sum(call.tokens_in + call.tokens_out for call in calls) <= 30_000
    asked = server.asked
    code, _, err = run(*command, "--budget", "30000tokens")
    assert code == 3 and server.asked - asked <= 4  # what was spent before counts
    assert run(*command)[0] == 0
    assert Path("here/results.csv").read_bytes() == (unbroken / "results.csv").read_bytes()


def test_money_needs_a_price(run: Run, endpoint: str, tmp_path: Path) -> None:
    code, _, err = run("experiment", "run", written(asking(endpoint), tmp_path), "--budget", "1usd")
    assert (
        code == 2
        and "a budget in dollars needs the price of openai:fake@" in err
        and not Path("runs").exists()
    )
    code, _, err = run(
        "experiment", "run", written(asking(endpoint), tmp_path), "--budget", "0tokens"
    )
    assert code == 2 and "the budget is 0 tokens; it must be at least 1" in err


def test_a_storm_of_429_suspends_games_that_go_on_later(
    run: Run, unbroken: Path, fickle: tuple[Fickle, str], tmp_path: Path
) -> None:
    server, url = fickle
    path = written(asking(url), tmp_path)
    command = ("experiment", "run", path, "--out", "here")
    assert run(*command, "--budget", "20000tokens")[0] == 3
    begun = {journal: journal.stat().st_size for journal in Path("here").rglob("*.jsonl")}
    server.status = 429
    code, _, err = run(*command)
    assert code == 3 and "the model server has too many requests: HTTP 429" in err
    assert "The same command continues from there" in err
    assert all(journal.stat().st_size >= size for journal, size in begun.items())
    server.status = 200
    assert run(*command)[0] == 0
    assert scores("here") == scores(unbroken)


def test_a_server_that_refuses_from_the_first_call_is_a_mistake(
    run: Run, fickle: tuple[Fickle, str], tmp_path: Path
) -> None:
    server, url = fickle
    server.status = 404
    code, _, err = run("experiment", "run", written(asking(url), tmp_path), "--out", "here", "-q")
    assert code == 2 and "answered HTTP 404" in err
    assert not list(Path("here").rglob("*.jsonl")) and server.asked <= 4


def test_a_model_that_is_down_stops_no_arm_of_another(
    run: Run, fickle: tuple[Fickle, str], tmp_path: Path
) -> None:
    server, url = fickle
    server.status = 500
    text = asking(url) | {"seeds": [1, 2, 3, 4, 5, 6]}
    text["arms"] = {"down": {}, "up": {"models": {"default": "program"}}}
    code, _, err = run("experiment", "run", written(text, tmp_path), "--out", "here")
    assert code == 3 and "down/2p-s1-r1 is suspended: " in err
    assert len(scores("here")) == 6
    assert server.asked <= 2 * 6  # two tries of each game


def interrupted(text: dict[str, Any], folder: Path, *more: str) -> int:
    """Run it, send an interrupt when games are in play, and give its exit code."""
    command = ["experiment", "run", written(text, folder), "--out", str(folder / "here"), *more]
    child = processes.begun(folder, *command)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        begun = list(folder.glob("here/games/*/*.jsonl"))
        if sum(path.read_bytes().count(b'"event": "moved"') > 1 for path in begun) > 1:
            break
        time.sleep(0.01)
    assert child.pid is not None
    os.kill(child.pid, signal.SIGINT)
    child.join(60)
    said = (folder / "stderr").read_text("utf-8")
    assert "stopping at the end of the turns in play; Ctrl-C again stops at once" in said
    assert child.exitcode is not None
    return child.exitcode


@pytest.mark.parametrize("workers", ["1", "2"] if FULL else ["2"])
def test_an_interrupted_run_ends_its_turns_and_goes_on(workers: str, tmp_path: Path) -> None:
    server = Fickle(latency_s=0.05)
    with in_a_thread(server.app) as url:
        assert interrupted(asking(url), tmp_path, "--workers", workers) == 130
        games = [journal.read(path) for path in (tmp_path / "here").rglob("*.jsonl")]
        assert sum(len(of(events, Moved)) > 0 for events in games) > 1
        for events in games:
            assert isinstance(events[-1], GameSuspended) and events[-1].why == "interrupted"
            assert len(of(events, TurnStarted)) == len(of(events, Moved))
        asked = server.asked
        server.latency_s = 0
        played(asking(url), tmp_path / "here")
        again = server.asked - asked
        played(asking(url), tmp_path / "unbroken")
        assert server.asked - asked - again == asked + again  # nothing was asked twice
    assert scores(tmp_path / "here") == scores(tmp_path / "unbroken")


async def deadly(view: View, memory: Memory) -> Decision:
    """Ends its process in one game."""
    if view.players == 3 and view.turn == 4 and view.hands[0].cards[0].value == DOOMED:
        os._exit(9)
    return Decision(view.legal[-1])


DOOMED = "R2"


def test_a_process_that_dies_costs_the_game_that_killed_it_alone(tmp_path: Path) -> None:
    text = PROGRAMS | {
        "graph": f"python:{__name__}:deadly",
        "arms": {},
        "baseline": None,
        "players": [3],
    }
    text["seeds"] = list(range(1, 31))
    done = played(text, tmp_path, workers=2)
    died = list(done.failed)
    assert died and len(died) + len(done.rows) == 30
    assert set(done.failed.values()) == {"the process that played it died"}
    for name in died:
        assert Game.open(tmp_path / "games" / f"{name}.jsonl").result is None


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seat", ["cancelled", "exiting"])
def test_a_seat_that_is_cancelled_or_would_end_the_program_fails_its_game_alone(
    workers: int, seat: str, tmp_path: Path
) -> None:
    text = PROGRAMS | {
        "graph": f"python:{__name__}:{seat}",
        "arms": {},
        "baseline": None,
        "players": [2],
    }
    done = played(text | {"seeds": [1, 2, 3]}, tmp_path, workers=workers)
    assert len(done.failed) == 3 and not done.rows and done.left == 3
    assert set(done.failed.values()) <= {"CancelledError: ", "SystemExit: 0"}


async def cancelled(view: View, memory: Memory) -> Decision:
    gone = asyncio.create_task(asyncio.sleep(1))
    gone.cancel()
    await gone
    return Decision(view.legal[-1])


async def exiting(view: View, memory: Memory) -> Decision:
    sys.exit(0)


def test_what_a_dead_process_held_of_the_budget_comes_free() -> None:
    accounts = Accounts(max_tokens=1000)
    one = Usage(300)
    assert accounts.begin("dead-0") == accounts.begin("well-0") == (None, False)
    assert accounts.hold("dead-0", one) == (None, False)
    assert accounts.begin("well-1")[1]  # it waits
    accounts.process_ended("dead")
    accounts.end("well-0")
    assert (accounts.held, accounts.spent, accounts.turns) == (Usage(), one, {})
    accounts.settle("dead-0", one, Usage())  # a word that came late
    assert accounts.held == Usage() and accounts.begin("well-1") == (None, False)


def test_a_call_that_was_given_up_holds_nothing_after_its_turn() -> None:
    accounts = Accounts(max_tokens=1000)
    accounts.begin("a-0")
    accounts.hold("a-0", Usage(300))
    accounts.end("a-0")
    accounts.hold("a-0", Usage(300))
    assert accounts.held == Usage()


def test_what_the_run_raises_at_the_end_of_a_game_is_not_lost(tmp_path: Path) -> None:
    def full(outcome: object) -> None:
        raise OSError(28, "No space left on device")

    plan = Plan.resolve(parse(yaml.safe_dump(PROGRAMS)), tmp_path)
    with pytest.raises(OSError, match="No space left"):
        asyncio.run(UnitPool(GameTask(plan.specs), ModelLayer(), full).play(stream(plan.jobs)))
    assert len(list(tmp_path.rglob("*.jsonl"))) == 1  # no other game begins


def test_an_interrupt_that_comes_before_the_first_game_is_not_lost(tmp_path: Path) -> None:
    plan = Plan.resolve(parse(yaml.safe_dump(PROGRAMS)), tmp_path)
    task = GameTask(plan.specs)
    pool = WorkerPool(Processes(task, ModelOptions(), None, 2), 2)
    for executor in (LocalExecutor(task, ModelLayer()), pool):
        executor.close("interrupted")
        executor.play(plan.jobs, lambda outcome: None, lambda: None)
        executor.end()
        assert not list(tmp_path.rglob("*.jsonl"))


async def test_files_that_wait_together_reach_the_disk_and_errors_their_writers(
    tmp_path: Path,
) -> None:
    disk = fsync.Disk()
    with (tmp_path / "a").open("wb") as one, (tmp_path / "b").open("wb") as other:
        gone = os.dup(other.fileno())
        os.close(gone)
        found = await asyncio.gather(
            disk.sync(one.fileno()),
            disk.sync(gone),
            disk.sync(one.fileno()),
            return_exceptions=True,
        )
    assert found[0] is None and isinstance(found[1], OSError) and found[2] is None
