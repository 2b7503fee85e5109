"""What identity systems maintain by SCIM 2.0: the clients with their tokens, and the users and groups of each."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, func, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db.models.base import Audit, Base, CreationDate, SoftDelete, at_least

_SHA256 = 32


class ScimClient(Audit, Base):
    """An identity system that maintains accounts and groups by SCIM. It sees and changes only its own.

    `name` never changes: memberships that it gives have the source `scim:NAME`. `issuer` is that of the OpenID provider
    where the same people sign in; NULL if they sign in otherwise.
    """

    __tablename__ = "scim_clients"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40), unique=True)
    issuer: Mapped[str | None]

    __table_args__ = (CheckConstraint("name ~ '^[a-z][a-z0-9_-]*$'", name="name"),)


class ScimToken(CreationDate, Base):
    """A bearer token of a SCIM client: found by `prefix`, proved by the SHA-256 of the whole token.

    It opens `/scim` and nothing else, and outlasts the account of whoever made it.
    """

    __tablename__ = "scim_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    client_id: Mapped[int] = mapped_column(ForeignKey("scim_clients.id", ondelete="CASCADE"))
    prefix: Mapped[str] = mapped_column(String(32))
    sha256: Mapped[bytes]
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint(f"octet_length(sha256) = {_SHA256}", name="sha256"),
        Index("idx_scim_tokens_prefix", "prefix"),
        Index("idx_scim_tokens_client_id", "client_id"),
    )


class ScimUser(SoftDelete, CreationDate, Base):
    """An account as the SCIM client that maintains it knows it; others than this one do not.

    `id` is random, and new when the client creates a deleted user again. `user_name` and `external_id` are the
    client's, and name nothing outside of it. `attributes` are the other attributes of the resource. `version` counts
    its changes, for ETags.
    """

    __tablename__ = "scim_users"

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.gen_random_uuid())
    client_id: Mapped[int] = mapped_column(ForeignKey("scim_clients.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    user_name: Mapped[str] = mapped_column(String(255))
    external_id: Mapped[str | None] = mapped_column(String(255))
    attributes: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    version: Mapped[int] = mapped_column(server_default=text("1"))
    last_update: Mapped[datetime | None] = mapped_column(sort_order=901)

    __table_args__ = (
        at_least("version", 1),
        Index(
            "idx_scim_users_user_name",
            "client_id",
            func.lower(user_name),
            unique=True,
            postgresql_where=text("deleted_date IS NULL"),
        ),
        Index("idx_scim_users_external_id", "client_id", "external_id", unique=True),
        Index("idx_scim_users_user_id", "user_id", unique=True),
    )


class ScimGroup(SoftDelete, CreationDate, Base):
    """A group as a SCIM client knows it; its members are the memberships with the client's source.

    `id` is random. A client's group never takes an existing group over; after a deletion, the group stays without the
    client's memberships, and is found again by `external_id`, or else by `display_name`.
    """

    __tablename__ = "scim_groups"

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.gen_random_uuid())
    client_id: Mapped[int] = mapped_column(ForeignKey("scim_clients.id", ondelete="CASCADE"))
    group_id: Mapped[int] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"))
    display_name: Mapped[str] = mapped_column(String(255))
    external_id: Mapped[str | None] = mapped_column(String(255))
    version: Mapped[int] = mapped_column(server_default=text("1"))
    last_update: Mapped[datetime | None] = mapped_column(sort_order=901)

    __table_args__ = (
        at_least("version", 1),
        Index("idx_scim_groups_display_name", "client_id", func.lower(display_name)),
        Index("idx_scim_groups_external_id", "client_id", "external_id", unique=True),
        Index("idx_scim_groups_group_id", "group_id", unique=True),
    )
