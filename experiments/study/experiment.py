"""An experiment file as a checked, frozen value."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.resources import files
from math import fsum, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator

from hanabi_orchestrator.experiments.record import measures, run_folder
from hanabi_orchestrator.experiments.record.rows import COLUMNS
from hanabi_orchestrator.experiments.record.seed_range import MOST_SEEDS, Range, Seed
from hanabi_orchestrator.experiments.study import references
from hanabi_orchestrator.experiments.study.coalitions import FULL, Coalitions
from hanabi_orchestrator.experiments.study.decks import Deck, read_decks
from hanabi_orchestrator.experiments.study.file_schema import (
    AdHoc,
    Changes,
    ControlSettings,
    CrossPlay,
    Model,
    Name,
    SeatConfig,
    SeatNumber,
    Spec,
    Verifier,
    checked_by,
    label,
    value_errors,
)
from hanabi_orchestrator.experiments.study.overrides import put
from hanabi_orchestrator.experiments.study.protocols import completed
from hanabi_orchestrator.experiments.study.seat_objects import is_object
from hanabi_orchestrator.experiments.study.stop_rule import Stop
from hanabi_orchestrator.graphs.config import PLAYERS, PlayerCount
from hanabi_orchestrator.orchestrator.errors import (
    UserError,
    complaint,
    did_you_mean,
    nearby,
    user_error,
)
from hanabi_orchestrator.orchestrator.hanabi.cards import Card
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM, ModelSettings
from hanabi_orchestrator.orchestrator.values import Frozen, OneOrMore, as_list
from hanabi_orchestrator.orchestrator.yaml_files import about, from_file, loaded

POSITIONS = "positions"
OF_POSITIONS = ("bank", "notes", "first", "draw")
"""Keys for `task: positions` alone."""
OF_GAMES = (
    "protocol",
    "seeds",
    "deals",
    "seats",
    "metric",
    "stop",
    "reference",
    "journals",
    "columns",
    "min_own",
    "cross_play",
    "adhoc",
)
"""Keys for `task: games` alone."""
TABLE = ("id", "state", "swing", *COLUMNS)
"""The columns that the page's table of games may show."""


class Experiment(Frozen):
    """An experiment as a frozen value; the fields are the keys of its YAML file."""

    name: Name = "study"
    """Required in a file."""
    task: Literal["games", "positions"] = "games"
    """What arms are asked: whole games, or single decisions on the positions of a bank."""
    protocol: str | None = None
    """Supplies the keys that the file leaves out; see experiments/study/protocols.py."""
    graph: Spec | tuple[Spec, ...] = "house"
    """The player in every seat: a graph's name or YAML file, `partner:NAME`, or
    `python:module:object`. Given several, each of them plays every arm."""
    players: OneOrMore[PlayerCount] = PLAYERS
    seeds: Range | Annotated[tuple[Seed, ...], Field(max_length=MOST_SEEDS)] = Range(
        first=1, count=10
    )
    """The deals of every arm: a list of seeds, or a number n for the seeds 1 to n."""
    deals: dict[str, str] = {}
    """Decks by name, in place of HLE's own deals: a JSON file, a folder of such files, or a list of
    them, see experiments/study/decks.py. They are numbered from 1 on, and `seeds` are then these
    numbers; all if not given."""
    repeats: int = Field(default=1, ge=1, le=10_000)
    """Games of each deal; with `task: positions`, decisions of each position."""
    bank: str | None = None
    """With `task: positions`: the bank, a packaged one's name or a file."""
    notes: Literal["recorded", "fresh"] = "recorded"
    """With `task: positions`: colleagues' notes are those of the bank, or made once by the baseline
    for all arms."""
    first: int | None = Field(default=None, ge=1)
    """With `task: positions`: only so many of them, from the bank's first on; all if not given."""
    draw: int = 0
    """With `task: positions`: another number asks models with other seeds, and draws other notes
    for controls."""
    models: dict[str, Model] = {"default": PROGRAM}
    """The models, by the names that the graphs' nodes use."""
    sampling: dict[str, Any] = {}
    """Defaults for the settings of every server's model, e.g. `{reasoning_effort: high}`; null
    means not sent."""
    seats: dict[SeatNumber, SeatConfig] = {}
    """Other players for some seats, in every arm."""
    verify: Verifier | None = None
    """Overrides the graphs' own verifier."""
    arms: dict[Name, Changes] | tuple[str, ...] | Literal["leave_one_out"] = {}
    """`leave_one_out`: the whole graph, and one arm per removable node, without that node. A list
    of short forms, see `graphs.interventions`: the whole graph, and one arm for each; a kind alone,
    such as `removed`, stands for one arm for each node whose note the deciding node reads."""
    coalitions: Coalitions | None = None
    """Parts of the graph, of which any may be absent: an arm for each set of parts that is present,
    and what each part is worth; see experiments/study/coalitions.py."""
    contrasts: dict[Name, dict[str, float]] = {}
    """Comparisons of one's own by name: the weights of arms, which sum to 0."""
    matrix: dict[str, tuple[Any, ...]] = {}
    """Dotted settings of an arm, each with its values: every combination is crossed with every one
    of `arms`."""
    exclude: OneOrMore[dict[str, Any]] = ()
    """Combinations to leave out, by settings of the matrix, `graph` and `arm`."""
    question: str | None = None
    """The question, in a sentence or two; a report begins with it."""
    metric: Annotated[str | None, checked_by(measures.check)] = None
    """The measure that arms are compared by: a score (`strict`, 0 when the third life was lost, or
    `kept`, the points on the table); another number of each game, such as `turns` or `misplays`
    (experiments/record/measures.py has all); or the mean of a mark, `mark:ROLE.NAME`. If not given,
    the score of the protocol, else `kept` for graphs of papers on language models and `strict` for
    all others; see experiments/study/metric.py."""
    stop: Stop | None = None
    """When arms may stop before the last deal; without it all deals are played."""
    reference: Annotated[OneOrMore[str], checked_by(references.named)] = ()
    """Published scores that reports show beside this run's, by name; `list references` lists
    them."""
    baseline: str | None = None
    """The arm that the others are compared with, deal by deal."""
    controls: ControlSettings = ControlSettings()
    """Which controls are added to the arms that are listed."""
    journals: Literal["full", "lean"] = "full"
    """`lean` leaves out views and the replies of programs; scores are the same."""
    columns: OneOrMore[str] = ()
    """The columns that the page's table of games shows, in this order; all of them are listed in
    docs/page.md."""
    min_own: float = Field(default=0.5, ge=0, le=1)
    """The run stops when fewer of an arm's moves than this share are its model's own, from 50 moves
    on; 0: never."""
    cross_play: CrossPlay | None = None
    """Instead of arms."""
    adhoc: AdHoc | None = None
    """Instead of arms."""

    if not TYPE_CHECKING:

        def __init__(self, **data: Any) -> None:
            """Check the settings of an experiment that is made in Python. Raises UserError with one sentence."""
            with _in_words("Experiment"):
                super().__init__(**completed({"name": "study", **data}))

        __init__.__pydantic_base_init__ = True  # files are validated without it, with their folder

    @field_validator("graph", mode="before")
    @classmethod
    def _several(cls, graph: Any) -> Any:
        if isinstance(graph, str) and "," in graph:
            return as_list(graph)
        return graph

    @field_validator("columns")
    @classmethod
    def _named(cls, columns: tuple[str, ...]) -> tuple[str, ...]:
        for name in columns:
            if name not in TABLE:
                raise ValueError(f"there is no column {name!r}; {did_you_mean(name, TABLE)}")
        return columns

    @field_validator("seeds", mode="before")
    @classmethod
    def _count(cls, seeds: Any) -> Any:
        if type(seeds) is int:
            return {"count": seeds}
        if isinstance(seeds, str):
            return as_list(seeds)
        return seeds

    @field_validator("deals", mode="before")
    @classmethod
    @value_errors()
    def _read(cls, deals: Any, info: ValidationInfo) -> Any:
        return read_decks(deals, (info.context or {}).get("folder", Path()))

    @field_validator("contrasts")
    @classmethod
    def _balanced(cls, contrasts: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        for name, weights in contrasts.items():
            if not any(weights.values()) or not all(map(isfinite, weights.values())):
                raise ValueError(
                    f"{name}: give two arms or more, each with a weight, e.g. {{full: 1, none: -1}}"
                )
            if abs(total := fsum(weights.values())) > 1e-9:
                raise ValueError(
                    f"{name}: the weights sum to {total:g}; those of a comparison sum to 0"
                )
        return contrasts

    @field_validator("matrix", mode="before")
    @classmethod
    def _axes(cls, matrix: Any) -> Any:
        for key, values in matrix.items() if isinstance(matrix, dict) else ():
            if not isinstance(values, list | tuple) or not values:
                raise ValueError(
                    f"{key} is {values!r}; it is a list of values, each of which makes an arm"
                )
        return matrix

    @field_validator("sampling")
    @classmethod
    def _settings(cls, sampling: dict[str, Any]) -> dict[str, Any]:
        if reserved := [
            key for key in sampling if key in ("model", "base_url", "key", "made_with")
        ]:
            raise ValueError(f"{reserved[0]!r} belongs to a single model; set it under models")
        try:
            ModelSettings.model_validate({"model": "openai:any", **sampling})
        except ValidationError as error:
            raise ValueError(user_error("", error)) from None
        return sampling

    @field_validator("bank")
    @classmethod
    def _beside(cls, bank: str | None, info: ValidationInfo) -> str | None:
        beside = Path((info.context or {}).get("folder", Path())) / bank if bank else None
        if beside and beside.is_file():
            return str(beside)
        return bank

    @model_validator(mode="before")
    @classmethod
    def _whole_graph(cls, data: Any) -> Any:
        """Compare coalitions with all parts together, and arms without names, or made in Python, with
        the whole graph."""
        if not isinstance(data, dict):
            return data
        positions = data.get("task") == POSITIONS and data.get("arms") == "leave_one_out"
        unnamed = positions or isinstance(data.get("arms"), list | tuple)
        if unnamed or data.get("coalitions"):
            return {"baseline": FULL, **data}
        arms = data.get("arms")
        if isinstance(arms, dict) and any(map(is_object, arms.values())):
            return {"baseline": FULL, **data, "arms": {FULL: {}, **arms}}
        return data

    @model_validator(mode="after")
    def _of_one_task(self) -> Self:
        games = self.task == "games"
        keys = OF_POSITIONS if games else OF_GAMES
        if wrong := [
            key for key in keys if key in self.model_fields_set and getattr(self, key) is not None
        ]:
            raise ValueError(
                f"{wrong[0]} is for task: {POSITIONS if games else 'games'}; leave it out"
            )
        if not games and self.bank is None:
            raise ValueError(
                "bank is missing: task: positions asks on the positions of a bank, e.g. bank: "
                "program"
            )
        if not games and self.baseline is None:
            raise ValueError("baseline is missing: task: positions compares arms with one of them")
        return self

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        positions = self.task == POSITIONS
        if not (self.numbers or positions) or not self.players or not self.graphs:
            raise ValueError("an experiment needs a graph, a seed and a player count")
        if self.deals and not set(self.numbers) <= set(range(1, len(self.deals) + 1)):
            raise ValueError(
                f"seeds: with `deals` they are the numbers of its decks, 1 to {len(self.deals)}"
            )
        if self.coalitions:
            self._check_coalitions(self.coalitions)
        if self.contrasts and (self.stop or self.cross_play or self.adhoc):
            other = next(name for name in ("stop", "cross_play", "adhoc") if getattr(self, name))
            raise ValueError(
                f"contrasts and {other} do not go together: contrasts are of arms that play all "
                "deals"
            )
        designs = [name for name in ("arms", "cross_play", "adhoc") if getattr(self, name)]
        if len(designs) > 1:
            raise ValueError(f"an experiment has {designs[0]} or {designs[1]}, not both")
        grid = [name for name in ("matrix", "exclude") if getattr(self, name)]
        if (self.cross_play or self.adhoc) and (grid or len(self.graphs) > 1):
            raise ValueError(
                f"{(grid or ['several graphs'])[0]} and {designs[0]} do not go together; use arms"
            )
        if self.stop and (self.cross_play or self.adhoc):
            raise ValueError(
                f"stop and {designs[0]} do not go together: a stop rule compares arms with a "
                "baseline"
            )
        if (
            self.adhoc
            and not self.deals
            and (same := set(self.numbers) & set(self.adhoc.past.seeds))
        ):
            raise ValueError(
                f"adhoc.past: seed {min(same)} is also the deal of a trial; past games need other "
                "deals"
            )
        return self

    def _check_coalitions(self, coalitions: Coalitions) -> None:
        """Raise ValueError for a design that coalitions do not go together with."""
        if other := next(
            (name for name in ("matrix", "stop", "cross_play", "adhoc") if getattr(self, name)),
            None,
        ):
            raise ValueError(
                f"coalitions and {other} do not go together: all coalitions play the same deals"
            )
        if len(self.graphs) > 1:
            raise ValueError("coalitions are of one graph; make an experiment for each")
        if self.arms == "leave_one_out":
            raise ValueError("coalitions have the arms of leave_one_out; give one of them")
        if self.baseline != FULL:
            raise ValueError(f"baseline: with coalitions it is {FULL!r}, the graph with all parts")
        if self.task == POSITIONS:
            if not coalitions.complete or coalitions.games is not None:
                raise ValueError(
                    "coalitions on positions have at most five parts, and `first` in place of "
                    "`games`"
                )
            return
        least = 2 * self._games_of_deal(coalitions)
        if coalitions.games is not None and coalitions.games < least:
            raise ValueError(
                f"coalitions.games is {coalitions.games:,}; two deals take {least:,} games"
            )

    def _games_of_deal(self, coalitions: Coalitions) -> int:
        """Return the games of all coalitions of a deal, at all player counts, with repeats."""
        return coalitions.games_of_deal * len(set(self.players)) * self.repeats

    @property
    def numbers(self) -> list[int]:
        """The seeds, or the numbers of the decks: each once, ascending; only those that a budget of
        games pays for. Positions have none."""
        if self.task == POSITIONS:
            return []
        if self.deals and "seeds" not in self.model_fields_set:
            seeds = list(range(1, len(self.deals) + 1))
        else:
            seeds = sorted(set(self.seeds.seeds if isinstance(self.seeds, Range) else self.seeds))
        if self.coalitions and self.coalitions.games:
            return seeds[: self.coalitions.games // self._games_of_deal(self.coalitions)]
        return seeds

    @cached_property
    def decks(self) -> Mapping[int, Deck]:
        """The named decks by number."""
        named = enumerate(self.deals.items(), 1)
        return {
            number: Deck(name, tuple(map(Card, text.split()))) for number, (name, text) in named
        }

    @property
    def graphs(self) -> tuple[str, ...]:
        if isinstance(self.graph, str):
            return (self.graph,)
        return self.graph


class Rerun(Experiment):
    """A run to be played again with the seats that its run.yaml records, whatever their names mean
    today."""

    record: dict[str, Any]
    """The contents of run.yaml."""


@cache
def packaged() -> Mapping[str, str]:
    """Return the texts of the packaged experiments, by name."""
    home = files("hanabi_orchestrator.experiments").joinpath("configs")
    texts = {}
    for file in home.iterdir():
        if file.name.endswith(".yaml"):
            texts[Path(file.name).stem] = file.read_text("utf-8")
    return dict(sorted(texts.items()))


def read(experiment: str | Path, changes: Iterable[str] = ()) -> Experiment:
    """Return an experiment by name or from a YAML file, with settings changed as by `--set`. Raises
    UserError."""
    path = Path(experiment)
    if path.suffix in (".yaml", ".yml"):
        return parse(from_file(path, "experiment"), str(experiment), changes, path.parent)
    if str(experiment) not in packaged():
        hint = did_you_mean(experiment, packaged())
        file = nearby(path, ".yaml")
        raise UserError(
            f"unknown experiment {str(experiment)!r}; {hint}, or a path to a .yaml file{file}"
        )
    result = parse(packaged()[str(experiment)], str(experiment), changes)
    if result.question:
        return result
    return result.model_copy(update={"question": about(packaged()[str(experiment)])})


def parse(
    text: str, where: str = "experiment", changes: Iterable[str] = (), folder: Path | None = None
) -> Experiment:
    """Return an experiment of YAML text, which names files relative to `folder`. Raises UserError
    with one sentence."""
    data = loaded(text, where)
    if not isinstance(data, dict):
        keys = ", ".join(Experiment.model_fields)
        raise UserError(f"{where} is not an experiment: a YAML mapping with the keys {keys}")
    if "config_hash" in data:
        return _again(data, where, changes, folder)
    changes = tuple(changes)
    for change in changes:
        put(data, change)
    experiment = checked(data, where, folder)
    chosen = any(change.startswith("baseline=") for change in changes)
    if chosen or len(experiment.graphs) == 1 or experiment.matrix or experiment.baseline is None:
        return experiment
    # several graphs each play every arm, or play whole: then the baseline is that arm of the first,
    # or the first
    arms = experiment.arms
    first = label(experiment.graphs[0])
    if arms and experiment.baseline not in (arms if isinstance(arms, dict) else ("full",)):
        return experiment
    return experiment.model_copy(
        update={"baseline": f"{first}.{experiment.baseline}" if arms else first}
    )


def _again(
    record: dict[str, Any], where: str, changes: Iterable[str], folder: Path | None
) -> Rerun:
    """Return the run of a run.yaml; only its deals can be changed."""
    run_folder.check_imports(record, where)
    if not isinstance(settings := record.get("experiment"), dict):
        raise UserError(
            f"{where} is not a run.yaml that this version reads: the key `experiment` is missing"
        )
    run_folder.check(record, where)
    data = {**settings, **{key: record[key] for key in DEALS if record.get(key) is not None}}
    for change in changes:
        if change.partition("=")[0].partition(".")[0] not in DEALS:
            names = ", ".join(DEALS)
            raise UserError(
                f"--set {change!r}: a run.yaml is played again as it was; only {names} can be set"
            )
        put(data, change)
    rerun = checked(data, where, folder)
    return Rerun.model_validate({**rerun.model_dump(exclude_unset=True), "record": record})


DEALS = ("name", "players", "seeds", "repeats", "journals", "baseline", "metric", "reference")
"""Keys that can be changed when a run is played again."""


def checked(data: dict[str, Any], where: str, folder: Path | None = None) -> Experiment:
    """Return an experiment of plain data. Raises UserError with one sentence."""
    if empty := [key for key in ("matrix", "exclude") if key in data and not data[key]]:
        raise UserError(f"{where}: {empty[0]} is empty; leave it out")
    if "name" not in data:
        raise UserError(f"{where}: name: is missing; write e.g. `{EXAMPLES['name']}`")
    with _in_words(where):
        return Experiment.model_validate(completed(data), context={"folder": folder or Path()})


@contextmanager
def _in_words(where: str) -> Iterator[None]:
    """Raise UserError with one sentence for what is wrong with settings."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        if not first["loc"] or first["loc"][0] not in UNIONS:
            raise user_error(where, error, EXAMPLES) from None
        # for a value of several possible types, the error of the type that was meant: the deepest
        # one
        alike = [problem for problem in error.errors() if problem["loc"][0] == first["loc"][0]]
        first = max(
            alike, key=lambda problem: (len(problem["loc"]), problem["type"] == "value_error")
        )
        path = [str(part) for part in first["loc"] if "[" not in str(part) and part not in TYPES]
        raise UserError(f"{where}: {complaint(first, '.'.join(path), EXAMPLES)}") from None


EXAMPLES = {
    "name": "name: my-experiment",
    "count": "count: 10",
    "model": "model: openai:gpt-4.1-mini",
    "graph": "graph: house",
    "seat": "seat: house",
    "seats": "seats: [house, partner:piers]",
    "pool": "pool: partners",
}
"""What to write where a key is missing."""

UNIONS = ("graph", "seeds", "seats", "models", "arms", "coalitions", "cross_play", "adhoc")
"""Keys whose values are of several types."""
TYPES = ("Range", "SeatConfig", "ModelSettings", "SimSettings", "str")
"""As pydantic names them in the place of an error."""


def experiments() -> list[dict[str, Any]]:
    """Return a row for every packaged experiment, with the first sentence of its file's comment."""
    rows = []
    for name, text in packaged().items():
        experiment = read(name)
        rows.append(
            {
                "experiment": name,
                "players": sorted(set(experiment.players)),
                "deals": len(experiment.numbers),
                "repeats": experiment.repeats,
                "what_for": about(text),
            }
        )
    return rows
