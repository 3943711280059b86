"""What a schema that names the legal moves costs on a server: `schema_moves: enum` against `string`, same prompts.

    python -m benchmarks.schema_cost [--url URL --model NAME] [--graph watson] [--calls 12]

The prompts are those of the graph's deciding node at the first turns of a game by programs. Each is sent once without a
schema, so that the server has read it; then with each schema for one token, twice (the first time the schema is new, as
in every turn of a game), and with the two schemas for a whole answer.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import real_server
from benchmarks.real_model import PLAYERS, SAMPLING, SEED
from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.document.terminal import console, plain_table
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import TurnStarted
from hanabi_orchestrator.orchestrator.models.json_schema import constraints
from hanabi_orchestrator.orchestrator.models.openai_client import OpenAITransport
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, messages
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings, settings
from hanabi_orchestrator.orchestrator.models.transport import CompletionRequest
from hanabi_orchestrator.orchestrator.replies.reader import Unreadable, read
from hanabi_orchestrator.orchestrator.table.game_loop import play

SCHEMAS = ("none", "string", "enum")


@dataclass
class Cost:
    """What calls took with one kind of schema; a number for each prompt."""

    first: list[float] = field(default_factory=list)
    """Seconds of a call for one token, the schema new to the server."""
    again: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    """Seconds of a call for a whole answer."""
    tokens: list[int] = field(default_factory=list)
    usable: int = 0


def questions(graph: str, calls: int) -> list[ModelRequest]:
    """The requests of the deciding node at the first turns of a game by programs."""
    config = graphs.at(graphs.dotted(graphs.read(graph), ["answer_format=json_schema"]), PLAYERS)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        play(graphs.seat(config), players=PLAYERS, seed=SEED, journal=path, max_turns=calls)
        views = [event.view for event in journal.read(path) if isinstance(event, TurnStarted)]
    return [requests(config, view, {})[config.decides] for view in views[:calls]]


def schema(request: ModelRequest, model: ModelSettings, kind: str) -> Mapping[str, Any] | None:
    """The strictest schema that a model with this `schema_moves` is sent."""
    if kind == "none":
        return None
    return constraints(request, model.model_copy(update={"schema_moves": kind}))[0].response_format


async def measure(model: ModelSettings, asked: Sequence[ModelRequest]) -> dict[str, Cost]:
    """The costs by kind of schema."""
    whole = OpenAITransport(model)
    short = OpenAITransport(model.model_copy(update={"max_tokens": 1}))
    costs = {kind: Cost() for kind in SCHEMAS}
    try:
        for number, request in enumerate(asked, 1):
            said = messages(request.parts)
            await short.send(CompletionRequest(said))
            for kind, cost in costs.items():
                sent = CompletionRequest(said, schema(request, model, kind))
                cost.first.append(await _seconds(short, sent))
                cost.again.append(await _seconds(short, sent))
                if kind != "none":
                    await _answered(whole, sent, request, cost)
            so_far = "; ".join(" ".join(row(kind, cost)) for kind, cost in costs.items())
            print(f"{number} of {len(asked)} prompts, medians: {so_far}", file=sys.stderr)
    finally:
        await whole.aclose()
        await short.aclose()
    return costs


async def _seconds(transport: OpenAITransport, sent: CompletionRequest) -> float:
    began = time.monotonic()
    await transport.send(sent)
    return time.monotonic() - began


async def _answered(
    transport: OpenAITransport, sent: CompletionRequest, request: ModelRequest, cost: Cost
) -> None:
    began = time.monotonic()
    answer = await transport.send(sent)
    cost.whole.append(time.monotonic() - began)
    cost.tokens.append(answer.tokens_out)
    try:
        read(
            answer.text,
            request.reply,
            request.moves,
            request.form,
            cut_off=answer.finish == "length",
        )
        cost.usable += 1
    except Unreadable:
        pass


def row(kind: str, cost: Cost) -> tuple[str, ...]:
    """Medians over the prompts."""
    first = kind, f"{median(cost.first):.2f}", f"{median(cost.again):.2f}"
    if not cost.whole:
        return *first, "-", "-", "-", "-"
    each = median(
        seconds / max(tokens, 1) for seconds, tokens in zip(cost.whole, cost.tokens, strict=True)
    )
    whole = f"{median(cost.whole):.1f}", f"{median(cost.tokens):.0f}", f"{1000 * each:.0f}"
    return *first, *whole, f"{cost.usable} of {len(cost.tokens)}"


COLUMNS = ("schema", "first, s", "again, s", "answer, s", "tokens", "ms a token", "usable")


@contextmanager
def served(asked: argparse.Namespace) -> Iterator[str]:
    """The model to ask, as `openai:NAME@URL`."""
    if asked.url:
        yield f"openai:{asked.model}@{asked.url}"
        return
    with real_server.serving(real_server.fetch(asked.cache), context=8192) as url:
        yield f"openai:{real_server.NAME}@{url}"


def main(given: Sequence[str] | None = None) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(
        description="What a schema that names the legal moves costs on a server."
    )
    parser.add_argument("--url", help="a server that runs already, e.g. http://127.0.0.1:8000/v1")
    parser.add_argument("--model", default=real_server.NAME, help="the model's name there")
    parser.add_argument("--graph", default="watson")
    parser.add_argument("--calls", type=int, default=12, help="prompts")
    parser.add_argument(
        "--cache", type=Path, default=Path(".venv/real"), help="the folder of the wheels"
    )
    asked = parser.parse_args(given)
    with served(asked) as name:
        model = settings({"model": name, **SAMPLING, "timeout_s": 600})
        costs = asyncio.run(measure(model, questions(asked.graph, asked.calls)))
    table = plain_table(*COLUMNS, words=("schema",))
    for kind, cost in costs.items():
        table.add_row(*row(kind, cost))
    console().print(table)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
