"""What the agent remembers of a user across sessions."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, Numeric, String, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, at_least, one_of


class AgentMemory(Audit, Base):
    """A fact, an event or a way of working that is worth remembering; `embedding_id` is its point in Qdrant."""

    __tablename__ = "agent_memories"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    memory_type: Mapped[words.MemoryType] = mapped_column(String(50))
    content: Mapped[str]
    embedding_id: Mapped[str | None]
    importance_score: Mapped[float] = mapped_column(Numeric(3, 2, asdecimal=False), server_default=text("0.5"))
    access_count: Mapped[int] = mapped_column(server_default=text("0"))
    last_accessed_at: Mapped[datetime | None]
    source_session_id: Mapped[int | None] = mapped_column(ForeignKey("chat_sessions.id", ondelete="SET NULL"))
    expires_at: Mapped[datetime | None]

    __table_args__ = (
        one_of("memory_type", words.MemoryType),
        CheckConstraint("importance_score BETWEEN 0 AND 1", name="importance_score"),
        at_least("access_count", 0),
        Index("idx_agent_memories_user_id", "user_id", "id"),
        Index("idx_agent_memories_type", "user_id", "memory_type", "id"),
        Index(
            "idx_agent_memories_source_session_id",
            "source_session_id",
            postgresql_where=text("source_session_id IS NOT NULL"),
        ),
    )
