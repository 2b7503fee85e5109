"""The form that an access rule is written in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

Value = int | str | frozenset[str]


@dataclass(frozen=True, slots=True)
class Rule:
    """Alternatives: a row passes when every column of one of them has the value, or a value of the set.

    An alternative without columns lets everything pass; no alternatives let nothing pass.
    """

    alternatives: tuple[Mapping[str, Value], ...]

    def allows(self, row: object) -> bool:
        """Whether a row passes; `row` has the rule's columns as attributes."""
        return any(
            all(_matches(getattr(row, column), value) for column, value in alternative.items())
            for alternative in self.alternatives
        )

    def sql(self, alias: str, parameters: list[Any]) -> str:
        """The rule as a condition on the table `alias`, its values appended to `parameters` as `$n`."""
        ways = []
        for alternative in self.alternatives:
            terms = []
            for column, value in alternative.items():
                parameters.append(sorted(value) if isinstance(value, frozenset) else value)
                place = f"${len(parameters)}"
                terms.append(
                    f"{alias}.{column} = " + (f"ANY({place}::text[])" if isinstance(value, frozenset) else place)
                )
            ways.append(" AND ".join(terms) or "TRUE")
        return "(" + (" OR ".join(ways) or "FALSE") + ")"

    def where(self, model: Any) -> "ColumnElement[bool]":
        """The rule as a condition on a mapped class."""
        # Here, as processes without the ORM use the other forms and shall not load it.
        from sqlalchemy import and_, false, or_, true

        ways = []
        for alternative in self.alternatives:
            terms: list[ColumnElement[bool]] = []
            for column, value in alternative.items():
                attribute = getattr(model, column)
                terms.append(attribute.in_(sorted(value)) if isinstance(value, frozenset) else attribute == value)
            ways.append(and_(true(), *terms))
        return or_(false(), *ways)


def _matches(given: object, value: Value) -> bool:
    return given in value if isinstance(value, frozenset) else given == value
