"""Messages of the contract in which every field is set."""

from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

NUMBER = 7
UUID = "01926b3e-7c1a-7000-8000-5f0d3c2b1a09"
_WELL_KNOWN = {"google.protobuf.Timestamp": "2026-01-31T12:00:00Z", "google.protobuf.Struct": {"days": NUMBER}}
_TEXTS = {
    "email": "ann@example.org",
    "next_page_token": "",
    "run_id": UUID,
    "parent_run_id": UUID,
    "task_prompt": "{query}",
    "type_name": "web",
}
_WHOLE = {FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_UINT32}
_LONG = {FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64}
_BROKEN = {FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT}
_DEEPEST = 5


def filled(kind: Descriptor, depth: int = 0) -> Any:
    """Returns a message in ProtoJSON: each number is 7, each list has one item, each text reads "7" where it may."""
    if kind.full_name in _WELL_KNOWN:
        return _WELL_KNOWN[kind.full_name]
    if depth == _DEEPEST or kind.full_name.startswith("google.protobuf."):
        return {}
    seen: set[str] = set()
    message = {}
    for field in kind.fields:
        alternatives = field.containing_oneof
        if alternatives is not None and len(alternatives.fields) > 1:
            if alternatives.full_name in seen:
                continue
            seen.add(alternatives.full_name)
        message[field.json_name] = _value(kind.name, field, depth)
    return message


def _value(kind: str, field: FieldDescriptor, depth: int) -> Any:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return {}
    item = _item(kind, field, depth)
    return [item] if field.is_repeated else item


def _item(kind: str, field: FieldDescriptor, depth: int) -> Any:
    if field.message_type is not None:
        return filled(field.message_type, depth + 1)
    if field.enum_type is not None:
        return field.enum_type.values[1].name
    if field.cpp_type in _WHOLE:
        return NUMBER - (field.name == "parent_id")  # nothing is its own parent
    if field.cpp_type in _LONG:
        return str(NUMBER)
    if field.cpp_type in _BROKEN:
        return 0.5
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return True
    if kind in {"IdentityProvider", "McpServer", "ScimClient"} and field.name == "name":
        return "seven"
    is_run = field.name == "id" and kind == "Run"
    return UUID if is_run else _TEXTS.get(field.name, str(NUMBER))
