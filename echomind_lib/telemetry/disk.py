"""Measurements of disks: free space, and what was refused or put off because a disk is full."""

from typing import Final

from prometheus_client import Counter, Gauge

from echomind_lib.process.disk import DiskSpace

DISK_FULL: Final = Counter("echomind_disk_full_total", "Calls refused and documents put off because a disk is full.")
_FREE: Final = Gauge("echomind_disk_free_bytes", "Free space of the monitored disk.", ["folder"])
_RESERVE: Final = Gauge("echomind_disk_reserve_bytes", "Free space below which nothing new is stored.", ["folder"])


def measure_disk(disk: DiskSpace) -> None:
    """Measures the free space of a disk; nothing without a monitored folder.

    Args:
        disk: The disk.

    Raises:
        OSError: The folder cannot be read.
    """
    if (use := disk.use) is not None:
        _FREE.labels(str(use.folder)).set(use.free)
        _RESERVE.labels(str(use.folder)).set(use.reserve)
