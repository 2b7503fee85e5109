"""Messages between `Extractor` and its child processes, as MessagePack."""

import msgspec

from echomind_ingestor.extract.result import Extracted


class Job(msgspec.Struct, array_like=True):
    """A file to read."""

    data: bytes
    name: str
    stated: str
    is_page: bool = False


class Reply(msgspec.Struct, array_like=True):
    """The result of a child."""

    extracted: Extracted | None
    """None if the file was rejected."""
    refusal: str = ""
    """The reason, for users."""
