"""Free space of a machine's data disk: writes are rejected before it is full.

On a full disk, the database, the queue and the vector index fail in different ways. So no new work begins once less
than the reserve is free, and work in progress can finish within it.
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
"""Maximum share of the disk for the default reserve."""
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
    """The free space of one disk, measured at most once a second. Without a folder it is never low."""

    def __init__(self, settings: DiskSettings) -> None:
        """Initializes the object without measuring.

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
        """Returns if the disk is not low.

        Raises:
            DiskFullError: Less than the reserve is free.
        """
        if self.is_low:
            raise self.error()

    def error(self) -> DiskFullError:
        """Returns the error for a low disk."""
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
    """Returns whether the system or PostgreSQL has failed because a disk is full."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    return getattr(error, "sqlstate", None) == _SQLSTATE_DISK_FULL


_SQLSTATE_DISK_FULL: Final = "53100"
