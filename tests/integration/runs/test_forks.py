"""Forks: sessions that begin with copies of another one's messages."""

import pytest

from echomind_lib.conversations import forks
from echomind_lib.errors import NotFoundError, RunActiveError, ValidationFailedError
from tests.drivers.conversation import Conversation
from tests.factories.rows import Rows


async def fork(conversation: Conversation, message_id: int = 0, title: str = "") -> int:
    forked = await forks.fork_session(
        conversation.log, conversation.session_id, message_id, conversation.user_id, title
    )
    return forked.session_id


async def test_a_fork_copies_the_branch(conversation: Conversation, rows: Rows) -> None:
    first = await conversation.ask("One?")
    second = await conversation.ask("Two?")
    await conversation.edit(second.user_message_id, "Two, really?")
    document_id = await rows.document()
    await conversation.pool.execute(
        "INSERT INTO chat_session_sources (chat_session_id, document_id, connector_id)"
        " VALUES ($1, $2, NULL), ($1, 7, 8)",
        conversation.session_id,
        document_id,
    )
    await conversation.pool.execute(
        "INSERT INTO chat_message_documents (chat_message_id, document_id, chunk_id, number, title, snippet)"
        " VALUES ($1, $2, 'c', 1, 'T', 'said'), ($1, NULL, 'd', 2, 'Gone', 'words')",
        second.assistant_message_id,
        document_id,
    )
    steps = [{"runId": str(first.run_id), "stepNumber": 1, "text": "x"}]
    await conversation.pool.execute(
        "UPDATE chat_sessions SET title = 'T', goal = 'g', initial_goal = 'i', preferences = $2,"
        " important_steps = $3, compressed_summary = 's', last_compressed_message_id = $4 WHERE id = $1",
        conversation.session_id,
        {"maxSteps": 3},
        steps,
        first.assistant_message_id,
    )
    made = await fork(conversation, second.assistant_message_id)
    source, copy = await conversation.session(), await conversation.session(made)
    assert {
        name: copy[name]
        for name in ("user_id", "assistant_id", "title", "mode", "goal", "initial_goal", "preferences",
                     "important_steps", "compressed_summary", "parent_session_id", "forked_from_message_id",
                     "message_count", "most_recent_run_id", "status")
    } == {
        "user_id": conversation.user_id, "assistant_id": source["assistant_id"], "title": "T", "mode": "chat",
        "goal": "g", "initial_goal": "i", "preferences": {"maxSteps": 3}, "important_steps": steps,
        "compressed_summary": "s", "parent_session_id": source["id"],
        "forked_from_message_id": second.assistant_message_id, "message_count": 4, "most_recent_run_id": None,
        "status": "active",
    }  # fmt: skip
    copies = await conversation.messages(made)
    originals = [m for m in await conversation.messages() if m["id"] <= second.assistant_message_id]
    assert [(m["role"], m["content"], m["status"], m["token_count"]) for m in copies] == [
        (m["role"], m["content"], m["status"], m["token_count"]) for m in originals
    ]
    assert [m["parent_message_id"] for m in copies] == [None, *(m["id"] for m in copies[:-1])]
    assert copy["head_message_id"] == copies[-1]["id"]
    assert copy["last_compressed_message_id"] == copies[1]["id"]
    assert {m["run_id"] for m in copies} == {None}
    assert [m.id for m in await conversation.shown(made)] == [m["id"] for m in copies]
    cited = await conversation.pool.fetch(
        "SELECT number, document_id, chunk_id, title, snippet FROM chat_message_documents"
        " WHERE chat_message_id = $1 ORDER BY number",
        copies[-1]["id"],
    )
    assert [tuple(row) for row in cited] == [
        (1, document_id, "c", "T", "said"),
        (2, None, "d", "Gone", "words"),
    ]
    drawn_on = await conversation.pool.fetch(
        "SELECT document_id, connector_id FROM chat_session_sources WHERE chat_session_id = $1", made
    )
    assert {tuple(row) for row in drawn_on} == {(document_id, None), (7, 8)}


async def test_a_fork_has_the_important_steps_of_what_it_copies(conversation: Conversation) -> None:
    first = await conversation.ask("One?")
    second = await conversation.ask("Two?")
    edited = await conversation.edit(second.user_message_id, "Two, really?")
    third = await conversation.ask("Three?")
    steps = [
        {"runId": str(sent.run_id), "stepNumber": 1, "text": sent.content} for sent in (first, second, edited, third)
    ]
    await conversation.pool.execute("UPDATE chat_sessions SET important_steps = $1", steps)

    async def known(session_id: int) -> list[str]:
        return [step["text"] for step in (await conversation.session(session_id))["important_steps"]]

    copy = Conversation(conversation.log, conversation.user_id)
    copy.session_id = await fork(conversation, edited.assistant_message_id)
    assert await known(copy.session_id) == ["One?", "Two, really?"]
    # Messages of a fork have no run, but it can be forked again.
    first_answer = (await copy.messages())[1]
    assert await known(await fork(copy, first_answer["id"])) == ["One?"]
    assert await known(await fork(copy)) == ["One?", "Two, really?"]


async def test_a_fork_continues_independently(conversation: Conversation) -> None:
    await conversation.ask("One?")
    before = await conversation.messages()
    made = Conversation(conversation.log, conversation.user_id)
    made.session_id = await fork(conversation)
    await made.ask("Two?")
    assert [m.content for m in await made.shown()][::2] == ["One?", "Two?"]
    assert await conversation.messages() == before


async def test_a_fork_omits_a_summary_of_messages_that_it_does_not_contain(conversation: Conversation) -> None:
    first = await conversation.ask("One?")
    second = await conversation.ask("Two?")
    await conversation.pool.execute(
        "UPDATE chat_sessions SET compressed_summary = 's', last_compressed_message_id = $1",
        second.assistant_message_id,
    )
    copy = await conversation.session(await fork(conversation, first.assistant_message_id, "Other"))
    assert (copy["compressed_summary"], copy["last_compressed_message_id"]) == (None, None)
    assert copy["title"] == "Other"


async def test_a_fork_leaves_out_an_answer_that_is_being_written(conversation: Conversation) -> None:
    first = await conversation.ask("One?")
    active = await conversation.ask("Two?", end=False)
    made = await fork(conversation)
    assert (await conversation.session(made))["forked_from_message_id"] == first.assistant_message_id
    assert [m["content"] for m in await conversation.messages(made)][::2] == ["One?"]
    with pytest.raises(RunActiveError):
        await fork(conversation, active.assistant_message_id)


async def test_a_fork_of_an_empty_session_is_empty(conversation: Conversation) -> None:
    await conversation.ask("One?", end=False)
    copy = await conversation.session(await fork(conversation))
    assert (copy["message_count"], copy["head_message_id"], copy["forked_from_message_id"]) == (0, None, None)


async def test_a_fork_ends_at_an_answer_of_the_session(conversation: Conversation, rows: Rows) -> None:
    sent = await conversation.ask()
    foreign = await Conversation(conversation.log, rows.user_id).ask()
    with pytest.raises(ValidationFailedError):
        await fork(conversation, sent.user_message_id)
    with pytest.raises(NotFoundError):
        await fork(conversation, foreign.assistant_message_id)
    with pytest.raises(NotFoundError):
        await forks.fork_session(conversation.log, 10**6, 0, rows.user_id)


async def test_a_fork_by_another_person_has_no_quotes_of_removed_sources(
    conversation: Conversation, rows: Rows
) -> None:
    sent = await conversation.ask()
    await conversation.pool.execute(
        "INSERT INTO chat_message_documents (chat_message_id, chunk_id, number, title, snippet)"
        " VALUES ($1, 'c', 1, 'Secret', 'words')",
        sent.assistant_message_id,
    )
    other = await rows.user("other")
    forked = await forks.fork_session(conversation.log, conversation.session_id, 0, other)
    assert (await conversation.session(forked.session_id))["user_id"] == other
    assert forked.event_ids is None  # the owner's events do not reveal forks of others
    cited = await conversation.pool.fetchrow(
        "SELECT title, snippet FROM chat_message_documents ORDER BY id DESC LIMIT 1"
    )
    assert cited is not None
    assert tuple(cited) == ("", "")
