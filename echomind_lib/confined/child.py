"""The child's side: limits first, then one job after another until the input ends."""

import ctypes
import os
import resource
import sys
from collections.abc import Callable

LENGTH_BYTES = 8
"""In front of each message over the pipes: its length, lowest byte first."""

_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000


def confine(memory_bytes: int) -> None:
    """Gives up what the process will not need: memory beyond a bound, core dumps, new privileges, and the network.

    The network is cut off on Linux, where user namespaces are allowed.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
            print(f"network not cut off: {os.strerror(ctypes.get_errno())}", file=sys.stderr)  # noqa: T201


def limit_cpu(seconds: int) -> None:
    """Lets the next job have so many seconds of a processor; the limit counts from the start of the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def serve(handle: Callable[[bytes], bytes], cpu_seconds: int) -> None:
    """Answers jobs until the input ends.

    Args:
        handle: Does one job. What it raises ends the process.
        cpu_seconds: Processor time of each job.
    """
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not get between the messages
    while header := source.read(LENGTH_BYTES):
        job = source.read(int.from_bytes(header, "little"))
        limit_cpu(cpu_seconds)
        answer = handle(job)
        sink.write(len(answer).to_bytes(LENGTH_BYTES, "little") + answer)
        sink.flush()
