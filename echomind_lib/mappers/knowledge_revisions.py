"""What entities of knowledge have said."""

from typing import Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.knowledge import to_differences
from echomind_lib.models.public import KnowledgeRevision

ROW: Final = rows.KnowledgeRevision
MODEL: Final = KnowledgeRevision
INTERNAL: Final = {"knowledge_id": "named in the request"}
DERIVED: Final = {
    "user_name": "of the account",
    "differences": "compared with the revision before",
}


def to_model(
    row: rows.KnowledgeRevision, user_name: str, content_before: str | None, *, is_own: bool
) -> KnowledgeRevision:
    """Returns the model of what an entity has said.

    Args:
        row: The revision.
        user_name: Who made it.
        content_before: The content of the revision before it; None for the first one.
        is_own: Whether the entity is the caller's, who alone sees the conversation that it comes from.
    """
    revision = KnowledgeRevision.from_row(row)
    revision.user_name = user_name
    if not is_own:
        revision.chat_session_id = 0
    if content_before not in (None, row.content):
        revision.differences = to_differences(content_before or "", row.content)
    return revision
