"""The MIME type of a file that somebody sends or a sync has found."""

import mimetypes
import re
from pathlib import PurePosixPath
from typing import Final

_FORM = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)
_LENGTH: Final = 100
_UNKNOWN: Final = frozenset({"", "application/octet-stream"})


def content_type_of(given: str, name: str) -> str:
    """Returns a file's MIME type: what was said of it, or else what its name says.

    Args:
        given: The type that its sender or source names; may be empty, wrong in its form, or have parameters.
        name: The file's name, with an ending where it has one.
    """
    said = given.partition(";")[0].strip().lower()
    if said in _UNKNOWN or len(said) > _LENGTH or not _FORM.fullmatch(said):
        said = mimetypes.guess_type(PurePosixPath(name).name)[0] or "application/octet-stream"
    return said
