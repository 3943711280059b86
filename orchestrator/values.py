"""The base class of every value that is stored or passed between packages."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Frozen(BaseModel):
    """A frozen pydantic model that refuses unknown keys and lists the known ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, data: Any) -> Any:
        known = cls.__pydantic_fields__  # `model_fields` takes ten times as long, and this runs for every value
        if isinstance(data, dict) and not data.keys() <= known.keys():
            unknown = next(key for key in data if key not in known)
            raise ValueError(f"unknown key {unknown!r}; known: {', '.join(known)}")
        return data
