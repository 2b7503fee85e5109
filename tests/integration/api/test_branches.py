"""Branches of conversations, and forks, over both transports. No worker answers here."""

import pytest

from echomind_lib.errors import (
    AlreadyExistsError,
    InvalidPageTokenError,
    NotFoundError,
    PermissionDeniedError,
    RunActiveError,
    ValidationFailedError,
)
from tests.drivers.client import Transport
from tests.drivers.gateway import NewUser
from tests.drivers.person import Person


async def test_edit_and_look_at_siblings(person: Person) -> None:
    sent = await person.ask("One?")
    question, answer = sent["userMessage"]["id"], sent["assistantMessage"]["id"]
    edited = await person.ended(
        await person.call("ChatMessageService/EditMessage", id=question, content="Uno?", requestId=f"e{question}")
    )
    assert edited["userMessage"]["content"] == "Uno?"
    assert edited["run"]["status"] == "RUN_STATUS_QUEUED"
    repeated = await person.call(
        "ChatMessageService/EditMessage", id=question, content="Uno?", requestId=f"e{question}"
    )
    assert repeated["run"]["id"] == edited["run"]["id"]
    assert (repeated["run"]["status"], repeated["assistantMessage"]["content"]) == ("RUN_STATUS_COMPLETED", "So.")
    with pytest.raises(AlreadyExistsError, match="idempotency key"):
        await person.call("ChatMessageService/EditMessage", id=question, content="Due?", requestId=f"e{question}")
    first, second = await person.shown()
    assert first["siblingIds"] == [question, edited["userMessage"]["id"]]
    assert not second.get("siblingIds")
    assert len(await person.shown(allBranches=True)) == 4
    moved = await person.call("ChatSessionService/MoveHead", id=int(person.session), messageId=question, toLatest=True)
    assert moved["headMessageId"] == answer
    assert await person.questions() == ["One?"]
    with pytest.raises(ValidationFailedError, match="regenerate the answer"):
        await person.call("ChatMessageService/EditMessage", id=answer, content="x")


async def test_regenerate(person: Person) -> None:
    sent = await person.ask("One?")
    again = await person.call(
        "ChatMessageService/RegenerateMessage", id=sent["assistantMessage"]["id"], options={"maxSteps": 3}
    )
    assert again["userMessage"]["id"] == sent["userMessage"]["id"]
    assert again["run"]["maxSteps"] == 3
    assert (await person.shown())[1]["siblingIds"] == [sent["assistantMessage"]["id"], again["assistantMessage"]["id"]]
    with pytest.raises(RunActiveError):
        await person.call("ChatMessageService/RegenerateMessage", id=sent["userMessage"]["id"])


async def test_a_page_of_a_branch(person: Person) -> None:
    for number in range(3):
        await person.ask(str(number))
    page = await person.call("ChatMessageService/ListMessages", chatSessionId=int(person.session), pageSize=4)
    rest = await person.shown(pageToken=page["nextPageToken"])
    assert [m["content"] for m in [*page["messages"], *rest]] == ["0", "So.", "1", "So.", "2", "So."]
    with pytest.raises(InvalidPageTokenError):
        await person.shown(pageToken=page["nextPageToken"], allBranches=True)


async def test_undo_everything(person: Person) -> None:
    await person.ask("One?")
    moved = await person.call("ChatSessionService/MoveHead", id=int(person.session))
    assert "headMessageId" not in moved
    assert await person.shown() == []


async def test_a_head_is_an_answer_and_no_run_is_active(person: Person) -> None:
    sent = await person.ask("One?")
    session, question = int(person.session), sent["userMessage"]["id"]
    with pytest.raises(ValidationFailedError):
        await person.call("ChatSessionService/MoveHead", id=session, messageId=question)
    with pytest.raises(NotFoundError):
        await person.call("ChatSessionService/MoveHead", id=session, messageId=2**62)
    active = await person.ask("Two?", end=False)
    with pytest.raises(RunActiveError) as caught:
        await person.call("ChatSessionService/MoveHead", id=session)
    assert caught.value.metadata["run_id"] == active["run"]["id"]


async def test_the_source_session_gets_an_event_of_its_fork(person: Person) -> None:
    await person.ask("One?")
    forked = await person.call("ChatSessionService/ForkChatSession", id=int(person.session))
    payload = await person.pool.fetchval(
        "SELECT payload FROM run_events WHERE chat_session_id = $1 AND text = 'Forked into another session'",
        int(person.session),
    )
    assert payload == {"sessionChanged": {"change": "SESSION_CHANGE_FORKED", "forkedSessionId": forked["id"]}}


async def test_fork(person: Person) -> None:
    sent = await person.ask("One?")
    await person.ask("Two?")
    answer = sent["assistantMessage"]["id"]
    made = await person.call(
        "ChatSessionService/ForkChatSession", id=int(person.session), messageId=answer, title="Other"
    )
    assert (made["title"], made["parentSessionId"], made["forkedFromMessageId"], made["messageCount"]) == (
        "Other",
        int(person.session),
        answer,
        2,
    )
    assert await person.questions(made["id"]) == ["One?"]
    assert await person.questions() == ["One?", "Two?"]
    with pytest.raises(ValidationFailedError):
        await person.call(
            "ChatSessionService/ForkChatSession", id=int(person.session), messageId=sent["userMessage"]["id"]
        )


async def test_a_superadmins_fork_is_their_own(person: Person, new_user: NewUser, via: Transport) -> None:
    await person.ask("One?")
    admin = Person(await new_user("superadmin"), person.pool, via)
    made = await admin.call("ChatSessionService/ForkChatSession", id=int(person.session))
    assert made["userId"] == admin.client.user_id
    admin.session = str(made["id"])
    await admin.ask("Two?")
    assert await person.questions() == ["One?"]
    with pytest.raises(NotFoundError):
        await person.shown(made["id"])
    admin.session = person.session
    with pytest.raises(PermissionDeniedError):
        await admin.ask("Three?")
