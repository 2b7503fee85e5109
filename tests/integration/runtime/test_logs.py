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


TOGGLED = """
import logging, os, signal, uvloop, asyncio
from echomind_lib.config import TelemetrySettings
from echomind_lib.telemetry.logs import configure_logging

async def main():
    log = logging.getLogger("test")
    for number in range(3):
        log.debug("detail %d", number)
        os.kill(os.getpid(), signal.SIGUSR1)
        await asyncio.sleep(0)

configure_logging(TelemetrySettings(), "api")
uvloop.run(main())
"""


def test_a_signal_changes_the_level_of_a_running_process() -> None:
    written = subprocess.run([sys.executable, "-c", TOGGLED], capture_output=True, text=True, check=True, timeout=60)
    assert [f"detail {number}" in written.stderr for number in range(3)] == [False, True, False]
    assert written.stderr.count("log level changed to debug") == 2
    assert written.stderr.count("log level changed to info") == 1
