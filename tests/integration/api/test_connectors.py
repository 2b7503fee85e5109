"""Connectors: making, sharing, reconciling and removing them."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any
from uuid import uuid4

import asyncpg
import numpy as np
import pytest
import pytest_asyncio

from echomind_api.main import Gateway
from echomind_ingestor.pipeline.scopes import ConnectorScopes
from echomind_lib.errors import (
    AlreadyExistsError,
    EchoMindError,
    GroupRequiredError,
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from echomind_lib.events.log import EventLog
from echomind_lib.indexes import Indexes
from echomind_lib.jobs import CONNECTOR_SCOPE, JobWorker, wake
from echomind_lib.vectors import Point, SparseVector
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser


def connector(name: str, **fields: Any) -> dict[str, Any]:
    return {"connector": {"name": name, "type": "CONNECTOR_TYPE_FILE"} | fields}


async def add_document(pool: asyncpg.Pool, connector_id: int, source_id: str, **fields: Any) -> int:
    """Returns a document's row."""
    columns = {"connector_id": connector_id, "source_id": source_id, "status": "completed"} | fields
    places = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    row: int = await pool.fetchval(
        f"INSERT INTO documents ({', '.join(columns)}) VALUES ({places}) RETURNING id", *columns.values()
    )
    return row


async def test_a_connector_is_private_by_default(new_user: NewUser, via: Transport) -> None:
    somebody, other = await new_user(), await new_user()
    made = await somebody.call("ConnectorService/CreateConnector", connector("mine"), via)
    assert (made["scope"], made["userId"], made["status"]) == (
        "SCOPE_USER",
        somebody.user_id,
        "CONNECTOR_STATUS_ACTIVE",
    )
    assert (await somebody.call("ConnectorService/GetConnector", {"id": made["id"]}, via))["name"] == "mine"
    with pytest.raises(NotFoundError):
        await other.call("ConnectorService/GetConnector", {"id": made["id"]}, via)
    assert made["id"] not in await _listed(other, via)


async def _listed(somebody: Client, via: Transport, **query: Any) -> list[int]:
    ids: list[int] = []
    token = ""
    while True:
        request = {"pageSize": 3, "pageToken": token, **query}
        page = await somebody.call("ConnectorService/ListConnectors", request, via)
        ids += [item["id"] for item in page.get("connectors", [])]
        if not (token := page.get("nextPageToken", "")):
            return ids


@pytest.mark.parametrize(
    ("role", "fields", "error"),
    [
        ("user", {"scope": "SCOPE_ORG"}, PermissionDeniedError),
        ("admin", {"scope": "SCOPE_ORG"}, PermissionDeniedError),
        ("superadmin", {"scope": "SCOPE_ORG"}, None),
        ("user", {"scope": "SCOPE_GROUP"}, GroupRequiredError),
        ("user", {"scope": "SCOPE_GROUP", "scopeId": "sales"}, PermissionDeniedError),
        ("admin", {"scope": "SCOPE_GROUP", "scopeId": "sales"}, None),
        ("admin", {"scope": "SCOPE_GROUP", "scopeId": "board"}, GroupRequiredError),
        ("superadmin", {"scope": "SCOPE_GROUP", "scopeId": "board"}, None),
        ("superadmin", {"scope": "SCOPE_GROUP", "scopeId": "nobody has heard of it"}, GroupRequiredError),
        ("superadmin", {"scope": "SCOPE_GROUP"}, GroupRequiredError),
        ("user", {"scope": "SCOPE_USER", "scopeId": "sales"}, ValidationFailedError),
        ("superadmin", {"scope": "SCOPE_ORG", "scopeId": "sales"}, ValidationFailedError),
    ],
)
async def test_who_may_share_with_whom(
    new_user: NewUser, via: Transport, role: str, fields: dict[str, str], error: type[EchoMindError] | None
) -> None:
    await new_user(groups=("board",))
    somebody = await new_user(role, groups=("sales",))
    if error is None:
        made = await somebody.call("ConnectorService/CreateConnector", connector(uuid4().hex, **fields), via)
        assert made["scope"] == fields["scope"]
        return
    with pytest.raises(error) as caught:
        await somebody.call("ConnectorService/CreateConnector", connector(uuid4().hex, **fields), via)
    if error is GroupRequiredError:
        assert caught.value.metadata["groups"] == "sales"
    own = await somebody.call("ConnectorService/CreateConnector", connector("own"), via)
    change = {"id": own["id"], "connector": fields, "updateMask": ",".join(fields)}
    with pytest.raises(error):
        await somebody.call("ConnectorService/UpdateConnector", change, via)
    assert (await somebody.call("ConnectorService/GetConnector", {"id": own["id"]}, via))["scope"] == "SCOPE_USER"


async def test_names_are_unique_for_an_owner(new_user: NewUser, via: Transport) -> None:
    somebody, other = await new_user("superadmin"), await new_user()
    made = await somebody.call("ConnectorService/CreateConnector", connector("same", scope="SCOPE_ORG"), via)
    with pytest.raises(AlreadyExistsError) as caught:
        await somebody.call("ConnectorService/CreateConnector", connector("same", scope="SCOPE_ORG"), via)
    assert caught.value.metadata == {"resource": "connector", "field": "name"}
    await other.call("ConnectorService/CreateConnector", connector("same"), via)
    assert made["id"] in await _listed(other, via, name="same")
    await somebody.call("ConnectorService/DeleteConnector", {"id": made["id"]}, via)
    await somebody.call("ConnectorService/CreateConnector", connector("same", scope="SCOPE_ORG"), via)


async def test_what_cannot_be_changed(new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    made = await somebody.call("ConnectorService/CreateConnector", connector("fixed"), via)
    change = {"id": made["id"], "connector": {"type": "CONNECTOR_TYPE_WEB"}, "updateMask": "type"}
    with pytest.raises(ValidationFailedError, match=r"connector\.type: cannot be changed after creation"):
        await somebody.call("ConnectorService/UpdateConnector", change, via)
    change = {"id": made["id"], "connector": {"userId": 1, "docsAnalyzed": "7"}, "updateMask": "userId,docsAnalyzed"}
    same = await somebody.call("ConnectorService/UpdateConnector", change, via)
    assert same["userId"] == somebody.user_id
    change = {"id": made["id"], "connector": {"name": "new", "refreshFreqMinutes": 60}, "updateMask": "name"}
    changed = await somebody.call("ConnectorService/UpdateConnector", change, via)
    assert changed["name"] == "new"
    assert not changed.get("refreshFreqMinutes")


async def _add_point(gateway: Gateway, connector_id: int, scope: str) -> None:
    vectors = gateway.parts.dependencies.vectors
    payload = {"scope": scope, "connector_id": connector_id, "document_id": 1, "chunking_session": str(uuid4())}
    sparse = SparseVector(np.array([1], np.uint32), np.array([1.0], np.float32))
    await vectors.upsert("chunks_1", [Point(str(uuid4()), np.ones(384, np.float32), sparse, payload)])


async def _scopes(gateway: Gateway, connector_id: int) -> set[str]:
    vectors = gateway.parts.dependencies.vectors
    return {point.payload["scope"] async for point in vectors.scroll("chunks_1", {"connector_id": connector_id})}


@pytest_asyncio.fixture(loop_scope="session")
async def scope_worker(gateway: Gateway) -> AsyncIterator[None]:
    """What an ingestor does when scopes change."""
    parts = gateway.parts.dependencies
    handler = ConnectorScopes(parts.database.pool, Indexes(parts.database.pool, parts.vectors))
    worker = JobWorker(EventLog(parts.database.pool, parts.bus), [handler], concurrency=1)
    task = asyncio.create_task(worker.run(uuid4()))
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def _until_scopes(gateway: Gateway, connector_id: int, scopes: set[str]) -> None:
    """Waits until a connector's chunks have these scopes."""
    async with asyncio.timeout(60):
        while await _scopes(gateway, connector_id) != scopes:  # noqa: ASYNC110 - the index does not tell
            await asyncio.sleep(0.02)


@pytest.mark.usefixtures("scope_worker")
async def test_chunks_follow_a_change_of_scope(new_user: NewUser, gateway: Gateway, via: Transport) -> None:
    somebody, reader = await new_user("superadmin", groups=("sales",)), await new_user(groups=("sales",))
    made = await somebody.call("ConnectorService/CreateConnector", connector("moving"), via)
    other = await somebody.call("ConnectorService/CreateConnector", connector("still", scope="SCOPE_ORG"), via)
    await _add_point(gateway, made["id"], f"user_{somebody.user_id}")
    await _add_point(gateway, other["id"], "org")
    for fields, scope in (
        ({"scope": "SCOPE_ORG"}, "org"),
        ({"scope": "SCOPE_GROUP", "scopeId": "sales"}, "group_sales"),
        ({"scope": "SCOPE_USER"}, f"user_{somebody.user_id}"),
    ):
        change = {"id": made["id"], "connector": fields, "updateMask": ",".join(fields)}
        assert (await somebody.call("ConnectorService/UpdateConnector", change, via))["scope"] == fields["scope"]
        await _until_scopes(gateway, made["id"], {scope})
        assert (made["id"] in await _listed(reader, via)) == (scope != f"user_{somebody.user_id}")
    assert await _scopes(gateway, other["id"]) == {"org"}


@pytest.mark.usefixtures("scope_worker")
async def test_a_change_whose_worker_died_is_carried_out_by_another(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool
) -> None:
    somebody = await new_user("superadmin")
    made = await somebody.call("ConnectorService/CreateConnector", connector("cut short"))
    await _add_point(gateway, made["id"], f"user_{somebody.user_id}")
    await pool.execute("UPDATE connectors SET scope = 'org' WHERE id = $1", made["id"])
    await pool.execute(
        "INSERT INTO background_jobs (kind, subject_id, unique_key, status, worker_id, run_after)"
        " VALUES ('connector.scope', $1, 'connector.scope:' || $1, 'running', gen_random_uuid(), now())",
        str(made["id"]),
    )
    await wake(gateway.parts.dependencies.bus, CONNECTOR_SCOPE)
    await _until_scopes(gateway, made["id"], {"org"})


async def test_removing_a_connector_removes_its_documents(
    new_user: NewUser, via: Transport, pool: asyncpg.Pool
) -> None:
    somebody = await new_user()
    made = await somebody.call("ConnectorService/CreateConnector", connector("doomed"), via)
    document_id = await add_document(pool, made["id"], "a.txt")
    assert (await somebody.call("DocumentService/GetDocument", {"id": document_id}, via))["sourceId"] == "a.txt"
    await somebody.call("ConnectorService/DeleteConnector", {"id": made["id"]}, via)
    for method, request in (
        ("ConnectorService/GetConnector", {"id": made["id"]}),
        ("ConnectorService/DeleteConnector", {"id": made["id"]}),
        ("DocumentService/GetDocument", {"id": document_id}),
        ("DocumentService/DeleteDocument", {"id": document_id}),
    ):
        with pytest.raises(NotFoundError):
            await somebody.call(method, request, via)
    left = await somebody.call("DocumentService/ListDocuments", {"connectorId": made["id"]}, via)
    assert not left.get("documents")


def signature(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


async def test_reconciliation_lists_uploads_and_removes_missing_files(
    new_user: NewUser, via: Transport, pool: asyncpg.Pool
) -> None:
    somebody = await new_user()
    made = await somebody.call("ConnectorService/CreateConnector", connector("folder"), via)
    for name, status in (
        ("docs/same", "completed"),
        ("docs/waiting", "pending"),
        ("docs/failed", "failed"),
        ("docs/changed", "completed"),
        ("docs/gone", "completed"),
        ("other/gone", "completed"),
    ):
        await add_document(pool, made["id"], name, signature=signature(name), status=status)
    names = {"docs/same": "", "docs/waiting": "", "docs/failed": "", "docs/changed": "!", "docs/new": ""}
    files = [{"sourceId": name, "signature": signature(name + change)} for name, change in names.items()]
    request = {"id": made["id"], "prefix": "docs/", "files": files}
    answer = await somebody.call("ConnectorService/ReconcileDocuments", request, via)
    assert answer["upload"] == ["docs/changed", "docs/failed", "docs/new"]
    assert answer["unchanged"] == 2
    assert not answer.get("removed")
    request["removeMissing"] = True
    assert (await somebody.call("ConnectorService/ReconcileDocuments", request, via))["removed"] == 1
    page = await somebody.call("DocumentService/ListDocuments", {"connectorId": made["id"]}, via)
    assert {item["sourceId"] for item in page["documents"]} == {
        "docs/same",
        "docs/waiting",
        "docs/failed",
        "docs/changed",
        "other/gone",
    }
    everything = {"id": made["id"], "removeMissing": True}
    assert (await somebody.call("ConnectorService/ReconcileDocuments", everything, via))["removed"] == 5


@pytest.mark.parametrize(
    "files",
    [
        [{"sourceId": "elsewhere/x", "signature": signature("")}],
        [{"sourceId": "in/x", "signature": signature("")}] * 2,
        [{"sourceId": "in/x", "signature": "no hash"}],
        [{"sourceId": "in/\x00", "signature": signature("")}],
        [{"sourceId": "in/" + "ü" * 1000, "signature": signature("")}],
    ],
)
async def test_a_manifest_that_cannot_be(new_user: NewUser, via: Transport, files: list[dict[str, str]]) -> None:
    somebody = await new_user()
    made = await somebody.call("ConnectorService/CreateConnector", connector("strict"), via)
    with pytest.raises(ValidationFailedError):
        await somebody.call(
            "ConnectorService/ReconcileDocuments", {"id": made["id"], "prefix": "in/", "files": files}, via
        )


async def test_a_large_folder_is_reconciled_by_one_statement(new_user: NewUser, pool: asyncpg.Pool) -> None:
    somebody = await new_user()
    made = await somebody.call("ConnectorService/CreateConnector", connector("large"))
    count = 10_000
    await pool.execute(
        "INSERT INTO documents (connector_id, source_id, signature, status)"
        " SELECT $1, 'f/' || n, encode(sha256(n::text::bytea), 'hex'), 'completed' FROM generate_series(1, $2) AS n",
        made["id"],
        count,
    )
    files = [{"sourceId": f"f/{number}", "signature": signature(str(number))} for number in range(2, count + 2)]
    request = {"id": made["id"], "files": files, "removeMissing": True}
    answer = await somebody.call("ConnectorService/ReconcileDocuments", request)
    assert answer == {"upload": [f"f/{count + 1}"], "unchanged": count - 1, "removed": 1}
    await pool.execute("DELETE FROM documents WHERE connector_id = $1", int(made["id"]))
