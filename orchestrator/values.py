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
        if isinstance(data, dict) and (unknown := [key for key in data if key not in cls.model_fields]):
            raise ValueError(f"unknown key {unknown[0]!r}; known: {', '.join(cls.model_fields)}")
        return data


def user_error(where: str, error: ValidationError) -> UserError:
    """The first thing wrong in a file or option, as one sentence; `where` may be empty."""
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    shown = "" if first["type"] in ("value_error", "missing") else f", not {first['input']!r}"
    return UserError(": ".join(part for part in (where, path, f"{said}{shown}") if part))
