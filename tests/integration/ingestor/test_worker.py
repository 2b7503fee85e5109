"""The worker process: claims pending work, repairs lost work, and recovers from its own death."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from echomind_lib import jobs
from echomind_lib.config import S3Settings
from echomind_lib.jobs import REMOVE_DOCUMENTS
from echomind_lib.messaging import DOCUMENTS_BACKGROUND, DOCUMENTS_PROCESS, Bus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentProcess
from tests.conformance.doubles.website import WebDouble
from tests.drivers.stack import Stack
from tests.factories.rows import connector

Start = Callable[[], subprocess.Popen[bytes]]

# `echomind-ingestor` with shorter sweep intervals.
_INGESTOR = """
from echomind_ingestor import main, worker
from echomind_lib.jobs import JobWorker

worker._SWEEP_SECONDS = 0.5
JobWorker.__init__.__kwdefaults__["sweep_seconds"] = 0.5
main.main()
"""


@pytest.fixture
def environment(
    postgres_url: str,
    nats_url: str,
    s3_settings: S3Settings,
    qdrant_url: str,
    qdrant_api_key: str,
    embedding_url: str,
) -> dict[str, str]:
    return {
        **os.environ,
        "ECHOMIND_POSTGRES__URL": postgres_url,
        "ECHOMIND_NATS__URL": nats_url,
        "ECHOMIND_S3__ENDPOINT": s3_settings.endpoint,
        "ECHOMIND_S3__ACCESS_KEY": s3_settings.access_key,
        "ECHOMIND_S3__SECRET_KEY": s3_settings.secret_key.get_secret_value(),
        "ECHOMIND_S3__BUCKET": s3_settings.bucket,
        "ECHOMIND_QDRANT__URL": qdrant_url,
        "ECHOMIND_QDRANT__API_KEY": qdrant_api_key,
        "ECHOMIND_EMBEDDING__URL": embedding_url,
        "ECHOMIND_FETCH__ALLOWED_HOSTS": "127.0.0.1",
    }


@pytest_asyncio.fixture(loop_scope="session")
async def start_worker(environment: dict[str, str], tmp_path: Path) -> AsyncIterator[Start]:
    """Starts `echomind-ingestor`; what still runs at the end is killed."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        with (tmp_path / f"worker-{len(started)}.log").open("wb") as log:
            process = subprocess.Popen([sys.executable, "-c", _INGESTOR], env=environment, stderr=log)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        await asyncio.to_thread(process.wait)


async def until(stack: Stack, condition: str, *arguments: object, seconds: float = 60) -> None:
    """Waits until a query gives true."""
    async with asyncio.timeout(seconds):
        while not await stack.pool.fetchval(condition, *arguments):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_messages_and_rows_without_messages_are_both_worked_off(
    stack: Stack, start_worker: Start, nats_url: str
) -> None:
    of_org = await stack.rows.connector("org")
    received, lost = [await stack.add(f"Text {name}.", name, connector_id=of_org) for name in ("told", "lost")]
    doomed = await stack.index("Doomed.", "doomed", connector_id=of_org)
    await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", doomed)
    bus = await Bus.connect(nats_url, "test")
    process = start_worker()
    await bus.wake(DOCUMENTS_PROCESS, DocumentProcess(document_id=received))
    await jobs.request(stack.pool, bus, REMOVE_DOCUMENTS)
    await until(stack, "SELECT bool_and(status = 'completed') FROM documents WHERE id = ANY($1)", [received, lost])
    for document_id in (received, lost):
        await stack.assert_complete(document_id)
    await until(stack, "SELECT NOT EXISTS (SELECT FROM documents WHERE id = $1)", doomed)
    assert await stack.pool.fetchval("SELECT count(*) FROM workers WHERE service = 'ingestor'") == 1
    process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(process.wait, 20) == 0
    assert await stack.pool.fetchval("SELECT count(*) FROM workers") == 0
    await bus.close()


async def test_uploads_do_not_wait_for_documents_in_the_background(
    stack: Stack, start_worker: Start, nats_url: str
) -> None:
    of_org = await stack.rows.connector("org")
    paragraph = "A page of a source says what it says. " * 20
    synced = [await stack.add(paragraph, f"synced-{number}", connector_id=of_org) for number in range(40)]
    bus = await Bus.connect(nats_url, "test")
    for document_id in synced:
        await bus.wake(DOCUMENTS_BACKGROUND, DocumentProcess(document_id=document_id))
    start_worker()
    of_ids = "FROM documents WHERE status = 'completed' AND id = ANY($1)"
    await until(stack, f"SELECT count(*) > 0 {of_ids}", synced)
    uploaded = await stack.add("An upload.", "uploaded", connector_id=of_org)
    await bus.wake(DOCUMENTS_PROCESS, DocumentProcess(document_id=uploaded))
    await until(stack, "SELECT status = 'completed' FROM documents WHERE id = $1", uploaded)
    assert await stack.pool.fetchval(f"SELECT count(*) {of_ids}", synced) < 30
    await until(stack, f"SELECT count(*) = 40 {of_ids}", synced)
    await bus.close()


async def test_document_of_a_killed_worker_is_completed_by_the_next(
    stack: Stack, start_worker: Start, nats_url: str
) -> None:
    text = "\n\n".join(f"Paragraph {number} says that the answer is {number * 7}. " * 12 for number in range(160))
    document_id = await stack.add(text, "long.txt")
    bus = await Bus.connect(nats_url, "test")
    await bus.wake(DOCUMENTS_PROCESS, DocumentProcess(document_id=document_id))
    first = start_worker()
    await until(stack, "SELECT status_message LIKE 'Indexing, 64 %' FROM documents WHERE id = $1", document_id)
    first.kill()
    await asyncio.to_thread(first.wait)
    killed_session = (await stack.document(document_id))["processing_session"]
    assert killed_session is not None
    assert set(await stack.sessions(document_id)) == {str(killed_session)}
    assert await stack.retriever.search(stack.reader(), "What does paragraph 3 say?") == []
    start_worker()
    await until(stack, "SELECT status = 'completed' FROM documents WHERE id = $1", document_id, seconds=100)
    assert await stack.assert_complete(document_id) != killed_session
    await bus.close()


async def test_sync_of_a_killed_worker_is_continued_where_it_was(stack: Stack, start_worker: Start) -> None:
    async with WebDouble() as site:
        names = [f"{number:02}.txt" for number in range(45)]
        for name in names:
            site.put_now(name, f"This is what {name} says.".encode())
        go = site.hold(names[-1])
        given = {"config": site.setup().config, "scope": "org", "refresh_freq_minutes": 60}
        row = await connector(stack.pool, **given, next_sync_at=datetime.now(UTC))
        first = start_worker()
        async with asyncio.timeout(60):
            while not site.asked[names[-1]]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        first.kill()
        await asyncio.to_thread(first.wait)
        of_connector = "FROM documents WHERE connector_id = $1"
        assert await stack.pool.fetchval(f"SELECT count(*) {of_connector}", row["id"]) == 40, "a batch of a crawl"
        go.set()
        start_worker()
        status = "SELECT status = 'completed' FROM connector_syncs WHERE connector_id = $1"
        await until(stack, status, row["id"], seconds=100)
        found = await stack.pool.fetch(f"SELECT source_name {of_connector} ORDER BY 1", row["id"])
        assert [each["source_name"] for each in found] == names
        assert {name for name, asked in site.asked.items() if asked > 1} <= set(names[40:])


async def test_a_worker_that_was_frozen_for_a_minute_in_a_sync_loses_and_doubles_nothing(
    stack: Stack, start_worker: Start
) -> None:
    async with WebDouble() as site:
        names = [f"{number:02}.txt" for number in range(6)]
        for name in names:
            site.put_now(name, f"This is what {name} says.".encode())
        go = site.hold(names[-1])
        given = {"config": site.setup().config, "scope": "org", "refresh_freq_minutes": 60}
        row = await connector(stack.pool, **given, next_sync_at=datetime.now(UTC))
        first = start_worker()
        async with asyncio.timeout(60):
            while not site.asked[names[-1]]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        first.send_signal(signal.SIGSTOP)
        # As its row is after a minute: the other worker waits for no longer than that.
        await stack.pool.execute("UPDATE workers SET heartbeat_at = now() - interval '1 minute'")
        go.set()
        start_worker()
        of_connector = "FROM documents WHERE connector_id = $1"
        ready = f"SELECT count(*) = 6 AND bool_and(status = 'completed') {of_connector}"
        await until(stack, ready, row["id"], seconds=100)
        versions = f"SELECT id, source_name, chunking_session {of_connector} ORDER BY source_name"
        before = await stack.pool.fetch(versions, row["id"])
        first.send_signal(signal.SIGCONT)
        both = "SELECT count(*) = 2 FROM workers WHERE heartbeat_at > now() - interval '10 s'"
        await until(stack, both)
        assert await stack.pool.fetch(versions, row["id"]) == before
        assert [each["source_name"] for each in before] == names
        syncs = "SELECT array_agg(status) FROM connector_syncs WHERE connector_id = $1"
        assert await stack.pool.fetchval(syncs, row["id"]) == ["completed"]


async def test_document_that_its_worker_dropped_is_taken_again(stack: Stack, start_worker: Start) -> None:
    document_id = await stack.add("The garage opens at six.", "garage.txt")
    start_worker()
    await until(stack, "SELECT status = 'completed' FROM documents WHERE id = $1", document_id)
    # As the failure of the database leaves it: under a living worker that does not work on it.
    await stack.pool.execute(
        "UPDATE documents SET status = 'processing', processing_session = uuidv7(), chunking_session = NULL, "
        "worker_id = (SELECT id FROM workers WHERE service = 'ingestor') WHERE id = $1",
        document_id,
    )
    await until(stack, "SELECT status = 'completed' FROM documents WHERE id = $1", document_id)
    await stack.assert_complete(document_id)
