"""Memories by the API: effects of deleting one, a conversation or an account, and several sources."""

import asyncio
from contextlib import suppress
from typing import Any

import asyncpg
import pytest

from echomind_api.main import Gateway
from echomind_lib.learned.memories import NewMemory, changes
from echomind_lib.learned.memories import rows as stored
from tests.drivers.client import Client
from tests.drivers.fact_vectors import Follow
from tests.drivers.gateway import NewUser
from tests.drivers.leftovers import files_with, marker, tables_with
from tests.factories import rows


class Kept:
    """What a person has in the stores."""

    def __init__(self, gateway: Gateway, pool: asyncpg.Pool, follow: Follow, person: Client) -> None:
        self._parts, self.pool, self._follow, self.person = gateway.parts.dependencies, pool, follow, person

    async def vectors(self) -> int:
        """Returns how many memories and entities of the person have a vector, once these have followed."""
        await self._follow()
        collection = f"{await self.pool.fetchval('SELECT collection FROM embedding_models WHERE is_active')}_facts"
        return await self._parts.vectors.count(collection, {"scope": f"user_{self.person.user_id}"})

    async def is_nowhere(self, text: str) -> bool:
        """Returns whether a text stands in no table and no file."""
        return not await tables_with(self.pool, text) and not await files_with(self._parts.objects, text)

    async def conversation(self, *said: str) -> tuple[int, list[int]]:
        """Returns a conversation of the person and its messages."""
        session = (await rows.chat_session(self.pool, user_id=self.person.user_id))["id"]
        messages = [
            (await rows.chat_message(self.pool, chat_session_id=session, role="user", content=text))["id"]
            for text in said
        ]
        return session, messages

    async def memory(self, content: str, **values: Any) -> int:
        memory_id: int = (await rows.memory(self.pool, user_id=self.person.user_id, content=content, **values))["id"]
        return memory_id

    async def listed(self, **filters: Any) -> list[int]:
        found = await self.person.call("MemoryService/ListMemories", filters)
        return sorted(memory["id"] for memory in found.get("memories", []))

    async def forget(self, session: int) -> int:
        """Deletes what a conversation alone has said; how much that was."""
        found = await self.person.call("MemoryService/DeleteAllMemories", {"chatSessionId": session})
        return int(found.get("deleted", 0))


async def test_a_deleted_memory_leaves_every_store_with_its_history(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, follow: Follow
) -> None:
    kept, text = Kept(gateway, pool, follow, await new_user()), marker()
    now = await kept.memory(f"The person reads {text} now.")
    past = await kept.memory(f"The person read {text} before.")
    await pool.execute("UPDATE agent_memories SET valid_to = now(), superseded_by = $2 WHERE id = $1", past, now)
    other = await kept.memory("The person sails.")
    assert await kept.vectors() == 2
    assert await tables_with(pool, text) == {"agent_memories"}
    await kept.person.call("MemoryService/DeleteMemory", {"id": now})
    assert await kept.vectors() == 1
    assert await kept.is_nowhere(text)
    assert await kept.listed(withHistory=True) == [other]


async def test_two_edits_of_one_memory_at_once_both_count(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(gateway, pool, follow, await new_user())
    memory = await kept.memory("The person drinks tea.", importance_score=0.1)
    both, read = asyncio.Barrier(2), stored.read_memory

    async def read_together(*given: Any) -> Any:
        """Waits a moment for the other edit to have read, too: it may not before this one is stored."""
        row = await read(*given)
        with suppress(TimeoutError, asyncio.BrokenBarrierError):
            async with asyncio.timeout(0.2):
                await both.wait()
        return row

    monkeypatch.setattr(stored, "read_memory", read_together)
    edits: list[dict[str, Any]] = [{"content": "The person drinks coffee."}, {"importanceScore": 0.9}]
    async with asyncio.TaskGroup() as tasks:
        for edit in edits:
            request = {"id": memory, "memory": edit, "updateMask": ",".join(edit)}
            tasks.create_task(kept.person.call("MemoryService/UpdateMemory", request))
    row = await pool.fetchrow("SELECT content, importance_score FROM agent_memories WHERE id = $1", memory)
    assert row is not None
    assert (row["content"], float(row["importance_score"])) == ("The person drinks coffee.", 0.9)


async def test_purging_a_conversation_deletes_content_that_only_it_contains(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, follow: Follow
) -> None:
    kept, text = Kept(gateway, pool, follow, await new_user()), marker()
    session, messages = await kept.conversation(f"I read {text}.")
    await kept.memory(f"The person reads {text}.", source_session_id=session, source_message_ids=messages)
    assert await kept.vectors() == 1
    assert await kept.forget(session) == 1
    await kept.person.call("ChatSessionService/PurgeChatSession", {"id": session})
    assert await kept.vectors() == 0
    assert await kept.is_nowhere(text)


async def test_a_purged_account_leaves_neither_memories_nor_own_knowledge(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, follow: Follow
) -> None:
    kept, text = Kept(gateway, pool, follow, await new_user()), marker()
    await kept.memory(f"The person reads {text}.")
    await rows.knowledge(pool, user_id=kept.person.user_id, title=text, content=f"What {text} is.")
    assert await kept.vectors() == 2
    boss = await new_user("superadmin")
    await boss.call("UserService/PurgeUser", {"id": kept.person.user_id})
    assert await kept.vectors() == 0
    assert await kept.is_nowhere(text)


async def test_a_memory_that_other_conversations_say_too_survives_the_deletion_of_one(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, follow: Follow
) -> None:
    kept = Kept(gateway, pool, follow, await new_user())
    (first, said_first), (second, said_second) = await kept.conversation("I sail."), await kept.conversation("I sail.")
    both = await kept.memory("The person sails.", source_session_id=first, source_message_ids=said_first + said_second)
    alone = await kept.memory("The person swims.", source_session_id=first, source_message_ids=said_first)
    remembered = await kept.memory("The person sings.", source_session_id=first)
    by_hand = await kept.memory("The person dives.", trust="user_confirmed", source_message_ids=said_first)
    assert await kept.listed(chatSessionId=first) == [alone, remembered]
    assert await kept.listed(chatSessionId=second) == []
    assert await kept.forget(first) == 2
    assert await kept.listed() == [both, by_hand]
    row = await pool.fetchrow("SELECT source_session_id, source_message_ids FROM agent_memories WHERE id = $1", both)
    assert row is not None
    assert (row["source_session_id"], row["source_message_ids"]) == (second, said_second)
    assert await kept.forget(second) == 1
    assert await kept.listed() == [by_hand]


async def test_a_removed_conversation_is_no_source_any_more(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, follow: Follow
) -> None:
    kept = Kept(gateway, pool, follow, await new_user())
    (first, said_first), (second, said_second) = await kept.conversation("I sail."), await kept.conversation("I sail.")
    memory = await kept.memory(
        "The person sails.", source_session_id=first, source_message_ids=said_first + said_second
    )
    await kept.person.call("ChatSessionService/DeleteChatSession", {"id": first})
    assert await kept.listed(chatSessionId=second) == [memory]
    assert await kept.forget(first) == 0
    assert await kept.forget(second) == 1


async def test_what_a_conversation_has_corrected_stays_as_history_without_it(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, follow: Follow
) -> None:
    kept = Kept(gateway, pool, follow, await new_user())
    (first, said_first), (second, said_second) = await kept.conversation("Tea."), await kept.conversation("Coffee.")
    tea = await kept.memory("The person drinks tea.", source_session_id=first, source_message_ids=said_first)
    coffee = await kept.memory("The person drinks coffee.", source_session_id=second, source_message_ids=said_second)
    await pool.execute("UPDATE agent_memories SET valid_to = now(), superseded_by = $2 WHERE id = $1", tea, coffee)
    assert await kept.forget(second) == 1
    assert (await kept.listed(), await kept.listed(withHistory=True)) == ([], [tea])


async def test_a_memory_tells_who_changed_it_last_and_using_it_is_no_change(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, follow: Follow
) -> None:
    kept = Kept(gateway, pool, follow, await new_user())
    added = await kept.person.call("MemoryService/CreateMemory", {"memory": {"content": "Likes tea."}})
    assert not added.get("updatedBy")
    assert not added.get("lastUpdate")
    memory_id, user_id = added["id"], kept.person.user_id
    await changes.record_use(kept.pool, user_id, [memory_id])
    used = await kept.person.call("MemoryService/GetMemory", {"id": memory_id})
    assert (used["accessCount"], used.get("lastUpdate")) == (1, None)
    change = {"id": memory_id, "memory": {"content": "Likes green tea.", "updatedBy": 1}, "updateMask": "content"}
    edited = await kept.person.call("MemoryService/UpdateMemory", change)
    assert edited["updatedBy"] == user_id
    assert edited["lastUpdate"]
    await changes.record_use(kept.pool, user_id, [memory_id])
    (listed,) = (await kept.person.call("MemoryService/ListMemories"))["memories"]
    assert (listed["updatedBy"], listed["lastUpdate"]) == (user_id, edited["lastUpdate"])
    await changes.reinforce(kept.pool, user_id, memory_id)
    confirmed = await kept.person.call("MemoryService/GetMemory", {"id": memory_id})
    assert not confirmed.get("updatedBy")
    assert confirmed["lastUpdate"] > edited["lastUpdate"]


async def test_a_memory_that_was_replaced_was_changed_by_echomind(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, follow: Follow
) -> None:
    kept = Kept(gateway, pool, follow, await new_user())
    user_id = kept.person.user_id
    old = await kept.memory("Likes coffee.", user_id_last_update=user_id)
    async with kept.pool.acquire() as connection, connection.transaction():
        new = await changes.supersede(connection, user_id, [old], NewMemory(memory_type="semantic", content="Tea."))
    found = (await kept.person.call("MemoryService/ListMemories", {"withHistory": True}))["memories"]
    assert {each["id"]: each.get("updatedBy", 0) for each in found} == {old: 0, new: 0}
    assert all("lastUpdate" in each for each in found if each["id"] == old)
