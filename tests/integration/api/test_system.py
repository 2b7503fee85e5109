"""Health of the components, and the list of packages."""

import asyncio
from importlib.metadata import version

import asyncpg
import pytest

from echomind_api.administration import health
from tests.drivers.client import Client, Transport
from tests.factories import rows


async def test_every_component_reports_its_status(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    found = await owner.call("SystemService/GetSystemHealth", via=via)
    parts = {part["name"]: part for part in found["parts"]}
    assert parts.keys() - {"proxy"} == {"postgres", "nats", "qdrant", "s3", "embedding"}
    for name in ("postgres", "nats", "qdrant"):
        assert parts[name]["status"] == "HEALTH_STATUS_OK"
        assert parts[name]["version"][0].isdigit()
        assert parts[name].get("latencyMs", 0) >= 0  # the check of NATS only reads the connection state
    assert found["version"] == version("echomind")
    assert found["schemaRevision"] == await pool.fetchval("SELECT version_num FROM alembic_version")
    assert [queue["name"] for queue in found["queues"]] == ["runs", "documents", "jobs"]


async def test_a_part_that_does_not_answer_is_named(owner: Client, via: Transport) -> None:
    # No embedding process runs here, unless a test has started one.
    found = await owner.call("SystemService/GetSystemHealth", via=via)
    embedding = next(part for part in found["parts"] if part["name"] == "embedding")
    if embedding["status"] == "HEALTH_STATUS_OK":
        pytest.skip("another test has started it")
    assert found["status"] == embedding["status"] == "HEALTH_STATUS_FAILED"
    assert embedding["message"]


async def test_a_proxy_that_is_not_named_needs_attention(owner: Client, via: Transport) -> None:
    forwarded = {"X-Forwarded-For": "203.0.113.9"}
    async with owner.session.get(f"{owner.http_url}/api/v1/auth/options", headers=forwarded):
        pass
    found = await owner.call("SystemService/GetSystemHealth", via=via)
    proxy = next(part for part in found["parts"] if part["name"] == "proxy")
    assert proxy["status"] == "HEALTH_STATUS_DEGRADED"
    assert "127.0.0.1" in proxy["message"]
    assert "ECHOMIND_API__TRUSTED_PROXIES" in proxy["message"]


async def test_dead_letters_need_attention_until_they_are_discarded(
    owner: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    async def jobs() -> str:
        found = await owner.call("SystemService/GetSystemHealth", via=via)
        return str(found["queues"][2]["status"])

    # Other tests have left dead letters, and jobs for which there is no worker.
    await pool.execute("UPDATE background_jobs SET discarded_at = now() WHERE status = 'failed'")
    await pool.execute("UPDATE background_jobs SET run_after = now() WHERE status = 'pending' AND run_after < now()")
    assert await jobs() == "HEALTH_STATUS_OK"
    job = await rows.background_job(pool, kind="health", status="failed")
    assert await jobs() == "HEALTH_STATUS_DEGRADED"
    await owner.call("DeadLetterService/DiscardDeadLetter", {"id": job["id"]}, via)
    assert await jobs() == "HEALTH_STATUS_OK"


async def test_a_slow_database_blocks_nobody(
    owner: Client, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_PART_SECONDS", 1.0)
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("LOCK TABLE alembic_version IN ACCESS EXCLUSIVE MODE")
        async with asyncio.timeout(29):
            found = await owner.call("SystemService/GetSystemHealth")
    postgres = next(part for part in found["parts"] if part["name"] == "postgres")
    assert postgres["status"] == "HEALTH_STATUS_DEGRADED"
    assert "workers and queues" in postgres["message"]
    assert "queues" not in found
    assert "schemaRevision" not in found


async def test_late_workers_and_unclaimed_work_are_reported(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    worker = await rows.insert(pool, "workers", {"service": "echomind-agent", "host": "somewhere"})
    await pool.execute("UPDATE workers SET heartbeat_at = now() - interval '12 s' WHERE id = $1", worker["id"])
    document = await rows.document(pool)
    await pool.execute(
        "UPDATE documents SET status = 'pending', creation_date = now() - interval '5 min' WHERE id = $1",
        document["id"],
    )
    found = await owner.call("SystemService/GetSystemHealth", via=via)
    (late,) = [each for each in found["workers"] if each["id"] == str(worker["id"])]
    assert (late["service"], late["host"], late["status"]) == ("agent", "somewhere", "HEALTH_STATUS_DEGRADED")
    documents = next(queue for queue in found["queues"] if queue["name"] == "documents")
    assert int(documents["waiting"]) >= 1
    assert documents["status"] == "HEALTH_STATUS_DEGRADED"
    await pool.execute("DELETE FROM workers WHERE id = $1", worker["id"])
    await pool.execute("DELETE FROM documents WHERE id = $1", document["id"])


async def test_what_it_is_made_with(owner: Client, via: Transport) -> None:
    about = await owner.call("SystemService/GetAbout", via=via)
    assert (about["version"], about["license"]) == (version("echomind"), "Apache-2.0")
    packages = {package["name"]: package for package in about["packages"]}
    assert packages["pydantic"]["license"] == "MIT"
    assert "echomind" not in packages
    assert all(package["version"] for package in packages.values())
