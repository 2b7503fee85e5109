"""protoc plugin: Pydantic models and typed service interfaces, with the constraints of buf.validate.

Run as `python -m tools.protoc_gen_pydantic` in the repository's root, by buf. Options, separated by commas:
    root: first part of the proto path, left out of the modules' names; so is a version part (`v1`).
    models: Python package of the models. pb: Python package of the protobuf messages.

`echomind/public/v1/user.proto` becomes `public/user.py`; every folder gets an `__init__.py` that exports all its names.
The build fails on what it cannot express: rules without translation, client streaming, `Any`, anything but proto3.
"""

import keyword
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import jinja2
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.compiler import plugin_pb2
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor, MethodDescriptor
from google.protobuf.message import Message
from pydantic import Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import SchemaError

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import rules as rules_of_runtime
from echomind_lib.contract import types as types_of_runtime
from tools.pydantic_rules import Constraint, UntranslatableRuleError, case_of


def _same(source: str) -> str:
    return source


@dataclass(frozen=True)
class Value:
    """How one value of a field looks in a model.

    Attributes:
        kind: Source of its type.
        zero: Source of its zero value.
        read: Gives the source that reads it from a message, of the source of the message's field.
        write: Gives the source that writes it to a message, of the source of the model's field.
    """

    kind: str
    zero: str
    read: Callable[[str], str] = _same
    write: Callable[[str], str] = _same


FD = FieldDescriptor
RUNTIME = "echomind_lib.contract"
IGNORE_IF_ZERO_VALUE = 1
# What the source of an annotation may name.
RULE_NAMES = {
    "_r": rules_of_runtime,
    "_t": types_of_runtime,
    "Annotated": Annotated,
    "Field": Field,
    "UTC": UTC,
    "datetime": datetime,
    "timedelta": timedelta,
}
SCALARS = {
    FD.TYPE_DOUBLE: ("_t.Float", "0.0"),
    FD.TYPE_FLOAT: ("_t.Float32", "0.0"),
    FD.TYPE_BOOL: ("bool", "False"),
    FD.TYPE_STRING: ("str", '""'),
    FD.TYPE_BYTES: ("_t.Bytes", 'b""'),
    FD.TYPE_INT32: ("_t.Int32", "0"),
    FD.TYPE_SINT32: ("_t.Int32", "0"),
    FD.TYPE_SFIXED32: ("_t.Int32", "0"),
    FD.TYPE_UINT32: ("_t.UInt32", "0"),
    FD.TYPE_FIXED32: ("_t.UInt32", "0"),
    FD.TYPE_INT64: ("_t.Int64", "0"),
    FD.TYPE_SINT64: ("_t.Int64", "0"),
    FD.TYPE_SFIXED64: ("_t.Int64", "0"),
    FD.TYPE_UINT64: ("_t.UInt64", "0"),
    FD.TYPE_FIXED64: ("_t.UInt64", "0"),
}
WELL_KNOWN = {
    "google.protobuf.Timestamp": Value("_t.Timestamp", "None", "{}.ToDatetime(UTC)".format),
    "google.protobuf.Duration": Value("_t.Duration", "None", "{}.ToTimedelta()".format),
    "google.protobuf.Struct": Value("_t.Struct", "None", "_t.from_struct({})".format),
    "google.protobuf.ListValue": Value("_t.ListValue", "None", "_t.from_struct({})".format),
    "google.protobuf.Value": Value("_t.Value", "None", "_t.from_struct({})".format, "_t.to_value({})".format),
    "google.protobuf.FieldMask": Value(
        "_t.FieldMask", "None", "list({}.paths)".format, "field_mask_pb2.FieldMask(paths={})".format
    ),
    "google.protobuf.Empty": Value("Empty", "None", "Empty.read_pb({})".format, "{}.to_pb()".format),
}
# Names that a class of the contract or a field must not take in a generated module.
TEMPLATE_NAMES = {
    *(
        "ABC",
        "Annotated",
        "Any",
        "AliasChoices",
        "AsyncIterator",
        "CallContext",
        "ClassVar",
        "Empty",
        "Field",
        "Mapping",
    ),
    *("Method", "OneofModel", "PatchModel", "ProtoEnum", "ProtoModel", "UpdateModel", "UTC", "datetime", "timedelta"),
    *("pb", "str", "bool", "list", "dict", "int", "float", "bytes", "property", "classmethod"),
}
FIELD_NAMES = {*TEMPLATE_NAMES, *dir(ProtoModel), "to_pb"}


class BuildError(Exception):
    """The contract says something that the models cannot express."""


@dataclass(frozen=True)
class Shape:
    """How a whole field looks in a model: as `Value`, with its default, which is None where it must be given."""

    kind: str
    default: str | None
    zero: str
    read: Callable[[str], str]
    write: Callable[[str], str]


@dataclass(frozen=True)
class ModelField:
    """One field of a model."""

    proto: str
    name: str
    shape: Shape
    description: str
    aliases: tuple[str, ...]
    presence: bool

    @property
    def is_keyword(self) -> bool:
        """Whether Python cannot spell its proto name as an attribute."""
        return keyword.iskeyword(self.proto)

    @property
    def read(self) -> str:
        """Source that reads it from `message`."""
        return self.shape.read(f'getattr(message, "{self.proto}")' if self.is_keyword else f"message.{self.proto}")

    @property
    def write(self) -> str:
        """Source that writes it to a message."""
        return self.shape.write(f"self.{self.name}")

    @property
    def line(self) -> str:
        """Its line in the class."""
        return self._line(self.shape.kind, self.shape.default)

    @property
    def patch_line(self) -> str:
        """Its line in the class of a partial update, where nothing must be given."""
        optional = " | None" * (self.shape.zero == "None")
        return self._line(self.shape.kind + optional, self.shape.zero)

    def _line(self, kind: str, default: str | None) -> str:
        arguments = []
        if default is not None:
            factory = {"list()": "list", "[]": "list", "dict()": "dict", "{}": "dict"}.get(default)
            arguments.append(f"default_factory={factory}" if factory else f"default={default}")
        if self.aliases:
            names = ", ".join(map(repr, self.aliases))
            arguments.append(f"validation_alias={names if len(self.aliases) == 1 else f'AliasChoices({names})'}")
            arguments.append(f"serialization_alias={self.aliases[0]!r}")
        arguments.append(f"description={self.description!r}")
        return f"{self.name}: {kind} = Field({', '.join(arguments)})"


def snake(name: str) -> str:
    """Writes a CamelCase name in snake_case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def paragraph(comment: str) -> str:
    """Joins the lines of a comment's paragraphs; paragraphs stay apart."""
    lines = [line.strip() for line in comment.strip().splitlines()]
    return "\n\n".join(" ".join(part.split("\n")) for part in "\n".join(lines).split("\n\n"))


def docstring(comment: str, indent: int) -> str:
    """Writes a comment as the inside of a docstring."""
    lines = [line.strip() for line in comment.strip().replace("\\", "\\\\").replace('"""', "'''").splitlines()]
    text = "\n".join(" " * indent + line if line and number else line for number, line in enumerate(lines))
    return f"{text}\n{' ' * indent}" if len(lines) > 1 else text


def field_name(one: FieldDescriptor) -> str:
    """Names a field in Python: with an underscore at the end where its name means something else already."""
    return f"{one.name}_" if keyword.iskeyword(one.name) or one.name in FIELD_NAMES else one.name


def class_name(descriptor: Descriptor | EnumDescriptor) -> str:
    """Names the class of a message or enum; the names of those around it come first."""
    return descriptor.full_name.removeprefix(descriptor.file.package + ".").replace(".", "")


def member_name(enum: EnumDescriptor, number: int) -> str:
    """Names a member of an enum: without the enum's prefix."""
    full = enum.values_by_number[number].name
    short = full.removeprefix(snake(enum.name).upper() + "_")
    return full if short[0].isdigit() or keyword.iskeyword(short) or short == "mro" else short


class Contract:
    """The files of a request, with their rules and comments."""

    def __init__(self, request: plugin_pb2.CodeGeneratorRequest) -> None:
        self.pool = descriptor_pool.DescriptorPool()
        for proto in request.proto_file:
            self.pool.AddSerializedFile(proto.SerializeToString())
        self.files = [self.pool.FindFileByName(name) for name in sorted(request.file_to_generate)]
        self.comments = {
            (proto.name, tuple(location.path)): location.leading_comments or location.trailing_comments
            for proto in request.proto_file
            for location in proto.source_code_info.location
        }
        for proto in request.proto_file:
            if proto.name in request.file_to_generate and proto.syntax != "proto3":
                raise BuildError(f"{proto.name}: must be proto3")
        self.patched = {
            resource.message_type.full_name
            for file in self.files
            for message, _ in self.messages(file)
            if (resource := self.resource(message)) is not None
        }

    def rules(self, descriptor: Any, kind: str, extension: str) -> Message | None:
        """Gives the rules of a field, message or oneof, read through the request's own descriptors."""
        try:
            number = self.pool.FindExtensionByName(f"buf.validate.{extension}")
        except KeyError:  # no file imports buf/validate/validate.proto
            return None
        options = message_factory.GetMessageClass(
            self.pool.FindMessageTypeByName(f"google.protobuf.{kind}")
        ).FromString(descriptor.GetOptions().SerializeToString())
        return options.Extensions[number] if options.HasExtension(number) else None

    def messages(self, file: FileDescriptor) -> Iterator[tuple[Descriptor, tuple[int, ...]]]:
        """Lists the messages of a file with their paths, nested ones first."""
        yield from self._nested(file.message_types_by_name.values(), (4,))

    def _nested(
        self, messages: Iterable[Descriptor], path: tuple[int, ...]
    ) -> Iterator[tuple[Descriptor, tuple[int, ...]]]:
        for index, message in enumerate(messages):
            if not message.GetOptions().map_entry:
                yield from self._nested(message.nested_types, (*path, index, 3))
                yield message, (*path, index)

    def ordered(self, file: FileDescriptor) -> list[tuple[Descriptor, tuple[int, ...]]]:
        """Lists the messages of a file so that each comes after those that it uses, as far as they form no circle."""
        paths = {message.full_name: (message, path) for message, path in self.messages(file)}
        done: dict[str, tuple[Descriptor, tuple[int, ...]]] = {}

        def visit(name: str, above: frozenset[str]) -> None:
            if name in done or name in above or name not in paths:
                return
            for used in used_types(paths[name][0]):
                visit(used.full_name, above | {name})
            done[name] = paths[name]

        for name in paths:
            visit(name, frozenset())
        return list(done.values())

    @staticmethod
    def resource(message: Descriptor) -> FieldDescriptor | None:
        """Gives the field that an `update_mask` is about, or None if the message has no mask."""
        mask = message.fields_by_name.get("update_mask")
        if mask is None or mask.message_type is None or mask.message_type.full_name != "google.protobuf.FieldMask":
            return None
        found = [
            f for f in message.fields if f.message_type and not f.is_repeated and not is_well_known(f.message_type)
        ]
        if len(found) != 1:
            raise BuildError(f"{message.file.name}: {message.full_name}: needs one resource for update_mask")
        return found[0]


def is_well_known(message: Descriptor) -> bool:
    """Whether a message is one of protobuf's own."""
    return message.full_name.startswith("google.protobuf.")


def is_map(descriptor: FieldDescriptor) -> bool:
    """Whether a field is a map."""
    return descriptor.message_type is not None and descriptor.message_type.GetOptions().map_entry


def used_types(message: Descriptor) -> Iterator[Descriptor | EnumDescriptor]:
    """Lists the contract's own types in a message's fields."""
    for one in message.fields:
        for part in [*one.message_type.fields] if is_map(one) else [one]:
            kind = part.enum_type or part.message_type
            if kind is not None and not kind.full_name.startswith("google.protobuf."):
                yield kind


class Models:
    """Renders the modules of a contract."""

    def __init__(self, contract: Contract, options: dict[str, str]) -> None:
        self.contract = contract
        self.root = options["root"]
        self.package = options["models"]
        self.pb = options["pb"]
        environment = jinja2.Environment(
            trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined
        )
        self.template = environment.from_string(Path(__file__).with_name("models.py.jinja").read_text())

    def module(self, file: FileDescriptor) -> PurePosixPath:
        """Gives the path of a file's module, without suffix."""
        parts = file.name.removesuffix(".proto").removeprefix(f"{self.root}/").split("/")
        return PurePosixPath(*(part for part in parts if not re.fullmatch(r"v\d+\w*", part)))

    def modules(self) -> Iterator[tuple[str, str]]:
        """Renders every module, with the `__init__.py` of every folder."""
        exports: dict[PurePosixPath, dict[str, str]] = defaultdict(dict)
        for file in self.contract.files:
            module = self.module(file)
            names = [*self._names(file)]
            for name in names:
                if name in exports[module.parent] or name in TEMPLATE_NAMES:
                    raise BuildError(f"{file.name}: {name}: a name that is taken already")
                exports[module.parent][name] = module.name
            yield f"{module}.py", self.render(file)
        for folder, names_of in exports.items():
            dotted = ".".join([self.package, *folder.parts])
            lines = [f'"""The models and services of {"/".join(folder.parts)}, generated from the contract."""\n']
            lines += [f"from {dotted}.{module} import {name}" for name, module in sorted(names_of.items())]
            lines.append(f"\n__all__ = {sorted(names_of)!r}")
            yield f"{folder}/__init__.py", "\n".join(lines) + "\n"
        yield (
            "__init__.py",
            '"""The contract as Pydantic models and service interfaces, generated from the contract."""\n',
        )

    def _names(self, file: FileDescriptor) -> Iterator[str]:
        yield from (class_name(enum) for enum, _ in self._enums(file))
        for message, _ in self.contract.messages(file):
            yield class_name(message)
            if message.full_name in self.contract.patched:
                yield f"{class_name(message)}Patch"
        yield from file.services_by_name

    def _enums(self, file: FileDescriptor) -> Iterator[tuple[EnumDescriptor, tuple[int, ...]]]:
        for index, enum in enumerate(file.enum_types_by_name.values()):
            yield enum, (5, index)
        for message, path in self.contract.messages(file):
            for index, enum in enumerate(message.enum_types):
                yield enum, (*path, 4, index)

    def render(self, file: FileDescriptor) -> str:
        """Renders one module."""
        doc = lambda path, indent: docstring(self.contract.comments.get((file.name, path), ""), indent)  # noqa: E731
        module = file.name.removesuffix(".proto").replace("/", ".")
        messages = [self._message(message, path) for message, path in self.contract.ordered(file)]
        return self.template.render(
            source=f"src/proto/{file.name}",
            doc=doc((12,), 0),
            runtime=RUNTIME,
            pb_package=".".join([self.pb, *module.split(".")[:-1]]),
            pb_module=module.split(".")[-1] + "_pb2",
            imports=sorted(self._imports(file)),
            enums=[
                {
                    "name": class_name(enum),
                    "doc": doc(path, 4),
                    "members": [
                        {
                            "name": member_name(enum, value.number),
                            "full": value.name,
                            "number": value.number,
                            "doc": doc((*path, 2, value.index), 4),
                        }
                        for value in enum.values
                    ],
                }
                for enum, path in self._enums(file)
            ],
            messages=messages,
            services=[
                {
                    "name": service.name,
                    "doc": doc((6, index), 4),
                    "methods": [
                        self._method(m, doc((6, index, 2, place), 8)) for place, m in enumerate(service.methods)
                    ],
                }
                for index, service in enumerate(file.services_by_name.values())
            ],
        )

    def _imports(self, file: FileDescriptor) -> Iterator[tuple[str, str]]:
        used = [kind for message, _ in self.contract.messages(file) for kind in used_types(message)]
        for service in file.services_by_name.values():
            used += [kind for m in service.methods for kind in (m.input_type, m.output_type) if not is_well_known(kind)]
        names = {(kind.file, class_name(kind)) for kind in used}
        for message, _ in self.contract.messages(file):
            if (resource := self.contract.resource(message)) is not None:
                names.add((resource.message_type.file, f"{class_name(resource.message_type)}Patch"))
        for source, name in names:
            if source.name != file.name:
                yield ".".join([self.package, *self.module(source).parts]), name

    def _method(self, method: MethodDescriptor, doc: str) -> dict[str, Any]:
        if method.client_streaming:
            raise BuildError(f"{method.containing_service.file.name}: {method.full_name}: a client may not stream")
        output = method.output_type
        same_file = output.file.name == method.containing_service.file.name
        return {
            "pb": method.name,
            "name": snake(method.name),
            "input": "Empty" if is_well_known(method.input_type) else class_name(method.input_type),
            "output": "Empty" if is_well_known(output) else class_name(output),
            "message": f"pb.{output.name}" if same_file else "Any",
            "streams": method.server_streaming,
            "doc": doc,
        }

    def _message(self, message: Descriptor, path: tuple[int, ...]) -> dict[str, Any]:
        where = f"{message.file.name}: {message.full_name}"
        if (rules := self.contract.rules(message, "MessageOptions", "message")) is not None and rules.ListFields():
            names = ", ".join(descriptor.name for descriptor, _ in rules.ListFields())
            raise BuildError(f"{where}: cannot translate the rule {names}")
        resource = self.contract.resource(message)
        fields = [self._field(one, path, resource) for one in message.fields]
        if len({one.name for one in fields}) != len(fields):
            raise BuildError(f"{where}: two fields have one name in Python")
        oneofs = [one for one in message.oneofs if not (len(one.fields) == 1 and one.name == f"_{one.fields[0].name}")]
        comment = self.contract.comments.get((message.file.name, path), "")
        required = [one.name for one in oneofs if self._is_required(one)]
        names = {one.proto: one.name for one in fields}
        return {
            "name": class_name(message),
            "pb": message.full_name.removeprefix(message.file.package + "."),
            "doc": docstring(comment, 4),
            "base": ", ".join(["UpdateModel"] * bool(resource) + ["OneofModel"] * bool(oneofs)) or "ProtoModel",
            "enums": [(names[f.name], class_name(f.enum_type)) for f in message.fields if f.enum_type],
            "oneofs": {one.name: tuple(names[f.name] for f in one.fields) for one in oneofs},
            "required_oneofs": required,
            "resource": resource
            and {"name": names[resource.name], "kind": f"{class_name(resource.message_type)}Patch"},
            "fields": fields,
            "keywords": [one for one in fields if one.is_keyword],
            "patch": message.full_name in self.contract.patched,
        }

    def _is_required(self, oneof: Any) -> bool:
        rules = self.contract.rules(oneof, "OneofOptions", "oneof")
        return bool(rules is not None and rules.required)  # type: ignore[attr-defined]

    def _value(self, one: FieldDescriptor) -> Value:
        """Says how one value of a field looks, an item's of a list too."""
        if one.enum_type is not None:
            name = class_name(one.enum_type)
            zero = f"{name}.{member_name(one.enum_type, 0)}"
            return Value(name, zero, f"{name}.numbers.get({{0}}, {{0}})".format, "{}.number".format)
        if one.message_type is None:
            return Value(*SCALARS[one.type])
        if (value := WELL_KNOWN.get(one.message_type.full_name)) is not None:
            return value
        if one.message_type.file.name == "google/protobuf/wrappers.proto":
            kind, _ = SCALARS[one.message_type.fields_by_name["value"].type]
            return Value(kind, "None", "{}.value".format, f"wrappers_pb2.{one.message_type.name}(value={{}})".format)
        if is_well_known(one.message_type):
            raise BuildError(f"there is no model for {one.message_type.full_name}")
        name = class_name(one.message_type)
        return Value(name, "None", f"{name}.read_pb({{}})".format, "{}.to_pb()".format)

    def _constraint(self, one: FieldDescriptor, rules: Any) -> Constraint:
        """Translates the rules of one value: of a field, of an item, of a map's key or value."""
        constraint = Constraint()
        if rules is None:
            return constraint
        enum = one.enum_type
        member = lambda number: f"{class_name(enum)}.{member_name(enum, number)}"  # noqa: E731
        for descriptor, value in rules.ListFields():
            name = descriptor.name
            if name not in {"required", "ignore"}:
                if name != case_of(one):
                    raise UntranslatableRuleError(name)
                constraint.add(name, value, member)
        if rules.required and not one.has_presence:
            constraint.metadata.append(f"_r.none_of({member(0)})" if enum else "_r.SET")
        if rules.ignore not in {0, IGNORE_IF_ZERO_VALUE}:
            raise UntranslatableRuleError("ignore")
        if rules.ignore:
            constraint.metadata.append("_r.UNLESS_ZERO")
        return constraint

    def _refuses(self, kind: str, zero: str, enum: EnumDescriptor | None) -> bool:
        """Asks Pydantic whether an annotation refuses a zero value; finds out as well that it is a usable one."""
        space = dict(RULE_NAMES)
        if enum is not None:
            members = [(member_name(enum, value.number), (value.name, value.number)) for value in enum.values]
            space[class_name(enum)] = ProtoEnum(class_name(enum), members)  # type: ignore[call-overload]
        try:
            adapter: TypeAdapter[Any] = TypeAdapter(eval(kind, space))
            adapter.validate_python(eval(zero, space))
        except SchemaError as error:
            raise UntranslatableRuleError(f"{kind}: {error}") from error
        except ValidationError:
            return True
        return False

    def _field(self, one: FieldDescriptor, path: tuple[int, ...], resource: FieldDescriptor | None) -> ModelField:
        message = one.containing_type
        try:
            shape = self._shape(one)
        except UntranslatableRuleError as error:
            raise BuildError(
                f"{message.file.name}: {message.full_name}.{one.name}: no translation of {error}"
            ) from error
        except BuildError as error:
            raise BuildError(f"{message.file.name}: {message.full_name}.{one.name}: {error}") from error
        if resource is not None and one.name == "update_mask":
            names = ", ".join(repr(field_name(each)) for each in resource.message_type.fields)
            kind = f"Annotated[_t.FieldMask, Field(min_length=1), _r.fields_of({names})]"
            shape = replace(shape, kind=kind, default=None)
        if resource is not None and one.name == resource.name:
            shape = replace(shape, kind=f"{class_name(resource.message_type)}Patch", default=None)
        name = field_name(one)
        aliases = (one.json_name,) if name != one.name or to_camel(name) != one.json_name else ()
        return ModelField(
            proto=one.name,
            name=name,
            shape=shape,
            description=paragraph(self.contract.comments.get((message.file.name, (*path, 2, one.index)), "")),
            aliases=(*aliases, one.name) if aliases and one.name != one.json_name else aliases,
            presence=one.has_presence,
        )

    def _shape(self, one: FieldDescriptor) -> Shape:
        rules: Any = self.contract.rules(one, "FieldOptions", "field")
        if is_map(one):
            return self._map(one, rules)
        if one.is_repeated:
            return self._list(one, rules)
        value = self._value(one)
        kind = self._annotation(one, value, rules)
        if not one.has_presence:
            refuses = kind != value.kind and self._refuses(kind, value.zero, one.enum_type)
            return Shape(kind, None if refuses else value.zero, value.zero, value.read, value.write)

        def write(source: str) -> str:
            return source if value.write is _same else f"None if {source} is None else {value.write(source)}"

        if rules is not None and rules.required:
            return Shape(kind, None, "None", value.read, write)
        return Shape(f"{kind} | None", "None", "None", value.read, write)

    def _list(self, one: FieldDescriptor, rules: Any) -> Shape:
        value = self._value(one)
        own, given = self._container(rules, "repeated")
        item = self._annotation(one, value, None if given is None or not given.HasField("items") else given.items)
        return Shape(
            own.annotate(f"list[{item}]"),
            None if rules is not None and (rules.required or rules.repeated.min_items) else "list()",
            "[]",
            lambda source: f"list({source})" if value.read is _same else f"[{value.read('each')} for each in {source}]",
            lambda source: source if value.write is _same else f"[{value.write('each')} for each in {source}]",
        )

    def _map(self, one: FieldDescriptor, rules: Any) -> Shape:
        key_field, value_field = one.message_type.fields
        key, value = self._value(key_field), self._value(value_field)
        own, given = self._container(rules, "map")
        key_kind = self._annotation(key_field, key, None if given is None or not given.HasField("keys") else given.keys)
        kind = self._annotation(
            value_field, value, None if given is None or not given.HasField("values") else given.values
        )

        def mapped(source: str, one_value: Callable[[str], str]) -> str:
            return f"{{key: {one_value('each')} for key, each in {source}.items()}}"

        return Shape(
            own.annotate(f"dict[{key_kind}, {kind}]"),
            None if rules is not None and (rules.required or rules.map.min_pairs) else "dict()",
            "{}",
            lambda source: f"dict({source})" if value.read is _same else mapped(source, value.read),
            lambda source: source if value.write is _same else mapped(source, value.write),
        )

    def _annotation(self, one: FieldDescriptor, value: Value, rules: Any) -> str:
        """Gives the type of one value with its constraints, tried out."""
        kind = self._constraint(one, rules).annotate(value.kind)
        if kind != value.kind:
            self._refuses(kind, value.zero, one.enum_type)
        return kind

    @staticmethod
    def _container(rules: Any, case: str) -> tuple[Constraint, Any]:
        """Translates the rules of a list or map as a whole, and gives those about its parts."""
        constraint = Constraint()
        if rules is None:
            return constraint, None
        for descriptor, _ in rules.ListFields():
            if descriptor.name not in {"required", case}:
                raise UntranslatableRuleError(descriptor.name)
        given = getattr(rules, case)
        own = type(given)()
        own.CopyFrom(given)
        for part in ("items", "keys", "values"):
            if part in own.DESCRIPTOR.fields_by_name:
                own.ClearField(part)
        constraint.add(case, own, str)
        if rules.required:
            constraint.metadata.append("_r.SET")
        return constraint, given


def generate(request: plugin_pb2.CodeGeneratorRequest) -> plugin_pb2.CodeGeneratorResponse:
    """Generates the modules; what the contract does wrong is in the response's `error`."""
    response = plugin_pb2.CodeGeneratorResponse(
        supported_features=plugin_pb2.CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL
    )
    options = dict(part.split("=", 1) for part in request.parameter.split(","))
    try:
        for name, content in Models(Contract(request), options).modules():
            response.file.add(name=name, content=content)
    except BuildError as error:
        response.ClearField("file")
        response.error = str(error)
    return response


if __name__ == "__main__":
    request = plugin_pb2.CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    sys.stdout.buffer.write(generate(request).SerializeToString())
