"""The processes of `echomind up`: the embedded servers without a URL, and the services with their environment."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from echomind.local.data_folder import DataFolder
from echomind.local.embedded.nats import NatsServer
from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import (
    LOOPBACK,
    EntryPoint,
    ProcessSpec,
    StartError,
    accepts_connections,
    answers_ok,
)
from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.s3 import S3Server

POSTGRES_URL = "ECHOMIND_POSTGRES__URL"
POOL_SIZE = "ECHOMIND_POSTGRES__POOL_SIZE"
NATS_URL = "ECHOMIND_NATS__URL"
S3_ENDPOINT = "ECHOMIND_S3__ENDPOINT"
QDRANT_URL = "ECHOMIND_QDRANT__URL"
EMBEDDING_URL = "ECHOMIND_EMBEDDING__URL"
START_FILE = "ECHOMIND_START_FILE"
_START_FILE_NAME = "servers-are-ready"
DISK_FOLDER = "ECHOMIND_DISK__FOLDER"
SOURCE_FOLDERS = "ECHOMIND_CONNECTORS__FOLDERS"
SECRET_KEYS = "ECHOMIND_SECRETS__KEYS"  # noqa: S105 - a name
SERVER_PORTS = ("postgres", "nats", "s3", "qdrant")
"""The names of the embedded servers' ports in the data folder."""
_MAX_POOL_SIZE = 10
_SPARE_CONNECTIONS = 3
"""Connections beyond the processors: for transactions that wait for a lock or for the disk."""


class Server(Protocol):
    """Base of the embedded servers."""

    def prepare(self) -> None:
        """Prepares the data folder; called before each start of the stack."""

    def spec(self) -> ProcessSpec:
        """Returns how to run it."""


@dataclass(frozen=True)
class Public:
    """The public addresses of EchoMind."""

    host: str
    http_port: int
    grpc_port: int

    @property
    def url(self) -> str:
        """Address for a browser on this machine."""
        host = f"[{self.local_host}]" if ":" in self.local_host else self.local_host
        return f"http://{host}:{self.http_port}"

    @property
    def local_host(self) -> str:
        """Returns the address at which this machine reaches a server that listens on `host`."""
        return {"0.0.0.0": LOOPBACK, "::": "::1"}.get(self.host, self.host)  # noqa: S104


@dataclass(frozen=True)
class Stack:
    """The processes of an installation.

    Attributes:
        servers: Embedded servers, except those for which the environment has a URL.
        migration: Migrates the database and ends.
        start_file: File that the services wait for: to be created when servers and database are ready.
        embedding: The embedding process, unless the environment has a URL for one.
        ingestors: Ingestor workers.
        agents: Agent workers.
        api: The gateway.
    """

    servers: list[Server]
    migration: ProcessSpec
    start_file: Path
    embedding: list[ProcessSpec]
    ingestors: list[ProcessSpec]
    agents: list[ProcessSpec]
    api: ProcessSpec


def plan(folder: DataFolder, public: Public, agents: int, ingestors: int, given: Mapping[str, str]) -> Stack:
    """Determine the processes to run and their settings.

    Args:
        folder: The data folder, locked.
        public: Public address of the gateway.
        agents: Agent workers, at least 1.
        ingestors: Ingestor workers, at least 1.
        given: The caller's environment; a server's URL in it replaces the embedded server.

    Raises:
        StartError: A program is not installed, or the data folder is damaged.
    """
    agent_names = [f"agent-{number}" for number in range(1, agents + 1)]
    ingestor_names = [f"ingestor-{number}" for number in range(1, ingestors + 1)]
    ports = folder.ports([*SERVER_PORTS, "embedding", *agent_names, *ingestor_names])
    servers, environment = plan_servers(folder, ports, given)
    environment = {
        **_FRUGAL,
        **given,
        "PYTHONUNBUFFERED": "1",
        START_FILE: str(folder.run / _START_FILE_NAME),
        **environment,
        "ECHOMIND_DATA_DIR": str(folder.path),
        DISK_FOLDER: given.get(DISK_FOLDER) or str(folder.path),
        # On a personal machine, EchoMind may watch any folder in its owner's home directory.
        SOURCE_FOLDERS: given.get(SOURCE_FOLDERS, str(Path.home())),
    }
    embedding: list[ProcessSpec] = []
    if EMBEDDING_URL not in given:
        environment[EMBEDDING_URL] = f"{LOOPBACK}:{ports['embedding']}"
        embedding.append(
            ProcessSpec(
                name="embedding",
                argv=[_program("echomind-ingestor"), "embed"],
                entry=EntryPoint("echomind_ingestor.main:main", ["embed"]),
                env=environment,
                ready=lambda: accepts_connections(ports["embedding"]),
                stop_timeout=1,
            )
        )
    return Stack(
        servers=servers,
        migration=ProcessSpec(
            name="migration",
            argv=[_program("echomind-migrate")],
            entry=EntryPoint("echomind_lib.db.migrate:main"),
            env=environment,
            ready=lambda: True,
        ),
        start_file=folder.run / _START_FILE_NAME,
        embedding=embedding,
        ingestors=[_worker("ingestor", name, ports[name], environment) for name in ingestor_names],
        agents=[_worker("agent", name, ports[name], environment) for name in agent_names],
        api=ProcessSpec(
            name="api",
            argv=[_program("echomind-api")],
            entry=EntryPoint("echomind_api.program:main"),
            env=environment
            | {
                "ECHOMIND_API__HOST": public.host,
                "ECHOMIND_API__HTTP_PORT": str(public.http_port),
                "ECHOMIND_API__GRPC_PORT": str(public.grpc_port),
            },
            ready=lambda: answers_ok(public.http_port, "/readyz", public.local_host),
            stop_timeout=2,
        ),
    )


# glibc raises this threshold after the first large block is freed. Allocations at start-up then leave unused gaps, a
# quarter of the embedding process's memory. Other systems ignore the variable.
_FRUGAL = {
    "MALLOC_MMAP_THRESHOLD_": str(1024 * 1024),
    # No process multiplies large matrices with numpy, and each OpenBLAS thread would allocate its own buffers.
    "OPENBLAS_NUM_THREADS": "1",
}


def plan_servers(
    folder: DataFolder, ports: Mapping[str, int], given: Mapping[str, str]
) -> tuple[list[Server], dict[str, str]]:
    """Returns the embedded servers to start, and the environment with which services reach them.

    Args:
        folder: The data folder.
        ports: A port for each of `SERVER_PORTS`.
        given: The caller's environment; a server's URL in it replaces the embedded server.
    """
    secrets = folder.secrets()
    servers: list[Server] = []
    environment: dict[str, str] = {}
    if EMBEDDING_URL not in given:
        environment["ECHOMIND_EMBEDDING__API_KEY"] = secrets.embedding_api_key
    if POSTGRES_URL not in given:
        postgres = PostgresServer(folder.path / "postgres", ports["postgres"], secrets.postgres_password)
        servers.append(postgres)
        environment[POSTGRES_URL] = postgres.url
        if POOL_SIZE not in given:
            environment[POOL_SIZE] = str(_pool_size())
    if S3_ENDPOINT not in given:
        s3 = S3Server(folder.path / "objects", ports["s3"], secrets.s3_access_key, secrets.s3_secret_key)
        servers.append(s3)
        environment |= {
            S3_ENDPOINT: s3.endpoint,
            "ECHOMIND_S3__ACCESS_KEY": s3.access_key,
            "ECHOMIND_S3__SECRET_KEY": s3.secret_key,
        }
    if NATS_URL not in given:
        nats = NatsServer(folder.path / "nats", ports["nats"], secrets.nats_password)
        servers.append(nats)
        environment[NATS_URL] = nats.url
    if QDRANT_URL not in given:
        qdrant = QdrantServer(folder.path / "vectors", ports["qdrant"], secrets.qdrant_api_key)
        servers.append(qdrant)
        environment |= {QDRANT_URL: qdrant.url, "ECHOMIND_QDRANT__API_KEY": qdrant.api_key}
    if not given.get(SECRET_KEYS):
        folder.secret_keys()  # all services read the file, so that keys can be rotated while they run
    return servers, environment


def _pool_size() -> int:
    """Returns the connections of a process to a PostgreSQL on the same machine, whose processors all of them share.

    More connections than processors wait for each other, and each plans the statements for itself, which takes 9 MiB.
    """
    return min(_MAX_POOL_SIZE, _SPARE_CONNECTIONS + (os.cpu_count() or 1))


def _worker(service: str, name: str, health_port: int, environment: dict[str, str]) -> ProcessSpec:
    return ProcessSpec(
        name=name,
        argv=[_program(f"echomind-{service}")],
        entry=EntryPoint(f"echomind_{service}.{'program' if service == 'agent' else 'main'}:main"),
        env=environment | {f"ECHOMIND_{service.upper()}__HEALTH_PORT": str(health_port)},
        ready=lambda: answers_ok(health_port, "/readyz"),
        stop_timeout=2,
    )


def _program(name: str) -> str:
    """Returns a program of this installation: the same that a container starts."""
    program = Path(sys.executable).parent / name
    if not os.access(program, os.X_OK):
        raise StartError(f"{name} is not installed beside {sys.executable}: install echomind[all]")
    return str(program)
