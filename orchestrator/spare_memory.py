"""The memory that libraries of numbers and pictures need, looked for before they are loaded.

Where it is short, such as under `ulimit -v`, these libraries hang, abort or print words of their own.
"""

import mmap
import os
from contextlib import suppress

NEEDED = 600
"""MB beside what the program itself takes: tables, pictures and compiled rollouts."""


def require() -> None:
    """Raise MemoryError where the system does not give the process the memory that such libraries need."""
    if _limited():  # each of its threads would take address space
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        mmap.mmap(-1, NEEDED * 10**6).close()
    except (OSError, ValueError) as error:
        raise MemoryError(
            f"there is not enough memory: tables, pictures and rollouts need {NEEDED} MB more than is left; "
            "allow more (`ulimit -v unlimited`), or use a machine that has more"
        ) from error


def _limited() -> bool:
    """Whether the address space of this process has a limit."""
    with suppress(ImportError):  # Windows
        import resource

        return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    return False
