"""Knowledge. Its sources, feedback and names are read separately."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import pick
from echomind_lib.mappers.differences import differences
from echomind_lib.models import public


def to_model(row: rows.KnowledgeEntity, *, is_own: bool, derived: Mapping[str, Any]) -> public.KnowledgeEntity:
    """Returns the model of an entity.

    Args:
        row: The entity.
        is_own: Whether the caller is its owner; only the owner sees its conversation.
        derived: The fields that come from other rows, and the confidence.
    """
    now = datetime.now(UTC)
    entity = public.KnowledgeEntity.from_row(row)
    entity.is_verified = row.review_after is not None and row.review_after > now
    for field, value in derived.items():
        setattr(entity, field, value)
    if not is_own:
        entity.source_session_id, entity.source_run_id = 0, ""
    else:
        entity.source_message_ids = row.metadata_.get("messageIds", [])
    return entity


def to_columns(entity: public.KnowledgeEntity, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the entity, and its `sources` as the ids of documents."""
    columns = {
        "level": public.KnowledgeLevel.INDIVIDUAL.word
        if entity.level is public.KnowledgeLevel.UNSPECIFIED
        else entity.level.word,
        "title": entity.title,
        "content": entity.content,
        "category": entity.category or None,
        "tags": list(entity.tags),
        "sources": sorted({source.document_id for source in entity.sources}),
    }
    return pick(public.KnowledgeEntity, columns, fields)


def to_feedback(row: rows.KnowledgeFeedback, user_name: str) -> public.KnowledgeFeedback:
    """Returns the model of a person's opinion."""
    return public.KnowledgeFeedback.from_row(row, user_name=user_name)


def to_differences(old: str, new: str) -> list[public.TextDifference]:
    """Returns the differences between two texts, as models."""
    return [
        public.TextDifference(change=public.TextChange.from_word(part.change), text=part.text)
        for part in differences(old, new)
    ]
