"""What `google.api.field_behavior` says of the fields of messages: which the server sets, and which it never returns.

https://google.aip.dev/203 defines the behaviours. `REQUIRED` is among the constraints of the generated models.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from google.api import field_behavior_pb2  # type: ignore[import-untyped]
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from pydantic import BaseModel

IMMUTABLE: int = field_behavior_pb2.IMMUTABLE
INPUT_ONLY: int = field_behavior_pb2.INPUT_ONLY
OUTPUT_ONLY: int = field_behavior_pb2.OUTPUT_ONLY
REQUIRED: int = field_behavior_pb2.REQUIRED
_IDENTIFIER: int = field_behavior_pb2.IDENTIFIER

Paths = Mapping[str, "Paths | None"]
"""Fields by each of their spellings: None for the field itself, or the fields in it."""


def behaviors(field: FieldDescriptor) -> frozenset[int]:
    """Returns the behaviours of a field."""
    return frozenset(field.GetOptions().Extensions[field_behavior_pb2.field_behavior])


@cache
def set_by_server(message: Descriptor) -> frozenset[str]:
    """Returns the fields of a resource that a client may send back as it has read them, and that are then ignored."""
    return frozenset(field.name for field in message.fields if behaviors(field) & {OUTPUT_ONLY, _IDENTIFIER})


@cache
def immutable(message: Descriptor) -> frozenset[str]:
    """Returns the fields of a resource that keep the value with which it was created."""
    return frozenset(field.name for field in message.fields if IMMUTABLE in behaviors(field))


@cache
def paths_with(message: Descriptor, behavior: int) -> Paths:
    """Returns the fields with a behaviour in a message and in the messages that it contains."""
    return _paths(message, behavior, frozenset())


def _paths(message: Descriptor, behavior: int, above: frozenset[str]) -> dict[str, "Paths | None"]:
    found: dict[str, Paths | None] = {}
    for field in message.fields:
        inner: Any = field.message_type
        if behavior in behaviors(field):
            found |= dict.fromkeys(_spellings(field))
        elif inner is not None and inner.full_name not in above:
            below = _paths(inner, behavior, above | {message.full_name})
            found |= dict.fromkeys(_spellings(field), below) if below else {}
    return found


def _spellings(field: FieldDescriptor) -> Iterator[str]:
    # Names that Python has taken end with an underscore in models.
    yield from (field.name, field.json_name, f"{field.name}_")


def drop(data: Any, paths: Paths) -> None:
    """Removes fields from the data of a message, or of a list of messages."""
    if isinstance(data, list):
        for item in data:
            drop(item, paths)
    elif isinstance(data, dict):
        for name in data.keys() & paths.keys():
            below = paths[name]
            if below is None:
                del data[name]
            else:
                drop(data[name], below)


def clear(model: Any, paths: Paths) -> None:
    """Unsets fields of a model, or of a list of models: neither transport sends them."""
    if isinstance(model, list):
        for item in model:
            clear(item, paths)
    elif isinstance(model, BaseModel):
        for name in type(model).model_fields.keys() & paths.keys():
            below = paths[name]
            if below is None:
                setattr(model, name, None)
            else:
                clear(getattr(model, name), below)


def mark(properties: Mapping[str, dict[str, Any]], message: Any) -> None:
    """Marks in the JSON schema of a message which properties are only read and which are only written."""
    for field in message.fields:
        behavior = behaviors(field)
        if behavior & {OUTPUT_ONLY, _IDENTIFIER}:
            properties[field.json_name]["readOnly"] = True
        if INPUT_ONLY in behavior:
            properties[field.json_name]["writeOnly"] = True
