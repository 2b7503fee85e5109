"""JSON schemas of answers, as far as servers accept them."""

from collections.abc import Collection
from typing import Any


def without_keywords(schema: Any, keywords: Collection[str]) -> Any:
    """Returns a schema without keywords that a server refuses; they only narrow what may be written."""
    if isinstance(schema, list):
        return [without_keywords(each, keywords) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: without_keywords(value, keywords) for key, value in schema.items() if key not in keywords}
