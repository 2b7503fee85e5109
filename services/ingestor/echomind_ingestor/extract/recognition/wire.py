"""Messages between `Recognizer` and its child process, as MessagePack."""

import msgspec


class Job(msgspec.Struct, array_like=True):
    """Pages of a file to recognise."""

    data: bytes
    is_pdf: bool
    """Whether it is a PDF; otherwise it is an image."""
    pages: list[int]
    """Their numbers, starting at 1."""


class Reply(msgspec.Struct, array_like=True):
    """The result of a child."""

    texts: dict[int, str]
    """Text of each page that was recognised, with tables as Markdown; empty for a page without text."""
