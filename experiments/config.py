"""Experiments as frozen values: what a YAML file says, checked."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator

from graphs.config import PLAYERS, PlayerCount
from graphs.yaml_text import from_file, loaded
from orchestrator.errors import UserError
from orchestrator.frozen import Frozen, user_error
from orchestrator.hle import MAX_SEED
from orchestrator.settings import PROGRAM, ModelSettings

Name = Annotated[str, Field(pattern=r"^[\w+][\w.+-]*$", max_length=100)]
"""Of an arm: it is a folder's name too."""
SeatNumber = Annotated[int, Field(ge=0, le=4)]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]
Verifier = Literal["none", "safety"]


def _model(value: Any) -> Any:
    return ModelSettings.model_validate(value) if isinstance(value, dict) else value


Model = Annotated[str | ModelSettings, BeforeValidator(_model)]
"""`program`, `openai:NAME` ..., or settings with a `model`."""


class Range(Frozen):
    """`count` seeds from `first` on."""

    first: Seed = 1
    count: int = Field(ge=1)

    @property
    def seeds(self) -> list[int]:
        return list(range(self.first, self.first + self.count))


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
        return Path(self.graph.split(":")[-1]).stem


def _sitting(value: Any) -> Any:
    return {"graph": value} if isinstance(value, str) else value


Who = Annotated[Sitting, BeforeValidator(_sitting)]


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
    seats: dict[SeatNumber, Who] = {}
    """Others in some seats."""


class CrossPlay(Frozen):
    """Every ordered pair (A, B): A in exactly one seat, B in all others."""

    seats: dict[Name, Who] | Literal["partners"]
    """By label; a list is labelled by its graphs. `partners`: all rule players."""
    rotate: bool = False
    """A sits in the seat of the deal's seed modulo the players, so that who begins changes; else in seat 0, which
    always begins."""

    @field_validator("seats", mode="before")
    @classmethod
    def _labelled(cls, seats: Any) -> Any:
        return labelled(seats)


class AdHoc(Frozen):
    """One seat among strangers: in a drawn position, one partner of a pool in all others, whose games it was told."""

    seat: Who
    """The evaluated one."""
    pool: dict[Name, Who] | Literal["partners"]
    """The partners, by label; a list is labelled by its graphs. `partners`: all rule players."""
    position: Literal["random", "rotate"] | SeatNumber = "random"
    """Where the evaluated seat sits. Seat 0 always begins, so that this also says who does: drawn for each trial, the
    trial's seed modulo the players, or one seat."""
    games: int = Field(default=10, ge=0)
    """Self-play games of the partner that the evaluated seat is given before each trial, drawn for each trial."""
    past: Range = Range(first=1_000_000_000, count=100)
    """The deals of the self-play games that they are drawn from; none of them may be a trial's."""
    draw: int = 1
    """Another number draws other positions and other past games."""
    cross: int | None = Field(default=None, ge=0)
    """Deals of the pool's cross table and self-play, the first ones of the trials; all of them if not given."""

    @field_validator("pool", mode="before")
    @classmethod
    def _labelled(cls, pool: Any) -> Any:
        return labelled(pool)

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if self.games > self.past.count:
            raise ValueError(f"games: {self.games} games cannot be drawn from {self.past.count} past ones")
        return self


def labelled(seats: Any) -> Any:
    """A list of seats as a mapping, each labelled by its graph."""
    if not isinstance(seats, list | tuple):
        return seats
    made: dict[str, Any] = {}
    for one in seats:
        label = Sitting.model_validate(_sitting(one)).label
        if label in made:
            raise ValueError(f"two seats are called {label!r}; give them labels: `{{a: ..., b: ...}}`")
        made[label] = one
    return made


class Experiment(Frozen):
    name: str
    graph: str = "house"
    """A graph's name or YAML file, `partner:NAME`, or `python:module:object`: who sits in every seat."""
    players: tuple[PlayerCount, ...] = PLAYERS
    seeds: Range | tuple[Seed, ...] = Range(first=1, count=10)
    """The same deals in every arm."""
    repeats: int = Field(default=1, ge=1)
    """Games of each deal."""
    models: dict[str, Model] = {"default": PROGRAM}
    """By the names that graphs' nodes say."""
    seats: dict[SeatNumber, Who] = {}
    """Others in some seats, in every arm."""
    verify: Verifier | None = None
    """Instead of the graphs' own."""
    arms: dict[Name, Changes] | Literal["leave_one_out"] = {}
    """`leave_one_out`: the whole graph, and an arm without each node that it can do without."""
    baseline: str | None = None
    """The arm that the others are compared with, deal by deal."""
    journals: Literal["full", "lean"] = "full"
    """`lean`: without views and programs' replies; scores are the same."""
    cross_play: CrossPlay | None = None
    """Instead of arms."""
    adhoc: AdHoc | None = None
    """Instead of arms."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.deals or not self.players:
            raise ValueError("an experiment needs a seed and a player count")
        kinds = [name for name in ("arms", "cross_play", "adhoc") if getattr(self, name)]
        if len(kinds) > 1:
            raise ValueError(f"an experiment has {kinds[0]} or {kinds[1]}, not both")
        if isinstance(self.arms, dict) and self.baseline and self.baseline not in self.arms:
            known = ", ".join(self.arms) or "none"
            raise ValueError(f"baseline {self.baseline!r} is not an arm; the arms are: {known}")
        if self.adhoc and (same := set(self.deals) & set(self.adhoc.past.seeds)):
            raise ValueError(f"adhoc.past: seed {min(same)} is a trial's deal too; past games are of other deals")
        return self

    @property
    def deals(self) -> list[int]:
        """The seeds, each once, ascending."""
        return sorted(set(self.seeds.seeds if isinstance(self.seeds, Range) else self.seeds))


@cache
def packaged() -> Mapping[str, str]:
    """The texts of the experiments that have names."""
    home = files("experiments").joinpath("configs")
    found = {Path(file.name).stem: file.read_text("utf-8") for file in home.iterdir() if file.name.endswith(".yaml")}
    return dict(sorted(found.items()))


def read(experiment: str | Path, changes: Iterable[str] = ()) -> Experiment:
    """An experiment by its name, or of a YAML file, with settings changed. Raises UserError with one sentence."""
    path = Path(experiment)
    if path.suffix in (".yaml", ".yml"):
        return parse(from_file(path, "experiment"), str(experiment), changes)
    if str(experiment) not in packaged():
        known = ", ".join(packaged())
        raise UserError(f"unknown experiment {str(experiment)!r}; known: {known}, or a path to a .yaml file")
    return parse(packaged()[str(experiment)], str(experiment), changes)


def parse(text: str, where: str = "experiment", changes: Iterable[str] = ()) -> Experiment:
    """An experiment of YAML text. Raises UserError with one sentence."""
    data = loaded(text, where)
    if not isinstance(data, dict):
        raise UserError(
            f"{where} is not an experiment: a YAML mapping with the keys {', '.join(Experiment.model_fields)}"
        )
    for change in changes:
        put(data, change)
    try:
        return Experiment.model_validate(data)
    except ValidationError as error:
        raise _shortest(where, error) from None


def _shortest(where: str, error: ValidationError) -> UserError:
    """Of a value that may be of several types, the complaint about the one that was meant: it lies deepest."""
    first = error.errors()[0]
    if first["loc"] and first["loc"][0] in ("seeds", "arms", "cross_play", "adhoc"):
        alike = [one for one in error.errors() if one["loc"][0] == first["loc"][0]]
        first = max(alike, key=lambda one: (len(one["loc"]), one["type"] == "value_error"))
        path = [str(part) for part in first["loc"] if "[" not in str(part) and part not in ("Range", "Sitting")]
        said = first["msg"].removeprefix("Value error, ")
        shown = "" if first["type"] in ("value_error", "missing") else f", not {first['input']!r}"
        return UserError(f"{where}: {'.'.join(path)}: {said}{shown}")
    return user_error(where, error)


def put(data: dict[str, Any], given: str) -> None:
    """Change plain data as a command line says: `seeds.count=10`, `models.default=program`. Values are YAML."""
    path, equals, text = given.partition("=")
    if not equals or not all(keys := path.split(".")):
        raise UserError(f"--set {given!r} is no setting; say KEY=VALUE, e.g. seeds.count=10")
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        raise UserError(f"--set {given!r}: {text!r} is not YAML") from None
    inner: Any = data
    for done, key in enumerate(keys[:-1], 1):
        if isinstance(inner.get(key), str) and keys[done] in ("graph", "model", "verify"):
            inner[key] = {"graph": inner[key]}  # a seat in short
        inner = inner.setdefault(key, {})
        if not isinstance(inner, dict):
            raise UserError(f"--set {given!r}: there are no settings under {'.'.join(keys[:done])!r}")
    inner[keys[-1]] = value
