"""Tests do not wait until the disk has a journal, but in `make prove`: each wait takes milliseconds, for every answer.

For this process and those forked from it; `experiments.running.processes` and `tests.support.processes` fork them.
"""

import asyncio

from hanabi_orchestrator.orchestrator.journal import fsync
from tests.support.prove import FULL


async def written(file: int) -> None:
    """Let others go on meanwhile, as the disk would."""
    await asyncio.sleep(0)


if not FULL:
    fsync.sync = written
