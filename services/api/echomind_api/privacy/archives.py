"""ZIP archives that are written while they are sent: no more than a piece of them is in memory, and nothing on disk."""

import asyncio
import zipfile
from collections.abc import AsyncIterator
from types import TracebackType
from typing import IO, Final, Self

_PIECE_BYTES: Final = 64 * 1024
"""How much is compressed at a time; other calls continue in between."""


class _Sink:
    """Takes what is written until it is sent. It cannot seek, so the archive is written in order."""

    def __init__(self) -> None:
        self.pending = bytearray()

    def write(self, data: bytes, /) -> int:
        self.pending += data
        return len(data)

    def flush(self) -> None:
        """Does nothing: what is written is sent by the archive's user."""

    def close(self) -> None:
        """Does nothing: it holds memory alone."""


class StreamedArchive:
    """A ZIP archive, of which the caller sends what `write`, `end_file` and `end` return.

    Leaving the context before `end` leaves an archive without its directory, which no program opens as a whole one.
    """

    def __init__(self) -> None:
        self._sink = _Sink()
        self._zip = zipfile.ZipFile(self._sink, "w")
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end_file()
        self._zip.close()

    def begin_file(self, name: str, *, compressed: bool = True) -> None:
        """Begins a file, whose length need not be known.

        Args:
            name: Its path in the archive.
            compressed: False for files that are usually compressed already.
        """
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
        info.external_attr = 0o600 << 16
        self._file = self._zip.open(info, "w", force_zip64=True)

    async def write(self, data: bytes) -> AsyncIterator[bytes]:
        """Writes to the file that was begun; yields the bytes to send."""
        assert self._file is not None
        for start in range(0, len(data), _PIECE_BYTES):
            self._file.write(data[start : start + _PIECE_BYTES])
            await asyncio.sleep(0)
            if piece := self._take():
                yield piece

    def end_file(self) -> bytes:
        """Ends the file that was begun, if any; returns the bytes to send."""
        if self._file is not None:
            self._file.close()
            self._file = None
        return self._take()

    def end(self) -> bytes:
        """Writes the directory; returns the last bytes to send."""
        self._zip.close()
        return self._take()

    def _take(self) -> bytes:
        piece = bytes(self._sink.pending)
        self._sink.pending.clear()
        return piece
