"""Servers with certificates that are trusted by `SSL_CERT_FILE` alone: the vector index and the object store."""

import ssl
from pathlib import Path
from typing import Any

import grpc
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from echomind_lib.config import S3Settings
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.objects import ObjectStore
from echomind_lib.vectors.qdrant_messages import pb as qdrant
from echomind_lib.vectors.server import VectorServer
from tests.factories.certificates import self_signed_certificate


async def check_vectors(url: str) -> None:
    server = VectorServer(url)
    try:
        await server.check()
    finally:
        await server.close()


async def check_objects(url: str) -> None:
    store = ObjectStore(S3Settings(endpoint=url, access_key="a", secret_key=SecretStr("b")))
    try:
        await store.check()
    finally:
        await store.close()


async def test_the_vector_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def listed(request: bytes, _: Any) -> bytes:
        return bytes(qdrant.ListCollectionsResponse().SerializeToString())

    file = self_signed_certificate(tmp_path)
    server = grpc.aio.server()
    handler: Any = grpc.unary_unary_rpc_method_handler(listed)
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("qdrant.Collections", {"List": handler})])
    pair = (file.read_bytes(), file.read_bytes())
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    await server.start()
    try:
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        with pytest.raises(DependencyUnavailableError):
            await check_vectors(f"https://127.0.0.1:{port}")
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        await check_vectors(f"https://127.0.0.1:{port}")
    finally:
        await server.stop(None)


async def test_the_object_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def found(_: web.Request) -> web.Response:
        return web.Response()

    file = self_signed_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", found)
    server = TestServer(app, scheme="https", host="127.0.0.1")
    await server.start_server(ssl=context)
    try:
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        with pytest.raises(DependencyUnavailableError):
            await check_objects(f"https://127.0.0.1:{server.port}")
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        await check_objects(f"https://127.0.0.1:{server.port}")
    finally:
        await server.close()
