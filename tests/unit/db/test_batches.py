"""Changes in batches: what takes too long is halved, and a row that alone takes too long is told."""

import asyncpg
import pytest

from echomind_lib.db.batches import in_batches


class Rows:
    """Rows of which a statement takes no more than some."""

    def __init__(self, left: int, at_most: int) -> None:
        self.left, self.at_most = left, at_most
        self.tried: list[int] = []

    async def change(self, limit: int) -> int:
        self.tried.append(limit)
        changed = min(limit, self.left)
        if changed > self.at_most:
            raise asyncpg.QueryCanceledError("canceling statement due to statement timeout")
        self.left -= changed
        return changed


async def test_all_rows_are_changed_in_batches_that_are_halved_when_they_take_too_long() -> None:
    rows = Rows(left=7, at_most=3)
    assert await in_batches(rows.change, 8) == 7
    assert (rows.left, rows.tried) == (0, [8, 4, 2, 2, 2, 2, 2])


async def test_a_row_that_takes_too_long_is_not_tried_for_ever() -> None:
    rows = Rows(left=7, at_most=0)
    with pytest.raises(asyncpg.QueryCanceledError):
        await in_batches(rows.change, 4)
    assert rows.tried == [4, 2, 1]
