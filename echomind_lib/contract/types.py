"""The types of the generated models' fields: the ProtoJSON mapping of protobuf's types, in Pydantic.

Reference: https://protobuf.dev/programming-guides/json/. Deliberate differences: times have microseconds (as
`datetime` and PostgreSQL), enums are closed, and a singular `google.protobuf.Value` that is null counts as not set.
"""

import base64
import binascii
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from google.protobuf import json_format, struct_pb2
from google.protobuf.message import Message
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic_core import CoreSchema

from echomind_lib.contract.json_data import JSON_SCHEMA, LIST_SCHEMA, OBJECT_SCHEMA, read_json_data

_DURATION = re.compile(r"(-?)(\d{1,12})(?:\.(\d{1,9}))?s")
_LONGEST = timedelta(seconds=315_576_000_000)  # the range of google.protobuf.Duration: 10,000 years either way
_STANDARD_BASE64 = str.maketrans("-_", "+/")


def _float32(value: float) -> float:
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError as error:
        raise ValueError("must fit in a 32-bit float") from error
    return rounded


def _bytes(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = value.rstrip("=").translate(_STANDARD_BASE64)
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("must be base64") from error


def _bytes_text(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _duration(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if (match := _DURATION.fullmatch(value)) is None:
        raise ValueError("must be seconds with an `s` at the end, for example `1.5s`")
    sign, seconds, fraction = match.groups()
    length = timedelta(seconds=int(seconds), microseconds=int((fraction or "").ljust(9, "0")[:6]))
    return -length if sign else length


def _duration_text(value: timedelta) -> str:
    length = abs(value)
    fraction = f".{length.microseconds:06}".rstrip("0").rstrip(".")
    return f"{'-' * (value < timedelta())}{length.days * 86400 + length.seconds}{fraction}s"


def _timestamp_text(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def read_mask(value: Any) -> Any:
    """Reads a field mask's JSON form, `name,systemPrompt`, as a list of proto names; returns anything else as it is."""
    if not isinstance(value, str):
        return value
    return [re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), path) for path in value.split(",") if path]


def _mask_text(value: list[str]) -> str:
    return ",".join(re.sub("_([a-z])", lambda letter: letter[1].upper(), path) for path in value)


def _named(name: str, **bounds: int) -> Callable[[dict[str, Any]], None]:
    """Replaces the range of a type by its name in the schema; remaining bounds are the field's own."""

    def describe(schema: dict[str, Any]) -> None:
        for key, bound in bounds.items():
            if schema.get(key) == bound:
                del schema[key]
        schema["format"] = name

    return describe


_INT32 = _named("int32", minimum=-(2**31), exclusiveMaximum=2**31)
_UINT32 = _named("uint32", exclusiveMaximum=2**32)
_TEXT_INTEGER = PlainSerializer(str, return_type=str, when_used="json")
_DIGITS = 18
"""Digits of a 64-bit integer in JSON schemas: every number of this length is in range, and no id is longer."""


@dataclass(frozen=True)
class _TextIntegerSchema:
    """The JSON schema of a 64-bit integer, which is text in JSON; its sign follows the field's bounds."""

    name: str

    def __get_pydantic_json_schema__(self, source: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        schema = handler(source)
        is_positive, is_signed = schema.get("exclusiveMinimum") == 0, schema.get("minimum", 0) < 0
        positive = f"[1-9][0-9]{{0,{_DIGITS - 1}}}"
        whole = f"(0|{'-?' if is_signed else ''}{positive})"
        return {"type": "string", "format": self.name, "pattern": f"^{positive if is_positive else whole}$"}


Float = float
Float32 = Annotated[float, AfterValidator(_float32)]
Int32 = Annotated[int, Field(ge=-(2**31), lt=2**31, json_schema_extra=_INT32)]
UInt32 = Annotated[int, Field(ge=0, lt=2**32, json_schema_extra=_UINT32)]
Int64 = Annotated[
    int,
    Field(ge=-(2**63), lt=2**63),
    _TEXT_INTEGER,
    _TextIntegerSchema("int64"),
]
UInt64 = Annotated[
    int,
    Field(ge=0, lt=2**64),
    _TEXT_INTEGER,
    _TextIntegerSchema("uint64"),
]
Bytes = Annotated[
    bytes,
    BeforeValidator(_bytes),
    PlainSerializer(_bytes_text, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "contentEncoding": "base64"}),
]
Timestamp = Annotated[
    AwareDatetime,
    PlainSerializer(_timestamp_text, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Duration = Annotated[
    timedelta,
    BeforeValidator(_duration),
    Field(ge=-_LONGEST, le=_LONGEST),
    PlainSerializer(_duration_text, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]{1,9})?s$", "examples": ["1.5s"]}),
]
FieldMask = Annotated[
    list[str],
    BeforeValidator(read_mask),
    PlainSerializer(_mask_text, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "examples": ["name,description"]}),
]
Value = Annotated[JsonValue, BeforeValidator(read_json_data), WithJsonSchema(JSON_SCHEMA)]
Struct = Annotated[dict[str, JsonValue], BeforeValidator(read_json_data), WithJsonSchema(OBJECT_SCHEMA)]
ListValue = Annotated[list[JsonValue], BeforeValidator(read_json_data), WithJsonSchema(LIST_SCHEMA)]


class ProtoEnum(StrEnum):
    """A proto enum: its JSON value is the proto name, `number` is sent over gRPC, `word` is stored in the database.

    It is closed: unknown names and numbers are rejected, so that none is lost when a message is stored.
    """

    number: int
    numbers: ClassVar[Mapping[int, Any]]  # type: ignore[misc] # each enum has its own

    def __new__(cls, name: str, number: int) -> Self:
        """Creates a member from its proto name and number."""
        self = str.__new__(cls, name)
        self._value_ = name
        self.number = number
        return self

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        numbers: dict[int, Any] = {member.number: member for member in cls}
        cls.numbers = numbers  # type: ignore[misc]

    if not TYPE_CHECKING:  # which would take it for a member
        # A property in C: serialization reads it for each field, and Enum's own takes two calls in Python.
        value = property(attrgetter("_value_"))

    @property
    def word(self) -> str:
        """The short name in lower case, as stored in the database: `group` for `SCOPE_GROUP`."""
        return self.name.lower()

    @classmethod
    def from_word(cls, word: str) -> Self:
        """Returns the member of a stored word.

        Args:
            word: The short name in lower case.

        Raises:
            ValueError: No member has this word.
        """
        member = cls.__members__.get(word.upper()) if word.islower() else None
        if member is None:
            raise ValueError(f"{cls.__name__} has no {word!r}, only {', '.join(repr(member.word) for member in cls)}")
        return member

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        return cls.numbers.get(value) if isinstance(value, int) and not isinstance(value, bool) else None


def from_struct(message: Message) -> Any:
    """Reads a `Struct`, `ListValue` or `Value` as plain JSON data."""
    return json_format.MessageToDict(message)


def to_value(data: Any) -> struct_pb2.Value:
    """Returns JSON data as a `Value`."""
    message = struct_pb2.Value()
    json_format.ParseDict(data, message)
    return message
