"""Structured logs on standard error."""

import logging
import signal
import sys
import threading

from echomind_lib.config import TelemetrySettings
from echomind_lib.process.lean_imports import import_without

import_without("structlog", "rich")  # for coloured tracebacks, which no service writes

import structlog  # noqa: E402


def configure_logging(settings: TelemetrySettings, service: str) -> None:
    """Logs to standard error, one line per entry, with the service's name.

    SIGUSR1 changes the level to `debug`, and the next one back.
    """
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
        lambda _logger, _name, event: {"service": service, **event},
    ]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if settings.log_format == "json" else structlog.dev.ConsoleRenderer()
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # These log every connection and request at INFO, with its whole URL: that of a WebSocket may hold a credential.
    for noisy in ("uvicorn.access", "uvicorn.error", "httpx", "httpx2"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # Its entries contain servers' responses, which may hold secrets; the agent logs failures itself.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGUSR1, lambda *_: _toggle_debug(level))


def _toggle_debug(level: int) -> None:
    """Changes the level of the running process between `debug` and its configured one."""
    root = logging.getLogger()
    root.setLevel(level if root.level == logging.DEBUG else logging.DEBUG)
    root.warning("log level changed to %s", logging.getLevelName(root.level).lower())
