"""The OpenAPI document of the services."""

from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI

from echomind_lib.contract.rest import add_services
from tests.drivers.sample_service import make_service


@pytest.fixture
def document(sample: SimpleNamespace) -> dict[str, Any]:
    """The document of an application with the sample's service and a route of its own."""
    app = FastAPI(title="Sample", version="1")

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {}

    add_services(app, [make_service(sample)], public={"sample.v1.ThingService/GetThing"})
    assert app.openapi() is app.openapi()
    return app.openapi()


def test_every_route_is_there_once(document: dict[str, Any]) -> None:
    operations = {
        (method, path): operation["operationId"]
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if path != "/healthz"
    }
    assert operations == {
        ("get", "/v1/things/{id}"): "ThingService_GetThing",
        ("get", "/v1/shelves/{shelf_name}/things/{id}"): "ThingService_GetThing2",
        ("post", "/v1/things"): "ThingService_CreateThing",
        ("patch", "/v1/things/{id}"): "ThingService_UpdateThing",
        ("post", "/v1/things/{id}:paint"): "ThingService_PaintThing",
        ("delete", "/v1/things/{id}"): "ThingService_DeleteThing",
        ("get", "/v1/things/{id}:watch"): "ThingService_WatchThing",
        ("post", "/v1/things/{id}:watch"): "ThingService_WatchThing2",
    }
    assert "/healthz" in document["paths"]
    assert {"name": "ThingService", "description": "Things."} in document["tags"]


def test_parameters(document: dict[str, Any]) -> None:
    operation = document["paths"]["/v1/things/{id}"]["get"]
    parameters = {parameter["name"]: parameter for parameter in operation["parameters"]}
    assert list(parameters) == ["id", "colours", "page.size", "page.token", "createdAfter", "shelfName"]
    assert parameters["id"] == {
        "name": "id",
        "in": "path",
        "required": True,
        "description": "Which.",
        "schema": {"type": "string", "format": "int64", "pattern": "^(0|-?[1-9][0-9]{0,17})$"},
    }
    assert parameters["page.size"]["schema"] == {"type": "integer", "format": "int32", "minimum": 0, "maximum": 100}
    assert parameters["createdAfter"]["schema"] == {"type": "string", "format": "date-time"}
    assert parameters["colours"]["schema"] == {"type": "array", "items": {"$ref": "#/components/schemas/Colour"}}
    assert not any(parameter["required"] for name, parameter in parameters.items() if name != "id")
    assert operation["description"] == "Reads a thing.\n\nAnd all about it."
    patched = document["paths"]["/v1/things/{id}"]["patch"]["parameters"]
    assert [parameter["name"] for parameter in patched] == ["id"]


def test_bodies(document: dict[str, Any]) -> None:
    def body(path: str, method: str) -> Any:
        return document["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"]

    schemas = document["components"]["schemas"]
    assert body("/v1/things", "post")["$ref"] == "#/components/schemas/Thing"
    assert schemas["Thing"]["required"] == ["name", "origin"]
    patched = body("/v1/things/{id}", "patch")
    assert patched["allOf"][0]["$ref"] == "#/components/schemas/ThingPatch"
    assert patched["minProperties"] == 1
    assert "required" not in schemas["ThingPatch"]
    painted = body("/v1/things/{id}:paint", "post")
    assert list(painted["properties"]) == painted["required"] == ["colour"]
    assert painted["additionalProperties"] is False


def test_responses(document: dict[str, Any]) -> None:
    paths = document["paths"]
    got = paths["/v1/things/{id}"]["get"]["responses"]
    assert got["200"]["content"] == {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
    assert got["default"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/ErrorBody"}
    painted = paths["/v1/things/{id}:paint"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert painted["$ref"] == "#/components/schemas/Thing"
    watched = paths["/v1/things/{id}:watch"]["get"]["responses"]["200"]["content"]
    item, error = watched["text/event-stream"]["x-itemSchema"]["oneOf"]
    assert watched["text/event-stream"]["schema"] == {"type": "string"}
    assert item["properties"]["data"]["contentSchema"] == {"$ref": "#/components/schemas/ThingEvent"}
    assert error["properties"]["event"] == {"const": "error"}
    assert error["properties"]["data"]["contentSchema"] == {"$ref": "#/components/schemas/ErrorBody"}


def test_security(document: dict[str, Any]) -> None:
    assert document["paths"]["/v1/things/{id}"]["get"]["security"] == []
    assert document["paths"]["/v1/things/{id}"]["delete"]["security"] == [{"bearer": []}]
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"


def test_nothing_is_null_and_every_reference_is_there(document: dict[str, Any]) -> None:
    schemas, references = document["components"]["schemas"], set()
    waiting = [document]
    while waiting:
        part: Any = waiting.pop()
        if isinstance(part, dict):
            assert part.get("type") != "null"
            references |= {part["$ref"]} if "$ref" in part else set()
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    names = {reference.removeprefix("#/components/schemas/") for reference in references}
    assert names <= set(schemas)
    assert not [name for name in schemas if name.endswith("Request")]
