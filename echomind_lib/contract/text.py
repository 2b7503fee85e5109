"""Text from callers: U+0000, which PostgreSQL cannot store, is rejected before anything else reads it."""

from collections.abc import Iterable
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from echomind_lib.errors import ValidationFailedError

_RULE = "must not contain U+0000"


def refuse_nul(data: Any, location: str = "request") -> None:
    """Raises an error if a text in JSON-like data contains U+0000.

    Args:
        data: Text, or dicts and lists of it.
        location: Name of the location in the error.

    Raises:
        ValidationFailedError: The error names the location, such as `todo.title`.
    """
    if (found := _find_nul(data)) is not None:
        name = found or location
        raise ValidationFailedError.of(name, _RULE)


def _without_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError(_RULE)
    return value


PATTERN: Final = "^[^\\u0000]*$"
"""The same rule in a JSON schema."""
Text = Annotated[str, AfterValidator(_without_nul), Field(json_schema_extra={"pattern": PATTERN})]
"""Text in the body of a handwritten route."""


def _find_nul(data: Any) -> str | None:
    """Returns the place of the first U+0000 (empty for the data itself), or None."""
    if isinstance(data, str):
        return "" if "\0" in data else None
    parts: Iterable[tuple[object, Any]] = ()
    if isinstance(data, dict):
        parts = data.items()
    elif isinstance(data, list):
        parts = enumerate(data)
    for name, part in parts:
        if isinstance(name, str) and "\0" in name:
            return "name of a field"
        if (inner := _find_nul(part)) is not None:
            return f"{name}.{inner}".removesuffix(".")
    return None
