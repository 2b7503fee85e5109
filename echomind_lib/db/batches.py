"""Changes of many rows, made in batches so that no statement reaches the server's time limit."""

from collections.abc import Awaitable, Callable

import asyncpg


async def in_batches(change: Callable[[int], Awaitable[int]], size: int) -> int:
    """Makes a change batch by batch until nothing is left of it.

    A batch that takes longer than the server allows a statement is made again with half as many rows, as are all after
    it: some rows take many others with them.

    Args:
        change: Changes at most so many rows in a transaction of its own, and returns how many; 0 means that none is
            left. Batches that were committed stay, so that an interrupted change is continued by calling this again.
        size: Rows of the first batch, at least 1.

    Returns:
        The number of rows.

    Raises:
        asyncpg.QueryCanceledError: One row alone takes too long.
    """
    total = 0
    while True:
        try:
            changed = await change(size)
        except asyncpg.QueryCanceledError:
            if size == 1:
                raise
            size //= 2
            continue
        if not changed:
            return total
        total += changed
