"""A server that receives traces as a collector and as Langfuse do, and scores."""

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

COLLECTOR_PATH = "/v1/traces"
LANGFUSE_PATH = "/api/public/otel/v1/traces"
SCORES_PATH = "/api/public/scores"


@dataclass(frozen=True, kw_only=True)
class ReceivedSpan:
    """A span as it arrived."""

    path: str
    trace_id: str
    span_id: str
    parent_id: str
    name: str
    kind: int
    is_error: bool
    start: int
    end: int
    attributes: dict[str, Any]
    resource: dict[str, Any]
    links: list[tuple[str, str]]


@dataclass
class Collector:
    """What has arrived."""

    url: str = ""
    spans: list[ReceivedSpan] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    """Bodies of requests, decompressed."""
    headers: list[dict[str, str]] = field(default_factory=list)
    scores: list[dict[str, Any]] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    hangs: threading.Event = field(default_factory=threading.Event)
    """While set, requests get no answer."""

    def at(self, path: str) -> list[ReceivedSpan]:
        """Returns the spans that arrived at an address."""
        return [span for span in self.spans if span.path == path]

    def wait(self, condition: Callable[[], bool], seconds: float = 60.0) -> None:
        """Waits until a condition holds."""
        deadline = time.monotonic() + seconds
        while not condition():
            names = sorted(f"{span.path} {span.name}" for span in self.spans)
            assert time.monotonic() < deadline, "\n".join(names)
            time.sleep(0.02)


@contextmanager
def collecting() -> Iterator[Collector]:
    """Runs a collector."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            while collector.hangs.is_set():
                time.sleep(0.05)
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            collector.bodies.append(body)
            collector.headers.append(
                {name.lower(): value for name, value in self.headers.items()} | {"path": self.path}
            )
            if self.path == SCORES_PATH:
                collector.scores.append(json.loads(body))
            else:
                collector.spans += _parsed(self.path, body)
            self._answer()

        def do_DELETE(self) -> None:
            collector.withdrawn.append(self.path.removeprefix(f"{SCORES_PATH}/"))
            self._answer()

        def _answer(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class names it so
            """Logs nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        collector.hangs.clear()
        server.shutdown()
        server.server_close()
        thread.join()


def _parsed(path: str, body: bytes) -> Iterator[ReceivedSpan]:
    for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = {pair.key: _value(pair.value) for pair in of_resource.resource.attributes}
        for of_scope in of_resource.scope_spans:
            for span in of_scope.spans:
                assert len(span.trace_id) == 16
                assert len(span.span_id) == 8
                yield ReceivedSpan(
                    path=path,
                    trace_id=span.trace_id.hex(),
                    span_id=span.span_id.hex(),
                    parent_id=span.parent_span_id.hex(),
                    name=span.name,
                    kind=span.kind,
                    is_error=span.status.code == 2,
                    start=span.start_time_unix_nano,
                    end=span.end_time_unix_nano,
                    attributes={pair.key: _value(pair.value) for pair in span.attributes},
                    resource=resource,
                    links=[(link.trace_id.hex(), link.span_id.hex()) for link in span.links],
                )


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    return getattr(value, kind) if kind else None
