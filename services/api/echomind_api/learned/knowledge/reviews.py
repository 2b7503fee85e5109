"""Review of entities proposed for everybody: proposals, similar entities, and the superadmin's decision."""

from datetime import timedelta
from typing import Final

from sqlalchemy import and_, delete, false, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.learned.knowledge.documents import add_entity_sources
from echomind_api.learned.knowledge.entities import find, require_owner, state_error, to_models
from echomind_lib.access import Principal
from echomind_lib.access.knowledge import knowledge
from echomind_lib.db import models as rows
from echomind_lib.db.words import KnowledgeLevel as LevelWord
from echomind_lib.learned.knowledge.confidence import REVIEW_DAYS, REVIEWED
from echomind_lib.learned.knowledge.revisions import revision_of
from echomind_lib.learned.knowledge.search import DUPLICATE, EVERYBODY, KnowledgeSearch, text_of
from echomind_lib.mappers import knowledge as mapper
from echomind_lib.models.public import KnowledgeReview, SimilarKnowledge

_Entity, _Source = rows.KnowledgeEntity, rows.KnowledgeSource
_MAX_SIMILAR: Final = 5
_MAX_NAMED: Final = 5


async def propose(
    session: AsyncSession, principal: Principal, knowledge_id: int, level: LevelWord, note: str
) -> rows.KnowledgeEntity:
    """Proposes to share one of the caller's entities with everybody.

    Raises:
        NotFoundError: There is no such entity that the caller may read.
        PermissionDeniedError: The caller does not own it.
        KnowledgeStateError: It is already shared with everybody, or not everybody may read its documents.
    """
    row = await find(session, principal, knowledge_id)
    require_owner(principal, row)
    row = await find(session, principal, knowledge_id, manage=True) if row.level == "individual" else row
    if row.level != "individual":
        raise state_error(row, "shared", "This entity is everybody's already.")
    await require_unrestricted(session, row)
    row.review_status, row.proposed_level, row.proposed_at = "proposed", level, func.now()
    row.proposal_note, row.review_comment, row.reviewed_at = note.strip() or None, None, None
    row.user_id_last_update = principal.user_id
    return row


async def withdraw(session: AsyncSession, principal: Principal, knowledge_id: int) -> rows.KnowledgeEntity:
    """Withdraws a proposal.

    Raises:
        NotFoundError: There is no such entity that the caller may read.
        PermissionDeniedError: The caller does not own it.
        KnowledgeStateError: It is not proposed.
    """
    row = await find(session, principal, knowledge_id)
    require_owner(principal, row)
    row = await proposed(session, principal, knowledge_id)
    row.review_status, row.user_id_last_update = "none", principal.user_id
    return row


async def review(
    session: AsyncSession, principal: Principal, search: KnowledgeSearch, row: rows.KnowledgeEntity
) -> KnowledgeReview:
    """Returns a proposal with similar shared entities.

    Raises:
        DependencyUnavailableError: Vector index or embedding process do not respond.
    """
    likeness = await search.similar(text_of(row.title, row.content), EVERYBODY, _MAX_SIMILAR)
    rule = knowledge("read")
    alike = select(_Entity).where(_Entity.id.in_(likeness), _Entity.level != "individual", rule.where())
    found = sorted(await session.scalars(alike.params(rule.values(principal))), key=lambda each: -likeness[each.id])
    return KnowledgeReview(
        knowledge=(await to_models(session, principal, [row]))[0],
        similar=[
            SimilarKnowledge(
                knowledge=model,
                likeness=round(min(1.0, likeness[model.id]), 4),
                is_duplicate=likeness[model.id] >= DUPLICATE,
                differences=mapper.to_differences(model.content, row.content),
            )
            for model in await to_models(session, principal, found)
        ],
        blocked_reason=await restriction(session, row.id) or "",
    )


async def approve(
    session: AsyncSession, principal: Principal, knowledge_id: int, revision: int, replaced_id: int
) -> rows.KnowledgeEntity:
    """Approves a proposal: shares the entity, or replaces the content of a shared one.

    Returns:
        The shared entity.

    Raises:
        NotFoundError: There is no such entity, or the entity to replace does not exist.
        KnowledgeStateError: It is not proposed, has changed since it was read, or not everybody may read its documents.
    """
    row = await proposed(session, principal, knowledge_id)
    if row.revision != revision:
        raise state_error(row, "changed", "The proposal was changed after you read it: read it again.")
    await require_unrestricted(session, row)
    if replaced_id:
        return await _replace(session, principal, row, replaced_id)
    row.level = row.proposed_level or "organization"
    revise(session, row, principal)
    row.review_status = "approved"
    alpha, beta = max(row.prior_alpha, REVIEWED[0]), max(row.prior_beta, REVIEWED[1])
    row.alpha, row.beta = row.alpha + alpha - row.prior_alpha, row.beta + beta - row.prior_beta
    row.prior_alpha, row.prior_beta = alpha, beta
    verify(row, principal)
    return row


async def reject(session: AsyncSession, principal: Principal, knowledge_id: int, comment: str) -> rows.KnowledgeEntity:
    """Rejects a proposal; the entity remains its owner's.

    Raises:
        NotFoundError: There is no such entity.
        KnowledgeStateError: It is not proposed.
    """
    row = await proposed(session, principal, knowledge_id)
    row.review_status, row.review_comment, row.reviewed_at = "rejected", comment, func.now()
    row.user_id_last_update = principal.user_id
    return row


def revise(session: AsyncSession, row: rows.KnowledgeEntity, principal: Principal) -> None:
    """Records that an entity's content was changed."""
    row.revision += 1
    session.add(revision_of(row, principal.user_id))


def verify(row: rows.KnowledgeEntity, principal: Principal) -> None:
    """Verifies an entity for the days of a review."""
    row.reviewed_at, row.review_after = func.now(), func.now() + timedelta(days=REVIEW_DAYS)
    row.user_id_last_update = principal.user_id


async def require_unrestricted(session: AsyncSession, row: rows.KnowledgeEntity) -> None:
    """Raises `KnowledgeStateError` unless everybody may read all documents that an entity was drawn from."""
    if (reason := await restriction(session, row.id)) is not None:
        raise state_error(row, "restricted_sources", reason)


async def restriction(session: AsyncSession, knowledge_id: int) -> str | None:
    """Returns why an entity cannot be shared with everybody; None if everybody may read its documents.

    Everybody may read the documents of the organization's connectors, except those with the permission mode `source`.
    """
    is_everybodys = and_(
        rows.Document.deleted_date.is_(None),
        rows.Connector.deleted_date.is_(None),
        rows.Connector.scope == "org",
        rows.Connector.permission_mode == "scope",
    )
    restricted = (
        select(_Source.document_id)
        .outerjoin(rows.Document, rows.Document.id == _Source.document_id)
        .outerjoin(rows.Connector, rows.Connector.id == rows.Document.connector_id)
        .where(_Source.knowledge_id == knowledge_id)
        .where(~func.coalesce(and_(rows.Document.id.is_not(None), is_everybodys), false()))
        .order_by(_Source.document_id)
    )
    found = (await session.scalars(restricted)).all()
    if not found:
        return None
    if len(found) == 1:
        return f"Not everybody may read the document {found[0]}, which it was drawn from, or it is not there any more."
    named = ", ".join(map(str, found[:_MAX_NAMED]))
    documents = f"{named} and others" if len(found) > _MAX_NAMED else named
    return f"Not everybody may read the documents {documents}, which it was drawn from, or they are not there any more."


async def proposed(session: AsyncSession, principal: Principal, knowledge_id: int) -> rows.KnowledgeEntity:
    """Returns a proposal, locked until the transaction ends.

    Raises:
        NotFoundError: There is no such entity.
        KnowledgeStateError: It is not proposed.
    """
    row = await find(session, principal, knowledge_id, manage=True)
    if row.review_status != "proposed":
        raise state_error(row, "not_proposed", "This entity is not proposed.")
    return row


async def _replace(
    session: AsyncSession, principal: Principal, row: rows.KnowledgeEntity, replaced_id: int
) -> rows.KnowledgeEntity:
    """Replaces the content of a shared entity by that of a proposal, and deletes the proposal."""
    stored = await find(session, principal, replaced_id, manage=True)
    if stored.level == "individual":
        raise state_error(stored, "individual", "Only an entity of everybody can be replaced.")
    stored.title, stored.content, stored.category, stored.tags = row.title, row.content, row.category, row.tags
    revise(session, stored, principal)
    await add_entity_sources(session, stored.id, row.id)
    await session.execute(delete(_Entity).where(_Entity.id == row.id))
    verify(stored, principal)
    return stored
