"""Free JSON in messages: the limits of `google.protobuf.Struct`, `ListValue` and `Value` fields.

Data from callers is validated once, for every transport. Stored data is made representable instead, so that one row
cannot break a list for everyone.
"""

import math
from typing import Any, Final

from pydantic import ValidationInfo
from pydantic_core import to_json

from echomind_lib.contract.text import PATTERN

SCHEMA_NAME: Final = "JsonValue"
"""Name of free JSON's schema in an OpenAPI document."""
JSON_SCHEMA: Final[dict[str, Any]] = {"$ref": f"#/components/schemas/{SCHEMA_NAME}"}
OBJECT_SCHEMA: Final = {"type": "object", "propertyNames": {"pattern": PATTERN}, "additionalProperties": JSON_SCHEMA}
LIST_SCHEMA: Final = {"type": "array", "items": JSON_SCHEMA}
SCHEMA: Final = {
    "description": "Any JSON: nested at most 32 levels deep, 64 kB, with numbers of 64-bit floating point and without "
    "U+0000."
}
"""The schema of free JSON. Generators of clients fail at schemas that contain themselves."""
MAX_DEPTH: Final = 32
"""Maximum nesting of objects and lists. Each object uses three of the hundred levels that protobuf's parsers allow."""
MAX_BYTES: Final = 64 * 1024
"""Maximum size of one field's JSON text."""
FROM_CALLER: Final = "from a caller"
"""Validation context of a request: its free JSON is rejected if it exceeds a limit."""


def read_json_data(value: Any, info: ValidationInfo) -> Any:
    """Returns free JSON within the limits.

    Raises:
        ValueError: It is from a caller and exceeds a limit.
    """
    if info.context != FROM_CALLER:
        return to_representable(value)
    _check(value, MAX_DEPTH)
    if (size := len(to_json(value))) > MAX_BYTES:
        raise ValueError(f"must have at most {MAX_BYTES} bytes as JSON, it has {size}")
    return value


def to_representable(value: Any, depth: int = MAX_DEPTH) -> Any:
    """Returns JSON data that every transport can represent: too deep nesting and non-finite numbers become null.

    Args:
        value: JSON data.
        depth: Remaining levels of objects and lists.
    """
    if isinstance(value, dict):
        return {key: to_representable(item, depth - 1) for key, item in value.items()} if depth else None
    if isinstance(value, list):
        return [to_representable(item, depth - 1) for item in value] if depth else None
    return value if _is_representable(value) else None


def _check(value: Any, depth: int) -> None:
    items: Any = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if items is None:
        if not _is_representable(value):
            raise ValueError("must hold finite numbers of 64-bit floating point only")
        return
    if not depth:
        raise ValueError(f"must be nested at most {MAX_DEPTH} levels deep")
    for item in items:
        _check(item, depth - 1)


def _is_representable(value: Any) -> bool:
    if not isinstance(value, (int, float)):
        return True
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer outside the range of float
        return False
