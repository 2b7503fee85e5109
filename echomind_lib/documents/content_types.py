"""The MIME type of an uploaded or synced file."""

import mimetypes
import re
from pathlib import PurePosixPath
from typing import Final

_FORM = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)
_LENGTH: Final = 100
_UNKNOWN: Final = frozenset({"", "application/octet-stream"})


def content_type_of(given: str, name: str) -> str:
    """Returns a file's MIME type: the declared one, otherwise by its name.

    Args:
        given: The type declared by its sender or source; may be empty, malformed, or have parameters.
        name: The file's name, with its extension if it has one.
    """
    content_type = given.partition(";")[0].strip().lower()
    if content_type in _UNKNOWN or len(content_type) > _LENGTH or not _FORM.fullmatch(content_type):
        content_type = mimetypes.guess_type(PurePosixPath(name).name)[0] or "application/octet-stream"
    return content_type
