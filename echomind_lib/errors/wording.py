"""Messages for violated rules of fields, which replace Pydantic's."""

import re
from collections.abc import Mapping
from typing import Any, Final

_LIMITS: Final = {
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "too_long": "must have at most {max_length} items",
    "too_short": "must have at least {min_length} items",
    "enum": "must be one of {expected}",
    "literal_error": "must be one of {expected}",
}
_FORMS: Final = (
    ("missing", "is missing"),
    ("extra_forbidden", "is not a known field"),
    ("string_pattern_mismatch", "is not of the right form"),
    ("int", "must be a whole number"),
    ("float", "must be a number"),
    ("bool", "must be true or false"),
    ("string", "must be text"),
    ("bytes", "must be bytes in base64"),
    ("list", "must be a list"),
    ("dict", "must be an object"),
    ("model", "must be an object"),
    ("uuid", "must be a UUID"),
    ("datetime", "must be a time such as 2026-01-31T12:00:00Z"),
    ("timezone", "must be a time with its zone, such as 2026-01-31T12:00:00Z"),
)
_SUBJECT = re.compile(r"^(Input|String|List|Data|Dictionary|Value) should ")


def broken_rule(problem: Mapping[str, Any]) -> str:
    """Returns what is wrong with a value, as `must have at most 255 characters`.

    Args:
        problem: One of `ValidationError.errors()`; its context contains the limits.
    """
    kind, context = problem["type"], problem.get("ctx", {})
    if context.get("min_length") == 1:
        return "must not be empty"
    if kind in _LIMITS and context:
        return _LIMITS[kind].format_map(context)
    for prefix, words in _FORMS:
        if kind == prefix or kind.startswith(f"{prefix}_"):
            return words
    text = problem["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return _SUBJECT.sub("must ", text)
