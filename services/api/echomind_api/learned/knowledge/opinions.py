"""Feedback on entities: one per user, which changes the entity's confidence."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.db import models as rows
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.learned.knowledge.evidence import BEST_RATING, recounted
from echomind_lib.mappers import knowledge as mapper
from echomind_lib.models import public

_Opinion = rows.KnowledgeFeedback


async def set_opinion(
    session: AsyncSession, knowledge_id: int, user_id: int, feedback: public.KnowledgeFeedback
) -> None:
    """Stores a user's opinion, replacing an earlier one, and updates the entity's counts.

    Raises:
        ValidationFailedError: The opinion is empty, or its rating is invalid.
    """
    if feedback.helpful is None and not feedback.accuracy_rating and not feedback.comment.strip():
        rule = "say whether it helped, how right it is, or something about it"
        raise ValidationFailedError(f"feedback: {rule}.", feedback=rule)
    if feedback.accuracy_rating > BEST_RATING:
        rule = f"must be at most {BEST_RATING}"
        raise ValidationFailedError(f"feedback.accuracy_rating: {rule}.", **{"feedback.accuracy_rating": rule})
    await _lock(session, knowledge_id)
    values = {
        "helpful": feedback.helpful,
        "accuracy_rating": feedback.accuracy_rating or None,
        "comment": feedback.comment.strip() or None,
        "chat_session_id": feedback.chat_session_id or None,
        "used_in_step": feedback.used_in_step or await _step_of_use(session, knowledge_id, feedback.chat_session_id),
    }
    await session.execute(
        insert(_Opinion)
        .values(knowledge_id=knowledge_id, user_id=user_id, **values)
        .on_conflict_do_update(
            index_elements=[_Opinion.knowledge_id, _Opinion.user_id],
            set_={**values, "last_update": func.now(), "user_id_last_update": user_id},
        )
    )
    await recount(session, [knowledge_id])


async def withdraw_opinion(session: AsyncSession, knowledge_id: int, user_id: int) -> None:
    """Deletes a user's opinion and updates the entity's counts."""
    await _lock(session, knowledge_id)
    await session.execute(delete(_Opinion).where(_Opinion.knowledge_id == knowledge_id, _Opinion.user_id == user_id))
    await recount(session, [knowledge_id])


async def recount(session: AsyncSession, knowledge_ids: Sequence[int]) -> None:
    """Recomputes the counts of entities from their evidence."""
    await session.execute(
        recounted(rows.KnowledgeEntity.id.in_(knowledge_ids)), execution_options={"synchronize_session": False}
    )


async def list_opinions(
    session: AsyncSession, request: public.ListKnowledgeFeedbackRequest
) -> public.ListKnowledgeFeedbackResponse:
    """Returns a page of the opinions on an entity, newest first."""
    page = read_page(request.page_size, request.page_token, tuple[datetime, int], "knowledge feedback", request.id)
    query = (
        select(_Opinion, rows.User.user_name)
        .join(rows.User, rows.User.id == _Opinion.user_id)
        .where(_Opinion.knowledge_id == request.id)
    )
    query = page.select(query, _Opinion.creation_date, _Opinion.id, descending=True)
    found, token = page.cut((await session.execute(query)).all(), lambda row: (row[0].creation_date, row[0].id))
    return public.ListKnowledgeFeedbackResponse(
        feedback=[mapper.to_feedback(row, user_name) for row, user_name in found], next_page_token=token
    )


async def _step_of_use(session: AsyncSession, knowledge_id: int, session_id: int) -> int | None:
    """Returns the step in which a conversation last used an entity: one that an answer cites, if there is one."""
    use = rows.KnowledgeUse
    return await session.scalar(
        select(use.step_number)
        .where(use.knowledge_id == knowledge_id, use.chat_session_id == session_id)
        .order_by(use.cited.desc(), use.creation_date.desc())
        .limit(1)
    )


async def _lock(session: AsyncSession, knowledge_id: int) -> None:
    """Locks an entity so that concurrent feedback is counted one after another."""
    await session.execute(
        select(rows.KnowledgeEntity.id).where(rows.KnowledgeEntity.id == knowledge_id).with_for_update()
    )
