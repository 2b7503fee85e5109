"""Shares of sessions, and what superadmins have set for everybody."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, CreationDate, one_of


class SessionShare(Audit, Base):
    """A session as it was at `shared_at`: its messages up to `head_message_id`, under `title`, for others to read.

    Readers are the `SessionShareRecipient`s, and whoever has the link, if there is a `token_hash`. Cited words are
    shown with `shows_quotes` only, and never of a source whose own permissions decide.

    It works until `expires_at`, unless it is revoked, and while its owner, who is the session's, is active and may read
    all that the session has drawn on. `head_message_id` points at a message of the session and goes with it, so it is
    no foreign key.
    """

    __tablename__ = "session_shares"

    id: Mapped[int] = mapped_column(primary_key=True)
    chat_session_id: Mapped[int] = mapped_column(ForeignKey("chat_sessions.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    token_hash: Mapped[bytes | None]
    title: Mapped[str]
    shows_quotes: Mapped[bool] = mapped_column(server_default=text("false"))
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


class SessionShareRecipient(CreationDate, Base):
    """A person or a group whom a session is shared with."""

    __tablename__ = "session_share_recipients"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    session_share_id: Mapped[int] = mapped_column(ForeignKey("session_shares.id", ondelete="CASCADE"))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    group_id: Mapped[int | None] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"))

    __table_args__ = (
        CheckConstraint("num_nonnulls(user_id, group_id) = 1", name="one"),
        UniqueConstraint("session_share_id", "user_id"),
        UniqueConstraint("session_share_id", "group_id"),
        Index(
            "idx_session_share_recipients_user_id",
            "user_id",
            "session_share_id",
            postgresql_where=text("user_id IS NOT NULL"),
        ),
        Index(
            "idx_session_share_recipients_group_id",
            "group_id",
            "session_share_id",
            postgresql_where=text("group_id IS NOT NULL"),
        ),
    )


class InstallationSettings(Audit, Base):
    """What superadmins have set for everybody: the one row.

    With `local_accounts` off, people sign in at providers alone; a setting of the environment takes precedence.

    `has_shared_knowledge` is true from the first knowledge of the organization, or of all, on, by the trigger
    `note_fact_change`. `has_quotas` is true while there is a quota of days or months, and `has_rates` while there is
    one of what is done at a time, by the trigger `note_quotas`.
    """

    __tablename__ = "installation_settings"

    id: Mapped[bool] = mapped_column(primary_key=True, server_default=text("true"))
    link_sharing: Mapped[words.LinkSharing] = mapped_column(String(20), server_default=text("'anyone'"))
    memory_enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    local_accounts: Mapped[bool] = mapped_column(server_default=text("true"))
    has_shared_knowledge: Mapped[bool] = mapped_column(server_default=text("false"))
    has_quotas: Mapped[bool] = mapped_column(server_default=text("false"))
    has_rates: Mapped[bool] = mapped_column(server_default=text("false"))

    __table_args__ = (
        CheckConstraint("id", name="id"),
        one_of("link_sharing", words.LinkSharing),
    )
