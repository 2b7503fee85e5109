"""Files within files as documents: they follow the file around them, and only its readers find them."""

import asyncio
import gzip
from typing import Any

import pytest

from echomind_ingestor.sync.permissions import apply_readers
from echomind_lib.objects import original_key
from tests.drivers.stack import Stack
from tests.factories.archives import tar_of
from tests.factories.files import zip_of


async def members_of(stack: Stack, document_id: int) -> dict[str, int]:
    found = await stack.pool.fetch(
        "SELECT id, source_id FROM documents WHERE parent_id = $1 AND deleted_date IS NULL ORDER BY source_id",
        document_id,
    )
    return {row["source_id"]: row["id"] for row in found}


async def process_all(stack: Stack) -> None:
    """Processes the documents that wait, as the ingestor does when it is woken."""
    while stack.woken:
        await stack.processor.process(stack.woken.pop(0), stack.worker_id)


async def status_of(stack: Stack, document_id: int) -> tuple[str, str]:
    row = await stack.pool.fetchrow("SELECT status, status_message FROM documents WHERE id = $1", document_id)
    assert row is not None
    return row["status"], row["status_message"] or ""


async def test_each_file_of_an_archive_is_found_by_itself(stack: Stack) -> None:
    files = {"rules/leave.txt": b"Thirty days of leave a year.", "rules/pay.txt": b"Salaries are paid on the 25th."}
    archive = await stack.add(zip_of({**files}), "handbook.zip")
    await stack.processor.process(archive, stack.worker_id)
    assert await status_of(stack, archive) == ("completed", "")
    members = await members_of(stack, archive)
    assert list(members) == ["handbook.zip/rules/leave.txt", "handbook.zip/rules/pay.txt"]
    await process_all(stack)
    hits = await stack.retriever.search(stack.reader(), "When are salaries paid?")
    assert hits[0].document_id == members["handbook.zip/rules/pay.txt"]
    within = await stack.retriever.search(stack.reader(), "salaries", document_ids=[archive])
    assert {hit.document_id for hit in within} <= {archive, *members.values()}
    assert hits[0].document_id in {hit.document_id for hit in within}


async def test_a_new_version_changes_only_what_is_different(stack: Stack) -> None:
    connector = await stack.rows.connector("org")
    first = tar_of({"a.txt": b"first", "b.txt": b"second", "c.txt": b"third"})
    archive = await stack.add(first, "a.tgz", connector_id=connector)
    await stack.processor.process(archive, stack.worker_id)
    before = await members_of(stack, archive)
    await process_all(stack)
    second = tar_of({"a.txt": b"first", "b.txt": b"changed", "d.txt": b"new"})
    assert await stack.add(second, "a.tgz", connector_id=connector) == archive
    await stack.processor.process(archive, stack.worker_id)
    after = await members_of(stack, archive)
    assert list(after) == ["a.tgz/a.txt", "a.tgz/b.txt", "a.tgz/d.txt"]
    assert after["a.tgz/b.txt"] == before["a.tgz/b.txt"]
    assert stack.woken == [after["a.tgz/b.txt"], after["a.tgz/d.txt"]]
    await process_all(stack)
    assert await stack.removal.run() == 1


async def test_files_within_are_removed_and_moved_with_the_file_around_them(stack: Stack) -> None:
    inner = tar_of({"deep.txt": b"The deepest text."})
    archive = await stack.add(zip_of({"inner.tgz": inner, "top.txt": b"Top."}), "outer.zip")
    await stack.processor.process(archive, stack.worker_id)
    await process_all(stack)
    count = "SELECT count(*) FROM documents WHERE container_id = $1 AND {}"
    assert await stack.pool.fetchval(count.format("deleted_date IS NULL"), archive) == 3
    other = await stack.rows.connector("group", scope_id="sales")
    await stack.pool.execute("UPDATE documents SET connector_id = $1 WHERE id = $2", other, archive)
    assert await stack.pool.fetchval(count.format(f"connector_id = {other}"), archive) == 3
    await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", archive)
    assert await stack.pool.fetchval(count.format("deleted_date IS NULL"), archive) == 0
    assert await stack.removal.run() == 4


async def test_an_archive_within_an_archive_is_removed_alone(stack: Stack) -> None:
    inner = tar_of({"deep.txt": b"The deepest text."})
    archive = await stack.add(zip_of({"inner.tgz": inner, "top.txt": b"Top."}), "outer.zip")
    await stack.processor.process(archive, stack.worker_id)
    nested = (await members_of(stack, archive))["outer.zip/inner.tgz"]
    await process_all(stack)
    await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", nested)
    left = await stack.pool.fetch("SELECT source_id FROM documents WHERE deleted_date IS NULL ORDER BY source_id")
    assert [row["source_id"] for row in left] == ["outer.zip", "outer.zip/top.txt"]


async def test_a_file_within_gets_the_readers_that_a_sync_is_about_to_write(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would keep those of before, as the change of the archive does not see it yet."""
    archive = await stack.add(zip_of({"a.txt": b"A text."}), "a.zip")
    readers = '{"principals": ["user:ben"], "inherits": false, "is_known": true}'
    put, changes = stack.objects.put, list[asyncio.Task[None]]()
    is_waited_for = (
        "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )

    async def change(is_begun: asyncio.Event) -> None:
        async with stack.pool.acquire() as connection, connection.transaction():
            await connection.execute(
                "UPDATE documents SET source_readers = $1::text::jsonb WHERE id = $2", readers, archive
            )
            is_begun.set()
            while not await stack.pool.fetchval(is_waited_for):  # noqa: ASYNC110 - a lock tells nobody
                await asyncio.sleep(0.01)

    async def put_beside_a_sync(key: str, *given: Any, **options: Any) -> None:
        await put(key, *given, **options)
        if key.endswith("/original"):
            is_begun = asyncio.Event()
            changes.append(asyncio.create_task(change(is_begun)))
            await is_begun.wait()

    monkeypatch.setattr(stack.objects, "put", put_beside_a_sync)
    await stack.processor.process(archive, stack.worker_id)
    assert len(await asyncio.gather(*changes)) == 1
    (member,) = (await members_of(stack, archive)).values()
    found = await stack.pool.fetchval("SELECT source_readers ->> 'principals' FROM documents WHERE id = $1", member)
    assert found == '["user:ben"]'


async def test_archives_that_are_nested_without_end_are_not_unpacked(stack: Stack) -> None:
    data = b"The innermost text."
    for depth in range(8):
        data = gzip.compress(data + bytes([depth]), mtime=0) if depth == 0 else tar_of({f"{depth}.tar.gz": data})
    outer = await stack.add(data, "matryoshka.tar.gz")
    await stack.processor.process(outer, stack.worker_id)
    await process_all(stack)
    rows = await stack.pool.fetch("SELECT status, status_message FROM documents ORDER BY id")
    assert [row["status"] for row in rows] == ["completed"] * 4 + ["failed"]
    assert "within 4 other files: unpack it" in rows[-1]["status_message"]


async def test_an_archive_that_holds_itself_is_unpacked_once(stack: Stack) -> None:
    data = tar_of({"self.tgz": b"placeholder"})
    archive = await stack.add(data, "self.tgz")
    await stack.processor.process(archive, stack.worker_id)
    (member,) = stack.woken
    # Stands for a file that was built to hold itself: the member has the bytes of the archive around it.
    signature = await stack.pool.fetchval("SELECT signature FROM documents WHERE id = $1", archive)
    await stack.objects.put(original_key(member, signature), data)
    await stack.pool.execute("UPDATE documents SET signature = $1 WHERE id = $2", signature, member)
    await process_all(stack)
    status, message = await status_of(stack, member)
    assert (status, "a copy of itself" in message) == ("failed", True)


async def test_only_readers_of_a_synced_file_find_what_is_in_it(stack: Stack) -> None:
    """A source's permissions hold for attachments, also when they change later."""
    connector = await stack.rows.connector("org")
    await stack.pool.execute(
        "UPDATE connectors SET permission_mode = 'source', type = 'onedrive' WHERE id = $1", connector
    )
    archive = await stack.add(zip_of({"a.txt": b"The secret figure is 42."}), "a.zip", connector_id=connector)
    readers = '{"principals": ["user:ada"], "inherits": false, "is_known": true}'
    await stack.pool.execute("UPDATE documents SET source_readers = $1::text::jsonb WHERE id = $2", readers, archive)
    await stack.pool.execute("INSERT INTO source_principals (connector_id, key) VALUES ($1, 'user:ada')", connector)
    await stack.processor.process(archive, stack.worker_id)
    (member,) = (await members_of(stack, archive)).values()
    grants = "SELECT key FROM document_acl JOIN source_principals ON id = principal_id WHERE document_id = $1"
    assert [row["key"] for row in await stack.pool.fetch(grants, member)] == ["user:ada"]
    assert await stack.retriever.search(stack.reader(), "secret figure") == []
    nobody = '{"principals": [], "inherits": false, "is_known": true}'
    async with stack.pool.acquire() as connection, connection.transaction():
        await connection.execute("UPDATE documents SET source_readers = $1::text::jsonb WHERE id = $2", nobody, archive)
        await apply_readers(connection, connector, folders=[], documents=[archive])
    assert await stack.pool.fetch(grants, member) == []
