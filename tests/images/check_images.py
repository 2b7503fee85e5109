"""The images, as `make images` has built them: what is in them, and a question that they answer together.

Not part of `make test`, as it needs root and container programs. Containers run with a read-only root, without
capabilities, as user 10001, and reach the embedded servers on this machine.
"""

import json
import os
import secrets
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import asyncpg
import pytest
import pytest_asyncio

from echomind.local.embedded.nats import NatsServer
from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import free_port
from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.s3 import S3Server
from tests.drivers.servers import database_url
from tools.images import LIMITS

READY_SECONDS = 90
STOP_SECONDS = 10
PASSWORD = "correct horse battery"
KEY = "dGVzdCBrZXkgb2YgdGhlIGltYWdlcyBvZiB0ZXN0cyE="


def podman(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(["podman", *arguments], capture_output=True, text=True, timeout=120)
    assert not check or done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done


def inside(image: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in an image; returns what it printed."""
    name, *arguments = command
    return podman(
        "run", "--rm", "--network=none", f"--entrypoint={name}", f"localhost/echomind-{image}", *arguments, check=False
    )


@pytest.mark.parametrize("image", LIMITS)
def test_images_are_small_and_have_no_tools(image: str) -> None:
    (described,) = json.loads(podman("image", "inspect", f"localhost/echomind-{image}").stdout)
    assert described["Size"] / 1e6 < LIMITS[image], f"{described['Size'] / 1e6:.0f} MB"
    assert described["Config"]["User"] == "10001:10001"
    found = inside(image, "sh", "-c", "id -u; ls /root/.bash_history; command -v gcc cc pip pip3 curl; true").stdout
    assert found.split() == ["10001"]


def test_images_have_only_their_own_part() -> None:
    for image, module in (("api", "openvino"), ("agent", "fastapi"), ("ingestor", "uvicorn"), ("migrate", "mcp")):
        assert inside(image, "python", "-c", f"import {module}").returncode == 1, (image, module)


@pytest_asyncio.fixture(loop_scope="session")
async def settings(
    postgres_server: PostgresServer,
    postgres_admin: asyncpg.Connection,
    nats_server: NatsServer,
    s3_server: S3Server,
    qdrant_server: QdrantServer,
) -> AsyncIterator[dict[str, str]]:
    """The environment of services with empty servers."""
    name = f"images_{secrets.token_hex(4)}"
    await postgres_admin.execute(f"CREATE DATABASE {name}")
    yield {
        "ECHOMIND_POSTGRES__URL": database_url(postgres_server, name),
        "ECHOMIND_POSTGRES__SCHEMA_WAIT_SECONDS": "60",
        "ECHOMIND_NATS__URL": nats_server.url,
        "ECHOMIND_NATS__REPLICAS": "1",
        "ECHOMIND_QDRANT__URL": qdrant_server.url,
        "ECHOMIND_QDRANT__API_KEY": qdrant_server.api_key,
        "ECHOMIND_S3__ENDPOINT": s3_server.endpoint,
        "ECHOMIND_S3__ACCESS_KEY": s3_server.access_key,
        "ECHOMIND_S3__SECRET_KEY": s3_server.secret_key,
        "ECHOMIND_S3__BUCKET": name.replace("_", "-"),
        "ECHOMIND_EMBEDDING__URL": f"127.0.0.1:{free_port()}",
        "ECHOMIND_EMBEDDING__API_KEY": "embedding",
        "ECHOMIND_SECRETS__KEYS": KEY,
        "ECHOMIND_TELEMETRY__HOST": "127.0.0.1",
        "ECHOMIND_API__HTTP_PORT": str(free_port()),
        "ECHOMIND_API__GRPC_PORT": str(free_port()),
        "ECHOMIND_API__OWNER_PASSWORD": PASSWORD,
    }
    await postgres_admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def options(settings: dict[str, str], data: Path) -> list[str]:
    restricted = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--no-healthcheck"]
    folders = ["--tmpfs=/tmp:size=512m,mode=1777", f"--volume={data}:/data"]
    return ["--network=host", *restricted, *folders, *(f"--env={name}={value}" for name, value in settings.items())]


@contextmanager
def service(image: str, settings: dict[str, str], data: Path) -> Iterator[None]:
    """Runs a service; at the end it must stop by itself after SIGTERM."""
    port = free_port()
    health = {} if image == "embedding" else {f"ECHOMIND_{image.upper()}__HEALTH_PORT": str(port)}
    name = f"echomind-test-{image}"
    podman("rm", "-f", "-i", name)
    podman("run", "-d", f"--name={name}", *options(settings | health, data), f"localhost/echomind-{image}")
    try:
        yield
        started = time.monotonic()
        podman("stop", "-t", str(STOP_SECONDS), name)
        assert time.monotonic() - started < STOP_SECONDS, f"{image} ignores SIGTERM"
        (state,) = json.loads(podman("inspect", name).stdout)
        assert state["State"]["ExitCode"] == 0, podman("logs", name).stdout[-2000:]
    except BaseException as error:
        error.add_note(f"{image}: {podman('logs', name, check=False)}")
        raise
    finally:
        podman("rm", "-f", "-i", name)


@pytest.mark.timeout(300)
async def test_the_images_answer_a_question(settings: dict[str, str], tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    os.chown(data, 10001, 10001)  # a file system in memory would belong to root here
    with (
        service("api", settings, data),  # waits for the schema
        service("embedding", settings, data),
        service("agent", settings, data),
        service("ingestor", settings, data),
    ):
        for _ in range(2):
            migrated = podman("run", "--rm", *options(settings, data), "localhost/echomind-migrate")
            assert "The schema is at revision" in migrated.stdout
        url = f"http://127.0.0.1:{settings['ECHOMIND_API__HTTP_PORT']}"
        jar = aiohttp.CookieJar(unsafe=True)  # otherwise it keeps none of an address
        async with aiohttp.ClientSession(url, cookie_jar=jar, headers={"Origin": url, "X-EchoMind-CSRF": "1"}) as http:
            await _ready(http)
            async with http.post("/auth/sign-in", json={"userName": "owner", "password": PASSWORD}) as signed_in:
                assert signed_in.status == 204, await signed_in.text()
            form = aiohttp.FormData()
            form.add_field("file", b"The archive's door is painted green.", filename="door.txt")
            async with http.post("/api/v1/documents:upload", data=form) as uploaded:
                assert uploaded.status == 200, await uploaded.text()
                (document,) = (await uploaded.json())["documents"]
            while document["status"] != "DOCUMENT_STATUS_COMPLETED":
                assert document["status"] != "DOCUMENT_STATUS_FAILED", document
                async with http.get(f"/api/v1/documents/{document['id']}") as response:
                    document = await response.json()
            question = {"content": "What colour is the archive's door?"}
            async with http.post("/api/v1/chat-sessions/-/messages:stream", json=question) as answered:
                assert "green" in await answered.text()
            async with http.get("/") as page:
                assert "<!doctype html>" in (await page.text()).lower()


async def _ready(http: aiohttp.ClientSession) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        try:
            async with http.get("/readyz") as response:
                if response.status == 200:
                    return
        except aiohttp.ClientConnectionError:
            time.sleep(0.2)  # noqa: ASYNC251 - nothing else runs here
    pytest.fail("the gateway is not ready")
