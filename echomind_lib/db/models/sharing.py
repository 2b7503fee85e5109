"""Links by which sessions are shared, and what superadmins have set for everybody."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, one_of


class SessionShare(Audit, Base):
    """A link that shows a session as it was at `shared_at`: its messages up to `head_message_id`, under `title`.

    It works until `expires_at`, unless it is revoked, and while its owner, who is the session's, is active and may read
    all that the session has drawn on. `head_message_id` points at a message of the session and goes with it, so it is
    no foreign key.
    """

    __tablename__ = "session_shares"

    id: Mapped[int] = mapped_column(primary_key=True)
    chat_session_id: Mapped[int] = mapped_column(ForeignKey("chat_sessions.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    token_hash: Mapped[bytes]
    title: Mapped[str]
    head_message_id: Mapped[int] = mapped_column(BigInteger)
    shared_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    last_access_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("octet_length(token_hash) = 32", name="token_hash"),
        UniqueConstraint("token_hash"),
        Index("idx_session_shares_user_id", "user_id", "id", postgresql_where=text("revoked_at IS NULL")),
        Index("idx_session_shares_chat_session_id", "chat_session_id"),
    )


class InstallationSettings(Audit, Base):
    """What superadmins have set for everybody: the one row.

    `has_shared_knowledge` is true from the first knowledge of the organization, or of all, on, by the trigger
    `note_fact_change`.
    """

    __tablename__ = "installation_settings"

    id: Mapped[bool] = mapped_column(primary_key=True, server_default=text("true"))
    link_sharing: Mapped[words.LinkSharing] = mapped_column(String(20), server_default=text("'anyone'"))
    memory_enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    has_shared_knowledge: Mapped[bool] = mapped_column(server_default=text("false"))

    __table_args__ = (
        CheckConstraint("id", name="id"),
        one_of("link_sharing", words.LinkSharing),
    )
