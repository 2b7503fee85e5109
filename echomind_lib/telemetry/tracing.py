"""OpenTelemetry traces, enabled only if an export address is configured."""

from collections.abc import Callable

from echomind_lib.config import TelemetrySettings


def configure_tracing(settings: TelemetrySettings, service: str) -> Callable[[], None]:
    """Exports spans to the configured OTLP/HTTP address.

    Without an address nothing is loaded and spans cost nothing.

    Returns:
        A function that exports pending spans and shuts down; call it when the process stops.
    """
    if not settings.otlp_endpoint:
        return lambda: None
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    headers = dict(pair.split("=", 1) for pair in settings.headers.get_secret_value().split(",") if "=" in pair)
    provider = TracerProvider(resource=Resource.create({"service.name": f"echomind-{service}"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=settings.otlp_endpoint, headers=headers)))
    trace.set_tracer_provider(provider)
    return provider.shutdown
