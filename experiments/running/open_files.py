"""How many units a process can ask at a time with the files that it may open (`ulimit -n`)."""

from pathlib import Path

from hanabi_orchestrator.orchestrator.errors import UserError

SPARE = 16
"""Files for everything that is neither a journal nor a connection."""
WANTED = 8192
"""Files; more are never needed."""


def units(calls: int, *, cached: bool) -> int:
    """Return how many units can be open beside so many calls at a time. Raises UserError when not
    even one can.

    A unit has its journal, a call its connection and, where answers are cached, a lock.
    """
    limit = _raised()
    left = limit - _open_files() - SPARE - calls * (2 if cached else 1)
    if left < 1:
        needed = 2 ** (limit - left).bit_length()
        raise UserError(
            f"this process may open {limit} files, too few for {calls} calls at a time; say "
            f"`ulimit -n {needed}` first, or set a lower max_concurrency for the model"
        )
    return left


def _open_files() -> int:
    """Return how many files this process has open; 0 on a system that does not tell."""
    folder = Path("/dev/fd")
    if folder.is_dir():
        return len(list(folder.iterdir()))
    return 0


def _raised() -> int:
    """Return the limit of open files, raised as far as the system lets a user raise it."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return WANTED
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        wanted = WANTED
    else:
        wanted = min(hard, WANTED)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        if soft > 0:
            return min(soft, WANTED)
        return WANTED
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # some systems have a lower limit than they say
        return soft
    return wanted
