"""Share links: what is shared, and how it is read."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from tests.drivers.client import Client, Transport
from tests.drivers.person import Person
from tests.factories import rows

SECRETS = ("words of a snippet", "rephrased by a machine", "tool said so", "remember this", "goal of goals")
"""What a session holds beside its texts."""


async def document(pool: asyncpg.Pool, **connector: Any) -> int:
    """Returns a document of a new connector, for everybody unless it is said otherwise."""
    made = await rows.connector(pool, **{"scope": "org"} | connector)
    return int((await rows.document(pool, connector_id=made["id"], title="Handbook"))["id"])


async def answer(person: Person, question: str, *documents: int) -> dict[str, Any]:
    """Asks, and is answered from documents, with much that is not for everybody."""
    sent = await person.ask(question)
    message = int(sent["assistantMessage"]["id"])
    for number, document_id in enumerate(documents, 1):
        await rows.citation(
            person.pool, chat_message_id=message, document_id=document_id, number=number, title=f"Handbook {number}",
            snippet=SECRETS[0],
        )  # fmt: skip
        await rows.session_source(person.pool, chat_session_id=int(person.session), document_id=document_id)
    await person.pool.execute(
        "UPDATE chat_messages SET rephrased_query = $2, retrieval_context = $3, tool_calls = $3, basis = $4"
        " WHERE id = $1",
        message,
        SECRETS[1],
        [{"toolName": SECRETS[2], "parameters": {}}],
        "sources" if documents else "model_only",
    )
    await person.pool.execute(
        "UPDATE chat_sessions SET goal = $2, initial_goal = $2, important_steps = $3, compressed_summary = $4,"
        " last_compressed_message_id = $5 WHERE id = $1",
        int(person.session),
        SECRETS[4],
        [{"runId": sent["run"]["id"], "stepNumber": 1, "text": SECRETS[3]}],
        SECRETS[3],
        message,
    )
    return sent


async def share(person: Person, **given: Any) -> tuple[dict[str, Any], str]:
    """Returns a new link and its token."""
    made = await person.call(
        "SessionShareService/CreateSessionShare", chatSessionId=int(person.session), sessionShare=given
    )
    assert made["path"].startswith("/shared/")
    return made["sessionShare"], made["path"].removeprefix("/shared/")


async def share_with(person: Person, *recipients: dict[str, Any], **given: Any) -> dict[str, Any]:
    """Returns a new share without a link, for the named people and groups."""
    made = await person.call(
        "SessionShareService/CreateSessionShare",
        chatSessionId=int(person.session),
        sessionShare=given | {"recipients": list(recipients)},
    )
    assert not made.get("path")
    shared: dict[str, Any] = made["sessionShare"]
    return shared


async def user_name(person: Person) -> str:
    return str((await person.call("UserService/GetCurrentUser"))["userName"])


async def received(person: Person) -> list[int]:
    """Returns the ids of what is shared with somebody."""
    listed = await person.call("SessionShareService/ListReceivedShares")
    return [share["id"] for share in listed.get("receivedShares", [])]


async def read_received(person: Person, share_id: int) -> dict[str, Any]:
    return await person.call("SessionShareService/ReadReceivedShare", id=share_id)


async def read(client: Client, token: str, via: Transport = "rest") -> dict[str, Any]:
    return await client.call("SessionShareService/ReadSharedSession", {"token": token}, via)


async def shares(person: Person) -> list[dict[str, Any]]:
    listed = await person.call("SessionShareService/ListSessionShares", chatSessionId=int(person.session))
    found: list[dict[str, Any]] = listed.get("sessionShares", [])
    return found


async def post(client: Client, token: str) -> tuple[int, bytes, Mapping[str, str]]:
    """Returns the whole answer of a reading over HTTP."""
    url = f"{client.http_url}/api/v1/shared-sessions:read"
    async with client.session.post(url, json={"token": token}, headers=client.headers) as response:
        return response.status, await response.read(), response.headers


async def get(client: Client, token: str) -> tuple[int, bytes, Mapping[str, str]]:
    """Returns the whole page."""
    async with client.session.get(f"{client.http_url}/shared/{token}", headers=client.headers) as response:
        return response.status, await response.read(), response.headers
