"""Legal holds, and the reports of erased people."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db.models.base import Base, CreationDate


class LegalHold(CreationDate, Base):
    """Keeps what belongs to a person, or one chat session, until `released_at`.

    The function `is_held` reads it; triggers `refuse_held` refuse the deletion of what is held. `user_id` and
    `chat_session_id` are no foreign keys, as a released hold stays listed when what it kept was deleted.
    """

    __tablename__ = "legal_holds"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int | None]
    chat_session_id: Mapped[int | None] = mapped_column(BigInteger)
    reason: Mapped[str]
    placed_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    released_at: Mapped[datetime | None]
    released_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))

    __table_args__ = (
        CheckConstraint("length(reason) BETWEEN 1 AND 1000", name="reason"),
        CheckConstraint("(user_id IS NULL) <> (chat_session_id IS NULL)", name="subject"),
        Index("idx_legal_holds_user_id", "user_id", postgresql_where=text("user_id IS NOT NULL")),
        Index(
            "idx_legal_holds_chat_session_id", "chat_session_id", postgresql_where=text("chat_session_id IS NOT NULL")
        ),
        Index("idx_legal_holds_active", "id", postgresql_where=text("released_at IS NULL")),
    )


class Erasure(CreationDate, Base):
    """What became of the data of an erased person, by store; it names nobody.

    `erased_user_id` is no foreign key, as the account is no longer there. `items` are those of the contract's report,
    counted before anything is deleted; `completed_at` is NULL until everything is. `attempted_at` is the last sign of
    the process that deletes, and `error` why the last attempt ended. Without `attempted_at` nobody continues it until
    somebody asks again: activating the account removes it.
    """

    __tablename__ = "erasures"

    id: Mapped[int] = mapped_column(primary_key=True)
    erased_user_id: Mapped[int]
    erased_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    items: Mapped[list[Any]] = mapped_column(JSONB)
    completed_at: Mapped[datetime | None]
    attempted_at: Mapped[datetime | None]
    error: Mapped[str | None]

    __table_args__ = (Index("idx_erasures_unfinished", "id", postgresql_where=text("completed_at IS NULL")),)
