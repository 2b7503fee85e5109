"""A data folder of an older version: its files, and its database as a dump, packed and unpacked.

The dump is a hundredth of PostgreSQL's own files, and says the same of what a version of EchoMind stores.
"""

import json
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from echomind.local.embedded.postgres import PostgresServer, binaries
from echomind.local.embedded.process import free_port, spawn, stop, wait_ready

_DUMP = "postgres.sql"
_FILES = ("secrets.json", "secret-keys", "owner-api-key", "nats/jetstream", "objects", "vectors")


def pack(data_dir: Path, archive: Path) -> None:
    """Writes the data folder of a stopped `echomind up` as an archive."""
    with _postgres(data_dir) as url, (data_dir / _DUMP).open("w") as file:
        command = [str(binaries() / "pg_dump"), "--no-owner", "--no-privileges", "--restrict-key=echomind", url]
        subprocess.run(command, check=True, stdout=file)
    # GNU tar, which supports the sparse files of the vector index: without holes they are a hundred times as large.
    command = ["tar", "--sparse", "--owner=0", "--group=0", "-cJf", str(archive), "-C", str(data_dir), *_FILES, _DUMP]
    subprocess.run(command, check=True)


def unpack(archive: Path, data_dir: Path, *statements: str) -> None:
    """Makes the data folder of an archive, and executes statements on its database."""
    with tarfile.open(archive) as packed:
        packed.extractall(data_dir, filter="data")
    data_dir.chmod(0o700)
    with _postgres(data_dir) as url:
        _psql(url, "--file", str(data_dir / _DUMP))
        for statement in statements:
            _psql(url, "--command", statement)
    (data_dir / _DUMP).unlink()


def execute(data_dir: Path, *statements: str) -> None:
    """Executes statements on the database of a data folder whose `echomind up` does not run."""
    with _postgres(data_dir) as url:
        for statement in statements:
            _psql(url, "--command", statement)


def _psql(url: str, *arguments: str) -> None:
    command = [
        str(binaries() / "psql"),
        "--quiet",
        "--no-psqlrc",
        "--set=ON_ERROR_STOP=1",
        f"--dbname={url}",
        *arguments,
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def _postgres(data_dir: Path) -> Iterator[str]:
    """Runs the folder's PostgreSQL alone; gives the database's URL."""
    secrets = json.loads((data_dir / "secrets.json").read_text())
    server = PostgresServer(data_dir / "postgres", free_port(), secrets["postgres_password"], {"fsync": "off"})
    server.prepare()
    spec, log = server.spec(), data_dir / "postgres.log"
    process = spawn(spec, log)
    try:
        wait_ready(process, spec, log)
        yield server.url
    finally:
        stop(process, spec)
        log.unlink()
