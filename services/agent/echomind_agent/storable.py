"""Text that PostgreSQL takes: models and documents may give characters that it refuses."""

from typing import Any


def storable(text: str) -> str:
    """Text without NUL, and with U+FFFD for lone surrogates. The number of code points may fall, never rise."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode() if any("\ud800" <= c <= "\udfff" for c in text) else text
    return text


def storable_tree(value: Any) -> Any:
    """`storable` for all strings of a JSON value."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [storable_tree(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): storable_tree(item) for key, item in value.items()}
    return value
