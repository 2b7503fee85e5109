"""Documents by the many: lists with filters and orders, counts, folders, and changes of a selection."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_api.main import Gateway
from echomind_api.sources import document_lists
from echomind_ingestor.pipeline.changes import ChangesOfDocuments
from echomind_lib.documents.changes import Change, DocumentChanges
from echomind_lib.errors import AlreadyExistsError, NotFoundError, PermissionDeniedError, ValidationFailedError
from echomind_lib.indexes import Indexes
from echomind_lib.jobs import CHANGE_DOCUMENTS
from echomind_lib.jobs.lease import Job
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows
from tests.factories.world import name

PDF, MAIL = "application/pdf", "message/rfc822"
FILES = [
    ("reports/2025/Alpha.pdf", "alpha", PDF, 300, "completed"),
    ("reports/2025/beta.pdf", "Beta 100%", PDF, 100, "failed"),
    ("reports/2026/gamma.eml", "Gamma", MAIL, 200, "completed"),
    ("notes/delta.md", "Delta", "text/markdown", 200, "pending"),
    ("epsilon", "Epsilon", None, None, "completed"),
]


@pytest.fixture
def changes(gateway: Gateway) -> DocumentChanges:
    parts = gateway.parts.dependencies
    return DocumentChanges(parts.database, Indexes(parts.database.pool, parts.vectors), parts.bus)


@pytest_asyncio.fixture
async def owner_of_files(new_user: NewUser) -> Client:
    return await new_user()


@pytest_asyncio.fixture
async def collection(pool: asyncpg.Pool, owner_of_files: Client) -> AsyncIterator[int]:
    """A collection with `FILES`; what is added to it is deleted again."""
    made = await rows.connector(pool, name=name(), type="file", user_id=owner_of_files.user_id, scope="user")
    for source_id, title, content_type, size, status in FILES:
        values = {"title": title, "content_type": content_type, "size_bytes": size, "status": status}
        await rows.document(pool, connector_id=made["id"], source_id=source_id, signature="s", **values)
    yield int(made["id"])
    await pool.execute("DELETE FROM documents WHERE connector_id = $1", made["id"])


async def titles(client: Client, via: Transport, collection: int, **request: Any) -> list[str]:
    """Returns the titles of the list, page by page, and never twice."""
    given = {"filter": {"connectorIds": [collection]} | request.pop("filter", {})} | request
    found: list[str] = []
    token = ""
    while True:
        page = await client.call("DocumentService/ListDocuments", given | {"pageSize": 2, "pageToken": token}, via)
        found += [document["title"] for document in page.get("documents", [])]
        if not (token := page.get("nextPageToken", "")):
            assert len(set(found)) == len(found)
            return found


async def test_documents_are_listed_by_their_ids(
    owner_of_files: Client, new_user: NewUser, pool: asyncpg.Pool, collection: int, via: Transport
) -> None:
    stored = {
        row["title"]: row["id"]
        for row in await pool.fetch("SELECT id, title FROM documents WHERE connector_id = $1", collection)
    }
    asked = {"ids": [stored["Gamma"], stored["alpha"], 2**62]}
    assert await titles(owner_of_files, via, collection, **asked) == ["Gamma", "alpha"]
    assert await titles(owner_of_files, via, collection, **asked, status="DOCUMENT_STATUS_FAILED") == []
    assert await titles(owner_of_files, via, collection, **asked, sort="DOCUMENT_SORT_TITLE") == ["alpha", "Gamma"]
    assert await titles(await new_user(), via, collection, **asked) == []


async def test_lists_have_an_order(owner_of_files: Client, collection: int, via: Transport) -> None:
    newest_first = [title for _, title, *_ in reversed(FILES)]
    assert await titles(owner_of_files, via, collection) == newest_first
    by_title = ["alpha", "Beta 100%", "Delta", "Epsilon", "Gamma"]
    assert await titles(owner_of_files, via, collection, sort="DOCUMENT_SORT_TITLE") == by_title
    backwards = await titles(owner_of_files, via, collection, sort="DOCUMENT_SORT_TITLE", descending=True)
    assert backwards == by_title[::-1]
    assert await titles(owner_of_files, via, collection, sort="DOCUMENT_SORT_SIZE") == [
        "Epsilon",
        "Beta 100%",
        "Gamma",
        "Delta",
        "alpha",
    ]
    assert await titles(owner_of_files, via, collection, sort="DOCUMENT_SORT_ADDED") == newest_first[::-1]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"query": "ALPHA"}, {"alpha"}),
        ({"query": "reports 2025"}, {"alpha", "Beta 100%"}),
        ({"query": "100% pdf"}, {"Beta 100%"}),
        ({"query": "%"}, {"Beta 100%"}),
        ({"query": "alpha gamma"}, set()),
        ({"folder": "reports"}, {"alpha", "Beta 100%", "Gamma"}),
        ({"folder": "reports/2025/"}, {"alpha", "Beta 100%"}),
        ({"folder": "report"}, set()),
        ({"kinds": ["DOCUMENT_KIND_PDF"]}, {"alpha", "Beta 100%"}),
        ({"kinds": ["DOCUMENT_KIND_TEXT", "DOCUMENT_KIND_OTHER"]}, {"Delta", "Epsilon"}),
        ({"statuses": ["DOCUMENT_STATUS_FAILED", "DOCUMENT_STATUS_PENDING"]}, {"Beta 100%", "Delta"}),
        ({"scope": "SCOPE_USER", "kinds": ["DOCUMENT_KIND_EMAIL"]}, {"Gamma"}),
        ({"scope": "SCOPE_ORG"}, set()),
        ({"scope": "SCOPE_GROUP", "group": "sales"}, set()),
    ],
)
async def test_filters_narrow_lists_and_totals(
    owner_of_files: Client, collection: int, given: dict[str, Any], expected: set[str], via: Transport
) -> None:
    assert set(await titles(owner_of_files, via, collection, filter=given)) == expected
    request = {"filter": {"connectorIds": [collection]} | given}
    counts = await owner_of_files.call("DocumentService/CountDocuments", request, via)
    assert int(counts.get("total", 0)) == len(expected)


async def test_counts_show_the_results_of_other_filters(
    owner_of_files: Client, collection: int, via: Transport
) -> None:
    given = {"connectorIds": [collection], "statuses": ["DOCUMENT_STATUS_COMPLETED"], "kinds": ["DOCUMENT_KIND_PDF"]}
    counts = await owner_of_files.call("DocumentService/CountDocuments", {"filter": given}, via)
    assert int(counts["total"]) == 1
    assert _by_value(counts["statuses"]) == {"DOCUMENT_STATUS_COMPLETED": 1, "DOCUMENT_STATUS_FAILED": 1}
    assert _by_value(counts["kinds"]) == {
        "DOCUMENT_KIND_PDF": 1,
        "DOCUMENT_KIND_EMAIL": 1,
        "DOCUMENT_KIND_OTHER": 1,
    }
    assert _by_value(counts["connectors"]) == {str(collection): 1}


def _by_value(counts: list[dict[str, Any]]) -> dict[str, int]:
    return {count["value"]: int(count["documents"]) for count in counts}


async def test_several_values_of_each_property_at_once(
    owner_of_files: Client, collection: int, pool: asyncpg.Pool, via: Transport
) -> None:
    other = await rows.connector(pool, name=name(), type="file", user_id=owner_of_files.user_id, scope="user")
    await rows.document(pool, connector_id=other["id"], source_id="z", title="Zeta", content_type=PDF, status="failed")
    given = {
        "connectorIds": [collection, other["id"]],
        "statuses": ["DOCUMENT_STATUS_FAILED", "DOCUMENT_STATUS_PENDING"],
        "kinds": ["DOCUMENT_KIND_PDF", "DOCUMENT_KIND_TEXT"],
    }
    assert await titles(owner_of_files, via, collection, filter=given) == ["Zeta", "Delta", "Beta 100%"]
    oldest_first = await titles(owner_of_files, via, collection, filter=given, sort="DOCUMENT_SORT_ADDED")
    assert oldest_first == ["Beta 100%", "Delta", "Zeta"]
    counts = await owner_of_files.call("DocumentService/CountDocuments", {"filter": given}, via)
    assert int(counts["total"]) == 3
    assert _by_value(counts["connectors"]).items() >= {str(collection): 2, str(other["id"]): 1}.items()
    assert _by_value(counts["statuses"]) == {
        "DOCUMENT_STATUS_FAILED": 2,
        "DOCUMENT_STATUS_PENDING": 1,
        "DOCUMENT_STATUS_COMPLETED": 1,
    }


async def test_many_documents_are_counted_and_very_many_estimated(
    owner_of_files: Client, collection: int, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pool.execute(
        "INSERT INTO documents (connector_id, source_id, status) SELECT $1, 'm' || n, 'completed'"
        " FROM generate_series(1, 60000) n",
        collection,
    )
    await pool.execute("ANALYZE documents")
    counts = await owner_of_files.call("DocumentService/CountDocuments", {"filter": {"connectorIds": [collection]}})
    assert int(counts["total"]) == 60_000 + len(FILES)
    assert _by_value(counts["statuses"])["DOCUMENT_STATUS_COMPLETED"] == 60_003
    assert not counts.get("totalEstimated")
    assert not counts.get("countsEstimated")

    monkeypatch.setattr(document_lists, "EXACT", 10_000)
    counts = await owner_of_files.call("DocumentService/CountDocuments", {})
    assert counts["totalEstimated"]
    assert counts["countsEstimated"]
    assert 40_000 < int(counts["total"]) < 90_000
    given = {"filter": {"statuses": ["DOCUMENT_STATUS_FAILED"], "connectorIds": [collection]}}
    few = await owner_of_files.call("DocumentService/CountDocuments", given)
    assert int(few["total"]) == 1
    assert not few.get("totalEstimated")


async def test_folders_are_made_of_paths(owner_of_files: Client, collection: int, via: Transport) -> None:
    async def folders(parent: str) -> list[tuple[str, str, int]]:
        request = {"connectorId": collection, "parent": parent}
        found = await owner_of_files.call("DocumentService/ListDocumentFolders", request, via)
        return [(folder["name"], folder["path"], int(folder["documents"])) for folder in found.get("folders", [])]

    assert await folders("") == [("notes", "notes", 1), ("reports", "reports", 3)]
    assert await folders("reports") == [("2025", "reports/2025", 2), ("2026", "reports/2026", 1)]
    assert await folders("reports/2025") == []


async def test_a_title_is_changed_and_nothing_else(owner_of_files: Client, collection: int, via: Transport) -> None:
    listed = await owner_of_files.call("DocumentService/ListDocuments", {"connectorId": collection}, via)
    document = listed["documents"][0]
    change = {"id": document["id"], "document": {"title": "A new\nname"}, "updateMask": "title"}
    changed = await owner_of_files.call("DocumentService/UpdateDocument", change, via)
    assert changed["title"] == "A new name"
    empty = change | {"document": {"title": " "}}
    with pytest.raises(ValidationFailedError):
        await owner_of_files.call("DocumentService/UpdateDocument", empty, via)
    by_server = {"id": document["id"], "document": {"language": "de"}, "updateMask": "language"}
    unchanged = await owner_of_files.call("DocumentService/UpdateDocument", by_server, via)
    assert not unchanged.get("language")


async def test_a_filter_changes_only_what_the_caller_may_change(
    owner_of_files: Client, collection: int, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    other = await new_user()
    word = name()
    everyone = await rows.connector(pool, name=name(), type="file", user_id=other.user_id, scope="org")
    theirs = await rows.connector(pool, name=name(), type="file", user_id=other.user_id, scope="user")
    mine = await rows.document(pool, connector_id=collection, source_id=f"{word} mine")
    kept = [
        await rows.document(pool, connector_id=connector["id"], source_id=f"{word} {number}")
        for number, connector in enumerate((everyone, theirs))
    ]
    selection = {"selection": {"filter": {"query": word}}}
    result = await owner_of_files.call("DocumentService/DeleteDocuments", selection, via)
    assert int(result["documents"]) == 1
    assert not result.get("inBackground")
    left = await pool.fetch(
        "SELECT id FROM documents WHERE deleted_date IS NULL AND id = ANY ($1)",
        [mine["id"], *(row["id"] for row in kept)],
    )
    assert {row["id"] for row in left} == {row["id"] for row in kept}


async def test_ids_are_changed_all_or_none(
    owner_of_files: Client, collection: int, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    other = await new_user()
    everyone = await rows.connector(pool, name=name(), type="file", user_id=other.user_id, scope="org")
    readable = (await rows.document(pool, connector_id=everyone["id"]))["id"]
    own = await pool.fetchval("SELECT min(id) FROM documents WHERE connector_id = $1", collection)
    for method in ("DeleteDocuments", "RetryDocuments"):
        with pytest.raises(PermissionDeniedError):
            await owner_of_files.call(f"DocumentService/{method}", {"selection": {"ids": [own, readable]}}, via)
        with pytest.raises(NotFoundError):
            await owner_of_files.call(f"DocumentService/{method}", {"selection": {"ids": [own, 2**40]}}, via)
    for selection in ({}, {"ids": [own], "filter": {"query": "x"}}):
        with pytest.raises(ValidationFailedError):
            await owner_of_files.call("DocumentService/DeleteDocuments", {"selection": selection}, via)
    state = await pool.fetchrow("SELECT status, deleted_date FROM documents WHERE id = $1", own)
    assert state is not None
    assert tuple(state) == ("completed", None)


async def test_failed_documents_are_retried_by_a_filter(
    owner_of_files: Client, collection: int, pool: asyncpg.Pool, via: Transport
) -> None:
    given = {"connectorIds": [collection], "statuses": ["DOCUMENT_STATUS_FAILED"]}
    result = await owner_of_files.call("DocumentService/RetryDocuments", {"selection": {"filter": given}}, via)
    assert int(result["documents"]) == 1
    found = await pool.fetch("SELECT title, status FROM documents WHERE connector_id = $1", collection)
    assert {row["title"] for row in found if row["status"] == "pending"} == {"Beta 100%", "Delta"}


async def test_documents_move_unless_their_path_is_taken(
    owner_of_files: Client, collection: int, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    given = {"name": name(), "type": "CONNECTOR_TYPE_FILE"}
    target = (await owner_of_files.call("ConnectorService/CreateConnector", {"connector": given}, via))["id"]
    await rows.document(pool, connector_id=target, source_id="epsilon")
    taken = await pool.fetchval(
        "SELECT id FROM documents WHERE source_id = 'epsilon' AND connector_id = $1", collection
    )
    single = {"selection": {"ids": [taken]}, "connectorId": target}
    with pytest.raises(AlreadyExistsError):
        await owner_of_files.call("DocumentService/MoveDocuments", single, via)
    everything = {"selection": {"filter": {"connectorIds": [collection]}}, "connectorId": target}
    result = await owner_of_files.call("DocumentService/MoveDocuments", everything, via)
    assert int(result["documents"]) == 3
    left = await pool.fetch("SELECT title FROM documents WHERE connector_id = $1", collection)
    assert {row["title"] for row in left} == {"Delta", "Epsilon"}, "one waits, the other's path is taken"
    foreign = await rows.connector(pool, name=name(), type="file", user_id=(await new_user()).user_id, scope="user")
    with pytest.raises(NotFoundError):
        await owner_of_files.call("DocumentService/MoveDocuments", everything | {"connectorId": foreign["id"]}, via)


@pytest.mark.parametrize("failure", [asyncio.CancelledError(), RuntimeError("a fault")], ids=repr)
async def test_a_move_that_is_cut_off_leaves_documents_where_they_are_found(
    owner_of_files: Client,
    collection: int,
    pool: asyncpg.Pool,
    changes: DocumentChanges,
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
) -> None:
    target = await rows.connector(pool, name=name(), type="file", user_id=owner_of_files.user_id, scope="user")
    document = await pool.fetchval(
        "SELECT id FROM documents WHERE source_id = 'epsilon' AND connector_id = $1", collection
    )
    written: list[int] = []

    async def set_payload(payload: dict[str, int], where: dict[str, Any]) -> None:
        assert where["document_id"] in (document, [document])
        written.append(payload["connector_id"])

    async def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(changes._indexes, "set_payload", set_payload)
    monkeypatch.setattr(changes, "_update", fail)
    move = Change(
        action="move",
        user_id=owner_of_files.user_id,
        ids=(document,),
        last_id=document,
        connector_id=target["id"],
    )
    with pytest.raises(type(failure)):
        await changes.apply(move)
    assert written == [target["id"], collection]


async def test_what_the_first_batch_leaves_is_a_job(
    owner_of_files: Client, collection: int, pool: asyncpg.Pool, changes: DocumentChanges
) -> None:
    await pool.execute(
        "INSERT INTO documents (connector_id, source_id) SELECT $1, 'many ' || n FROM generate_series(1, 2300) n",
        collection,
    )
    selection = {"selection": {"filter": {"query": "many", "connectorIds": [collection]}}}
    result = await owner_of_files.call("DocumentService/DeleteDocuments", selection)
    assert (result["documents"], result["inBackground"]) == ("2300", True)
    later = await rows.document(pool, connector_id=collection, source_id="many came later")
    stored = await pool.fetchrow(
        "SELECT id, subject_id, payload FROM background_jobs WHERE kind = $1 ORDER BY id DESC LIMIT 1",
        CHANGE_DOCUMENTS.name,
    )
    work = ChangesOfDocuments(changes)
    job = _job(stored)
    await work.work(job)
    await work.work(job)  # a repeated attempt finds no documents
    left = await pool.fetch(
        "SELECT id FROM documents WHERE connector_id = $1 AND deleted_date IS NULL AND source_id LIKE 'many%'",
        collection,
    )
    assert [row["id"] for row in left] == [later["id"]]


@pytest.mark.parametrize("revoked", ["groups = '{}'", "is_active = false"])
async def test_a_job_changes_nothing_after_the_permission_was_revoked(
    new_user: NewUser, pool: asyncpg.Pool, changes: DocumentChanges, revoked: str
) -> None:
    admin = await new_user("admin", groups=("matrix",))
    group = await rows.connector(
        pool, name=name(), type="file", user_id=admin.user_id, scope="group", scope_id="matrix"
    )
    await pool.execute(
        "INSERT INTO documents (connector_id, source_id) SELECT $1, 'g' || n FROM generate_series(1, 1500) n",
        group["id"],
    )
    selection = {"selection": {"filter": {"connectorIds": [group["id"]]}}}
    assert (await admin.call("DocumentService/DeleteDocuments", selection))["inBackground"]
    await pool.execute(f"UPDATE users SET {revoked} WHERE id = $1", admin.user_id)
    stored = await pool.fetchrow(
        "SELECT id, subject_id, payload FROM background_jobs WHERE kind = $1 ORDER BY id DESC LIMIT 1",
        CHANGE_DOCUMENTS.name,
    )
    await ChangesOfDocuments(changes).work(_job(stored))
    left = await pool.fetchval(
        "SELECT count(*) FROM documents WHERE connector_id = $1 AND deleted_date IS NULL", group["id"]
    )
    assert left == 500
    await pool.execute("DELETE FROM documents WHERE connector_id = $1", group["id"])


def _job(stored: asyncpg.Record | None) -> Job:
    assert stored is not None
    return Job(**stored, kind=CHANGE_DOCUMENTS.name, attempt=1, claimed_at=datetime.now(UTC))
