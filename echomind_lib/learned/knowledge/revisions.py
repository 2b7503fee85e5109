"""Revisions of knowledge entities: each change is a row, stored in the transaction of the change."""

from typing import Any, Final

from sqlalchemy import CTE, insert, select

from echomind_lib.db.models.knowledge import KnowledgeEntity, KnowledgeRevision

_CONTENT: Final = ("level", "title", "content", "category", "tags")
REVISED: Final = frozenset(_CONTENT)
"""The columns of an entity whose changes create a revision."""
CHANGED_COLUMNS: Final = (
    KnowledgeEntity.id,
    KnowledgeEntity.revision,
    *(getattr(KnowledgeEntity, name) for name in _CONTENT),
)
"""The columns that a statement must return for `record_revision`."""


def record_revision(changed: CTE, user_id: Any, session_id: Any) -> CTE:
    """Returns the CTE that stores revisions of entities after a change.

    Args:
        changed: The entities, with `CHANGED_COLUMNS`.
        user_id: The user for whom the change was learned.
        session_id: The session from which it was learned.
    """
    columns = ["knowledge_id", "revision", *_CONTENT, "user_id", "chat_session_id"]
    content = [changed.c[name] for name in _CONTENT]
    return (
        insert(KnowledgeRevision)
        .from_select(columns, select(changed.c.id, changed.c.revision, *content, user_id, session_id))
        .cte("revised")
    )


def revision_of(entity: KnowledgeEntity, user_id: int) -> KnowledgeRevision:
    """Returns the revision of an entity as changed by a person."""
    content = {name: getattr(entity, name) for name in _CONTENT}
    return KnowledgeRevision(knowledge_id=entity.id, revision=entity.revision, user_id=user_id, **content)
