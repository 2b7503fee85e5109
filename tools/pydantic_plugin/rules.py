"""Translation of buf.validate rules into the constraints of a Pydantic annotation, as source text.

Whatever it cannot translate fails the build: a rule that is written in the contract is a rule that is checked.
"""

import re
from collections.abc import Callable
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

FD = FieldDescriptor
SCALAR_CASES = {
    FD.TYPE_DOUBLE: "double",
    FD.TYPE_FLOAT: "float",
    FD.TYPE_INT32: "int32",
    FD.TYPE_INT64: "int64",
    FD.TYPE_UINT32: "uint32",
    FD.TYPE_UINT64: "uint64",
    FD.TYPE_SINT32: "sint32",
    FD.TYPE_SINT64: "sint64",
    FD.TYPE_FIXED32: "fixed32",
    FD.TYPE_FIXED64: "fixed64",
    FD.TYPE_SFIXED32: "sfixed32",
    FD.TYPE_SFIXED64: "sfixed64",
    FD.TYPE_BOOL: "bool",
    FD.TYPE_STRING: "string",
    FD.TYPE_BYTES: "bytes",
    FD.TYPE_ENUM: "enum",
}
WELL_KNOWN_CASES = {
    "google.protobuf.Any": "any",
    "google.protobuf.Duration": "duration",
    "google.protobuf.FieldMask": "field_mask",
    "google.protobuf.Timestamp": "timestamp",
}
FORMATS = {
    "uuid": "_r.Uuid",
    "email": "_r.Email",
    "uri": "_r.Uri",
    "hostname": "_r.Hostname",
    "ip": "_r.Ip",
    "ipv4": "_r.Ipv4",
    "ipv6": "_r.Ipv6",
}
_BOUNDS = {"gt": "gt", "gte": "ge", "lt": "lt", "lte": "le"}
_LENGTHS = {
    "min_len": "min_length",
    "max_len": "max_length",
    "min_items": "min_length",
    "max_items": "max_length",
    "min_pairs": "min_length",
    "max_pairs": "max_length",
}
_TEXTS = {"prefix", "suffix", "contains", "not_contains", "min_bytes", "max_bytes"}
# Unicode in the validating regex engine, but ASCII in RE2, which defines the rule.
_AMBIGUOUS = re.compile(r"(?<!\\)(?:\\\\)*\\[dDwWsSbBpPC]|\(\?[a-zA-Z]*i")


class UntranslatableRuleError(Exception):
    """A rule has no translation."""


def case_of(field: FieldDescriptor) -> str | None:
    """Returns names the member of `FieldRules.type` that may constrain one value of a field."""
    if field.message_type is None:
        return SCALAR_CASES[field.type]
    if field.message_type.file.name == "google/protobuf/wrappers.proto":
        return SCALAR_CASES[field.message_type.fields_by_name["value"].type]
    return WELL_KNOWN_CASES.get(field.message_type.full_name)


def literal(value: Any) -> str:
    """Writes a rule's value as Python source."""
    kind = value.DESCRIPTOR.full_name if isinstance(value, Message) else None
    if kind == "google.protobuf.Duration":
        return f"timedelta(seconds={value.seconds}, microseconds={value.nanos // 1000})"
    if kind == "google.protobuf.Timestamp":
        return f"datetime.fromtimestamp({value.seconds}, UTC) + timedelta(microseconds={value.nanos // 1000})"
    return repr(value)


class Constraint:
    """The constraints of one value: what goes into its `Annotated`.

    Attributes:
        form: A type that replaces the value's own (a string format), or None.
        metadata: Source of the metadata, in order.
    """

    def __init__(self) -> None:
        self.form: str | None = None
        self.metadata: list[str] = []
        self._arguments: dict[str, str] = {}

    def annotate(self, kind: str) -> str:
        """Gives the annotation of a value of this type."""
        arguments = [f"Field({', '.join(f'{k}={v}' for k, v in self._arguments.items())})"] if self._arguments else []
        parts = [*arguments, *self.metadata]
        return f"Annotated[{', '.join([self.form or kind, *parts])}]" if parts else self.form or kind

    def add(self, case: str, rules: Message, member: Callable[[int], str]) -> None:
        """Adds the rules of a type.

        Args:
            case: Member of `FieldRules.type` that they are.
            rules: They.
            member: Gives the source of an enum member by its number.

        Raises:
            UntranslatableRuleError: One has no translation.
        """
        given = {}
        for field, value in rules.ListFields():
            if field.is_extension:
                raise UntranslatableRuleError(f"{case}.{field.full_name}")
            given[field.name] = value
        if {"gt", "gte"} & set(given) and {"lt", "lte"} & set(given):
            self._check_range(given)
        show = member if case == "enum" else literal
        for name, value in given.items():
            self._add(case, name, value, show)

    def _add(self, case: str, name: str, value: Any, show: Callable[[Any], str]) -> None:
        if name in _BOUNDS:
            self._arguments[_BOUNDS[name]] = show(value)
        elif name in _LENGTHS:
            self._arguments[_LENGTHS[name]] = str(value)
        elif name == "len":
            self._arguments |= {"min_length": str(value), "max_length": str(value)}
        elif name == "pattern" and case == "string":
            self._arguments["pattern"] = self._pattern(value)
        elif name == "example":
            self._arguments["examples"] = f"[{', '.join(map(show, value))}]"
        elif name == "finite":
            self._arguments["allow_inf_nan"] = str(not value)
        elif name in FORMATS and case == "string":
            self.form = FORMATS[name] if value else self.form
        elif name in _TEXTS:
            self.metadata.append(f"_r.{name}({show(value)})")
        elif name == "len_bytes":
            self.metadata += [f"_r.min_bytes({value})", f"_r.max_bytes({value})"]
        elif name == "const":
            self.metadata.append(f"_r.one_of({show(value)})")
        elif case == "field_mask" and name == "in":
            self.metadata.append(f"_r.paths_in({', '.join(map(repr, value))})")
        elif name in {"in", "not_in"} and case != "field_mask":
            function = "one_of" if name == "in" else "none_of"
            self.metadata.append(f"_r.{function}({', '.join(map(show, value))})")
        elif name == "unique":
            self.metadata += ["_r.UNIQUE"] if value else []
        elif name in {"lt_now", "gt_now"}:
            self.metadata += [f"_r.{'PAST' if name == 'lt_now' else 'FUTURE'}"] if value else []
        elif name == "within":
            self.metadata.append(f"_r.within({show(value)})")
        elif name != "defined_only":  # always so: enums are closed
            raise UntranslatableRuleError(f"{case}.{name}")

    @staticmethod
    def _check_range(given: dict[str, Any]) -> None:
        low: Any = given.get("gt", given.get("gte"))
        high: Any = given.get("lt", given.get("lte"))
        is_time = isinstance(low, Message)
        if (low.seconds, low.nanos) > (high.seconds, high.nanos) if is_time else low > high:
            raise UntranslatableRuleError("a range whose lower bound is above its upper one")

    @staticmethod
    def _pattern(pattern: str) -> str:
        if found := _AMBIGUOUS.search(pattern):
            raise UntranslatableRuleError(
                f"string.pattern with {found[0]!r}, which engines differ on: list the characters"
            )
        return repr(pattern)
