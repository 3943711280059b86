"""Names of arms, which are names of folders too: on every disk each must be a folder of its own."""

from collections.abc import Iterable, Sequence
from unicodedata import normalize

from orchestrator.errors import UserError

MOST = 5_000
"""Arms of an experiment."""
NAME_BYTES = 255
"""The longest name of a folder on common disks, in UTF-8."""


def check(names: Iterable[str]) -> None:
    """Raise UserError for names that are too long for a folder, and for two that some disk takes for one."""
    folders: dict[str, str] = {}
    for name in names:
        check_length(name)
        # disks of macOS and Windows make no difference between cases, nor between two ways to write an accent
        folder = normalize("NFC", normalize("NFC", name).casefold())
        if (other := folders.setdefault(folder, name)) is name:
            continue
        if other == name:
            raise UserError(
                f"two arms would be called {name!r}; give one of their graphs, labels or values another name"
            )
        raise UserError(f"the arms {other!r} and {name!r} would share a folder on some disks; give one another name")


def check_length(name: str) -> str:
    """The name. Raises UserError for one that cannot be that of a folder."""
    if (size := len(name.encode())) > NAME_BYTES:
        raise UserError(f"{name!r} has {size} bytes, too long for the name of a folder, which has at most {NAME_BYTES}")
    return name


def check_number(number: int, why: Sequence[str] = ()) -> None:
    """Raise UserError for more arms than an experiment has; `why`: what makes them, in words."""
    if number > MOST:
        sentence = f"{' x '.join(why)} make {number:,} arms" if why else f"there are {number:,} arms"
        raise UserError(f"{sentence}; an experiment has at most {MOST:,}")
