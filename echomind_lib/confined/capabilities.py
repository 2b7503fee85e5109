"""Drops the capabilities of the superuser; see capabilities(7)."""

import ctypes
import os
import sys

_PR_CAPBSET_DROP, _PR_CAP_AMBIENT, _CLEAR_ALL = 24, 47, 4
_VERSION_3 = 0x20080522
_COUNT = 64
"""Upper bound of capability numbers; the kernel rejects unknown ones, which is harmless."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def drop_capabilities() -> None:
    """Drops all capabilities of this process and its children, on Linux.

    Landlock alone does not stop a superuser's process with CAP_PERFMON from reading other processes' environments.

    Raises:
        OSError: The kernel refuses.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for number in range(_COUNT):
        # Refused without CAP_SETPCAP; then no capability can be regained by starting a program either.
        libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)
    libc.prctl(_PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    if libc.capset(ctypes.byref(_Header(_VERSION_3, 0)), ctypes.byref((ctypes.c_uint32 * 6)())) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
