"""Conversations: sessions, their tree of messages, feedback and citations."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    Numeric,
    SmallInteger,
    String,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, CreationDate, SoftDelete, at_least, one_of


class ChatSession(Audit, SoftDelete, Base):
    """A conversation. `message_count` and `last_message_at` are kept by a trigger.

    `head_message_id`, `most_recent_run_id` and `last_compressed_message_id` point at rows of this very session and go
    with it, so they are no foreign keys: each would cost every message a check and a purge an index.

    `title` is what a person called it, or its first question, as `title_origin` tells; `generated_title` is what the
    model calls it, NULL when a person gave the title, and shown to those who may read all that the session drew on.
    `title_attempts` is how often the model was asked for one, whatever it wrote.

    `summary_prompt_tokens`, `summary_completion_tokens` and `summary_cost` (US dollars) are what its summaries and its
    title took, which are made in no run: a session's usage is the sum of its runs' and these. `events_pruned_to` is the
    last of its events that was deleted, 0 while all are there; a trigger of `run_events` keeps it.

    An `unlisted` session is for one question of a program: it is in no list of conversations, and nothing is learned
    from it.

    `imported_at` is when it was imported from another program; its messages keep their times.

    `limited_by` is the API key with limits that began it: `limited_assistants` and `limited_connectors` are all that
    its runs may use, NULL for all, whoever continues it.
    """

    __tablename__ = "chat_sessions"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    assistant_id: Mapped[int] = mapped_column(ForeignKey("assistants.id"))
    notebook_id: Mapped[int | None] = mapped_column(ForeignKey("notebooks.id", ondelete="CASCADE"))
    title: Mapped[str] = mapped_column(server_default=text("'New Chat'"))
    title_origin: Mapped[words.ChatTitleOrigin] = mapped_column(String(20), server_default=text("'default'"))
    generated_title: Mapped[str | None]
    title_attempts: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    pinned: Mapped[bool] = mapped_column(server_default=text("false"))
    archived: Mapped[bool] = mapped_column(server_default=text("false"))
    mode: Mapped[words.ChatMode] = mapped_column(String(20), server_default=text("'chat'"))
    status: Mapped[words.ChatSessionStatus] = mapped_column(String(20), server_default=text("'active'"))
    error: Mapped[dict[str, Any] | None]
    message_count: Mapped[int] = mapped_column(server_default=text("0"))
    last_message_at: Mapped[datetime | None]
    goal: Mapped[str | None]
    initial_goal: Mapped[str | None]
    parent_session_id: Mapped[int | None] = mapped_column(ForeignKey("chat_sessions.id", ondelete="SET NULL"))
    forked_from_message_id: Mapped[int | None] = mapped_column(
        ForeignKey("chat_messages.id", ondelete="SET NULL", use_alter=True)
    )
    head_message_id: Mapped[int | None] = mapped_column(BigInteger)
    most_recent_run_id: Mapped[UUID | None]
    context: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    preferences: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    important_steps: Mapped[list[Any]] = mapped_column(server_default=text("'[]'"))
    compressed_summary: Mapped[str | None]
    last_compressed_message_id: Mapped[int | None] = mapped_column(BigInteger)
    is_compressing: Mapped[bool] = mapped_column(server_default=text("false"))
    compressing_started_at: Mapped[datetime | None]
    summary_prompt_tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    summary_completion_tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    summary_cost: Mapped[Decimal] = mapped_column(Numeric(14, 8), server_default=text("0"))
    events_pruned_to: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    last_knowledge_extraction_at: Mapped[datetime | None]
    external_id: Mapped[str | None]
    imported_at: Mapped[datetime | None]
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata", server_default=text("'{}'"))
    without_memory: Mapped[bool] = mapped_column(server_default=text("false"))
    unlisted: Mapped[bool] = mapped_column(server_default=text("false"))
    limited_by: Mapped[int | None] = mapped_column(ForeignKey("api_keys.id", ondelete="CASCADE"))
    limited_assistants: Mapped[list[int] | None] = mapped_column(ARRAY(Integer))
    limited_connectors: Mapped[list[int] | None] = mapped_column(ARRAY(Integer))

    __table_args__ = (
        CheckConstraint(
            "(limited_by IS NULL) = (limited_assistants IS NULL AND limited_connectors IS NULL)", name="limits"
        ),
        Index("idx_chat_sessions_limited_by", "limited_by", postgresql_where=text("limited_by IS NOT NULL")),
        one_of("title_origin", words.ChatTitleOrigin),
        CheckConstraint("generated_title IS NULL OR title_origin <> 'person'", name="generated_title"),
        one_of("mode", words.ChatMode),
        one_of("status", words.ChatSessionStatus),
        at_least("title_attempts", 0),
        at_least("message_count", 0),
        at_least("summary_prompt_tokens", 0),
        at_least("summary_completion_tokens", 0),
        at_least("summary_cost", 0),
        at_least("events_pruned_to", 0),
        Index(
            "idx_chat_sessions_user_id",
            "user_id",
            "archived",
            text("pinned DESC"),
            text("COALESCE(last_message_at, creation_date) DESC"),
            text("id DESC"),
            postgresql_where=text("deleted_date IS NULL AND NOT unlisted"),
        ),
        Index(
            "idx_chat_sessions_removed",
            "user_id",
            text("pinned DESC"),
            text("COALESCE(last_message_at, creation_date) DESC"),
            text("id DESC"),
            postgresql_where=text("deleted_date IS NOT NULL"),
        ),
        Index("idx_chat_sessions_last_message_at", "last_message_at", postgresql_where=text("deleted_date IS NULL")),
        Index(
            "idx_chat_sessions_notebook_id",
            "notebook_id",
            text("COALESCE(last_message_at, creation_date) DESC"),
            text("id DESC"),
            postgresql_where=text("notebook_id IS NOT NULL"),
        ),
        Index(
            "idx_chat_sessions_parent_session_id",
            "parent_session_id",
            postgresql_where=text("parent_session_id IS NOT NULL"),
        ),
        Index(
            "idx_chat_sessions_forked_from_message_id",
            "forked_from_message_id",
            postgresql_where=text("forked_from_message_id IS NOT NULL"),
        ),
        Index(
            "idx_chat_sessions_external_id",
            "user_id",
            "external_id",
            unique=True,
            postgresql_where=text("external_id IS NOT NULL"),
        ),
    )


class SessionLearning(Base):
    """How far one kind of learning has read a session: `echomind_lib.learned.sessions`.

    `last_message_id` is the last message that was read, and `read_to` the session's `last_message_at` at that time.
    """

    __tablename__ = "session_learnings"

    chat_session_id: Mapped[int] = mapped_column(ForeignKey("chat_sessions.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[words.LearningKind] = mapped_column(String(20), primary_key=True)
    last_message_id: Mapped[int] = mapped_column(BigInteger)
    read_to: Mapped[datetime]

    __table_args__ = (one_of("kind", words.LearningKind),)


class ChatSessionSource(CreationDate, Base):
    """A document that a session has drawn on: passages of it were in a prompt of one of its runs, or of an origin's.

    `document_id` is no foreign key, as what was drawn on stays so when it is removed. `connector_id` is then where it
    was, if the scope of that connector alone said who could read it; a trigger of `documents` keeps it. See
    `echomind_lib/access/sources.py`.
    """

    __tablename__ = "chat_session_sources"

    chat_session_id: Mapped[int] = mapped_column(ForeignKey("chat_sessions.id", ondelete="CASCADE"), primary_key=True)
    document_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    connector_id: Mapped[int | None]

    __table_args__ = (Index("idx_chat_session_sources_document_id", "document_id"),)


class ChatSessionText(Base):
    """What a session says, in one text to be searched: its title and all its messages, in folded case.

    It is brought up to date when its owner searches, so that questions and answers do not pay for it. `indexed_at` is
    when that was.
    """

    __tablename__ = "chat_session_texts"

    chat_session_id: Mapped[int] = mapped_column(ForeignKey("chat_sessions.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    text: Mapped[str]
    indexed_at: Mapped[datetime]

    __table_args__ = (
        Index(
            "idx_chat_session_texts_text",
            "user_id",
            "text",
            postgresql_using="gin",
            postgresql_ops={"text": "gin_trgm_ops"},
        ),
    )


class ChatMessage(Audit, Base):
    """A message. `parent_message_id` makes a session's messages a tree; nothing in it is overwritten.

    A message that was copied from another session is of no run; `origin_run_id` is that of the one that it began as.
    `document_ids` are the documents that a question was asked with; one of them may be removed. `memory_ids` are the
    memories that were in the prompt of an answer.

    `author_kind` is who wrote it: a `person`, in this session or another one of theirs; the `assistant`; somebody
    else, whose message was copied from another person's session (`foreign`); or `unknown`, for a message of somebody
    else that was edited, and for those of times when it was not kept. `author_id` is the account, NULL for the
    assistant. It is no foreign key, as that would cost each message a check and an index: the id of a deleted account
    is never given again.
    """

    __tablename__ = "chat_messages"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    chat_session_id: Mapped[int] = mapped_column(ForeignKey("chat_sessions.id", ondelete="CASCADE"))
    role: Mapped[words.MessageRole] = mapped_column(String(20))
    author_kind: Mapped[words.AuthorKind] = mapped_column(String(20), server_default=text("'unknown'"))
    author_id: Mapped[int | None]
    status: Mapped[words.MessageStatus] = mapped_column(String(20), server_default=text("'completed'"))
    content: Mapped[str] = mapped_column(server_default=text("''"))
    token_count: Mapped[int | None]
    parent_message_id: Mapped[int | None] = mapped_column(ForeignKey("chat_messages.id", ondelete="SET NULL"))
    run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"))
    origin_run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"))
    discarded: Mapped[bool] = mapped_column(server_default=text("false"))
    rephrased_query: Mapped[str | None]
    retrieval_context: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    tool_calls: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    error: Mapped[str | None]
    document_ids: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default=text("'{}'"))
    memory_ids: Mapped[list[int]] = mapped_column(ARRAY(Integer), server_default=text("'{}'"))
    basis: Mapped[words.AnswerBasis | None] = mapped_column(String(20))
    other_tools: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))

    __table_args__ = (
        one_of("basis", words.AnswerBasis),
        one_of("role", words.MessageRole),
        one_of("author_kind", words.AuthorKind),
        CheckConstraint("author_kind <> 'person' OR author_id IS NOT NULL", name="author_id"),
        one_of("status", words.MessageStatus),
        at_least("token_count", 0),
        Index("idx_chat_messages_session_id", "chat_session_id", "id"),
        Index(
            "idx_chat_messages_parent_message_id",
            "parent_message_id",
            postgresql_where=text("parent_message_id IS NOT NULL"),
        ),
        Index("idx_chat_messages_run_id", "run_id", postgresql_where=text("run_id IS NOT NULL")),
        Index("idx_chat_messages_origin_run_id", "origin_run_id", postgresql_where=text("origin_run_id IS NOT NULL")),
    )


class ChatMessageFeedback(Audit, Base):
    """A user's thumb up or down on a message, one per user and message."""

    __tablename__ = "chat_message_feedbacks"

    id: Mapped[int] = mapped_column(primary_key=True)
    chat_message_id: Mapped[int] = mapped_column(ForeignKey("chat_messages.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    is_positive: Mapped[bool]
    feedback_text: Mapped[str | None]

    __table_args__ = (UniqueConstraint("chat_message_id", "user_id"),)


class ChatMessageDocument(Audit, Base):
    """A citation: the sentence of the message that it stands for and the span of the document that it cites.

    Offsets are code points, ends exclusive: `sentence_*` into the message's content, `span_*` into the text that was
    extracted in `chunking_session`. `verified` tells that a model has decided `supported`. `title`, `page` and
    `snippet` are copies, so that a citation can be read after its document was indexed again or deleted. A citation of
    a web page has its address in `url` instead of a document.
    """

    __tablename__ = "chat_message_documents"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    chat_message_id: Mapped[int] = mapped_column(ForeignKey("chat_messages.id", ondelete="CASCADE"))
    document_id: Mapped[int | None] = mapped_column(ForeignKey("documents.id", ondelete="SET NULL"))
    chunk_id: Mapped[str]
    relevance_score: Mapped[float | None] = mapped_column(Numeric(5, 4, asdecimal=False))
    number: Mapped[int]
    sentence_start: Mapped[int | None]
    sentence_end: Mapped[int | None]
    chunking_session: Mapped[UUID | None]
    span_start: Mapped[int | None]
    span_end: Mapped[int | None]
    title: Mapped[str] = mapped_column(server_default=text("''"))
    snippet: Mapped[str] = mapped_column(server_default=text("''"))
    page: Mapped[int | None]
    supported: Mapped[bool | None]
    verified: Mapped[bool] = mapped_column(server_default=text("false"))
    url: Mapped[str] = mapped_column(server_default=text("''"))

    __table_args__ = (
        CheckConstraint("relevance_score BETWEEN 0 AND 1", name="relevance_score"),
        at_least("number", 1),
        CheckConstraint("0 <= sentence_start AND sentence_start <= sentence_end", name="sentence"),
        CheckConstraint("0 <= span_start AND span_start <= span_end", name="span"),
        CheckConstraint("url = '' OR document_id IS NULL", name="url"),
        Index("idx_chat_message_documents_message_id", "chat_message_id", "number"),
        Index(
            "idx_chat_message_documents_document_id",
            "document_id",
            postgresql_where=text("document_id IS NOT NULL"),
        ),
    )
