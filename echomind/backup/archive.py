"""The file of a backup: a tar archive whose last member has the checksum of everything before it.

It is written and read as a stream. `tar tf` lists it; reading goes through this module because `tarfile` ignores the
bytes that pad a member, and a backup must be refused if any byte of it has changed.
"""

import hashlib
import io
import json
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

LAST: Final = "checksums.json"
_BLOCK: Final = tarfile.BLOCKSIZE
_PIECE: Final = 1024 * 1024
_END: Final = bytes(2 * _BLOCK)
_LIMIT: Final = 1024 * 1024
"""Maximum size of a member that is read at once."""


class ArchiveError(Exception):
    """The file is not a complete, unchanged backup; the message says why."""


class ArchiveWriter:
    """Writes members one after the other."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()
        self._members = 0
        self._missing = 0
        self._padding = 0
        self.size = 0
        """Bytes written so far."""

    def add(self, name: str, content: bytes) -> None:
        """Writes a member."""
        self.begin(name, len(content))
        self.write(content)

    def begin(self, name: str, size: int) -> None:
        """Begins a member of `size` bytes, which are then given to `write`.

        Args:
            name: Its name: ASCII, at most 255 characters, of which at most 100 follow the last slash.
            size: Its size in bytes, less than 8 GiB.
        """
        assert not self._missing, "the previous member is incomplete"
        member = tarfile.TarInfo(name)
        member.size, member.mtime, member.mode = size, int(time.time()), 0o600
        self._put(member.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict"))
        self._members += 1
        self._missing, self._padding = size, -size % _BLOCK

    def write(self, piece: bytes) -> None:
        """Writes a piece of the current member."""
        self._missing -= len(piece)
        assert self._missing >= 0, "the member is longer than announced"
        self._put(piece)
        if not self._missing:
            self._put(bytes(self._padding))

    def finish(self) -> None:
        """Writes the last member and the end of the archive."""
        sums = {"sha256": self._hash.hexdigest(), "members": self._members, "bytes": self.size}
        self.add(LAST, json.dumps(sums).encode())
        self._put(_END)
        self._stream.flush()

    def _put(self, data: bytes) -> None:
        self._hash.update(data)
        self._stream.write(data)
        self.size += len(data)


@dataclass
class Member:
    """A member that is being read; it must be read to its end before the next one."""

    name: str
    size: int
    pieces: Iterator[bytes]

    def read(self) -> bytes:
        """Returns its whole content.

        Raises:
            ArchiveError: The file is truncated.
        """
        return b"".join(self.pieces)

    def read_json(self) -> dict[str, object]:
        """Returns its content as a JSON object.

        Raises:
            ArchiveError: It is not one, or too large for one.
        """
        if self.size > _LIMIT:
            raise ArchiveError(f"{self.name} has {self.size} bytes")
        try:
            content = json.loads(self.read())
        except ValueError as error:
            raise ArchiveError(f"{self.name} is damaged ({error})") from error
        if not isinstance(content, dict):
            raise ArchiveError(f"{self.name} is damaged")
        return content


class ArchiveReader:
    """Reads the members of an archive in their order, and verifies it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()
        self._members = 0
        self.position = 0
        """Bytes read so far."""

    def members(self) -> Iterator[Member]:
        """Yields all members but the last; after the last one, the archive is known to be complete and unchanged.

        Raises:
            ArchiveError: The archive is truncated or was changed. What was read before may be damaged, too.
        """
        while True:
            digest, before = self._hash.hexdigest(), self.position
            header = self._header()
            pieces = self._content(header.size)
            if header.name == LAST:
                sums = Member(header.name, header.size, pieces).read_json()
                if sums != {"sha256": digest, "members": self._members, "bytes": before}:
                    raise ArchiveError("its content does not match its checksum: it was damaged or changed")
                self._read_end()
                return
            self._members += 1
            yield Member(header.name, header.size, pieces)
            for _ in pieces:
                pass

    def verify(self) -> None:
        """Reads the whole archive.

        Raises:
            ArchiveError: It is truncated or was changed.
        """
        for _ in self.members():
            pass

    def _header(self) -> tarfile.TarInfo:
        block = self._take(_BLOCK)
        try:
            header = tarfile.TarInfo.frombuf(block, "ascii", "strict")
        except (tarfile.HeaderError, UnicodeError) as error:
            raise ArchiveError(f"it is damaged near byte {self.position}, or no backup ({error})") from error
        # The last header precedes the checksum that is compared, and tar's own leaves some bits out.
        if header.name == LAST and header.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict") != block:
            raise ArchiveError(f"it is damaged near byte {self.position}")
        return header

    def _content(self, size: int) -> Iterator[bytes]:
        for begin in range(0, size, _PIECE):
            yield self._take(min(_PIECE, size - begin))
        if any(self._take(-size % _BLOCK)):
            raise ArchiveError(f"it is damaged near byte {self.position}")

    def _read_end(self) -> None:
        if any(self._take(len(_END))) or self._stream.read(1):
            raise ArchiveError("something follows its last member")

    def _take(self, size: int) -> bytes:
        buffer = io.BytesIO()
        while (missing := size - buffer.tell()) and (piece := self._stream.read(missing)):
            buffer.write(piece)
        data = buffer.getvalue()
        self._hash.update(data)
        self.position += len(data)
        if len(data) < size:
            raise ArchiveError(f"it ends after {self.position} bytes, before its last member: it is truncated")
        return data
