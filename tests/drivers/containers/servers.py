"""The servers beside the chart, as real ones outside of it: PostgreSQL, three of NATS, Qdrant's protocol, SeaweedFS."""

import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from echomind.local.embedded.nats import NatsServer
from echomind.local.embedded.postgres import DATABASE, PostgresServer
from echomind.local.embedded.process import ProcessSpec, free_port, spawn, stop, wait_ready
from echomind.local.embedded.qdrant import QdrantServer
from tests.drivers.containers.network import NATS_NODES, SERVERS
from tests.drivers.containers.seaweedfs import SeaweedServer
from tests.drivers.disk import fill, small_disk
from tests.drivers.servers import Server
from tests.drivers.snippets import to_run

S3_PORT, QDRANT_PORT, POSTGRES_PORT, NATS_PORT = 9000, 6334, 5432, 4222
DISK_MB = {"s3": 4500, "nats-0": 500, "nats-1": 500, "nats-2": 500}
"""Megabytes of the disks. SeaweedFS needs two volumes of a gigabyte, and leaves one free."""


@dataclass
class Servers:
    """Servers that run; `start` and `stop` are by the names in `processes`.

    Attributes:
        forwards: Ports of this machine by the address in the cluster that leads to them.
        secret: Values of the Secret `echomind`.
        disks: Small disks of NATS and S3, which a test may fill.
    """

    folder: Path
    forwards: dict[tuple[str, int], int] = field(default_factory=dict)
    secret: dict[str, str] = field(default_factory=dict)
    processes: dict[str, tuple[ProcessSpec, subprocess.Popen[bytes]]] = field(default_factory=dict)
    disks: dict[str, Path] = field(default_factory=dict)

    def start(self, spec: ProcessSpec) -> None:
        """Starts a server, and waits until it serves."""
        log = self.folder / f"{spec.name}.log"
        process = spawn(spec, log)
        self.processes[spec.name] = (spec, process)
        wait_ready(process, spec, log)

    def start_again(self, name: str) -> None:
        """Starts a server that was stopped or killed."""
        self.start(self.processes[name][0])

    def stop_nats(self) -> None:
        """Ends all servers of NATS that there are."""
        for name in [name for name in self.processes if name.startswith("nats")]:
            self.stop(name)

    def stop(self, name: str) -> None:
        """Ends a server."""
        spec, process = self.processes[name]
        stop(process, spec)

    def kill(self, name: str) -> None:
        """Kills all processes of a server without a word."""
        process = self.processes[name][1]
        found = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        for child in found:
            with suppress(psutil.NoSuchProcess):
                child.kill()
        process.wait()
        psutil.wait_procs(found)

    def freeze(self, name: str, seconds: float) -> None:
        """Stops a server's process for a while."""
        process = self.processes[name][1]
        process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            process.send_signal(signal.SIGCONT)

    def fill_disk(self, name: str, seconds: float) -> None:
        """Takes the room on a server's disk for a while, and starts the server again once there is room.

        Both need that: NATS switches JetStream off, and SeaweedFS refuses to store anything until it is started again.
        """
        ballast = self.disks[name] / "ballast"
        fill(ballast)
        time.sleep(seconds)
        ballast.unlink()
        self.kill(name)
        self.start_again(name)


@contextmanager
def external_servers(folder: Path) -> Iterator[Servers]:
    """Runs all but NATS, which needs the addresses of the network: see `start_nats`."""
    password = secrets.token_hex(12)
    postgres = PostgresServer(folder / "postgres", free_port(), password, {"fsync": "off"})
    qdrant = QdrantServer(folder / "vectors", free_port(), secrets.token_hex(12))
    made = Servers(folder)
    with ExitStack() as stack:
        for name, megabytes in DISK_MB.items():
            disk = stack.enter_context(small_disk(folder / name, megabytes))
            assert disk is not None, "no small disk may be mounted"
            made.disks[name] = disk
        s3 = SeaweedServer(made.disks["s3"], free_port(), secrets.token_hex(12))
        started: list[tuple[Server, int, int]] = [
            (postgres, postgres.port, POSTGRES_PORT),
            (qdrant, qdrant.port, QDRANT_PORT),
            (s3, s3.port, S3_PORT),
        ]
        for server, own, port in started:
            server.prepare()
            made.start(server.spec())
            stack.callback(made.stop, server.spec().name)
            made.forwards[SERVERS, port] = own
        stack.callback(made.stop_nats)
        nodes = ",".join(f"nats://echomind:{password}@{address}:{NATS_PORT}" for address in NATS_NODES)
        made.secret = {
            "postgres-url": f"postgresql://echomind:{password}@{SERVERS}:{POSTGRES_PORT}/{DATABASE}",
            "nats-url": nodes,
            "qdrant-api-key": qdrant.api_key,
            "s3-access-key": s3.access_key,
            "s3-secret-key": s3.secret_key,
            "embedding-api-key": secrets.token_hex(12),
        }
        yield made


def start_nats(servers: Servers, password: str) -> None:
    """Starts a cluster of three NATS servers at their addresses, and waits until it has chosen a leader."""
    binary = NatsServer(servers.folder, 0, password).spec().argv[0]
    for number, address in enumerate(NATS_NODES):
        folder = servers.disks[f"nats-{number}"]
        (folder / "nats.conf").write_text(_nats_file(number, folder, password))
        spec = ProcessSpec(
            f"nats-{number}", [binary, "-c", str(folder / "nats.conf")], {"PATH": "/bin"}, ready=_healthy(address)
        )
        servers.processes[spec.name] = (spec, spawn(spec, servers.folder / f"{spec.name}.log"))
    for name, (spec, process) in servers.processes.items():
        if name.startswith("nats"):
            wait_ready(process, spec, servers.folder / f"{name}.log")


def _nats_file(number: int, store: Path, password: str) -> str:
    """Returns the guide's file for the cluster's first server, with the names and addresses of another one."""
    (snippet,) = to_run("external-servers.md", "conf")
    text = snippet.text
    places = {'"PASSWORD"': f'"{password}"', '"/data"': f'"{store}"', "127.0.0.1:8222": f"{NATS_NODES[number]}:8222"}
    places |= {"server_name: nats-0": f"server_name: nats-{number}", "0.0.0.0": NATS_NODES[number]}
    for name, value in places.items():
        assert name in text, name
        text = text.replace(name, value)
    for other, address in enumerate(NATS_NODES):
        text = text.replace(f"nats://nats-{other}:", f"nats://{address}:")
    return text


def _healthy(address: str) -> Callable[[], bool]:
    """Asks a server whether its streams have a leader."""

    def ask() -> bool:
        command = [
            "python3",
            "-c",
            f"import urllib.request as u; u.urlopen('http://{address}:8222/healthz', timeout=2)",
        ]
        if subprocess.run(command, capture_output=True, timeout=10).returncode:
            time.sleep(0.3)
            return False
        return True

    return ask
