"""Sessions with messages, and workers that summarize them."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from uuid import UUID

from echomind_agent.execution.summarizer import Summarizer
from echomind_agent.llms.models import ChatModels
from echomind_lib.events.log import EventLog
from echomind_lib.jobs import JobWorker
from echomind_lib.messaging import Bus
from tests.factories.rows import new_worker

_PATIENCE = 60.0
_SWEEP_SECONDS = 0.1


class Sessions:
    """Sessions with messages, and workers that summarize them."""

    def __init__(self, pool: Any, bus: Bus, models: ChatModels, user_id: int) -> None:
        self.pool, self.bus, self._models, self._user_id = pool, bus, models, user_id
        self._tasks: dict[UUID, asyncio.Task[None]] = {}

    async def session(self, turns: int, *, words: int = 3) -> tuple[int, list[int]]:
        """Returns a session of so many turns; its id and its messages' ids."""
        session_id = await self.pool.fetchval(
            "INSERT INTO chat_sessions (user_id, assistant_id) SELECT $1, id FROM assistants RETURNING id",
            self._user_id,
        )
        return session_id, await self.turns(session_id, None, turns, words=words)

    async def turns(self, session_id: int, parent: int | None, turns: int, *, words: int = 3) -> list[int]:
        """Adds turns below a message and makes the last the head."""
        ids: list[int] = []
        for turn in range(turns):
            for role in ("user", "assistant"):
                parent = await self.pool.fetchval(
                    "INSERT INTO chat_messages"
                    " (chat_session_id, role, content, parent_message_id, author_kind, author_id) "
                    "VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
                    session_id,
                    role,
                    f"{role} {turn}" + " word" * words + (" [1]." if role == "assistant" else "?"),
                    parent,
                    "assistant" if role == "assistant" else "person",
                    None if role == "assistant" else self._user_id,
                )
                ids.append(parent)
        await self.pool.execute("UPDATE chat_sessions SET head_message_id = $2 WHERE id = $1", session_id, parent)
        return ids

    async def run(self, session_id: int, held: int) -> None:
        """A finished run whose prompt held so many earlier messages."""
        prompt = [{"role": "system", "content": "Be brief."}] + [{"role": "user", "content": "What?"}] * (held + 1)
        await self.pool.execute(
            """
            WITH run AS (
                INSERT INTO runs (user_id, chat_session_id, status) VALUES ($1, $2, 'completed') RETURNING id
            )
            INSERT INTO steps (run_id, step_number, llm_input)
            SELECT run.id, step.number, step.input FROM run, (VALUES (1, '[]'), (2, $3::jsonb), (3, '[{}]'))
                AS step (number, input)
            """,
            self._user_id,
            session_id,
            prompt,
        )

    async def start(self) -> UUID:
        worker_id: UUID = await new_worker(self.pool)
        summarizer = Summarizer(self.pool, self._models)
        log = EventLog(self.pool, self.bus)
        worker = JobWorker(log, [summarizer], concurrency=2, sweep_seconds=_SWEEP_SECONDS)
        self._tasks[worker_id] = asyncio.create_task(worker.run(worker_id))
        return worker_id

    async def stop(self, worker_id: UUID) -> None:
        task = self._tasks.pop(worker_id)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def close(self) -> None:
        for worker_id in list(self._tasks):
            await self.stop(worker_id)

    async def row(self, session_id: int) -> Any:
        return await self.pool.fetchrow("SELECT * FROM chat_sessions WHERE id = $1", session_id)

    async def job(self, session_id: int) -> Any:
        return await self.pool.fetchrow("SELECT * FROM background_jobs WHERE subject_id = $1", str(session_id))

    async def until(self, session_id: int, condition: Callable[[Any], bool]) -> Any:
        """Waits until the session's job is so; returns the session."""
        async with asyncio.timeout(_PATIENCE):
            while not condition(await self.job(session_id)):  # noqa: ASYNC110 -- the database does not tell
                await asyncio.sleep(0.01)
        return await self.row(session_id)

    async def done(self, session_id: int) -> Any:
        return await self.until(session_id, lambda job: job["status"] == "completed")
