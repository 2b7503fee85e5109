"""Small secret files of the data folder."""

import os
from pathlib import Path


def write_secret(path: Path, text: str) -> None:
    """Writes a file atomically that only this user of the machine can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(descriptor, 0o600)  # also for a draft that was left behind with other permissions
        file.write(text + "\n")
    draft.replace(path)


def read_secret(path: Path) -> str:
    """Returns the text of such a file; empty if there is none."""
    try:
        return path.read_text("utf-8").strip()
    except FileNotFoundError:
        return ""
