"""A request of an HTTP client: its fields distributed over path, query and body, as `google.api.http` defines.

`http_request` is the server's side, which reads them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from google.api import annotations_pb2  # type: ignore[import-untyped]
from google.protobuf.descriptor import MethodDescriptor

UNSET: Final = "-"
"""Placeholder in a path for an optional field that is not set."""
Json = Mapping[str, Any]
_VARIABLE = re.compile(r"\{([a-z0-9_.]+)\}")


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpRule:
    """A method's first route.

    Attributes:
        verb: HTTP method, in capitals.
        template: Path with placeholders `{field}` for fields of the request.
        body: The field in the body, `*` for all that are not in the path, or empty.
        response_body: The field of the response that is sent; empty for the whole response.
    """

    verb: str
    template: str
    body: str
    response_body: str


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpCall:
    """A request, ready to be sent.

    Attributes:
        verb: HTTP method, in capitals.
        path: Percent-encoded path.
        query: Names and values.
        body: Body to send as JSON; None for no body.
        answered: JSON name of the field of the response that is returned; empty for the whole response.
    """

    verb: str
    path: str
    query: tuple[tuple[str, str], ...]
    body: Any
    answered: str


def http_rule(method: MethodDescriptor) -> HttpRule | None:
    """Returns a method's route; None if it is available over gRPC only."""
    rule = method.GetOptions().Extensions[annotations_pb2.http]
    verb = rule.WhichOneof("pattern")
    if verb is None:
        return None
    template = getattr(rule, verb)
    return HttpRule(verb=verb.upper(), template=template, body=rule.body, response_body=rule.response_body)


def http_call(method: MethodDescriptor, request: Json) -> HttpCall:
    """Distributes a request over a method's route.

    Args:
        method: The method.
        request: The request in ProtoJSON, with JSON names.

    Raises:
        ValueError: The method has no route, or the request lacks a field of its path.
    """
    rule = http_rule(method)
    if rule is None:
        raise ValueError(f"{method.full_name} is not served over HTTP")
    rest = dict(request)

    def fill(variable: re.Match[str]) -> str:
        field = method.input_type.fields_by_name[variable[1]]
        name = field.json_name
        if name not in rest:
            if field.has_presence:
                return UNSET
            raise ValueError(f"{method.input_type.full_name} needs `{variable[1]}`")
        return quote(str(rest.pop(name)), safe="")

    path = _VARIABLE.sub(fill, rule.template)
    body: Any = None
    if rule.body == "*":
        body, rest = rest, {}
    elif rule.body:
        body = rest.pop(method.input_type.fields_by_name[rule.body].json_name, {})
        mask = rest.pop("updateMask", "")
        # The server reads the mask from the body's keys: null resets a field to its default.
        body = {name: body.get(name) for name in mask.split(",")} if mask else body
    answered = method.output_type.fields_by_name[rule.response_body].json_name if rule.response_body else ""
    return HttpCall(verb=rule.verb, path=path, query=tuple(_query(rest)), body=body, answered=answered)


def _query(fields: Json, prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from _query(value, f"{prefix}{name}.")
            continue
        for item in value if isinstance(value, list) else [value]:
            yield f"{prefix}{name}", str(item).lower() if isinstance(item, bool) else str(item)
