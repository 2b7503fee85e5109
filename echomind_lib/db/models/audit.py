"""The audit log and the seals of its entries. Rows are only added: triggers refuse anything else."""

from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, BigInteger, CheckConstraint, Identity, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db.models.base import Base, CreationDate


class AuditEntry(CreationDate, Base):
    """One administrative write, sign-in or denied access, or `count` bad credentials from one address in one minute.

    Rows are removed only by the function `remove_audit_entries`, when their time is over. `actor_id` is NULL for an
    unknown caller and no foreign key, as an entry outlives its actor. `target` is the resource's path, such as
    `connectors/12`. `address` is the IP address of the caller, `credential` the path of what they proved themselves
    with, such as `api-keys/12`; both are empty if unknown.
    """

    __tablename__ = "audit_log"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    actor_id: Mapped[int | None]
    action: Mapped[str] = mapped_column(String(100))
    target: Mapped[str]
    detail: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    denied: Mapped[bool] = mapped_column(server_default=text("false"))
    count: Mapped[int] = mapped_column(server_default=text("1"))
    address: Mapped[str] = mapped_column(server_default=text("''"))
    credential: Mapped[str] = mapped_column(server_default=text("''"))

    __table_args__ = (
        CheckConstraint("count >= 1", name="count"),
        Index("idx_audit_log_actor_id", "actor_id", "id"),
        Index("idx_audit_log_creation_date", "creation_date"),
    )


class AuditSeal(CreationDate, Base):
    """The hash of `count` successive entries and of the seal before.

    `ids` are the entries' in ascending order and `digests` their SHA-256 hashes, 32 bytes each in the same order, so
    that the entry that was changed is found; both are NULL when the time of the entries is over. `last_entry_at` is
    the time of the newest one.
    """

    __tablename__ = "audit_seals"

    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    first_id: Mapped[int] = mapped_column(BigInteger)
    last_id: Mapped[int] = mapped_column(BigInteger)
    count: Mapped[int]
    last_entry_at: Mapped[datetime]
    ids: Mapped[list[int] | None] = mapped_column(ARRAY(BigInteger))
    digests: Mapped[bytes | None]
    content_hash: Mapped[bytes]
    previous_hash: Mapped[bytes]
    hash: Mapped[bytes]

    __table_args__ = (
        CheckConstraint("number >= 1 AND count >= 1 AND first_id <= last_id", name="count"),
        CheckConstraint(
            "octet_length(content_hash) = 32 AND octet_length(previous_hash) = 32 AND octet_length(hash) = 32",
            name="hashes",
        ),
        CheckConstraint(
            "(ids IS NULL) = (digests IS NULL)"
            " AND (ids IS NULL OR cardinality(ids) = count AND octet_length(digests) = 32 * count)",
            name="entries",
        ),
        Index("idx_audit_seals_last_id", "last_id"),
    )
