"""The names that things of the contract get in Python."""

import keyword
import re
from pathlib import PurePosixPath

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor

from echomind_lib.contract import ProtoModel

# Names that a generated module imports or uses: classes of the contract must not have them.
TAKEN = {
    *(
        "ABC",
        "AliasChoices",
        "Annotated",
        "Any",
        "AsyncIterator",
        "CallContext",
        "ClassVar",
        "Empty",
        "Field",
        "Message",
    ),
    *("Method", "OneofModel", "PatchModel", "ProtoEnum", "ProtoModel", "UTC", "UpdateModel", "datetime", "timedelta"),
    *("bool", "bytes", "classmethod", "dict", "float", "int", "list", "pb", "property", "str"),
}
# Names that fields must not have: they would shadow annotations after them, or methods of the model.
TAKEN_IN_CLASS = {*TAKEN, *dir(ProtoModel)}


def snake(name: str) -> str:
    """Writes a CamelCase name in snake_case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def field_name(field: FieldDescriptor) -> str:
    """Returns names a field: with an underscore at its end where its own name is taken."""
    return f"{field.name}_" if keyword.iskeyword(field.name) or field.name in TAKEN_IN_CLASS else field.name


def class_name(descriptor: Descriptor | EnumDescriptor) -> str:
    """Returns names the class of a message or enum: those that it is nested in come first."""
    return descriptor.full_name.removeprefix(f"{descriptor.file.package}.").replace(".", "")


def member_name(enum: EnumDescriptor, number: int) -> str:
    """Returns names a member of an enum: without the prefix that all of them have."""
    full: str = enum.values_by_number[number].name
    short = full.removeprefix(f"{snake(enum.name).upper()}_")
    return full if short[0].isdigit() or keyword.iskeyword(short) else short


def module_path(file: FileDescriptor, root: str) -> PurePosixPath:
    """Places the module of a file: `public/user` for `echomind/public/v1/user.proto` with the root `echomind`."""
    parts = file.name.removesuffix(".proto").removeprefix(f"{root}/").split("/")
    return PurePosixPath(*(part for part in parts if not re.fullmatch(r"v\d+\w*", part)))


def docstring(comment: str, indent: int) -> str:
    """Writes a comment as the inside of a docstring."""
    lines = [line.strip() for line in comment.strip().replace("\\", "\\\\").replace('"""', "'''").splitlines()]
    text = re.sub(r"[ \t]+\n", "\n", f"\n{' ' * indent}".join(lines))
    return f"{text}\n{' ' * indent}" if len(lines) > 1 else text


def paragraphs(comment: str) -> str:
    """Joins the lines of a comment; what an empty line parts stays apart."""
    parts = "\n".join(line.strip() for line in comment.strip().splitlines()).split("\n\n")
    return "\n\n".join(part.replace("\n", " ") for part in parts)
