"""Charges of people in statements that do something else, so that installations without quotas execute none for it."""

from decimal import Decimal
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Integer,
    Numeric,
    SQLColumnExpression,
    bindparam,
    case,
    cast,
    false,
    func,
    literal,
    select,
)

from echomind_lib.db.models import InstallationSettings

_HAS_QUOTAS: Final = select(InstallationSettings.has_quotas).scalar_subquery()

KEY_GIVEN: Final[ColumnElement[int | None]] = bindparam("api_key_id", type_=Integer)
"""The parameter `api_key_id`: the API key that asked for something; NULL for none."""


def charged(
    user_id: SQLColumnExpression[Any],
    tokens: ColumnElement[int] | None = None,
    cost: ColumnElement[Decimal] | None = None,
    *,
    api_key_id: ColumnElement[Any] | None = None,
) -> ColumnElement[bool]:
    """Returns the column that charges a person and a key for model calls, once for each row of its statement.

    Its value is whether a quota of tokens or cost was used up before; false, and nothing is charged, without quotas.

    Args:
        user_id: ID of the person.
        tokens: Tokens of prompts and answers; None charges nothing, and asks alone.
        cost: US dollars, 0 if unknown; None charges nothing.
        api_key_id: ID of the API key that asked for it, which is charged, too; None for none.
    """
    spent: list[Any] = [
        cast(literal(0) if tokens is None else tokens, BigInteger),
        cast(literal(0) if cost is None else cost, Numeric),
        *([] if api_key_id is None else [api_key_id]),
    ]
    return case((_HAS_QUOTAS, func.charge_person(user_id, *spent, type_=Boolean)), else_=false())


def key_of_run(run_id: SQLColumnExpression[Any]) -> ColumnElement[int | None]:
    """Returns the ID of the API key that a run was asked for with, for `charged`; NULL for none.

    It is a function of the database, which is evaluated only where there are quotas.
    """
    return func.key_of_run(run_id, type_=Integer)
