"""The file of the keys that encrypt stored secrets; the command line reads and writes it, too."""

import base64
import os
import re
import tempfile
from pathlib import Path
from typing import Final

KEY_FILE: Final = "secret-keys"
"""Name of the key file in the data folder; its keys are separated by lines or commas."""

KEY_BYTES: Final = 32


def new_key() -> str:
    """Returns a new key."""
    return base64.urlsafe_b64encode(os.urandom(KEY_BYTES)).decode("ascii")


def read_keys(file: Path) -> list[str]:
    """Returns the keys of a file, the primary one first."""
    return split_keys(file.read_text("ascii"))


def write_keys(file: Path, keys: list[str]) -> None:
    """Replaces a key file as a whole: a reader, or a crash, meets the old keys or the new ones."""
    unfinished = private_copy(file, keys)
    unfinished.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def split_keys(text: str) -> list[str]:
    """Returns the keys of a text: they are separated by white space or commas."""
    return [key for key in re.split(r"[\s,]+", text) if key]


def private_copy(path: Path, keys: list[str]) -> Path:
    """Writes keys to a new file beside a path, readable by its owner alone."""
    descriptor, own = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write("".join(f"{key}\n" for key in keys).encode("ascii"))
        file.flush()
        os.fsync(file.fileno())
    return Path(own)
