"""Expressions that several statements share."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    SQLColumnExpression,
    TableValuedAlias,
    bindparam,
    cast,
    column,
    extract,
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
