"""Conversations that readers of a share link continue."""

import json

import pytest

from echomind_lib.errors import (
    PermissionDeniedError,
)
from tests.drivers.person import Person
from tests.drivers.shares import SECRETS, answer, document, read, share
from tests.factories import rows


async def test_a_fork_has_the_words_alone_and_all_that_they_drew_on(person: Person, reader: Person) -> None:
    _, token = await share(person)
    await person.ask("Later?")
    assert (await read(reader.client, token))["canFork"]
    made = await reader.call("SessionShareService/ForkSharedSession", token=token)
    assert made["userId"] == reader.client.user_id
    assert not any(
        made.get(each) for each in ("parentSessionId", "forkedFromMessageId", "goal", "initialGoal", "summary")
    )
    assert await reader.questions(made["id"]) == ["How much leave?"]
    session = await reader.pool.fetchrow("SELECT * FROM chat_sessions WHERE id = $1", made["id"])
    messages = await reader.pool.fetch("SELECT * FROM chat_messages WHERE chat_session_id = $1", made["id"])
    copied = str([dict(session or {}), [dict(message) for message in messages]])
    assert not any(secret in copied for secret in SECRETS)
    assert {message["origin_run_id"] for message in messages} == {None}
    drawn_on = await reader.pool.fetch(
        "SELECT chat_session_id, document_id FROM chat_session_sources WHERE chat_session_id = ANY($1)",
        [int(person.session), made["id"]],
    )
    assert len({row["document_id"] for row in drawn_on}) == 1
    assert len(drawn_on) == 2
    recorded = await reader.pool.fetchrow(
        "SELECT action, detail FROM audit_log WHERE actor_id = $1 ORDER BY id DESC LIMIT 1", reader.client.user_id
    )
    assert recorded is not None
    assert (recorded["action"], recorded["detail"]) == (
        "SessionShareService/ForkSharedSession",
        {"forked_session_id": made["id"]},
    )
    reader.session = str(made["id"])
    await reader.ask("And for me?")
    assert await reader.questions() == ["How much leave?", "And for me?"]


async def test_exports_and_links_of_a_copy_say_who_wrote_what(person: Person, reader: Person) -> None:
    _, token = await share(person)
    made = await reader.call("SessionShareService/ForkSharedSession", token=token)
    reader.session = str(made["id"])
    await reader.ask("And for me?")
    await reader.pool.execute(
        "INSERT INTO chat_messages (chat_session_id, role, content, parent_message_id)"
        " SELECT id, 'user', 'Whose?', head_message_id FROM chat_sessions WHERE id = $1",
        made["id"],
    )
    await reader.pool.execute(
        "UPDATE chat_sessions SET head_message_id ="
        " (SELECT max(id) FROM chat_messages WHERE chat_session_id = $1) WHERE id = $1",
        made["id"],
    )
    written = ["FOREIGN", "ASSISTANT", "PERSON", "ASSISTANT", "UNKNOWN"]
    exported = await reader.call("ChatSessionService/ExportChatSession", id=made["id"], format="EXPORT_FORMAT_JSON")
    kinds = [message["authorKind"] for message in json.loads(exported["content"])["messages"]]
    assert kinds == [f"AUTHOR_KIND_{each}" for each in written]
    markdown = await reader.call("ChatSessionService/ExportChatSession", id=made["id"])
    questions = [line for line in markdown["content"].splitlines() if line.startswith("## Question")]
    by = "written by somebody else"
    assert questions == [f"## Question ({by})", "## Question", f"## Question (perhaps {by})"]
    _, copied = await share(reader)
    shown = await read(person.client, copied)
    assert [message["authorKind"] for message in shown["messages"]] == [f"AUTHOR_KIND_{each}" for each in written]


async def test_a_fork_requires_the_right_to_read_all_sources(person: Person, reader: Person) -> None:
    private = await document(person.pool, scope="user", user_id=person.client.user_id)
    await answer(person, "And my contract?", private)
    _, token = await share(person)
    assert not (await read(reader.client, token)).get("canFork")
    with pytest.raises(PermissionDeniedError):
        await reader.call("SessionShareService/ForkSharedSession", token=token)
    assert await person.call("SessionShareService/ForkSharedSession", token=token, title="Mine")


async def test_a_fork_of_a_hidden_assistant_gets_the_readers_own(person: Person, reader: Person) -> None:
    hidden = await rows.assistant(person.pool, is_visible=False)
    _, token = await share(person)
    await person.pool.execute(
        "UPDATE chat_sessions SET assistant_id = $2 WHERE id = $1", int(person.session), hidden["id"]
    )
    made = await reader.call("SessionShareService/ForkSharedSession", token=token)
    assert made["assistantId"] != hidden["id"]
