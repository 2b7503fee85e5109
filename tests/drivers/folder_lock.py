"""The lock that `echomind up` holds on its data folder."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held_lock(data_dir: Path) -> Iterator[None]:
    """Context in which an EchoMind seems to run with a data folder."""
    with (data_dir / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
