"""The object store on SeaweedFS, started as the compose file says: another server than the embedded one."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import SecretStr

from echomind.local.embedded.process import free_port, spawn, stop, wait_ready
from echomind_lib.config import S3Settings
from echomind_lib.errors import DependencyUnavailableError, NotFoundError
from echomind_lib.objects import ObjectStore
from tests.drivers.containers.seaweedfs import SeaweedServer
from tests.drivers.disk import small_disk

LARGE = 40 * 2**20 + 7
"""Bytes of a file that is sent in parts."""
SMALL_MB = 6000
"""Of a small disk: six volumes, of which SeaweedFS leaves one free."""


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[SeaweedServer]:
    server = SeaweedServer(folder / "objects", free_port(), secrets.token_hex(12))
    server.prepare()
    spec = server.spec()
    process = spawn(spec, folder / "log")
    try:
        await asyncio.to_thread(wait_ready, process, spec, folder / "log")
        yield server
    finally:
        await asyncio.to_thread(stop, process, spec)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SeaweedServer]:
    async with running(tmp_path_factory.mktemp("seaweedfs")) as server:
        yield server


def settings(server: SeaweedServer, **changed: str) -> S3Settings:
    key = SecretStr(changed.get("secret_key", server.secret_key))
    bucket = changed.get("bucket", "echomind")
    return S3Settings(endpoint=server.endpoint, access_key=server.access_key, secret_key=key, bucket=bucket)


@pytest_asyncio.fixture
async def store(server: SeaweedServer) -> AsyncIterator[ObjectStore]:
    made = ObjectStore(settings(server))
    await made.ensure_bucket()
    await made.ensure_bucket()  # as the next service does
    await made.check()
    yield made
    await made.delete_prefix("")
    await made.close()


async def test_objects_are_stored_replaced_read_and_removed(store: ObjectStore) -> None:
    await store.put("documents/1/a/original", b"one")
    await store.put("documents/1/a/original", b"two")
    await store.put("documents/1/b/text", "gr\u00fcn".encode(), "text/plain; charset=utf-8")
    assert await store.get("documents/1/a/original") == b"two"
    size, pieces = await store.open("documents/1/b/text")
    assert (size, b"".join([piece async for piece in pieces])) == (5, "gr\u00fcn".encode())
    await store.delete("documents/1/a/original")
    await store.delete("documents/1/a/original")
    with pytest.raises(NotFoundError):
        await store.get("documents/1/a/original")
    assert await store.keys("documents/") == ["documents/1/b/text"]


async def test_large_files_go_in_parts(store: ObjectStore, tmp_path: Path) -> None:
    file = tmp_path / "large"
    file.write_bytes(secrets.token_bytes(2**20) * 40 + b"the end")
    await store.put_file("large", file)
    size, hashed = 0, b""
    async for piece in store.stream("large"):
        size, hashed = size + len(piece), piece[-7:] if len(piece) >= 7 else hashed
    assert (size, hashed) == (LARGE, b"the end")


async def test_many_objects_are_listed_in_order_by_pages_and_removed_at_once(store: ObjectStore) -> None:
    names = [f"documents/7/{number:04}" for number in range(1203)]
    await asyncio.gather(*(store.put(name, b"x") for name in names))
    await store.put("documents/70", b"another one's")
    assert await store.keys("documents/7/") == names
    page = await store.page("documents/7/", names[99], 50)
    assert [each.key for each in page] == names[100:150]
    assert await store.delete_prefix("documents/7/", keep=frozenset(names[:2])) == 1201
    assert await store.keys("documents/") == [*names[:2], "documents/70"]


async def test_a_wrong_key_is_refused(server: SeaweedServer) -> None:
    store = ObjectStore(settings(server, secret_key="wrong"))
    with pytest.raises(DependencyUnavailableError):
        await store.put("a", b"x")
    await store.close()


async def test_another_bucket_has_room_on_a_small_disk(tmp_path: Path) -> None:
    """As for a restore beside what there was: a bucket must not take all volumes that fit."""
    with small_disk(tmp_path / "disk", SMALL_MB) as disk:
        assert disk is not None
        async with running(disk) as server:
            for bucket in ("echomind", "restored", "another"):
                store = ObjectStore(settings(server, bucket=bucket))
                await store.ensure_bucket()
                await store.put("documents/1/original", bucket.encode())
                assert await store.get("documents/1/original") == bucket.encode()
                await store.close()
