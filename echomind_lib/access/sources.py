"""Access to content derived from a set of documents.

An answer may contain what its sources say, so hiding the passages is not enough: other readers of a conversation must
be allowed to read every document that it draws on. The same applies to everything derived from conversations, such as
memories and knowledge, whose tables of sources have the columns of `chat_session_sources`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Integer, Select, and_, bindparam, exists, false, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from echomind_lib.access.documents import DocumentRule, documents_cited
from echomind_lib.access.principal import Principal
from echomind_lib.db.models.chat import ChatSession, ChatSessionSource
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.models.identity import User
from echomind_lib.db.statements import Connection, Query


@dataclass(frozen=True, slots=True, eq=False)  # hashed by identity: what is built of a rule is kept for it
class SourcesRule:
    """A rule for derived content: the reader may currently read all of its source documents.

    **Removed documents.** Nobody can read a removed document any more, but content derived from it remains. A removal
    must not grant anyone new access; and as pages and files come and go with every sync, it should not revoke access to
    conversations either. So a removed document is treated like its connector, if that exists and only its scope decides
    who reads its documents: anyone who may read the connector could now read this document as well. If the source
    decided on its readers, or the connector was removed, too, only the owner of the conversation may read it, to whom
    this rule does not apply.

    Attributes:
        of_documents: Condition on each document.
        with_removed: Whether removed documents are treated like their connector. Otherwise a single one denies access:
            for content that is shared publicly, where a removal is meant to take effect.
    """

    of_documents: DocumentRule
    with_removed: bool = True

    def where(self, drawn: InstrumentedAttribute[Any], by: Any, person: Any = None) -> ColumnElement[bool]:
        """Returns the rule as an SQL condition.

        Args:
            drawn: The column of the table of sources that references the derived content, such as
                `ChatSessionSource.chat_session_id`; the table has the columns `document_id` and `connector_id`.
            by: The column or parameter to compare `drawn` with.
            person: `User` or an alias of it, whose row is the reader's. Without it, the reader is the principal whose
                `values` are the statement's parameters.
        """
        drawn_on: Any = drawn.class_
        parts = _parts(self, drawn_on, person)
        is_drawn = getattr(parts.source, drawn.key) == by
        unreadable = parts.sources.where(is_drawn, parts.is_unreadable)
        return ~exists(unreadable.correlate_except(parts.source, parts.document, parts.connector))

    def unreadable(self, drawn: InstrumentedAttribute[Any], ids: Collection[int]) -> Select[Any]:
        """Returns the statement of the documents that keep the principal from derived content, each once.

        Its columns are `document_id`, which is NULL for documents whose rows were deleted, and `title`.

        Args:
            drawn: As for `where`.
            ids: The derived content, as values of `drawn`.
        """
        drawn_on: Any = drawn.class_
        parts = _parts(self, drawn_on, None)
        named = parts.sources.with_only_columns(
            parts.source.document_id, parts.document.title, maintain_column_froms=True
        )
        return named.where(getattr(parts.source, drawn.key).in_(ids), parts.is_unreadable).distinct()

    def values(self, principal: Principal) -> dict[str, Any]:
        """Returns the values of the parameters of `where` and `unreadable`, by name."""
        return self.of_documents.values(principal)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the conditions of a rule have in common, whatever the content is."""

    source: Any
    document: Any
    connector: Any
    sources: Select[int]
    """The documents of sources, joined with them and their connectors."""
    is_unreadable: ColumnElement[bool]


@lru_cache(maxsize=32)  # building these takes longer than executing most statements that they are part of
def _parts(rule: SourcesRule, drawn_on: type[Any], person: Any) -> _Parts:
    source = aliased(drawn_on, name="drawn_on")
    document, connector = aliased(Document, name="drawn_document"), aliased(Connector, name="drawn_connector")
    is_there = and_(document.id.is_not(None), document.deleted_date.is_(None))
    by_scope = connector.permission_mode == "scope"
    is_readable = and_(
        connector.id.is_not(None),
        connector.deleted_date.is_(None),
        rule.of_documents.of_connectors.where(connector, person),
        or_(
            by_scope if rule.with_removed else and_(is_there, by_scope),
            and_(is_there, rule.of_documents.of_reader(document, person)),
        ),
    )
    sources = (
        select(source.document_id)
        .outerjoin(document, document.id == source.document_id)
        .outerjoin(connector, connector.id == func.coalesce(document.connector_id, source.connector_id))
    )
    return _Parts(source, document, connector, sources, ~func.coalesce(is_readable, false()))


_READABLE: Final = SourcesRule(documents_cited())
_PUBLISHABLE: Final = SourcesRule(documents_cited(), with_removed=False)


def sources_readable() -> SourcesRule:
    """Returns the rule for reading content of other people's conversations: the reader may read all of its sources."""
    return _READABLE


def sources_publishable() -> SourcesRule:
    """Returns the rule for sharing content publicly: its owner may read all of its sources, and none was removed."""
    return _PUBLISHABLE


_MAY_READ: Final = Query(
    select(_READABLE.where(ChatSessionSource.chat_session_id, ChatSession.id)).where(
        ChatSession.id == bindparam("session_id", type_=Integer)
    ),
    bool,
)


async def may_read_sources(connection: Connection, reader: Principal, session_id: int) -> bool:
    """Returns whether a reader may read all sources of a session (`sources_readable`); False if there is no session."""
    found = await _MAY_READ.fetch_one(connection, session_id=session_id, **_READABLE.values(reader))
    return bool(found)


_ASKER_MAY_READ: Final = Query(
    select(_READABLE.where(ChatSessionSource.chat_session_id, ChatSession.id, User))
    .join_from(ChatSession, User, User.id == bindparam("user_id", type_=Integer))
    .where(ChatSession.id == bindparam("session_id", type_=Integer)),
    bool,
)


async def asker_may_read_sources(connection: Connection, user_id: int, session_id: int) -> bool:
    """Returns the same as `may_read_sources`, for the user of a run, where there is no principal."""
    return bool(await _ASKER_MAY_READ.fetch_one(connection, session_id=session_id, user_id=user_id))
