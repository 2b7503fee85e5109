"""What programs keep with sessions and runs: values and IDs of their own, over both transports. No worker answers."""

import asyncio
from typing import Any

import pytest

from echomind_lib.errors import AlreadyExistsError, NotFoundError, ValidationFailedError
from tests.drivers.client import TRANSPORTS
from tests.drivers.gateway import NewUser
from tests.drivers.person import Person

pytestmark = pytest.mark.parametrize("via", TRANSPORTS)


async def _sessions(person: Person, **request: Any) -> list[int]:
    found = await person.call("ChatSessionService/ListChatSessions", **request)
    return [session["id"] for session in found.get("chatSessions", [])]


async def _runs(person: Person, **request: Any) -> list[str]:
    return [run["id"] for run in (await person.call("RunService/ListRuns", **request)).get("runs", [])]


async def test_sessions_are_found_by_their_values_and_ids(person: Person) -> None:
    made = await person.call(
        "ChatSessionService/CreateChatSession",
        chatSession={"metadata": {"ticket": "42", "team": "legal=tax"}, "externalId": "s-1"},
    )
    other = await person.call("ChatSessionService/CreateChatSession", chatSession={"metadata": {"ticket": "43"}})
    read = await person.call("ChatSessionService/GetChatSession", id=made["id"])
    assert (read["metadata"], read["externalId"]) == ({"ticket": "42", "team": "legal=tax"}, "s-1")
    assert await _sessions(person, metadata=["ticket=42"]) == [made["id"]]
    assert await _sessions(person, metadata=["ticket=42", "team=legal=tax"]) == [made["id"]]
    assert await _sessions(person, metadata=["ticket=42", "team=tax"]) == []
    assert await _sessions(person, externalId="s-1") == [made["id"]]
    changed = {"metadata": {"ticket": "44"}, "externalId": "s-2", "withoutMemory": True}
    await person.call(
        "ChatSessionService/UpdateChatSession",
        id=other["id"],
        chatSession=changed,
        updateMask="metadata,externalId,withoutMemory",
    )
    read = await person.call("ChatSessionService/GetChatSession", id=other["id"])
    assert {name: read[name] for name in changed} == changed
    with pytest.raises(AlreadyExistsError):
        await person.call("ChatSessionService/CreateChatSession", chatSession={"externalId": "s-1"})
    with pytest.raises(AlreadyExistsError):
        await person.call(
            "ChatSessionService/UpdateChatSession",
            id=other["id"],
            chatSession={"externalId": "s-1"},
            updateMask="externalId",
        )


async def test_runs_are_found_by_their_values_and_ids(person: Person) -> None:
    first = await person.ask("One?", metadata={"trace": "a"}, externalId="t-1")
    second = await person.ask("Two?", metadata={"trace": "b"}, externalId="t-2")
    assert (first["run"]["metadata"], first["run"]["externalId"]) == ({"trace": "a"}, "t-1")
    read = await person.call("RunService/GetRun", id=first["run"]["id"])
    assert (read["metadata"], read["externalId"]) == ({"trace": "a"}, "t-1")
    assert await _runs(person, metadata=["trace=b"]) == [second["run"]["id"]]
    assert await _runs(person, externalId="t-1") == [first["run"]["id"]]
    with pytest.raises(AlreadyExistsError, match="t-1"):
        await person.ask("Three?", externalId="t-1")


async def test_a_session_is_begun_and_continued_by_its_id_at_the_caller(person: Person) -> None:
    first = await person.call(
        "ChatMessageService/SendMessage", content="One?", sessionExternalId="abc", metadata={"step": "1"}
    )
    await person.ended(first)
    again = await person.call("ChatMessageService/SendMessage", content="Two?", sessionExternalId="abc")
    assert again["run"]["chatSessionId"] == first["run"]["chatSessionId"]
    await person.call("ChatSessionService/DeleteChatSession", id=first["run"]["chatSessionId"])
    fresh = await person.call("ChatMessageService/SendMessage", content="Three?", sessionExternalId="abc")
    assert fresh["run"]["chatSessionId"] != first["run"]["chatSessionId"]
    with pytest.raises(ValidationFailedError, match="sessionExternalId"):
        await person.call(
            "ChatMessageService/SendMessage",
            content="Four?",
            chatSessionId=fresh["run"]["chatSessionId"],
            sessionExternalId="abc",
        )


async def test_two_requests_that_begin_a_session_at_once_begin_one(person: Person) -> None:
    asked = await asyncio.gather(
        *(
            person.call("ChatMessageService/SendMessage", content=f"{number}?", sessionExternalId="race")
            for number in range(4)
        ),
        return_exceptions=True,
    )
    answered = [each for each in asked if isinstance(each, dict)]
    assert len(answered) >= 1
    # The others were refused, because the run of the first is active.
    assert {each["run"]["chatSessionId"] for each in answered} == set(await _sessions(person, externalId="race"))
    assert {type(each).__name__ for each in asked if not isinstance(each, dict)} <= {"RunActiveError"}


async def test_ids_and_values_mean_nothing_for_others(person: Person, new_user: NewUser) -> None:
    mine = await person.call(
        "ChatMessageService/SendMessage",
        content="One?",
        sessionExternalId="shared",
        metadata={"whose": "mine"},
        externalId="r-1",
    )
    other = Person(await new_user(), person.pool, person.via)
    theirs = await other.call("ChatMessageService/SendMessage", content="Two?", sessionExternalId="shared")
    assert theirs["run"]["chatSessionId"] != mine["run"]["chatSessionId"]
    assert await _runs(other, metadata=["whose=mine"]) == []
    assert await _runs(other, externalId="r-1") == []
    superadmin = Person(await new_user("superadmin"), person.pool, person.via)
    read = await superadmin.call("RunService/GetRun", id=mine["run"]["id"])
    assert not read.get("metadata")
    assert not read.get("externalId")
    assert await _runs(superadmin, metadata=["whose=mine"], everyone=True) == []
    with pytest.raises(NotFoundError):
        await other.call("ChatSessionService/GetChatSession", id=mine["run"]["chatSessionId"])


async def test_the_tools_of_a_question_are_those_of_the_request_then_of_the_session(person: Person) -> None:
    session = await person.call(
        "ChatSessionService/CreateChatSession", chatSession={"preferences": {"tools": ["search_documents"]}}
    )
    first = await person.call("ChatMessageService/SendMessage", content="One?", chatSessionId=session["id"])
    await person.ended(first)
    options = {"tools": ["calculator", "files__*"]}
    second = await person.call(
        "ChatMessageService/SendMessage", content="Two?", chatSessionId=session["id"], options=options
    )
    tools = [(await person.call("RunService/GetRun", id=sent["run"]["id"]))["tools"] for sent in (first, second)]
    assert tools == [["search_documents"], ["calculator", "files__*"]]


@pytest.mark.parametrize(
    "values",
    [
        {"metadata": {"k" * 65: "v"}},
        {"metadata": {"": "v"}},
        {"metadata": {"k": "v" * 501}},
        {"metadata": {str(number): "" for number in range(17)}},
        {"externalId": "x" * 201},
    ],
)
async def test_values_have_limits(person: Person, values: dict[str, Any]) -> None:
    with pytest.raises(ValidationFailedError):
        await person.ask("One?", **values)
    with pytest.raises(ValidationFailedError):
        await person.call("ChatSessionService/CreateChatSession", chatSession=values)
