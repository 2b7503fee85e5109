"""Release of freed memory to the operating system."""

import ctypes


def release_freed_memory() -> None:
    """Returns freed memory to the system, if the C library can (glibc).

    Call it after loading large data: freed temporary memory is fragmented by live data and would not be returned.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
