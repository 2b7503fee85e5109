"""Access rules as data, from which both a Python check and an SQL condition are derived."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from echomind_lib.access.principal import Principal
from echomind_lib.access.ways import Limited, Reader, Way

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement


@dataclass(frozen=True, slots=True)
class Rule:
    """An access rule: a row is allowed if any alternative matches, within the limits of the reader's API key."""

    ways: tuple[Way, ...]
    limited: Limited | None = None
    """Which limits of API keys apply to its rows."""

    def allows(self, principal: Principal, row: object) -> bool:
        """Returns whether the principal is allowed a row; `row` has the rule's columns as attributes."""
        if self.limited is not None and principal.limits is not None:
            limit = self.limited.limit(principal.limits)
            if limit is not None and getattr(row, self.limited.column) not in limit:
                return False
        return any(
            (way.role is None or principal.has_role(way.role))
            and all(_matches(getattr(row, column), value, principal) for column, value in way.columns.items())
            for way in self.ways
        )

    def where(self, row: Any, person: Any = None) -> "ColumnElement[bool]":
        """Returns the rule as an SQL condition on a mapped class.

        Args:
            row: The mapped class, or an alias of it.
            person: `User` or an alias of it, whose row is the reader's: limits are the caller's business. Without it,
                the reader is the principal whose `values` are the statement's parameters.
        """
        # Imported here, as the command line needs the names of rules without SQLAlchemy.
        from echomind_lib.access.conditions import condition

        return condition(self.ways, row, person, self.limited)

    def values(self, principal: Principal) -> dict[str, Any]:
        """Returns the values of the parameters of `where`, by name."""
        found: dict[str, Any] = {}
        if self.limited is not None:
            limit = None if principal.limits is None else self.limited.limit(principal.limits)
            found[self.limited.value] = None if limit is None else sorted(limit)
        for way in self.ways:
            if way.role is not None:
                found[f"reader_is_{way.role}"] = principal.has_role(way.role)
            if Reader.ID in way.columns.values():
                found[Reader.ID.value] = principal.user_id
            if Reader.GROUPS in way.columns.values() or Reader.AUDIENCE in way.columns.values():
                found[Reader.GROUPS.value] = sorted(principal.groups)
        return found


def _matches(given: object, value: str | bool | Reader, principal: Principal) -> bool:
    if value is Reader.GROUPS:
        return given in principal.groups
    if value is Reader.AUDIENCE:
        names: Any = given
        return not names or not principal.groups.isdisjoint(names)
    return given == (principal.user_id if value is Reader.ID else value)
