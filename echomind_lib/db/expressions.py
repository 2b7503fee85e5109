"""Expressions that several statements share."""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    SQLColumnExpression,
    TableValuedAlias,
    and_,
    bindparam,
    cast,
    column,
    extract,
    false,
    func,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import InstrumentedAttribute

_MAX_INTEGER: Final = 2**31 - 1
MAX_BIGINT: Final = 2**63 - 1


def json_rows(parameter: str, *columns: InstrumentedAttribute[object]) -> TableValuedAlias:
    """Returns rows from a parameter that is a JSON array of objects.

    Args:
        parameter: The statement's parameter.
        columns: The objects' keys, with the types of these mapped columns.
    """
    given = func.jsonb_to_recordset(bindparam(parameter, type_=JSONB))
    named = [column(each.key, each.type) for each in columns]
    return given.table_valued(*named).render_derived(name=f"given_{parameter}", with_types=True)


def milliseconds_since(start: SQLColumnExpression[object], *, limit: int = _MAX_INTEGER) -> ColumnElement[int]:
    """Returns the milliseconds from a time to the transaction's, at most `limit`: a column holds up to 24.8 days.

    A run may wait for a person for longer than that.
    """
    return cast(func.least(extract("epoch", func.now() - start) * 1000, limit), BigInteger)


def is_written_by(message: Any, user_id: Any) -> ColumnElement[bool]:
    """Returns the condition that a message is a person's own, in this session or copied from another one of theirs.

    False for the assistant's, for those of others, and for those whose author nobody knows.

    Args:
        message: `ChatMessage` or an alias of it.
        user_id: The person, as a column or a parameter.
    """
    return func.coalesce(and_(message.author_kind == "person", message.author_id == user_id), false())
