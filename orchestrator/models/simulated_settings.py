"""The settings of simulated models: which errors a program's answers are given, how often. See docs/simulated.md.

The rates are fixed from what the papers state, or by plain judgement; none was fitted to a score.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator

from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, user_error
from hanabi_orchestrator.orchestrator.models.price import Price
from hanabi_orchestrator.orchestrator.values import Frozen

SIM = "sim:"
"""Prefix of a simulated model; the name of a profile follows."""
PERTURBED = "perturbed:"
"""Prefix of a role's program with errors; the rate of each error follows."""

Rate = Annotated[float, Field(ge=0, le=1)]


class Rates(Frozen):
    """The probability of each error in one answer; errors are independent, and left out where they cannot occur."""

    misread_stack: Rate = 0.0
    """One firework is read as one higher or lower, and its next playable card with it."""
    forgotten_negatives: Rate = 0.0
    """Of one hand, the own or a partner's, only positive hint information is remembered."""
    slot_off_by_one: Rate = 0.0
    """The slots in the answer are one too high, or one too low."""
    overconfident_play: Rate = 0.0
    """Instead of a hint or a discard, a hinted card is played that may be playable."""
    rating_mismatch: Rate = 0.0
    """The chosen move is not the one with the best rating; a judge of state tracking rates at random."""
    overlooked_move: Rate = 0.0
    """In lists that a player keeps of all hands, a play or discard is overlooked: that hand's slots do not move."""
    malformed: Rate = 0.0
    """The text breaks the format: half of these can be repaired (fences, prose), half cannot (cut off, unfinished)."""
    wrong_accept: Rate = 0.0
    """A judge accepts a move that should be refused. This error and the next are the only ones of judges."""
    wrong_refusal: Rate = 0.0
    """A judge refuses a move that should be accepted."""
    left_out: Rate = 0.0
    """A report lacks an entry of a list that should have one for each move, card or player. In no profile."""


AVERAGE = {
    "misread_stack": 0.05,
    "forgotten_negatives": 0.10,
    "slot_off_by_one": 0.05,
    "overconfident_play": 0.10,
    "rating_mismatch": 0.05,
    "malformed": 0.04,
    "wrong_accept": 0.20,
    "wrong_refusal": 0.10,
    "left_out": 0.0,
}

PROFILES: Mapping[str, Rates] = {
    name: Rates(**{kind: round(rate * times, 4) for kind, rate in AVERAGE.items()})
    for name, times in {"careful": 0.2, "average": 1, "careless": 2.5}.items()
}

LATER = ("left_out", "overlooked_move")
"""Errors that there were not always: without them, settings are stored as they were before."""

KINDS = tuple(Rates.model_fields)
NAMES = ", ".join(f"{SIM}{name}" for name in PROFILES)


class SimSettings(Rates):
    """A simulated model with every rate stated; all settings decide its answers, so all are written to journals."""

    model: str
    seed: int = 0
    """Every request gets a seed of its own, hashed from this one and the request's place in its game."""
    price: Price | None = None
    """A made-up price, to try what a study of costs would show: of tokens that are estimated from the characters."""

    @field_validator("model")
    @classmethod
    def _names_a_profile(cls, model: str) -> str:
        profile(model)
        return model

    @property
    def deciding(self) -> dict[str, Any]:
        """Errors that came later are named only where they are made, so that games of before keep their hashes; a price
        decides no answer."""
        rates = self.model_dump(exclude={"price"})
        return {kind: rate for kind, rate in rates.items() if kind not in LATER or rate}


def profile(model: str) -> Rates:
    """Return the rates of `sim:NAME`. Raises ValueError for an unknown name."""
    name = model.removeprefix(SIM)
    if not is_simulated(model) or name not in PROFILES:
        hint = did_you_mean(model, NAMES.split(", "))
        raise ValueError(f"there is no simulated model {model!r}; {hint}")
    return PROFILES[name]


def is_simulated(model: object) -> bool:
    return isinstance(model, str) and model.startswith((SIM, PERTURBED))


def perturbed(rate: float, seed: int = 0) -> SimSettings:
    """Return a role's program with each error of an answer at one rate, and none of the form or of judges."""
    rates = {
        kind: rate for kind in AVERAGE if kind not in ("malformed", "wrong_accept", "wrong_refusal")
    }
    return SimSettings(model=f"{SIM}average", seed=seed, **rates)


def settings(model: object) -> SimSettings | None:
    """Return the settings of `sim:NAME`, of a mapping with such a `model`, or of `perturbed:RATE`; None for any other.

    Raises UserError.
    """
    if isinstance(model, SimSettings):
        return model
    data = dict(model) if isinstance(model, Mapping) else {"model": model}
    if isinstance(model, str) and model.startswith(PERTURBED):
        try:
            return perturbed(float(model.removeprefix(PERTURBED)))
        except ValueError:
            raise UserError(
                f"{model!r}: the rate of errors is a number from 0 to 1, e.g. {PERTURBED}0.3"
            ) from None
    if not is_simulated(data.get("model")):
        return None
    try:
        return SimSettings.model_validate(profile(str(data["model"])).model_dump() | data)
    except ValidationError as error:
        raise user_error(f"model {data['model']!r}", error) from None
    except ValueError as error:
        raise UserError(str(error)) from None


def among(models: str) -> list[str]:
    """Return the simulated models among model names joined by `+`, as results state them."""
    return [model for model in _names(models) if is_simulated(model)]


def only(models: str) -> bool:
    """Return whether all of these model names are of simulated models."""
    return all(map(is_simulated, _names(models)))


def _names(models: str) -> list[str]:
    return re.split(r"\+(?=\S)", models)
