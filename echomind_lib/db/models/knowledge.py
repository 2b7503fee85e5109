"""What is known beyond documents: entities, what they were drawn from, where they were used, and what people say."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, CreationDate, at_least, one_of

_ENTITY = "knowledge_entities.id"


class KnowledgeEntity(Audit, Base):
    """A fact, a way of working or a lesson; `embedding_id` is its point in Qdrant.

    Its confidence are the counts of a Beta distribution: `prior_*` by its origin, `alpha` and `beta` with all evidence,
    which was last added at `evidence_at`.
    """

    __tablename__ = "knowledge_entities"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    level: Mapped[words.KnowledgeLevel] = mapped_column(String(50), server_default=text("'individual'"))
    source_type: Mapped[words.KnowledgeSourceType] = mapped_column(String(50), server_default=text("'manual'"))
    embedding_id: Mapped[str] = mapped_column(server_default=text("(gen_random_uuid())::text"))
    title: Mapped[str] = mapped_column(String(255))
    content: Mapped[str]
    category: Mapped[str | None] = mapped_column(String(100))
    tags: Mapped[list[Any]] = mapped_column(server_default=text("'[]'"))
    prior_alpha: Mapped[float]
    prior_beta: Mapped[float]
    alpha: Mapped[float]
    beta: Mapped[float]
    evidence_at: Mapped[datetime | None]
    usage_count: Mapped[int] = mapped_column(server_default=text("0"))
    last_used_at: Mapped[datetime | None]
    source_session_id: Mapped[int | None] = mapped_column(ForeignKey("chat_sessions.id", ondelete="SET NULL"))
    session_time: Mapped[datetime | None]
    source_run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"))
    review_status: Mapped[words.KnowledgeReviewStatus] = mapped_column(String(50), server_default=text("'none'"))
    proposed_level: Mapped[words.KnowledgeLevel | None] = mapped_column(String(50))
    proposed_at: Mapped[datetime | None]
    proposal_note: Mapped[str | None]
    review_comment: Mapped[str | None]
    reviewed_at: Mapped[datetime | None]
    review_after: Mapped[datetime | None]
    revision: Mapped[int] = mapped_column(server_default=text("1"))
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata", server_default=text("'{}'"))

    __table_args__ = (
        one_of("level", words.KnowledgeLevel),
        one_of("source_type", words.KnowledgeSourceType),
        one_of("review_status", words.KnowledgeReviewStatus),
        CheckConstraint("proposed_level IN ('public', 'organization')", name="proposed_level"),
        CheckConstraint("level <> 'individual' OR user_id IS NOT NULL", name="owner"),
        CheckConstraint("review_status <> 'proposed' OR proposed_level IS NOT NULL", name="proposal"),
        CheckConstraint("0 < prior_alpha AND prior_alpha <= alpha", name="alpha"),
        CheckConstraint("0 < prior_beta AND prior_beta <= beta", name="beta"),
        at_least("usage_count", 0),
        at_least("revision", 1),
        UniqueConstraint("embedding_id"),
        Index("idx_knowledge_level", "level", "id"),
        Index("idx_knowledge_user", "user_id", "id", postgresql_where=text("user_id IS NOT NULL")),
        Index("idx_knowledge_session", "source_session_id", postgresql_where=text("source_session_id IS NOT NULL")),
        Index("idx_knowledge_run", "source_run_id", postgresql_where=text("source_run_id IS NOT NULL")),
        Index("idx_knowledge_proposed", "usage_count", "id", postgresql_where=text("review_status = 'proposed'")),
    )


class KnowledgeSource(Base):
    """A document that an entity was drawn from; the columns are as those of `chat_session_sources`."""

    __tablename__ = "knowledge_sources"

    knowledge_id: Mapped[int] = mapped_column(ForeignKey(_ENTITY, ondelete="CASCADE"), primary_key=True)
    document_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    connector_id: Mapped[int | None]

    __table_args__ = (Index("idx_knowledge_sources_document_id", "document_id"),)


class KnowledgeRevision(CreationDate, Base):
    """What an entity said from one change to the next; `chat_session_id` names where the change was learned."""

    __tablename__ = "knowledge_revisions"

    knowledge_id: Mapped[int] = mapped_column(ForeignKey(_ENTITY, ondelete="CASCADE"), primary_key=True)
    revision: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    level: Mapped[words.KnowledgeLevel] = mapped_column(String(50))
    title: Mapped[str] = mapped_column(String(255))
    content: Mapped[str]
    category: Mapped[str | None] = mapped_column(String(100))
    tags: Mapped[list[Any]] = mapped_column(server_default=text("'[]'"))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    chat_session_id: Mapped[int | None] = mapped_column(ForeignKey("chat_sessions.id", ondelete="SET NULL"))

    __table_args__ = (
        one_of("level", words.KnowledgeLevel),
        at_least("revision", 1),
        Index("idx_knowledge_revisions_user_id", "user_id", postgresql_where=text("user_id IS NOT NULL")),
        Index(
            "idx_knowledge_revisions_chat_session_id",
            "chat_session_id",
            postgresql_where=text("chat_session_id IS NOT NULL"),
        ),
    )


class KnowledgeFeedback(Audit, Base):
    """What a person says of an entity: one current opinion each."""

    __tablename__ = "knowledge_feedback"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    knowledge_id: Mapped[int] = mapped_column(ForeignKey(_ENTITY, ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    helpful: Mapped[bool | None]
    accuracy_rating: Mapped[int | None]
    comment: Mapped[str | None]
    chat_session_id: Mapped[int | None] = mapped_column(ForeignKey("chat_sessions.id", ondelete="SET NULL"))
    used_in_step: Mapped[int | None]

    __table_args__ = (
        CheckConstraint("accuracy_rating BETWEEN 1 AND 5", name="accuracy_rating"),
        at_least("used_in_step", 1),
        UniqueConstraint("knowledge_id", "user_id"),
        Index("idx_feedback_user", "user_id"),
        Index(
            "idx_knowledge_feedback_chat_session_id",
            "chat_session_id",
            postgresql_where=text("chat_session_id IS NOT NULL"),
        ),
    )


class KnowledgeUse(CreationDate, Base):
    """An entity that a run has found, and whether its answer cites it."""

    __tablename__ = "knowledge_uses"

    knowledge_id: Mapped[int] = mapped_column(ForeignKey(_ENTITY, ondelete="CASCADE"), primary_key=True)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    chat_session_id: Mapped[int] = mapped_column(ForeignKey("chat_sessions.id", ondelete="CASCADE"))
    step_number: Mapped[int | None]
    cited: Mapped[bool] = mapped_column(server_default=text("false"))

    __table_args__ = (
        Index("idx_knowledge_uses_run_id", "run_id"),
        Index("idx_knowledge_uses_chat_session_id", "chat_session_id"),
    )
