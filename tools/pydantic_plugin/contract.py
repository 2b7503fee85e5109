"""The contract as the plugin is given it: files with their rules and comments."""

from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.compiler import plugin_pb2
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor

from echomind_lib.contract.behavior import OUTPUT_ONLY, behaviors

Path = tuple[int, ...]
"""Where something is in a file, as `google.protobuf.SourceCodeInfo.Location.path` has it."""


class BuildError(Exception):
    """The contract says something that the models cannot express."""


class Contract:
    """The files of a request.

    Attributes:
        files: Those that models are wanted of.
    """

    def __init__(self, request: plugin_pb2.CodeGeneratorRequest) -> None:
        self._pool = descriptor_pool.DescriptorPool()
        for proto in request.proto_file:
            if proto.name in request.file_to_generate and proto.syntax != "proto3":
                raise BuildError(f"{proto.name}: only proto3 is understood")
            self._pool.AddSerializedFile(proto.SerializeToString())
        self._comments = {
            (proto.name, tuple(location.path)): location.leading_comments or location.trailing_comments
            for proto in request.proto_file
            for location in proto.source_code_info.location
        }
        self.files = [self._pool.FindFileByName(name) for name in sorted(request.file_to_generate)]
        resources = [resource(message) for file in self.files for message, _ in messages(file)]
        self._patched = {message_of(field).full_name for field in resources if field is not None}

    def comment(self, file: FileDescriptor, path: Path) -> str:
        """Gives the comment of what is at a place of a file."""
        return self._comments.get((file.name, path), "")

    def is_patched(self, message: Descriptor) -> bool:
        """Returns whether a message is the resource of an `update_mask`."""
        return message.full_name in self._patched

    def rules(self, descriptor: Any, options: str, extension: str) -> Any:
        """Gives the rules of a field, message or oneof, or None.

        Args:
            descriptor: What may have rules.
            options: Its kind of options, `FieldOptions`.
            extension: The extension of buf.validate, `field`.
        """
        return self.option(descriptor, options, f"buf.validate.{extension}")

    def option(self, descriptor: Any, options: str, extension: str) -> Any:
        """Gives the value of an option of the contract's own, or None where it is not set; see `rules`."""
        try:
            number = self._pool.FindExtensionByName(extension)
        except KeyError:  # no file imports the extension
            return None
        # Parsed with the request's own descriptors, because there is no generated Python code for the extension.
        kind: Any = message_factory.GetMessageClass(self._pool.FindMessageTypeByName(f"google.protobuf.{options}"))
        given = kind.FromString(descriptor.GetOptions().SerializeToString())
        return given.Extensions[number] if given.HasExtension(number) else None


def messages(file: FileDescriptor) -> Iterator[tuple[Descriptor, Path]]:
    """Lists the messages of a file and where they are, nested ones first."""
    yield from _nested(file.message_types_by_name.values(), (4,))


def _nested(among: Iterable[Descriptor], path: Path) -> Iterator[tuple[Descriptor, Path]]:
    for index, message in enumerate(among):
        if not message.GetOptions().map_entry:
            yield from _nested(message.nested_types, (*path, index, 3))
            yield message, (*path, index)


def enums(file: FileDescriptor) -> Iterator[tuple[EnumDescriptor, Path]]:
    """Lists the enums of a file and where they are."""
    for index, enum in enumerate(file.enum_types_by_name.values()):
        yield enum, (5, index)
    for message, path in messages(file):
        for index, enum in enumerate(message.enum_types):
            yield enum, (*path, 4, index)


def ordered(file: FileDescriptor) -> list[tuple[Descriptor, Path]]:
    """Lists the messages of a file, each after those that it uses, as far as they form no circle."""
    places = {message.full_name: (message, path) for message, path in messages(file)}
    done: dict[str, tuple[Descriptor, Path]] = {}

    def visit(name: str, above: frozenset[str]) -> None:
        if name in places and name not in done and name not in above:
            for used in used_types(places[name][0]):
                visit(used.full_name, above | {name})
            done[name] = places[name]

    for name in places:
        visit(name, frozenset())
    return list(done.values())


def used_types(message: Descriptor) -> Iterator[Descriptor | EnumDescriptor]:
    """Lists the contract's own types in a message's fields."""
    for field in message.fields:
        for part in message_of(field).fields if is_map(field) else [field]:
            kind = part.enum_type or part.message_type
            if kind is not None and not is_well_known(kind):
                yield kind


def fields_in(message: Descriptor) -> Iterator[FieldDescriptor]:
    """Lists the fields that can be written in a message and in those that it contains, those of maps without them."""
    seen: set[str] = set()
    waiting = [message]
    while waiting:
        current = waiting.pop()
        if current.full_name not in seen:
            seen.add(current.full_name)
            for field in current.fields:
                if OUTPUT_ONLY in behaviors(field):
                    continue
                yield field
                if field.message_type is not None:
                    waiting.append(message_of(field))


def resource(message: Descriptor) -> FieldDescriptor | None:
    """Gives the field that an `update_mask` is about, or None if a message has no mask.

    Raises:
        BuildError: It is not clear which field that is.
    """
    mask = message.fields_by_name.get("update_mask")
    if mask is None or mask.message_type is None or mask.message_type.full_name != "google.protobuf.FieldMask":
        return None
    found = [
        each
        for each in message.fields
        if each.message_type and not each.is_repeated and not is_well_known(message_of(each))
    ]
    if len(found) != 1:
        raise BuildError(f"{message.file.name}: {message.full_name}: update_mask needs exactly one resource beside it")
    return found[0]


def message_of(field: FieldDescriptor) -> Descriptor:
    """Gives the message type of a field that has one."""
    kind: Descriptor | None = field.message_type
    if kind is None:
        raise TypeError(f"{field.full_name} is no message")
    return kind


def is_well_known(kind: Descriptor | EnumDescriptor) -> bool:
    """Returns whether a type is one of protobuf's own."""
    return kind.full_name.startswith("google.protobuf.")


def is_wrapper(kind: Descriptor) -> bool:
    """Returns whether a message is one that only gives a scalar presence."""
    return bool(kind.file.name == "google/protobuf/wrappers.proto")


def is_map(field: FieldDescriptor) -> bool:
    """Returns whether a field is a map."""
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)
