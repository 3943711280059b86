"""The base classes of values that are stored or passed between packages; lists that people may write short."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Annotated, Any, Concatenate, Generic, ParamSpec, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from hanabi_orchestrator.orchestrator.errors import did_you_mean


def whole_number(text: str) -> int | None:
    """Return the number that a text of up to 18 digits writes; None for any other text, such as `²`."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


class Value(BaseModel):
    """A frozen pydantic model that refuses unknown keys: for what programs write, and read by the thousand."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Frozen(Value):
    """One that lists the known keys, for what people write."""

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, data: Any) -> Any:
        names = (
            cls.__pydantic_fields__
        )  # `model_fields` takes ten times as long, and this runs for every value
        if isinstance(data, dict) and not data.keys() <= names.keys():
            unknown = next(key for key in data if key not in names)
            raise ValueError(f"unknown key {unknown!r}; {did_you_mean(unknown, names)}")
        return data


def as_list(value: Any) -> Any:
    """Return a single name, number or mapping as a list of one, and `a, b` as a list of two; anything else
    unchanged."""
    if isinstance(value, str):
        return [part for part in map(str.strip, value.split(",")) if part]
    return [value] if isinstance(value, int | float | dict) else value


T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")


class Same(Generic[T]):
    """A value as the key of a cache: the same object, not an equal one."""

    def __init__(self, value: T) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value


def cached_by_identity(
    most: int,
) -> Callable[[Callable[Concatenate[T, P], R]], Callable[Concatenate[T, P], R]]:
    """Keep the last results of a function, at most so many, by the identity of its first argument: where comparing it
    takes longer than what is cached."""

    def cached(function: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
        results: Any = lru_cache(maxsize=most)(
            lambda same, *args, **kwargs: function(same.value, *args, **kwargs)
        )

        @wraps(function)
        def called(value: T, /, *args: P.args, **kwargs: P.kwargs) -> R:
            result: R = results(Same(value), *args, **kwargs)
            return result

        return called

    return cached


OneOrMore = Annotated[tuple[T, ...], BeforeValidator(as_list)]
"""A tuple that may be written as its only value: `players: 2` for `players: [2]`."""
