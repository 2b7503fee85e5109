"""Where documents come from and what is known of them: connectors, their syncs, documents."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, SoftDelete, at_least, one_of

_LIVE = text("deleted_date IS NULL")


class Connector(Audit, SoftDelete, Base):
    """A source of documents and who may read them; `encrypted_credentials` is a Fernet token over JSON."""

    __tablename__ = "connectors"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    type: Mapped[words.ConnectorType] = mapped_column(String(50))
    config: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    state: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    encrypted_credentials: Mapped[str | None]
    refresh_freq_minutes: Mapped[int | None]
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    scope: Mapped[words.Scope] = mapped_column(String(20), server_default=text("'user'"))
    scope_id: Mapped[str | None]
    status: Mapped[words.ConnectorStatus] = mapped_column(String(50), server_default=text("'pending'"))
    status_message: Mapped[str | None]
    last_sync_at: Mapped[datetime | None]
    next_sync_at: Mapped[datetime | None]
    docs_analyzed: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))

    __table_args__ = (
        one_of("type", words.ConnectorType),
        one_of("scope", words.Scope),
        one_of("status", words.ConnectorStatus),
        CheckConstraint("(scope = 'group') = (scope_id IS NOT NULL)", name="scope_id"),
        at_least("refresh_freq_minutes", 1),
        Index("idx_connectors_user_id", "user_id", "id"),
        Index("idx_connectors_status", "status"),
        Index("idx_connectors_name", "user_id", "name", unique=True, postgresql_where=_LIVE),
        Index(
            "idx_connectors_due",
            "next_sync_at",
            postgresql_where=text("next_sync_at IS NOT NULL AND status <> 'disabled' AND deleted_date IS NULL"),
        ),
    )


class ConnectorSync(Audit, Base):
    """One sync of a connector: what it found, and the connector's cursor before and after it."""

    __tablename__ = "connector_syncs"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    connector_id: Mapped[int] = mapped_column(ForeignKey("connectors.id", ondelete="CASCADE"))
    status: Mapped[words.SyncStatus] = mapped_column(String(50), server_default=text("'pending'"))
    attempt: Mapped[int] = mapped_column(server_default=text("0"))
    worker_id: Mapped[UUID | None]
    documents_seen: Mapped[int] = mapped_column(server_default=text("0"))
    documents_added: Mapped[int] = mapped_column(server_default=text("0"))
    documents_updated: Mapped[int] = mapped_column(server_default=text("0"))
    documents_unchanged: Mapped[int] = mapped_column(server_default=text("0"))
    documents_removed: Mapped[int] = mapped_column(server_default=text("0"))
    documents_failed: Mapped[int] = mapped_column(server_default=text("0"))
    cursor_before: Mapped[dict[str, Any] | None]
    cursor_after: Mapped[dict[str, Any] | None]
    error: Mapped[str | None]
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]

    __table_args__ = (
        one_of("status", words.SyncStatus),
        Index("idx_connector_syncs_connector_id", "connector_id", "id"),
        Index(
            "idx_connector_syncs_active",
            "connector_id",
            unique=True,
            postgresql_where=text("status IN ('pending', 'running')"),
        ),
        Index("idx_connector_syncs_unfinished", "id", postgresql_where=text("status IN ('pending', 'running')")),
    )


class Document(Audit, SoftDelete, Base):
    """A document's metadata; its bytes and text are in the object store, its chunks in Qdrant.

    `chunking_session` names the chunks that count, `processing_session` the attempt that may publish new ones,
    `worker_id` whose attempt it is.
    `deleted_date` is set the moment a document is removed, which hides it at once; the row is deleted when its removal
    is carried out. A file that comes back before that becomes a new row.
    """

    __tablename__ = "documents"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("documents.id", ondelete="SET NULL"))
    connector_id: Mapped[int] = mapped_column(ForeignKey("connectors.id"))
    source_id: Mapped[str]
    url: Mapped[str | None]
    original_url: Mapped[str | None]
    title: Mapped[str] = mapped_column(server_default=text("''"))
    content_type: Mapped[str | None] = mapped_column(String(100))
    size_bytes: Mapped[int | None] = mapped_column(BigInteger)
    language: Mapped[str | None] = mapped_column(String(20))
    signature: Mapped[str | None]
    processing_session: Mapped[UUID | None]
    worker_id: Mapped[UUID | None]
    chunking_session: Mapped[UUID | None]
    status: Mapped[words.DocumentStatus] = mapped_column(String(50), server_default=text("'pending'"))
    status_message: Mapped[str | None]
    chunk_count: Mapped[int] = mapped_column(server_default=text("0"))
    attempts: Mapped[int] = mapped_column(server_default=text("0"))

    __table_args__ = (
        one_of("status", words.DocumentStatus),
        at_least("size_bytes", 0),
        at_least("chunk_count", 0),
        at_least("attempts", 0),
        # A longer one would not fit into its index; connectors hash such names.
        CheckConstraint("octet_length(source_id) BETWEEN 1 AND 2000", name="source_id"),
        Index("idx_documents_connector_id", "connector_id", "id"),
        Index("idx_documents_source_id", "connector_id", "source_id", unique=True),
        Index("idx_documents_status", "connector_id", "status", "id"),
        Index("idx_documents_parent_id", "parent_id", postgresql_where=text("parent_id IS NOT NULL")),
        Index("idx_documents_unfinished", "id", postgresql_where=text("status IN ('pending', 'processing')")),
        Index("idx_documents_title", text("lower(title)"), "id", postgresql_where=_LIVE),
        Index("idx_documents_size", text("COALESCE(size_bytes, 0)"), "id", postgresql_where=_LIVE),
        Index("idx_documents_removed", "id", postgresql_where=text("deleted_date IS NOT NULL")),
    )
