"""The embedded PostgreSQL, NATS and S3 servers as the supervisor starts them."""

import io
import os
import secrets
import shutil
import socket
from pathlib import Path

import asyncpg
import nats
import psutil
import pytest
import urllib3
from minio import Minio, S3Error
from minio.deleteobjects import DeleteObject

from echomind.local.embedded import postgres
from echomind.local.embedded.nats import NatsServer
from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import LOOPBACK, StartError, free_port
from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.s3 import S3Server
from tests.drivers.servers import Server, running

PASSWORD = "with space, 'quote' and /slash"


@pytest.fixture
def postgres_here(tmp_path: Path) -> PostgresServer:
    """A PostgreSQL server with a folder of its own, not started."""
    return PostgresServer(tmp_path / "postgres", free_port(), PASSWORD)


async def test_postgres_keeps_what_was_committed(postgres_here: PostgresServer, tmp_path: Path) -> None:
    with running(postgres_here, tmp_path) as process:
        connection = await asyncpg.connect(postgres_here.url)
        await connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        # Each of its processes has a group of its own, and ends when it sees that the first one has ended.
        processes = psutil.Process(process.pid).children(recursive=True)
        # Kills the process group, as the supervisor does before a restart.
        os.killpg(process.pid, 9)
        process.wait()
        psutil.wait_procs(processes, 10)
        connection.terminate()
    with running(postgres_here, tmp_path):
        connection = await asyncpg.connect(postgres_here.url)
        assert await connection.fetchval("SELECT answer FROM kept") == 42
        await connection.close()


async def test_postgres_asks_for_the_password_and_knows_letters(postgres_here: PostgresServer, tmp_path: Path) -> None:
    with running(postgres_here, tmp_path):
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(postgres_here.url, password="wrong")
        connection = await asyncpg.connect(postgres_here.url)
        await connection.execute("CREATE EXTENSION pg_trgm")
        assert await connection.fetchval("SELECT lower('ÄÖÜ')") == "äöü"
        assert await connection.fetchval("SELECT similarity('Ärzte', 'ärzte')") == 1.0
        assert await connection.fetchval("SHOW password_encryption") == "scram-sha-256"
        await connection.close()


def test_postgres_after_an_interrupted_first_start(postgres_here: PostgresServer, tmp_path: Path) -> None:
    postgres_here.prepare()
    shutil.rmtree(postgres_here.data_dir)
    half = tmp_path / "postgres.unfinished"
    half.mkdir()
    (half / "PG_VERSION").write_text("18")
    with running(postgres_here, tmp_path):
        assert not half.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user needs no change of user")
async def test_postgres_as_root_both_ways(
    postgres_here: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Pytest's folders are private to the owner, like the data folder.
    for prefix in (postgres._nobody_prefix(), postgres._namespace_prefix()):
        monkeypatch.setattr(postgres, "_privileges", lambda prefix=prefix: prefix)
        with running(postgres_here, tmp_path):
            connection = await asyncpg.connect(postgres_here.url)
            await connection.execute("CREATE TABLE IF NOT EXISTS kept ()")
            await connection.close()


def test_postgres_reports_its_error(postgres_here: PostgresServer, tmp_path: Path) -> None:
    postgres_here.prepare()
    (postgres_here.data_dir / "PG_VERSION").write_text("17\n")
    with (
        pytest.raises(StartError, match=r"postgres ended with status 1(.|\n)*version 17"),
        running(postgres_here, tmp_path),
    ):
        pytest.fail("it must not start")


async def test_nats_keeps_streams_and_asks_for_the_password(tmp_path: Path) -> None:
    server = NatsServer(tmp_path / "nats", free_port(), secrets.token_urlsafe())
    with running(server, tmp_path) as process:
        connection = await nats.connect(server.url)
        await connection.jetstream().add_stream(name="RUNS", subjects=["runs.>"])
        await connection.jetstream().publish("runs.requested", b"1")
        await connection.close()
        assert _answer_to_stranger(server.port).startswith("-ERR 'Authorization Violation'")
        process.kill()
        process.wait()
    with running(server, tmp_path):
        connection = await nats.connect(server.url)
        assert (await connection.jetstream().stream_info("RUNS")).state.messages == 1
        await connection.close()


def _answer_to_stranger(port: int) -> str:
    """Returns what NATS says to a wrong password; its client leaves connections open after that."""
    with socket.create_connection((LOOPBACK, port), timeout=5) as stranger, stranger.makefile("rw") as stream:
        assert stream.readline().startswith("INFO")
        stream.write('CONNECT {"user": "echomind", "pass": "wrong"}\r\nPING\r\n')
        stream.flush()
        return stream.readline()


def test_s3_keeps_objects_and_asks_for_the_key(tmp_path: Path) -> None:
    server = S3Server(tmp_path / "objects", free_port(), "test", secrets.token_urlsafe())
    pool = urllib3.PoolManager()
    address = f"{LOOPBACK}:{server.port}"
    client = Minio(address, server.access_key, server.secret_key, secure=False, http_client=pool)
    stranger = Minio(address, server.access_key, "wrong", secure=False, http_client=pool)
    with running(server, tmp_path) as process:
        client.make_bucket("echomind")
        client.put_object("echomind", "documents/1/ä", io.BytesIO(b"content"), 7, content_type="text/plain")
        with pytest.raises(S3Error, match="SignatureDoesNotMatch"):
            stranger.list_buckets()
        anonymous = pool.request("GET", f"{server.endpoint}/echomind/documents/1/ä")
        assert anonymous.status == 403
        process.kill()
        process.wait()
    with running(server, tmp_path):
        found = client.get_object("echomind", "documents/1/ä")
        assert found.read() == b"content"
        assert found.headers["content-type"] == "text/plain"
        found.close()
        pool.clear()


def test_nothing_listens_beyond_loopback_in_any_folder(tmp_path: Path) -> None:
    folder = tmp_path / 'with "quotes", späces and \\'
    servers: list[Server] = [
        PostgresServer(folder / "postgres", free_port(), PASSWORD),
        NatsServer(folder / "nats", free_port(), "password"),
        S3Server(folder / "objects", free_port(), "key", "secret"),
        QdrantServer(folder / "vectors", free_port(), "key"),
    ]
    for server in servers:
        with running(server, tmp_path) as process:
            sockets = psutil.Process(process.pid).net_connections("inet")
            listening = {each.laddr[0].removeprefix("::ffff:") for each in sockets if each.status == psutil.CONN_LISTEN}
            assert listening == {LOOPBACK}


def test_s3_deletes_many_objects_by_one_request_and_leaves_no_folders(tmp_path: Path) -> None:
    server = S3Server(tmp_path / "objects", free_port(), "test", secrets.token_urlsafe())
    pool = urllib3.PoolManager()
    client = Minio(f"{LOOPBACK}:{server.port}", server.access_key, server.secret_key, secure=False, http_client=pool)
    keys = [f"documents/{number}/{version}/text" for number in range(20) for version in ("a", "b")]
    with running(server, tmp_path):
        client.make_bucket("echomind")
        for key in [*keys, "documents/20/a/text"]:
            client.put_object("echomind", key, io.BytesIO(b"content"), 7)
        # A missing key counts as deleted, and only the invalid key is rejected.
        doomed = [DeleteObject(key) for key in [*keys, "documents/21/a/text", "../elsewhere"]]
        errors = list(client.remove_objects("echomind", doomed))
        assert [error.name for error in errors] == ["../elsewhere"]
        assert [item.object_name for item in client.list_objects("echomind", recursive=True)] == ["documents/20/a/text"]
    pool.clear()
    folders = [path for path in (server.data_dir / "echomind").rglob("documents/*") if path.is_dir()]
    assert {path.name for path in folders} == {"20"}
