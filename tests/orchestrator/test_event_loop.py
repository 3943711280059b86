"""Calls from a cell of a notebook, where an event loop runs already."""

import asyncio
import re
from contextvars import ContextVar
from pathlib import Path

import pytest

import hanabi_orchestrator
from hanabi_orchestrator import experiments, graphs, play
from hanabi_orchestrator.experiments.study.experiment import Experiment
from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import UserError

NAME = ContextVar("NAME", default="")


async def half(number: int) -> float:
    await asyncio.sleep(0)
    if number % 2:
        raise ArithmeticError(number)
    return number / 2


def test_a_coroutine_is_run_inside_a_loop_as_outside_of_one() -> None:
    async def cell() -> float:
        with pytest.raises(ArithmeticError, match="3"):
            event_loop.run_anywhere(half(3))
        return event_loop.run_anywhere(half(4)) + event_loop.run_anywhere(half(6))

    assert event_loop.run_anywhere(half(4)) == 2.0
    assert asyncio.run(cell()) == 5.0


def test_an_interrupt_cancels_what_runs_and_leaves_no_thread() -> None:
    ended = []

    async def endless() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    async def cell() -> None:
        event_loop.run_anywhere(endless())

    import _thread
    import threading

    threads = threading.active_count()
    threading.Timer(0.2, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(cell())
    assert ended == [True] and threading.active_count() <= threads


def test_a_study_is_played_and_a_turn_decided_again_in_a_cell(tmp_path: Path) -> None:
    study = Experiment.model_validate(
        {
            "name": "cell",
            "graph": "house_solo",
            "players": [2],
            "seeds": 1,
            "models": {"default": "sim:average"},
        }
    )

    async def cell() -> tuple[int, int]:
        done = experiments.run(study, tmp_path)
        fork = experiments.decide(next((tmp_path / "games").rglob("*.jsonl")), 2, samples=2)
        return len(done.rows), len(fork.new)

    assert asyncio.run(cell()) == (1, 2)


def test_the_sentence_in_a_loop_names_what_can_be_imported_and_awaited(tmp_path: Path) -> None:
    async def cell() -> str:
        with pytest.raises(UserError) as refused:
            play(graphs.seat("watson"), players=2, seed=1)
        return str(refused.value)

    match = re.fullmatch(r".* say `await (\w+)\(\.\.\.\)`", asyncio.run(cell()))
    assert match and match[1] in dir(hanabi_orchestrator)
    awaited = getattr(hanabi_orchestrator, match[1])
    assert asyncio.run(awaited(graphs.seat("watson"), players=2, seed=1)).turns > 10
