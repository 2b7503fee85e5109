"""Which calls work while a server is away, what the others answer, and that all work again when it is back."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from echomind.local.embedded.nats import NatsServer
from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import ProcessSpec, accepts_connections, free_port, spawn, stop, wait_ready
from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.s3 import S3Server
from tests.drivers import up as driver

TEXT = "The archive's door is painted green, and its key hangs in the porter's lodge."
SECONDS = 60.0

ANSWERS: dict[str, set[str]] = {
    "qdrant": {"search"},
    "s3": {"text", "download", "upload"},
    "embedding": {"search"},
    "nats": set(),
    "postgres": {"list", "search", "text", "download", "upload"},
}
"""Of each server, the calls that need it and are refused while it is away; all others are answered."""

RUNS = {
    "qdrant": ("RUN_STATUS_FAILED", "The documents cannot be searched at the moment"),
    "nats": ("RUN_STATUS_COMPLETED", ""),
}
"""How a question ends that is asked while a server is away, and why."""


@dataclass
class Server:
    """A server beside the product, which a test stops and starts on the same port."""

    spec: ProcessSpec
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = spawn(self.spec, self.log)
        wait_ready(self.process, self.spec, self.log)

    def stop(self) -> None:
        if self.process is not None:
            stop(self.process, self.spec)
            self.process = None


@dataclass
class Product:
    """The product, its servers and a document in it."""

    http: aiohttp.ClientSession
    servers: dict[str, Server]
    document: int = 0
    uploads: int = 0

    async def call(self, name: str) -> tuple[int, dict[str, Any]]:
        """Makes one of the calls of the table; returns its status and its error."""
        method, path, body = {
            "list": ("GET", "documents", None),
            "search": ("POST", "search", {"query": "What colour is the door of the archive?"}),
            "text": ("GET", f"documents/{self.document}/text", None),
            "download": ("GET", f"documents/{self.document}:download", None),
            "upload": ("POST", "documents:upload", None),
        }[name]
        form = None
        if name == "upload":
            self.uploads += 1
            form = _form(f"note-{self.uploads}.txt", f"Note {self.uploads}: the lodge is open.")
        async with self.http.request(method, f"/api/v1/{path}", json=body, data=form) as response:
            return response.status, {} if response.status == 200 else (await response.json())["error"]

    async def serves(self, *names: str) -> None:
        """Waits until nothing is missing and the calls are answered."""
        async with asyncio.timeout(SECONDS):
            for name in names:
                while await self.missing() or (await self.call(name))[0] != 200:  # noqa: ASYNC110 - of others
                    await asyncio.sleep(0.1)

    async def misses(self, name: str) -> None:
        """Waits until it is the one that is missing."""
        async with asyncio.timeout(SECONDS):
            while await self.missing() != {name}:  # noqa: ASYNC110 - of others
                await asyncio.sleep(0.1)

    async def missing(self) -> set[str]:
        """Returns what the gateway's readiness names as missing."""
        async with self.http.get("/readyz") as response:
            return {name for name, state in (await response.json())["dependencies"].items() if state != "ok"}


CALLS = ("list", "search", "text", "download", "upload")


def _form(name: str, text: str) -> aiohttp.FormData:
    form = aiohttp.FormData()
    form.add_field("file", text.encode(), filename=name, content_type="text/plain")
    return form


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def product(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Product]:
    folder = tmp_path_factory.mktemp("parts")
    qdrant = QdrantServer(folder / "vectors", free_port(), "qdrant-key")
    s3 = S3Server(folder / "objects", free_port(), "echomind", "s3-secret-key")
    nats = NatsServer(folder / "nats", free_port(), "nats-password")
    postgres = PostgresServer(folder / "postgres", free_port(), "postgres-password", {"fsync": "off"})
    port = free_port()
    settings = {
        "ECHOMIND_POSTGRES__URL": postgres.url,
        "ECHOMIND_EMBEDDING__URL": f"127.0.0.1:{port}",
        "ECHOMIND_EMBEDDING__API_KEY": "embedding-key",
        "ECHOMIND_QDRANT__URL": qdrant.url,
        "ECHOMIND_QDRANT__API_KEY": qdrant.api_key,
        "ECHOMIND_S3__ENDPOINT": s3.endpoint,
        "ECHOMIND_S3__ACCESS_KEY": s3.access_key,
        "ECHOMIND_S3__SECRET_KEY": s3.secret_key,
        "ECHOMIND_NATS__URL": nats.url,
    }
    for embedded in (qdrant, s3, nats, postgres):
        embedded.prepare()
    embedding = ProcessSpec(
        name="embedding",
        argv=[str(Path(sys.executable).with_name("echomind-ingestor")), "embed"],
        env=os.environ | settings,
        ready=lambda: accepts_connections(port),
    )
    specs = {server.spec().name: server.spec() for server in (qdrant, s3, nats, postgres)} | {"embedding": embedding}
    with ExitStack() as stack:
        servers = {name: Server(spec, folder / f"{name}.log") for name, spec in specs.items()}
        for server in servers.values():
            stack.callback(server.stop)
            server.start()
        started = driver.start_up(folder / "data", settings=settings)
        stack.callback(driver.stop_up, started)
        driver.wait_ready(started)
        headers = {"Authorization": f"Bearer {started.api_key}"}
        async with aiohttp.ClientSession(started.url, headers=headers) as http:
            async with http.post("/api/v1/documents:upload", data=_form("door.txt", TEXT)) as response:
                document = (await response.json())["documents"][0]["id"]
            found = Product(http, servers, document)
            await found.serves("text")
            yield found


@pytest.mark.parametrize("missing", ANSWERS)
async def test_what_can_work_does_and_the_rest_names_what_is_missing(product: Product, missing: str) -> None:
    """A question is asked meanwhile, too, unless it could not be stored."""
    server = product.servers[missing]
    server.stop()
    try:
        # First, as only a superadmin is shown the names, and the rights of a key are soon forgotten without PostgreSQL.
        await product.misses(missing)
        asked = asyncio.ensure_future(_asked(product)) if missing in RUNS else None
        answers = dict(zip(CALLS, await asyncio.gather(*map(product.call, CALLS)), strict=True))
        refused = {name for name, (status, _) in answers.items() if status != 200}
        assert refused == ANSWERS[missing], answers
        for status, error in (answers[name] for name in refused):
            assert (status, error["reason"]) == (503, "DEPENDENCY_UNAVAILABLE")
            assert error["metadata"]["dependency"] == missing
            assert "try again" in error["message"]
        if asked is not None:
            run = await asked
            assert (run["status"], run.get("error", {}).get("message", "").partition(":")[0]) == RUNS[missing]
    finally:
        server.start()
    await product.serves(*CALLS)


async def _asked(product: Product) -> dict[str, Any]:
    """Asks the built-in model about the document; returns the run when it has ended."""
    question = {"content": "What colour is the door of the archive?"}
    async with product.http.post("/api/v1/chat-sessions/-/messages", json=question) as response:
        sent = await response.json()
    path = f"/api/v1/runs/{sent['run']['id']}"
    async with asyncio.timeout(SECONDS):
        while True:
            async with product.http.get(path) as response:
                run: dict[str, Any] = await response.json()
            if "completedAt" in run:
                return run
            await asyncio.sleep(0.1)
