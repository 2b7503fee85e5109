"""The list of conversations: pinned, archived, searched, exported and brought back, over both transports."""

import json
from typing import Any

import pytest

from echomind_lib.errors import InvalidPageTokenError, NotFoundError, ValidationFailedError
from tests.drivers.gateway import NewUser
from tests.drivers.person import Person
from tests.factories import rows


async def begin(person: Person, question: str) -> int:
    """Begins a conversation with a question, which is answered `So.`"""
    person.session = ""
    await person.ask(question)
    return int(person.session)


async def listed(person: Person, **request: Any) -> list[int]:
    found = await person.call("ChatSessionService/ListChatSessions", **request)
    return [session["id"] for session in found.get("chatSessions", [])]


async def change(person: Person, session: int, **fields: Any) -> dict[str, Any]:
    return await person.call(
        "ChatSessionService/UpdateChatSession", id=session, chatSession=fields, updateMask=",".join(fields)
    )


async def search(person: Person, query: str, **request: Any) -> dict[int, dict[str, Any]]:
    found = await person.call("ChatSessionService/SearchChatSessions", query=query, **request)
    return {hit["chatSession"]["id"]: hit for hit in found.get("hits", [])}


async def test_pinned_ones_come_first_and_pages_continue_across(person: Person) -> None:
    made = [await begin(person, f"Question {number}?") for number in range(4)]
    assert (await listed(person))[:4] == made[::-1]
    assert (await change(person, made[0], pinned=True))["pinned"]
    expected = [made[0], made[3], made[2], made[1]]
    assert (await listed(person))[:4] == expected
    pages: list[int] = []
    token = ""
    for _ in expected[:-1]:
        found = await person.call("ChatSessionService/ListChatSessions", pageSize=1, pageToken=token)
        pages += [session["id"] for session in found["chatSessions"]]
        token = found["nextPageToken"]
    assert pages == expected[:-1]
    with pytest.raises(InvalidPageTokenError):
        await person.call("ChatSessionService/ListChatSessions", archived=True, pageToken=token)


async def test_archived_ones_have_a_list_of_their_own(person: Person) -> None:
    kept, archived = await begin(person, "Kept?"), await begin(person, "Archived?")
    assert (await change(person, archived, archived=True))["archived"]
    assert archived not in await listed(person)
    assert await listed(person, archived=True) == [archived]
    await change(person, archived, archived=False)
    assert (await listed(person))[:2] == [archived, kept]


async def test_the_status_of_the_latest_run(person: Person) -> None:
    made = (await person.call("ChatSessionService/CreateChatSession", chatSession={}))["id"]
    person.session = str(made)

    async def status() -> str:
        session = await person.call("ChatSessionService/GetChatSession", id=made)
        assert session in (await person.call("ChatSessionService/ListChatSessions"))["chatSessions"]
        return str(session.get("runStatus", "RUN_STATUS_UNSPECIFIED")).removeprefix("RUN_STATUS_")

    assert await status() == "UNSPECIFIED"
    run = (await person.ask("One?", end=False))["run"]["id"]
    assert await status() == "QUEUED"
    await person.pool.execute("UPDATE runs SET status = 'waiting_for_children' WHERE id = $1", run)
    await person.pool.execute(
        "INSERT INTO runs (user_id, chat_session_id, parent_run_id, kind, status)"
        " SELECT user_id, chat_session_id, id, 'sub_agent', 'waiting_for_input' FROM runs WHERE id = $1",
        run,
    )
    assert await status() == "WAITING_FOR_INPUT"
    await person.pool.execute("DELETE FROM runs WHERE parent_run_id = $1", run)
    await person.pool.execute("UPDATE runs SET status = 'failed', completed_at = now() WHERE id = $1", run)
    assert await status() == "FAILED"


async def test_list_is_narrowed(person: Person) -> None:
    plain, paused, goal, gone = [await begin(person, text) for text in ("Plain?", "Paused?", "Goal?", "Gone?")]
    await person.pool.execute(
        "UPDATE runs SET status = 'paused', completed_at = NULL WHERE chat_session_id = $1", int(paused)
    )
    await person.pool.execute("UPDATE chat_sessions SET goal = 'Win' WHERE id = $1", int(goal))
    await person.call("ChatSessionService/DeleteChatSession", id=int(gone))
    assert await listed(person) == [goal, paused, plain]
    assert await listed(person, statuses=["CHAT_SESSION_STATUS_PAUSED"]) == [paused]
    both = ["CHAT_SESSION_STATUS_PAUSED", "CHAT_SESSION_STATUS_ACTIVE"]
    assert await listed(person, statuses=both) == [goal, paused, plain]
    assert await listed(person, hasGoal=True) == [goal]
    assert await listed(person, hasGoal=False) == [paused, plain]
    assert await listed(person, removed=True) == [gone]
    assistant = await person.pool.fetchval("SELECT assistant_id FROM chat_sessions WHERE id = $1", int(plain))
    assert await listed(person, assistantId=assistant) == [goal, paused, plain]
    assert await listed(person, assistantId=assistant + 1) == []
    owner = await person.pool.fetchval("SELECT user_id FROM chat_sessions WHERE id = $1", int(plain))
    notebook = await person.pool.fetchval("INSERT INTO notebooks (user_id, title) VALUES ($1, 'N') RETURNING id", owner)
    await person.pool.execute("UPDATE chat_sessions SET notebook_id = $2 WHERE id = $1", int(plain), notebook)
    assert await listed(person, notebookId=notebook) == [plain]
    await person.call("ChatSessionService/RestoreChatSession", id=int(gone))
    assert await listed(person, removed=True) == []


async def test_question_brings_an_archived_one_back(person: Person) -> None:
    session = await begin(person, "Archived?")
    await change(person, session, archived=True)
    assert session not in await listed(person)
    person.session = str(session)
    await person.ask("And now?")
    assert (await listed(person))[0] == session


async def test_search_in_titles_and_messages(person: Person, new_user: NewUser) -> None:
    leave = await begin(person, "Wie viele Tage Sonderurlaub gibt es bei einem Umzug in die Hauptstraße?")
    travel = await begin(person, "What does a trip to 東京 cost, at 100% of the fare_basis?")
    await change(person, travel, title="Reisekosten")
    found = await search(person, "urlaub UMZUG")
    assert found.keys() == {leave}
    assert "Sonderurlaub" in found[leave]["excerpt"]
    assert int(found[leave]["messageId"]) > 0
    assert (await search(person, "HAUPTSTRASSE")).keys() == {leave}
    for query in ("東京", "reisekosten", "100%", "fare_basis trip"):
        assert (await search(person, query)).keys() == {travel}, query
    assert not (await search(person, "reisekosten"))[travel].get("excerpt")
    for query in ("urlaub trip", "10_%", "fareXbasis", "xyzzy"):
        assert await search(person, query) == {}, query
    assert (await search(person, "so.")).keys() >= {leave, travel}  # the answers
    with pytest.raises(ValidationFailedError):
        await search(person, "  ")
    stranger = await new_user("superadmin")
    assert await stranger.call("ChatSessionService/SearchChatSessions", {"query": "Sonderurlaub"}, person.via) in (
        {},
        {"hits": [], "nextPageToken": ""},
    )


async def test_search_follows_what_changes(person: Person) -> None:
    made = await begin(person, "Where is the Zugspitze?")
    assert (await search(person, "zugspitze")).keys() == {made}
    await change(person, made, title="Mountains", archived=True)
    assert (await search(person, "mountains zugspitze")).keys() == {made}
    await person.ask("And the Watzmann?")
    assert (await search(person, "watzmann zugspitze")).keys() == {made}
    await person.call("ChatSessionService/DeleteChatSession", id=made)
    assert await search(person, "zugspitze") == {}


async def test_search_in_pages(person: Person) -> None:
    made = [await begin(person, f"Gletscher {number}?") for number in range(3)]
    first = await person.call("ChatSessionService/SearchChatSessions", query="gletscher", pageSize=2)
    rest = await person.call(
        "ChatSessionService/SearchChatSessions", query="gletscher", pageSize=2, pageToken=first["nextPageToken"]
    )
    assert [hit["chatSession"]["id"] for hit in [*first["hits"], *rest["hits"]]] == made[::-1]


async def test_a_removed_one_comes_back(person: Person) -> None:
    made = await begin(person, "Removed?")
    await person.call("ChatSessionService/DeleteChatSession", id=made)
    with pytest.raises(NotFoundError):
        await person.call("ChatSessionService/GetChatSession", id=made)
    assert (await person.call("ChatSessionService/RestoreChatSession", id=made))["id"] == made
    assert await person.call("ChatSessionService/RestoreChatSession", id=made)
    assert await person.questions(made) == ["Removed?"]
    await person.call("ChatSessionService/DeleteChatSession", id=made)
    await person.call("ChatSessionService/PurgeChatSession", id=made)
    with pytest.raises(NotFoundError):
        await person.call("ChatSessionService/RestoreChatSession", id=made)


async def test_export(person: Person) -> None:
    made = await begin(person, "What is\nit?")
    await change(person, made, title="Leave / 2026: *all*")
    await person.pool.execute(
        "INSERT INTO chat_message_documents (chat_message_id, chunk_id, number, title, page, supported)"
        " SELECT id, 'c', number, title, 3, number = 1 FROM chat_messages,"
        " (VALUES (1, 'Handbook'), (2, 'Rumours')) AS source (number, title)"
        " WHERE chat_session_id = $1 AND role = 'assistant'",
        made,
    )
    own = await rows.connector(person.pool, type="file", user_id=person.client.user_id, status="active")
    document = await rows.document(person.pool, connector_id=own["id"], source_id="texts/handbook.md")
    await person.pool.execute(
        "UPDATE chat_message_documents SET document_id = $1 WHERE number = 1 AND chat_message_id IN"
        " (SELECT id FROM chat_messages WHERE chat_session_id = $2)",
        document["id"],
        made,
    )
    llm = await rows.llm(person.pool, name=f"Export model {made}")
    helper = await rows.assistant(person.pool, name=f"Export helper {made}")
    team = await person.pool.fetchval(
        "UPDATE runs SET llm_id = $2, assistant_version = 3 WHERE chat_session_id = $1 RETURNING id", made, llm["id"]
    )
    await rows.run(
        person.pool, chat_session_id=made, user_id=person.client.user_id, parent_run_id=team, kind="member",
        assistant_id=helper["id"], assistant_version=1, result_summary="I helped.", status="completed",
    )  # fmt: skip
    name = await person.pool.fetchval("SELECT name FROM assistants WHERE is_default AND deleted_date IS NULL")
    markdown = await person.call("ChatSessionService/ExportChatSession", id=made)
    assert (markdown["fileName"], markdown["mediaType"]) == ("Leave-2026-all.md", "text/markdown")
    assert markdown["content"] == (
        "# Leave / 2026: *all*\n\n## Question\n\n> What is\n> it?\n\n## Answer\n\nSo.\n\n"
        "**Sources**\n\n1. Handbook (handbook.md), page 3\n2. Rumours, page 3 (not confirmed)\n\n"
        f"*Answered by {name}, version 3, Export model {made}; Export helper {made}, version 1*\n"
    )
    exported = await person.call("ChatSessionService/ExportChatSession", id=made, format="EXPORT_FORMAT_JSON")
    assert exported["fileName"] == "Leave-2026-all.json"
    content = json.loads(exported["content"])
    assert content["chatSession"]["id"] == made
    assert [message["content"] for message in content["messages"]] == ["What is\nit?", "So."]
    assert [citation["number"] for citation in content["messages"][1]["citations"]] == [1, 2]
    (run,) = content["runs"]
    assert (run["id"], run["assistant"], run["assistantVersion"]) == (str(team), name, 3)
    member = {"kind": "member", "assistant": f"Export helper {made}", "assistantVersion": 1, "answer": "I helped."}
    assert run["members"] == [member]


@pytest.mark.parametrize(
    ("basis", "line"),
    [("no_source_found", "No source found."), ("model_only", "From the model alone, without your documents.")],
)
async def test_an_export_says_what_an_answer_without_sources_stands_on(person: Person, basis: str, line: str) -> None:
    made = await begin(person, "What is it?")
    await person.pool.execute(
        "UPDATE chat_messages SET basis = $2 WHERE chat_session_id = $1 AND role = 'assistant'", made, basis
    )
    exported = await person.call("ChatSessionService/ExportChatSession", id=made)
    assert f"So.\n\n*{line}*\n" in exported["content"]
