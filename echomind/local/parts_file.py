"""The state of the processes of `echomind up`, in a file for `echomind doctor`."""

import contextlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

NAME = "parts.json"
"""The file's name in the folder `run` of a data folder."""
_SIZE = 16 * 1024


@dataclass(frozen=True)
class PartState:
    """One process.

    Attributes:
        name: Its name.
        is_ready: Whether it serves.
        failures: Deaths in a row without a stable time between them.
        last_failure: The last failure; empty after a stable time.
        restarts_in: Seconds until it is started again; 0 when it runs.
    """

    name: str
    is_ready: bool
    failures: int
    last_failure: str
    restarts_in: int


class PartsFile:
    """The file. It has one size for ever and is written in place, which a full disk does not prevent."""

    def __init__(self, path: Path) -> None:
        """Creates the file, with room for all its entries.

        Raises:
            OSError: It cannot be written.
        """
        self._path = path
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        self._written: list[PartState] = []
        os.pwrite(self._descriptor, b" " * _SIZE, 0)

    def write(self, parts: Iterable[PartState]) -> None:
        """Stores the states, if they have changed."""
        states = list(parts)
        if states == self._written:
            return
        content = json.dumps({"pid": os.getpid(), "parts": [asdict(state) for state in states]}).encode()
        # If the write fails, the file keeps its previous content.
        with contextlib.suppress(OSError):
            os.pwrite(self._descriptor, content[:_SIZE].ljust(_SIZE), 0)
            self._written = states

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Removes the file."""
        os.close(self._descriptor)
        self._path.unlink(missing_ok=True)


def read_parts(path: Path) -> list[PartState]:
    """Returns the states of the running `echomind up`; empty when none runs."""
    try:
        stored = json.loads(path.read_bytes())
        os.kill(stored["pid"], 0)
    except (OSError, ValueError):
        return []
    return [PartState(**state) for state in stored["parts"]]
