"""What all tables share: naming, column types, audit columns, soft deletion and CHECKs over words."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, get_args
from uuid import UUID

from sqlalchemy import TIMESTAMP, CheckConstraint, ForeignKey, LargeBinary, MetaData, Text, Uuid, func
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column

_NAMES = {
    # PostgreSQL's own default names, so that hand-written SQL and the ORM agree.
    "pk": "%(table_name)s_pkey",
    "fk": "%(table_name)s_%(column_0_name)s_fkey",
    "uq": "%(table_name)s_%(column_0_N_name)s_key",
    "ck": "%(table_name)s_%(constraint_name)s_check",
}


class Base(DeclarativeBase):
    """Base of every table. JSONB columns are assigned whole: a change inside the value is not seen."""

    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy declares it so)
        bytes: LargeBinary,
        datetime: TIMESTAMP(timezone=True),
        dict[str, Any]: JSONB,
        list[Any]: JSONB,
        list[str]: ARRAY(Text),
        str: Text,
        UUID: Uuid,
    }


class CreationDate:
    """The audit column of append-only tables."""

    creation_date: Mapped[datetime] = mapped_column(server_default=func.now(), sort_order=900)


class Audit(CreationDate):
    """The audit columns of entity tables: `last_update` is set by a trigger, `user_id_last_update` by the writer."""

    last_update: Mapped[datetime | None] = mapped_column(sort_order=901)

    @declared_attr
    def user_id_last_update(self) -> Mapped[int | None]:
        """Returns the user whose request made the last update; NULL when a service did it of its own accord."""
        return mapped_column(ForeignKey("users.id", ondelete="SET NULL"), sort_order=902)


class SoftDelete:
    """A row with `deleted_date` is removed for every reader; it is kept until it is purged."""

    deleted_date: Mapped[datetime | None] = mapped_column(sort_order=903)


def one_of(column: str, words: object) -> CheckConstraint:
    """A CHECK that `column` holds one of the words of a `Literal` type (or NULL, where the column allows it)."""
    return CheckConstraint(f"{column} IN ({quoted(get_args(words))})", name=column)


def quoted(words: Sequence[str]) -> str:
    """Words as a list of SQL string literals; only for words written in this package."""
    return ", ".join(f"'{word}'" for word in words)


def at_least(column: str, minimum: int) -> CheckConstraint:
    """Returns a CHECK that `column` is not below `minimum`."""
    return CheckConstraint(f"{column} >= {minimum}", name=column)
