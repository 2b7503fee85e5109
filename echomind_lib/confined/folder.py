"""Temporary folders of child processes."""

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "echomind-child-"


class PrivateFolder:
    """A new temporary folder that only this user can access, locked while this process lives.

    Folders of killed processes are removed when the next folder is created.
    """

    def __init__(self) -> None:
        _remove_abandoned()
        while True:
            self.path = tempfile.mkdtemp(prefix=_PREFIX)
            self._lock = _locked(self.path, wait=True)
            # Another process may have removed the folder as abandoned before it was locked.
            if self._lock is not None and Path(self.path).is_dir():
                return
            self._unlock()

    def remove(self) -> None:
        """Removes the folder with its contents."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._unlock()

    def _unlock(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)


def _remove_abandoned() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if (lock := _locked(str(folder))) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _locked(folder: str, *, wait: bool = False) -> int | None:
    """Returns a descriptor that locks a folder of this user; None if it does not exist or is locked."""
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        if os.fstat(lock).st_uid == os.getuid():
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            return lock
    except OSError:
        pass
    os.close(lock)
    return None
