"""Giving up what the superuser may do beyond other users; see capabilities(7)."""

import ctypes
import os
import sys

_PR_CAPBSET_DROP, _PR_CAP_AMBIENT, _CLEAR_ALL = 24, 47, 4
_VERSION_3 = 0x20080522
_COUNT = 64
"""More capabilities than there are; unknown ones are refused, which does not matter."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def drop_capabilities() -> None:
    """Drops all capabilities of this process and its children, on Linux.

    Landlock alone does not keep a superuser's process from reading the environment of others: one with CAP_PERFMON may.

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
