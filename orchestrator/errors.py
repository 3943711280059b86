"""The error model: each class names the boundary at which something failed. Also the sentences about wrong values.

UserError         a config, a prompt, a deck or a command is wrong: raised before any turn is played
TurnError         a turn could not be finished
+ ModelError      no answer came from the provider, after all retries
  + Held          the run itself holds the call back, so it was not made
    + OverBudget  the budget leaves no room for it
+ IllegalMove     a seat decided a move that the rules do not allow
+ RoleError       the program of a role raised
+ Left            a person left the table, so the game is suspended
+ Unwritten       a file cannot be written, so the run stops: what came after it would be lost
Suspended         a game stopped before its end and has no score; it can be resumed from its journal
PlayWarning       a game was played, but not, or not only, by what its seats' models decide
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for `--help`, which takes as long as its imports
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


class UserError(ValueError):
    """A mistake in a file, an argument or a command; the message names the value and the remedy."""


def user_error(
    where: str, error: ValidationError, examples: Mapping[str, str] | None = None
) -> UserError:
    """Return the first problem that pydantic found in a file or option, as one sentence; `where` may be empty.

    `examples`: by key, what to write where it is missing.
    """
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"])
    return UserError(": ".join(part for part in (where, complaint(first, path, examples)) if part))


def shortened(text: str, longest: int = 200) -> str:
    """Return a text as a message quotes it."""
    return text if len(text) <= longest else f"{text[:longest]} ..."


def in_words(error: BaseException) -> str:
    """Return what kind of error came and what it says, on one line, with the line of the user's code that met it."""
    return " ".join(f"{type(error).__name__}: {error}{_users_line(error)}".split())


def _users_line(error: BaseException) -> str:
    """Return the last file and line on the way to an error that are the user's own: ` (chop.py, line 14)`."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = frame.filename
        if file.endswith(".py") and not file.startswith(NOT_USERS) and "site-packages" not in file:
            return f" ({Path(file).name}, line {frame.lineno})"
    return ""


NOT_USERS = (str(Path(traceback.__file__).parent), f"{Path(__file__).parent.parent}{os.sep}")
"""Where the files of Python and of this project begin."""


def complaint(problem: ErrorDetails, path: str, examples: Mapping[str, str] | None = None) -> str:
    """Return what is wrong with the value at a path, in plain words."""
    kind = problem["type"]
    limits = problem.get("ctx", {})
    if kind in ("value_error", "assertion_error"):
        sentence = problem["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
        return f"{path}: {sentence}" if path else sentence
    subject = f"{path}:" if path else "it"
    if problem["loc"][-1:] == ("[key]",):
        above = path.removesuffix(".[key]").removesuffix(str(problem["loc"][-2])).rstrip(".")
        if kind == "string_type":
            return f"{above}: a name must be text, and YAML reads it as {problem['input']!r}; choose another"
        subject = f"{above}: the name {shortened(repr(problem['input']))}"
        return f"{subject} must be {_EXPECTED.get(kind, problem['msg'])}"
    if kind == "missing":
        example = (examples or {}).get(str(problem["loc"][-1]))
        return (
            f"{subject} is missing; write e.g. `{example}`" if example else f"{subject} is missing"
        )
    if kind == "too_long":
        return f"{subject} must have at most {limits['max_length']:,} entries, not {len(problem['input']):,}"
    if (form := _EXPECTED.get(kind)) is None:
        return f"{subject} {problem['msg']}, not {shortened(repr(problem['input']))}"
    expected = form.format(
        **{name: value for name, value in limits.items() if isinstance(value, str | int | float)}
    )
    return f"{subject} must be {expected}, not {shortened(repr(problem['input']))}"


_NUMBER = "a number"
_WHOLE = "a whole number"
_TEXT = "text"
_LIST = "a list"
_MAPPING = "a mapping of keys to values"
_EXPECTED = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), _WHOLE),
    **dict.fromkeys(("float_type", "float_parsing"), _NUMBER),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("string_type", "path_type"), _TEXT),
    **dict.fromkeys(("tuple_type", "list_type", "set_type"), _LIST),
    **dict.fromkeys(
        ("dict_type", "mapping_type", "model_type", "model_attributes_type", "dataclass_type"),
        _MAPPING,
    ),
    "finite_number": "a finite number",
    "none_required": "empty",
    "literal_error": "{expected}",
    "greater_than": "more than {gt:.10g}",
    "greater_than_equal": "at least {ge:.10g}",
    "less_than": "less than {lt:.10g}",
    "less_than_equal": "at most {le:.10g}",
    "too_short": "a list of at least {min_length}",
    "string_too_short": "text of at least {min_length} characters",
    "string_too_long": "text of at most {max_length} characters",
    "string_pattern_mismatch": "letters, digits, single spaces and any of _ + - ., a letter, digit or _ first",
}
"""By pydantic's name of a problem: what the value should have been."""


def did_you_mean(value: object, names: Iterable[str], introduction: str = "known") -> str:
    """Return the second half of a message about an unknown name: `did you mean 'house'? Known: cac, house`.

    `introduction` stands before the list of names; without a similar name there is the list alone.
    """
    listing = list(dict.fromkeys(names))
    near = similar_name(str(value), listing)
    sentence = f"{introduction}: {', '.join(listing) or 'none'}"
    return f"did you mean {near!r}? {sentence[0].upper()}{sentence[1:]}" if near else sentence


def similar_name(value: str, names: Iterable[str]) -> str | None:
    """Return the name that was probably meant; `piers` stands for `partner:piers`, `-` for `_`, and `tom` for
    `tom_interpreter`, which begins with it, or for the only name that has it."""
    forms = {
        _plain(form): name
        for name in reversed(list(names))
        for form in (name.rpartition(":")[2], name)
    }
    written = _plain(value)
    if near := get_close_matches(written, [form for form in forms if form], n=1, cutoff=0.7):
        return forms[near[0]]
    if len(written) < SHORTEST_PART:
        return None
    begins = [name for form, name in forms.items() if form.startswith(written)]
    holds = {name for form, name in forms.items() if written in form}
    return begins[-1] if begins else holds.pop() if len(holds) == 1 else None


def nearby(path: Path, suffix: str = "") -> str:
    """Return `; did you mean 'swap.yaml'?` for a missing file beside which one of the same kind has a similar name,
    else nothing; `suffix`: what a file of this kind ends with, where the name leaves it out."""
    with suppress(OSError):
        names = (
            entry.name for entry in path.parent.iterdir() if entry.suffix == (suffix or path.suffix)
        )
        if not path.exists() and (
            near := similar_name(f"{path.name}{suffix}", islice(names, MOST_FILES))
        ):
            return f"; did you mean {str(path.with_name(near))!r}?"
    return ""


MOST_FILES = 10_000
"""Files of a folder among which a similar name is looked for."""
SHORTEST_PART = 3
"""Characters of a part of a name that stands for it."""


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


class TurnError(RuntimeError):
    """A turn failed; the journal holds everything up to it."""


@dataclass(frozen=True)
class WireTry:
    """One try of a model call over the wire, as journals keep it."""

    error: str | None = None
    """What went wrong; None when a response came."""
    status: int | None = None
    """The HTTP status of an error, when there was one."""
    waited_s: float = 0.0
    """Seconds waited after it before the next try."""
    latency_s: float = 0.0


class ModelError(TurnError):
    """No answer came from a provider."""

    def __init__(
        self, sentence: str, attempts: tuple[WireTry, ...] = (), *, final: bool = False
    ) -> None:
        super().__init__(sentence)
        self.attempts = attempts
        """The requests that were sent for it, if any."""
        self.final = final
        """The server refused for good: a retry would change nothing."""


class Held(ModelError):  # noqa: N818  # what became of the call
    """The run itself holds the call back: for want of budget, or since it was paused and stops now."""


class OverBudget(Held):
    """The budget leaves no room for the call."""


class IllegalMove(TurnError):  # noqa: N818  # the field's short name
    """A seat decided a move that the rules do not allow now."""


class Left(TurnError):  # noqa: N818  # what happened
    """A person left the table before their move; the game is suspended and can be continued."""


class RoleError(TurnError):
    """The program of a role raised; the cause is chained."""


class Unwritten(TurnError):  # noqa: N818  # the state of a file
    """A journal or a cache cannot be written: the disk is full, say. Nothing more may be asked and paid for."""

    def __init__(self, what: str, error: Exception) -> None:
        cause = getattr(error, "strerror", None) or str(error)
        super().__init__(
            f"cannot write {what}: {cause}; make room on its disk, or see who may write there"
        )


class Suspended(RuntimeError):  # noqa: N818  # the state of the game
    """A game stopped before its end and has no score. If it has a journal, the same call resumes it there."""

    def __init__(
        self,
        sentence: str,
        turn: int,
        *,
        held: bool = False,
        refused: bool = False,
        unwritten: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.turn = turn
        self.held = held
        """The run itself stopped it, for example for want of budget; it can be resumed when that has changed."""
        self.unwritten = unwritten
        """A file could not be written; then it is `held`, too."""
        self.refused = refused
        """A server refused for good before it answered anything, so there is nothing to resume."""


class PlayWarning(UserWarning):  # a warning, which `strict` raises
    """Moves were forced, answers unreadable, or the package's fake server answered; see `Result.notes`."""
