"""JSON schemas of answers, and as much of them as servers accept."""

from collections.abc import Collection
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]


def without_keywords(schema: Any, keywords: Collection[str]) -> Any:
    """Returns a schema without keywords that a server refuses; they only narrow what may be written."""
    if isinstance(schema, list):
        return [without_keywords(each, keywords) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: without_keywords(value, keywords) for key, value in schema.items() if key not in keywords}


def text_schema(maximum: int) -> Schema:
    """Returns the schema of a text of at most `maximum` characters: without a bound, small models find no end of it."""
    return {"type": "string", "maxLength": maximum}


def words(*given: str) -> Schema:
    """Returns the schema of an enumeration."""
    return {"type": "string", "enum": list(given)}


def or_null(schema: Schema) -> Schema:
    """Returns the schema of an optional value."""
    return {"anyOf": [schema, {"type": "null"}]}


def struct(**properties: Schema) -> Schema:
    """Returns the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def array(items: Schema, minimum: int, maximum: int) -> Schema:
    """Returns the schema of a list. Its length is limited, as small models tend not to end lists."""
    return {"type": "array", "items": items, "minItems": minimum, "maxItems": maximum}
