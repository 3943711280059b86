"""The commands of `orchestrator`, and the options that several of them take."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from orchestrator.errors import UserError

INTERRUPTED = 130


class Interrupted(RuntimeError):  # noqa: N818  # what happened
    """The user stopped a command; the message says what is kept."""


HELP = {"help_option_names": ["-h", "--help"]}


def _bring(names: list[str] | None) -> list[str] | None:
    if names:
        from experiments.study import imports

        imports.bring(names)
    return names


Import = Annotated[
    list[str] | None,
    typer.Option(
        "--import",
        help="A Python file or module with roles, sections or graphs of your own, e.g. my_role.py; repeatable.",
        callback=_bring,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print only JSON on stdout.")]
Graph = Annotated[str, typer.Option("--graph", help="A graph's name, or a path to its YAML file.")]


def _not_empty(model: str | None) -> str | None:
    """An unset variable of a shell must not silently become a game of programs."""
    if model is not None and not model.strip():
        raise UserError("--model is empty; name a model, e.g. openai:NAME, or `program` for a game without models")
    return model


Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="program, openai:NAME or openai:NAME@URL, sim:average, replay:DIR ..., or a file of models.",
        callback=_not_empty,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a setting of the graph, e.g. nodes.proposer.samples=3; repeatable."),
]
Players = Annotated[int, typer.Option("--players", help="2 to 5.")]
Seats = Annotated[
    list[str] | None,
    typer.Option("--seat", help="N=SPEC, N from 0: partner:NAME, person, python:module:object, or a graph."),
]
ReplayOf = Annotated[
    Path | None, typer.Option("--replay", help="Ask no model: take the responses from the journals of this folder.")
]
CacheFolder = Annotated[str, typer.Option("--cache", help="A folder that caches responses across runs, or off.")]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", help="Suspend before more tokens than this, all calls together.")
]
Temperature = Annotated[
    float | None, typer.Option("--temperature", help="The models' temperature, instead of that of a models file.")
]
Effort = Annotated[str | None, typer.Option("--effort", help="The models' reasoning_effort, e.g. low, medium or high.")]
MaxAnswerTokens = Annotated[
    int | None,
    typer.Option("--max-answer-tokens", help="The longest answer, reasoning included: the models' max_tokens."),
]
Otlp = Annotated[
    str | None,
    typer.Option(
        "--otlp", metavar="URL", help="Send traces to this OpenTelemetry collector; `env` for the environment's."
    ),
]
OtlpContent = Annotated[bool, typer.Option("--otlp-content", help="Traces with prompts and answers.")]
MaxUsd = Annotated[float | None, typer.Option("--max-usd", help="Suspend before more dollars than this.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Also log errors that are recovered from, on stderr.")]
Workers = Annotated[int, typer.Option("--workers", min=1, help="Worker processes.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print only the outcome and errors.")]


def group(said: str) -> typer.Typer:
    """A group of commands."""
    return typer.Typer(no_args_is_help=True, help=said)


def listed(rows: Sequence[Mapping[str, Any]], nothing: str, *, as_json: bool) -> None:
    """Print rows of equal keys as a table or as JSON; `nothing` in place of a table without rows."""
    from experiments.document import terminal
    from experiments.document.blocks import Note
    from experiments.show import listing

    block = listing.rows_table(rows) if rows else Note(nothing, "aside")
    printed(rows) if as_json else terminal.show([block], terminal.console())


def printed(data: Any) -> None:
    """Print what `--json` promises."""
    print(json.dumps(data, ensure_ascii=False))
