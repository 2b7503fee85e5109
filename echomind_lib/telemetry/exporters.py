"""Export of spans by OTLP over HTTP: all of them to a collector, those about generative AI to Langfuse.

Each receiver has a bounded queue and a thread. When a receiver is slower than the spans come, or is away, spans are
dropped and counted; nothing waits for it.
"""

import base64
import threading
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from prometheus_client import Counter
from typing_extensions import override

from echomind_lib.config import TelemetrySettings
from echomind_lib.telemetry import names
from echomind_lib.telemetry.spans import Kind, Span, Value, is_sampled

_QUEUE: Final = 4096
"""Maximum number of spans that wait for a receiver."""
_BATCH: Final = 512
_STOP_SECONDS: Final = 2.0
"""How long a stopping process waits for its receivers."""
_INGESTION_VERSION = {"x-langfuse-ingestion-version": "4"}
_KINDS: Final[dict[Kind, SpanKind]] = {kind: SpanKind[kind.upper()] for kind in ("internal", "server", "client")} | {
    "producer": SpanKind.PRODUCER,
    "consumer": SpanKind.CONSUMER,
}
_SPANS: Final = Counter("echomind_trace_spans_total", "Spans by receiver and outcome.", ["receiver", "outcome"])


class Exporters:
    """The recorder of a process whose traces are on. `spans.recorder` is one."""

    def __init__(self, settings: TelemetrySettings, service: str) -> None:
        """Starts a thread for each configured receiver.

        Args:
            settings: The settings, with at least one receiver.
            service: Name of the service, such as `agent`.
        """
        self.has_content = settings.content
        self._ratio = settings.sample_ratio
        release = settings.release or version("echomind")
        self._fields: dict[str, Value] = {names.RELEASE: release}
        if tags := settings.all_tags:
            self._fields[names.TAGS] = tags
        resource: dict[str, Any] = {names.SERVICE_NAME: f"echomind-{service}", names.SERVICE_VERSION: release}
        if settings.environment:
            self._fields[names.LANGFUSE_ENVIRONMENT] = settings.environment
            resource[names.ENVIRONMENT] = settings.environment
        self._resource = Resource.create(resource)
        self._library = InstrumentationScope("echomind", version("echomind"))
        self._receivers: list[_Receiver] = []
        if settings.otlp_endpoint:
            headers = settings.parsed_headers
            self._receivers.append(_Receiver("collector", settings.otlp_endpoint, headers, only_of_models=False))
        if settings.langfuse_url:
            url = f"{settings.langfuse_url.rstrip('/')}/api/public/otel/v1/traces"
            headers = langfuse_authorization(settings) | _INGESTION_VERSION
            self._receivers.append(_Receiver("langfuse", url, headers, only_of_models=True))

    def is_sampled(self, trace_id: int) -> bool:
        """Returns whether the spans of a trace are recorded; all processes decide the same."""
        return is_sampled(trace_id, self._ratio)

    def new_fields(self) -> dict[str, Value]:
        """Returns the fields of every span of this installation."""
        return dict(self._fields)

    def record(self, span: Span) -> None:
        """Queues a finished span for its receivers. Neither blocks nor fails."""
        for receiver in self._receivers:
            if span.is_of_model or not receiver.only_of_models:
                receiver.queue(self._readable(span, receiver))

    def _readable(self, span: Span, receiver: "_Receiver") -> ReadableSpan:
        trace_id = span.scope.trace_id
        parent = span.model_parent_id if receiver.only_of_models else span.parent_id
        error = {names.ERROR_TYPE: span.error} if span.error else {}
        return ReadableSpan(
            span.name,
            context=_context(trace_id, span.span_id),
            parent=_context(trace_id, parent) if parent else None,
            resource=self._resource,
            attributes={**span.scope.fields, **span.attributes, **error},
            links=[Link(_context(*link)) for link in span.links],
            kind=_KINDS[span.kind],
            status=Status(StatusCode.ERROR) if span.error else Status(),
            start_time=span.start,
            end_time=span.end,
            instrumentation_scope=self._library,
        )

    def stop(self) -> None:
        """Exports pending spans, for two seconds at most."""
        threads = [threading.Thread(target=receiver.stop, daemon=True) for receiver in self._receivers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(_STOP_SECONDS)


class _Receiver:
    """A server that receives spans, with its queue."""

    def __init__(self, name: str, url: str, headers: Mapping[str, str], *, only_of_models: bool) -> None:
        self.only_of_models = only_of_models
        exporter = OTLPSpanExporter(endpoint=url, headers=dict(headers), compression=Compression.Gzip)
        self._counting = _CountingExporter(exporter, name)
        self._processor = BatchSpanProcessor(self._counting, max_queue_size=_QUEUE, max_export_batch_size=_BATCH)
        self._queued = 0
        self._dropped = _SPANS.labels(name, "dropped")

    def queue(self, span: ReadableSpan) -> None:
        # Each of the two numbers is changed by one thread only.
        if self._queued - self._counting.handed_over >= _QUEUE:
            self._dropped.inc()
            return
        self._queued += 1
        self._processor.on_end(span)

    def stop(self) -> None:
        self._processor.shutdown()  # type: ignore[no-untyped-call]


class _CountingExporter(SpanExporter):
    """An exporter that counts what became of the spans."""

    def __init__(self, exporter: SpanExporter, name: str) -> None:
        self._exporter = exporter
        self._exported, self._failed = _SPANS.labels(name, "exported"), _SPANS.labels(name, "failed")
        self.handed_over = 0

    @override
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.handed_over += len(spans)
        result = self._exporter.export(spans)
        (self._exported if result is SpanExportResult.SUCCESS else self._failed).inc(len(spans))
        return result

    @override
    def shutdown(self) -> None:
        self._exporter.shutdown()


def _context(trace_id: int, span_id: int) -> SpanContext:
    return SpanContext(trace_id, span_id, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def langfuse_authorization(settings: TelemetrySettings) -> dict[str, str]:
    """Returns the header that authorizes requests to Langfuse."""
    keys = f"{settings.langfuse_public_key}:{settings.langfuse_secret_key.get_secret_value()}"
    return {"Authorization": f"Basic {base64.b64encode(keys.encode()).decode()}"}
