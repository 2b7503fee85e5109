"""A way to run a command on a terminal, with somebody who types."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.drivers.api_server import ApiServer


class Terminal:
    """A command on a terminal of its own, with somebody who types."""

    def __init__(self, api: ApiServer, data_dir: Path, *arguments: str) -> None:
        self.shown = ""
        self._keyboard, other = pty.openpty()
        environment = os.environ | {
            "ECHOMIND_API_KEY": "k",
            "ECHOMIND_DATA_DIR": str(data_dir),
            "ECHOMIND_URL": api.url,
        }
        # Tests that a shell runs in the background ignore SIGINT, and their child processes would inherit that.
        program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        program += "from echomind.cli.app import main; main()"
        command = [sys.executable, "-c", program, *arguments]
        self._process = subprocess.Popen(command, stdin=other, stdout=other, stderr=other, env=environment)
        os.close(other)

    def until(self, text: str) -> None:
        """Reads until a text is shown that was not before."""
        start, deadline = len(self.shown), time.monotonic() + 60
        while text not in self.shown[start:]:
            assert select.select([self._keyboard], [], [], deadline - time.monotonic())[0], self.shown
            try:
                self.shown += os.read(self._keyboard, 10_000).decode()
            except OSError as error:  # the command has ended
                raise AssertionError(self.shown) from error

    def type(self, text: str) -> None:
        """Types a text."""
        os.write(self._keyboard, text.encode())

    def interrupt(self) -> None:
        """Ctrl-C, as the terminal would send it."""
        self._process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Waits for the command's end and gives its exit code."""
        code = self._process.wait(30)
        os.close(self._keyboard)
        return code
