"""Rules for what is deleted because of its age."""

from sqlalchemy import CheckConstraint, String
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, one_of


class RetentionRule(Audit, Base):
    """For how many days data of one kind is kept, as a superadmin has set it; 0 is forever.

    Without a row, the days of the settings apply.
    """

    __tablename__ = "retention_rules"

    data: Mapped[words.RetentionData] = mapped_column(String(30), primary_key=True)
    days: Mapped[int]

    __table_args__ = (one_of("data", words.RetentionData), CheckConstraint("days BETWEEN 0 AND 36500", name="days"))
