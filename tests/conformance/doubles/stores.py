"""Real servers of stores, the embedded S3 server and one of WebDAV, behind what can answer wrongly for them."""

import io
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
import urllib3
from minio import Minio
from typing_extensions import override

from echomind.local.embedded.process import free_port
from echomind.local.embedded.s3 import S3Server
from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.storage import source as storage_source
from tests.conformance.double import Ability, ConnectorSetup, Expected, SourceDouble
from tests.conformance.doubles.files import FolderDouble
from tests.conformance.doubles.proxy import FaultyProxy
from tests.drivers.servers import Server, running
from tests.drivers.webdav import WebdavServer

_BUCKET = "documents"


_ABILITIES: frozenset[Ability] = frozenset({"restore", "paging", "rate_limit", "credentials", "broken_item"})


class _Store(SourceDouble):
    """What both have: a proxy before the server, and pages of the source's own making."""

    _stack: AsyncExitStack
    proxy: FaultyProxy

    async def _begin(self, server: Server, logs: Path, origin: str, folder: str = "/") -> None:
        """Starts the server and what stands before it.

        Args:
            server: The server.
            logs: Where it writes its log.
            origin: Its address.
            folder: The path that its files lie below.
        """
        self._stack, self._patch, self._folder_path = AsyncExitStack(), pytest.MonkeyPatch(), folder
        self._stack.callback(self._patch.undo)
        self._stack.enter_context(running(server, logs))
        self.proxy = await self._stack.enter_async_context(FaultyProxy(origin))

    @override
    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    @override
    def page_size(self, items: int) -> None:
        self._patch.setattr(protocol, "PAGE_ITEMS", items)

    @override
    def after_page(self, action: Callable[[], object]) -> None:
        make, actions = storage_source._page, [action]

        def page(items: Sequence[Any], failures: Sequence[Any], cursor: dict[str, Any]) -> Any:
            while actions:
                actions.pop()()
            return make(items, failures, cursor)

        self._patch.setattr(storage_source, "_page", page)

    @override
    def limit_rate(self, requests: int, retry_after: str | None) -> None:
        self.proxy.refusals = [{} if retry_after is None else {"Retry-After": retry_after}] * requests

    @override
    def revoke(self) -> None:
        self.proxy.is_revoked = True

    @override
    def break_item(self, source_id: str, *, broken: bool = True) -> None:
        path = f"{self._folder_path}{source_id}"
        (self.proxy.broken.add if broken else self.proxy.broken.discard)(path)


class WebdavDouble(_Store, FolderDouble):
    """A WebDAV server."""

    abilities: ClassVar[frozenset[Ability]] = _ABILITIES | {"rename"}
    unreadable: ClassVar[frozenset[str]] = frozenset({"a b.txt "})

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._server = WebdavServer(self.folder, free_port())

    @override
    async def __aenter__(self) -> Self:
        await self._begin(self._server, self.folder.parent, self._server.url)
        return self

    @override
    def setup(self) -> ConnectorSetup:
        password = {"username": self._server.username, "password": self._server.password}
        config = {"service": "webdav", "endpoint": self.proxy.origin}
        return ConnectorSetup(type="storage", config=config, credentials={"webdav": password})


class S3Double(_Store):
    """A bucket."""

    longest_name: ClassVar[int] = 200  # the server appends a suffix, and uses the name as a file name
    abilities: ClassVar[frozenset[Ability]] = _ABILITIES
    unreadable: ClassVar[frozenset[str]] = frozenset({"a b.txt "})

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server = S3Server(
            data_dir=folder / "s3", port=free_port(), access_key="conformance", secret_key="conformance-secret"
        )
        self._contents: dict[str, bytes] = {}
        self._removed: dict[str, bytes] = {}

    @override
    async def __aenter__(self) -> Self:
        await self._begin(self._server, self._folder, self._server.endpoint, f"/{_BUCKET}/")
        pool = self._stack.enter_context(urllib3.PoolManager())
        self._client = Minio(
            endpoint=f"127.0.0.1:{self._server.port}",
            access_key=self._server.access_key,
            secret_key=self._server.secret_key,
            secure=False,
            http_client=pool,
        )
        self._client.make_bucket(bucket_name=_BUCKET)
        self.proxy.revoked_status = 403
        self.proxy.revoked_body = "<Error><Code>InvalidAccessKeyId</Code><Message>It does not exist.</Message></Error>"
        return self

    @override
    def setup(self) -> ConnectorSetup:
        keys = {"access_key": self._server.access_key, "secret_key": self._server.secret_key}
        config = {"service": "s3", "bucket": _BUCKET, "endpoint": self.proxy.origin}
        return ConnectorSetup(type="storage", config=config, credentials={"s3": keys})

    @override
    def expected(self) -> dict[str, Expected]:
        return {name: Expected(name=name, content=content) for name, content in self._contents.items()}

    @override
    async def put(self, name: str, content: bytes, *, folder: str = "", old: bool = False) -> str:
        self.put_now(name, content)
        return name

    @override
    def put_now(self, name: str, content: bytes) -> None:
        self._client.put_object(bucket_name=_BUCKET, object_name=name, data=io.BytesIO(content), length=len(content))
        self._contents[name] = content

    @override
    async def delete(self, source_id: str) -> None:
        self._client.remove_object(bucket_name=_BUCKET, object_name=source_id)
        self._removed[source_id] = self._contents.pop(source_id)

    @override
    async def restore(self, source_id: str) -> None:
        await self.put(source_id, self._removed.pop(source_id))
