"""The commands of `orchestrator`, and the options that several of them take."""

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_type_hints

import typer
from typer import Option

from hanabi_orchestrator.experiments.cli import completion
from hanabi_orchestrator.orchestrator.errors import Suspended, TurnError, UserError
from hanabi_orchestrator.orchestrator.printable import escaped_json, printable

if TYPE_CHECKING:
    from rich.console import Console

    from hanabi_orchestrator.experiments.cli.logs import Loudness
    from hanabi_orchestrator.experiments.document.blocks import Block, Document
    from hanabi_orchestrator.experiments.running.model_options import ModelOptions
    from hanabi_orchestrator.experiments.running.runner import Done, RunOptions
    from hanabi_orchestrator.experiments.tasks.run_progress import RunProgress

T = TypeVar("T")

INTERRUPTED = 130


class Interrupted(RuntimeError):  # noqa: N818  # what happened
    """The user stopped a command; the message says what is kept."""


HELP = {"help_option_names": ["-h", "--help"]}


Graph = Annotated[
    str, Option(help="A graph's name, or a path to its YAML file.", autocompletion=completion.graph)
]


def _not_empty(model: str | None) -> str | None:
    """An unset variable of a shell must not silently become a game of programs."""
    if model is not None and not model.strip():
        raise UserError(
            "--model is empty; name a model, e.g. openai:NAME, or `program` for a game without "
            "models"
        )
    return model


Model = Annotated[
    str | None,
    Option(
        help="program, openai:NAME or openai:NAME@URL, sim:average, replay:DIR (recorded "
        "responses), or a models file.",
        callback=_not_empty,
        autocompletion=completion.model,
    ),
]
Settings = Annotated[
    list[str] | None,
    Option(
        "--set",
        help="Change the graph: verify=safety, nodes.proposer.samples=3, removed:NODE; repeatable.",
    ),
]
Players = Annotated[int, Option(help="2 to 5.")]
Seats = Annotated[
    list[str] | None,
    Option(
        "--seat", help="N=SPEC, N from 0: partner:NAME, person, python:module:object, or a graph."
    ),
]
Budget = Annotated[
    list[str] | None,
    Option(help="Suspend before more than this: 2000000tokens or 5usd; may be given twice."),
]
Full = Annotated[bool, Option("--full", help="Print the whole report.")]
Intervals = Annotated[
    Literal["t", "bootstrap"],
    Option(help="The method of the 95 % intervals of means; differences have their test's."),
]
MetricOf = Annotated[
    str | None,
    Option(
        help="What arms are compared by: the score strict, 0 when the third life was lost, or "
        "kept, the points on the table; turns, misplays, hints_wasted, own, tokens, "
        "calls ...; or a mark, mark:ROLE.NAME. Default: the one that the run names."
    ),
]


@dataclass(frozen=True)
class Calls:
    """Options for how calls reach models, and what they may cost."""

    cache: Annotated[
        str,
        Option(
            help="A folder that caches responses across runs; off; or replay:DIR: only those of "
            "the journals in DIR."
        ),
    ] = "off"
    budget: Budget = None

    @property
    def replay(self) -> Path | None:
        """The folder whose responses are taken, while no model is asked."""
        if self.cache.startswith(REPLAY):
            return Path(self.cache.removeprefix(REPLAY))
        return None

    @property
    def options(self) -> "ModelOptions":
        """How calls reach models. Raises UserError."""
        from hanabi_orchestrator.experiments.running.model_options import OFF, ModelOptions, budget

        tokens, usd = budget(self.budget or ())
        return ModelOptions(OFF if self.replay else self.cache, self.replay, tokens, usd)


REPLAY = "replay:"
"""As `orchestrator.models.settings` has it, which takes long to import."""


@dataclass(frozen=True)
class Processes:
    """Options for which part of a run is asked here, and by how many processes."""

    workers: Annotated[int, Option(min=1, help="Worker processes.")] = 1
    shard: Annotated[str | None, Option(help="I/N: only this part, for job arrays.")] = None


@dataclass(frozen=True)
class Sampling:
    """Options for how models answer, in place of those of a models file."""

    temperature: Annotated[
        float | None, Option(help="The models' temperature, instead of that of a models file.")
    ] = None
    effort: Annotated[
        str | None, Option(help="The models' reasoning_effort, e.g. low, medium or high.")
    ] = None
    max_tokens: Annotated[
        int | None, Option(help="The longest answer in tokens, reasoning included; see --budget.")
    ] = None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by their names in a models file; None for those of the file."""
        return {
            "temperature": self.temperature,
            "reasoning_effort": self.effort,
            "max_tokens": self.max_tokens,
        }


@dataclass(frozen=True)
class Evaluation(Sampling, Calls, Processes):
    """What all evaluations take: who is asked, how, with which budget, by how many processes, and
    where it is kept."""

    model: Model = None
    out: Annotated[
        Path | None, Option(help="The run's folder; default in runs/, or beside judged games.")
    ] = None
    dry_run: Annotated[
        bool, Option("--dry-run", help="Estimate calls, tokens and cost; ask nothing.")
    ] = False

    def run(self, *, replay: bool = True) -> "RunOptions":
        """How it is asked; `replay` False where the command takes recorded responses itself. Raises
        UserError."""
        from hanabi_orchestrator.experiments.running.runner import RunOptions, Shard

        models = self.options if replay else replace(self.options, replay=None)
        return RunOptions(
            models, self.workers, shard=Shard.read(self.shard) if self.shard else None
        )


@dataclass(frozen=True)
class Traces:
    """Options for traces that are sent while games are played."""

    otlp: Annotated[
        list[str] | None,
        Option(
            metavar="URL",
            help="Send traces to this OpenTelemetry collector, `env` for the environment's; a "
            "second `--otlp content`: with prompts and responses.",
        ),
    ] = None

    def sent(self, path: Path) -> AbstractContextManager[object]:
        """Send the traces of a game's journal or of a run folder, where they are wanted. Raises
        UserError."""
        url, content = collector(self.otlp)
        if url is None:
            if content:
                raise UserError("--otlp content is for the traces of --otlp URL, and there is none")
            return nullcontext()
        from hanabi_orchestrator.experiments.interchange.live_traces import LiveTraces

        return LiveTraces.of(url, path, content=content)


def collector(words: Sequence[str] | None) -> tuple[str | None, bool]:
    """Return the address of a collector, and whether it gets prompts and responses. Raises
    UserError."""
    urls = [word for word in words or () if word != "content"]
    if len(urls) > 1:
        raise UserError(f"--otlp is given for {' and '.join(urls)}; one collector can be sent to")
    return (urls[0] if urls else None), "content" in (words or ())


@dataclass(frozen=True)
class Output:
    """What a command prints, by the options of `orchestrator` itself; a command without one has no
    data to print."""

    as_json: bool
    """Only JSON on stdout."""
    loud: "Loudness"

    def show(self, data: Any, blocks: "Document | Iterable[Block]") -> None:
        """Print data as JSON, or the blocks that say the same in words."""
        from hanabi_orchestrator.experiments.document import terminal

        print_json(data) if self.as_json else terminal.show(blocks, terminal.console())

    def rows(self, rows: Sequence[Mapping[str, Any]], nothing: str) -> None:
        """Print rows of equal keys as a table or as JSON; `nothing` in place of a table without
        rows."""
        from hanabi_orchestrator.experiments.document.blocks import Note
        from hanabi_orchestrator.experiments.show import listing

        self.show(rows, [listing.rows_table(rows) if rows else Note(nothing, "aside")])

    def draw(self, data: Any, draw: "Callable[[T, Console], None]", drawn: T) -> None:
        """Print data as JSON, or draw on the terminal what it is of."""
        from hanabi_orchestrator.experiments.document.terminal import console

        print_json(data) if self.as_json else draw(drawn, console())

    def lines(self, data: Any, *lines: str) -> None:
        """Print data as JSON, or lines that say the same, as they are."""
        print_json(data) if self.as_json else say(*lines)

    def progress(self) -> "RunProgress":
        """Return what shows on stderr how far a run is."""
        from hanabi_orchestrator.experiments.tasks.run_progress import RunProgress

        return RunProgress(quiet=self.loud.quiet)

    def before_rollouts(self) -> None:
        """Say on stderr that rollouts take long, where nothing compiles them."""
        if find_spec("numba") is None:
            self.progress().line(SLOW_ROLLOUTS)


SLOW_ROLLOUTS = (
    "Playing rollouts, about a second a turn; with the extra `fast` a tenth of that: "
    "pip install 'hanabi-orchestrator[fast]'"
)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each field of its parameters that are dataclasses of options.

    Its `Output` is that of `orchestrator` itself.
    """
    signature = inspect.signature(command, eval_str=True)
    params = [CONTEXT]
    options = dict[str, Any]()
    outputs = list[str]()
    for name, parameter in signature.parameters.items():
        kind = parameter.annotation
        if kind is Output:
            outputs.append(name)
        elif is_dataclass(kind):
            options[name] = kind
            hints = get_type_hints(kind, include_extras=True)
            params += [
                CONTEXT.replace(name=f.name, default=f.default, annotation=hints[f.name])
                for f in fields(kind)
            ]
        else:
            params.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def run(**values: Any) -> None:
        context: typer.Context = values.pop(CONTEXT.name)
        if context.obj.as_json and not outputs:
            raise UserError(f"`{context.info_name}` has nothing to say as data; leave --json out")
        for name, kind in options.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        command(**values, **dict.fromkeys(outputs, context.obj))

    run.__signature__ = signature.replace(parameters=params)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in params}
    return run


CONTEXT = inspect.Parameter(
    "typer_context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context
)


class Commands(typer.Typer):
    """Commands whose parameters may be dataclasses of options; see `grouped`."""

    def command(  # type: ignore[override]  # typer's own settings, passed on
        self, name: str | None = None, **settings: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a command."""
        register = super().command(name, **{"epilog": EVERYWHERE, **settings})

        def registered(function: Callable[..., Any]) -> Callable[..., Any]:
            register(grouped(function))
            return function

        return registered


EVERYWHERE = (
    "Everywhere: --json, --import FILE, --key-host, -v, -q, --logs; see orchestrator --help."
)


def group(help_text: str) -> Commands:
    """A group of commands."""
    return Commands(no_args_is_help=True, help=help_text)


def say(*lines: str) -> None:
    """Print lines as they are."""
    from rich.text import Text

    from hanabi_orchestrator.experiments.document.terminal import console

    for line in lines:
        console().print(Text(line), soft_wrap=True)


def slug(*names: str | None) -> str:
    """Names as the name of a folder: of a file its own, of a model without its server."""
    from hanabi_orchestrator.experiments.record.files import short_name

    plain = (
        Path(n).stem if n.endswith((".yaml", ".yml")) else n.partition("@http")[0]
        for n in names
        if n
    )
    return short_name(re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(plain)).strip("-"))


def check_done(done: "Done", noun: str) -> None:
    """Raise what a run that is not over ends a command with; `noun` names its units, such as
    `answers`."""
    rest = f"{done.left} of {done.total} {noun} are left"
    if done.interrupted and done.left:
        raise Interrupted(f"{rest}; the same command goes on")
    if done.suspended and done.left:
        if done.over_budget:
            onward = "a larger budget"
        else:
            onward = "the same command"
        raise Suspended(f"{done.suspended}; {rest}, and {onward} goes on", 0)
    if done.failed:
        name, why = next(iter(done.failed.items()))
        raise TurnError(
            f"{len(done.failed)} of {done.total} {noun} failed, the first: {name}: {why}"
        )
    if done.left:
        raise Suspended(f"{rest}, and the same command goes on", 0)


def progress(text: str) -> Callable[[int, int], None]:
    """Return what shows on a terminal how many of how many are done: `marks of game 3 of 20`."""
    from hanabi_orchestrator.experiments.document.terminal import console

    screen = console(err=True)

    def show(number: int, total: int) -> None:
        if screen.is_terminal:
            screen.print(f"{text} {number} of {total}", end="\n" if number == total else "\r")

    return show


def print_json(data: Any) -> None:
    """Print what `--json` promises; what cannot be shown or written here stands in JSON's own
    escapes."""
    text = escaped_json(json.dumps(data, ensure_ascii=False))
    print(text if _can_be_written(text) else json.dumps(data))


def print_yaml(data: Any, width: int) -> None:
    """Print data as a YAML file; what cannot be shown or written here stands in YAML's own
    escapes."""
    import yaml

    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=width)
    shown = printable(text) == text and _can_be_written(text)
    print(text if shown else yaml.safe_dump(data, sort_keys=False, width=width), end="")


def _can_be_written(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
