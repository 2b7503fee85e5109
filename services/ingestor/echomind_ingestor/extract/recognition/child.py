"""The child process that recognises text: `python -m echomind_ingestor.extract.recognition.child`."""

import msgspec

from echomind_ingestor.extract.recognition.wire import Job, Reply
from echomind_lib.confined.child import confine, serve

MEMORY_BYTES = 4 * 1024**3
"""Limit of private memory. It counts what the engine has reserved or freed but not returned, up to 2.8 GB; resident are
1.1 to 1.3 GB, which the size of the image limits."""
CPU_SECONDS = 240
"""Processor time per job; a dense page takes 4 to 11 seconds."""


def main() -> None:
    """Recognises pages until its input ends."""
    confine(MEMORY_BYTES)
    serve(_recognize, CPU_SECONDS)


def _recognize(job: bytes) -> bytes:
    from echomind_ingestor.extract.recognition.engine import recognize
    from echomind_ingestor.extract.recognition.images import UnreadableImageError, page_image

    given = msgspec.msgpack.decode(job, type=Job)
    texts: dict[int, str] = {}
    for page in given.pages:
        try:
            texts[page] = recognize(page_image(given.data, page, is_pdf=given.is_pdf))
        except (UnreadableImageError, MemoryError):
            continue  # the parent reports the pages that are missing
    return msgspec.msgpack.encode(Reply(texts))


if __name__ == "__main__":
    main()
