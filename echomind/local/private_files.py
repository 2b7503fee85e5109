"""Files that only their owner can read."""

import os
from pathlib import Path


def write_private(file: Path, text: str) -> None:
    """Replace a file atomically, readable only by the owner from the start."""
    unfinished = file.with_name(f"{file.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.rename(file)
