"""Plans of runs, and states of sessions to go back to."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Identity, Index, String, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, CreationDate, at_least, one_of


class Todo(Audit, Base):
    """Something to be done, of a run's plan or, without a run, of a person's. `dependencies` holds ids of todos."""

    __tablename__ = "todos"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    chat_session_id: Mapped[int] = mapped_column(ForeignKey("chat_sessions.id", ondelete="CASCADE"))
    run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    title: Mapped[str]
    description: Mapped[str | None]
    order_index: Mapped[int]
    status: Mapped[words.TodoStatus] = mapped_column(String(50), server_default=text("'pending'"))
    dependencies: Mapped[list[Any]] = mapped_column(server_default=text("'[]'"))
    priority: Mapped[int] = mapped_column(server_default=text("0"))
    estimated_steps: Mapped[int | None]
    actual_steps: Mapped[int] = mapped_column(server_default=text("0"))
    estimated_tokens: Mapped[int | None]
    actual_tokens: Mapped[int] = mapped_column(server_default=text("0"))
    result: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    error: Mapped[str | None]
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
    duration_seconds: Mapped[int | None]

    __table_args__ = (
        one_of("status", words.TodoStatus),
        at_least("order_index", 1),
        at_least("estimated_steps", 0),
        at_least("actual_steps", 0),
        at_least("estimated_tokens", 0),
        at_least("actual_tokens", 0),
        Index("idx_todos_order", "chat_session_id", "order_index", "id"),
        Index("idx_todos_run_id", "run_id", "order_index", postgresql_where=text("run_id IS NOT NULL")),
    )


class Checkpoint(CreationDate, Base):
    """A state of a session to go back to. `session_state` holds its head, its plan and its context."""

    __tablename__ = "checkpoints"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    chat_session_id: Mapped[int] = mapped_column(ForeignKey("chat_sessions.id", ondelete="CASCADE"))
    run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"))
    name: Mapped[str] = mapped_column(String(255))
    description: Mapped[str | None]
    checkpoint_type: Mapped[words.CheckpointType] = mapped_column(String(50))
    session_state: Mapped[dict[str, Any]]
    step_number: Mapped[int | None]

    __table_args__ = (
        one_of("checkpoint_type", words.CheckpointType),
        Index("idx_checkpoints_session_id", "chat_session_id", "id"),
    )
