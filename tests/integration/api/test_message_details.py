"""Details of an answer: passages and tool calls, for permitted readers."""

from datetime import UTC, datetime
from typing import Any

from tests.drivers.client import Transport
from tests.drivers.person import Person
from tests.factories import rows

_SEARCHED = {"toolName": "search_documents", "parameters": {"query": "leave", "limit": 3}}


async def _answer(person: Person) -> tuple[int, int, int]:
    """Returns an answer that has found a passage of theirs, one of somebody else and one that was removed.

    Returns its id, and the documents of the first two.
    """
    sent = await person.ask("How many days?")
    owner = await person.pool.fetchval("SELECT user_id FROM chat_sessions WHERE id = $1", int(person.session))
    other = await rows.user(person.pool)
    found = []
    for user_id in (owner, other["id"]):
        connector = await rows.connector(person.pool, user_id=user_id, scope="user")
        document = await rows.document(person.pool, connector_id=connector["id"], title="Leave")
        found.append(document["id"])
    passages = [
        {"number": 1, "chunkId": "a", "documentId": found[0], "score": 0.75},
        {"number": None, "chunkId": "b", "documentId": found[1], "score": 0.5},
        {"number": None, "chunkId": "c", "documentId": 2**31 - 1, "score": 0.25},
    ]
    answer = int(sent["assistantMessage"]["id"])
    await person.pool.execute(
        "UPDATE chat_messages SET retrieval_context = $2, tool_calls = $3 WHERE id = $1", answer, passages, [_SEARCHED]
    )
    return answer, found[0], found[1]


def _passages(message: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (
            passage.get("number", 0),
            int(passage.get("documentId") or 0),
            passage.get("title", ""),
            passage.get("chunkId", ""),
            passage["score"],
        )
        for passage in message.get("retrievalContext", [])
    ]


async def test_details_of_an_answer(person: Person) -> None:
    answer, own, _ = await _answer(person)
    message = await person.call("ChatMessageService/GetMessage", id=answer)
    assert _passages(message) == [(1, own, "Leave", "a", 0.75), (0, 0, "", "", 0.5), (0, 0, "", "", 0.25)]
    (called,) = message["toolCalls"]
    assert (called["toolName"], called["parameters"]) == ("search_documents", {"query": "leave", "limit": 3})
    (question, listed) = await person.shown(withDetails=True)
    assert _passages(listed) == _passages(message)
    assert not _passages(question)
    (_, listed) = await person.shown(withDetails=True, allBranches=True)
    assert listed["toolCalls"] == message["toolCalls"]


async def test_details_name_web_pages(person: Person) -> None:
    sent = await person.ask("How many days?")
    answer = int(sent["assistantMessage"]["id"])
    page = {"number": 1, "chunkId": "web-1", "documentId": 0, "score": 0, "url": "https://a.example/", "title": "Leave"}
    await person.pool.execute("UPDATE chat_messages SET retrieval_context = $2 WHERE id = $1", answer, [page])
    message = await person.call("ChatMessageService/GetMessage", id=answer)
    (found,) = message["retrievalContext"]
    assert found == {"number": 1, "title": "Leave", "chunkId": "web-1", "url": "https://a.example/"}


async def test_lists_are_short_without_being_asked(person: Person) -> None:
    await _answer(person)
    for message in await person.shown():
        assert not message.get("retrievalContext")
        assert not message.get("toolCalls")


async def test_message_of_before_has_none(person: Person) -> None:
    sent = await person.ask("What?")
    answer = int(sent["assistantMessage"]["id"])
    await person.pool.execute(
        "UPDATE chat_messages SET retrieval_context = NULL, tool_calls = NULL WHERE id = $1", answer
    )
    message = await person.call("ChatMessageService/GetMessage", id=answer)
    assert not message.get("retrievalContext")


async def test_a_citation_names_the_address_of_its_document_at_the_source_to_those_who_may_read_it(
    person: Person, via: Transport
) -> None:
    answer, own, foreign = await _answer(person)
    removed = await rows.document(person.pool, title="Leave", deleted_date=datetime.now(UTC))
    page = await rows.document(
        person.pool,
        connector_id=await person.pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", own),
        title="No address",
    )
    await person.pool.execute(
        "UPDATE documents SET original_url = 'https://wiki.example.org/' || id WHERE id = any($1)",
        [own, foreign, removed["id"]],
    )
    for number, document in enumerate([own, foreign, removed["id"], page["id"]], start=1):
        await person.pool.execute(
            "INSERT INTO chat_message_documents (chat_message_id, document_id, chunk_id, number, title, supported)"
            " VALUES ($1, $2, 'c', $3, 'Leave', TRUE)",
            answer,
            document,
            number,
        )
    listed = await person.client.call("ChatMessageService/ListCitations", {"id": answer}, via)
    addresses = [citation.get("originalUrl", "") for citation in listed["citations"]]
    assert addresses == [f"https://wiki.example.org/{own}", "", "", ""]
    exported = await person.call("ChatSessionService/ExportChatSession", id=person.session)
    assert f", <https://wiki.example.org/{own}>\n2. a source you cannot open\n" in exported["content"]
    assert f"wiki.example.org/{foreign}" not in exported["content"]
    stored = {
        "https://ann:secret@wiki.example.org/": "",
        "ftp://wiki.example.org/": "",
        "javascript:alert(1)//https://x.y/": "",
        "https://wiki.example.org/a> b@c": "https://wiki.example.org/a> b@c",
    }
    for address, shown in stored.items():
        await person.pool.execute("UPDATE documents SET original_url = $2 WHERE id = $1", own, address)
        listed = await person.client.call("ChatMessageService/ListCitations", {"id": answer}, via)
        assert listed["citations"][0].get("originalUrl", "") == shown
    exported = await person.call("ChatSessionService/ExportChatSession", id=person.session)
    assert ", <https://wiki.example.org/a%3E%20b@c>\n" in exported["content"]
