"""What entities of knowledge have said: each change is a row, stored in the transaction of the change."""

from typing import Any, Final

from sqlalchemy import CTE, insert, select

from echomind_lib.db.models.knowledge import KnowledgeEntity, KnowledgeRevision

_SAID: Final = ("level", "title", "content", "category", "tags")
REVISED: Final = frozenset(_SAID)
"""The columns of an entity whose change is a revision."""
CHANGED_COLUMNS: Final = (
    KnowledgeEntity.id,
    KnowledgeEntity.revision,
    *(getattr(KnowledgeEntity, name) for name in _SAID),
)
"""What a statement that changes entities returns for `noted`."""


def noted(changed: CTE, user_id: Any, session_id: Any) -> CTE:
    """Returns the CTE that stores what entities say after a change.

    Args:
        changed: The entities, with `CHANGED_COLUMNS`.
        user_id: For whom the change was learned.
        session_id: Where it was learned.
    """
    columns = ["knowledge_id", "revision", *_SAID, "user_id", "chat_session_id"]
    said = [changed.c[name] for name in _SAID]
    return (
        insert(KnowledgeRevision)
        .from_select(columns, select(changed.c.id, changed.c.revision, *said, user_id, session_id))
        .cte("revised")
    )


def revision_of(entity: KnowledgeEntity, user_id: int) -> KnowledgeRevision:
    """Returns what an entity says, as the revision that a person has made of it."""
    said = {name: getattr(entity, name) for name in _SAID}
    return KnowledgeRevision(knowledge_id=entity.id, revision=entity.revision, user_id=user_id, **said)
