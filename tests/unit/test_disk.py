"""When a disk counts as full, and the error for users."""

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import asyncpg
import pytest

from echomind_lib.config import DiskSettings
from echomind_lib.errors import DiskFullError
from echomind_lib.process.disk import DiskSpace, is_disk_full
from tests.drivers.tables import for_each

MB = 1024 * 1024


class Disk:
    """A disk of 20 GB whose free space the test sets, and a clock."""

    now = 1000.0

    def __init__(self, monkeypatch: pytest.MonkeyPatch, size: int = 20_000) -> None:
        self.free, self.looks, self.size = 10_000, 0, size
        monkeypatch.setattr(os, "statvfs", self._statvfs)
        monkeypatch.setattr("echomind_lib.process.disk.time.monotonic", lambda: self.now)

    def _statvfs(self, _: Path) -> SimpleNamespace:
        self.looks += 1
        return SimpleNamespace(f_bavail=self.free * 256, f_blocks=self.size * 256, f_frsize=4096)


def test_without_a_folder_there_is_always_room() -> None:
    space = DiskSpace(DiskSettings())
    space.require()
    assert not space.is_low
    assert "disk" in str(space.error())


@pytest.mark.parametrize(("size", "reserve"), [(20_000, 512), (700, 70)])
def test_default_reserve_is_smaller_on_a_small_disk(monkeypatch: pytest.MonkeyPatch, size: int, reserve: int) -> None:
    disk = Disk(monkeypatch, size)
    disk.free = reserve
    space = DiskSpace(DiskSettings(folder="/data"))
    space.require()
    disk.free, disk.now = reserve - 1, disk.now + 1
    with pytest.raises(DiskFullError) as caught:
        space.require()
    assert caught.value.code == "RESOURCE_EXHAUSTED"
    assert f"/data is full: {reserve - 1} MB are free, {reserve} MB must stay free" in str(caught.value)
    assert caught.value.metadata == {
        "disk": "/data",
        "free_bytes": str((reserve - 1) * MB),
        "reserve_bytes": str(reserve * MB),
    }


def test_it_looks_once_a_second_and_sees_new_room(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    disk.free = 99
    space = DiskSpace(DiskSettings(folder="/data", reserve_mb=100))
    assert all(space.is_low for _ in range(50))
    disk.free = 100
    assert space.is_low
    assert disk.looks == 1
    disk.now += 1
    assert not space.is_low
    assert disk.looks == 2


@for_each(
    ("error", "full"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (OSError(errno.EDQUOT, "Quota exceeded"), True),
        (asyncpg.DiskFullError("could not extend file"), True),
        (OSError(errno.ECONNREFUSED, "refused"), False),
        (asyncpg.OutOfMemoryError("out of memory"), False),
        (ValueError("disk"), False),
        (None, False),
    ],
)
def test_disk_full_errors_are_distinguished_from_others(error: BaseException | None, full: bool) -> None:
    assert is_disk_full(error) == full
