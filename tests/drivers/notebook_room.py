"""A notebook with an owner, an editor and a viewer, and calls about it."""

from typing import Any

import asyncpg

from tests.drivers.client import Client, Transport
from tests.factories import rows as make


class Room:
    """The notebook, its people by their roles, and a stranger."""

    def __init__(self, pool: asyncpg.Pool, people: dict[str, Client], via: Transport) -> None:
        self.pool, self.people, self.via = pool, people, via
        self.id = ""

    async def call(self, who: str, method: str, **request: Any) -> dict[str, Any]:
        return await self.people[who].call(f"NotebookService/{method}", {"id": self.id} | request, self.via)

    async def ask(self, role: str, content: str = "How many days?") -> int:
        """Asks in a new conversation; nobody answers."""
        request = {"content": content, "notebookId": self.id}
        sent = await self.people[role].call("ChatMessageService/SendMessage", request, self.via)
        return int(sent["run"]["chatSessionId"])

    async def draw_on(self, session: int, document: int) -> None:
        """Notes that a conversation has drawn on a document."""
        connector = await self.pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", document)
        given = {"chat_session_id": session, "document_id": document, "connector_id": connector}
        await make.insert(self.pool, "chat_session_sources", given)

    async def seen(self, role: str) -> dict[int, dict[str, Any]]:
        listed = await self.call(role, "ListNotebookSessions")
        return {each["chatSessionId"]: each for each in listed.get("sessions", [])}


async def document(pool: asyncpg.Pool, owner: int, scope: str = "org") -> int:
    connector = await make.connector(pool, user_id=owner, type="web", scope=scope, status="active")
    found: int = (await make.document(pool, connector_id=connector["id"], title="The handbook"))["id"]
    await pool.execute("UPDATE documents SET chunking_session = uuidv7() WHERE id = $1", found)
    return found
