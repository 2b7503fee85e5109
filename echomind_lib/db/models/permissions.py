"""Who may read documents at their source: people and groups as the source knows them, and what they may read."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db.models.base import Audit, Base, CreationDate


class SourcePrincipal(CreationDate, Base):
    """A person, group or tenant of one source: its key there says which (`user:`, `group:`, `tenant:`, `anonymous`).

    They belong to one connector, so that nobody gains anything elsewhere by what their own connector claims. `email` is
    what a person is mapped to an account by. `members_read_at` is when all members of a group were read last.
    """

    __tablename__ = "source_principals"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    connector_id: Mapped[int] = mapped_column(ForeignKey("connectors.id", ondelete="CASCADE"))
    key: Mapped[str]
    name: Mapped[str] = mapped_column(server_default=text("''"))
    email: Mapped[str] = mapped_column(server_default=text("''"))
    members_read_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("octet_length(key) BETWEEN 1 AND 1000", name="key"),
        UniqueConstraint("key", "connector_id"),
        Index(
            "idx_source_principals_email", func.lower(email), "connector_id", postgresql_where=text("email <> ''::text")
        ),
        Index("idx_source_principals_connector_id", "connector_id", "id"),
    )


class SourceMember(Base):
    """A direct member of a group: a person, or another group."""

    __tablename__ = "source_members"

    group_id: Mapped[int] = mapped_column(ForeignKey("source_principals.id", ondelete="CASCADE"), primary_key=True)
    member_id: Mapped[int] = mapped_column(ForeignKey("source_principals.id", ondelete="CASCADE"), primary_key=True)

    __table_args__ = (Index("idx_source_members_member_id", "member_id", "group_id"),)


class DocumentReader(Base):
    """Who may read a document at its source, with what it inherits from folders. No row grants nobody."""

    __tablename__ = "document_acl"

    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    principal_id: Mapped[int] = mapped_column(ForeignKey("source_principals.id", ondelete="CASCADE"), primary_key=True)

    __table_args__ = (Index("idx_document_acl_principal_id", "principal_id"),)


class SourceAlias(Audit, Base):
    """The account of a person of a source, as a superadmin has said. It counts instead of any e-mail.

    `user_id` is empty once that account was deleted: the person is nobody then, also when an account has their e-mail.
    """

    __tablename__ = "source_aliases"

    key: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))

    __table_args__ = (
        CheckConstraint("octet_length(key) BETWEEN 1 AND 1000", name="key"),
        Index("idx_source_aliases_user_id", "user_id"),
    )
