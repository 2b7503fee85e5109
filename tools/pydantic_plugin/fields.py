"""How the fields of messages look in a model, as source text."""

import keyword
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from pydantic import Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import SchemaError

from echomind_lib.contract import ProtoEnum
from echomind_lib.contract import rules as rules_module
from echomind_lib.contract import types as types_module
from echomind_lib.contract.behavior import REQUIRED, behaviors
from tools.pydantic_plugin.contract import BuildError, Contract, Path, is_map, is_well_known, is_wrapper, message_of
from tools.pydantic_plugin.naming import class_name, field_name, member_name, paragraphs
from tools.pydantic_plugin.rules import Constraint, UntranslatableRuleError, case_of


def _same(source: str) -> str:
    return source


@dataclass(frozen=True)
class Value:
    """How one value looks.

    Attributes:
        kind: Source of its type.
        zero: Source of its zero value.
        read: Gives the source that reads it, of the source of the message's field.
        write: Gives the source that writes it, of the source of the model's field.
    """

    kind: str
    zero: str
    read: Callable[[str], str] = _same
    write: Callable[[str], str] = _same


@dataclass(frozen=True)
class Shape(Value):
    """How a whole field looks; `default` is None where it must be given."""

    default: str | None = None


FD = FieldDescriptor
_INT32, _UINT32 = Value("_t.Int32", "0"), Value("_t.UInt32", "0")
_INT64, _UINT64 = Value("_t.Int64", "0"), Value("_t.UInt64", "0")
_SCALARS = {
    FD.TYPE_DOUBLE: Value("_t.Float", "0.0"),
    FD.TYPE_FLOAT: Value("_t.Float32", "0.0"),
    FD.TYPE_BOOL: Value("bool", "False"),
    FD.TYPE_STRING: Value("str", '""'),
    FD.TYPE_BYTES: Value("_t.Bytes", 'b""'),
    **dict.fromkeys((FD.TYPE_INT32, FD.TYPE_SINT32, FD.TYPE_SFIXED32), _INT32),
    **dict.fromkeys((FD.TYPE_INT64, FD.TYPE_SINT64, FD.TYPE_SFIXED64), _INT64),
    **dict.fromkeys((FD.TYPE_UINT32, FD.TYPE_FIXED32), _UINT32),
    **dict.fromkeys((FD.TYPE_UINT64, FD.TYPE_FIXED64), _UINT64),
}
# upb accepts datetime, timedelta, dict and list for the first four.
_WELL_KNOWN = {
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
_ANNOTATION_NAMES = {
    "_r": rules_module,
    "_t": types_module,
    "Annotated": Annotated,
    "Field": Field,
    "UTC": UTC,
    "datetime": datetime,
    "timedelta": timedelta,
}
_IGNORE_IF_ZERO_VALUE = 1
_NAME_WORDS = {"name", "title", "email", "groups", "tags"}
"""The last words of the fields that name something."""


@dataclass(frozen=True)
class ModelField:
    """One field of a model.

    Attributes:
        proto: Its name in the contract.
        name: Its name in Python.
        shape: How it looks.
        description: Its comment.
        aliases: The names that it has in JSON, where they do not follow from its Python name; the first is written.
        presence: Whether it may be not set.
    """

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
        """Its line in the class of a partial update, where nothing must be given, and null is still no value."""
        return self._line(self.shape.kind, self.shape.zero)

    def _line(self, kind: str, default: str | None) -> str:
        arguments = []
        if default is not None:
            arguments.append(f"default_factory={default[:-2]}" if default.endswith("()") else f"default={default}")
        if self.aliases:
            names = ", ".join(map(repr, self.aliases))
            arguments.append(f"validation_alias={names if len(self.aliases) == 1 else f'AliasChoices({names})'}")
            arguments.append(f"serialization_alias={self.aliases[0]!r}")
        arguments.append(f"description={self.description!r}")
        return f"{self.name}: {kind} = Field({', '.join(arguments)})"


class Fields:
    """Makes the fields of models."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract

    def field(self, field: FieldDescriptor, path: Path, resource: FieldDescriptor | None) -> ModelField:
        """Makes one field.

        Args:
            field: The field in the contract.
            path: Where its message is in the file.
            resource: The field of the message that its update mask is about, if it has one.

        Raises:
            BuildError: A model cannot express it.
        """
        message: Any = field.containing_type
        where = f"{message.file.name}: {message.full_name}.{field.name}"
        try:
            shape = self._shape(field, self._contract.rules(field, "FieldOptions", "field"))
        except UntranslatableRuleError as error:
            raise BuildError(f"{where}: the rule {error} has no translation") from error
        except BuildError as error:
            raise BuildError(f"{where}: {error}") from error
        if resource is not None and field.name == resource.name:
            shape = replace(shape, kind=f"{class_name(message_of(resource))}Patch", default=None)
        elif resource is not None and field.name == "update_mask":
            names = ", ".join(repr(one.name) for one in message_of(resource).fields)
            kind = f"Annotated[_t.FieldMask, Field(min_length=1), _r.fields_of({names})]"
            shape = replace(shape, kind=kind, default=None)
        name = field_name(field)
        aliases = [field.json_name] if name != field.name or to_camel(name) != field.json_name else []
        return ModelField(
            proto=field.name,
            name=name,
            shape=shape,
            description=paragraphs(self._contract.comment(message.file, (*path, 2, field.index))),
            aliases=tuple(dict.fromkeys([*aliases, *([field.name] if aliases else [])])),
            presence=field.has_presence,
        )

    def bounds(self, field: FieldDescriptor) -> tuple[float | None, float | None]:
        """Returns the least and the largest number that a field may have, of a list its items; None for no bound."""
        rules = self._contract.rules(field, "FieldOptions", "field")
        case = case_of(field)
        if rules is not None and field.is_repeated:
            rules = rules.repeated.items
        own = getattr(rules, case) if rules is not None and case is not None else None
        given = {descriptor.name: value for descriptor, value in own.ListFields()} if own is not None else {}
        bounds = (value if isinstance(value := given.get(name), int | float) else None for name in ("gte", "lte"))
        low, high = (int(bound) if bound is not None and bound == int(bound) else bound for bound in bounds)
        return low, high

    def _shape(self, field: FieldDescriptor, rules: Any) -> Shape:
        required = REQUIRED in behaviors(field)
        if required and field.is_repeated:
            raise BuildError("REQUIRED says nothing of a list: give it min_items or min_pairs")
        if is_map(field):
            return self._map(field, rules)
        if field.is_repeated:
            return self._list(field, rules)
        value = _value(field)
        constraint = _constraint(field, rules)
        kind = constraint.annotate(value.kind)
        refused = kind != value.kind and _refuses(kind, value.zero, field.enum_type)
        if not field.has_presence:
            if required and not refused:
                constraint.metadata.insert(0, _unlike_zero(field))
                kind, refused = constraint.annotate(value.kind), True
            return Shape(kind, value.zero, value.read, value.write, None if refused else value.zero)

        def write(source: str) -> str:
            return source if value.write is _same else f"None if {source} is None else {value.write(source)}"

        if required or (rules is not None and rules.required):
            return Shape(kind, "None", value.read, write, None)
        return Shape(f"{kind} | None", "None", value.read, write, "None")

    def _list(self, field: FieldDescriptor, rules: Any) -> Shape:
        value = _value(field)
        own, given = _container(rules, "repeated")
        item = _item(field, value, given, "items")
        return Shape(
            own.annotate(f"list[{item}]"),
            "list()",
            lambda source: f"list({source})" if value.read is _same else f"[{value.read('each')} for each in {source}]",
            lambda source: source if value.write is _same else f"[{value.write('each')} for each in {source}]",
            None if rules is not None and (rules.required or given.min_items) else "list()",
        )

    def _map(self, field: FieldDescriptor, rules: Any) -> Shape:
        key_field, value_field = message_of(field).fields
        value = _value(value_field)
        own, given = _container(rules, "map")
        key = _item(key_field, _value(key_field), given, "keys")

        def each(source: str, one: Callable[[str], str]) -> str:
            return f"{{key: {one('each')} for key, each in {source}.items()}}"

        return Shape(
            own.annotate(f"dict[{key}, {_item(value_field, value, given, 'values')}]"),
            "dict()",
            lambda source: f"dict({source})" if value.read is _same else each(source, value.read),
            lambda source: source if value.write is _same else each(source, value.write),
            None if rules is not None and (rules.required or given.min_pairs) else "dict()",
        )


def _value(field: FieldDescriptor) -> Value:
    """Says how one value of a field looks; of a list, one item."""
    if field.enum_type is not None:
        name = class_name(field.enum_type)
        zero = f"{name}.{member_name(field.enum_type, 0)}"
        return Value(name, zero, f"{name}.numbers.get({{0}}, {{0}})".format, "{}.number".format)
    if field.message_type is None:
        return _SCALARS[field.type]
    message = message_of(field)
    if message.full_name in _WELL_KNOWN:
        return _WELL_KNOWN[message.full_name]
    if is_wrapper(message):
        kind = _SCALARS[message.fields_by_name["value"].type].kind
        return Value(kind, "None", "{}.value".format, f"wrappers_pb2.{message.name}(value={{}})".format)
    if is_well_known(message):
        raise BuildError(f"{message.full_name} has no model")
    name = class_name(message)
    return Value(name, "None", f"{name}.read_pb({{}})".format, "{}.to_pb()".format)


def _constraint(field: FieldDescriptor, rules: Any) -> Constraint:
    """Translates the rules of one value: of a field, an item, a map's key or a map's value."""
    constraint = Constraint()
    if rules is None:
        return constraint
    enum: Any = field.enum_type

    def member(number: int) -> str:
        return f"{class_name(enum)}.{member_name(enum, number)}"

    for descriptor, value in rules.ListFields():
        if descriptor.name == case_of(field):
            constraint.add(descriptor.name, value, member)
        elif descriptor.name not in {"required", "ignore"}:
            raise UntranslatableRuleError(descriptor.name)
    if rules.required and not field.has_presence:
        constraint.metadata.append(_unlike_zero(field))
    if field.type == FD.TYPE_STRING and field.name.rpartition("_")[2] in _NAME_WORDS:
        constraint.metadata.append("_r.NAME")
    if rules.ignore == _IGNORE_IF_ZERO_VALUE:
        constraint.metadata.append("_r.UNLESS_ZERO")
    elif rules.ignore:
        raise UntranslatableRuleError("ignore")
    return constraint


def _unlike_zero(field: FieldDescriptor) -> str:
    """Gives the rule that a value is not the zero one."""
    enum: Any = field.enum_type
    if enum is not None:
        return f"_r.none_of({class_name(enum)}.{member_name(enum, 0)})"
    return "_r.SET_TEXT" if field.type == FD.TYPE_STRING else "_r.SET"


def _container(rules: Any, case: str) -> tuple[Constraint, Any]:
    """Translates the rules of a list or map as a whole, and gives those that are about its parts."""
    constraint = Constraint()
    if rules is None:
        return constraint, None
    for descriptor, _ in rules.ListFields():
        if descriptor.name not in {"required", case}:
            raise UntranslatableRuleError(descriptor.name)
    given = getattr(rules, case)
    own = type(given).FromString(given.SerializeToString())
    for part in {"items", "keys", "values"} & set(own.DESCRIPTOR.fields_by_name):
        own.ClearField(part)
    constraint.add(case, own, str)
    if rules.required:
        constraint.metadata.append("_r.SET")
    return constraint, given


def _item(field: FieldDescriptor, value: Value, given: Any, part: str) -> str:
    """Gives the annotation of an item, a key or a value."""
    rules = getattr(given, part) if given is not None and given.HasField(part) else None
    kind = _constraint(field, rules).annotate(value.kind)
    if kind != value.kind:
        _refuses(kind, value.zero, field.enum_type)
    return kind


def _refuses(kind: str, zero: str, enum: EnumDescriptor | None) -> bool:
    """Asks Pydantic whether an annotation refuses a zero value; finds out as well that it is a usable annotation."""
    space: dict[str, Any] = dict(_ANNOTATION_NAMES)
    if enum is not None:
        members = {member_name(enum, value.number): (value.name, value.number) for value in enum.values}
        make: Any = ProtoEnum  # the functional API, for enums with dynamic names
        space[class_name(enum)] = make(class_name(enum), members)
    try:
        TypeAdapter(eval(kind, space)).validate_python(eval(zero, space))
    except SchemaError as error:
        raise UntranslatableRuleError(f"{kind}: {error}") from error
    except ValidationError:
        return True
    return False
