"""Parts of an experiment file as frozen values: what may sit in a seat, and what an arm changes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from unicodedata import normalize

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from hanabi_orchestrator.experiments.record.seed_range import Range
from hanabi_orchestrator.experiments.study.seat_objects import is_object, spec_of
from hanabi_orchestrator.graphs.controls import NOTES
from hanabi_orchestrator.graphs.interventions import Intervention, Kind, parse
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.cells import check_name
from hanabi_orchestrator.orchestrator.errors import UserError, user_error
from hanabi_orchestrator.orchestrator.models import simulated_settings
from hanabi_orchestrator.orchestrator.models.settings import (
    PROGRAM,
    REPLAY,
    ModelSettings,
    read_models,
    settings,
)
from hanabi_orchestrator.orchestrator.models.simulated_settings import SimSettings
from hanabi_orchestrator.orchestrator.values import Frozen, OneOrMore, as_list

MOST = 5_000
"""Arms of an experiment."""
NAME_BYTES = 255
"""The longest name of a folder on common disks, in UTF-8."""


@contextmanager
def value_errors() -> Iterator[None]:
    """Make ValueErrors of UserErrors, which pydantic puts beside the key; also as a decorator of
    validators."""
    try:
        yield
    except UserError as error:
        raise ValueError(str(error)) from None


def checked_by(check: Callable[[Any], object]) -> AfterValidator:
    """Return what checks a value that is given, and leaves it as it is; `check` raises
    UserError."""

    @value_errors()
    def checked(value: Any) -> Any:
        if value:
            check(value)
        return value

    return AfterValidator(checked)


def check_folder(name: str) -> None:
    """Raise UserError for a name that no folder can have, or that readers of tables take for
    something else."""
    check_name(name)
    if (size := len(name.encode())) > NAME_BYTES:
        raise UserError(
            f"{name!r} has {size} bytes, too long for the name of a folder, which has at most "
            f"{NAME_BYTES}"
        )


Name = Annotated[
    str, Field(pattern=r"^\w[\w.+-]*( [\w.+-]+)*$", max_length=100), checked_by(check_folder)
]
"""Of an arm or an experiment; it is also the name of a folder."""
SeatNumber = Annotated[int, Field(ge=0, le=4)]
Verifier = Literal["none", "safety"]


@value_errors()
def _model(value: Any) -> Any:
    """Settings of a mapping, or those of the only model of a file; a name as it is."""
    if isinstance(value, str) and value.endswith((".yaml", ".yml")):
        path = Path(value)
        models = read_models(path)
        if set(models) != {"default"}:
            raise ValueError(f"{str(path)!r} has several models; name a file with one")
        return models["default"]
    if not isinstance(value, dict):
        return value
    try:
        return simulated_settings.settings(value) or ModelSettings.model_validate(value)
    except ValidationError as error:
        raise ValueError(user_error("", error)) from None


Model = Annotated[str | ModelSettings | SimSettings, BeforeValidator(_model)]
"""`program`, `openai:NAME` ..., settings with a `model`, or a file with these settings."""


def sampled(model: Model, sampling: Mapping[str, Any]) -> Model:
    """Return a server's model, with those settings of `sampling` that it does not set itself; any
    other model unchanged."""
    if not sampling or not on_server(model):
        return model
    if isinstance(model, str):
        own_settings = {"model": model}
    else:
        own_settings = model.model_dump(exclude_unset=True)
    return settings({**sampling, **own_settings})


def settled(model: Model) -> Model:
    """Return a server's model with all its settings, also those of the environment; any other
    unchanged. Raises UserError."""
    if isinstance(model, str) and on_server(model):
        return settings(model)
    return model


def on_server(model: Model) -> bool:
    """Tell whether the model is on a server: neither a program, a simulated model nor a
    recording."""
    named = isinstance(model, str) and model != PROGRAM and not model.startswith(REPLAY)
    return isinstance(model, ModelSettings) or (
        named and not simulated_settings.is_simulated(model)
    )


Spec = Annotated[str, BeforeValidator(spec_of)]
"""A graph's name or YAML file, `partner:NAME`, or `python:module:object`; in Python, such an object itself."""


class SeatConfig(Frozen):
    """What sits in a seat: `partner:piers`, a graph, or `{graph: house, model: ...}`."""

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        if isinstance(value, str) or is_object(value):
            return {"graph": value}
        return value

    graph: Spec
    """A graph's name or YAML file, `partner:NAME`, or `python:module:object`."""
    model: Model | None = None
    """Bound to `default`; the experiment's own when not given."""
    verify: Verifier | None = None

    @property
    def label(self) -> str:
        """In names of arms."""
        return label(self.graph)


def label(graph: str) -> str:
    """Return the name of a graph, a partner or a Python seat in names of arms."""
    return Path(graph.split(":")[-1]).stem


def labelled(seats: Any) -> Any:
    """Return a list of seats, or a single one, as a mapping, each labelled by its graph."""
    if isinstance(seats, str) and seats != "partners":
        seats = as_list(seats)
    if not isinstance(seats, list | tuple):
        return seats
    by_label: dict[str, Any] = {}
    for seat in seats:
        called = SeatConfig.model_validate(seat).label
        if called in by_label:
            raise ValueError(
                f"two seats are called {called!r}; give them labels: `{{a: ..., b: ...}}`"
            )
        by_label[called] = seat
    return by_label


Pool = Annotated[dict[Name, SeatConfig] | Literal["partners"], BeforeValidator(labelled)]
"""Seats by label; a list is labelled by its graphs. `partners`: all rule players."""


class CrossPlay(Frozen):
    """Cross-play of every ordered pair (A, B): A in exactly one seat, B in all others."""

    seats: Pool
    """By label; a list is labelled by its graphs. `partners`: all rule players."""
    rotate: bool = False
    """A sits in seat (seed mod players), so that the starting player varies; else in seat 0, which
    always starts."""
    sequence: bool = False
    """Of two, A and B, instead of pairs: A takes the seats of B one by one, from seat 0 on, two in
    the arm `A-2`."""

    @model_validator(mode="after")
    def _two(self) -> Self:
        if self.sequence and (isinstance(self.seats, str) or len(self.seats) != 2 or self.rotate):
            raise ValueError("a sequence is of two seats, by label, and does not rotate")
        return self


class AdHoc(Frozen):
    """Ad-hoc teams: the evaluated seat, shown past games of a partner before each trial, and the
    partner elsewhere."""

    seat: SeatConfig
    """The evaluated seat."""
    pool: Pool
    """The partners, by label; a list is labelled by its graphs. `partners`: all rule players."""
    position: Literal["random", "rotate"] | SeatNumber = "random"
    """Where the evaluated seat sits: drawn at random for each trial, (seed mod players), or always
    the same seat. Seat 0 always starts, so this also decides who starts."""
    games: int = Field(default=10, ge=0)
    """How many self-play games of the partner the evaluated seat is shown before each trial; drawn
    for each trial."""
    past: Range = Range(first=1_000_000_000, count=100)
    """The deals of the self-play games that those are drawn from; none of them may be a deal of a
    trial."""
    draw: int = 1
    """Seed of these draws: another number draws other positions and other past games."""
    cross: int | None = Field(default=None, ge=0)
    """How many of the trials' deals the partners also play among themselves, from the first on; all
    if not given."""

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if self.games > self.past.count:
            raise ValueError(
                f"games: {self.games} games cannot be drawn from {self.past.count} past ones"
            )
        return self


class PromptFile(Frozen):
    """The words of a file, which stand in the place of a prompt's own."""

    file: str
    """As the experiment names it."""
    text: str


def _prompt_file(value: Any, info: ValidationInfo) -> Any:
    """Return a path relative to the experiment's file becomes the text, so that run.yaml holds all
    that was said."""
    if not isinstance(value, str):
        return value
    path = Path((info.context or {}).get("folder", Path())) / value
    try:
        if path.exists() and not path.is_file():  # a device never ends
            raise IsADirectoryError(0, "it is no file")
        return {"file": value, "text": regular_files.text(path).strip()}
    except FileNotFoundError:
        why = "there is no such file"
    except UnicodeDecodeError as error:
        why = regular_files.not_text(error)
    except OSError as error:
        why = f"it cannot be read: {error.strerror}"
    raise ValueError(f"{str(path)!r} is to hold a prompt's new words, but {why}")


BASELINE = "baseline"
"""Stands for the games of the baseline arm of the same run, where a control takes its notes
from."""


def _sources(value: Any) -> Any:
    """Nodes alone take their notes from the baseline's games."""
    if isinstance(value, str):
        several = as_list(value)
    else:
        several = value
    if isinstance(several, list | tuple):
        return dict.fromkeys(several, BASELINE)
    return several


Sources = Annotated[dict[str, str], BeforeValidator(_sources)]
"""Node, or role -> the folder of a run with the notes of other games, or `baseline`."""


class ControlSettings(Frozen):
    """Controls of the whole experiment."""

    noise_floor: bool | None = None
    """Whether the baseline is played again with other seeds of its models, as an arm `noise-floor`.
    If not given: where an arm is compared with a baseline that asks a model on a server."""


class Changes(Frozen):
    """What an arm changes in the experiment; all defaults for an arm that changes nothing."""

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        """Read an arm that is one short form, a list of them, or a graph made in Python."""
        if is_object(value):
            return {"graph": value}
        if isinstance(value, str | list):
            return {"interventions": value}
        return value

    graph: Spec | None = None
    """Another graph, partner or Python seat."""
    models: dict[str, Model] = {}
    """By name; they replace the experiment's models of the same names."""
    verify: Verifier | None = None
    add: dict[str, dict[str, Any]] = {}
    """New nodes with their settings, as in a graph file, e.g. `{chop: {role: chop, feeds:
    [aggregator]}}`."""
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
    """Other settings of the whole graph, as in a graph file, e.g. `{context: watson, reason_first:
    true}`."""
    seats: dict[SeatNumber, SeatConfig] = {}
    """Seats that are taken by something else."""
    prompts: dict[str, Annotated[PromptFile, BeforeValidator(_prompt_file)]] = {}
    """A text's name, `roles/analyst` or `sections/state` -> the file with its new words."""
    noise_floor: bool = False
    """A control: the same again, with other seeds of the models. Its difference is chance."""
    placebo: Sources = {}
    """A control: nodes whose note says nothing, and is as long as one of another game."""
    padded: Sources = {}
    """A control: nodes whose note is empty, and says so at the length of one of another game."""
    shuffled: Sources = {}
    """A control: nodes whose note is that of another game, in the same phase."""
    permuted: bool = False
    """A control: the reports in another order, drawn for each turn."""
    advise: OneOrMore[str] = ()
    """Recommenders whose list is advice: all legal moves stay open."""
    gate: OneOrMore[str] = ()
    """Nodes whose moves are the only ones that their readers may choose from."""
    own_hand: bool = False
    """An upper line that cheats: every seat of the graph sees its own cards."""
    same_compute: str | None = None
    """A control in place of a graph: proposals and a choice in the baseline's context, with as many
    calls a turn as this arm."""
    same_tokens: str | None = None
    """The same, with as many tokens a turn as this arm."""
    interventions: Annotated[
        OneOrMore[str], checked_by(lambda shorts: list(map(parse, shorts)))
    ] = ()
    """Changes in their short form, see `graphs.interventions`: `removed:analyst`,
    `analyst=placebo`."""

    @model_validator(mode="after")
    def _matched_alone(self) -> Self:
        if matched := self.matched:
            allowed = ("same_compute", "same_tokens", "interventions", "models")
            more: list[str] = [step.kind for step in self.steps if step != matched]
            more += [
                name
                for name in type(self).model_fields
                if name not in allowed and getattr(self, name)
            ]
            if more:
                raise ValueError(
                    f"{matched.kind} makes the arm's graph itself; leave out {more[-1]}"
                )
        return self

    @property
    def matched(self) -> Intervention | None:
        """The arm whose calls or tokens its graph has as many of."""
        return next(
            (step for step in self.steps if step.kind in ("same_compute", "same_tokens")), None
        )

    @property
    def steps(self) -> tuple[Intervention, ...]:
        """What it changes in a graph; nodes of controls may be named by their roles."""
        steps = [
            Intervention("added", node, settings or None) for node, settings in self.add.items()
        ]
        steps += [
            Intervention("setting", value=value, keys=(key,)) for key, value in self.setting.items()
        ]
        steps += [Intervention("removed", node) for node in self.without]
        steps += [parse(f"{node}={model}") for node, model in self.replace.items()]
        settings = []
        for node, inner in self.change.items():
            for key, value in inner.items():
                settings.append((node, key, value))
        steps += [
            Intervention("setting", value=value, keys=("nodes", node, key))
            for node, key, value in settings
        ]
        steps += [
            Intervention("without_section", value=section) for section in self.without_sections
        ]
        steps += [
            Intervention("setting", value=value, keys=("options", name))
            for name, value in self.options.items()
        ]
        steps += [
            Intervention("prompts", value=prompt.text, keys=(name,))
            for name, prompt in self.prompts.items()
        ]
        interventions = []
        for kind in NOTES:
            for node, run in getattr(self, kind).items():
                interventions.append(Intervention(kind, node, run))
        steps += interventions
        steps += [Intervention("advise", node) for node in self.advise]
        steps += [Intervention("gate", node) for node in self.gate]
        steps += [Intervention(kind) for kind in WHOLE if getattr(self, kind)]
        matched: dict[Kind, str | None] = {
            "same_compute": self.same_compute,
            "same_tokens": self.same_tokens,
        }
        steps += [Intervention(kind, value=arm) for kind, arm in matched.items() if arm]
        return (*steps, *map(parse, self.interventions))


WHOLE: tuple[Kind, ...] = ("permuted", "own_hand", "noise_floor")
CHANGING = (
    "add",
    "setting",
    "without",
    "replace",
    "change",
    "without_sections",
    "options",
    "prompts",
    "interventions",
    "noise_floor",
    *NOTES,
    "permuted",
    "advise",
    "gate",
    "own_hand",
    "same_compute",
    "same_tokens",
)
"""Keys of an arm that change a graph."""


# Names and number of arms


def check_names(arms: Iterable[str]) -> None:
    """Raise UserError for a name that no arm can have, and for two that some disk takes for one."""
    folders: dict[str, str] = {}
    for name in arms:
        check_folder(name)
        # disks of macOS and Windows make no difference between cases, nor between two ways to write
        # an accent
        folder = normalize("NFC", normalize("NFC", name).casefold())
        if (other := folders.setdefault(folder, name)) is name:
            continue
        if other == name:
            raise UserError(
                f"two arms would be called {name!r}; give one of their graphs, labels or "
                "values another name"
            )
        raise UserError(
            f"the arms {other!r} and {name!r} would share a folder on some disks; give one "
            "another name"
        )


def check_number(number: int, why: Sequence[str] = ()) -> None:
    """Raise UserError for more arms than an experiment has; `why`: what makes them, in words."""
    if number > MOST:
        if why:
            sentence = f"{' x '.join(why)} make {number:,} arms"
        else:
            sentence = f"there are {number:,} arms"
        raise UserError(f"{sentence}; an experiment has at most {MOST:,}")
