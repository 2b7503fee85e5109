"""Chats, which have no change list: each sync reads the changes in every chat since the newest known one.

A chat is unbounded, so each of its months is a document. A change rebuilds the document of its month.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final

from echomind_ingestor.connectors.graph import Graph, segment
from echomind_ingestor.connectors.vendor_client import Json

_PAGE: Final = "50"
"""The API's maximum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A chat.

    Attributes:
        id: Its id.
        name: Its topic, or its members.
        url: Its URL in the browser.
    """

    id: str
    name: str
    url: str


async def list_chats(graph: Graph, person: str) -> AsyncIterator[Chat]:
    """Yields the chats of a person."""
    async for chat in graph.values(f"users/{segment(person)}/chats", {"$expand": "members", "$top": _PAGE}):
        yield _chat(chat)


async def find_chat(graph: Graph, chat_id: str) -> Chat:
    """Returns a chat."""
    return _chat(await graph.get(f"chats/{segment(chat_id)}", {"$expand": "members"}))


async def changed_months(graph: Graph, chat_id: str, since: str) -> tuple[set[str], str]:
    """Returns the months that have changed messages, as `2026-11`, and the time of the newest change.

    Args:
        graph: The API.
        chat_id: The chat.
        since: The newest known change; empty for all.
    """
    # Graph ignores the filter unless the list is ordered by the same property.
    params = {"$top": _PAGE, "$orderby": "lastModifiedDateTime desc"}
    if since:
        params["$filter"] = f"lastModifiedDateTime gt {since}"
    months: set[str] = set()
    newest = since
    async for message in graph.values(_messages(chat_id), params):
        months.add(str(message["createdDateTime"])[:7])
        newest = max(newest, str(message.get("lastModifiedDateTime") or ""))
    return months, newest


async def read_month(graph: Graph, chat_id: str, month: str) -> Sequence[Json]:
    """Returns the messages of a month, oldest first."""
    year, number = int(month[:4]), int(month[5:])
    following = f"{year + number // 12}-{number % 12 + 1:02}"
    params = {
        "$top": _PAGE,
        "$orderby": "createdDateTime desc",
        "$filter": f"createdDateTime lt {following}-01T00:00:00Z",
    }
    found: list[Json] = []
    async for message in graph.values(_messages(chat_id), params):
        created = str(message["createdDateTime"])[:7]
        if created < month:
            break
        if created == month:
            found.append(message)
    return found[::-1]


def _chat(chat: Json) -> Chat:
    names = sorted(filter(None, (member.get("displayName") for member in chat.get("members") or ())))
    return Chat(id=chat["id"], name=chat.get("topic") or ", ".join(names[:5]) or "Chat", url=chat.get("webUrl") or "")


def _messages(chat_id: str) -> str:
    return f"chats/{segment(chat_id)}/messages"
