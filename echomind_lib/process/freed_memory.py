"""Release of freed memory to the operating system."""

import asyncio
import ctypes
import time
from typing import Final, NoReturn

_LOOK_SECONDS: Final = 30.0
_WORK: Final = 0.5
"""Seconds of processor time between two looks from which on a process has worked."""


def release_freed_memory() -> None:
    """Returns freed memory to the system, if the C library can (glibc).

    Call it after loading large data: freed temporary memory is fragmented by live data and would not be returned.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


async def release_after_work(every: float = _LOOK_SECONDS) -> NoReturn:
    """Returns freed memory to the system whenever this process rests after work, until cancelled.

    Args:
        every: Seconds between looks whether it rests.
    """
    has_worked, used = False, time.process_time()
    while True:
        await asyncio.sleep(every)
        before, used = used, time.process_time()
        if used - before >= _WORK:
            has_worked = True
        elif has_worked:
            has_worked = False
            await asyncio.to_thread(release_freed_memory)
