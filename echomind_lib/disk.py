"""Room on the disk that a machine keeps everything on: writes are refused before it is full.

A full disk takes the database, the queue and the vector index down in ways of their own. So nothing new is begun once
less than a reserve is free, and what is under way has that reserve to end in.
"""

import errno
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from echomind_lib.config import DiskSettings
from echomind_lib.errors import DiskFullError

_MB: Final = 1024 * 1024
_DEFAULT_RESERVE: Final = 512 * _MB
_DEFAULT_SHARE: Final = 0.1
"""The default reserve is no more than this share of the disk."""
_LOOK_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskUse:
    """Size and free space of a disk, in bytes."""

    folder: Path
    free: int
    total: int
    reserve: int
    """Free space to keep."""


class DiskSpace:
    """The free space of one disk, looked at most once a second. Without a folder there is always room."""

    def __init__(self, settings: DiskSettings) -> None:
        """Watches no folder yet.

        Args:
            settings: The folder and the reserve.
        """
        self._folder = Path(settings.folder) if settings.folder else None
        self._reserve_mb = settings.reserve_mb
        self._looked_at = -_LOOK_SECONDS
        self._free = self._total = self._reserve = 0

    @property
    def is_low(self) -> bool:
        """Returns whether less than the reserve is free."""
        self._look()
        return self._free < self._reserve

    @property
    def use(self) -> DiskUse | None:
        """Returns the usage of the disk; None without a folder."""
        self._look()
        if self._folder is None:
            return None
        return DiskUse(folder=self._folder, free=self._free, total=self._total, reserve=self._reserve)

    def require(self) -> None:
        """Returns when something may be stored.

        Raises:
            DiskFullError: Less is free than must stay free.
        """
        if self.is_low:
            raise self.error()

    def error(self) -> DiskFullError:
        """Returns the error that says so."""
        self._look()
        if self._folder is None:
            return DiskFullError("A disk of this installation is full. Whoever runs EchoMind must make room on it.")
        return DiskFullError(
            f"The disk of {self._folder} is full: {self._free // _MB} MB are free, {self._reserve // _MB} MB must stay "
            "free. Whoever runs EchoMind must make room on it; reading works meanwhile.",
            disk=self._folder,
            free_bytes=self._free,
            reserve_bytes=self._reserve,
        )

    def _look(self) -> None:
        now = time.monotonic()
        if self._folder is None or now - self._looked_at < _LOOK_SECONDS:
            return
        self._looked_at = now
        found = os.statvfs(self._folder)
        self._free, self._total = found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
        if self._reserve_mb is None:
            self._reserve = min(_DEFAULT_RESERVE, int(self._total * _DEFAULT_SHARE))
        else:
            self._reserve = self._reserve_mb * _MB


def is_disk_full(error: BaseException | None) -> bool:
    """Returns whether the system or PostgreSQL has failed for want of room on a disk."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    return getattr(error, "sqlstate", None) == _SQLSTATE_DISK_FULL


_SQLSTATE_DISK_FULL: Final = "53100"
