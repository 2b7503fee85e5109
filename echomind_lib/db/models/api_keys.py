"""Keys of programs, and the sign-ins of devices that end in one."""

from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, CheckConstraint, ForeignKey, Identity, Index, Integer, String, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db.models.base import Audit, Base, CreationDate, at_least

_SHA256 = 32


class ApiKey(Audit, Base):
    """A key for programs: found by `prefix`, proved by the SHA-256 of the whole key.

    `scopes` are what it may do of what its owner may do. `parent_id` is the key that it was made with. The secret that
    it had before its last rotation, `previous_sha256`, has the same prefix and works until `previous_expires_at`.
    `assistant_ids` and `connector_ids` are all that it may use, where they are not empty; they never change, and are no
    foreign keys: a removed one leaves nothing. The maximum of requests a minute, of unfinished questions and of open
    streams is NULL where there is none, and holds for the keys made with it together with it. `networks` are the
    addresses that it was used from, of IPv6 the /64 networks.
    """

    __tablename__ = "api_keys"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(255))
    prefix: Mapped[str] = mapped_column(String(32))
    sha256: Mapped[bytes]
    scopes: Mapped[list[str]] = mapped_column(server_default=text("'{read,ask,ingest,manage}'"))
    assistant_ids: Mapped[list[int]] = mapped_column(ARRAY(Integer), server_default=text("'{}'"))
    connector_ids: Mapped[list[int]] = mapped_column(ARRAY(Integer), server_default=text("'{}'"))
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("api_keys.id", ondelete="SET NULL"))
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked: Mapped[bool] = mapped_column(server_default=text("false"))
    previous_sha256: Mapped[bytes | None]
    previous_expires_at: Mapped[datetime | None]
    previous_used_at: Mapped[datetime | None]
    networks: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    max_requests_per_minute: Mapped[int | None]
    max_concurrent_runs: Mapped[int | None]
    max_concurrent_streams: Mapped[int | None]

    __table_args__ = (
        CheckConstraint(f"octet_length(sha256) = {_SHA256}", name="sha256"),
        CheckConstraint(
            f"octet_length(previous_sha256) = {_SHA256} AND (previous_sha256 IS NULL) = (previous_expires_at IS NULL)"
            " AND (previous_used_at IS NULL OR previous_sha256 IS NOT NULL)",
            name="previous",
        ),
        CheckConstraint(
            "scopes <@ ARRAY['read', 'ask', 'ingest', 'manage', 'administer'] AND scopes <> '{}'", name="scopes"
        ),
        CheckConstraint(
            "NOT 'administer' = ANY (scopes) OR (assistant_ids = '{}' AND connector_ids = '{}')", name="limits"
        ),
        at_least("max_requests_per_minute", 1),
        at_least("max_concurrent_runs", 1),
        at_least("max_concurrent_streams", 1),
        Index("idx_api_keys_prefix", "prefix"),
        Index("idx_api_keys_parent_id", "parent_id", postgresql_where=text("parent_id IS NOT NULL")),
        Index("idx_api_keys_name", "user_id", "name", unique=True, postgresql_where=text("NOT revoked")),
    )


class DeviceSignIn(CreationDate, Base):
    """A program that waits until a person types its code, before `expires_at`.

    It proves itself by the device code when it polls, at most every `interval_seconds` since `polled_at`. `approved` is
    NULL until a person, `user_id`, has decided. `address` is the program's, and `network` that by which sign-ins are
    limited. The row is deleted with the poll that learns the decision, so that it is used once.
    """

    __tablename__ = "device_sign_ins"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    device_code_hash: Mapped[bytes] = mapped_column(unique=True)
    user_code_hash: Mapped[bytes] = mapped_column(unique=True)
    client_name: Mapped[str]
    address: Mapped[str]
    network: Mapped[str]
    scopes: Mapped[list[str]]
    days: Mapped[int]
    interval_seconds: Mapped[int]
    expires_at: Mapped[datetime]
    polled_at: Mapped[datetime | None]
    approved: Mapped[bool | None]
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))

    __table_args__ = (
        CheckConstraint(
            f"octet_length(device_code_hash) = {_SHA256} AND octet_length(user_code_hash) = {_SHA256}", name="codes"
        ),
        CheckConstraint("(approved IS NULL) = (user_id IS NULL)", name="approved"),
        Index("idx_device_sign_ins_user_id", "user_id"),
    )


class DeviceCodeFailure(CreationDate, Base):
    """A wrong code of a device that an account has entered; it counts for 10 minutes."""

    __tablename__ = "device_code_failures"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))

    __table_args__ = (Index("idx_device_code_failures_user_id", "user_id"),)
