"""A conversation in a test: asked and answered without a worker."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import asyncpg

from echomind_lib.access import Principal
from echomind_lib.conversations.messages import list_messages
from echomind_lib.conversations.questions import EditedQuestion, Regeneration, StoredQuestion
from echomind_lib.conversations.questions.submission import store
from echomind_lib.events.log import EventLog
from echomind_lib.events.replay import read_events
from echomind_lib.models.public import ChatMessage
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from tests.factories.questions import ask


class Conversation:
    """One session of one person. What is asked is answered at once, unless the test says otherwise."""

    def __init__(self, log: EventLog, user_id: int) -> None:
        self.log = log
        self.pool: asyncpg.Pool = log.pool
        self.user_id = user_id
        self.session_id = 0

    async def ask(self, content: str = "What?", *, end: bool = True, **options: Any) -> StoredQuestion:
        sent = await ask(self.log, self.user_id, self.session_id or None, content, **options)
        self.session_id = sent.chat_session_id
        return await self._end(sent, end)

    async def edit(self, message_id: int, content: str, *, end: bool = True) -> StoredQuestion:
        question = EditedQuestion(user_id=self.user_id, message_id=message_id, content=content)
        return await self._end((await store(self.log, question)).question, end)

    async def regenerate(self, message_id: int, *, end: bool = True) -> StoredQuestion:
        question = Regeneration(user_id=self.user_id, message_id=message_id)
        return await self._end((await store(self.log, question)).question, end)

    async def _end(self, sent: StoredQuestion, end: bool) -> StoredQuestion:
        if end:
            await self.end(sent.run_id, f"Answer {sent.assistant_message_id} to {sent.content}")
        return sent

    async def end(self, run_id: UUID, answer: str = "So.") -> None:
        await self.pool.execute("UPDATE runs SET status = 'completed', completed_at = now() WHERE id = $1", run_id)
        await self.pool.execute(
            "UPDATE chat_messages SET status = 'completed', content = $2 WHERE run_id = $1", run_id, answer
        )

    async def wait_for_input(self, kind: str = "CLARIFICATION") -> UUID:
        """Asks, and makes the run wait for a person, at a call of its first step."""
        sent = await self.ask(end=False)
        await self.ask_back(sent.run_id, kind)
        return sent.run_id

    async def ask_back(self, run_id: UUID, kind: str = "CLARIFICATION") -> None:
        """Makes a run wait for a person, at a call of its next step."""
        number = await self.pool.fetchval(
            "UPDATE runs SET status = 'waiting_for_input', pending_input = $2, steps_executed = steps_executed + 1"
            " WHERE id = $1 RETURNING steps_executed",
            run_id,
            {
                "kind": f"PENDING_INPUT_KIND_{kind}",
                "question": "Which?",
                "toolCalls": [{"toolCallId": "c1", "toolName": "ask_user"}],
            },
        )
        await self.pool.execute("UPDATE steps SET status = 'completed' WHERE run_id = $1", run_id)
        step_id = await self.pool.fetchval(
            "INSERT INTO steps (run_id, step_number, status) VALUES ($1, $2, 'running') RETURNING id", run_id, number
        )
        await self.pool.execute(
            "INSERT INTO tool_calls (step_id, tool_call_id, tool_name, status, started_at)"
            " VALUES ($1, 'c1', 'ask_user', 'running', now())",
            step_id,
        )

    async def events(self) -> list[SessionEvent]:
        """Returns all stored events of the session, in order."""
        return await read_events(self.pool, self.session_id, 0, 1000)

    async def shown(self, session_id: int = 0, page: int = 1000) -> list[ChatMessage]:
        """Returns the shown branch, read page by page."""
        found: list[ChatMessage] = []
        while True:
            after = found[-1].id if found else 0
            reader = Principal(self.user_id, frozenset({"user"}))
            read = await list_messages(self.pool, reader, session_id or self.session_id, after, page)
            found += read
            if len(read) < page:
                return found

    async def session(self, session_id: int | None = None) -> asyncpg.Record:
        row = await self.pool.fetchrow("SELECT * FROM chat_sessions WHERE id = $1", session_id or self.session_id)
        assert row is not None
        return row

    async def messages(self, session_id: int | None = None) -> list[asyncpg.Record]:
        return await self.pool.fetch(
            "SELECT * FROM chat_messages WHERE chat_session_id = $1 ORDER BY id", session_id or self.session_id
        )

    async def todo(self, title: str, **columns: Any) -> int:
        """Returns a todo of a person, at the end of their plan."""
        given: Mapping[str, Any] = {"title": title, "chat_session_id": self.session_id, "order_index": 1} | columns
        places = ", ".join(f"${number}" for number in range(1, len(given) + 1))
        made: int = await self.pool.fetchval(
            f"INSERT INTO todos ({', '.join(given)}) VALUES ({places}) RETURNING id", *given.values()
        )
        return made
