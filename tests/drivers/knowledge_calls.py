"""What people do with knowledge over the API: keep it, find it, rate it."""

from typing import Any

import asyncpg

from tests.drivers.client import Client
from tests.factories import rows


async def add_knowledge(somebody: Client, title: str, content: str, **values: Any) -> dict[str, Any]:
    """Adds an entity and returns it."""
    return await somebody.call(
        "KnowledgeService/CreateKnowledge", {"knowledge": {"title": title, "content": content} | values}
    )


async def get_knowledge(somebody: Client, entity: dict[str, Any]) -> dict[str, Any]:
    """Returns an entity as somebody sees it now."""
    return await somebody.call("KnowledgeService/GetKnowledge", {"id": entity["id"]})


async def found_titles(somebody: Client, query: str) -> list[str]:
    """Returns the titles of what a search finds, best first."""
    answer = await somebody.call("KnowledgeService/SearchKnowledge", {"query": query})
    return [hit["knowledge"]["title"] for hit in answer.get("hits", [])]


async def listed_titles(somebody: Client, **filters: Any) -> list[str]:
    """Returns the titles of a list, in its order."""
    answer = await somebody.call("KnowledgeService/ListKnowledge", filters)
    return [entity["title"] for entity in answer.get("knowledge", [])]


async def rate(somebody: Client, entity: dict[str, Any], **feedback: Any) -> dict[str, Any]:
    """Rates an entity and returns it."""
    request = {"id": entity["id"], "feedback": feedback}
    return await somebody.call("KnowledgeService/SetKnowledgeFeedback", request)


async def add_document(pool: asyncpg.Pool, owner: Client, scope: str) -> int:
    """Stores a document in a new connector of somebody, and returns its id."""
    connector = await rows.connector(pool, type="file", user_id=owner.user_id, scope=scope)
    made: int = (await rows.document(pool, connector_id=connector["id"], title=f"A document for {scope}"))["id"]
    return made


def drawn_from(*document_ids: int) -> dict[str, Any]:
    """Returns the field of an entity that was drawn from some documents."""
    return {"sources": [{"documentId": each} for each in document_ids]}
