"""Logs of a service process hold no credential that stands in an address."""

import subprocess
import sys

SCRIPT = """
import logging
from echomind_lib.config import TelemetrySettings
from echomind_lib.telemetry.logs import configure_logging

configure_logging(TelemetrySettings(), "api")
for name in ("uvicorn.access", "uvicorn.error", "httpx"):
    logging.getLogger(name).info('"WebSocket /api/v1/chat-sessions/1/events/ws?key=em_planted" [accepted]')
logging.getLogger("uvicorn.error").warning("something to know")
"""


def test_addresses_of_requests_are_not_logged() -> None:
    written = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=60)
    assert "em_planted" not in written.stderr + written.stdout
    assert "something to know" in written.stderr
