"""The base class of every value that is stored or passed between packages."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Frozen(BaseModel):
    """A frozen pydantic model that refuses unknown keys and lists the known ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := [key for key in data if key not in cls.model_fields]):
            raise ValueError(f"unknown key {unknown[0]!r}; known: {', '.join(cls.model_fields)}")
        return data
