"""The child's side: applies limits, then executes jobs until the input ends."""

import ctypes
import os
import resource
import sys
from collections.abc import Callable, Iterator

from echomind_lib.confined import landlock
from echomind_lib.confined.capabilities import drop_capabilities

_SYSTEM = (
    *("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/nix/store"),
    *("/usr/share", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu", "/sys/fs/cgroup"),
)
LENGTH_BYTES = 8
"""Size of the length prefix (little-endian) of each message on the pipes."""

_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000


def confine(memory_bytes: int) -> None:
    """Restricts the process: memory, core dumps, privileges, network and files.

    All data passes through its pipes: with Landlock, the process may read only the interpreter and libraries, and write
    only to its temporary folder, into which some libraries unpack parts of themselves. On Linux, the network is cut off
    by user namespaces if they are allowed; otherwise Landlock cuts off TCP.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
            print(f"network not cut off: {os.strerror(ctypes.get_errno())}", file=sys.stderr)  # noqa: T201
        try:
            landlock.restrict(_installation(), (os.environ.get("TMPDIR", ""),), network=False)
        except OSError as error:
            print(f"files not confined: {error.strerror}", file=sys.stderr)  # noqa: T201
        drop_capabilities()


def _installation() -> Iterator[str]:
    """Yields the paths of the interpreter, our packages, the libraries, and of system files that libraries read."""
    yield from {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    # In a checkout, the packages' parent folder holds other files, so only the packages themselves are readable.
    for package in ("echomind_lib", "echomind_ingestor"):
        if package in sys.modules:
            yield from sys.modules[package].__path__
    yield from os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    yield from _SYSTEM


def limit_cpu(seconds: int) -> None:
    """Limits the processor seconds of the next job; the limit counts from the start of the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def serve(handle: Callable[[bytes], bytes], cpu_seconds: int) -> None:
    """Executes jobs until the end of the input.

    Args:
        handle: Executes one job. An exception ends the process.
        cpu_seconds: Processor time of each job.
    """
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output that libraries print must not mix with the messages
    while header := source.read(LENGTH_BYTES):
        job = source.read(int.from_bytes(header, "little"))
        limit_cpu(cpu_seconds)
        answer = handle(job)
        sink.write(len(answer).to_bytes(LENGTH_BYTES, "little") + answer)
        sink.flush()
