"""Ends what a killed supervisor leaves behind.

The supervisor runs this file as a small process of its own and tells it on standard input what it has started:
`+ PID SIGNAL` and `- PID`, one a line. When the input ends, which the system sees to however the supervisor died, each
process still listed gets its signal, and after a grace period its whole process group is killed. The inherited lock of
the data folder stays held until then, so that a new start does not meet the old servers.

Only the standard library's core is imported: the process lives as long as the stack.
"""

import os
import signal
import sys
import time

GRACE = 5.0


def main() -> None:
    """Read until the input ends, then clean up."""
    # What ends the supervisor by name or by terminal must not end the one who cleans up after it.
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
        _signal(pid, stop_signal)
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline and any(_signal_group(pid, 0) for pid in left):
        time.sleep(0.05)
    for pid in left:
        _signal_group(pid, signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group; False when nobody is left in it."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    main()
