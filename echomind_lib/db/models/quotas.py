"""Quotas, what has been used of them, and what is counted for the limits at a time."""

from datetime import datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import ARRAY, BigInteger, CheckConstraint, ForeignKey, Index, Numeric, String, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, at_least, one_of

_AMOUNTS = "max_questions, max_tokens, max_cost"
_RATES = "max_requests_per_minute, max_concurrent_runs, max_concurrent_streams"


class Quota(Audit, Base):
    """A limit of questions, tokens and cost for each day or month, or of what is done at a time; NULL does not limit.

    Its `scope` says whom it binds: everybody together (`organization`), the members of a group together (`group`),
    each member of a group or each person (`member`, with or without `group_id`), one person (`user`), or what is done
    with one API key and those made with it (`key`). The function `quotas_of` says which of them apply to a person who
    uses a key. Those of the period `minute` limit requests in a minute, and unfinished questions and open streams at a
    time; `limits_of_person` says which of them apply. Those of keys are columns of `api_keys`.
    """

    __tablename__ = "quotas"

    id: Mapped[int] = mapped_column(primary_key=True)
    scope: Mapped[words.QuotaScope] = mapped_column(String(20))
    group_id: Mapped[int | None] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    api_key_id: Mapped[int | None] = mapped_column(ForeignKey("api_keys.id", ondelete="CASCADE"))
    period: Mapped[words.QuotaPeriod] = mapped_column(String(20))
    max_questions: Mapped[int | None] = mapped_column(BigInteger)
    max_tokens: Mapped[int | None] = mapped_column(BigInteger)
    max_cost: Mapped[Decimal | None] = mapped_column(Numeric(18, 8))
    max_requests_per_minute: Mapped[int | None]
    max_concurrent_runs: Mapped[int | None]
    max_concurrent_streams: Mapped[int | None]

    __table_args__ = (
        one_of("scope", words.QuotaScope),
        one_of("period", words.QuotaPeriod),
        at_least("max_questions", 0),
        at_least("max_tokens", 0),
        at_least("max_cost", 0),
        at_least("max_requests_per_minute", 1),
        at_least("max_concurrent_runs", 1),
        at_least("max_concurrent_streams", 1),
        CheckConstraint(
            "(scope = 'user') = (user_id IS NOT NULL) AND (scope = 'key') = (api_key_id IS NOT NULL)"
            " AND CASE scope WHEN 'group' THEN group_id IS NOT NULL WHEN 'member' THEN TRUE ELSE group_id IS NULL END",
            name="subject",
        ),
        CheckConstraint(
            f"CASE period WHEN 'minute' THEN num_nonnulls({_RATES}) > 0 AND num_nonnulls({_AMOUNTS}) = 0"
            f" ELSE num_nonnulls({_AMOUNTS}) > 0 AND num_nonnulls({_RATES}) = 0 END",
            name="limits",
        ),
        Index(
            "idx_quotas_subject",
            "scope",
            "group_id",
            "user_id",
            "api_key_id",
            "period",
            unique=True,
            postgresql_nulls_not_distinct=True,
        ),
        Index("idx_quotas_group_id", "group_id", postgresql_where=text("group_id IS NOT NULL")),
        Index("idx_quotas_user_id", "user_id", postgresql_where=text("user_id IS NOT NULL")),
        Index("idx_quotas_api_key_id", "api_key_id", postgresql_where=text("api_key_id IS NOT NULL")),
    )


class QuotaUsage(Base):
    """What a person, a group's members, an API key, or everybody (none of them) have used in one day or month.

    `begins_at` is the beginning of the day or month.

    `reserved_tokens` and `reserved_cost` are what the model calls under way may use at most. `warned_at` is when one of
    the limits was used to four fifths, which is said once.
    """

    __tablename__ = "quota_usage"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    group_id: Mapped[int | None] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    api_key_id: Mapped[int | None] = mapped_column(ForeignKey("api_keys.id", ondelete="CASCADE"))
    period: Mapped[words.UsagePeriod] = mapped_column(String(20))
    begins_at: Mapped[datetime]
    questions: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    cost: Mapped[Decimal] = mapped_column(Numeric(18, 8), server_default=text("0"))
    reserved_tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    reserved_cost: Mapped[Decimal] = mapped_column(Numeric(18, 8), server_default=text("0"))
    warned_at: Mapped[datetime | None]

    __table_args__ = (
        one_of("period", words.UsagePeriod),
        Index(
            "idx_quota_usage_subject",
            "user_id",
            "group_id",
            "api_key_id",
            "period",
            "begins_at",
            unique=True,
            postgresql_nulls_not_distinct=True,
        ),
        Index("idx_quota_usage_group_id", "group_id", postgresql_where=text("group_id IS NOT NULL")),
        Index("idx_quota_usage_api_key_id", "api_key_id", postgresql_where=text("api_key_id IS NOT NULL")),
        Index("idx_quota_usage_begins_at", "begins_at"),
    )


class QuotaCharge(Base):
    """What an unfinished run was charged so far, and has reserved, in the rows `usage_ids` of `quota_usage`."""

    __tablename__ = "quota_charges"

    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    usage_ids: Mapped[list[int]] = mapped_column(ARRAY(BigInteger))
    tokens: Mapped[int] = mapped_column(BigInteger)
    cost: Mapped[Decimal] = mapped_column(Numeric(18, 8))
    reserved_tokens: Mapped[int] = mapped_column(BigInteger)
    reserved_cost: Mapped[Decimal] = mapped_column(Numeric(18, 8))


class RequestCount(Base):
    """How many requests the replicas have taken of a limit in a minute.

    `subject` is whom the limit binds: `user:ID`, `group:ID`, `key:ID` or `organization`. An earlier minute counts as 0.
    """

    __tablename__ = "request_counts"

    subject: Mapped[str] = mapped_column(String(50), primary_key=True)
    minute: Mapped[datetime]
    requests: Mapped[int]


class StreamLease(Base):
    """How many streams a replica has open that count for a limit.

    `subject` is that of `RequestCount`. The replica extends it, so that the streams of a dead one soon do not count.
    """

    __tablename__ = "stream_leases"

    subject: Mapped[str] = mapped_column(String(50), primary_key=True)
    replica_id: Mapped[UUID] = mapped_column(primary_key=True)
    streams: Mapped[int]
    expires_at: Mapped[datetime]

    __table_args__ = (Index("idx_stream_leases_replica_id", "replica_id"),)
