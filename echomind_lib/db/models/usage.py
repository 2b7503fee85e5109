"""Usage of chat models by day."""

from datetime import date
from decimal import Decimal

from sqlalchemy import BigInteger, ForeignKey, Identity, Index, Numeric, String, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Base, at_least, one_of


class UsageDaily(Base):
    """What one person's model calls of one kind took on one day (UTC), of those that no row of `runs` has.

    These are the runs that were deleted (`answer`, added by a trigger when they are) and the calls outside of runs.
    `user_id` is NULL for accounts that were deleted, `llm_id` for calls of no chat model or an unknown one, and
    `assistant_id` for calls of none. `cost` is in US dollars, of calls whose price is known.
    """

    __tablename__ = "usage_daily"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    day: Mapped[date]
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    llm_id: Mapped[int | None] = mapped_column(ForeignKey("llms.id"))
    assistant_id: Mapped[int | None] = mapped_column(ForeignKey("assistants.id"))
    kind: Mapped[words.UsageKind] = mapped_column(String(20))
    questions: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    failed_questions: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    prompt_tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    completion_tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    cost: Mapped[Decimal] = mapped_column(Numeric(18, 8), server_default=text("0"))

    __table_args__ = (
        # The only index but the key: these rows are written far more often than accounts are deleted.
        one_of("kind", words.UsageKind),
        at_least("questions", 0),
        at_least("failed_questions", 0),
        at_least("prompt_tokens", 0),
        at_least("completion_tokens", 0),
        at_least("cost", 0),
        Index(
            "idx_usage_daily_subject",
            "day",
            "user_id",
            "kind",
            "llm_id",
            "assistant_id",
            unique=True,
            postgresql_nulls_not_distinct=True,
        ),
    )
