"""A notebook that tests call."""

import asyncpg
import pytest_asyncio

from tests.drivers.client import Transport
from tests.drivers.gateway import NewUser
from tests.drivers.notebook_room import Room


@pytest_asyncio.fixture
async def room(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> Room:
    people = {role: await new_user() for role in ("owner", "editor", "viewer", "stranger")}
    room = Room(pool, people, via)
    request = {"notebook": {"title": "Leave", "instructions": "Be brief."}}
    made = await people["owner"].call("NotebookService/CreateNotebook", request, via)
    assert (made["role"], made["memberCount"]) == ("NOTEBOOK_ROLE_OWNER", 1)
    room.id = made["id"]
    for role in ("editor", "viewer"):
        name = await pool.fetchval("SELECT email FROM users WHERE id = $1", people[role].user_id)
        added = await room.call(
            "owner", "SetNotebookMember", userName=name.upper(), role=f"NOTEBOOK_ROLE_{role.upper()}"
        )
        assert added["userId"] == people[role].user_id
    return room
