"""What people and API keys may do at a time, as it is read with their credential."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, SQLColumnExpression, case, func, select
from sqlalchemy.dialects.postgresql import JSONB

from echomind_lib.access.principal import Rates
from echomind_lib.db.models.sharing import InstallationSettings

_HAS_RATES: Final = select(InstallationSettings.has_rates).scalar_subquery()


def rates_of(user_id: SQLColumnExpression[Any]) -> ColumnElement[Any]:
    """Returns the column of what binds a person, for `rates_from`; where nobody has a limit, nothing is looked up.

    Args:
        user_id: ID of the person.
    """
    return case((_HAS_RATES, func.limits_of_person(user_id, type_=JSONB)))


def rates_from(
    of_person: Sequence[Sequence[Any]] | None, of_keys: Sequence[Sequence[Any]] | None = None
) -> tuple[Rates, ...]:
    """Returns what binds a person and an API key, in the order of the subjects.

    Args:
        of_person: Of `limits_of_person`; None for nothing.
        of_keys: Of `limits_of_key`; None for nothing.
    """
    keys = [Rates(f"key:{key_id}", *limits) for key_id, *limits in of_keys or ()]
    return tuple(sorted([*(Rates(*each) for each in of_person or ()), *keys], key=lambda each: each.subject))
