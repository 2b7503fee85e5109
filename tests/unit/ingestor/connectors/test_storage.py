"""Effects of a store's responses."""

from typing import Literal

import pytest
from aiohttp import web

from echomind_ingestor.connectors.protocol import SourceError
from echomind_ingestor.connectors.storage.source import StorageSource
from echomind_lib.connectors.types.storage import S3Keys, StorageCredentials, StorageSettings, WebdavPassword
from echomind_lib.network.fetching import AllowedHosts
from tests.drivers.serving import answering, serving
from tests.factories.sources import source_context


@pytest.mark.parametrize(
    ("service", "credentials"),
    [
        ("s3", StorageCredentials(s3=S3Keys(access_key="key", secret_key="secret"))),
        ("webdav", StorageCredentials(webdav=WebdavPassword(username="anna", password="secret"))),
    ],
)
async def test_another_server_that_a_store_redirects_to_gets_no_credentials(
    service: Literal["s3", "webdav"], credentials: StorageCredentials
) -> None:
    asked: list[web.Request] = []
    targets: list[str] = []

    async def redirect(request: web.Request) -> web.Response:
        asked.append(request)
        return web.Response(status=307, headers={"Location": f"{targets[0]}{request.path}"})

    async def refuse(request: web.Request) -> web.Response:
        asked.append(request)
        return web.Response(status=404)

    async with serving(answering(refuse)) as other, serving(answering(redirect)) as endpoint:
        targets.append(other)
        bucket = "documents" if service == "s3" else ""
        settings = StorageSettings(service=service, bucket=bucket, endpoint=endpoint)
        context = source_context(settings, credentials, allowed_hosts=AllowedHosts("127.0.0.1"))
        async with StorageSource(context) as source:
            with pytest.raises(SourceError) as caught:
                async for _ in source.changes(None):
                    pass
    first, *others = [request.headers for request in asked]
    assert "Authorization" in first
    assert not any("Authorization" in headers for headers in others)
    assert "secret" not in caught.value.message
