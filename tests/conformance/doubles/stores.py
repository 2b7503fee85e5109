"""Real servers of stores: the embedded S3 server, and one of WebDAV."""

import io
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar, Self

import urllib3
from minio import Minio
from typing_extensions import override

from echomind.local.embedded.process import free_port
from echomind.local.embedded.s3 import S3Server
from tests.conformance.double import Ability, ConnectorSetup, Expected, SourceDouble
from tests.conformance.doubles.files import FolderDouble
from tests.drivers.servers import running
from tests.drivers.webdav import WebdavServer

_BUCKET = "documents"


class WebdavDouble(FolderDouble):
    """A WebDAV server."""

    abilities: ClassVar[frozenset[Ability]] = frozenset({"rename", "restore"})
    unreadable: ClassVar[frozenset[str]] = frozenset({"a b.txt "})

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._server = WebdavServer(self.folder, free_port())
        self._stack = ExitStack()

    @override
    async def __aenter__(self) -> Self:
        self._stack.enter_context(running(self._server, self.folder.parent))
        return self

    @override
    async def __aexit__(self, *_: object) -> None:
        self._stack.close()

    @override
    def setup(self) -> ConnectorSetup:
        password = {"username": self._server.username, "password": self._server.password}
        config = {"service": "webdav", "endpoint": self._server.url}
        return ConnectorSetup(type="storage", config=config, credentials={"webdav": password})


class S3Double(SourceDouble):
    """A bucket."""

    abilities: ClassVar[frozenset[Ability]] = frozenset({"restore"})
    unreadable: ClassVar[frozenset[str]] = frozenset({"a b.txt "})

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server = S3Server(
            data_dir=folder / "s3", port=free_port(), access_key="conformance", secret_key="conformance-secret"
        )
        self._stack = ExitStack()
        self._contents: dict[str, bytes] = {}
        self._removed: dict[str, bytes] = {}

    @override
    async def __aenter__(self) -> Self:
        self._stack.enter_context(running(self._server, self._folder))
        pool = self._stack.enter_context(urllib3.PoolManager())
        self._client = Minio(
            endpoint=f"127.0.0.1:{self._server.port}",
            access_key=self._server.access_key,
            secret_key=self._server.secret_key,
            secure=False,
            http_client=pool,
        )
        self._client.make_bucket(bucket_name=_BUCKET)
        return self

    @override
    async def __aexit__(self, *_: object) -> None:
        self._stack.close()

    @override
    def setup(self) -> ConnectorSetup:
        keys = {"access_key": self._server.access_key, "secret_key": self._server.secret_key}
        config = {"service": "s3", "bucket": _BUCKET, "endpoint": self._server.endpoint}
        return ConnectorSetup(type="storage", config=config, credentials={"s3": keys})

    @override
    def expected(self) -> dict[str, Expected]:
        return {name: Expected(name=name, content=content) for name, content in self._contents.items()}

    @override
    async def put(self, name: str, content: bytes, *, folder: str = "", old: bool = False) -> str:
        self._client.put_object(bucket_name=_BUCKET, object_name=name, data=io.BytesIO(content), length=len(content))
        self._contents[name] = content
        return name

    @override
    async def delete(self, source_id: str) -> None:
        self._client.remove_object(bucket_name=_BUCKET, object_name=source_id)
        self._removed[source_id] = self._contents.pop(source_id)

    @override
    async def restore(self, source_id: str) -> None:
        await self.put(source_id, self._removed.pop(source_id))
