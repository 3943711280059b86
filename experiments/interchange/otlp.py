"""Spans as OTLP: a file of JSON lines, or requests to a collector, both by OpenTelemetry's own
encoder.

A line is one ExportTraceServiceRequest in OTLP's JSON, as the collector's `otlpjsonfile` receiver
reads it.
"""

import json
import logging
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from logging.handlers import BufferingHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hanabi_orchestrator.experiments.interchange import spans
from hanabi_orchestrator.experiments.interchange.spans import Span
from hanabi_orchestrator.experiments.record.files import whole
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.games import Source, sources
from hanabi_orchestrator.orchestrator.errors import UserError, shortened
from hanabi_orchestrator.orchestrator.versions import versions

MISSING = (
    "OTLP needs OpenTelemetry's SDK, which is not installed: `pip install "
    "'hanabi-orchestrator[otlp]'`"
)

SERVICE = "hanabi-orchestrator"
PATH = "/v1/traces"
BATCH = 512
"""Spans in one request; with prompts a request must stay below what collectors take."""
LARGEST = 3_000_000
"""Characters of attributes in one request."""

VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT"
FROM_ENVIRONMENT = "env"
"""Given in place of an address: that of the environment's variable, which is never used unasked."""


def endpoint(address: str) -> str:
    """Return the address of a collector, with OTLP's path where it has none. Raises UserError for a
    text that is none."""
    if address == FROM_ENVIRONMENT:
        url = os.environ.get(VARIABLE, "")
    else:
        url = address
    if address == FROM_ENVIRONMENT and not url:
        raise UserError(f"the endpoint is `env`, but {VARIABLE} is not set")
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise UserError(
            f"{url!r} is not an address of a collector, such as http://127.0.0.1:4318"
        ) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(f"{url!r} is not an address of a collector, such as http://127.0.0.1:4318")
    if parts.path in ("", "/"):
        return parts._replace(path=PATH).geturl()
    return url


def display_url(url: str) -> str:
    """Return an address as it may be printed: without a name and a password in it."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return parts._replace(netloc=f"{host}:{parts.port}" if parts.port else host, query="").geturl()


def batches(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """Spans in groups that fit into a request."""
    waiting: list[Span] = []
    size = 0
    for span in spans:
        weight = sum(len(value) for value in span.attributes.values() if isinstance(value, str))
        if waiting and (len(waiting) == BATCH or size + weight > LARGEST):
            yield waiting
            waiting = []
            size = 0
        waiting.append(span)
        size += weight
    if waiting:
        yield waiting


def lines(spans: Iterable[Span]) -> Iterator[str]:
    """OTLP JSON, a request a line. Raises UserError without the SDK."""
    library = Library()
    for batch in batches(spans):
        yield json.dumps(library.request(batch), ensure_ascii=False) + "\n"


class Library:
    """OpenTelemetry's SDK, imported where it is used."""

    def __init__(self) -> None:
        """Raises UserError where it is not installed."""
        try:
            json_format = import_module("google.protobuf.json_format")
            from opentelemetry import trace
            from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
            from opentelemetry.exporter.otlp.proto.http import trace_exporter
            from opentelemetry.sdk import trace as sdk
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.util.instrumentation import InstrumentationScope
        except ImportError:
            raise UserError(MISSING) from None
        self.trace: Any = trace
        self.sdk: Any = sdk
        self.encode: Any = encode_spans
        self.json: Any = json_format
        self.exporter: Any = trace_exporter.OTLPSpanExporter
        version = versions().get(SERVICE, "")
        self.resource = Resource({"service.name": SERVICE, "service.version": version})
        self.scope = InstrumentationScope(SERVICE, version)

    def readable(self, span: Span) -> Any:
        """Return a span as the SDK has it."""
        kinds = self.trace.SpanKind
        codes = self.trace.StatusCode
        flags = self.trace.TraceFlags(1)
        context, parent = (
            None
            if id is None
            else self.trace.SpanContext(span.trace, id, is_remote=False, trace_flags=flags)
            for id in (span.id, span.parent)
        )
        return self.sdk.ReadableSpan(
            name=span.name,
            context=context,
            parent=parent,
            resource=self.resource,
            attributes=span.attributes,
            events=[
                self.sdk.Event(event.name, event.attributes, event.at) for event in span.events
            ],
            kind=kinds.CLIENT if span.remote else kinds.INTERNAL,
            status=self.trace.Status(codes.ERROR, span.error)
            if span.error
            else self.trace.Status(codes.UNSET),
            start_time=span.start,
            end_time=max(span.start, span.end),
            instrumentation_scope=self.scope,
        )

    def request(self, batch: Sequence[Span]) -> dict[str, Any]:
        """Return an ExportTraceServiceRequest in OTLP's JSON, in which ids are hexadecimal."""
        message = self.encode([self.readable(span) for span in batch])
        data: dict[str, Any] = self.json.MessageToDict(message, use_integers_for_enums=True)
        # all are of one
        (scope,) = chain.from_iterable(part["scopeSpans"] for part in data["resourceSpans"])
        for span, plain in zip(batch, scope["spans"], strict=True):
            plain |= {"traceId": f"{span.trace:032x}", "spanId": f"{span.id:016x}"}
            if span.parent is not None:
                plain["parentSpanId"] = f"{span.parent:016x}"
        return data


class Sender:
    """Sends spans to a collector. The variables OTEL_EXPORTER_OTLP_HEADERS and _CERTIFICATE hold as
    they always do."""

    def __init__(self, url: str, *, timeout_s: float = 10) -> None:
        """Raises UserError without the SDK, or for something that is no address."""
        self.url = endpoint(url)
        self._library = Library()
        self._exporter = self._library.exporter(endpoint=self.url, timeout=timeout_s)

    def send(self, batch: Sequence[Span]) -> str | None:
        """Send a batch, with the library's retries; returns why it did not arrive, or None."""
        with _heard() as messages:
            result = self._exporter.export([self._library.readable(span) for span in batch])
        if result.name == "SUCCESS":
            return None
        texts = [message.getMessage() for message in messages]
        if match := next(filter(None, map(_ERRNO.search, texts)), None):
            return match[1]
        if any("due to timeout" in text for text in texts):
            return "no answer in time"
        if texts:
            return shortened(texts[-1])
        return "it gave no reason"

    def close(self) -> None:
        with _heard():
            self._exporter.shutdown()


_ERRNO = re.compile(r"\[Errno -?\d+\] ([^\"')]+)")
"""What went wrong, in the operating system's words."""


@contextmanager
def _heard() -> Iterator[list[logging.LogRecord]]:
    """Yield the library logs what goes wrong; here it is one sentence of ours."""
    listener = BufferingHandler(1000)
    logger = logging.getLogger("opentelemetry")
    before = logger.propagate
    logger.addHandler(listener)
    logger.propagate = False
    try:
        yield listener.buffer
    finally:
        logger.removeHandler(listener)
        logger.propagate = before


@dataclass
class Written:
    """What an export of spans wrote or sent."""

    games: int = 0
    spans: int = 0
    to: list[str] = field(default_factory=list)


class NotSent(OSError):  # noqa: N818  # what happened to the spans
    """A collector did not take the spans."""


def export(path: Path, out: Path | None, endpoint: str | None, *, content: bool = False) -> Written:
    """Write the spans of a journal or a run folder to a file, send them to a collector, or both.

    Raises UserError for a mistake of the user, NotSent when the collector does not take them.
    """
    if out is None and endpoint is None:
        raise UserError("--to otlp needs --out FILE, --otlp URL, or both")
    games = sources(path)
    written = Written()
    if out:
        if out.is_dir():
            raise UserError(
                f"--out {str(out)!r} is a folder; all spans go to one file, e.g. "
                f"{out / 'spans.jsonl'}"
            )
        Library()
        out.parent.mkdir(parents=True, exist_ok=True)
        with whole(out) as part, part.open("w", encoding="utf-8", errors="replace") as file:
            for source in games:
                file.writelines(lines(_spans(source, written, content=content)))
        written.to.append(str(out))
    if endpoint:
        written.games = written.spans = 0
        with closing(Sender(endpoint)) as sender:
            where = display_url(sender.url)
            for source in games:
                for batch in batches(_spans(source, written, content=content)):
                    if why := sender.send(batch):
                        raise NotSent(f"the collector at {where} did not take the spans: {why}")
        written.to.append(where)
    return written


def _spans(source: Source, written: Written, *, content: bool) -> Iterator[Span]:
    """Yield the spans of a game, counted."""
    for span in spans.of_game(Game.open(source.path), source.arm, content=content):
        written.spans += 1
        yield span
    written.games += 1
