"""Messages and steps that are excluded from prompts, over both transports. No worker answers here."""

import asyncio

import asyncpg
import pytest

from echomind_lib.errors import (
    NotFoundError,
    RunStateError,
)
from echomind_lib.events.statements import LOCK_CLASS
from tests.drivers.person import Person, changes


async def test_exclude_and_include_a_message(person: Person) -> None:
    question = (await person.ask("One?"))["userMessage"]["id"]
    excluded = await person.call("ChatMessageService/ExcludeMessage", id=question, excluded=True)
    assert excluded["excluded"]
    assert (await person.shown())[0]["excluded"]
    await person.call("ChatMessageService/ExcludeMessage", id=question, excluded=True)
    included = await person.call("ChatMessageService/ExcludeMessage", id=question)
    assert not included.get("excluded")
    assert await changes(person) == [
        "Excluded a message from context",
        "Included a message in context again",
    ]


async def test_excluding_beside_the_end_of_a_run(person: Person) -> None:
    """A run that ends has the log's lock when it comes to its message."""
    answer = (await person.ask("One?"))["assistantMessage"]["id"]
    waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    async with person.pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1, $2)", LOCK_CLASS, int(person.session))
        excluding = asyncio.create_task(person.call("ChatMessageService/ExcludeMessage", id=answer, excluded=True))
        async with asyncio.timeout(60):
            while not await connection.fetchval(waits):
                assert not excluding.done(), await excluding
                await asyncio.sleep(0.01)
        await connection.execute("UPDATE chat_messages SET content = 'Again.' WHERE id = $1", int(answer))
    excluded = await excluding
    assert (excluded["excluded"], excluded["content"]) == (True, "Again.")


async def test_exclude_and_include_a_step(person: Person) -> None:
    run = (await person.ask("One?", end=False))["run"]["id"]
    await person.pool.execute(
        "INSERT INTO steps (run_id, step_number, action, status) VALUES ($1, 1, 'retrieve', 'completed'),"
        " ($1, 2, 'call_tool', 'completed')",
        run,
    )
    with pytest.raises(RunStateError, match="This run is queued"):
        await person.call("RunService/ExcludeStep", id=run, stepNumber=2, excluded=True)
    await person.call("RunService/PauseRun", id=run)
    excluded = await person.call("RunService/ExcludeStep", id=run, stepNumber=2, excluded=True)
    assert excluded["excluded"]
    included = await person.call("RunService/ExcludeStep", id=run, stepNumber=2)
    assert not included.get("excluded")
    with pytest.raises(RunStateError, match="unless it searched"):
        await person.call("RunService/ExcludeStep", id=run, stepNumber=1, excluded=True)
    with pytest.raises(NotFoundError):
        await person.call("RunService/ExcludeStep", id=run, stepNumber=3, excluded=True)
    assert await changes(person) == [
        "Excluded step 2 from context",
        "Included step 2 in context again",
    ]
    by = "SELECT user_id_last_update FROM steps WHERE run_id = $1 AND step_number = 2"
    assert await person.pool.fetchval(by, run) == person.client.user_id


async def test_a_summary_is_removed_with_a_message_that_it_covers(person: Person, pool: asyncpg.Pool) -> None:
    first = await person.ask("One?")
    second = await person.ask("Two?")
    await pool.execute(
        "UPDATE chat_sessions SET compressed_summary = 'So.', last_compressed_message_id = $2 WHERE id = $1",
        int(person.session),
        int(first["assistantMessage"]["id"]),
    )
    session = {"id": int(person.session)}
    await person.call("ChatMessageService/ExcludeMessage", id=second["userMessage"]["id"], excluded=True)
    assert (await person.call("ChatSessionService/GetChatSession", **session))["summary"] == "So."
    await person.call("ChatMessageService/ExcludeMessage", id=first["userMessage"]["id"], excluded=True)
    after = await person.call("ChatSessionService/GetChatSession", **session)
    assert not after.get("summary")
    assert "lastSummarizedMessageId" not in after
