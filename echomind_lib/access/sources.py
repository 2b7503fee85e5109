"""Access to everything that is based on a set of documents.

The words of an answer can carry what its sources say, so to hide the passages from somebody is not enough: whoever
else reads a conversation must be able to read every document that it has drawn on. The same holds of whatever is made
from conversations, such as memories and knowledge, whose tables of sources have the columns of
`chat_session_sources`.
"""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Integer, and_, bindparam, exists, false, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from echomind_lib.access.documents import DocumentRule, documents_cited
from echomind_lib.access.principal import Principal
from echomind_lib.db.models.chat import ChatSession, ChatSessionSource
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.models.identity import User
from echomind_lib.db.statements import Connection, Query


@dataclass(frozen=True, slots=True)
class SourcesRule:
    """A rule of things that were drawn from documents: the reader may read all of these now.

    **Removed documents.** Nobody can read a document any more that was removed, yet what was said from it stays
    readable. Removal must not give anybody a right that they never had, and pages and files come and go with every
    sync, so it should not take conversations away from all who could read them before either. So a removed document
    counts as its connector, while that is there and its scope alone says who reads its documents: whoever may read the
    connector now could read this document like its others. Where the source decided on its readers, or the connector is
    removed too, nobody may read it but the owner of the conversation, whom this rule is not asked for.

    Attributes:
        of_documents: Condition on each document.
        with_removed: Whether removed documents count as their connector. Without, one of them is enough to refuse: for
            what is shown outside, where a removal is meant to be one.
    """

    of_documents: DocumentRule
    with_removed: bool = True

    def where(self, drawn: InstrumentedAttribute[Any], by: Any, person: Any = None) -> ColumnElement[bool]:
        """Returns the rule as a condition of a statement.

        Args:
            drawn: The column of the table of sources that names what was drawn from them, such as
                `ChatSessionSource.chat_session_id`; the table has the columns `document_id` and `connector_id`.
            by: The column or parameter that `drawn` is compared with.
            person: `User` or an alias of it, whose row is the reader's. Without it, the reader is the principal whose
                `values` are the statement's parameters.
        """
        source = aliased(drawn.class_, name="drawn_on")
        document, connector = aliased(Document, name="drawn_document"), aliased(Connector, name="drawn_connector")
        is_there = and_(document.id.is_not(None), document.deleted_date.is_(None))
        by_scope = connector.permission_mode == "scope"
        is_readable = and_(
            connector.id.is_not(None),
            connector.deleted_date.is_(None),
            self.of_documents.of_connectors.where(connector, person),
            or_(
                by_scope if self.with_removed else and_(is_there, by_scope),
                and_(is_there, self.of_documents.of_reader(document, person)),
            ),
        )
        unreadable = (
            select(source.document_id)
            .outerjoin(document, document.id == source.document_id)
            .outerjoin(connector, connector.id == func.coalesce(document.connector_id, source.connector_id))
            .where(getattr(source, drawn.key) == by, ~func.coalesce(is_readable, false()))
        )
        return ~exists(unreadable.correlate_except(source, document, connector))

    def values(self, principal: Principal) -> dict[str, Any]:
        """Returns the values of the parameters of `where`, by name."""
        return self.of_documents.values(principal)


_READABLE: Final = SourcesRule(documents_cited())
_PUBLISHABLE: Final = SourcesRule(documents_cited(), with_removed=False)


def sources_readable() -> SourcesRule:
    """Returns the rule of what somebody reads that others' conversations have said: all of its sources are theirs."""
    return _READABLE


def sources_publishable() -> SourcesRule:
    """Returns the rule of what a person shows outside: they may read all of its sources, and none was removed."""
    return _PUBLISHABLE


_MAY_READ: Final = Query(
    select(_READABLE.where(ChatSessionSource.chat_session_id, ChatSession.id)).where(
        ChatSession.id == bindparam("session_id", type_=Integer)
    ),
    bool,
)


async def may_read_sources(connection: Connection, reader: Principal, session_id: int) -> bool:
    """Returns whether a reader may read all that a session has drawn on (`sources_readable`); False without it."""
    found = await _MAY_READ.fetch_one(connection, session_id=session_id, **_READABLE.values(reader))
    return bool(found)


_ASKER_MAY_READ: Final = Query(
    select(_READABLE.where(ChatSessionSource.chat_session_id, ChatSession.id, User))
    .join_from(ChatSession, User, User.id == bindparam("user_id", type_=Integer))
    .where(ChatSession.id == bindparam("session_id", type_=Integer)),
    bool,
)


async def asker_may_read_sources(connection: Connection, user_id: int, session_id: int) -> bool:
    """As `may_read_sources`, where there is no principal: for a run of whoever asked."""
    return bool(await _ASKER_MAY_READ.fetch_one(connection, session_id=session_id, user_id=user_id))
