"""`echomind doctor` with servers that the environment names: those that work, and each kind of failure."""

import pytest

from echomind.cli.administration.findings import Level
from echomind.cli.administration.server_checks import check_servers, check_workers
from echomind.local.embedded.nats import NatsServer
from echomind.local.embedded.process import free_port
from echomind_lib.config import S3Settings
from echomind_lib.db import migrate


async def test_servers_that_work_are_described(
    monkeypatch: pytest.MonkeyPatch,
    postgres_url: str,
    nats_url: str,
    qdrant_url: str,
    qdrant_api_key: str,
    s3_settings: S3Settings,
) -> None:
    monkeypatch.setenv("ECHOMIND_POSTGRES__URL", postgres_url)
    monkeypatch.setenv("ECHOMIND_NATS__URL", nats_url)
    monkeypatch.setenv("ECHOMIND_QDRANT__URL", qdrant_url)
    monkeypatch.setenv("ECHOMIND_QDRANT__API_KEY", qdrant_api_key)
    monkeypatch.setenv("ECHOMIND_S3__ENDPOINT", s3_settings.endpoint)
    monkeypatch.setenv("ECHOMIND_S3__ACCESS_KEY", s3_settings.access_key)
    monkeypatch.setenv("ECHOMIND_S3__SECRET_KEY", s3_settings.secret_key.get_secret_value())
    monkeypatch.setenv("ECHOMIND_S3__BUCKET", s3_settings.bucket)
    found = {finding.name: finding for finding in await check_servers()}
    assert {name: finding.level for name, finding in found.items()} == dict.fromkeys(
        ("PostgreSQL", "NATS", "Qdrant", "Object store"), Level.OK
    ), found
    assert f"schema {migrate.head()}" in found["PostgreSQL"].message


async def test_what_is_wrong_is_named(
    monkeypatch: pytest.MonkeyPatch,
    postgres_url: str,
    nats_server: NatsServer,
    qdrant_url: str,
    s3_settings: S3Settings,
) -> None:
    server, _, database = postgres_url.rpartition("/")
    monkeypatch.setenv("ECHOMIND_POSTGRES__URL", f"{server}/no_{database}")
    monkeypatch.setenv("ECHOMIND_NATS__URL", nats_server.url.replace(nats_server.password, "wrong"))
    monkeypatch.setenv("ECHOMIND_QDRANT__URL", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("ECHOMIND_S3__ENDPOINT", s3_settings.endpoint)
    monkeypatch.setenv("ECHOMIND_S3__ACCESS_KEY", s3_settings.access_key)
    monkeypatch.setenv("ECHOMIND_S3__SECRET_KEY", "wrong")
    found = {finding.name: finding for finding in await check_servers()}
    assert {finding.level for finding in found.values()} == {Level.FAILED}
    assert f"no_{database}" in found["PostgreSQL"].message
    assert "uthorization" in found["NATS"].message
    assert "UNAVAILABLE" in found["Qdrant"].message
    assert "ECHOMIND_S3__ENDPOINT" in found["Object store"].advice


async def test_a_database_that_was_not_migrated_is_named(monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> None:
    import asyncpg

    connection = await asyncpg.connect(postgres_url)
    await connection.execute("UPDATE alembic_version SET version_num = '0001'")
    await connection.close()
    monkeypatch.setenv("ECHOMIND_POSTGRES__URL", postgres_url)
    (finding,) = await check_servers()
    assert finding.level is Level.FAILED
    assert "echomind-migrate" in finding.advice


async def test_without_servers_in_the_environment_nothing_is_checked() -> None:
    assert await check_servers() == []


def test_a_service_without_workers_is_named() -> None:
    found = {finding.name: finding for finding in check_workers(["agent", "agent"])}
    assert (found["Workers agent"].level, found["Workers agent"].message) == (Level.OK, "2 run")
    assert found["Workers ingestor"].level is Level.FAILED
