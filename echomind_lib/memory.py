"""Memory that a process has freed and still holds."""

import ctypes


def release_freed_memory() -> None:
    """Gives freed memory back to the system, where the C library can (glibc); does nothing elsewhere.

    For after something large was loaded: what loading it took lies between what stays, and would be kept.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
