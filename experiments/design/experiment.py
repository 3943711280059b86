"""Experiments as frozen values: what a YAML file says, checked."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from experiments.design.protocols import completed
from experiments.design.schema import Changes, Model, Name, SeatNumber, Sitting, Verifier, Who, labelled
from graphs.config import PLAYERS, PlayerCount
from orchestrator.errors import UserError, user_error
from orchestrator.hanabi.referee import MAX_SEED
from orchestrator.models.settings import PROGRAM, ModelSettings
from orchestrator.values import Frozen
from orchestrator.yaml_files import from_file, loaded, setting

Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]


class Range(Frozen):
    """`count` seeds from `first` on."""

    first: Seed = 1
    count: int = Field(ge=1)

    @property
    def seeds(self) -> list[int]:
        return list(range(self.first, self.first + self.count))


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


class Experiment(Frozen):
    name: Name
    protocol: str | None = None
    """Gives the keys that the file does not say; see experiments/protocols.py."""
    graph: str | tuple[str, ...] = "house"
    """A graph's name or YAML file, `partner:NAME`, or `python:module:object`: who sits in every seat. Of several, each
    plays every arm."""
    players: tuple[PlayerCount, ...] = PLAYERS
    seeds: Range | tuple[Seed, ...] = Range(first=1, count=10)
    """The same deals in every arm."""
    repeats: int = Field(default=1, ge=1)
    """Games of each deal."""
    models: dict[str, Model] = {"default": PROGRAM}
    """By the names that graphs' nodes say."""
    sampling: dict[str, Any] = {}
    """Settings of every server's model that the model does not say itself, e.g. `{reasoning_effort: high}`; null: not
    sent."""
    seats: dict[SeatNumber, Who] = {}
    """Others in some seats, in every arm."""
    verify: Verifier | None = None
    """Instead of the graphs' own."""
    arms: dict[Name, Changes] | Literal["leave_one_out"] = {}
    """`leave_one_out`: the whole graph, and an arm without each node that it can do without."""
    matrix: dict[str, tuple[Any, ...]] = {}
    """Dotted settings of an arm, each with its values: every combination is an arm, of every one of `arms`."""
    exclude: tuple[dict[str, Any], ...] = ()
    """Combinations that are left out, by settings of the matrix, `graph` and `arm`."""
    baseline: str | None = None
    """The arm that the others are compared with, deal by deal."""
    journals: Literal["full", "lean"] = "full"
    """`lean`: without views and programs' replies; scores are the same."""
    cross_play: CrossPlay | None = None
    """Instead of arms."""
    adhoc: AdHoc | None = None
    """Instead of arms."""

    @field_validator("matrix", mode="before")
    @classmethod
    def _axes(cls, matrix: Any) -> Any:
        for key, values in matrix.items() if isinstance(matrix, dict) else ():
            if not isinstance(values, list | tuple) or not values:
                raise ValueError(f"{key} is {values!r}; it is a list of values, each of which makes an arm")
        return matrix

    @field_validator("sampling")
    @classmethod
    def _settings(cls, sampling: dict[str, Any]) -> dict[str, Any]:
        if taken := [key for key in sampling if key in ("model", "base_url", "key", "made_with")]:
            raise ValueError(f"{taken[0]!r} is a model's own; say it in models")
        _asked({"model": "openai:any", **sampling})
        return sampling

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.deals or not self.players or not self.graphs:
            raise ValueError("an experiment needs a graph, a seed and a player count")
        kinds = [name for name in ("arms", "cross_play", "adhoc") if getattr(self, name)]
        if len(kinds) > 1:
            raise ValueError(f"an experiment has {kinds[0]} or {kinds[1]}, not both")
        grid = [name for name in ("matrix", "exclude") if getattr(self, name)]
        if (self.cross_play or self.adhoc) and (grid or len(self.graphs) > 1):
            raise ValueError(f"{(grid or ['several graphs'])[0]} and {kinds[0]} do not go together; say arms")
        if self.adhoc and (same := set(self.deals) & set(self.adhoc.past.seeds)):
            raise ValueError(f"adhoc.past: seed {min(same)} is a trial's deal too; past games are of other deals")
        return self

    @property
    def deals(self) -> list[int]:
        """The seeds, each once, ascending."""
        return sorted(set(self.seeds.seeds if isinstance(self.seeds, Range) else self.seeds))

    @property
    def graphs(self) -> tuple[str, ...]:
        return (self.graph,) if isinstance(self.graph, str) else self.graph


class Rerun(Experiment):
    """A run to be played again: its deals, and by `record` whoever sat there, whatever the names now mean."""

    record: dict[str, Any]
    """What run.yaml says."""


def _asked(sampling: dict[str, Any]) -> None:
    """Raises ValueError for settings that no model has."""
    try:
        ModelSettings.model_validate(sampling)
    except ValidationError as error:
        raise ValueError(user_error("", error)) from None


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
    if "config_hash" in data:
        return _again(data, where, changes)
    for change in changes:
        put(data, change)
    return checked(data, where)


def _again(record: dict[str, Any], where: str, changes: Iterable[str]) -> Rerun:
    """The run of a run.yaml; only its deals can be others."""
    if not isinstance(asked := record.get("experiment"), dict):
        raise UserError(f"{where} is not a run.yaml that this program reads: it does not say which experiment it was")
    data = {**asked, **{key: record[key] for key in DEALS if record.get(key) is not None}}
    for change in changes:
        if change.partition("=")[0].partition(".")[0] not in DEALS:
            known = ", ".join(DEALS)
            raise UserError(f"--set {change!r}: a run is played again as it was; of a run.yaml only {known} can be set")
        put(data, change)
    whole = checked(data, where)
    return Rerun.model_validate({**whole.model_dump(exclude_unset=True), "record": record})


DEALS = ("name", "players", "seeds", "repeats", "journals", "baseline")
"""What can be set of a run that is played again."""


def checked(data: dict[str, Any], where: str) -> Experiment:
    """An experiment of plain data. Raises UserError with one sentence."""
    if empty := [key for key in ("matrix", "exclude") if key in data and not data[key]]:
        raise UserError(f"{where}: {empty[0]} is empty; leave it out")
    try:
        return Experiment.model_validate(completed(data))
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    except ValidationError as error:
        raise _shortest(where, error) from None


def _shortest(where: str, error: ValidationError) -> UserError:
    """Of a value that may be of several types, the complaint about the one that was meant: it lies deepest."""
    first = error.errors()[0]
    if first["loc"] and first["loc"][0] in UNIONS:
        alike = [one for one in error.errors() if one["loc"][0] == first["loc"][0]]
        first = max(alike, key=lambda one: (len(one["loc"]), one["type"] == "value_error"))
        path = [str(part) for part in first["loc"] if "[" not in str(part) and part not in KINDS]
        said = first["msg"].removeprefix("Value error, ")
        shown = "" if first["type"] in ("value_error", "missing") else f", not {first['input']!r}"
        return UserError(f"{where}: {'.'.join(path)}: {said}{shown}")
    return user_error(where, error)


UNIONS = ("graph", "seeds", "seats", "models", "arms", "cross_play", "adhoc")
"""Keys whose values are of several types."""
KINDS = ("Range", "Sitting", "ModelSettings", "SimSettings", "str")
"""As pydantic names them."""


def put(data: dict[str, Any], given: str) -> None:
    """Change plain data as a command line says: `seeds.count=10`, `models.default=program`. Raises UserError."""
    keys, value = setting(given, "seeds.count=10")
    place(data, keys, value, f"--set {given!r}")


def place(data: dict[str, Any], keys: list[str], value: Any, where: str) -> None:
    """Set what lies under nested keys. Raises UserError when there is something else than settings on the way."""
    inner: Any = data
    for done, key in enumerate(keys[:-1], 1):
        key = _as_there(inner, key)
        if isinstance(short := inner.get(key), str):
            inner[key] = _long(keys[:done], short, keys[done])
        elif keys[:done] == ["seeds"]:
            inner[key] = _range(short)
        inner = inner.setdefault(key, {})
        if not isinstance(inner, dict):
            raise UserError(f"{where}: there are no settings under {'.'.join(keys[:done])!r}")
    inner[_as_there(inner, keys[-1])] = value


def _range(seeds: Any) -> Any:
    """A list of seeds that follow each other, as run.yaml has them, as `first` and `count`; else what it was."""
    if not isinstance(seeds, list) or not seeds or not all(type(seed) is int for seed in seeds):
        return {} if seeds is None else seeds
    follow = seeds == list(range(seeds[0], seeds[0] + len(seeds)))
    return {"first": seeds[0], "count": len(seeds)} if follow else seeds


def _as_there(data: dict[Any, Any], key: str) -> Any:
    """A seat's number is no text in YAML."""
    return int(key) if key.isdigit() and int(key) in data else key


def _long(path: list[str], short: str, asked: str) -> Any:
    """A model or a seat in short as the mapping that it stands for, when one of its settings is asked for."""
    if path[-1] == "model" or path[-2:-1] == ["models"]:
        return {"model": short}
    return {"graph": short} if asked in Sitting.model_fields and len(path) > 1 else short
