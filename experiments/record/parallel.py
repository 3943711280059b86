"""Work in several processes of this machine, which know the user's own code."""

import multiprocessing
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.context import ForkContext, SpawnContext
from typing import TypeVar

from hanabi_orchestrator.graphs import named
from hanabi_orchestrator.orchestrator.logs import log

T = TypeVar("T")
R = TypeVar("R")


def process_context() -> ForkContext | SpawnContext:
    """Return how processes start. Forking is quick, and safe only on Linux while no other thread runs."""
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork") if safe else multiprocessing.get_context("spawn")


def mapped(work: Callable[[T], R], items: Sequence[T], workers: int) -> Iterator[R]:
    """Give what is made of each item, in their order, by one process or several; of the next few items in advance.
    Where a worker dies, the items that are left are worked on in this process."""
    finished = 0
    if workers > 1 and len(items) > 1:
        context = process_context()
        with ProcessPoolExecutor(workers, context, named.bring_again, (named.brought(),)) as pool:
            try:
                rest = iter(items)
                waiting = deque(pool.submit(work, item) for item in islice(rest, 2 * workers))
                while waiting:
                    result = waiting.popleft().result()
                    waiting.extend(pool.submit(work, item) for item in islice(rest, 1))
                    finished += 1
                    yield result
            except BrokenProcessPool:
                log.warning("a worker process died; this one goes on", left=len(items) - finished)
    yield from map(work, items[finished:])
