"""A person who talks with the gateway over one transport, while no worker answers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from tests.drivers.client import Client, Transport


class Person:
    """Somebody who talks over one transport."""

    def __init__(self, client: Client, pool: asyncpg.Pool, via: Transport) -> None:
        self.client = client
        self.pool = pool
        self.via = via
        self.session = ""

    async def call(self, method: str, **request: Any) -> dict[str, Any]:
        return await self.client.call(method, request, self.via)

    async def ask(self, content: str, *, end: bool = True, **request: Any) -> dict[str, Any]:
        session = {"chatSessionId": int(self.session)} if self.session else {}
        sent = await self.call("ChatMessageService/SendMessage", content=content, **session, **request)
        self.session = str(sent["run"]["chatSessionId"])
        return await self.ended(sent) if end else sent

    async def ended(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Ends a run as if it had been answered."""
        run = sent["run"]["id"]
        await self.pool.execute("UPDATE runs SET status = 'completed', completed_at = now() WHERE id = $1", run)
        await self.pool.execute("UPDATE chat_messages SET status = 'completed', content = 'So.' WHERE run_id = $1", run)
        return sent

    async def shown(self, session: int | str = "", **request: Any) -> list[dict[str, Any]]:
        listed = await self.call("ChatMessageService/ListMessages", chatSessionId=session or self.session, **request)
        messages: list[dict[str, Any]] = listed.get("messages", [])
        return messages

    async def questions(self, session: int | str = "") -> list[str]:
        return [message["content"] for message in (await self.shown(session))[::2]]


async def changes(person: Person, change: str = "EXCLUDED") -> list[str]:
    """Returns what the log says of one kind of change of the session."""
    rows = await person.pool.fetch(
        "SELECT text FROM run_events WHERE chat_session_id = $1"
        " AND payload -> 'sessionChanged' ->> 'change' = $2 ORDER BY id",
        int(person.session),
        f"SESSION_CHANGE_{change}",
    )
    return [row["text"] for row in rows]


@asynccontextmanager
async def chat_model(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Gives the default assistant a chat model, which nobody asks anything."""
    llm_id = await pool.fetchval(
        "INSERT INTO llms (name, provider, model_id, endpoint) "
        "VALUES ('Chat ' || gen_random_uuid(), 'openai', 'm', 'http://127.0.0.1:1/v1') RETURNING id"
    )
    await pool.execute("UPDATE assistants SET llm_id = $1 WHERE is_default", llm_id)
    try:
        yield
    finally:
        await pool.execute("UPDATE assistants SET llm_id = NULL WHERE is_default")


async def wait_for_a_person(person: Person, kind: str) -> dict[str, Any]:
    """Returns a question whose run waits for a person."""
    sent = await person.ask("Which?", end=False)
    await person.pool.execute(
        "UPDATE runs SET status = 'waiting_for_input', pending_input = $2 WHERE id = $1",
        sent["run"]["id"],
        {"kind": kind, "toolCalls": [{"toolCallId": "c"}]},
    )
    await person.pool.execute(
        "WITH step AS (INSERT INTO steps (run_id, step_number, status) VALUES ($1, 1, 'running') RETURNING id)"
        " INSERT INTO tool_calls (step_id, tool_call_id, tool_name, status, started_at)"
        " SELECT id, 'c', 'ask_user', 'running', now() FROM step",
        sent["run"]["id"],
    )
    return sent
