"""Google's discovery documents as a check of requests and answers (third_party/google-discovery).

They say which methods there are, their parameters with bounds, their scopes and the fields of their answers. They do
not say when what is visible to whom, error bodies, and how long tokens live: `tenant` and `server` mark those.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

Json = dict[str, Any]

FOLDER = Path(__file__).resolve().parents[4] / "third_party" / "google-discovery"
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "array": list,
    "object": dict,
}


class UndescribedError(Exception):
    """A request or an answer that Google's description does not know."""


@dataclass(frozen=True)
class Method:
    """A method of an API."""

    id: str
    document: str
    parameters: Mapping[str, Json]
    scopes: frozenset[str]
    response: str

    @property
    def schemas(self) -> Json:
        schemas: Json = _document(self.document)["schemas"]
        return schemas


@cache
def _document(name: str) -> Json:
    document: Json = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return document


@cache
def _routes() -> list[tuple[str, re.Pattern[str], str, str]]:
    """Returns HTTP method, path, document and name of all methods."""
    found = []
    for name in ("drive.v3", "admin.directory_v1"):
        document = _document(name)
        for method_name, method in document["methods"].items():
            path = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(f"/{document['servicePath']}{method['path']}"))
            found.append((method["httpMethod"], re.compile(path), name, method_name))
    return found


def find_method(http_method: str, path: str, query: Mapping[str, str]) -> tuple[Method, dict[str, str]]:
    """Returns the method of a request and its parameters, those of the path among them.

    Raises:
        UndescribedError: There is no such method, or it takes no such parameter.
    """
    for verb, pattern, document, name in _routes():
        match = pattern.fullmatch(path)
        if verb != http_method or match is None:
            continue
        described = _document(document)["methods"][name]
        known = {**_document(document)["parameters"], **described.get("parameters", {})}
        given = {**{key: unquote(value) for key, value in match.groupdict().items()}, **query}
        for key, value in given.items():
            if key not in known:
                raise UndescribedError(f"{described['id']} has no parameter {key}")
            _check_parameter(described["id"], key, value, known[key])
        if missing := [key for key, rule in known.items() if rule.get("required") and key not in given]:
            raise UndescribedError(f"{described['id']} needs {', '.join(missing)}")
        scopes = frozenset(described.get("scopes", ()))
        response = described.get("response", {}).get("$ref", "")
        return Method(described["id"], document, known, scopes, response), given
    raise UndescribedError(f"there is no method {http_method} {path}")


def _check_parameter(method: str, name: str, value: str, rule: Json) -> None:
    if "enum" in rule and value not in rule["enum"]:
        raise UndescribedError(f"{method}: {name} cannot be {value!r}")
    if rule["type"] == "boolean" and value not in ("true", "false"):
        raise UndescribedError(f"{method}: {name} is a boolean, not {value!r}")
    if rule["type"] == "integer":
        if not re.fullmatch(r"-?\d+", value):
            raise UndescribedError(f"{method}: {name} is a number, not {value!r}")
        low, high = int(rule.get("minimum", "-1000000000")), int(rule.get("maximum", "1000000000"))
        if not low <= int(value) <= high:
            raise UndescribedError(f"{method}: {name} must be from {low} to {high}, not {value}")


def check_answer(method: Method, answer: Json) -> None:
    """Checks an answer against the schema of a method.

    Raises:
        UndescribedError: It does not fit.
    """
    _check(method.schemas, {"$ref": method.response}, answer, method.response)


def _check(schemas: Json, schema: Json, value: Any, at: str) -> None:
    if reference := schema.get("$ref"):
        schema = schemas[reference]
    kind: str = schema["type"]
    if kind == "any":
        return
    if not isinstance(value, _TYPES[kind]) or (kind == "integer" and isinstance(value, bool)):
        raise UndescribedError(f"{at} is no {kind}: {value!r}")
    if isinstance(value, str) and schema.get("format") == "int64" and not re.fullmatch(r"-?\d+", value):
        raise UndescribedError(f"{at} is no number in a string: {value!r}")
    if isinstance(value, list):
        for each in value:
            _check(schemas, schema["items"], each, f"{at}[]")
    if isinstance(value, dict):
        properties, other = schema.get("properties", {}), schema.get("additionalProperties")
        for name, each in value.items():
            if name not in properties and other is None:
                raise UndescribedError(f"{at} has no field {name}")
            _check(schemas, properties.get(name, other), each, f"{at}.{name}")


def apply_mask(method: Method, answer: Json, fields: str) -> Json:
    """Returns the part of an answer that a mask selects; all of it for an empty mask.

    Raises:
        UndescribedError: The mask names a field that there is not.
    """
    if not fields:
        return answer
    mask = parse_mask(fields)
    _check_mask(method.schemas, {"$ref": method.response}, mask, method.response)
    masked: Json = _mask(answer, mask)
    return masked


def parse_mask(fields: str) -> Json:
    """Returns a mask as nested names: `a,b(c,d),e/f`. `*` stands for all fields."""
    tokens = iter(re.findall(r"[\w*]+|[(),/]", fields))
    return _parse(tokens)


def _parse(tokens: Iterator[str]) -> Json:
    mask: Json = {}
    at = mask
    name = ""
    for token in tokens:
        if token == "(":
            at[name] = _parse(tokens)
        elif token == ")":
            return mask
        elif token == "/":
            at = at.setdefault(name, {})
        elif token == ",":
            at = mask
        else:
            name = token
            at.setdefault(name, {})
    return mask


def _check_mask(schemas: Json, schema: Json, mask: Json, at: str) -> None:
    while "$ref" in schema or schema.get("type") == "array":
        schema = schemas[schema["$ref"]] if "$ref" in schema else schema["items"]
    for name, below in mask.items():
        if name == "*":
            continue
        if name not in schema.get("properties", {}):
            raise UndescribedError(f"the mask names {at}.{name}, which there is not")
        if below:
            _check_mask(schemas, schema["properties"][name], below, f"{at}.{name}")


def _mask(value: Any, mask: Json) -> Any:
    if not mask or "*" in mask:
        return value
    if isinstance(value, list):
        return [_mask(each, mask) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _mask(value[name], below) for name, below in mask.items() if name in value}
