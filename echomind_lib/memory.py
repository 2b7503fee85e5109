"""Memory that a process has freed and still holds."""

import ctypes


def release_freed_memory() -> None:
    """Returns freed memory to the system, if the C library can (glibc).

    For after something large was loaded: what loading it took lies between what stays, and would be kept.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
