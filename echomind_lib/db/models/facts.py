"""What keeps the vectors of facts in step with their rows."""

from datetime import datetime

from sqlalchemy import BigInteger, Index, String, func
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db.models.base import Base


class FactChange(Base):
    """A memory or knowledge entity whose row is newer than its vector: `echomind_lib.learned.facts`.

    The trigger `note_fact_change` on their tables writes it, in the transaction of the change.
    """

    __tablename__ = "fact_changes"

    kind: Mapped[str] = mapped_column(String(20), primary_key=True)
    fact_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    changed_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())

    __table_args__ = (Index("idx_fact_changes_changed_at", "changed_at"),)
