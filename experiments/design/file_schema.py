"""Parts of an experiment file as frozen values: what may sit in a seat, and what an arm changes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from experiments.design.arm_names import too_long
from orchestrator.errors import user_error
from orchestrator.models import simulated_settings
from orchestrator.models.settings import PROGRAM, REPLAY, ModelSettings, settings
from orchestrator.models.simulated_settings import SimSettings
from orchestrator.values import Frozen, OneOrMore, listed


def _folder(name: str) -> str:
    if problem := too_long(name):
        raise ValueError(problem)
    return name


Name = Annotated[str, Field(pattern=r"^[\w+][\w.+-]*$", max_length=100), AfterValidator(_folder)]
"""Of an arm or an experiment; it is also the name of a folder."""
SeatNumber = Annotated[int, Field(ge=0, le=4)]
Verifier = Literal["none", "safety"]


def _model(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    try:
        return simulated_settings.settings(value) or ModelSettings.model_validate(value)
    except ValidationError as error:
        raise ValueError(user_error("", error)) from None


Model = Annotated[str | ModelSettings | SimSettings, BeforeValidator(_model)]
"""`program`, `openai:NAME` ..., or settings with a `model`."""


def sampled(model: Model, sampling: Mapping[str, Any]) -> Model:
    """A server's model, with those settings of `sampling` that it does not set itself; any other model unchanged."""
    if not sampling or not asked(model):
        return model
    given = {"model": model} if isinstance(model, str) else model.model_dump(exclude_unset=True)
    return settings({**sampling, **given})


def settled(model: Model) -> Model:
    """A server's model with all its settings, including those from the environment; any other model unchanged.

    Raises UserError.
    """
    return settings(model) if isinstance(model, str) and asked(model) else model


def asked(model: Model) -> bool:
    """Whether the model is on a server: neither a program, a simulated model nor a recording."""
    return isinstance(model, ModelSettings) or (
        isinstance(model, str) and model != PROGRAM and not model.startswith((REPLAY, simulated_settings.SIM))
    )


class SeatConfig(Frozen):
    """What sits in a seat: `partner:piers`, a graph, or `{graph: house, model: ...}`."""

    graph: str
    """A graph's name or YAML file, `partner:NAME`, or `python:module:object`."""
    model: Model | None = None
    """Bound to `default`; the experiment's own when not given."""
    verify: Verifier | None = None

    @property
    def label(self) -> str:
        """In names of arms."""
        return label(self.graph)


def label(graph: str) -> str:
    """The name of a graph, a partner or a Python seat in names of arms."""
    return Path(graph.split(":")[-1]).stem


def _sitting(value: Any) -> Any:
    return {"graph": value} if isinstance(value, str) else value


AnySeat = Annotated[SeatConfig, BeforeValidator(_sitting)]


def labelled(seats: Any) -> Any:
    """A list of seats, or a single one, as a mapping, each labelled by its graph."""
    if isinstance(seats, str) and seats != "partners":
        seats = listed(seats)
    if not isinstance(seats, list | tuple):
        return seats
    made: dict[str, Any] = {}
    for one in seats:
        called = SeatConfig.model_validate(_sitting(one)).label
        if called in made:
            raise ValueError(f"two seats are called {called!r}; give them labels: `{{a: ..., b: ...}}`")
        made[called] = one
    return made


class Changes(Frozen):
    """What an arm changes in the experiment; all defaults for an arm that changes nothing."""

    graph: str | None = None
    """Another graph, partner or Python seat."""
    models: dict[str, Model] = {}
    """By name; they replace the experiment's models of the same names."""
    verify: Verifier | None = None
    without: OneOrMore[str] = ()
    """Nodes that are removed."""
    replace: dict[str, str] = {}
    """Node -> its model, e.g. `program`."""
    change: dict[str, dict[str, Any]] = {}
    """Node -> settings that are merged into it."""
    without_sections: OneOrMore[str] = ()
    """Prompt sections that no node gets."""
    options: dict[str, Any] = {}
    """Section options of the whole graph, as in a graph file."""
    setting: dict[str, Any] = {}
    """Other settings of the whole graph, as in a graph file, e.g. `{context: watson, reason_first: true}`."""
    seats: dict[SeatNumber, AnySeat] = {}
    """Seats that are taken by something else."""
