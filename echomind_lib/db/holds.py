"""What a legal hold keeps: the error for its deletion."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import asyncpg

from echomind_lib.errors import DeletionHeldError

HELD: Final = "EM001"
"""SQLSTATE of a deletion that the trigger `refuse_held` refuses."""


def deletion_held() -> DeletionHeldError:
    """Returns the error for whoever deletes something that is held; it does not say by whom or why."""
    return DeletionHeldError(
        "This cannot be deleted permanently, because your organization has to keep it. Ask an administrator."
    )


@contextmanager
def held_refused() -> Iterator[None]:
    """Raises `DeletionHeldError` where a statement of the block deletes what a legal hold keeps."""
    try:
        yield
    except asyncpg.PostgresError as error:
        if error.sqlstate == HELD:
            raise deletion_held() from error
        raise
