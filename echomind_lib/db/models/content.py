"""Where documents come from and what is known of them: connectors, their syncs, folders, documents."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, SmallInteger, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, CreationDate, SoftDelete, at_least, one_of

_LIVE = text("deleted_date IS NULL")


class Connector(Audit, SoftDelete, Base):
    """A source of documents and who may read them; `encrypted_credentials` is a Fernet token over JSON.

    `state` is a sync's: the cursor, and the listing that is under way (`echomind_ingestor.sync`). `next_sync_at` is
    when the scheduler begins the next one; NULL means that nobody but a person does. `sync_failures` counts syncs that
    failed since one was completed. `connected_account` is whose sign-in the credentials came from, `signed_in_by` who
    signed in; it is NULL beside an account of which nobody knows. `is_owner_erased` says that `user_id` only stands in
    for a deleted account until the ingestor has deleted the connector, so that no legal hold applies.
    `readers_forgotten_to` is set from a change of `permission_mode` until the readers from before it are forgotten: the
    last document of which they are, 0 for none. Until then nothing is synced, and the mode cannot become `source`.
    """

    __tablename__ = "connectors"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    type: Mapped[str] = mapped_column(String(50))
    config: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    state: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    encrypted_credentials: Mapped[str | None]
    connected_account: Mapped[str | None] = mapped_column(String(255))
    signed_in_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    refresh_freq_minutes: Mapped[int | None]
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    scope: Mapped[words.Scope] = mapped_column(String(20), server_default=text("'user'"))
    scope_id: Mapped[str | None]
    is_owner_erased: Mapped[bool] = mapped_column(server_default=text("false"))
    status: Mapped[words.ConnectorStatus] = mapped_column(String(50), server_default=text("'pending'"))
    status_message: Mapped[str | None]
    permission_mode: Mapped[words.PermissionMode] = mapped_column(String(20), server_default=text("'scope'"))
    readers_forgotten_to: Mapped[int | None] = mapped_column(BigInteger)
    paused_at: Mapped[datetime | None]
    sync_failures: Mapped[int] = mapped_column(server_default=text("0"))
    last_sync_at: Mapped[datetime | None]
    next_sync_at: Mapped[datetime | None]
    docs_analyzed: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))

    __table_args__ = (
        # The installed types are the gateway's to know: `echomind_lib.connectors`.
        CheckConstraint("type ~ '^[a-z][a-z0-9_]*$'", name="type"),
        one_of("scope", words.Scope),
        one_of("status", words.ConnectorStatus),
        one_of("permission_mode", words.PermissionMode),
        at_least("sync_failures", 0),
        CheckConstraint("(scope = 'group') = (scope_id IS NOT NULL)", name="scope_id"),
        at_least("refresh_freq_minutes", 1),
        Index("idx_connectors_user_id", "user_id", "id"),
        Index("idx_connectors_status", "status"),
        Index("idx_connectors_name", "user_id", "name", unique=True, postgresql_where=_LIVE),
        Index(
            "idx_connectors_due",
            "next_sync_at",
            postgresql_where=text(
                "next_sync_at IS NOT NULL AND paused_at IS NULL AND status <> 'disabled' AND deleted_date IS NULL"
            ),
        ),
    )


class ConnectorSync(Audit, Base):
    """One sync of a connector: what it found and did, and the connector's cursor before and after it.

    A sync that would remove much waits for confirmation: `to_remove` says how many documents, `may_remove` that it was
    confirmed. `error_kind` and `error` say why it failed, `warning` what deserves a look though it did not.
    `user_id_last_update` is who asked for it; NULL when the scheduler began it.
    """

    __tablename__ = "connector_syncs"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    connector_id: Mapped[int] = mapped_column(ForeignKey("connectors.id", ondelete="CASCADE"))
    kind: Mapped[words.SyncKind] = mapped_column(String(20), server_default=text("'incremental'"))
    status: Mapped[words.SyncStatus] = mapped_column(String(50), server_default=text("'pending'"))
    attempt: Mapped[int] = mapped_column(server_default=text("0"))
    pages: Mapped[int] = mapped_column(server_default=text("0"))
    documents_seen: Mapped[int] = mapped_column(server_default=text("0"))
    documents_added: Mapped[int] = mapped_column(server_default=text("0"))
    documents_updated: Mapped[int] = mapped_column(server_default=text("0"))
    documents_unchanged: Mapped[int] = mapped_column(server_default=text("0"))
    documents_removed: Mapped[int] = mapped_column(server_default=text("0"))
    documents_failed: Mapped[int] = mapped_column(server_default=text("0"))
    failures: Mapped[int] = mapped_column(server_default=text("0"))
    to_remove: Mapped[int] = mapped_column(server_default=text("0"))
    may_remove: Mapped[bool] = mapped_column(server_default=text("false"))
    cursor_before: Mapped[dict[str, Any] | None]
    cursor_after: Mapped[dict[str, Any] | None]
    error_kind: Mapped[words.SyncErrorKind | None] = mapped_column(String(20))
    error: Mapped[str | None]
    warning: Mapped[str | None]
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]

    __table_args__ = (
        one_of("status", words.SyncStatus),
        one_of("kind", words.SyncKind),
        one_of("error_kind", words.SyncErrorKind),
        at_least("to_remove", 0),
        Index("idx_connector_syncs_connector_id", "connector_id", "id"),
        Index(
            "idx_connector_syncs_active",
            "connector_id",
            unique=True,
            postgresql_where=text("status IN ('pending', 'running', 'waiting_for_confirmation')"),
        ),
    )


class ConnectorSyncFailure(CreationDate, Base):
    """Something that a sync could not read: an item, or with an empty `source_id` a part of the source.

    What is retryable is tried again by the connector's next sync, and has a `resolved_at` once it was read or removed.
    """

    __tablename__ = "connector_sync_failures"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    sync_id: Mapped[int] = mapped_column(ForeignKey("connector_syncs.id", ondelete="CASCADE"))
    connector_id: Mapped[int] = mapped_column(ForeignKey("connectors.id", ondelete="CASCADE"))
    source_id: Mapped[str]
    name: Mapped[str]
    message: Mapped[str]
    is_retryable: Mapped[bool]
    resolved_at: Mapped[datetime | None]

    __table_args__ = (
        Index("idx_connector_sync_failures_item", "sync_id", "source_id", text("md5(name)"), unique=True),
        Index(
            "idx_connector_sync_failures_unresolved",
            "connector_id",
            "source_id",
            postgresql_where=text("resolved_at IS NULL AND is_retryable"),
        ),
    )


class ConnectorSyncSeen(Base):
    """What a full listing has seen: at its end, documents and folders without such a row are removed.

    `sync_id` is the sync in which the listing began. The rows are deleted when the listing ends.
    """

    __tablename__ = "connector_sync_seen"

    sync_id: Mapped[int] = mapped_column(ForeignKey("connector_syncs.id", ondelete="CASCADE"), primary_key=True)
    source_id: Mapped[str] = mapped_column(primary_key=True)


class SourceFolder(Audit, Base):
    """A folder of a source, which documents name by `documents.folder_source_id`.

    Parents are named by the source's id, empty at the top, as a source may report a child first. `path` is for people:
    the names from the top, joined by ` / `. `source_readers` are the readers that the source reported, not those that
    are inherited; NULL grants nobody.
    """

    __tablename__ = "source_folders"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    connector_id: Mapped[int] = mapped_column(ForeignKey("connectors.id", ondelete="CASCADE"))
    source_id: Mapped[str]
    parent_source_id: Mapped[str] = mapped_column(server_default=text("''"))
    name: Mapped[str]
    path: Mapped[str] = mapped_column(server_default=text("''"))
    url: Mapped[str | None]
    source_readers: Mapped[dict[str, Any] | None]

    __table_args__ = (
        UniqueConstraint("connector_id", "source_id"),
        CheckConstraint("octet_length(source_id) BETWEEN 1 AND 2000", name="source_id"),
        Index("idx_source_folders_parent", "connector_id", "parent_source_id"),
    )


class ConnectorSignIn(CreationDate, Base):
    """A sign-in at a provider that was begun in a web session; the row is deleted when it is completed.

    `state_hash` is the SHA-256 of what the provider sends back, `encrypted_verifier` a Fernet token over PKCE's.
    `settings_hash` is the SHA-256 of what the connector reads and who may read it, as the person saw it at the start.
    """

    __tablename__ = "connector_sign_ins"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    connector_id: Mapped[int] = mapped_column(ForeignKey("connectors.id", ondelete="CASCADE"))
    web_session_id: Mapped[int] = mapped_column(ForeignKey("web_sessions.id", ondelete="CASCADE"))
    state_hash: Mapped[bytes] = mapped_column(unique=True)
    encrypted_verifier: Mapped[str]
    settings_hash: Mapped[bytes | None]
    redirect_uri: Mapped[str]
    expires_at: Mapped[datetime]

    __table_args__ = (
        CheckConstraint("octet_length(state_hash) = 32", name="state_hash"),
        CheckConstraint("octet_length(settings_hash) = 32", name="settings_hash"),
        Index("idx_connector_sign_ins_connector_id", "connector_id"),
        Index("idx_connector_sign_ins_web_session_id", "web_session_id"),
        Index("idx_connector_sign_ins_expires_at", "expires_at"),
    )


class Document(Audit, SoftDelete, Base):
    """A document's metadata; its bytes and text are in the object store, its chunks in Qdrant.

    `chunking_session` names the chunks that count, `processing_session` the attempt that may publish new ones,
    `worker_id` whose attempt it is, `index_id` the index to which its chunks were written when it was processed; see
    `IndexDocument` for others.
    `deleted_date` is set the moment a document is removed, which hides it at once; the row is deleted when its removal
    is carried out. A file that comes back before that becomes a new row.

    Of documents that a sync has found: `source_name` is their file name at the source, `source_version` the version
    whose content is stored (NULL when it is to be read again), `folder_source_id` and `parent_source_id` the source's
    ids of the folder and of the document that they belong to, `source_readers` the readers that the source reported.
    While its chunks do not carry who may read it now, `readers_changed_at` is when that changed.

    A file that is part of another file (an attachment, a member of an archive) has that as `parent_id`, and the stored
    file around all of them as `container_id`, whose connector, folder, readers and removal the trigger
    `update_members` gives to it.
    """

    __tablename__ = "documents"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("documents.id", ondelete="SET NULL"))
    container_id: Mapped[int | None] = mapped_column(ForeignKey("documents.id", ondelete="SET NULL"))
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
    index_id: Mapped[int | None] = mapped_column(SmallInteger, ForeignKey("embedding_models.id"))
    status: Mapped[words.DocumentStatus] = mapped_column(String(50), server_default=text("'pending'"))
    status_message: Mapped[str | None]
    chunk_count: Mapped[int] = mapped_column(server_default=text("0"))
    attempts: Mapped[int] = mapped_column(server_default=text("0"))
    source_name: Mapped[str | None]
    source_version: Mapped[str | None]
    folder_source_id: Mapped[str | None]
    parent_source_id: Mapped[str | None]
    source_readers: Mapped[dict[str, Any] | None]
    readers_changed_at: Mapped[datetime | None]

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
        Index("idx_documents_container_id", "container_id", postgresql_where=text("container_id IS NOT NULL")),
        Index(
            "idx_documents_folder",
            "connector_id",
            "folder_source_id",
            postgresql_where=text("folder_source_id IS NOT NULL"),
        ),
        Index(
            "idx_documents_readers_changed",
            "connector_id",
            "id",
            postgresql_where=text("readers_changed_at IS NOT NULL"),
        ),
        Index("idx_documents_unfinished", "id", postgresql_where=text("status IN ('pending', 'processing')")),
        Index("idx_documents_title", text("lower(title)"), "id", postgresql_where=_LIVE),
        Index(
            "idx_documents_name",
            text("lower(title || ' ' || source_id) gin_trgm_ops"),
            postgresql_using="gin",
            postgresql_where=_LIVE,
        ),
        Index("idx_documents_size", text("COALESCE(size_bytes, 0)"), "id", postgresql_where=_LIVE),
        # All that counts by connector, status and kind read.
        Index("idx_documents_counts", "connector_id", "status", "content_type", postgresql_where=_LIVE),
        Index("idx_documents_removed", "id", postgresql_where=text("deleted_date IS NOT NULL")),
    )


class IndexDocument(CreationDate, Base):
    """A version of a document whose chunks were copied to an index, or could not be: `error` says why."""

    __tablename__ = "index_documents"

    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    index_id: Mapped[int] = mapped_column(
        SmallInteger, ForeignKey("embedding_models.id", ondelete="CASCADE"), primary_key=True
    )
    chunking_session: Mapped[UUID]
    chunk_count: Mapped[int] = mapped_column(server_default=text("0"))
    error: Mapped[str | None]

    __table_args__ = (
        at_least("chunk_count", 0),
        Index("idx_index_documents_index_id", "index_id", "creation_date"),
    )
