"""What a legal hold keeps: the errors for its deletion and its move."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import asyncpg

from echomind_lib.errors import DeletionHeldError

HELD: Final = "EM001"
"""SQLSTATE of what the triggers `refuse_held` and `refuse_move_of_held` refuse."""
_MOVE: Final = "refuse_move_of_held"


def deletion_held() -> DeletionHeldError:
    """Returns the error for whoever deletes something that is held; it does not say by whom or why."""
    return DeletionHeldError(
        "This cannot be deleted permanently, because your organization has to keep it. Ask an administrator."
    )


def move_held() -> DeletionHeldError:
    """Returns the error for whoever moves or shares something, so that a hold would no longer keep it."""
    return DeletionHeldError(
        "This cannot be moved or shared, because your organization has to keep it where it is. Ask an administrator."
    )


def held_error(error: BaseException | None) -> DeletionHeldError | None:
    """Returns the error for callers that an error of the database driver becomes; None if it is not about a hold."""
    if getattr(error, "sqlstate", None) != HELD:
        return None
    return move_held() if getattr(error, "constraint_name", None) == _MOVE else deletion_held()


@contextmanager
def held_refused() -> Iterator[None]:
    """Raises `DeletionHeldError` where a statement of the block deletes or moves what a legal hold keeps."""
    try:
        yield
    except asyncpg.PostgresError as error:
        if (held := held_error(error)) is not None:
            raise held from error
        raise
