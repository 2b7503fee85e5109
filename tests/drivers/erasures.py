"""Erases people and places legal holds, as calls, replicas and passing time do."""

from typing import Any, cast

import asyncpg
from sqlalchemy import update

from echomind_api.accounts import erasures
from echomind_api.accounts.erasures import Eraser
from echomind_api.administration.purge import Purge
from echomind_api.main import Gateway
from echomind_lib.db import models as rows
from echomind_lib.events.log import EventLog
from echomind_lib.indexes import Indexes
from tests.drivers.client import Client, Transport
from tests.factories import rows as make
from tests.factories.conversations import converse


async def place_hold(client: Client, via: Transport = "rest", **subject: Any) -> dict[str, Any]:
    return await client.call("LegalHoldService/CreateLegalHold", {"legalHold": {"reason": "Case 7", **subject}}, via)


async def release_hold(client: Client, hold: dict[str, Any], via: Transport = "rest") -> dict[str, Any]:
    return await client.call("LegalHoldService/ReleaseLegalHold", {"id": hold["id"]}, via)


async def seed_person(pool: asyncpg.Pool, user_id: int, text: str) -> dict[str, int]:
    """Leaves a text in everything of a person that they can delete; returns the ids."""
    session = await converse(pool, user_id, text)
    memory = await make.memory(pool, user_id=user_id, content=text)
    notebook = await make.notebook(pool, user_id=user_id, title=text)
    await make.insert(pool, "notebook_members", {"notebook_id": notebook["id"], "user_id": user_id, "role": "owner"})
    connector = await make.connector(pool, user_id=user_id, name=text, scope="user")
    document = await make.document(pool, connector_id=connector["id"], title=text, status="completed")
    return {
        "session": session,
        "memory": memory["id"],
        "notebook": notebook["id"],
        "connector": connector["id"],
        "document": document["id"],
    }


def replica(gateway: Gateway) -> Eraser:
    """Another process of the API, as far as erasures go."""
    parts = gateway.parts.dependencies
    pool = parts.database.pool
    purge = Purge(parts.database, EventLog(pool, parts.bus), parts.objects, Indexes(pool, parts.vectors))
    return Eraser(parts.database, cast("Any", None), purge)


async def begin_erasure(gateway: Gateway, user_id: int, caller_id: int) -> int:
    """Begins an erasure as a call does, whose process ends then; returns the id of the report."""
    async with gateway.parts.dependencies.database.session() as session:
        await session.execute(update(rows.User).where(rows.User.id == user_id).values(is_active=False))
        report_id, is_running = await erasures._begun(session, user_id, caller_id)
    assert not is_running
    return report_id


async def read_erasure(boss: Client, report_id: int) -> dict[str, Any]:
    """Returns a report as it is listed."""
    listed = (await boss.call("ErasureService/ListErasures"))["erasures"]
    return next(each for each in listed if each["id"] == report_id)


async def expire_claims(pool: asyncpg.Pool) -> None:
    """Lets a minute pass."""
    await pool.execute("UPDATE erasures SET attempted_at = attempted_at - interval '61 seconds'")
