"""Runs of models whose answers are unusable: they stop, say why, and can go on; and what a stopped run says."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml
from aiohttp import web

from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.tasks.games.own_moves import ENOUGH, MinOwn
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.fake_faults import Faults
from tests.conftest import Run
from tests.support.prove import FULL
from tests.support.servers import in_a_thread, quick, server

GAMES = 4 if FULL else 2
"""Deals of each arm."""


def written(folder: Path, url: str, **more: object) -> str:
    path = folder / "small.yaml"
    model = quick(url) | {"model": f"openai:anything@{url}"}
    arms = {"full": {}, "safe": {"verify": "safety"}}
    common = {
        "name": "small",
        "graph": "watson",
        "players": [2],
        "seeds": {"first": 1, "count": GAMES},
    }
    path.write_text(
        yaml.safe_dump(
            {**common, "models": {"default": model}, "arms": arms, "baseline": "full", **more}
        )
    )
    return str(path)


def test_a_run_of_unusable_answers_stops_says_why_and_goes_on_with_another_share(
    run: Run, tmp_path: Path
) -> None:
    with in_a_thread(
        fake_endpoint.app(0.01 if FULL else 0.0, Faults(1.0, kinds=("prose",)))
    ) as url:
        command = ("experiment", "run", written(tmp_path, url), "--out", "here")
        code, out, err = run(*command)
        assert code == 3 and "fewer than --min-own 0.5 asks for. The games in" in err
        assert (
            "(0%) are the model's own (" in err
            and " were forced for want of a readable answer), " in err
        )
        assert "kept: a smaller --min-own continues from there" in err
        assert "answers of models" in out and "fake server answered" in out
        assert "Moves that the models chose themselves:" in out
        begun = {path: path.stat().st_size for path in Path("here/games").glob("*/*.jsonl")}
        code, _, again = run(*command)
        assert code == 3 and "fewer than --min-own 0.5" in again
        assert {path: path.stat().st_size for path in begun} == begun, "no call is made again"
        enough = str(spent(begun) + 20_000)
        code, out, err = run(*command, "--min-own", "0", "--budget", f"{enough}tokens", "--json")
    assert code == 3 and "A larger budget continues" in err
    assert sum(path.stat().st_size for path in begun) > sum(begun.values())
    assert json.loads(out)["this_command"]["moves"]["full"]["own"] == 0


def spent(games: Iterable[Path]) -> int:
    """The tokens of journals."""
    calls = [event for path in games for event in journal.read(path) if isinstance(event, Call)]
    return sum(call.tokens_in + call.tokens_out for call in calls)


def test_a_run_that_stops_at_its_budget_before_its_first_game_ends_says_what_became_of_the_answers(
    run: Run, tmp_path: Path
) -> None:
    with in_a_thread(fake_endpoint.app(0.0, Faults(1.0, kinds=("prose",)))) as url:
        path = written(tmp_path, url, min_own=0, arms={}, baseline=None, seeds=[1])
        code, out, err = run("experiment", "run", path, "--out", "here", "--budget", "30000tokens")
    assert code == 3 and "A larger budget continues" in err and "own" not in err
    assert "of them unusable; 14 questions got no usable answer" in out
    assert "Moves that the models chose themselves: small 0 of" in out


REFUSALS = (
    "refused",
    "refused_by_rule",
    "refused_turns",
    "after_refusal",
    "first_misplays",
    "first_points",
    "played_misplays",
    "played_points",
)


def row(arm: str, moves: int, own: int) -> Row:
    counted = {"model_moves": moves, "own": own}
    return Row(arm, "g", 2, 1, 1, 0, 0, 0, moves, "lives_lost", 9, 0, 0, 0, 0, None, "x", **counted)  # type: ignore[arg-type]


def test_an_arm_is_judged_from_fifty_moves_on() -> None:
    least = MinOwn(0.5)
    least.add(row("a", ENOUGH - 1, 0))
    assert least.broken({}) is None
    least.add(row("a", 1, 1))
    assert "arm a: only 1 of its first 50 moves (2%) are the model's own" in str(least.broken({}))
    assert least.broken({"a": row_counts(60, 60)}) is None, "the games in play count"
    assert MinOwn(0.0).broken({"a": row_counts(60, 0)}) is None


def test_a_stop_says_why_moves_are_not_the_models_own() -> None:
    why = {"forced": 45, "refused_turns": 40, "after_refusal": 10, "copied_moves": 5}
    said = str(MinOwn(0.9).broken({"a": row_counts(ENOUGH, 0) + Counter(why)}))
    assert (
        "(30 were forced because every choice was refused, 15 were forced for want of a readable answer, 5"
        in said
    )


def row_counts(moves: int, own: int) -> Counter[str]:
    return Counter(model_moves=moves, own=own)


@pytest.mark.parametrize("share", ["-0.1", "2"])
def test_what_is_no_share_is_refused(share: str, run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, "http://127.0.0.1:9/v1")
    code, _, err = run("experiment", "run", path, "--min-own", share)
    assert (
        code == 2
        and f"--min-own is {share}; it is a share of moves, from 0 (never stop) to 1" in err
    )
    with pytest.raises(UserError, match="from 0"):
        MinOwn(float(share))


# A game that is played alone


def played(run: Run, url: str, *more: str) -> tuple[int, str, str]:
    Path("model.yaml").write_text(yaml.safe_dump(quick(url)), "utf-8")
    return run(
        "play",
        "--graph",
        "watson",
        "--players",
        "2",
        "--model",
        "model.yaml",
        "--out",
        "games",
        *more,
    )


def test_a_game_of_unusable_answers_stops_says_why_and_goes_on_with_another_share(
    run: Run, tmp_path: Path
) -> None:
    with in_a_thread(fake_endpoint.app(0.0, Faults(1.0, kinds=("prose",)))) as url:
        code, _, err = played(run, url)
        assert (
            code == 1
            and "stopped before turn 11: only 0 of its first 10 moves (0%) are the model's own"
            in err
        )
        assert re.search(r"most frequent fault of an answer \(\d+ times\): .*Chosen move:", err)
        (path,) = Path("games").iterdir()
        before = path.stat().st_size
        code, _, err = played(run, url)
        assert code == 1 and "stopped before turn 11" in err
        calls = [event for event in journal.read(path) if isinstance(event, Call)]
        assert len(calls) == 20, "no call is made again"
        code, _, err = played(run, url, "--min-own", "0")
    assert (code, err) == (0, "") and path.stat().st_size > before


def test_an_answer_in_the_reasoning_is_named_when_a_game_stops(run: Run, tmp_path: Path) -> None:
    async def thinking(_: web.Request) -> web.Response:
        message = {
            "role": "assistant",
            "content": None,
            "reasoning_content": "Reasoning: r\nChosen move: 0",
        }
        return web.json_response(
            {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        )

    with in_a_thread(server(thinking)) as url:
        code, _, err = played(run, url)
    assert (
        code == 1
        and "all its text stands in the reasoning" in err
        and "reasoning parser does not fit" in err
    )


@pytest.mark.parametrize("share", ["-0.1", "2"])
def test_a_game_refuses_what_is_no_share(share: str, run: Run, tmp_path: Path) -> None:
    code, _, err = played(run, "http://127.0.0.1:9/v1", "--min-own", share)
    assert code == 2 and f"--min-own is {share}" in err
