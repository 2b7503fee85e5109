"""Services of two versions side by side: each reads the messages over NATS and gRPC that the other writes.

The older version is the baseline of the contract, which is renewed with each release. Its messages are made from its
own descriptors, with every field set.
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from echomind_lib.pb.echomind.internal.v1 import embedding_pb2, messaging_pb2
from tests.drivers.tables import for_each
from tests.paths import ROOT

DEPTH = 4
"""How deep messages in messages are filled."""
NOW = {
    descriptor.full_name: descriptor
    for file in (messaging_pb2, embedding_pb2)
    for descriptor in file.DESCRIPTOR.message_types_by_name.values()
}
"""Messages between services, as they are now."""
NUMBERS = {
    FieldDescriptor.CPPTYPE_INT32: 7,
    FieldDescriptor.CPPTYPE_INT64: 2**33 + 7,
    FieldDescriptor.CPPTYPE_UINT32: 8,
    FieldDescriptor.CPPTYPE_UINT64: 2**34 + 8,
    FieldDescriptor.CPPTYPE_DOUBLE: 0.25,
    FieldDescriptor.CPPTYPE_FLOAT: 0.5,
    FieldDescriptor.CPPTYPE_BOOL: True,
}


@cache
def older() -> dict[str, Descriptor]:
    """Returns the messages between services of the baseline."""
    files = descriptor_pb2.FileDescriptorSet.FromString((ROOT / "src/proto/baseline.binpb").read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    names = [
        f"{file.package}.{message.name}"
        for file in files.file
        if file.package == "echomind.internal.v1"
        for message in file.message_type
    ]
    return {name: pool.FindMessageTypeByName(name) for name in names}


def made(descriptor: Descriptor, depth: int = DEPTH) -> Message:
    """Returns a message with every field set; of a choice the last one."""
    message: Message = message_factory.GetMessageClass(descriptor)()
    for field in descriptor.fields:
        if field.message_type is not None:
            if field.message_type.GetOptions().map_entry:
                continue
            if depth > 0:
                target = getattr(message, field.name)
                (target.add() if field.is_repeated else target).CopyFrom(made(field.message_type, depth - 1))
            continue
        value = _value(field)
        if field.is_repeated:
            getattr(message, field.name).extend([value, value])
        else:
            setattr(message, field.name, value)
    return message


def _value(field: FieldDescriptor) -> Any:
    if field.enum_type is not None:
        return field.enum_type.values[-1].number
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return field.name.encode() if field.type == FieldDescriptor.TYPE_BYTES else f"{field.name} é"
    return NUMBERS[field.cpp_type]


def read(data: bytes, descriptor: Descriptor) -> dict[str, Any]:
    """Reads a message as a version does; enums are numbers, as a value may be one that it does not know."""
    message = message_factory.GetMessageClass(descriptor).FromString(data)
    found: dict[str, Any] = json.loads(json_format.MessageToJson(message, use_integers_for_enums=True))
    return found


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Gives all values in a message with their places."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{number}]")
    else:
        yield path, value


@for_each("name", sorted(older()))
def test_messages_of_the_older_version_are_read_whole(name: str) -> None:
    assert name in NOW, f"{name} is gone: older services still send it"
    data = made(older()[name]).SerializeToString()
    assert dict(leaves(read(data, NOW[name]))) == dict(leaves(read(data, older()[name])))


@for_each("name", sorted(older()))
def test_the_older_version_reads_what_it_knows_of_todays_messages(name: str) -> None:
    data = made(NOW[name]).SerializeToString()
    now, then = dict(leaves(read(data, NOW[name]))), dict(leaves(read(data, older()[name])))
    assert then.items() <= now.items()
    own = dict(leaves(read(made(older()[name]).SerializeToString(), older()[name])))
    # A choice has one member at a time, which may be one that the older version does not know.
    lost = {path for path in own if path not in then} - _in_choices(older()[name])
    assert not lost, f"the older version misses {sorted(lost)}"


def _in_choices(descriptor: Descriptor, path: str = "", depth: int = DEPTH + 1) -> set[str]:
    """Returns the places of values that are within a member of a choice."""
    found: set[str] = set()
    for field in descriptor.fields:
        inner = f"{path}.{field.json_name}" + ("[0]" if field.is_repeated else "")
        if field.containing_oneof is not None:
            own = read(made(descriptor).SerializeToString(), descriptor)
            found |= {f"{path}{at}" for at, _ in leaves(own) if at.startswith(f".{field.json_name}")}
        elif field.message_type is not None and depth > 0:
            found |= _in_choices(field.message_type, inner, depth - 1)
    return found
