"""Base classes of the generated models."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Annotated, Any, ClassVar, Self
from uuid import UUID

from google.protobuf import empty_pb2
from google.protobuf.message import Message
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema

from echomind_lib.contract.behavior import mark
from echomind_lib.contract.text import PATTERN
from echomind_lib.contract.types import ProtoEnum, read_mask


class ProtoModel(BaseModel):
    """A message of the API.

    Reads ProtoJSON (JSON or proto names; unknown names are rejected; null means the default), protobuf
    messages (`from_pb`) and database rows (`from_row`). In a row, and only there, NULL
    means the default, an enum is its word (`group` for `SCOPE_GROUP`), and a string may be a UUID.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        ser_json_inf_nan="strings",
        extra="forbid",
        protected_namespaces=(),
        # A process uses few of the models. Built at their first use, they cost a gateway's start a tenth less.
        defer_build=True,
    )
    __proto__: ClassVar[type[Message]]
    __enums__: ClassVar[Mapping[str, type[ProtoEnum]]] = {}
    __rewrites__: ClassVar[bool] = False
    """Whether `_read` changes data without null, too."""

    @classmethod
    def read_pb(cls, message: Any) -> dict[str, Any]:  # noqa: ARG003 - for the generated models to override
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        return {}

    def to_pb(self) -> Any:
        """Returns the model as a protobuf message."""
        return self.__proto__()

    @classmethod
    def from_pb(cls, message: Any) -> Self:
        """Returns a protobuf message as a model.

        Raises:
            pydantic.ValidationError: The message breaks a rule.
        """
        return cls.model_validate(cls.read_pb(message))

    @classmethod
    def from_row(cls, row: Any, **derived: Any) -> Self:
        """Returns a database row as a model.

        A row may be older than a rule. A value that violates one is returned unchanged, so that one row does not break
        a whole list.

        Args:
            row: The row, whose attributes have the names of fields.
            derived: Fields that are no columns, or are shown otherwise; they are not validated.

        Raises:
            pydantic.ValidationError: The row lacks a required field.
        """
        try:
            model = cls.model_validate(row, from_attributes=True)
        except ValidationError as error:
            read, names = _Row(row, cls), cls.names()
            broken = {names.get(str(part)) for problem in error.errors() for part in problem["loc"][:1]}
            values: dict[str, Any] = {}
            for name, field in cls.model_fields.items():
                if hasattr(read, name):
                    value = getattr(read, name)
                    values[name] = value if name in broken else _read_field(field, value)
                elif field.is_required():
                    raise
            import structlog  # rarely needed, and slow to import for the command line

            structlog.get_logger(__name__).warning(
                "a stored row breaks rules of the contract", model=cls.__name__, fields=sorted(map(str, broken))
            )
            model = cls.model_construct(**values)
        return model.model_copy(update=derived) if derived else model

    def to_json(self) -> bytes:
        """Returns ProtoJSON: fields that are not set are omitted, all others are included even if zero."""
        return self.__pydantic_serializer__.to_json(self, exclude_none=True)

    @classmethod
    def names(cls) -> Mapping[str, str]:
        """Returns the Python name of a field for each of its spellings."""
        return _names(cls)

    @classmethod
    def _read(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns data that has null; with `__rewrites__`, any data."""
        return {key: value for key, value in data.items() if value is not None}

    @model_validator(mode="before")
    @classmethod
    def _before(cls, data: Any) -> Any:
        if isinstance(data, dict):
            return cls._read(data) if cls.__rewrites__ or None in data.values() else data
        if isinstance(data, ProtoModel) or type(data).__module__ == "builtins":
            return data
        return _Row(data, cls)

    @classmethod
    def __get_pydantic_json_schema__(cls, source: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Marks optional fields as not required, rather than as nullable, as null is never written."""
        schema = handler(source)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        mark(properties, cls.__proto__.DESCRIPTOR)
        for field in properties.values():
            kinds = [kind for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
            if len(kinds) == 1:
                del field["anyOf"]
                field.update(kinds[0] | field)
            # A zero default is implied, and for 64-bit integers, strings in JSON, it would violate the schema.
            if not field.get("default", ...):
                del field["default"]
            field.pop("title", None)
            _exclude_nul(field)
        return schema


def _read_field(field: FieldInfo, value: Any) -> Any:
    """Reads a value of a field."""
    kind: Any = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
    return TypeAdapter(kind).validate_python(value, from_attributes=True)


def _exclude_nul(schema: dict[str, Any]) -> None:
    """Excludes U+0000 from the texts of a JSON schema, unless their pattern does already."""
    if schema.get("type") == "string" and not schema.keys() & {"pattern", "format", "enum", "const", "contentEncoding"}:
        schema["pattern"] = PATTERN
    if schema.get("type") == "object" and "$ref" not in schema:
        schema.setdefault("propertyNames", {}).setdefault("pattern", PATTERN)
    for part in (*schema.get("anyOf", ()), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(part, dict):
            _exclude_nul(part)


@cache
def _names(kind: type[ProtoModel]) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for name, field in kind.model_fields.items():
        alias = field.validation_alias or to_camel(name)
        spellings = alias.choices if isinstance(alias, AliasChoices) else [alias]
        names |= {str(spelling): name for spelling in [name, *spellings]}
    return names


class _Row:
    """Reads a database row, by attribute or by key, in the form that its model expects."""

    __slots__ = ("_enums", "_get", "_names")

    def __init__(self, row: Any, kind: type[ProtoModel]) -> None:
        is_mapping = hasattr(type(row), "keys") and hasattr(type(row), "__getitem__")
        self._get: Callable[[str], Any] = row.get if is_mapping else partial(getattr, row)
        self._enums = kind.__enums__
        self._names = _names(kind)

    def __getattr__(self, spelling: str) -> Any:
        name = self._names.get(spelling)
        value = None if name is None else self._get(name)
        if name is None or value is None:
            raise AttributeError(spelling)
        if (enum := self._enums.get(name)) is not None:
            return _member(enum, value) if isinstance(value, str) else [_member(enum, word) for word in value]
        return str(value) if isinstance(value, UUID) else value


def _member(enum: type[ProtoEnum], value: str) -> ProtoEnum:
    return value if isinstance(value, enum) else enum.from_word(value)


class OneofModel(ProtoModel):
    """A message with fields of which at most one may be set."""

    __oneofs__: ClassVar[Mapping[str, tuple[str, ...]]]
    __required_oneofs__: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        for name, fields in self.__oneofs__.items():
            given = [field for field in fields if getattr(self, field) is not None]
            if len(given) > 1:
                raise ValueError(f"{name}: only one of {', '.join(given)} may be set")
            if not given and name in self.__required_oneofs__:
                raise ValueError(f"{name}: one of {', '.join(fields)} must be set")
        return self


class PatchModel(ProtoModel):
    """The new values of a resource: missing fields are unchanged, null resets to the default."""

    @classmethod
    def _read(cls, data: dict[str, Any]) -> dict[str, Any]:
        names = cls.names()
        defaults = {name: field.get_default(call_default_factory=True) for name, field in cls.model_fields.items()}
        return {key: defaults.get(names.get(key, key)) if value is None else value for key, value in data.items()}


class UpdateModel(ProtoModel):
    """The request of a partial update: of the resource, only the fields in `update_mask` are read and validated."""

    __resource__: ClassVar[tuple[str, type[PatchModel]]]
    __rewrites__ = True

    @classmethod
    def _read(cls, data: dict[str, Any]) -> dict[str, Any]:
        data = super()._read(data)
        name, model = cls.__resource__
        given = {cls.names().get(key): key for key in data}
        mask = read_mask(data.get(given.get("update_mask", "")))
        resource = data.get(given.get(name, ""))
        if not isinstance(mask, list) or not isinstance(resource, dict):
            return data
        names = model.names()
        requested = {names.get(path) for path in mask if isinstance(path, str)}
        kept = {key: value for key, value in resource.items() if key not in names or names[key] in requested}
        unset = requested - {None, *map(names.get, kept)}
        return data | {given[name]: kept | dict.fromkeys(unset)}


class Empty(ProtoModel):
    """`google.protobuf.Empty`."""

    __proto__ = empty_pb2.Empty
