"""Who may sit in a seat, and what an arm changes: parts of an experiment's file, as frozen values."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError

from orchestrator.errors import user_error
from orchestrator.models import simulated
from orchestrator.models.settings import PROGRAM, REPLAY, ModelSettings, settings
from orchestrator.models.simulated import SimSettings
from orchestrator.values import Frozen

Name = Annotated[str, Field(pattern=r"^[\w+][\w.+-]*$", max_length=100)]
"""Of an arm or an experiment: it is a folder's name too."""
SeatNumber = Annotated[int, Field(ge=0, le=4)]
Verifier = Literal["none", "safety"]


def _model(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    try:
        return simulated.settings(value) or ModelSettings.model_validate(value)
    except ValidationError as error:
        raise ValueError(user_error("", error)) from None


Model = Annotated[str | ModelSettings | SimSettings, BeforeValidator(_model)]
"""`program`, `openai:NAME` ..., or settings with a `model`."""


def sampled(model: Model, sampling: Mapping[str, Any]) -> Model:
    """A server's model with the settings of `sampling` that it does not say itself; any other as it is."""
    if not sampling or not asked(model):
        return model
    given = {"model": model} if isinstance(model, str) else model.model_dump(exclude_unset=True)
    return settings({**sampling, **given})


def settled(model: Model) -> Model:
    """A server's model with all its settings, the environment's included; any other as it is. Raises UserError."""
    return settings(model) if isinstance(model, str) and asked(model) else model


def asked(model: Model) -> bool:
    """Whether a server is asked, which is neither a program nor a recording."""
    return isinstance(model, ModelSettings) or (
        isinstance(model, str) and model != PROGRAM and not model.startswith((REPLAY, simulated.SIM))
    )


class Sitting(Frozen):
    """Who sits in a seat: `partner:piers`, a graph, or `{graph: house, model: ...}`."""

    graph: str
    """A graph's name or YAML file, `partner:NAME`, or `python:module:object`."""
    model: Model | None = None
    """For `default`; the experiment's, when it is not given."""
    verify: Verifier | None = None

    @property
    def label(self) -> str:
        """In names of arms."""
        return label(self.graph)


def label(graph: str) -> str:
    """How a graph, a partner or a Python seat is called in names of arms."""
    return Path(graph.split(":")[-1]).stem


def _sitting(value: Any) -> Any:
    return {"graph": value} if isinstance(value, str) else value


Who = Annotated[Sitting, BeforeValidator(_sitting)]


def labelled(seats: Any) -> Any:
    """A list of seats as a mapping, each labelled by its graph."""
    if not isinstance(seats, list | tuple):
        return seats
    made: dict[str, Any] = {}
    for one in seats:
        called = Sitting.model_validate(_sitting(one)).label
        if called in made:
            raise ValueError(f"two seats are called {called!r}; give them labels: `{{a: ..., b: ...}}`")
        made[called] = one
    return made


class Changes(Frozen):
    """What an arm changes; nothing, for the experiment as it is."""

    graph: str | None = None
    """Another graph, partner or Python seat."""
    models: dict[str, Model] = {}
    """Instead of the experiment's of the same names."""
    verify: Verifier | None = None
    without: tuple[str, ...] = ()
    """Nodes that are gone."""
    replace: dict[str, str] = {}
    """Node -> its model, e.g. `program`."""
    change: dict[str, dict[str, Any]] = {}
    """Node -> other settings of it."""
    without_sections: tuple[str, ...] = ()
    options: dict[str, Any] = {}
    """Section options of the whole graph, as in a graph's file."""
    setting: dict[str, Any] = {}
    """Other settings of the whole graph, as in a graph's file, e.g. `{context: watson, reason_first: true}`."""
    seats: dict[SeatNumber, Who] = {}
    """Others in some seats."""
