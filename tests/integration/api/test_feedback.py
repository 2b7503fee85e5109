"""Ratings of answers: read by their authors, and all of them by superadmins."""

import asyncpg
import pytest

from echomind_lib.errors import NotFoundError, PermissionDeniedError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows
from tests.factories.notebooks import notebook
from tests.factories.world import World

_COUNTS = ("answers", "helpfulAnswers", "unhelpfulAnswers", "helpfulPassages", "unhelpfulPassages")


async def answer_of(pool: asyncpg.Pool, question: int) -> int:
    answer: int = await pool.fetchval("SELECT id FROM chat_messages WHERE parent_message_id = $1", question)
    return answer


async def test_a_rating_is_returned_with_its_answer_and_changed_and_withdrawn_by_its_author(
    world: World, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    question = await world.answered("own", somebody)
    answer = {"id": await answer_of(pool, question)}
    session = await pool.fetchval("SELECT chat_session_id FROM chat_messages WHERE id = $1", question)

    async def rating() -> dict[str, object] | None:
        message = await somebody.call("ChatMessageService/GetMessage", answer, via)
        listed = await somebody.call(
            "ChatMessageService/ListMessages", {"chatSessionId": session, "allBranches": True}, via
        )
        (same,) = [each for each in listed["messages"] if each["id"] == message["id"]]
        assert same.get("feedback") == message.get("feedback")
        given = dict(message.get("feedback") or {})
        return {name: given.get(name) for name in ("isPositive", "feedbackText")} if given else None

    async def rate(**feedback: object) -> None:
        await somebody.call("ChatMessageService/SetFeedback", answer | {"feedback": feedback}, via)

    assert await rating() is None
    with pytest.raises(ValidationFailedError, match="Only answers"):
        await somebody.call("ChatMessageService/SetFeedback", {"id": question, "feedback": {"isPositive": True}}, via)
    await rate(isPositive=True)
    assert (await rating() or {})["isPositive"] is True
    await rate(isPositive=False, feedbackText="Old.")
    changed = await rating() or {}
    assert not changed["isPositive"]
    assert changed["feedbackText"] == "Old."
    assert "feedback" not in await boss.call("ChatMessageService/GetMessage", answer, via)
    for _ in range(2):
        await somebody.call("ChatMessageService/DeleteFeedback", answer, via)
        assert await rating() is None
    assert (
        await pool.fetchval("SELECT count(*) FROM chat_message_feedbacks WHERE chat_message_id = $1", answer["id"]) == 0
    )


async def test_feedback_is_listed_newest_first_with_what_it_is_about(
    world: World, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    given = []
    for number, text in enumerate(["", "The source is old.", ""]):
        message = await answer_of(pool, await world.answered("own", somebody))
        feedback = {"isPositive": number == 0, "feedbackText": text}
        await somebody.call("ChatMessageService/SetFeedback", {"id": message, "feedback": feedback}, via)
        given.append(str(message))
    only = {"userId": somebody.user_id}

    listed = (await boss.call("FeedbackService/ListFeedback", only, via))["feedback"]
    assert [each["messageId"] for each in listed] == given[::-1]
    assert {each["userName"] for each in listed} == {
        await pool.fetchval("SELECT user_name FROM users WHERE id = $1", somebody.user_id)
    }
    assert all(each["question"] and each["chatSessionId"] for each in listed)

    async def found(**filters: object) -> list[str]:
        answer = await boss.call("FeedbackService/ListFeedback", only | filters, via)
        return [each["messageId"] for each in answer.get("feedback", [])]

    assert await found(isPositive=True) == given[:1]
    assert await found(isPositive=False) == given[:0:-1]
    assert await found(withText=True) == given[1:2]
    assert await found(fromTime="2100-01-01T00:00:00Z") == []
    first = await boss.call("FeedbackService/ListFeedback", only | {"pageSize": 2}, via)
    rest = await boss.call("FeedbackService/ListFeedback", only | {"pageToken": first["nextPageToken"]}, via)
    assert [each["messageId"] for each in rest["feedback"]] == given[:1]

    entries = await pool.fetch(
        "SELECT detail FROM audit_log WHERE actor_id = $1 AND action = 'FeedbackService/ListFeedback' AND NOT denied",
        boss.user_id,
    )
    assert [entry["detail"] for entry in entries] == [{"users": [somebody.user_id]}]


async def test_feedback_of_a_removed_conversation_is_not_listed(
    world: World, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    message = await answer_of(pool, await world.answered("own", somebody))
    await somebody.call("ChatMessageService/SetFeedback", {"id": message, "feedback": {"isPositive": True}}, via)
    await pool.execute(
        "UPDATE chat_sessions SET deleted_date = now()"
        " WHERE id = (SELECT chat_session_id FROM chat_messages WHERE id = $1)",
        message,
    )
    answer = await boss.call("FeedbackService/ListFeedback", {"userId": somebody.user_id}, via)
    assert not answer.get("feedback")


async def test_a_rating_of_a_passage_is_read_with_its_citation_changed_and_withdrawn(
    world: World, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    message = await world.citing_message("own", somebody)
    passage = {"messageId": message, "chunkId": "passage"}

    async def rating(reader: Client) -> dict[str, object]:
        read = await reader.call("ChatMessageService/GetMessage", {"id": message}, via)
        (citation,) = read["citations"]
        (listed,) = (await reader.call("ChatMessageService/ListCitations", {"id": message}, via))["citations"]
        assert listed == citation
        given = dict(citation.get("feedback") or {})
        return {name: given[name] for name in ("isPositive", "feedbackText") if name in given}

    async def rate(**feedback: object) -> dict[str, object]:
        return await somebody.call("ChatMessageService/SetCitationFeedback", passage | {"feedback": feedback}, via)

    assert await rating(somebody) == {}
    assert (await rate(isPositive=True))["creationDate"]
    assert (await rating(somebody))["isPositive"] is True
    await rate(isPositive=False, feedbackText="That was last year.")
    changed = await rating(somebody)
    assert not changed.get("isPositive")
    assert changed["feedbackText"] == "That was last year."
    assert await rating(boss) == {}, "what others think is theirs"
    assert await pool.fetchval("SELECT count(*) FROM chunk_feedback WHERE message_id = $1", message) == 1
    for _ in range(2):
        await somebody.call("ChatMessageService/DeleteCitationFeedback", passage, via)
        assert await rating(somebody) == {}


async def test_a_passage_that_is_not_cited_or_not_readable_is_not_rated(
    world: World, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    somebody = await new_user()
    message = await world.citing_message("own", somebody)

    async def reason(chunk_id: str) -> str:
        request = {"messageId": message, "chunkId": chunk_id, "feedback": {"isPositive": True}}
        with pytest.raises(NotFoundError) as raised:
            await somebody.call("ChatMessageService/SetCitationFeedback", request, via)
        return raised.value.reason

    assert await reason("another") == "NOT_FOUND"
    hidden = await world.document("foreign", somebody)
    await pool.execute("UPDATE chat_message_documents SET document_id = $1 WHERE chat_message_id = $2", hidden, message)
    assert await reason("passage") == "NOT_FOUND"


async def test_superadmins_list_ratings_of_passages_and_see_rates(
    world: World, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    message = await world.citing_message("own", somebody)
    session = await pool.fetchval("SELECT chat_session_id FROM chat_messages WHERE id = $1", message)
    document = await pool.fetchval("SELECT document_id FROM chat_message_documents WHERE chat_message_id = $1", message)
    connector = await pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", document)
    assistant, llm = await world.assistant("own", boss), await world.llm("own", boss)
    run = await rows.run(pool, chat_session_id=session, assistant_id=assistant, llm_id=llm, input="x")
    await pool.execute("UPDATE chat_messages SET run_id = $1 WHERE id = $2", run["id"], message)
    await somebody.call("ChatMessageService/SetFeedback", {"id": message, "feedback": {"isPositive": True}}, via)
    passage = {"messageId": message, "chunkId": "passage"}
    await somebody.call(
        "ChatMessageService/SetCitationFeedback", passage | {"feedback": {"feedbackText": "Outdated."}}, via
    )

    async def listed(**filters: object) -> list[str]:
        answer = await boss.call("FeedbackService/ListFeedback", {"userId": somebody.user_id} | filters, via)
        return [each["subject"].removeprefix("FEEDBACK_SUBJECT_") for each in answer.get("feedback", [])]

    assert await listed() == ["PASSAGE", "ANSWER"]
    assert await listed(subject="FEEDBACK_SUBJECT_ANSWER") == ["ANSWER"]
    assert await listed(connectorId=connector) == await listed(withText=True) == ["PASSAGE"]
    first = await boss.call("FeedbackService/ListFeedback", {"userId": somebody.user_id, "pageSize": 1}, via)
    (opinion,) = first["feedback"]
    assert (opinion["chunkId"], opinion["documentId"], opinion["snippet"]) == ("passage", str(document), "x")
    assert opinion["feedback"]["feedbackText"] == "Outdated."
    next_page = {"userId": somebody.user_id, "pageToken": first["nextPageToken"]}
    assert len((await boss.call("FeedbackService/ListFeedback", next_page, via))["feedback"]) == 1

    rates = await boss.call("FeedbackService/GetFeedbackRates", {}, via)
    for group, key in (("assistants", assistant), ("llms", llm), ("sources", connector)):
        (rate,) = [rate for rate in rates[group] if rate.get("id") == key]
        counted = {name: int(rate.get(name) or 0) for name in _COUNTS}
        assert counted == {
            "answers": 1,
            "helpfulAnswers": 1,
            "unhelpfulAnswers": 0,
            "helpfulPassages": 0,
            "unhelpfulPassages": 1,
        }, group
    none = await boss.call("FeedbackService/GetFeedbackRates", {"fromTime": "2100-01-01T00:00:00Z"}, via)
    assert not none.get("assistants")


async def test_feedback_is_visible_only_to_its_author_and_superadmins(
    world: World, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    """Another member of the notebook reads the same answer, with neither votes nor comments, wherever it is read."""
    owner, member, secret = await new_user(), await new_user(), "4711 is what I think"
    message = await world.citing_message("own", owner)
    session = await pool.fetchval("SELECT chat_session_id FROM chat_messages WHERE id = $1", message)
    notebook_id = await notebook(pool, {owner.user_id: "owner", member.user_id: "viewer"})
    await pool.execute(
        "UPDATE chat_sessions SET notebook_id = $2, head_message_id = $3 WHERE id = $1", session, notebook_id, message
    )
    given = {"feedback": {"isPositive": False, "feedbackText": secret}}
    await owner.call("ChatMessageService/SetFeedback", {"id": message} | given, via)
    await owner.call(
        "ChatMessageService/SetCitationFeedback", {"messageId": message, "chunkId": "passage"} | given, via
    )
    for reader, reads in ((owner, True), (member, False)):
        for method, request in (
            ("ChatMessageService/GetMessage", {"id": message}),
            ("ChatMessageService/ListCitations", {"id": message}),
            ("ChatMessageService/ListMessages", {"chatSessionId": session, "allBranches": True, "withDetails": True}),
        ):
            assert (secret in str(await reader.call(method, request, via))) is reads, method
        exported = {"id": session, "format": "EXPORT_FORMAT_JSON"}
        await reader.call("ChatSessionService/GetChatSession", {"id": session}, via)
        if reader is member:
            assert secret not in str(await reader.call("ChatSessionService/ExportChatSession", exported, via))
        for method in ("ListFeedback", "GetFeedbackRates"):
            with pytest.raises(PermissionDeniedError):
                await reader.call(f"FeedbackService/{method}", {}, via)
