"""What the agent remembers of a user across sessions."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, Numeric, String, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, at_least, one_of


class AgentMemory(Audit, Base):
    """A fact, an event or a way of working that is worth remembering; `embedding_id` is its point in Qdrant.

    It counts while `valid_to` is NULL: a change closes the row and adds another one, which `superseded_by` names.
    `user_id_last_update` is its user once they have edited it; NULL when EchoMind made the last change. To use a memory
    is no change of it.
    """

    __tablename__ = "agent_memories"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    memory_type: Mapped[words.MemoryType] = mapped_column(String(50))
    content: Mapped[str]
    embedding_id: Mapped[str] = mapped_column(server_default=text("(gen_random_uuid())::text"))
    importance_score: Mapped[float] = mapped_column(Numeric(3, 2, asdecimal=False), server_default=text("0.5"))
    access_count: Mapped[int] = mapped_column(server_default=text("0"))
    last_accessed_at: Mapped[datetime | None]
    source_session_id: Mapped[int | None] = mapped_column(ForeignKey("chat_sessions.id", ondelete="SET NULL"))
    expires_at: Mapped[datetime | None]
    confidence: Mapped[float] = mapped_column(Numeric(3, 2, asdecimal=False), server_default=text("0.5"))
    trust: Mapped[words.MemoryTrust] = mapped_column(String(20), server_default=text("'user_said'"))
    source_message_ids: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default=text("'{}'"))
    valid_to: Mapped[datetime | None]
    superseded_by: Mapped[int | None] = mapped_column(ForeignKey("agent_memories.id", ondelete="SET NULL"))

    __table_args__ = (
        one_of("memory_type", words.MemoryType),
        one_of("trust", words.MemoryTrust),
        CheckConstraint("importance_score BETWEEN 0 AND 1", name="importance_score"),
        CheckConstraint("confidence BETWEEN 0 AND 1", name="confidence"),
        CheckConstraint("superseded_by IS NULL OR valid_to IS NOT NULL", name="superseded_by"),
        at_least("access_count", 0),
        Index("idx_agent_memories_user_id", "user_id", "id"),
        Index("idx_agent_memories_type", "user_id", "memory_type", "id"),
        Index(
            "idx_agent_memories_source_session_id",
            "source_session_id",
            postgresql_where=text("source_session_id IS NOT NULL"),
        ),
        Index("idx_agent_memories_open", "user_id", postgresql_where=text("valid_to IS NULL")),
        Index(
            "idx_agent_memories_superseded_by",
            "superseded_by",
            postgresql_where=text("superseded_by IS NOT NULL"),
        ),
    )


class MemorySource(Base):
    """A document that a memory was drawn from: whoever may not read all of them does not see the memory.

    `document_id` and `connector_id` are as in `chat_session_sources`.
    """

    __tablename__ = "memory_sources"

    memory_id: Mapped[int] = mapped_column(ForeignKey("agent_memories.id", ondelete="CASCADE"), primary_key=True)
    document_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    connector_id: Mapped[int | None]

    __table_args__ = (Index("idx_memory_sources_document_id", "document_id"),)
