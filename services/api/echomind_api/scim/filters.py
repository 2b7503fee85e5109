"""Filters of searches as conditions of SQL, on the attributes that have a column or are few."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from scim2_models import InvalidFilterException
from scim2_models.path import (
    AttrPath,
    CompareOperator,
    Comparison,
    FilterNode,
    LogicalExpr,
    LogicalOperator,
    Present,
    ValuePath,
)
from sqlalchemy import Boolean, ColumnElement, and_, cast, column, false, func, or_, select, true
from sqlalchemy.dialects.postgresql import JSONB

from echomind_lib.db.models.identity import GroupMember
from echomind_lib.db.models.scim import ScimClient, ScimGroup, ScimUser

_EMAILS: Final = func.jsonb_array_elements(
    func.coalesce(ScimUser.attributes["emails"], func.jsonb_build_array())
).table_valued(column("value", JSONB), name="email")
_ATTRIBUTES: Final = ScimUser.attributes
_USER: Final[Mapping[str, Any]] = {
    "username": ScimUser.user_name,
    "externalid": ScimUser.external_id,
    "displayname": _ATTRIBUTES["displayName"].astext,
    "name.formatted": _ATTRIBUTES["name"]["formatted"].astext,
    "name.givenname": _ATTRIBUTES["name"]["givenName"].astext,
    "name.familyname": _ATTRIBUTES["name"]["familyName"].astext,
}
_GROUP: Final[Mapping[str, Any]] = {"displayname": ScimGroup.display_name, "externalid": ScimGroup.external_id}
_EXACT: Final = frozenset({"externalid"})
"""Attributes whose letters count as upper and lower case."""
_EMAIL: Final = {name: _EMAILS.c.value[name].astext for name in ("value", "type")}


def condition(node: FilterNode, table: type[ScimUser] | type[ScimGroup]) -> ColumnElement[bool]:
    """Returns a filter as a condition.

    Args:
        node: The filter.
        table: What is searched.

    Raises:
        InvalidFilterException: The filter needs an attribute or an operator that is not supported.
    """
    match node:
        case LogicalExpr(op=LogicalOperator.and_):
            return and_(*(condition(term, table) for term in node.terms))
        case LogicalExpr():
            return or_(*(condition(term, table) for term in node.terms))
        case Present() | Comparison():
            return _simple(node, table)
        case ValuePath() if table is ScimUser and node.attr_path.attr.lower() == "emails" and node.sub_attr is None:
            return select(true()).select_from(_EMAILS).where(_email(node.val_filter)).exists()
        case _:
            raise _unsupported(node)


def _simple(node: Present | Comparison, table: type[ScimUser] | type[ScimGroup]) -> ColumnElement[bool]:
    name = _name(node.attr_path)
    if name == "id":
        return _id(node, table)
    if name == "active" and table is ScimUser:
        return _active(node)
    if name in {"members", "members.value"} and table is ScimGroup:
        return _member(node)
    if name in {"emails", "emails.value", "emails.type"} and table is ScimUser:
        sub = AttrPath(name.partition(".")[2] or "value")
        inner = Present(sub) if isinstance(node, Present) else Comparison(sub, node.op, node.value)
        return select(true()).select_from(_EMAILS).where(_email(inner)).exists()
    columns, others = (_USER, _GROUP) if table is ScimUser else (_GROUP, _USER)
    if name in columns:
        return _text(columns[name], node, is_exact=name in _EXACT)
    if name in others:
        return false()
    raise _unsupported(node)


def _email(node: FilterNode) -> ColumnElement[bool]:
    match node:
        case LogicalExpr(op=LogicalOperator.and_):
            return and_(*(_email(term) for term in node.terms))
        case LogicalExpr():
            return or_(*(_email(term) for term in node.terms))
        case Present() | Comparison() if _name(node.attr_path) in _EMAIL:
            return _text(_EMAIL[_name(node.attr_path)], node, is_exact=False)
        case _:
            raise _unsupported(node)


def _text(column: Any, node: Present | Comparison, *, is_exact: bool) -> ColumnElement[bool]:
    if isinstance(node, Present):
        return and_(column.is_not(None), column != "")
    if not isinstance(node.value, str):
        raise _unsupported(node)
    compared, value = (column, node.value) if is_exact else (func.lower(column), node.value.lower())
    value = value.replace("\0", "")
    match node.op:
        case CompareOperator.eq:
            found = compared == value
        case CompareOperator.sw:
            found = compared.startswith(value, autoescape=True)
        case CompareOperator.co:
            found = compared.contains(value, autoescape=True)
        case CompareOperator.ew:
            found = compared.endswith(value, autoescape=True)
        case _:
            raise _unsupported(node)
    return func.coalesce(found, false())


def _id(node: Present | Comparison, table: type[ScimUser] | type[ScimGroup]) -> ColumnElement[bool]:
    if isinstance(node, Present):
        return true()
    if node.op is not CompareOperator.eq or not isinstance(node.value, str):
        raise _unsupported(node)
    resource_id = uuid_of(node.value)
    return false() if resource_id is None else table.id == resource_id


def _member(node: Present | Comparison) -> ColumnElement[bool]:
    """Returns the condition that a group has a member by its client."""
    member = (
        select(GroupMember.user_id)
        .join(ScimUser, ScimUser.user_id == GroupMember.user_id)
        .join(ScimClient, ScimClient.id == ScimUser.client_id)
        .where(GroupMember.group_id == ScimGroup.group_id, GroupMember.source == func.concat("scim:", ScimClient.name))
        .where(ScimUser.client_id == ScimGroup.client_id, ScimUser.deleted_date.is_(None))
        .correlate(ScimGroup)
    )
    if isinstance(node, Present):
        return member.exists()
    if node.op is not CompareOperator.eq or not isinstance(node.value, str):
        raise _unsupported(node)
    resource_id = uuid_of(node.value)
    return false() if resource_id is None else member.where(ScimUser.id == resource_id).exists()


def _active(node: Present | Comparison) -> ColumnElement[bool]:
    active = cast(_ATTRIBUTES["active"].astext, Boolean)
    if isinstance(node, Present):
        return active.is_not(None)
    if node.op is not CompareOperator.eq or not isinstance(node.value, bool):
        raise _unsupported(node)
    return active.is_(node.value)


def uuid_of(text: str) -> UUID | None:
    """Returns the id of a resource that a client names; None if none can have it."""
    try:
        found = UUID(text)
    except ValueError:
        return None
    return found if str(found) == text else None


def _name(path: AttrPath) -> str:
    return (f"{path.attr}.{path.sub_attr}" if path.sub_attr else path.attr).lower()


def _unsupported(node: FilterNode) -> InvalidFilterException:
    return InvalidFilterException(
        detail="Filters compare id, userName, externalId, displayName, name, emails, active and members by eq, sw, co, "
        f"ew and pr, joined by and and or; not {str(node)[:200]}"
    )
