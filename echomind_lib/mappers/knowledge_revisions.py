"""Revisions of knowledge entities."""

from echomind_lib.db import models as rows
from echomind_lib.mappers.knowledge import to_differences
from echomind_lib.models.public import KnowledgeRevision


def to_model(
    row: rows.KnowledgeRevision, user_name: str, content_before: str | None, *, is_own: bool
) -> KnowledgeRevision:
    """Returns the model of a revision.

    Args:
        row: The revision.
        user_name: The name of its author.
        content_before: The content of the previous revision; None for the first one.
        is_own: Whether the entity is the caller's own; only its owner sees its conversation.
    """
    revision = KnowledgeRevision.from_row(row, user_name=user_name)
    if not is_own:
        revision.chat_session_id = 0
    if content_before not in (None, row.content):
        revision.differences = to_differences(content_before or "", row.content)
    return revision
