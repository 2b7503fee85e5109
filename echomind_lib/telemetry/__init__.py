"""Logs, metrics, traces and the health port: the same in every service."""

from echomind_lib.telemetry.health import Check, check_all, serve_health
from echomind_lib.telemetry.logs import configure_logging
from echomind_lib.telemetry.tracing import configure_tracing

__all__ = ["Check", "check_all", "configure_logging", "configure_tracing", "serve_health"]
