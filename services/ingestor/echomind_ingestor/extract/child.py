"""The child process that reads files: `python -m echomind_ingestor.extract.child`, started by `Extractor`."""

from pathlib import Path
from typing import Final

import msgspec

from echomind_ingestor.extract.result import ScansFoundError, UnreadableError
from echomind_ingestor.extract.wire import Job, Reply
from echomind_lib.confined.child import confine, serve

MEMORY_BYTES = 3 * 1024**3
"""Limit of private memory, including the file itself."""
_LEAST_BYTES: Final = 512 * 1024**2
_OTHERS_BYTES: Final = 3 * 1024**3 // 2
"""Memory that the ingestor and the child that recognises text need beside it."""
CPU_SECONDS = 120
"""Processor time per file."""


def main() -> None:
    """Reads files until its input ends."""
    confine(memory_limit())
    serve(_read, CPU_SECONDS)


def memory_limit(of_container: Path = Path("/sys/fs/cgroup/memory.max")) -> int:
    """Returns the limit of private memory in bytes: in a container with less memory, what the other processes leave.

    Beyond the container's own limit, the kernel would end all its processes instead of the child.
    """
    try:
        maximum = of_container.read_text().strip()
    except OSError:  # no container, or cgroups of version 1
        return MEMORY_BYTES
    return max(_LEAST_BYTES, min(MEMORY_BYTES, int(maximum) - _OTHERS_BYTES)) if maximum.isdigit() else MEMORY_BYTES


def _read(job: bytes) -> bytes:
    from echomind_ingestor.extract.read import read

    try:
        given = msgspec.msgpack.decode(job, type=Job)
        found = read(given.data, given.name, given.stated, is_page=given.is_page, recognized=given.recognized)
        reply = Reply(found)
    except ScansFoundError as scans:
        reply = Reply(None, scans=scans.pages, is_pdf=scans.is_pdf)
    except UnreadableError as error:
        reply = Reply(None, str(error))
    except MemoryError:
        reply = Reply(None, "Reading the file takes too much memory: divide it.")
    except RecursionError:
        reply = Reply(None, "The file is nested too deeply to be read.")
    return msgspec.msgpack.encode(reply)


if __name__ == "__main__":
    main()
