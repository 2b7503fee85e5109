"""The documents that entities were drawn from: set, found with the caller's permissions, added from conversations."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import BigInteger, ColumnElement, delete, literal, select, type_coerce
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.rows import missing
from echomind_lib.access import Principal
from echomind_lib.access.documents import documents_cited
from echomind_lib.db import models as rows

_Source, _Drawn = rows.KnowledgeSource, rows.ChatSessionSource
_LARGEST_ID: Final = 2**63 - 1


async def set_sources(session: AsyncSession, knowledge_id: int, document_ids: Sequence[int]) -> None:
    """Sets the source documents of an entity."""
    await session.execute(delete(_Source).where(_Source.knowledge_id == knowledge_id))
    if document_ids:
        values = [{"knowledge_id": knowledge_id, "document_id": each} for each in document_ids]
        await session.execute(insert(_Source).values(values).on_conflict_do_nothing())


async def require_documents(session: AsyncSession, principal: Principal, document_ids: Sequence[int]) -> None:
    """Raises `NotFoundError` unless a user may read all of these documents."""
    known = await readable_titles(session, principal, document_ids)
    for document_id in document_ids:
        if document_id > _LARGEST_ID or document_id not in known:
            raise missing("document", document_id)


async def add_session_sources(session: AsyncSession, knowledge_id: int, session_id: int) -> None:
    """Adds the documents that a conversation has used to the sources of an entity."""
    await _add_drawn(session, knowledge_id, _Drawn, _Drawn.chat_session_id == session_id)


async def add_entity_sources(session: AsyncSession, knowledge_id: int, origin_id: int) -> None:
    """Adds the sources of another entity to those of an entity."""
    await _add_drawn(session, knowledge_id, _Source, _Source.knowledge_id == origin_id)


async def readable_titles(session: AsyncSession, principal: Principal, document_ids: Sequence[int]) -> dict[int, str]:
    """Returns the titles of the documents that a user may read, by id."""
    if not document_ids:
        return {}
    rule = documents_cited()
    query = (
        select(rows.Document.id, rows.Document.title)
        .join(rows.Connector, rows.Connector.id == rows.Document.connector_id)
        .where(type_coerce(rows.Document.id, BigInteger).in_([each for each in document_ids if each <= _LARGEST_ID]))
        .where(rows.Document.deleted_date.is_(None), rows.Connector.deleted_date.is_(None), rule.where())
        .params(rule.values(principal))
    )
    return {row.id: row.title for row in await session.execute(query)}


async def _add_drawn(
    session: AsyncSession,
    knowledge_id: int,
    origin: type[rows.KnowledgeSource | rows.ChatSessionSource],
    condition: ColumnElement[bool],
) -> None:
    """Adds the documents of some rows to the sources of an entity."""
    known = select(_Source.document_id).where(_Source.knowledge_id == knowledge_id)
    found = select(literal(knowledge_id, BigInteger), origin.document_id, origin.connector_id).where(
        condition, origin.document_id.not_in(known)
    )
    await session.execute(insert(_Source).from_select(["knowledge_id", "document_id", "connector_id"], found))
