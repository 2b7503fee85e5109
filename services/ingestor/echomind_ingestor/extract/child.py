"""The child process that reads files: `python -m echomind_ingestor.extract.child`, spoken to by `Extractor`.

What it may do is limited before it reads anything: memory, processor time for each file, no core dumps, no new
privileges, and on Linux, where user namespaces are allowed, no network.
"""

import ctypes
import os
import resource
import sys

import msgspec

from echomind_ingestor.extract.result import UnreadableError
from echomind_ingestor.extract.wire import LENGTH_BYTES, Job, Reply, frame, frame_length

MEMORY_BYTES = 3 * 1024**3
"""Private memory, the file itself included."""
CPU_SECONDS = 120
"""For one file."""

_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000


def main() -> None:
    """Reads files until its input ends."""
    _confine()
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not get between the messages
    from echomind_ingestor.extract.read import read

    while header := source.read(LENGTH_BYTES):
        job = msgspec.msgpack.decode(source.read(frame_length(header)), type=Job)
        _limit_cpu()
        try:
            reply = Reply(read(job.data, job.name, job.stated))
        except UnreadableError as error:
            reply = Reply(None, str(error))
        except MemoryError:
            reply = Reply(None, "Reading the file takes too much memory: divide it.")
        except RecursionError:
            reply = Reply(None, "The file is nested too deeply to be read.")
        sink.write(frame(reply))
        sink.flush()


def _confine() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
            print(f"network not cut off: {os.strerror(ctypes.get_errno())}", file=sys.stderr)  # noqa: T201


def _limit_cpu() -> None:
    """Lets this file have its time; the limit counts from the start of the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime) + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
