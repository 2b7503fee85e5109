"""Reads entities with the access check in the statement, and converts them with the data of other tables."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import BigInteger, Select, case, func, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.learned.knowledge.documents import readable_titles
from echomind_api.rows import audit_foreign, missing, reload
from echomind_lib.access import Principal
from echomind_lib.access.knowledge import knowledge
from echomind_lib.access.rules import knowledge_levels, knowledge_levels_shared
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import KnowledgeStateError, PermissionDeniedError
from echomind_lib.learned.knowledge.confidence import confidence_of
from echomind_lib.mappers import knowledge as mapper
from echomind_lib.models.public import KnowledgeEntity, KnowledgeFeedback, KnowledgeSource

_Entity, _Source, _Opinion = rows.KnowledgeEntity, rows.KnowledgeSource, rows.KnowledgeFeedback
_LARGEST_ID: Final = 2**63 - 1


def readable(principal: Principal) -> Select[rows.KnowledgeEntity]:
    """Returns the statement of the entities that a user may open."""
    rule = knowledge("read")
    return select(_Entity).where(rule.where()).params(rule.values(principal))


async def find(
    session: AsyncSession, principal: Principal, knowledge_id: int, *, manage: bool = False
) -> rows.KnowledgeEntity:
    """Returns an entity that a user may open, or with `manage` change; then it is locked until the transaction ends.

    Raises:
        NotFoundError: There is no such entity that the user may read.
        PermissionDeniedError: The user may read it but not change it.
    """
    query = readable(principal).where(type_coerce(_Entity.id, BigInteger) == knowledge_id)
    row = await session.scalar(query.with_for_update() if manage else query)
    if row is None:
        raise missing("knowledge entity", knowledge_id)
    if manage and not knowledge_levels("manage").allows(principal, row):
        raise PermissionDeniedError(
            "You may read this entity and say what you think of it; a superadmin changes it.", required="superadmin"
        )
    return row


def require_owner(principal: Principal, row: rows.KnowledgeEntity) -> None:
    """Raises `PermissionDeniedError` unless a user owns an entity."""
    if row.user_id != principal.user_id:
        raise PermissionDeniedError("Only the owner of an entity proposes it.", required="owner")


def state_error(row: rows.KnowledgeEntity, problem: str, message: str) -> KnowledgeStateError:
    """Returns the error for an entity whose state does not allow something."""
    return KnowledgeStateError(message, knowledge_id=row.id, problem=problem)


async def audit_others(database: Database, call: CallContext, row: rows.KnowledgeEntity, *, write: bool) -> None:
    """Audits that a superadmin has used another user's individual entity."""
    if not knowledge_levels_shared().allows(call.principal, row):
        await audit_foreign(database, call, f"knowledge/{row.id}", write=write, user_id=row.user_id)


async def to_models(
    session: AsyncSession, principal: Principal, found: Sequence[rows.KnowledgeEntity]
) -> list[KnowledgeEntity]:
    """Returns entities as a user sees them."""
    ids = [row.id for row in found]
    if not ids:
        return []
    drawn: defaultdict[int, list[int]] = defaultdict(list)
    sources = select(_Source).where(_Source.knowledge_id.in_(ids)).order_by(_Source.document_id)
    for source in await session.scalars(sources):
        drawn[source.knowledge_id].append(source.document_id)
    titles = await readable_titles(session, principal, sorted({each for some in drawn.values() for each in some}))
    names = await _names(session, {row.user_id for row in found if row.user_id is not None})
    opinions = await _own_opinions(session, principal, ids)
    counts = await _counts(session, ids)
    manage = knowledge_levels("manage")
    now = datetime.now(UTC)
    confidences = {row.id: confidence_of(row, now) for row in found}
    return [
        mapper.to_model(
            row,
            is_own=row.user_id == principal.user_id,
            derived={
                "user_name": names.get(row.user_id or 0, ""),
                "sources": [KnowledgeSource(document_id=each, title=titles.get(each, "")) for each in drawn[row.id]],
                "my_feedback": opinions.get(row.id),
                "helpful_count": counts.get(row.id, (0, 0))[0],
                "not_helpful_count": counts.get(row.id, (0, 0))[1],
                "can_manage": manage.allows(principal, row),
                "confidence": round(confidences[row.id].mean, 4),
                "confidence_bound": round(confidences[row.id].bound, 4),
            },
        )
        for row in found
    ]


async def to_model(session: AsyncSession, principal: Principal, row: rows.KnowledgeEntity) -> KnowledgeEntity:
    """Returns the stored entity as a user sees it."""
    await reload(session, row)
    return (await to_models(session, principal, [row]))[0]


async def _names(session: AsyncSession, user_ids: set[int]) -> dict[int, str]:
    named = select(rows.User.id, rows.User.user_name).where(rows.User.id.in_(user_ids))
    return {row.id: row.user_name for row in await session.execute(named)}


async def _own_opinions(
    session: AsyncSession, principal: Principal, ids: Sequence[int]
) -> dict[int, KnowledgeFeedback]:
    own = select(_Opinion).where(_Opinion.user_id == principal.user_id, _Opinion.knowledge_id.in_(ids))
    return {row.knowledge_id: mapper.to_feedback(row, "") for row in await session.scalars(own)}


async def _counts(session: AsyncSession, ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Returns how many people found entities helpful, and how many not, by id."""
    counted = (
        select(
            _Opinion.knowledge_id,
            func.sum(case((_Opinion.helpful.is_(True), 1), else_=0)),
            func.sum(case((_Opinion.helpful.is_(False), 1), else_=0)),
        )
        .where(_Opinion.knowledge_id.in_(ids))
        .group_by(_Opinion.knowledge_id)
    )
    return {knowledge_id: (good, bad) for knowledge_id, good, bad in await session.execute(counted)}
