"""The rows of documents in processing: a document is its own job.

A document is claimed by one worker at a time; every later write requires the `processing_session` of that claim.
"""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Integer,
    String,
    Text,
    Uuid,
    and_,
    any_,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.orm import aliased

from echomind_lib.access.documents import chunk_scope, source_readers_of
from echomind_lib.db.models import Connector, Document, EmbeddingModel, Worker
from echomind_lib.db.statements import Command, Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The readers of a document: its connector's scope, and its readers at the source."""

    scope: str
    scope_id: str | None
    user_id: int
    source_readers: list[int] | None
    """None if only the scope applies."""

    @property
    def chunk_scope(self) -> str | list[str]:
        """Returns the readers as stored in chunks."""
        return chunk_scope(self.scope, self.user_id, self.scope_id, self.source_readers)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedDocument:
    """A document that a worker has claimed."""

    id: int
    processing_session: UUID
    """The id of the attempt, which later writes require, and under which its chunks and text are stored."""
    source_id: str
    source_name: str | None
    """Its file name at the source; None for an upload."""
    title: str
    content_type: str | None
    signature: str
    attempts: int
    """Number of the attempt, starting at 1."""
    connector_id: int
    connector_type: str
    scope: str
    scope_id: str | None
    user_id: int
    source_readers: list[int] | None
    is_new: bool
    """Whether nothing has changed its row before this claim: no attempt or version can have left anything."""
    has_members: bool
    """Whether files within it are stored as documents."""
    is_published: bool
    """Whether an earlier version of it is searched."""

    @property
    def readers(self) -> Readers:
        """Returns the readers at the time of the claim."""
        return Readers(
            scope=self.scope, scope_id=self.scope_id, user_id=self.user_id, source_readers=self.source_readers
        )


_document_id = Document.id == bindparam("document_id", type_=BigInteger)
_session = bindparam("session", type_=Uuid)
_is_held = and_(_document_id, Document.processing_session == _session)
_is_live = and_(
    Connector.id == Document.connector_id, Document.deleted_date.is_(None), Connector.deleted_date.is_(None)
)
_has_worker = exists().where(Worker.id == Document.worker_id)
_member = aliased(Document, name="member")
_has_members = exists().where(
    _member.parent_id == Document.id, _member.container_id.is_not(None), _member.deleted_date.is_(None)
)
_is_stranded = and_(Document.status == "processing", ~_has_worker)

CLAIM: Final = Query(
    update(Document)
    .where(_document_id, _is_live, or_(Document.status == "pending", _is_stranded))
    .values(
        status="processing",
        processing_session=func.uuidv7(),
        worker_id=bindparam("worker", type_=Uuid),
        status_message="Reading the file",
        attempts=Document.attempts + 1,
    )
    .returning(
        Document.id,
        Document.processing_session,
        Document.source_id,
        Document.source_name,
        Document.title,
        Document.content_type,
        Document.signature,
        Document.attempts,
        Document.connector_id,
        Connector.type.label("connector_type"),
        Connector.scope,
        Connector.scope_id,
        Connector.user_id,
        source_readers_of().label("source_readers"),
        literal_column("old.last_update IS NULL").label("is_new"),
        _has_members.correlate(Document).label("has_members"),
        Document.chunking_session.is_not(None).label("is_published"),
    ),
    ClaimedDocument,
)
"""Claims a pending document, or one whose worker is dead."""
REPORT: Final = Command(
    update(Document).where(_is_held, _is_live).values(status_message=bindparam("message", type_=Text))
)
"""Stores the progress; changes no row if the attempt is superseded or the document was removed."""
CURRENT: Final = Query(
    select(Document.processing_session)
    .join(Connector, _is_live)
    .where(
        Document.id == any_(bindparam("ids", type_=ARRAY(BigInteger))),
        Document.processing_session == any_(bindparam("sessions", type_=ARRAY(Uuid))),
    ),
    UUID,
)
"""Selects the attempts that are not superseded, among those at the documents `ids`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published(Readers):
    """A published document, with its readers at that moment."""

    is_completed: bool
    """Whether nothing of it was left to do, so that it was completed, too."""


_around = aliased(Connector, name="around")
# Nobody but the readers at the time of the claim may read it, as its chunks say. A change that the statement does not
# see yet is made by a transaction whose job then finds the chunks, as they are all stored.
_has_claimed_readers = and_(
    bindparam("completes", type_=Boolean),
    _around.scope == bindparam("scope", type_=String),
    _around.scope_id.is_not_distinct_from(bindparam("scope_id", type_=String)),
    _around.user_id == bindparam("owner", type_=Integer),
    _around.permission_mode != "source",
)
_published = (
    update(Document)
    .where(_is_held, Document.deleted_date.is_(None), _around.id == Document.connector_id)
    .values(
        status=case((_has_claimed_readers, "completed"), else_=Document.status),
        processing_session=case((_has_claimed_readers, null()), else_=Document.processing_session),
        worker_id=case((_has_claimed_readers, null()), else_=Document.worker_id),
        chunking_session=_session,
        index_id=select(EmbeddingModel.id)
        .where(EmbeddingModel.collection == bindparam("collection", type_=Text))
        .scalar_subquery(),
        status_message=bindparam("notes", type_=Text),
        chunk_count=bindparam("chunk_count", type_=Integer),
        language=bindparam("language", type_=String),
        title=bindparam("title", type_=Text),
        content_type=bindparam("content_type", type_=String),
    )
    .returning(Document.id, Document.connector_id, (Document.status == "completed").label("is_completed"))
    .cte("published")
)
PUBLISH: Final = Query(
    update(Connector)
    .where(Connector.id == _published.c.connector_id)
    .values(docs_analyzed=Connector.docs_analyzed + 1)
    .returning(
        Connector.scope,
        Connector.scope_id,
        Connector.user_id,
        source_readers_of(Connector, _published.c).label("source_readers"),
        _published.c.is_completed,
    ),
    Published,
)
"""Publishes a new version; returns no row if the attempt is superseded.

With `completes`, which says that nothing remains to be done for it, it is completed in the same write, unless its
readers have changed since the claim: each write of a document's status renews its entries in all indexes.
"""
COMPLETE: Final = Command(
    update(Document).where(_is_held).values(status="completed", processing_session=None, worker_id=None)
)
"""Completes a document after the old version's data was deleted; after a crash before that, it is processed again."""
GIVE_UP: Final = Command(
    update(Document)
    .where(_is_held)
    .values(
        status=bindparam("status", type_=String),
        status_message=bindparam("message", type_=Text),
        processing_session=None,
        worker_id=None,
        attempts=Document.attempts - bindparam("uncounted", type_=Integer),
    )
)
IS_PUBLISHED: Final = Query(
    select(exists().where(_document_id, Document.chunking_session == _session).label("is_published")), bool
)

_limit = bindparam("limit", type_=Integer)
ANY_UNFINISHED: Final = Query(
    select(exists().where(Document.status.in_(["pending", "processing"])).label("are_any")), bool
)
"""Selects whether there are documents that wait or are in processing."""
WAITING: Final = Query(
    select(Document.id)
    .where(
        Document.deleted_date.is_(None),
        Document.status == "pending",
        func.coalesce(Document.last_update, Document.creation_date)
        < func.now() - func.make_interval(0, 0, 0, 0, 0, 0, 5),
    )
    .order_by(Document.id)
    .limit(_limit),
    int,
)
"""Selects documents whose wake-up may be lost."""
STRANDED: Final = Query(
    select(Document.id).where(Document.deleted_date.is_(None), _is_stranded).order_by(Document.id).limit(_limit), int
)
"""Selects documents of dead workers, as their messages are redelivered only after a while."""
DROP: Final = Command(
    update(Document)
    .where(
        Document.status == "processing",
        Document.worker_id == bindparam("worker", type_=Uuid),
        ~(Document.id == any_(bindparam("active", type_=ARRAY(BigInteger)))),
        Document.last_update < func.now() - func.make_interval(0, 0, 0, 0, 0, 0, 5),
    )
    .values(status="pending", processing_session=None, worker_id=None)
)
"""Queues documents that are assigned to a worker but not active in it, as after a failure of the database."""
WAIT_FOR_ROOM: Final = Command(
    update(Document)
    .where(
        _document_id,
        Document.status == "pending",
        Document.status_message.is_distinct_from(bindparam("message", type_=Text)),
    )
    .values(status_message=bindparam("message", type_=Text))
)
