"""The servers that hold the data: embedded ones of a data folder, or those that the environment names."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from echomind.local.data_folder import DataFolder, is_in_use
from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import StartError
from echomind.local.parts_file import NAME as PARTS_FILE
from echomind.local.parts_file import PartsFile
from echomind.local.stack import (
    NATS_URL,
    POSTGRES_URL,
    QDRANT_URL,
    S3_ENDPOINT,
    SECRET_KEYS,
    SERVER_PORTS,
    Server,
    plan_servers,
)
from echomind.local.supervisor import Supervisor
from echomind_lib.config import S3Settings, Settings
from echomind_lib.process.disk import DiskSpace
from echomind_lib.secret_key_file import KEY_FILE

_DATA: frozenset[str] = frozenset({POSTGRES_URL, S3_ENDPOINT, QDRANT_URL})


@dataclass(frozen=True)
class Servers:
    """How to reach them.

    Attributes:
        postgres_url: The database.
        s3: The bucket.
        qdrant_url: The vector index.
        qdrant_key: Its key; None for none.
        secret_keys: The keys that encrypt stored secrets, separated by commas; empty if they are not known.
    """

    postgres_url: str
    s3: S3Settings
    qdrant_url: str
    qdrant_key: str | None
    secret_keys: str


def are_external(given: Mapping[str, str]) -> bool:
    """Returns whether an environment names the servers that hold data.

    Raises:
        StartError: It names some of them only.
    """
    named = {name for name in _DATA if given.get(name)}
    if named and named != _DATA:
        missing = ", ".join(sorted(_DATA - named))
        raise StartError(f"the environment names some of the servers that hold the data, but not {missing}: set all")
    return bool(named)


def external_servers(data_dir: Path) -> Servers:
    """Returns the servers that the environment names; `data_dir` may have the file with the keys of secrets."""
    settings = Settings()
    keys = settings.secrets.keys.get_secret_value()
    key_file = data_dir / KEY_FILE
    if not keys and key_file.exists():
        keys = ",".join(key_file.read_text("ascii").replace(",", " ").split())
    key = settings.qdrant.api_key
    return Servers(
        settings.postgres.url.get_secret_value(),
        settings.s3,
        settings.qdrant.url,
        key.get_secret_value() if key else None,
        keys,
    )


@contextmanager
def embedded_servers(
    data_dir: Path, report: Callable[[str], None], *, only_database: bool = False
) -> Iterator[Servers]:
    """Yields the embedded servers of a data folder: those of a running EchoMind, or started until the block ends.

    Args:
        data_dir: The folder.
        report: Called with lines to show.
        only_database: Whether to start PostgreSQL alone.

    Raises:
        StartError: They cannot be started.
    """
    folder = DataFolder(data_dir)
    if is_in_use(folder.path):
        yield _planned(folder, folder.remembered_ports())[1]
        return
    with folder:
        servers, reached = _planned(folder, folder.ports(SERVER_PORTS))
        disk = DiskSpace(Settings().disk.model_copy(update={"folder": str(folder.path)}))
        with (
            PartsFile(folder.run / PARTS_FILE) as parts,
            Supervisor(folder.logs, report, disk, parts, inherited=[folder.lock]) as supervisor,
        ):
            for server in servers:
                if only_database and not isinstance(server, PostgresServer):
                    continue
                server.prepare()
                supervisor.launch(server.spec())
            supervisor.wait_until_ready()
            yield reached


def _planned(folder: DataFolder, ports: Mapping[str, int]) -> tuple[list[Server], Servers]:
    # Without NATS: its messages are repeated from rows.
    given = {name: value for name, value in os.environ.items() if name not in _DATA}
    servers, environment = plan_servers(folder, ports, given | {NATS_URL: "nats://127.0.0.1"})
    s3 = Settings().s3.model_copy(
        update={
            "endpoint": environment[S3_ENDPOINT],
            "access_key": environment["ECHOMIND_S3__ACCESS_KEY"],
            "secret_key": SecretStr(environment["ECHOMIND_S3__SECRET_KEY"]),
        }
    )
    reached = Servers(
        environment[POSTGRES_URL],
        s3,
        environment[QDRANT_URL],
        environment["ECHOMIND_QDRANT__API_KEY"],
        os.environ.get(SECRET_KEYS) or folder.secret_keys(),
    )
    return servers, reached
