"""Stops the processes of a killed supervisor.

The supervisor runs this file as a separate small process and sends the processes that it has started to its standard
input: `+ PID SIGNAL` and `- PID`, one a line. When the input is closed, which also happens if the supervisor is killed,
each listed process gets its signal, and after a grace period its process group is killed. The inherited lock of the
data folder is held until then, so that a new start does not conflict with the old servers.

Only the standard library's core is imported: the process lives as long as the stack.
"""

import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

GRACE = 5.0
"""Seconds between the request to end and SIGKILL."""


def main() -> None:
    """Read until the input ends, then clean up."""
    # Signals that end the supervisor, sent by name or by the terminal, must not end the watchdog, which cleans up after
    # it.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    left: dict[int, int] = {}
    for line in sys.stdin:
        sign, pid, *number = line.split()
        if sign == "+":
            left[int(pid)] = int(number[0])
        else:
            left.pop(int(pid), None)
    for pid, stop_signal in left.items():
        _signal(os.kill, pid, stop_signal)
    deadline = time.monotonic() + GRACE
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        for pid in [pid for pid in left if not _signal(os.kill, pid, 0)]:
            # The ended process may have left children in its process group.
            _signal(os.killpg, pid, signal.SIGKILL)
            del left[pid]
    for pid in left:
        _signal(os.killpg, pid, signal.SIGKILL)


def _signal(send: "Callable[[int, int], None]", target: int, number: int) -> bool:
    """Send a signal to a process or a group; False if it does not exist."""
    try:
        send(target, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    main()
