"""OpenAPI document of the services' routes, added to FastAPI's document of the application's own routes."""

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from echomind_lib.contract.binding import Method, Service, interface_of
from echomind_lib.contract.http_call import UNSET
from echomind_lib.contract.http_request import RequestShape
from echomind_lib.contract.json_data import SCHEMA, SCHEMA_NAME
from echomind_lib.contract.model import ProtoModel
from echomind_lib.errors.http import ErrorBody

REF = "#/components/schemas/"
SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An access token or an API key."},
}


@dataclass(frozen=True)
class Operation:
    """One route of one method.

    Attributes:
        service: Its service.
        method: The method.
        number: Number of the route among those of the method, starting at 1.
        verb: The HTTP method.
        template: The path.
        shape: Distribution of the request.
        response_body: The field that is the response, or empty for the whole response.
        public: Whether it requires no sign-in.
        note: A sentence to add to its description.
    """

    service: Service
    method: Method
    number: int
    verb: str
    template: str
    shape: RequestShape
    response_body: str
    public: bool
    note: str = ""

    @property
    def name(self) -> str:
        """Returns its operation ID, unique among all services."""
        name = f"{self.service.__service__.name}_{self.method.name}"
        return name if self.number == 1 else f"{name}{self.number}"


def add_operations(app: FastAPI, operations: Sequence[Operation]) -> None:
    """Adds these operations to the OpenAPI document of an application."""
    own = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _merge(own(), operations)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _merge(document: dict[str, Any], operations: Sequence[Operation]) -> dict[str, Any]:
    messages = {model for operation in operations for model in (operation.method.request, operation.method.response)}
    models: list[type[BaseModel]] = [*sorted(messages, key=lambda model: model.__name__), ErrorBody]
    references, definitions = models_json_schema(
        [(model, "validation") for model in models], ref_template=f"{REF}{{model}}"
    )
    schemas = Schemas(
        {model: reference["$ref"] for (model, _), reference in references.items()},
        definitions["$defs"] | {SCHEMA_NAME: SCHEMA},
    )
    paths = document.setdefault("paths", {})
    for own in (each for path in paths.values() for each in path.values()):
        own["responses"].pop("422", None)  # FastAPI's default, which the API never returns
        own["responses"].setdefault("default", _failure(schemas))
    for operation in operations:
        paths.setdefault(operation.template, {})[operation.verb.lower()] = _operation(operation, schemas)
    components = document.setdefault("components", {})
    components.setdefault("securitySchemes", {}).update(SECURITY)
    components.setdefault("schemas", {}).update(schemas.used_by(paths))
    interfaces = {interface_of(operation.service).__name__: interface_of(operation.service) for operation in operations}
    document.setdefault("tags", []).extend(
        {"name": name, "description": inspect.getdoc(interface)} for name, interface in interfaces.items()
    )
    return document


@dataclass(frozen=True)
class Schemas:
    """The JSON schemas of the messages.

    Attributes:
        references: The `$ref` of each message.
        definitions: The schemas by their names in the document.
    """

    references: dict[Any, str]
    definitions: dict[str, dict[str, Any]]

    def of(self, reference: str) -> dict[str, Any]:
        """Returns the schema behind a `$ref`."""
        return self.definitions[reference.removeprefix(REF)]

    def field(self, model: type[ProtoModel], path: Sequence[str]) -> tuple[dict[str, Any], bool]:
        """Returns the schema of a field, and whether it is required.

        Args:
            model: The message.
            path: JSON names of the enclosing fields and the field, outermost first.
        """
        message, required = self.of(self.references[model]), True
        for name in path[:-1]:
            required &= name in message.get("required", ())
            message = self.of(message["properties"][name]["$ref"])
        return message["properties"][path[-1]], required and path[-1] in message.get("required", ())

    def used_by(self, document: Any) -> dict[str, dict[str, Any]]:
        """Returns the schemas that a document refers to, directly or indirectly."""
        used: dict[str, dict[str, Any]] = {}
        waiting = [document]
        while waiting:
            part = waiting.pop()
            if isinstance(part, list):
                waiting += part
            elif isinstance(part, dict):
                waiting += part.values()
                name = str(part.get("$ref", "")).removeprefix(REF)
                if name in self.definitions and name not in used:
                    used[name] = self.definitions[name]
                    waiting.append(used[name])
        return dict(sorted(used.items()))


def _operation(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    method = operation.method
    documentation = inspect.getdoc(getattr(interface_of(operation.service), method.attribute))
    description: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [interface_of(operation.service).__name__],
        "summary": re.sub(r"(?<=[a-z])(?=[A-Z])", " ", method.name).capitalize(),
        "description": "\n\n".join(filter(None, (documentation, operation.note))),
        "security": [] if operation.public else [{name: [] for name in SECURITY}],
        "parameters": _parameters(operation, schemas),
        "responses": {
            "200": {"description": "Success.", "content": _response(operation, schemas)},
            "default": _failure(schemas),
        },
    }
    if operation.shape.body:
        schema = _body(operation, schemas)
        description["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return description


def _failure(schemas: Schemas) -> dict[str, Any]:
    return {
        "description": "Failure; `error.reason` says which.",
        "content": {"application/json": {"schema": {"$ref": schemas.references[ErrorBody]}}},
    }


def _parameters(operation: Operation, schemas: Schemas) -> list[dict[str, Any]]:
    model = operation.method.request
    fields = operation.shape.fields
    places = [("path", ".".join(path), path) for path in operation.shape.path]
    places += [("query", parameter.name, parameter.path) for parameter in operation.shape.query]
    parameters = []
    for location, name, path in places:
        found, required = schemas.field(model, [each.json_name for each in fields(path)])
        schema = {key: value for key, value in found.items() if key not in {"description", "default"}}
        if location == "path" and operation.shape.is_optional(path):
            schema = {"anyOf": [schema, {"const": UNSET}]}
        parameter = {"name": name, "in": location, "required": location == "path" or required, "schema": schema}
        parameters.append(parameter | ({"description": found["description"]} if "description" in found else {}))
    return parameters


def _body(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    reference, shape = schemas.references[operation.method.request], operation.shape
    if shape.body != "*":
        name = shape.fields((shape.body,))[0].json_name
        schema, _ = schemas.field(operation.method.request, [name])
        # PATCH changes the fields that the body contains.
        return {"allOf": [schema], "minProperties": 1} if operation.verb == "PATCH" else schema
    if not shape.path:
        return {"$ref": reference}
    message = schemas.of(reference)
    taken = {shape.fields(path)[0].json_name for path in shape.path}
    properties = {name: schema for name, schema in message.get("properties", {}).items() if name not in taken}
    required = [name for name in message.get("required", ()) if name not in taken]
    return message | {"properties": properties, "required": required}


def _event(schema: dict[str, Any], fields: dict[str, Any], required: Sequence[str]) -> dict[str, Any]:
    """Returns the schema of a server-sent event with JSON data."""
    data = {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}
    return {"type": "object", "properties": {**fields, "data": data}, "required": [*required]}


def _response(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    schema: dict[str, Any] = {"$ref": schemas.references[operation.method.response]}
    if operation.method.streams:
        item = _event(schema, {"id": {"type": "string"}}, ["data"])
        error = _event({"$ref": schemas.references[ErrorBody]}, {"event": {"const": "error"}}, ["event", "data"])
        # `itemSchema` is new in OpenAPI 3.2, which few generators of clients read.
        return {"text/event-stream": {"schema": {"type": "string"}, "x-itemSchema": {"oneOf": [item, error]}}}
    if operation.response_body:
        name = operation.method.response.__proto__.DESCRIPTOR.fields_by_name[operation.response_body].json_name
        schema, _ = schemas.field(operation.method.response, [name])
    return {"application/json": {"schema": schema}}
