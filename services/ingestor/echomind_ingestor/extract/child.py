"""The child process that reads files: `python -m echomind_ingestor.extract.child`, started by `Extractor`."""

import msgspec

from echomind_ingestor.extract.result import ScansFoundError, UnreadableError
from echomind_ingestor.extract.wire import Job, Reply
from echomind_lib.confined.child import confine, serve

MEMORY_BYTES = 3 * 1024**3
"""Limit of private memory, including the file itself."""
CPU_SECONDS = 120
"""Processor time per file."""


def main() -> None:
    """Reads files until its input ends."""
    confine(MEMORY_BYTES)
    serve(_read, CPU_SECONDS)


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
