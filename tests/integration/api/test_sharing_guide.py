"""The requests of the guide's page on sharing work in their order."""

import asyncpg

from tests.drivers.gateway import NewUser
from tests.drivers.guide import request_all
from tests.factories.world import World


async def test_the_requests_of_the_guide_work(world: World, new_user: NewUser, pool: asyncpg.Pool) -> None:
    owner = await new_user(groups=("research",))
    question = await world.answered("own", owner)
    session = await pool.fetchval("SELECT chat_session_id FROM chat_messages WHERE id = $1", question)
    await pool.execute(
        "UPDATE chat_sessions SET head_message_id = (SELECT max(id) FROM chat_messages WHERE chat_session_id = $1)"
        " WHERE id = $1",
        session,
    )
    ann, group = await new_user(), "research"
    name = (await ann.call("UserService/GetCurrentUser", {}))["userName"]
    known = {"12": str(session), "ann": name}
    later = {"TOKEN": "path", "ID": "sessionShare.id"}
    preview, made, listed, added, taken, read, forked, updated, removed = await request_all(
        "sharing.md", owner, known, later
    )
    assert [message["role"] for message in preview["messages"]] == ["MESSAGE_ROLE_USER", "MESSAGE_ROLE_ASSISTANT"]
    assert [each["userId"] for each in made["sessionShare"]["recipients"]] == [ann.user_id]
    assert [each["group"] for each in added["recipients"]] == ["", group]
    assert [each["group"] for each in taken["recipients"]] == [group]
    assert made["path"].startswith("/shared/")
    assert [each["id"] for each in listed["sessionShares"]] == [made["sessionShare"]["id"]]
    assert [message["role"] for message in read["messages"]] == ["MESSAGE_ROLE_USER", "MESSAGE_ROLE_ASSISTANT"]
    assert forked["id"] != session
    assert updated["id"] == made["sessionShare"]["id"]
    assert removed == {}
