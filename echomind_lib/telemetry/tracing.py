"""Traces of a process, on only if a receiver is configured."""

from collections.abc import Callable

from echomind_lib.config import TelemetrySettings
from echomind_lib.telemetry import spans


def configure_tracing(settings: TelemetrySettings, service: str) -> Callable[[], None]:
    """Records the spans of this process and exports them to the configured receivers.

    Without a receiver nothing is loaded and nothing is recorded.

    Returns:
        A function that exports pending spans, for two seconds at most; call it when the process stops.
    """
    if not settings.has_traces:
        return lambda: None
    from echomind_lib.telemetry.exporters import Exporters

    exporters = Exporters(settings, service)
    spans.recorder = exporters
    return exporters.stop
