"""Whether the owner of a webhook may read what an event is about, at the time when it is sent."""

from typing import Any, Final

import asyncpg
from sqlalchemy import BigInteger, Integer, bindparam, or_, select

from echomind_agent.webhooks.store import Due
from echomind_lib.access import Principal, chat_sessions, connectors
from echomind_lib.access.documents import documents, documents_cited
from echomind_lib.db.models import ChatSession, Connector, Document
from echomind_lib.db.statements import Query
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.runs.asker import read_principal

_SESSION: Final = Query(
    select(
        select(ChatSession.id)
        .where(
            ChatSession.id == bindparam("chat_session_id", type_=Integer),
            ChatSession.deleted_date.is_(None),
            chat_sessions("read").where(ChatSession),
        )
        .exists()
    ),
    bool,
)
_connector = Connector.id == bindparam("connector_id", type_=Integer)
_CONNECTOR: Final = Query(
    select(
        select(Connector.id)
        .where(_connector, Connector.deleted_date.is_(None), connectors("read").where(Connector))
        .exists()
    ),
    bool,
)
# What a removed document belonged to may be removed itself.
_REMOVED: Final = Query(
    select(
        or_(
            ~select(Connector.id).where(_connector).exists(),
            select(Connector.id).where(_connector, connectors("read").where(Connector)).exists(),
        )
    ),
    bool,
)


def _document(rule: Any) -> Query[bool]:
    return Query(
        select(
            select(Document.id)
            .join(Connector, Connector.id == Document.connector_id)
            .where(
                Document.id == bindparam("document_id", type_=BigInteger),
                Document.deleted_date.is_(None),
                Connector.deleted_date.is_(None),
                rule.where(),
            )
            .exists()
        ),
        bool,
    )


INACTIVE: Final = "The account of the webhook's owner is not active."
NO_SUPERADMIN: Final = "The webhook's owner is not a superadmin any more."
_DOCUMENT_RULES: Final = {False: documents_cited(), True: documents()}
"""By whether the webhook is the installation's."""
_DOCUMENTS: Final = {is_installation: _document(rule) for is_installation, rule in _DOCUMENT_RULES.items()}


async def why_withheld(pool: asyncpg.Pool, due: Due) -> str | None:
    """Returns why an event must not be sent to a webhook; None if its owner may read what it is about."""
    try:
        owner = await read_principal(pool, due.user_id)
    except PermissionDeniedError:
        return INACTIVE
    if due.is_installation and not owner.has_role("superadmin"):
        return NO_SUPERADMIN
    if due.event_type == "test":
        return None
    return None if await _may_read(pool, owner, due) else "The webhook's owner may not read what the event is about."


async def _may_read(pool: asyncpg.Pool, owner: Principal, due: Due) -> bool:
    """Returns whether an event is the owner's to know; audit entries are for superadmins."""
    data = due.data
    if due.event_type == "audit_entry":
        return due.is_installation and owner.has_role("superadmin")
    if due.event_type.startswith("run_"):
        values = chat_sessions("read").values(owner)
        return bool(await _SESSION.fetch_one(pool, chat_session_id=data["chat_session_id"], **values))
    if due.event_type in ("document_ready", "document_failed"):
        rule, query = _DOCUMENT_RULES[due.is_installation], _DOCUMENTS[due.is_installation]
        return bool(await query.fetch_one(pool, document_id=data["document_id"], **rule.values(owner)))
    query = _REMOVED if due.event_type == "document_removed" else _CONNECTOR
    values = connectors("read").values(owner)
    return bool(await query.fetch_one(pool, connector_id=data["connector_id"], **values))
