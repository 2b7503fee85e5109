"""Permissions follow ids: every reference in a request is tested with hidden and removed resources.

The fields are read from the contract, so one that is new fails here until it is placed: a resource of its method, which
the matrix tries; a reference to something else, with its row here; a field that only the server sets; or a name or key
that refers to nothing.
"""

from collections.abc import Awaitable
from typing import Any
from uuid import uuid4

import pytest

from echomind_lib.errors import EchoMindError
from tests.drivers.client import METHODS, Transport
from tests.drivers.tables import Walk
from tests.factories.permissions import TABLE
from tests.factories.permissions.rows import HIDDEN, OK
from tests.factories.permissions.sources import FILE
from tests.factories.references import USES
from tests.factories.references.fields import NO_REFERENCE, SET_BY_SERVER, own_resource, references
from tests.factories.references.removal import NEVER_REMOVED, REMOVE, remove
from tests.factories.references.use import NOTHING
from tests.factories.world import Make, World


async def result_of(call: Awaitable[dict[str, Any]]) -> str:
    """Returns the reason of a refusal; otherwise whether anything came."""
    try:
        answer = await call
    except EchoMindError as error:
        return error.reason
    return OK if any(value != "0" and value for value in answer.values()) else NOTHING


def test_every_reference_in_a_request_has_its_place() -> None:
    known = SET_BY_SERVER | NO_REFERENCE.keys()
    placed = {
        method: known | own_resource(method) | {path for used, path in USES if used == method} for method in METHODS
    }
    unplaced = {method: set(references(METHODS[method].input_type)) - placed[method] for method in METHODS}
    assert not {method: paths for method, paths in unplaced.items() if paths}


def test_every_row_is_of_a_field_that_there_is() -> None:
    found = {(method, path) for method in METHODS for path in references(METHODS[method].input_type)}
    paths = {path for _, path in found}
    assert USES.keys() <= found
    assert paths >= SET_BY_SERVER | NO_REFERENCE.keys()
    assert {row.make for row in TABLE.values()} | {use.make for use in USES.values()} == REMOVE.keys() | NEVER_REMOVED


@pytest.mark.usefixtures("tool_listing")
@pytest.mark.parametrize("service", sorted({method.partition("/")[0] for method, _ in USES}))
async def test_what_is_hidden_or_removed_cannot_be_used(world: World, service: str) -> None:
    walk = Walk()
    for method, path in USES:
        if method.partition("/")[0] == service:
            with walk.at(f"{method} {path}"):
                await expect_unused(world, method, path)
    walk.check()


async def expect_unused(world: World, method: str, path: str) -> None:
    """Checks a field. The two calls go over both transports, as what they share is tested in `tests/contract`."""
    use = USES[method, path]
    found, expected = {}, {}
    if use.hidden:
        somebody = world.people[use.role]
        request = await use.ask(world, somebody, await use.make(world, use.hidden, somebody))
        found["hidden"] = await result_of(somebody.call(method, request))
        expected["hidden"] = use.expected
    if use.make in REMOVE:
        somebody = world.people["superadmin"]
        reference = await use.make(world, "own", somebody)
        await remove(world, use.make, reference)
        request = await use.ask(world, somebody, reference)
        via: Transport = "rest" if use.over_rest else "grpc"
        found["removed"] = await result_of(somebody.call(method, request, via))
        expected["removed"] = use.expected
    assert found == expected


async def test_documents_of_a_removed_connector_are_removed(world: World) -> None:
    somebody = world.people["superadmin"]
    connector, document = await world.connector("own", somebody), await world.document("own", somebody)
    await remove(world, World.connector, connector)
    for method in ("GetDocument", "GetDocumentText", "ListDocumentChunks", "RetryDocument", "DeleteDocument"):
        assert await result_of(somebody.call(f"DocumentService/{method}", {"id": document})) == HIDDEN
    upload = {"connectorId": connector} | FILE
    assert await result_of(somebody.call("DocumentService/UploadDocument", upload)) == HIDDEN


@pytest.mark.parametrize(
    ("method", "make"),
    [
        ("ChatSessionService/UpdateChatSession", World.session),
        ("ConnectorService/UpdateConnector", World.connector),
        ("TodoService/UpdateTodo", World.todo),
    ],
)
async def test_what_the_server_sets_is_sent_in_vain(world: World, method: str, make: Make) -> None:
    somebody = world.people["user"]
    own = await make(world, "own", somebody)
    paths = sorted(SET_BY_SERVER & set(references(METHODS[method].input_type)))
    for path in (path for path in paths if path.count(".") == 1):
        field, inner = (
            "".join(word.title() if number else word for number, word in enumerate(name.split("_")))
            for name in path.split(".")
        )
        value = str(uuid4()) if inner.endswith(("unId", "Name")) else 4321
        request = {"id": own, field: {inner: value}, "updateMask": inner}
        answer = await somebody.call(method, request, "rest")
        assert str(answer.get(inner)) != str(value), inner
