"""Dead letters: jobs that failed for good are listed, put back once, and discarded until they fail again."""

import asyncio
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from echomind_lib.errors import NotFoundError
from tests.drivers.client import Client, Transport

REASON = "The source did not answer."


async def failed(pool: asyncpg.Pool, kind: str) -> int:
    """Stores a job of a kind that no worker claims, which has failed."""
    query = """
        INSERT INTO background_jobs (kind, subject_id, unique_key, status, attempt, error, last_update)
        VALUES ($1, '7', $2, 'failed', 5, $3, now()) RETURNING id
    """
    found: int = await pool.fetchval(query, kind, f"{kind}:{uuid4().hex}", REASON)
    return found


async def listed(owner: Client, kind: str, via: Transport) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    token = ""
    while True:
        request = {"kind": kind, "pageSize": 2, "pageToken": token}
        page = await owner.call("DeadLetterService/ListDeadLetters", request, via)
        found += page.get("deadLetters", [])
        if not (token := page.get("nextPageToken", "")):
            return found


async def test_a_dead_letter_says_what_failed_and_why(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    kind = uuid4().hex
    ids = [await failed(pool, kind) for _ in range(3)]
    await pool.execute("UPDATE background_jobs SET status = 'pending' WHERE id = $1", ids[1])
    found = await listed(owner, kind, via)
    assert [int(each["id"]) for each in found] == [ids[2], ids[0]]
    read = await owner.call("DeadLetterService/GetDeadLetter", {"id": ids[0]}, via)
    assert read == found[1]
    assert (read["kind"], read["subjectId"], read["reason"], read["attempts"]) == (kind, "7", REASON, 5)
    assert read["failedAt"]
    with pytest.raises(NotFoundError):
        await owner.call("DeadLetterService/GetDeadLetter", {"id": ids[1]}, via)


async def test_it_is_put_back_once(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    kind = uuid4().hex
    job = await failed(pool, kind)
    replay = "DeadLetterService/ReplayDeadLetter"
    await asyncio.gather(*(owner.call(replay, {"id": job}, via) for _ in range(3)))
    row = await pool.fetchrow(
        "SELECT status, attempt, error, user_id_last_update FROM background_jobs WHERE id = $1", job
    )
    assert row is not None
    assert tuple(row) == ("pending", 0, None, owner.user_id)
    assert await listed(owner, kind, via) == []
    audited = "SELECT count(*) FROM audit_log WHERE target = $1 AND action = $2"
    assert await pool.fetchval(audited, f"dead-letters/{job}", replay) == 1
    await pool.execute("UPDATE background_jobs SET status = 'completed', attempt = 1 WHERE id = $1", job)
    await owner.call(replay, {"id": job}, via)
    assert await pool.fetchval("SELECT status FROM background_jobs WHERE id = $1", job) == "completed"
    with pytest.raises(NotFoundError):
        await owner.call(replay, {"id": 2**62}, via)


async def test_a_discarded_one_is_off_the_list_until_it_fails_again(
    owner: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    kind = uuid4().hex
    job = await failed(pool, kind)
    for _ in range(2):
        await owner.call("DeadLetterService/DiscardDeadLetter", {"id": job}, via)
    assert await listed(owner, kind, via) == []
    assert await pool.fetchval("SELECT status FROM background_jobs WHERE id = $1", job) == "failed"
    for method in ("GetDeadLetter", "ReplayDeadLetter"):
        with pytest.raises(NotFoundError):
            await owner.call(f"DeadLetterService/{method}", {"id": job}, via)
    for status in ("pending", "failed"):
        await pool.execute("UPDATE background_jobs SET status = $2 WHERE id = $1", job, status)
    assert [int(each["id"]) for each in await listed(owner, kind, via)] == [job]
    await pool.execute("UPDATE background_jobs SET status = 'running' WHERE id = $1", job)
    with pytest.raises(NotFoundError):
        await owner.call("DeadLetterService/DiscardDeadLetter", {"id": job}, via)
