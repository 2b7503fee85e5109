"""The first run: which steps concern whom, and how far they are."""

from uuid import uuid4

import asyncpg

from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows


async def steps_of(somebody: Client, via: Transport) -> dict[str, str]:
    setup = await somebody.call("SetupService/GetSetup", via=via)
    return {
        step["kind"].removeprefix("SETUP_STEP_KIND_"): step["status"].removeprefix("SETUP_STEP_STATUS_")
        for step in setup["steps"]
    }


async def test_most_people_say_their_name_and_set_a_password(new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    assert await steps_of(somebody, via) == {"PROFILE": "OPEN", "PASSWORD": "OPEN"}
    change = {"user": {"firstName": "Ada"}, "updateMask": "firstName"}
    await somebody.call("UserService/UpdateCurrentUser", change)
    await somebody.call("AuthService/SetPassword", {"password": "correct horse battery staple"})
    assert await steps_of(somebody, via) == {"PROFILE": "DONE", "PASSWORD": "DONE"}


async def test_people_of_a_provider_set_no_password(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    somebody = await new_user()
    identity = {"user_id": somebody.user_id, "issuer": "https://id.example.org", "subject": uuid4().hex}
    await rows.insert(pool, "user_identities", identity)
    assert await steps_of(somebody, via) == {"PROFILE": "OPEN"}


async def test_steps_are_skipped_and_still_listed(new_user: NewUser, via: Transport) -> None:
    boss = await new_user("superadmin")
    skipped = ["SETUP_STEP_KIND_PASSWORD", "SETUP_STEP_KIND_QUESTION"]
    change = {"setup": {"skipped": skipped}, "updateMask": "skipped"}
    setup = await boss.call("SetupService/UpdateSetup", change, via)
    assert setup["skipped"] == skipped
    steps = await steps_of(boss, via)
    assert list(steps) == ["PASSWORD", "MODEL", "DOCUMENTS", "QUESTION"]
    assert (steps["PASSWORD"], steps["QUESTION"]) == ("SKIPPED", "SKIPPED")
    change = {"setup": {"isHidden": True}, "updateMask": "isHidden"}
    setup = await boss.call("SetupService/UpdateSetup", change, via)
    assert (setup["isHidden"], setup["skipped"]) == (True, skipped)
    await boss.call("AuthService/SetPassword", {"password": "correct horse battery staple"})
    assert (await steps_of(boss, via))["PASSWORD"] == "DONE"


async def test_what_was_done_elsewhere_is_done(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    boss = await new_user("superadmin")
    await rows.llm(pool, name=uuid4().hex)
    await rows.document(pool)
    assistant = await pool.fetchval("SELECT id FROM assistants WHERE is_default")
    conversation = await rows.chat_session(pool, user_id=boss.user_id, assistant_id=assistant)
    assert (await steps_of(boss, via))["QUESTION"] == "OPEN"
    await rows.chat_message(pool, chat_session_id=conversation["id"], content="x")
    steps = await steps_of(boss, via)
    assert (steps["MODEL"], steps["DOCUMENTS"], steps["QUESTION"]) == ("DONE", "DONE", "DONE")
