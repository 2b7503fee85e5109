"""Access rules as SQLAlchemy conditions."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ARRAY, Boolean, ColumnElement, Integer, Text, and_, any_, bindparam, cast, false, or_, true
from sqlalchemy.dialects.postgresql import array

from echomind_lib.access.principal import RoleWord, roles_including
from echomind_lib.access.ways import Limited, Reader, Way

_READER_ID: Final = bindparam(Reader.ID.value, type_=Integer)
_READER_GROUPS: Final = bindparam(Reader.GROUPS.value, type_=ARRAY(Text))


def condition(ways: Sequence[Way], row: Any, person: Any, limited: Limited | None = None) -> ColumnElement[bool]:
    """Returns the condition that any of the alternatives matches: see `Rule.where`."""
    allowed = or_(false(), *(_way(way, row, person) for way in ways))
    return allowed if limited is None or person is not None else and_(within_limits(limited, row), allowed)


def within_limits(limited: Limited, row: Any) -> ColumnElement[bool]:
    """Returns the condition that the API key of the reader, whose value is a parameter, allows a row.

    Args:
        limited: What kind of row it is.
        row: The mapped class, or an alias of it.
    """
    return within(getattr(row, limited.column), limited.value)


def within(column: Any, parameter: str) -> ColumnElement[bool]:
    """Returns the condition that a column has one of the values of a parameter, which is NULL for no limit."""
    limit = bindparam(parameter, type_=ARRAY(Integer))
    return or_(limit.is_(None), column == any_(limit))


def _way(way: Way, row: Any, person: Any) -> ColumnElement[bool]:
    terms: list[ColumnElement[bool]] = []
    if way.role is not None:
        terms.append(_has_role(way.role, person))
    for column, value in way.columns.items():
        attribute = getattr(row, column)
        if value is Reader.ID:
            terms.append(attribute == (_READER_ID if person is None else person.id))
        elif value is Reader.GROUPS:
            terms.append(attribute == any_(_READER_GROUPS if person is None else person.groups))
        elif value is Reader.AUDIENCE:
            groups = _READER_GROUPS if person is None else person.groups
            terms.append(or_(attribute == cast(array([], type_=Text), ARRAY(Text)), attribute.overlap(groups)))
        else:
            terms.append((attribute if value else ~attribute) if isinstance(value, bool) else attribute == value)
    return and_(true(), *terms)


def _has_role(role: RoleWord, person: Any) -> ColumnElement[bool]:
    if person is None:
        return bindparam(f"reader_is_{role}", type_=Boolean)
    return or_(*(any_(person.roles) == word for word in roles_including(role)))
