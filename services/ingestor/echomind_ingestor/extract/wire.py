"""What goes between `Extractor` and its child processes: MessagePack with the length in eight bytes in front."""

import msgspec

from echomind_ingestor.extract.result import Extracted

LENGTH_BYTES = 8


class Job(msgspec.Struct, array_like=True):
    """A file to read."""

    data: bytes
    name: str
    stated: str


class Reply(msgspec.Struct, array_like=True):
    """What came of it."""

    extracted: Extracted | None
    """None when the file was refused."""
    refusal: str = ""
    """Why, for people."""


def frame(message: Job | Reply) -> bytes:
    """A message as it goes over the pipe."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(LENGTH_BYTES, "little") + body


def frame_length(header: bytes) -> int:
    """How many bytes follow a frame's first `LENGTH_BYTES`."""
    return int.from_bytes(header, "little")
