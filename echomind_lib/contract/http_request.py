"""Distributes the fields of a request over path, query and body of an HTTP request, as `google.api.http` defines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from pydantic_core import from_json

from echomind_lib.contract.http_call import UNSET
from echomind_lib.contract.model import ProtoModel, UpdateModel
from echomind_lib.errors import ValidationFailedError

_TEXTS = {"Timestamp", "Duration", "FieldMask"}


@dataclass(frozen=True)
class QueryParameter:
    """A field in the query.

    Attributes:
        path: Its proto names, from the request inwards.
        name: Its name in the query, `page.size`, as JSON name; proto names are accepted, too.
        field: The field.
    """

    path: tuple[str, ...]
    name: str
    field: FieldDescriptor


class RequestShape:
    """Reads the fields of one method's request by one of its routes.

    Args:
        model: The request.
        path: The fields in the path, in order, with dots for inner ones.
        body: The field in the body, `*` for all that are not in the path, or empty.
        patch: Whether the update mask is taken from the keys of the body.
    """

    def __init__(self, model: type[ProtoModel], path: Sequence[str], body: str, *, patch: bool) -> None:
        self._message: Any = model.__proto__.DESCRIPTOR
        self.path = [tuple(name.split(".")) for name in path]
        self.body = body
        for field_path in [*self.path, *([(body,)] if body not in {"", "*"} else [])]:
            self.fields(field_path)
        self._optional = {field_path for field_path in self.path if self.is_optional(field_path)}
        self._names = model.names()
        self._resource = model.__resource__[1].names() if patch and issubclass(model, UpdateModel) else None
        taken = {body, *path} | ({"update_mask"} if patch else set())
        self.query = [] if body == "*" else list(_query(self._message, (), (), taken, frozenset()))
        self._by_name = {name: each for each in self.query for name in (each.name, ".".join(each.path))}

    def fields(self, path: Sequence[str]) -> list[FieldDescriptor]:
        """Returns the fields along a path of proto names.

        Raises:
            ValueError: The field does not exist.
        """
        found: list[FieldDescriptor] = []
        message: Any = self._message
        for name in path:
            if message is None or name not in message.fields_by_name:
                raise ValueError(f"{self._message.full_name} has no field {'.'.join(path)}")
            found.append(message.fields_by_name[name])
            message = found[-1].message_type
        return found

    def is_optional(self, field_path: Sequence[str]) -> bool:
        """Returns whether a field in the path may be left unset: `UNSET` is then its placeholder."""
        return bool(self.fields(field_path)[-1].has_presence)

    def read(self, path: Sequence[str], query: bytes, body: bytes) -> dict[str, Any]:
        """Returns the fields of the request.

        Args:
            path: The values in the path, in order.
            query: The query, without question mark.
            body: The body; empty if the route has none.

        Raises:
            ValidationFailedError: The body is not JSON, or contains unknown fields.
        """
        data = self._read_body(body) if self.body else {}
        if query:
            self._read_query(query, data)
        for field_path, value in zip(self.path, path, strict=True):
            if value != UNSET or field_path not in self._optional:
                _put(data, field_path, value)
        return data

    def _read_body(self, body: bytes) -> dict[str, Any]:
        try:
            value = from_json(body or b"{}", allow_inf_nan=False)
        except ValueError as error:
            raise ValidationFailedError.of("body", f"must be JSON: {error}") from error
        if self.body != "*":
            data = {self.body: value}
            if self._resource is not None and isinstance(value, dict):
                data["update_mask"] = [self._resource[key].removesuffix("_") for key in value if key in self._resource]
            return data
        if not isinstance(value, dict):
            raise ValidationFailedError.of("body", "must be a JSON object")
        for key in value:
            if any(self._names.get(key, key) == field_path[0] for field_path in self.path):
                raise ValidationFailedError.of(key, "is in the path already")
        return value

    def _read_query(self, query: bytes, data: dict[str, Any]) -> None:
        given: dict[str, list[str]] = {}
        try:
            pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, errors="strict")
        except ValueError as error:
            raise ValidationFailedError.of("query", "must be percent-encoded UTF-8") from error
        for key, value in pairs:
            given.setdefault(key, []).append(value)
        for key, values in given.items():
            parameter = self._by_name.get(key)
            if parameter is None:
                raise ValidationFailedError.of(key, "is no parameter of this call")
            if parameter.field.is_repeated:
                _put(data, parameter.path, values)
            elif len(values) > 1:
                raise ValidationFailedError.of(key, "is given more than once")
            else:
                _put(data, parameter.path, values[0])


def _put(data: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for step in path[:-1]:
        data = data.setdefault(step, {})
    data[path[-1]] = value


def _query(
    message: Any, path: tuple[str, ...], name: tuple[str, ...], taken: set[str], above: frozenset[str]
) -> Iterator[QueryParameter]:
    """Lists the fields that a query can contain: no maps, lists of messages, free JSON or recursive messages."""
    if message.full_name in above:
        return
    for field in message.fields:
        here, there = (*path, field.name), (*name, field.json_name)
        if ".".join(here) in taken:
            continue
        kind = field.message_type
        if kind is None or (kind.file.package == "google.protobuf" and _is_text(kind)):
            yield QueryParameter(here, ".".join(there), field)
        elif kind.file.package != "google.protobuf" and not field.is_repeated:
            yield from _query(kind, here, there, taken, above | {message.full_name})


def _is_text(message: Descriptor) -> bool:
    return message.name in _TEXTS or message.file.name == "google/protobuf/wrappers.proto"
