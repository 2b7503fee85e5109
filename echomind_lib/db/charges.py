"""Charges of people in statements that do something else, so that installations without quotas execute none for it."""

from decimal import Decimal
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Numeric,
    SQLColumnExpression,
    case,
    cast,
    false,
    func,
    literal,
    select,
)

from echomind_lib.db.models import InstallationSettings

_HAS_QUOTAS: Final = select(InstallationSettings.has_quotas).scalar_subquery()


def charged(
    user_id: SQLColumnExpression[Any],
    tokens: ColumnElement[int] | None = None,
    cost: ColumnElement[Decimal] | None = None,
) -> ColumnElement[bool]:
    """Returns the column that charges a person for model calls, once for each row of its statement.

    Its value is whether a quota of tokens or cost was used up before; false, and nothing is charged, without quotas.

    Args:
        user_id: ID of the person.
        tokens: Tokens of prompts and answers; None charges nothing, and asks alone.
        cost: US dollars, 0 if unknown; None charges nothing.
    """
    spent: list[Any] = [
        cast(literal(0) if tokens is None else tokens, BigInteger),
        cast(literal(0) if cost is None else cost, Numeric),
    ]
    return case((_HAS_QUOTAS, func.charge_person(user_id, *spent, type_=Boolean)), else_=false())
