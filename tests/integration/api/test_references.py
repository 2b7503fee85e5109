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
from tests.drivers.client import METHODS, TRANSPORTS, Transport
from tests.factories.permissions import TABLE, reachable
from tests.factories.permissions.rows import HIDDEN, OK
from tests.factories.permissions.sources import FILE
from tests.factories.references import USES
from tests.factories.references.fields import NO_REFERENCE, SET_BY_SERVER, own_resource, references
from tests.factories.references.removal import NEVER_REMOVED, REMOVE, remove
from tests.factories.references.use import NOTHING
from tests.factories.world import Make, World

via_both = pytest.mark.parametrize("via", TRANSPORTS)


FOR_REMOVED = {
    "ChatSessionService/PurgeChatSession",
    "ChatSessionService/RestoreChatSession",
    "NotebookService/PurgeNotebook",
    "NotebookService/RestoreNotebook",
}
"""What is there for removed ones too."""


async def result_of(call: Awaitable[dict[str, Any]]) -> str:
    """Returns the reason of a refusal; otherwise whether anything came."""
    try:
        answer = await call
    except EchoMindError as error:
        return error.reason
    return OK if any(value != "0" and value for value in answer.values()) else NOTHING


@pytest.mark.parametrize("method", METHODS)
def test_every_reference_in_a_request_has_its_place(method: str) -> None:
    found = set(references(METHODS[method].input_type))
    placed = own_resource(method) | SET_BY_SERVER | NO_REFERENCE.keys() | {path for one, path in USES if one == method}
    assert found <= placed


def test_every_row_is_of_a_field_that_there_is() -> None:
    found = {(method, path) for method in METHODS for path in references(METHODS[method].input_type)}
    paths = {path for _, path in found}
    assert USES.keys() <= found
    assert paths >= SET_BY_SERVER | NO_REFERENCE.keys()
    assert {row.make for row in TABLE.values()} | {use.make for use in USES.values()} == REMOVE.keys() | NEVER_REMOVED


@pytest.mark.usefixtures("tool_listing")
@via_both
@pytest.mark.parametrize(("method", "path"), [key for key, use in USES.items() if use.hidden])
async def test_hidden_items_cannot_be_used(world: World, method: str, path: str, via: Transport) -> None:
    use = USES[method, path]
    if via == "rest" and not use.over_rest:
        pytest.skip("by another route")
    somebody = world.people[use.role]
    request = await use.ask(world, somebody, await use.make(world, use.hidden, somebody))
    assert await result_of(somebody.call(method, request, via)) == use.expected


@via_both
@pytest.mark.parametrize(("method", "path"), [key for key, use in USES.items() if use.make in REMOVE])
async def test_removed_items_cannot_be_used(world: World, method: str, path: str, via: Transport) -> None:
    use = USES[method, path]
    if via == "rest" and not use.over_rest:
        pytest.skip("by another route")
    somebody = world.people["superadmin"]
    reference = await use.make(world, "own", somebody)
    await remove(world, use.make, reference)
    request = await use.ask(world, somebody, reference)
    assert await result_of(somebody.call(method, request, via)) == use.expected


@via_both
@pytest.mark.parametrize(
    "method", [method for method, row in TABLE.items() if row.make in REMOVE and method not in FOR_REMOVED]
)
async def test_nothing_is_done_with_what_is_removed(world: World, method: str, via: Transport) -> None:
    row = TABLE[method]
    if not reachable(method, via):
        pytest.skip("gRPC alone")
    somebody = world.people["superadmin"]
    resource = await row.make(world, next(iter(row.expected)), somebody)
    await remove(world, row.make, resource)
    assert await result_of(somebody.call(method, row.ask(resource), via)) == HIDDEN


@via_both
async def test_documents_of_a_removed_connector_are_removed(world: World, via: Transport) -> None:
    somebody = world.people["superadmin"]
    connector, document = await world.connector("own", somebody), await world.document("own", somebody)
    await remove(world, World.connector, connector)
    for method in ("GetDocument", "GetDocumentText", "ListDocumentChunks", "RetryDocument", "DeleteDocument"):
        assert await result_of(somebody.call(f"DocumentService/{method}", {"id": document}, via)) == HIDDEN
    upload = {"connectorId": connector} | FILE
    assert await result_of(somebody.call("DocumentService/UploadDocument", upload)) == HIDDEN


@via_both
@pytest.mark.parametrize(
    ("method", "make", "path"),
    [
        (method, make, path)
        for method, make in (
            ("ChatSessionService/UpdateChatSession", World.session),
            ("ConnectorService/UpdateConnector", World.connector),
            ("TodoService/UpdateTodo", World.todo),
        )
        for path in sorted(SET_BY_SERVER & set(references(METHODS[method].input_type)))
        if path.count(".") == 1
    ],
)
async def test_what_the_server_sets_is_sent_in_vain(
    world: World, method: str, make: Make, path: str, via: Transport
) -> None:
    somebody = world.people["user"]
    own = await make(world, "own", somebody)
    field, _, inner = path.partition(".")
    field = METHODS[method].input_type.fields_by_name[field].json_name
    inner = "".join(word.title() if number else word for number, word in enumerate(inner.split("_")))
    value = str(uuid4()) if inner.endswith("unId") else 4321
    request = {"id": own, field: {inner: value}, "updateMask": inner}
    answer = await somebody.call(method, request, via)
    assert str(answer.get(inner)) != str(value)
