"""The compose file, run: EchoMind's services as it says, each container in a network namespace of its own.

The images of other servers are not to be had without a registry. In their place, servers are reached by their names and
ports, with the file's credentials. NATS and SeaweedFS have its arguments, and the embedded server stands for Qdrant.
"""

import asyncio
import json
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from echomind.local.embedded.nats import NatsServer
from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import ProcessSpec, accepts_connections, free_port
from echomind.local.embedded.qdrant import QdrantServer
from tests.drivers.containers.network import NODE, Network
from tests.drivers.containers.pods import podman
from tests.drivers.containers.seaweedfs import PORT, SeaweedServer
from tests.drivers.servers import running
from tests.paths import ROOT

FILE = ROOT / "deploy" / "compose.yaml"
PASSWORD = "correct horse battery"
KEY = "dGVzdCBrZXkgb2YgdGhlIGltYWdlcyBvZiB0ZXN0cyE="
STANDING = ("postgres", "nats", "qdrant", "s3")
"""Services of others, for which there are stand-ins."""
USE_SECONDS = 240
"""Until a gateway is ready and has answered: the documents of the guide are read before those of this test."""
STOP_SECONDS = 10
"""Of docker compose, where a service does not say `stop_grace_period`."""

Json = dict[str, Any]


def interpolated(environment: dict[str, str]) -> dict[str, Json]:
    """Returns the services of the file, with the variables of `.env`."""

    def value(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        name, default = found["name"], found["default"]
        assert name in environment or default is not None, f"{name} has no value"
        return environment.get(name, default or "")

    def filled(part: Any) -> Any:
        if isinstance(part, dict):
            return {name: filled(each) for name, each in part.items()}
        if isinstance(part, list):
            return [filled(each) for each in part]
        return re.sub(pattern, value, part) if isinstance(part, str) else part

    pattern = r"\$\$|\$\{(?P<name>\w+)(?::\?[^}]*|:-(?P<default>[^}]*))?\}"
    services: dict[str, Json] = filled(yaml.safe_load(FILE.read_text())["services"])
    return services


def values() -> dict[str, str]:
    """Returns a `.env` as the example asks for."""
    names = re.findall(r"^(\w+)=$", (ROOT / "deploy/example.env").read_text(), re.MULTILINE)
    return {name: secrets.token_hex(12) for name in names} | {"SECRET_KEYS": KEY, "OWNER_PASSWORD": PASSWORD}


class Compose:
    """Starts services of the file."""

    def __init__(self, services: dict[str, Json], network: Network, folder: Path) -> None:
        self.services, self.addresses = services, {name: [NODE] for name in STANDING}
        self._network, self._folder = network, folder
        folder.chmod(0o755)
        self._stack = ExitStack()

    def options(self, name: str, container: str) -> list[str]:
        """Returns the options of podman for a service."""
        service, place = self.services[name], self._network.attach(container)
        self._stack.callback(place.remove)
        self.addresses.setdefault(name, []).append(place.address)
        self._network.name(self.addresses)
        known = {"image", "restart", "read_only", "user", "cap_drop", "security_opt", "tmpfs", "depends_on"}
        known |= {"environment", "env_file", "ports", "stop_grace_period", "profiles", "command"}
        assert set(service) <= known, name
        assert service["read_only"]
        return [
            *(f"--network=ns:{place.path}", f"--dns={NODE}", "--no-healthcheck", "--pull=never"),
            *("--read-only", "--read-only-tmpfs=false", f"--user={service['user']}"),
            *(f"--cap-drop={each}" for each in service["cap_drop"]),
            *(f"--security-opt={each.removesuffix(':true')}" for each in service["security_opt"]),
            *(f"--env={key}={value}" for key, value in service["environment"].items()),
            *(f"--volume={self._memory(container, each)}" for each in service["tmpfs"]),
        ]

    def _memory(self, container: str, tmpfs: str) -> str:
        """Makes an empty folder with the owner and mode of a tmpfs, which this version of podman gives to root."""
        path, _, text = tmpfs.partition(":")
        given = dict(part.partition("=")[::2] for part in text.split(","))
        folder = self._folder / f"{container}{path.replace('/', '-')}"
        folder.mkdir()
        shutil.chown(folder, int(given.get("uid", 0)), int(given.get("gid", 0)))
        folder.chmod(int(given["mode"], 8))
        return f"{folder}:{path}"

    def complete(self, name: str, number: int, *command: str, folder: Path | None = None) -> bytes:
        """Runs a service that ends, as `docker compose run --rm -T`; returns its output.

        Args:
            name: The service.
            number: That of the run, from 1 on.
            command: In the place of the file's.
            folder: What it reads at `/backup`.
        """
        service = self.services[name]
        options = [*self.options(name, f"{name}-{number}"), *([f"--volume={folder}:/backup:ro"] if folder else [])]
        words = command or service.get("command", ())
        done = subprocess.run(["podman", "run", "--rm", *options, service["image"], *words], capture_output=True)
        assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
        return done.stdout

    def start(self, name: str, number: int = 1) -> None:
        """Starts a service. It must end by itself after SIGTERM, in the time that it has."""
        container = f"echomind-test-{name}-{number}"
        podman("rm", "-f", "-i", container)
        podman(
            "run", "-d", f"--name={container}", *self.options(name, f"{name}-{number}"), self.services[name]["image"]
        )
        self._stack.callback(self._end, name, container)

    def _end(self, name: str, container: str) -> None:
        seconds = int(str(self.services[name].get("stop_grace_period", STOP_SECONDS)).removesuffix("s"))
        began = time.monotonic()
        podman("stop", "-t", str(seconds), container)
        (state,) = json.loads(podman("inspect", container).stdout)
        logs = podman("logs", container)
        podman("rm", "-f", container)
        assert state["State"]["ExitCode"] == 0, logs.stdout[-2000:] + logs.stderr[-2000:]
        assert time.monotonic() - began < seconds, f"{name} ignores SIGTERM"

    def close(self) -> None:
        """Ends all, the last first."""
        self._stack.close()


@contextmanager
def standing(folder: Path, services: dict[str, Json], given: dict[str, str]) -> Iterator[dict[int, int]]:
    """Runs the servers of others; yields their ports by the ports of the file."""
    folder.mkdir()
    postgres = PostgresServer(folder / "postgres", free_port(), given["POSTGRES_PASSWORD"], {"fsync": "off"})
    qdrant = QdrantServer(folder / "vectors", free_port(), given["QDRANT_API_KEY"])
    s3 = SeaweedServer(folder / "objects", free_port(), given["S3_SECRET_KEY"])
    binary = NatsServer(folder, 0, "").spec().argv[0]
    port = free_port()
    store = str(folder / "nats")
    arguments = [store if each == "/data" else each for each in services["nats"]["command"]]

    class Nats:
        def prepare(self) -> None:
            """Has nothing to prepare."""

        def spec(self) -> ProcessSpec:
            argv = [binary, "--addr", "127.0.0.1", "--port", str(port), *arguments]
            return ProcessSpec("nats", argv, {"PATH": "/bin"}, lambda: accepts_connections(port))

    with ExitStack() as stack:
        for server in (postgres, qdrant, s3, Nats()):
            stack.enter_context(running(server, folder))
        yield {5432: postgres.port, 4222: port, 6334: qdrant.port, PORT: s3.port}


async def _pass_on(target: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Passes a connection on to a port of this machine."""
    other_reader, other_writer = await asyncio.open_connection("127.0.0.1", target)

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(2**16):
                sink.write(data)
                await sink.drain()
        except ConnectionError:
            return
        finally:
            sink.close()

    await asyncio.gather(pump(reader, other_writer), pump(other_reader, writer))


@asynccontextmanager
async def composed(folder: Path, services: dict[str, Json], given: dict[str, str]) -> AsyncIterator[Compose]:
    """Runs new servers of others; yields what starts EchoMind's services beside them."""
    with standing(folder, services, given) as ports, Network(domain="") as network:
        servers = [await asyncio.start_server(partial(_pass_on, target), NODE, port) for port, target in ports.items()]
        compose = Compose(services, network, folder)
        try:
            yield compose
        finally:
            await asyncio.to_thread(compose.close)
            for server in servers:
                server.close()


async def start_services(compose: Compose) -> str:
    """Starts what answers questions; returns the address of the gateway."""
    for name, number in (("embedding", 1), ("ingestor", 1), ("agent", 1), ("agent", 2), ("api", 1)):
        await asyncio.to_thread(compose.start, name, number)
    (address,) = compose.addresses["api"]
    return f"http://{address}:8080"


@pytest.mark.timeout(600)
async def test_the_services_of_the_compose_file_answer_a_question_also_after_a_restore(tmp_path: Path) -> None:
    given = values()
    services = interpolated(given)
    published = [each.rpartition(":")[2] for each in services["api"]["ports"]]
    assert published == ["8080", "50051"]
    backups = tmp_path / "backups"
    async with composed(tmp_path / "first", services, given) as compose:
        for number in (1, 2):
            assert b"The schema is at revision" in await asyncio.to_thread(compose.complete, "migrate", number)
        async with _signed_in(await start_services(compose)) as http:
            await _upload(http)
            await _ask(http)
            async with http.get("/") as page:
                assert "<!doctype html>" in (await page.text()).lower()
            async with http.post("/api/v1/api-keys", json={"name": "tools"}) as made:
                services["tools"]["environment"]["ECHOMIND_API_KEY"] = (await made.json())["secret"]
        await _use_tools(compose, backups)
    async with composed(tmp_path / "second", services, given) as compose:
        restoring = ("restore", "/backup/echomind.backup")
        await asyncio.to_thread(compose.complete, "tools", 1, *restoring, folder=backups)
        await asyncio.to_thread(compose.complete, "migrate", 1)
        async with _signed_in(await start_services(compose)) as http:
            await _ask(http)


async def _use_tools(compose: Compose, backups: Path) -> None:
    """Runs the commands of the guide: what is wrong, a way in, and a backup for the folder."""

    async def run(number: int, *words: str) -> bytes:
        return await asyncio.to_thread(compose.complete, "tools", number, *words)

    assert b"Usage: echomind" in await run(1)
    checked = json.loads(await run(2, "doctor", "--json"))
    levels = {check["name"]: check["level"] for check in checked["checks"]}
    servers = ("PostgreSQL", "NATS", "Qdrant", "Object store", "Embedding process", "Service", "API key")
    assert {name: levels.get(name) for name in servers} == dict.fromkeys(servers, "ok"), checked
    assert "Data folder" not in levels
    compose.services["tools"]["environment"]["ECHOMIND_API_KEY"] = ""
    assert b"warning  API key" in await run(5, "doctor")
    link = json.loads(await run(3, "users", "recover", "owner", "--json"))["signInLink"]
    assert link.startswith("http://127.0.0.1:8080/"), link
    await asyncio.to_thread(_keep, backups, await run(4, "backup", "-"))


def _keep(folder: Path, backup: bytes) -> None:
    """Writes a backup to a new folder, so that the user of the containers can read it."""
    folder.mkdir(mode=0o755)
    file = folder / "echomind.backup"
    file.write_bytes(backup)
    file.chmod(0o644)


@asynccontextmanager
async def _signed_in(url: str) -> AsyncIterator[aiohttp.ClientSession]:
    """Waits for a gateway, and signs in as the owner."""
    jar = aiohttp.CookieJar(unsafe=True)  # otherwise it keeps none of an address
    # The browser's address is the public one.
    headers = {"Origin": "http://127.0.0.1:8080", "Host": "127.0.0.1:8080", "X-EchoMind-CSRF": "1"}
    async with aiohttp.ClientSession(url, cookie_jar=jar, headers=headers) as http, asyncio.timeout(USE_SECONDS):
        while True:
            try:
                async with http.get("/readyz") as response:
                    if response.status == 200:
                        break
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.2)
        async with http.post("/auth/sign-in", json={"userName": "owner", "password": PASSWORD}) as signed_in:
            assert signed_in.status == 204, await signed_in.text()
        yield http


async def _upload(http: aiohttp.ClientSession) -> None:
    """Uploads a file, and waits until it can be found."""
    form = aiohttp.FormData()
    form.add_field("file", b"The archive's door is painted green.", filename="door.txt")
    async with http.post("/api/v1/documents:upload", data=form) as uploaded:
        assert uploaded.status == 200, await uploaded.text()
        (document,) = (await uploaded.json())["documents"]
    while document["status"] != "DOCUMENT_STATUS_COMPLETED":
        assert document["status"] != "DOCUMENT_STATUS_FAILED", document
        async with http.get(f"/api/v1/documents/{document['id']}") as response:
            document = await response.json()


async def _ask(http: aiohttp.ClientSession) -> None:
    """Asks about the file."""
    question = {"content": "What colour is the archive's door?"}
    async with http.post("/api/v1/chat-sessions/-/messages:stream", json=question) as answered:
        assert "green" in await answered.text()
