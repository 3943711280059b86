"""The event loop of calls from outside one: a model object's connections belong to the loop that opened them."""

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent import futures
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeVar

from hanabi_orchestrator.orchestrator.errors import UserError

T = TypeVar("T")

WAKE_S = 0.1
"""How soon an interrupt is heard, in seconds."""

_RUNNERS: dict[int, asyncio.Runner] = {}
"""By process: a forked one must not touch the loop of its parent."""


def run(task: Coroutine[Any, Any, T], instead: str) -> T:
    """Return what a coroutine returns; as `asyncio.run`, but in one and the same loop for all calls of the main thread.

    In a new loop the open connections of a model object would fail after the request was sent, and paid for. Raises
    UserError inside an event loop, where `instead` is to be awaited: `play_async(...)`.
    """
    with suppress(RuntimeError):  # raised where no loop runs
        asyncio.get_running_loop()
        task.close()
        raise UserError(f"an event loop is running here, as in a notebook: say `await {instead}`")
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(task)
    if os.getpid() not in _RUNNERS:
        _RUNNERS[os.getpid()] = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        atexit.register(_RUNNERS[os.getpid()].close)
    runner = _RUNNERS[os.getpid()]
    try:
        return runner.run(task, context=copy_context())
    finally:
        if asyncio.all_tasks(runner.get_loop()):
            runner.run(_cancel_the_rest())


def run_anywhere(task: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns, as `asyncio.run` does; where an event loop runs, as in a notebook, in a thread.

    For what opens its connections itself: they belong to a loop that ends here. An interrupt cancels the coroutine.
    """
    try:
        caller = asyncio.current_task()
    except RuntimeError:
        return asyncio.run(task)
    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    loop = runner.get_loop()

    def serve() -> None:
        with runner:  # at its end it cancels what is left
            loop.run_forever()

    thread = threading.Thread(target=serve)
    thread.start()
    result = asyncio.run_coroutine_threadsafe(task, loop)
    cancelled = caller.cancelling() if caller else 0
    try:
        while not futures.wait([result], WAKE_S).done:
            # `asyncio.run` answers the first Ctrl-C by cancelling its task alone, which cannot hear that while it waits
            if caller and caller.cancelling() > cancelled:
                raise KeyboardInterrupt
        return result.result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _cancel_the_rest() -> None:
    """End what the coroutine has left running, as `asyncio.run` does."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
