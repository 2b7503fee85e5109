"""The resources that the methods of the contract are tried on: one's own, shared and foreign ones."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from tests.drivers.client import Client


@dataclass
class World:
    """Makes the resources that the methods are tried on."""

    pool: asyncpg.Pool
    people: dict[str, Client]
    other: Client

    async def connector(self, place: str, somebody: Client) -> int:
        """A file connector: the caller's own, their group's, everyone's, somebody else's, another group's."""
        scope, scope_id = {
            "group": ("group", "matrix"),
            "foreign group": ("group", "elsewhere"),
            "org": ("org", None),
        }.get(place, ("user", None))
        owner = somebody if place == "own" else self.other
        if scope == "user":  # there is one for each person
            found = await self.pool.fetchval(
                "SELECT id FROM connectors WHERE user_id = $1 AND scope = 'user' AND deleted_date IS NULL",
                owner.user_id,
            )
            if found is not None:
                return int(found)
        made: int = await self.pool.fetchval(
            "INSERT INTO connectors (name, type, user_id, scope, scope_id, status)"
            " VALUES ($1, 'file', $2, $3, $4, 'active') RETURNING id",
            uuid4().hex,
            owner.user_id,
            scope,
            scope_id,
        )
        return made

    async def document(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO documents (connector_id, source_id, signature) VALUES ($1, $2, 's') RETURNING id",
            await self.connector(place, somebody),
            uuid4().hex,
        )
        return made

    async def api_key(self, place: str, somebody: Client) -> int:
        owner = somebody if place == "own" else self.other
        made: int = await self.pool.fetchval(
            "INSERT INTO api_keys (user_id, name, prefix, sha256) VALUES ($1, $2, 'em_matrix', sha256('x'))"
            " RETURNING id",
            owner.user_id,
            uuid4().hex,
        )
        return made

    async def session(self, place: str, somebody: Client) -> int:
        owner = somebody if place == "own" else self.other
        made: int = await self.pool.fetchval(
            "INSERT INTO chat_sessions (user_id, assistant_id) SELECT $1, id FROM assistants WHERE is_default"
            " RETURNING id",
            owner.user_id,
        )
        # So that a stream of its events has a first one.
        await self.pool.execute(
            "INSERT INTO run_events (chat_session_id, kind, text) VALUES ($1, 'progress', 'x')", made
        )
        return made

    async def message(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO chat_messages (chat_session_id, role, content) VALUES ($1, 'assistant', 'x') RETURNING id",
            await self.session(place, somebody),
        )
        return made

    async def run(self, place: str, somebody: Client) -> str:
        owner = somebody if place == "own" else self.other
        made = await self.pool.fetchval(
            "INSERT INTO runs (user_id, chat_session_id, assistant_id, input)"
            " SELECT $1, $2, id, 'x' FROM assistants WHERE is_default RETURNING id",
            owner.user_id,
            await self.session(place, somebody),
        )
        return str(made)

    async def stepped_run(self, place: str, somebody: Client) -> str:
        """A paused run with a step."""
        made = await self.run(place, somebody)
        await self.pool.execute("UPDATE runs SET status = 'paused' WHERE id = $1", UUID(made))
        await self.pool.execute(
            "INSERT INTO steps (run_id, step_number, action, status, llm_input, llm_output)"
            " VALUES ($1, 1, 'call_tool', 'completed', '[{\"role\": \"user\", \"content\": \"x\"}]', '{}')",
            UUID(made),
        )
        return made

    async def answered(self, place: str, somebody: Client) -> int:
        """A question that has an answer."""
        session = await self.session(place, somebody)
        question: int = await self.pool.fetchval(
            "INSERT INTO chat_messages (chat_session_id, role, content) VALUES ($1, 'user', 'x') RETURNING id", session
        )
        await self.pool.execute(
            "INSERT INTO chat_messages (chat_session_id, role, parent_message_id) VALUES ($1, 'assistant', $2)",
            session,
            question,
        )
        return question

    async def checkpoint(self, place: str, somebody: Client) -> int:
        session = await self.session(place, somebody)
        made: int = await self.pool.fetchval(
            "INSERT INTO checkpoints (chat_session_id, name, checkpoint_type, session_state)"
            " VALUES ($1, 'x', 'manual', '{}') RETURNING id",
            session,
        )
        return made

    async def todo(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO todos (chat_session_id, title, order_index) VALUES ($1, 'x', 1) RETURNING id",
            await self.session(place, somebody),
        )
        return made

    async def user(self, place: str, somebody: Client) -> int:
        return somebody.user_id if place == "own" else self.other.user_id

    async def unneeded_user(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO users (user_name, email) VALUES ($1::text, $1::text || '@example.org') RETURNING id",
            uuid4().hex,
        )
        return made

    async def llm(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO llms (name, provider, model_id, endpoint) VALUES ($1, 'openai', 'm', 'http://127.0.0.1:1')"
            " RETURNING id",
            uuid4().hex,
        )
        return made

    async def assistant(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO assistants (name, is_visible) VALUES ($1, $2) RETURNING id", uuid4().hex, place != "hidden"
        )
        return made

    async def embedding_model(self, place: str, somebody: Client) -> int:
        found: int = await self.pool.fetchval("SELECT id FROM embedding_models")
        return found

    async def nothing(self, place: str, somebody: Client) -> int:
        return 0


Make = Callable[[World, str, Client], Awaitable[Any]]


def name() -> str:
    return uuid4().hex
