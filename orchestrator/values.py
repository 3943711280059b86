"""The base of every value that is stored or crosses a seam."""

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from orchestrator.errors import UserError


class Frozen(BaseModel):
    """A frozen model that refuses unknown keys and names the known ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, data: Any) -> Any:
        known = cls.__pydantic_fields__  # `model_fields` takes ten times as long, and this runs for every value
        if isinstance(data, dict) and not data.keys() <= known.keys():
            unknown = next(key for key in data if key not in known)
            raise ValueError(f"unknown key {unknown!r}; known: {', '.join(known)}")
        return data


def user_error(where: str, error: ValidationError) -> UserError:
    """The first thing wrong in a file or option, as one sentence; `where` may be empty."""
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    shown = "" if first["type"] in ("value_error", "missing") else f", not {first['input']!r}"
    return UserError(": ".join(part for part in (where, path, f"{said}{shown}") if part))
