"""What a legal hold keeps: the error for its deletion."""

from typing import Final

from echomind_lib.errors import DeletionHeldError

HELD: Final = "EM001"
"""SQLSTATE of a deletion that the trigger `refuse_held` refuses."""


def deletion_held() -> DeletionHeldError:
    """Returns the error for whoever deletes something that is held; it does not say by whom or why."""
    return DeletionHeldError(
        "This cannot be deleted permanently, because your organization has to keep it. Ask an administrator."
    )
