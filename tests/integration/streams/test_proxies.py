"""Two gateways behind nginx, HAProxy and Caddy, configured as the guide says, with HTTPS.

The programs are those of the distribution; where one is missing, its tests are skipped. `make test` installs them where
it can.
"""

import asyncio
import base64
import io
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
import grpc
import pytest
import pytest_asyncio
from websockets.exceptions import WebSocketException

from echomind.local.embedded.process import free_port
from echomind_api.main import serve
from echomind_lib.contract.grpc_client import GrpcTransport
from echomind_lib.errors import EchoMindError
from tests.drivers.client import METHODS, Client
from tests.drivers.installation import Installation, scripted
from tests.drivers.model_server import Json, Turn
from tests.drivers.readers import TRANSPORTS, Address, ClosedError, Reader, Transport, open_stream
from tests.drivers.relay import Relay
from tests.drivers.snippets import to_run

PROGRAMS = ("nginx", "haproxy", "caddy")
PROXY_ADDRESS = "127.0.0.5"
"""Where gateways see the proxy's connections come from."""
UPLOAD_BYTES = 24 * 2**20
LOST = (aiohttp.ClientError, grpc.aio.AioRpcError, EchoMindError, ClosedError, WebSocketException, OSError)
"""What a client gets from a gateway that goes: it connects again."""


class Door:
    """A gateway as proxies reach it: a network that can fail, over HTTP and gRPC."""

    def __init__(self, http: str, grpc_address: str) -> None:
        self._targets = (http.removeprefix("http://"), grpc_address)
        self._ports = (free_port(), free_port())
        self._relays: list[Relay] = []
        self._servers: list[asyncio.Server] = []

    @property
    def addresses(self) -> list[str]:
        return [f"127.0.0.1:{port}" for port in self._ports]

    async def open(self) -> None:
        for target, port in zip(self._targets, self._ports, strict=True):
            self._relays.append(relay := Relay(target, PROXY_ADDRESS))
            server, _ = await relay.listen(port)
            self._servers.append(server)

    def close(self) -> None:
        """Cuts all connections, and refuses further ones, as the machine does whose gateway was killed."""
        for server in self._servers:
            server.close()
        for relay in self._relays:
            relay.cut()
        self._servers.clear()
        self._relays.clear()


@dataclass
class Proxied:
    """A proxy in front of two gateways."""

    address: Address
    doors: list[Door]
    installation: Installation

    async def follow(self, transport: Transport, reader: Reader, session_id: int, run_id: str) -> int:
        """Reads a session to a run's end, and connects again when it must; returns how often."""
        connections = 0
        async with asyncio.timeout(60):
            while run_id not in reader.finals():
                connections += 1
                reader.connected()
                with suppress(*LOST):
                    async with open_stream(transport, self.address, session_id, reader.last_id) as events:
                        async for event in events:
                            await reader.take(event)
                            if run_id in reader.finals():
                                break
                await asyncio.sleep(0.05)
        return connections


def shipped(program: str, places: dict[str, str]) -> str:
    """Returns the guide's file for a program, with other addresses."""
    (snippet,) = to_run("behind-a-proxy.md", program)
    block = snippet.text
    for name in places:
        assert name in block, f"{name} is not in the guide's file for {program}"
    pattern = "|".join(rf"{re.escape(name)}(?!\d)" for name in sorted(places, key=len, reverse=True))
    return re.sub(pattern, lambda found: places[found[0]], block)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of localhost, `tls.pem`, beside its key, `tls.key`, and both in `both.pem`."""
    folder = tmp_path_factory.mktemp("certificate")
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"]
    files = ["-keyout", str(folder / "tls.key"), "-out", str(folder / "tls.pem")]
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    subprocess.run(["openssl", "req", "-x509", "-nodes", *kind, *names, *files], check=True, capture_output=True)
    (folder / "both.pem").write_text((folder / "tls.pem").read_text() + (folder / "tls.key").read_text())
    return folder / "tls.pem"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def doors(installation: Installation) -> AsyncIterator[list[Door]]:
    """Two more gateways, which believe the proxy alone."""
    settings = installation.settings
    api = settings.api.model_copy(update={"trusted_proxies": PROXY_ADDRESS})
    async with AsyncExitStack() as stack:
        made = []
        for _ in range(2):
            gateway = await stack.enter_async_context(serve(settings.model_copy(update={"api": api})))
            made.append(Door(gateway.http_url, gateway.grpc_address))
            stack.callback(made[-1].close)
        yield made


def configuration(
    program: str, folder: Path, doors: list[Door], certificate: Path, ports: tuple[int, int]
) -> list[str]:
    """Writes the program's file, and returns the command that starts it."""
    inner = dict(zip(["127.0.0.1:8080", "127.0.0.1:50051"], doors[0].addresses, strict=True))
    inner |= zip(["127.0.0.1:8090", "127.0.0.1:50052"], doors[1].addresses, strict=True)
    key = certificate.with_name("tls.key")
    file = folder / program
    if program == "nginx":
        files = {"/etc/ssl/tools.example.org.pem": str(certificate), "/etc/ssl/tools.example.org.key": str(key)}
        places = inner | files | {"listen 443": f"listen {ports[0]}", "listen 50443": f"listen {ports[1]}"}
        temporary = "".join(
            f"{name}_temp_path {folder};" for name in ("client_body", "proxy", "fastcgi", "scgi", "uwsgi")
        )
        text = shipped(program, places)
        frame = f"user root; daemon off; pid {folder}/pid; error_log stderr; events {{}}\n"
        file.write_text(f"{frame}http {{ access_log off; {temporary}\n{text}}}")
        return ["nginx", "-c", str(file), "-e", "stderr"]
    if program == "haproxy":
        both = str(certificate.with_name("both.pem"))
        places = inner | {"/etc/haproxy/tools.example.org.pem": both}
        places |= {":443 ": f":{ports[0]} ", ":50443 ": f":{ports[1]} "}
        file.write_text(shipped(program, places))
        return ["haproxy", "-db", "-f", str(file)]
    own = f"localhost:%d {{\n    tls {certificate} {key}"
    places = inner | {"tools.example.org {": own % ports[0], "tools.example.org:50443 {": own % ports[1]}
    file.write_text("{\n    admin off\n    auto_https disable_redirects\n}\n" + shipped(program, places))
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(file)]


def start(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Starts a program, with its log in a folder."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/bin", "HOME": str(folder)}
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment)


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=PROGRAMS)
async def proxied(
    request: pytest.FixtureRequest,
    installation: Installation,
    doors: list[Door],
    certificate: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Proxied]:
    """One of the proxies, which runs."""
    program = str(request.param)
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed (Debian: apt-get install {program})")
    folder = tmp_path_factory.mktemp(program)
    ports = (free_port(), free_port())
    for door in doors:
        await door.open()
    command = configuration(program, folder, doors, certificate, ports)
    process = start(command, folder)
    address = Address(f"https://localhost:{ports[0]}", f"localhost:{ports[1]}", installation.owner.key, certificate)
    try:
        async with asyncio.timeout(60), aiohttp.ClientSession() as http:
            while True:
                assert process.poll() is None, f"{program} has ended: {folder}/log"
                with suppress(aiohttp.ClientConnectionError):
                    async with http.get(f"{address.http_url}/healthz", ssl=address.tls or True) as response:
                        if response.status == 200:
                            break
                await asyncio.sleep(0.05)
        yield Proxied(address, doors, installation)
    finally:
        process.terminate()
        process.wait(30)
        for door in doors:
            door.close()


async def test_an_answer_is_streamed_as_it_is_written(proxied: Proxied) -> None:
    """The model continues when all readers have what came before, which would never come if something kept it back."""
    installation, readers = proxied.installation, {transport: Reader() for transport in TRANSPORTS}
    made = await installation.owner.call("ChatSessionService/CreateChatSession", {"chatSession": {}})
    session_id = int(made["id"])
    model = installation.model
    before = model._respond

    async def when_followed(body: Json) -> Turn:
        newest = await installation.pool.fetchval(
            "SELECT max(id) FROM run_events WHERE chat_session_id = $1", session_id
        )
        for reader in readers.values():
            await reader.until(lambda reader=reader: reader.last_id >= newest)
        return scripted(body)

    model.respond(when_followed)
    try:
        sent = await installation.ask("words=40 delay=10 steps=2", session_id)
        run_id = sent["run"]["id"]
        async with asyncio.TaskGroup() as tasks:
            ways = [
                tasks.create_task(proxied.follow(way, reader, session_id, run_id)) for way, reader in readers.items()
            ]
    finally:
        model.respond(before)
    assert [way.result() for way in ways] == [1, 1, 1]
    for reader in readers.values():
        assert reader.text.deltas > 1
    assert len({tuple(reader.ids) for reader in readers.values()}) == 1


async def test_readers_go_on_at_the_other_gateway_when_one_is_cut_off(proxied: Proxied) -> None:
    installation = proxied.installation
    sent = await installation.ask("words=120 delay=20")
    run_id, session_id = sent["run"]["id"], int(sent["run"]["chatSessionId"])
    readers = [(transport, Reader()) for transport in TRANSPORTS for _ in range(2)]
    gone = proxied.doors[0]
    try:
        async with asyncio.TaskGroup() as tasks:
            ways = [tasks.create_task(proxied.follow(way, reader, session_id, run_id)) for way, reader in readers]
            for _, reader in readers:
                await reader.until(lambda reader=reader: reader.text.length > 10)
            gone.close()
            await _asks_and_reads(proxied)
    finally:
        gone.close()  # also when it failed before, as an open door cannot be opened
        await gone.open()
    # Of two readers by each transport, the proxies give one to each gateway.
    assert sum(way.result() for way in ways) > len(ways), "nobody was at the gateway that is gone"
    ended = await installation.ended(run_id)
    assert ended["status"] == "RUN_STATUS_COMPLETED"
    for _, reader in readers:
        assert reader.finals()[run_id].message.content.count("é") == 120
        assert reader.ids == sorted(set(reader.ids))


async def _asks_and_reads(proxied: Proxied) -> None:
    """Nobody else notices: each request is answered, by the gateway that is left."""
    address = proxied.address
    async with aiohttp.ClientSession(headers=address.headers) as http, address.channel() as channel:
        client = Client(address.http_url, channel, http, address.key)
        for number in range(6):
            path = f"{address.http_url}/api/v1/chat-sessions?pageSize=1"
            async with http.get(path, ssl=address.tls or True) as response:
                assert response.status == 200, await response.text()
            body = {"content": "words=1", "requestId": f"proxy-{id(proxied)}-{number}"}
            path = f"{address.http_url}/api/v1/chat-sessions/-/messages"
            async with http.post(path, json=body, ssl=address.tls or True) as response:
                assert response.status == 200, await response.text()
            await client.call("ChatSessionService/ListChatSessions", {"pageSize": 1})


async def test_large_files_pass(proxied: Proxied) -> None:
    address = proxied.address
    form = aiohttp.FormData()
    file = io.BytesIO(b"Large. " * (UPLOAD_BYTES // 7))
    form.add_field("file", file, filename="large.txt", content_type="text/plain")
    async with aiohttp.ClientSession(headers=address.headers) as http:
        path = f"{address.http_url}/api/v1/documents:upload"
        async with http.post(path, data=form, ssl=address.tls or True) as response:
            assert response.status == 200, await response.text()
    content = base64.b64encode(b"Small. " * (3 * 2**20 // 7)).decode()
    async with address.channel() as channel:
        client = replace(proxied.installation.owner, channel=channel)
        made = await client.call("DocumentService/UploadDocument", {"sourceId": "small.txt", "content": content})
    assert made["id"]


async def test_the_address_of_the_caller_is_known_and_cannot_be_forged(proxied: Proxied) -> None:
    address, forged = proxied.address, "203.0.113.9"
    async with aiohttp.ClientSession(headers={"X-Forwarded-For": forged}) as http:
        path = f"{address.http_url}/api/v1/device-sign-ins"
        async with http.post(path, json={"clientName": "by REST"}, ssl=address.tls or True) as response:
            assert response.status == 200, await response.text()
    async with address.channel() as channel:
        method = METHODS["DeviceSignInService/StartDeviceSignIn"]
        await GrpcTransport(channel, [("x-forwarded-for", forged)]).unary(method, {"clientName": "by gRPC"})
    found = await proxied.installation.pool.fetch(
        "SELECT client_name, address FROM device_sign_ins ORDER BY id DESC LIMIT 2"
    )
    assert {row["client_name"] for row in found} == {"by REST", "by gRPC"}
    assert {row["address"] for row in found} <= {"127.0.0.1", "::1"}
