"""Simulated models, as settings: which errors a program's answers are given, and how often. See docs/simulated.md.

The rates are fixed from what the papers state, or by plain judgement; none was fitted to a score.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator

from orchestrator.errors import UserError, user_error
from orchestrator.values import Frozen

SIM = "sim:"
"""Before the name of a profile."""

Rate = Annotated[float, Field(ge=0, le=1)]


class Rates(Frozen):
    """How likely each error is in one answer; they strike independently. What cannot happen there does not."""

    misread_stack: Rate = 0.0
    """One firework, and the next playable card with it, is taken for one higher or lower."""
    forgotten_negatives: Rate = 0.0
    """Of one hand, the own or a partner's, only what was told outright is remembered."""
    slot_off_by_one: Rate = 0.0
    """The slots of the answer are one too high, or one too low."""
    overconfident_play: Rate = 0.0
    """Instead of a hint or a discard, a hinted card that may fit is taken to fit."""
    rating_mismatch: Rate = 0.0
    """The chosen move is not the best rated."""
    malformed: Rate = 0.0
    """The text is not as asked: half of these can be mended (fences, prose), half cannot (cut off, unfinished)."""
    wrong_accept: Rate = 0.0
    """Of a judge, who errs in no other way but this and the next: a move to be refused is accepted."""
    wrong_refusal: Rate = 0.0
    """Of a judge: a move to be accepted is refused."""


AVERAGE = {
    "misread_stack": 0.05,
    "forgotten_negatives": 0.10,
    "slot_off_by_one": 0.05,
    "overconfident_play": 0.10,
    "rating_mismatch": 0.05,
    "malformed": 0.04,
    "wrong_accept": 0.20,
    "wrong_refusal": 0.10,
}

PROFILES: Mapping[str, Rates] = {
    name: Rates(**{kind: round(rate * times, 4) for kind, rate in AVERAGE.items()})
    for name, times in {"careful": 0.2, "average": 1, "careless": 2.5}.items()
}

KINDS = tuple(Rates.model_fields)
NAMES = ", ".join(f"{SIM}{name}" for name in PROFILES)


class SimSettings(Rates):
    """A simulated model, every rate stated: all of it decides what is answered, so all of it is written to journals."""

    model: str
    seed: int = 0
    """Another one makes other errors; every call gets a seed of its own, hashed from this one and its place."""

    @field_validator("model")
    @classmethod
    def _known(cls, model: str) -> str:
        profile(model)
        return model

    @property
    def deciding(self) -> dict[str, Any]:
        return self.model_dump()


def profile(model: str) -> Rates:
    """The rates of `sim:NAME`. Raises ValueError for a name that there is not."""
    name = model.removeprefix(SIM)
    if not is_simulated(model) or name not in PROFILES:
        raise ValueError(f"there is no simulated model {model!r}; known: {NAMES}")
    return PROFILES[name]


def is_simulated(model: object) -> bool:
    return isinstance(model, str) and model.startswith(SIM)


def settings(model: object) -> SimSettings | None:
    """The settings of `sim:NAME`, or of a mapping with such a `model`; None for any other model. Raises UserError."""
    if isinstance(model, SimSettings):
        return model
    given = dict(model) if isinstance(model, Mapping) else {"model": model}
    if not is_simulated(given.get("model")):
        return None
    try:
        return SimSettings.model_validate(profile(str(given["model"])).model_dump() | given)
    except ValidationError as error:
        raise user_error(f"model {given['model']!r}", error) from None
    except ValueError as error:
        raise UserError(str(error)) from None


def among(models: str) -> list[str]:
    """The simulated ones of models as a seat's card or a result names them, joined by `+`."""
    return [one for one in re.split(r"\+(?=\S)", models) if is_simulated(one)]
