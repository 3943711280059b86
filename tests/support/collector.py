"""A collector of OpenTelemetry on loopback, which reads requests with the official messages."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from google.protobuf import json_format  # type: ignore[import-untyped]
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def parsed(line: str) -> list[Any]:
    """The spans of a line of OTLP JSON, read by the official parser, which takes ids in base64, not in hexadecimal."""
    data = json.loads(line)
    for span in (
        s for r in data["resourceSpans"] for scope in r["scopeSpans"] for s in scope["spans"]
    ):
        for name in ("traceId", "spanId", "parentSpanId"):
            if name in span:
                span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    return spans_of(json_format.ParseDict(data, ExportTraceServiceRequest()))


def spans_of(message: Any) -> list[Any]:
    return [
        span for one in message.resource_spans for scope in one.scope_spans for span in scope.spans
    ]


@dataclass
class Collector:
    url: str
    spans: list[Any] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)


@contextmanager
def collector() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the library's name
            body = self.rfile.read(int(self.headers["Content-Length"]))
            message = ExportTraceServiceRequest()
            message.ParseFromString(body)
            made.spans += spans_of(message)
            made.paths.add(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Collector(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
