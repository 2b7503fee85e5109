"""The rules of buf.validate as Pydantic constraints, if Pydantic's `Field` does not support them.

They are used in a field's `Annotated`, and follow https://protovalidate.com/reference/rules/.
"""

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidatorFunctionWrapHandler
from pydantic_core import CoreSchema, core_schema, to_jsonable_python

from echomind_lib.text import without_directions


@dataclass(frozen=True, eq=False)
class Rule:
    """A check of a value whose type is valid already.

    Attributes:
        holds: Returns whether a value satisfies the rule.
        message: Message for the caller: `must ...`.
        schema: The rule in the JSON schema.
    """

    holds: Callable[[Any], bool]
    message: str
    schema: dict[str, Any] = field(default_factory=dict)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def check(value: Any) -> Any:
            if not self.holds(value):
                raise ValueError(self.message)
            return value

        return core_schema.no_info_after_validator_function(check, handler(source))

    def __get_pydantic_json_schema__(self, source: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return handler(source) | self.schema


_ANY = "[^\\u0000]*"  # an ECMA regular expression, as in JSON Schema


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(str(value) for value in values)


def one_of(*values: Any) -> Rule:
    """Only these values (`const`, `in`)."""
    return Rule(frozenset(values).__contains__, f"must be {_listed(values)}", {"enum": to_jsonable_python(values)})


def none_of(*values: Any) -> Rule:
    """Any value but these (`not_in`)."""
    refused = frozenset(values)
    schema = {"not": {"enum": to_jsonable_python(values)}}
    return Rule(lambda value: value not in refused, f"must not be {_listed(values)}", schema)


def prefix(text: str | bytes) -> Rule:
    """The text starts with this."""
    return Rule(lambda value: value.startswith(text), f"must begin with {text!r}")


def suffix(text: str | bytes) -> Rule:
    """The text ends with this."""
    return Rule(lambda value: value.endswith(text), f"must end with {text!r}")


def contains(text: str | bytes) -> Rule:
    """The text contains this."""
    schema = {"pattern": f"^{_ANY}{re.escape(text)}{_ANY}$"} if isinstance(text, str) else {}
    return Rule(lambda value: text in value, f"must contain {text!r}", schema)


def not_contains(text: str) -> Rule:
    """The text does not contain this."""
    return Rule(lambda value: text not in value, f"must not contain {text!r}")


def min_bytes(count: int) -> Rule:
    """Returns the rule that a string has at least this many bytes in UTF-8."""
    return Rule(lambda value: len(value.encode()) >= count, f"must have at least {count} bytes")


def max_bytes(count: int) -> Rule:
    """Returns the rule that a string has at most this many bytes in UTF-8."""
    return Rule(lambda value: len(value.encode()) <= count, f"must have at most {count} bytes")


def within(distance: timedelta) -> Rule:
    """Returns the rule that a time is at most this far from now."""
    return Rule(lambda value: abs(value - datetime.now(UTC)) <= distance, f"must be within {distance} of now")


def paths_in(*paths: str) -> Rule:
    """Returns the rule that a field mask contains only these paths and paths below them."""
    tops = tuple(f"{path}." for path in paths)
    return Rule(lambda mask: all(f"{path}.".startswith(tops) for path in mask), f"must name only {_listed(paths)}")


def fields_of(*names: str) -> Rule:
    """Returns the rule that a field mask contains only fields of a resource, and nothing below them."""
    return Rule(frozenset(names).issuperset, f"must name only {_listed(names)}")


def _distinct(values: list[Any]) -> bool:
    return len(set(values)) == len(values)


SET = Rule(bool, "must be set")
SET_TEXT = Rule(bool, "must be set", {"minLength": 1})
UNIQUE = Rule(_distinct, "must not hold a value twice", {"uniqueItems": True})
PAST = Rule(lambda value: value < datetime.now(UTC), "must be in the past")
FUTURE = Rule(lambda value: value > datetime.now(UTC), "must be in the future")


def _name(value: Any) -> Any:
    return without_directions(value) if isinstance(value, str) else value


NAME = BeforeValidator(_name)
"""Removes from a name or title the characters by which it could look like another one; must follow the other rules."""


class _UnlessZero:
    """Accepts a zero value regardless of the other rules."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def check(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
            return validate(value) if value else value

        return core_schema.no_info_wrap_validator_function(check, handler(source))

    def __get_pydantic_json_schema__(self, source: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        schema = handler(source)
        return {"anyOf": [schema, {"const": ""}]} if schema.get("type") == "string" else schema


UNLESS_ZERO = _UnlessZero()
"""Accepts a value that counts as not set (`ignore: IGNORE_IF_ZERO_VALUE`); must follow the other rules."""

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*")
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_UUID = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
# The address pattern of the HTML standard: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
_EMAIL = (
    r"^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
    r"(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$"
)


def _is_hostname(value: str) -> bool:
    labels = value.removesuffix(".").split(".")
    return len(value) <= 253 and not labels[-1].isdigit() and all(map(_LABEL.fullmatch, labels))


def _is_ip(value: str, kind: Callable[[str], Any]) -> bool:
    try:
        kind(value)
    except ValueError:
        return False
    return True


def _form(name: str) -> dict[str, Any]:
    return {"format": name}


Uuid = Annotated[str, Field(pattern=_UUID, json_schema_extra=_form("uuid"))]
Email = Annotated[str, Field(pattern=_EMAIL, json_schema_extra=_form("email"))]
Uri = Annotated[str, Rule(lambda value: bool(_URI.fullmatch(value)), "must be a URI with its scheme", _form("uri"))]
Hostname = Annotated[str, Rule(_is_hostname, "must be a host name", _form("hostname"))]
Ip = Annotated[str, Rule(lambda value: _is_ip(value, ipaddress.ip_address), "must be an IP address")]
Ipv4 = Annotated[
    str, Rule(lambda value: _is_ip(value, ipaddress.IPv4Address), "must be an IPv4 address", _form("ipv4"))
]
Ipv6 = Annotated[
    str, Rule(lambda value: _is_ip(value, ipaddress.IPv6Address), "must be an IPv6 address", _form("ipv6"))
]
