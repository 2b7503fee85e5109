"""Which traces are sampled, how they continue in other processes, and what becomes of spans that nobody takes."""

import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from opentelemetry.sdk.trace.export import SpanExportResult
from pydantic import ValidationError

from echomind_lib.config import TelemetrySettings
from echomind_lib.telemetry import exporters, names, spans
from echomind_lib.telemetry.exporters import Exporters
from echomind_lib.telemetry.spans import Span, Value


class _Recorder:
    has_content = False

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.samples = True

    def record(self, span: Span) -> None:
        self.spans.append(span)

    def is_sampled(self, trace_id: int) -> bool:
        return self.samples

    def new_fields(self) -> dict[str, Value]:
        return {names.RELEASE: "r1"}


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> _Recorder:
    recorder = _Recorder()
    monkeypatch.setattr(spans, "recorder", recorder)
    return recorder


def _run_ids(count: int) -> Iterator[int]:
    """Yields ids as PostgreSQL makes them, of runs in the same second."""
    import random

    chance = random.Random(7)
    for number in range(count):
        low = (0b10 << 62) | chance.getrandbits(62)
        yield ((1_790_000_000_000 + number % 1000) << 80) | (7 << 76) | (chance.getrandbits(12) << 64) | low


@pytest.mark.parametrize("ratio", [0.01, 0.1, 0.5])
def test_a_share_of_runs_is_sampled(ratio: float) -> None:
    sampled = sum(spans.is_sampled(trace_id, ratio) for trace_id in _run_ids(10_000))
    assert sampled / 10_000 == pytest.approx(ratio, abs=0.01)


def test_all_or_none_are_sampled() -> None:
    ids = [*_run_ids(100), 2**128 - 1, 2**56 - 1, 1]
    assert all(spans.is_sampled(trace_id, 1.0) for trace_id in ids)
    assert not any(spans.is_sampled(trace_id, 0.0) for trace_id in ids)


def test_a_trace_continues_by_headers(recorder: _Recorder) -> None:
    scope = spans.new_scope(5)
    scope.fields |= {names.SESSION: "12", names.TAGS: ("a", "b")}
    here = Span(scope=scope, name="here")
    there = spans.continued(here.headers(), "there", "consumer", {})
    assert there is not None
    assert (there.scope.trace_id, there.parent_id) == (5, here.span_id)
    assert there.scope.fields == {names.RELEASE: "r1", names.SESSION: "12", names.TAGS: ["a", "b"]}


@pytest.mark.parametrize(
    "header",
    [
        "",
        "00-1-2-01",
        f"00-{0:032x}-{1:016x}-01",
        f"00-{1:032x}-{0:016x}-01",
        f"00-{1:032x}-{1:016x}-00",
        f"ff-{1:032x}-{1:016x}-01",
        f"00-{'x' * 32}-{1:016x}-01",
    ],
)
def test_what_is_no_sampled_trace_is_not_continued(recorder: _Recorder, header: str) -> None:
    assert spans.continued({"traceparent": header}, "there", "server", {}) is None


def test_an_unreadable_header_of_fields_is_ignored(recorder: _Recorder) -> None:
    for fields in ("{", "[1]", "x" * 9000):
        headers = {"traceparent": f"00-{1:032x}-{1:016x}-01", "echomind-trace": fields}
        span = spans.continued(headers, "there", "server", {})
        assert span is not None
        assert span.scope.fields == {names.RELEASE: "r1"}


def test_the_parent_among_spans_of_models_is_the_closest_one(recorder: _Recorder) -> None:
    root = Span(scope=spans.new_scope(), name="root", attributes={names.OPERATION: names.INVOKE_AGENT})
    between = root.child("between", "internal", {})
    leaf = between.child("leaf", "client", {names.OPERATION: names.CHAT})
    assert (leaf.parent_id, leaf.model_parent_id) == (between.span_id, root.span_id)


def test_a_call_that_asks_becomes_part_of_the_trace_of_its_run(recorder: _Recorder) -> None:
    run_id = UUID("0192f0c1-2345-7abc-8def-0123456789ab")
    call = Span(scope=spans.new_scope(), name="SendMessage", kind="server")
    with spans.entered(call):
        spans.join_run(run_id, 3, 4)
        with spans.child_span("send", "producer", {}) as sent:
            assert sent is not None
    assert [span.scope.trace_id for span in recorder.spans] == [run_id.int] * 2
    assert call.parent_id == spans.span_id_of(run_id) == run_id.int & (2**64 - 1)
    assert (call.scope.fields[names.SESSION], call.scope.fields[names.USER]) == ("3", "4")


def test_spans_that_are_not_sampled_are_not_recorded(recorder: _Recorder) -> None:
    recorder.samples = False
    with spans.entered(Span(scope=spans.new_scope(), name="call")) as call:
        assert call.headers() == {}
        with spans.child_span("below", "internal", {}) as below:
            assert below is None
    assert recorder.spans == []


def test_nothing_is_recorded_outside_of_traces(recorder: _Recorder) -> None:
    with spans.child_span("alone", "internal", {}) as span:
        assert span is None
    assert recorder.spans == []


def test_an_error_is_named_by_its_kind_alone(recorder: _Recorder) -> None:
    with pytest.raises(ValueError, match="secret"), spans.entered(Span(scope=spans.new_scope(), name="call")):
        raise ValueError("secret")
    assert [span.error for span in recorder.spans] == ["ValueError"]


def test_spans_beyond_the_queue_are_dropped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    waits, exporting = threading.Event(), threading.Event()

    class Stuck:
        def __init__(self, **_: Any) -> None: ...

        def export(self, batch: Any) -> Any:
            exporting.set()
            waits.wait(30)
            return SpanExportResult.SUCCESS

        def shutdown(self) -> None: ...

    monkeypatch.setattr(exporters, "OTLPSpanExporter", Stuck)
    running = Exporters(TelemetrySettings(otlp_endpoint="http://127.0.0.1:1/v1/traces"), "test")
    monkeypatch.setattr(spans, "recorder", running)
    dropped = exporters._SPANS.labels("collector", "dropped")
    before = dropped._value.get()
    scope = spans.new_scope()
    try:
        for _ in range(exporters._BATCH):
            running.record(Span(scope=scope, name="first"))
        assert exporting.wait(30)
        for _ in range(exporters._QUEUE + 5):
            running.record(Span(scope=scope, name="later"))
        assert dropped._value.get() - before == 5
    finally:
        waits.set()
        running.stop()


def test_langfuse_needs_its_keys() -> None:
    with pytest.raises(ValidationError, match="langfuse_public_key"):
        TelemetrySettings(langfuse_url="https://langfuse.example.org")
    with pytest.raises(ValidationError, match="reserves"):
        TelemetrySettings(environment="langfuse-1")
