"""Text that PostgreSQL takes: models and documents may give characters that it refuses."""

import json
import re
from typing import Any

import msgspec

_SURROGATE = re.compile("[\ud800-\udfff]")
_SUSPICIOUS = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)


def storable(text: str) -> str:
    """Text without NUL, and with U+FFFD for lone surrogates. The number of code points may fall, never rise."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def storable_tree(value: Any) -> Any:
    """`storable` for all strings of a JSON value."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [storable_tree(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): storable_tree(item) for key, item in value.items()}
    return value


def storable_json(text: str) -> str:
    """`storable` for all strings of a JSON text, escaped ones too. Text that is not JSON is treated as a whole."""
    text = storable(text)
    if not _SUSPICIOUS.search(text):
        return text
    try:
        return msgspec.json.encode(storable_tree(json.loads(text))).decode()
    except ValueError:
        return text
