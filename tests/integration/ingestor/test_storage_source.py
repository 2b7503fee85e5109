"""Stores as sources, on the embedded S3 server and a WebDAV server process."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from minio import Minio

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.storage.source import StorageSource
from echomind_lib.config import S3Settings
from echomind_lib.connectors.types.storage import (
    AzureKey,
    S3Keys,
    StorageCredentials,
    StorageSettings,
    WebdavPassword,
)
from echomind_lib.network.fetching import AllowedHosts
from tests.drivers.webdav import WebdavServer, webdav_server
from tests.factories.sources import source_context

__all__ = ["webdav_server"]

LOCAL = AllowedHosts("127.0.0.1")
NAMES = ["a.txt", "b/c.txt", "b/d e #?.txt", "über/größe.md", "b/n" + "n" * 200]


class Store:
    """A store that a test fills, and a source that reads it."""

    def __init__(self, write: Callable[[str, bytes], None], remove: Callable[[str], None], settings: Any, keys: Any):
        self.write, self.remove = write, remove
        self._settings, self._keys = settings, keys

    def source(self, **settings: Any) -> StorageSource:
        context = source_context(StorageSettings(**self._settings, **settings), self._keys, allowed_hosts=LOCAL)
        return StorageSource(context)


@pytest.fixture
def s3(s3_settings: S3Settings) -> Store:
    host = s3_settings.endpoint.partition("://")[2]
    access, secret = s3_settings.access_key, s3_settings.secret_key.get_secret_value()
    client = Minio(endpoint=host, access_key=access, secret_key=secret, secure=False)
    bucket = s3_settings.bucket

    def write(path: str, data: bytes) -> None:
        client.put_object(bucket_name=bucket, object_name=path, data=io.BytesIO(data), length=len(data))

    def remove(path: str) -> None:
        client.remove_object(bucket_name=bucket, object_name=path)

    settings = {"service": "s3", "bucket": bucket, "endpoint": s3_settings.endpoint}
    return Store(write, remove, settings, StorageCredentials(s3=S3Keys(access_key=access, secret_key=secret)))


@pytest.fixture
def webdav(webdav_server: WebdavServer, tmp_path: Path) -> Store:
    folder = webdav_server.folder / tmp_path.name
    folder.mkdir()

    def write(path: str, data: bytes) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)

    def remove(path: str) -> None:
        (folder / path).unlink()

    password = WebdavPassword(username=webdav_server.username, password=webdav_server.password)
    settings = {"service": "webdav", "endpoint": f"{webdav_server.url}/{tmp_path.name}"}
    return Store(write, remove, settings, StorageCredentials(webdav=password))


@pytest.fixture(params=["s3", "webdav"])
def store(request: pytest.FixtureRequest) -> Store:
    found: Store = request.getfixturevalue(request.param)
    return found


async def pages(source: StorageSource, cursor: protocol.Cursor | None = None) -> list[protocol.Page]:
    return [page async for page in source.changes(cursor)]


async def items(source: StorageSource) -> dict[str, protocol.Item]:
    return {item.source_id: item for page in await pages(source) for item in page.items}


async def read(source: StorageSource, item: protocol.Item) -> bytes:
    async with source.open(item) as content:
        return b"".join([piece async for piece in content.pieces])


async def test_files_are_listed_and_read(store: Store) -> None:
    for name in NAMES:
        store.write(name, name.encode() * 50_000)
    source = store.source()
    found = await items(source)
    assert sorted(found) == sorted(NAMES)
    for name, item in found.items():
        assert item.size == len(name.encode()) * 50_000
        assert await read(source, item) == name.encode() * 50_000
        again = await source.find(name)
        assert again is not None
        assert again.version == item.version
    assert await source.find("b/none.txt") is None
    assert {check.status for check in await source.check()} == {"passed"}


async def test_the_version_lists_its_changes(store: Store) -> None:
    store.write("a.txt", b"one")
    store.write("b.txt", b"one")
    before = await items(store.source())
    assert {path: item.version for path, item in (await items(store.source())).items()} == {
        path: item.version for path, item in before.items()
    }
    store.write("a.txt", b"another")
    store.remove("b.txt")
    after = await items(store.source())
    assert after.keys() == {"a.txt"}
    assert after["a.txt"].version != before["a.txt"].version
    with pytest.raises(protocol.ItemError, match="was removed"):
        await read(store.source(), before["b.txt"])


async def test_a_folder_and_patterns_select(store: Store) -> None:
    for path in ("in/a.md", "in/drafts/b.md", "in/c.txt", "inner/d.md", "e.md"):
        store.write(path, b"text")
    source = store.source(folder="in", include=("*.md",), exclude=("drafts/**",))
    assert (await items(source)).keys() == {"in/a.md"}
    assert await source.find("in/drafts/b.md") is None
    assert await source.find("e.md") is None


async def test_a_listing_continues_after_each_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "PAGE_ITEMS", 3)
    for number in range(8):
        store.write(f"{number}.txt", b"text")
    whole = await pages(store.source())
    assert [len(page.items) for page in whole] == [3, 3, 2]
    assert whole[-1].cursor == {}
    rest = await pages(store.source(), whole[0].cursor)
    listed = {item.source_id for page in rest for item in page.items}
    assert listed >= {item.source_id for page in whole[1:] for item in page.items}


async def test_paths_that_would_be_misread_are_reported(store: Store) -> None:
    store.write("a.txt", b"right")
    store.write("a.txt ", b"wrong")
    found = await items(store.source())
    assert [bool(found[path].error) for path in ("a.txt", "a.txt ")] == [False, True]


async def test_an_empty_store_is_a_warning(store: Store) -> None:
    assert [page.items for page in await pages(store.source())] == [[]]
    assert [check.status for check in await store.source().check()] == ["warning"]


async def failure(
    settings: dict[str, Any], keys: StorageCredentials | None, allowed: AllowedHosts
) -> protocol.SourceError:
    source = StorageSource(source_context(StorageSettings(**settings), keys, allowed_hosts=allowed))
    with pytest.raises(protocol.SourceError) as caught:
        await pages(source)
    (check, *_) = await source.check()
    assert check.status == "failed"
    assert check.message == caught.value.message
    return caught.value


async def test_wrong_credentials_and_names_are_distinguished(
    s3_settings: S3Settings, webdav_server: WebdavServer
) -> None:
    secret = s3_settings.secret_key.get_secret_value()
    right = S3Keys(access_key=s3_settings.access_key, secret_key=secret)
    wrong = S3Keys(access_key=s3_settings.access_key, secret_key="wrong-secret-key")
    store = {"service": "s3", "bucket": s3_settings.bucket, "endpoint": s3_settings.endpoint}
    rejected = await failure(store, StorageCredentials(s3=wrong), LOCAL)
    assert isinstance(rejected, protocol.CredentialsRejectedError)
    assert "wrong-secret-key" not in str(rejected)
    assert isinstance(await failure(store, None, LOCAL), protocol.CredentialsRejectedError)
    missing = await failure({**store, "bucket": "no-such-bucket"}, StorageCredentials(s3=right), LOCAL)
    assert "not found" in missing.message
    nobody = WebdavPassword(username="anna", password="other")
    dav = {"service": "webdav", "endpoint": webdav_server.url}
    assert isinstance(await failure(dav, StorageCredentials(webdav=nobody), LOCAL), protocol.CredentialsRejectedError)
    azure = {"service": "azure", "bucket": "b", "endpoint": s3_settings.endpoint}
    damaged = StorageCredentials(azure=AzureKey(account_name="a", account_key="not base64!"))
    assert isinstance(await failure(azure, damaged, LOCAL), protocol.SourceError)


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://127.0.0.1:9",
        "http://169.254.169.254",
        "http://metadata.google.internal",
        "http://[::ffff:10.0.0.1]:9000",
    ],
)
async def test_addresses_that_must_not_be_reached_are_refused(endpoint: str) -> None:
    refused = await failure({"service": "webdav", "endpoint": endpoint}, None, AllowedHosts(""))
    assert "must not be reached" in refused.message


async def test_link_local_addresses_cannot_be_allowed() -> None:
    allowed = AllowedHosts("169.254.0.0/16")
    refused = await failure({"service": "webdav", "endpoint": "http://169.254.169.254"}, None, allowed)
    assert "must not be reached" in refused.message


async def test_a_store_that_is_down_is_tried_again_later() -> None:
    down = await failure({"service": "webdav", "endpoint": "http://127.0.0.1:9"}, None, LOCAL)
    assert isinstance(down, protocol.SourceUnavailableError)


async def test_nothing_of_the_environment_is_used(s3_settings: S3Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", s3_settings.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", s3_settings.secret_key.get_secret_value())
    store = {"service": "s3", "bucket": s3_settings.bucket, "endpoint": s3_settings.endpoint}
    assert isinstance(await failure(store, None, LOCAL), protocol.CredentialsRejectedError)
