"""One run at a time in a run folder: two would take each other's games."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from experiments.record.rows import GAMES
from orchestrator.errors import UserError


@contextmanager
def alone(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Keep other runs out of a folder; shards (`shared`) keep out only runs of the whole. Raises UserError.

    The lock lies on the folder of the games and ends with the process. A file system without locks locks nothing;
    each journal is then guarded by its own lock alone.
    """
    games = folder / GAMES
    games.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(games, os.O_RDONLY)
    try:
        if not _locked(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX):
            raise UserError(
                f"another program is playing the run in {str(folder)!r}; wait until it has ended, or give another --out"
            )
        yield
    finally:
        os.close(descriptor)


def taken(folder: Path) -> bool:
    """Whether a run is played in a folder; false where the file system has no locks."""
    try:
        descriptor = os.open(folder / GAMES, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


PATIENCE_S = 3.0
"""The workers of a run that was killed hold its lock until they notice."""


def _locked(descriptor: int, kind: int) -> bool:
    """Whether the lock was there to take; also true where the file system has none."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(0.1)
        except OSError:
            return True
        else:
            return True
