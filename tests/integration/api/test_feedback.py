"""Ratings of answers: as those who gave them read them, and all of them, as superadmins do."""

import asyncpg
import pytest

from tests.drivers.client import TRANSPORTS, Transport
from tests.drivers.gateway import NewUser
from tests.factories.world import World

via_both = pytest.mark.parametrize("via", TRANSPORTS)


async def answer_of(pool: asyncpg.Pool, question: int) -> int:
    answer: int = await pool.fetchval("SELECT id FROM chat_messages WHERE parent_message_id = $1", question)
    return answer


@via_both
async def test_a_rating_is_read_with_its_answer_changed_and_withdrawn_by_whoever_gave_it(
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
        (same,) = [one for one in listed["messages"] if one["id"] == message["id"]]
        assert same.get("feedback") == message.get("feedback")
        given = dict(message.get("feedback") or {})
        return {name: given.get(name) for name in ("isPositive", "feedbackText")} if given else None

    async def rate(**feedback: object) -> None:
        await somebody.call("ChatMessageService/SetFeedback", answer | {"feedback": feedback}, via)

    assert await rating() is None
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


@via_both
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
    assert [one["messageId"] for one in listed] == given[::-1]
    assert {one["userName"] for one in listed} == {
        await pool.fetchval("SELECT user_name FROM users WHERE id = $1", somebody.user_id)
    }
    assert all(one["question"] and one["chatSessionId"] for one in listed)

    async def found(**filters: object) -> list[str]:
        answer = await boss.call("FeedbackService/ListFeedback", only | filters, via)
        return [one["messageId"] for one in answer.get("feedback", [])]

    assert await found(isPositive=True) == given[:1]
    assert await found(isPositive=False) == given[:0:-1]
    assert await found(withText=True) == given[1:2]
    assert await found(fromTime="2100-01-01T00:00:00Z") == []
    first = await boss.call("FeedbackService/ListFeedback", only | {"pageSize": 2}, via)
    rest = await boss.call("FeedbackService/ListFeedback", only | {"pageToken": first["nextPageToken"]}, via)
    assert [one["messageId"] for one in rest["feedback"]] == given[:1]

    entries = await pool.fetch(
        "SELECT detail FROM audit_log WHERE actor_id = $1 AND action = 'FeedbackService/ListFeedback' AND NOT denied",
        boss.user_id,
    )
    assert [entry["detail"] for entry in entries] == [{"users": [somebody.user_id]}]


@via_both
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
