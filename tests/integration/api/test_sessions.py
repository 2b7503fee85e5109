"""The state and the settings of sessions, over both transports. No worker answers here."""

from typing import Any

import pytest

from echomind_lib.errors import (
    NotFoundError,
)
from tests.drivers.client import TRANSPORTS
from tests.drivers.person import Person, changes, chat_model
from tests.factories import rows

pytestmark = pytest.mark.parametrize("via", TRANSPORTS)


async def fares(person: Person) -> tuple[str, dict[str, Any] | None]:
    """Status and error of the session, which the list tells as well."""
    session = await person.call("ChatSessionService/GetChatSession", id=int(person.session))
    listed = (await person.call("ChatSessionService/ListChatSessions"))["chatSessions"]
    assert session in listed
    return session["status"].removeprefix("CHAT_SESSION_STATUS_"), without_empty(session.get("error"))


def without_empty(error: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns an error as gRPC gives it; REST writes empty fields too."""
    return error and {name: value for name, value in error.items() if value}


async def test_a_session_fares_as_its_latest_run(person: Person) -> None:
    run = (await person.ask("One?", end=False))["run"]["id"]
    assert await fares(person) == ("ACTIVE", None)
    await person.call("RunService/PauseRun", id=run)
    assert await fares(person) == ("PAUSED", None)
    await person.call("RunService/ResumeRun", id=run)
    assert await fares(person) == ("ACTIVE", None)
    await person.call("RunService/CancelRun", id=run)
    assert await fares(person) == ("CANCELLED", None)
    await person.ask("Two?")
    assert await fares(person) == ("ACTIVE", None)
    error = {"reason": "TIMEOUT", "message": "It took too long."}
    failed = (await person.ask("Three?", end=False))["run"]["id"]
    await person.pool.execute(
        "UPDATE runs SET status = 'timeout', completed_at = now(), error = $2 WHERE id = $1", failed, error
    )
    assert await fares(person) == ("ERROR", error)
    async with chat_model(person.pool):
        goal = (await person.ask("Write it.", end=False, options={"autoRun": True}))["run"]["id"]
    assert await fares(person) == ("ACTIVE", None)
    await person.pool.execute(
        "UPDATE runs SET status = 'failed', completed_at = now(), error = $2 WHERE id = $1", goal, error
    )
    await person.pool.execute("UPDATE chat_sessions SET status = 'failed' WHERE id = $1", int(person.session))
    assert await fares(person) == ("FAILED", error)
    changed = await person.call(
        "ChatSessionService/UpdateChatSession",
        id=int(person.session),
        chatSession={"title": "Report"},
        updateMask="title",
    )
    assert (changed["status"], without_empty(changed["error"])) == ("CHAT_SESSION_STATUS_FAILED", error)
    head = await person.call("ChatSessionService/MoveHead", id=int(person.session))
    assert head["status"] == "CHAT_SESSION_STATUS_FAILED"


async def test_changed_settings_are_published(person: Person) -> None:
    await person.ask("One?")
    await person.call(
        "ChatSessionService/UpdateChatSession",
        id=int(person.session),
        chatSession={"goal": "Win", "preferences": {"maxSteps": 3}, "assistantId": 0, "title": "It's"},
        updateMask="goal,preferences,assistantId,title",
    )
    (text,) = await changes(person, "SETTINGS")
    assert sorted(text.removeprefix("Changed ").split(", ")) == ["assistant", "goal", "preferences", "title"]
    with pytest.raises(NotFoundError):
        await person.call(
            "ChatSessionService/UpdateChatSession",
            id=int(person.session),
            chatSession={"assistantId": 2**31 - 1},
            updateMask="assistantId",
        )
    assert len(await changes(person, "SETTINGS")) == 1


async def test_a_persons_title_replaces_the_models(person: Person) -> None:
    await person.ask("How long is the notice period?")
    session = int(person.session)

    async def title() -> str:
        read = await person.call("ChatSessionService/GetChatSession", id=session)
        listed = await person.call("ChatSessionService/ListChatSessions")
        assert read["title"] in {found["title"] for found in listed["chatSessions"] if found["id"] == session}
        return str(read["title"])

    async def rename(expected: str) -> None:
        await person.call(
            "ChatSessionService/UpdateChatSession", id=session, chatSession={"title": expected}, updateMask="title"
        )

    assert await title() == "How long is the notice period?"
    await person.pool.execute("UPDATE chat_sessions SET generated_title = 'Notice period' WHERE id = $1", session)
    assert await title() == "Notice period"
    found = await person.call("ChatSessionService/SearchChatSessions", query="notice period")
    assert found["hits"][0]["chatSession"]["title"] == "Notice period"
    fork = await person.call("ChatSessionService/ForkChatSession", id=session)
    assert fork["title"] == "Notice period"
    await rename("Leaving")
    assert await title() == "Leaving"
    query = "SELECT status FROM background_jobs WHERE kind = 'title_session' AND subject_id = $1"
    assert await person.pool.fetchval(query, str(session)) is None
    # Without a title, the model generates one again.
    await rename("")
    assert await title() == "New Chat"
    assert await person.pool.fetchval(query, str(session)) == "pending"


async def test_what_models_wrote_is_hidden_with_its_sources(person: Person) -> None:
    asked = await person.ask("What is new?")
    session = int(person.session)
    owner = await person.pool.fetchval("SELECT user_id FROM chat_sessions WHERE id = $1", session)
    connector = await rows.connector(person.pool, user_id=owner, scope="user")
    document = await rows.document(person.pool, connector_id=connector["id"])
    await rows.session_source(person.pool, chat_session_id=session, document_id=document["id"])
    await person.pool.execute(
        "UPDATE chat_sessions SET important_steps = $2 WHERE id = $1",
        session,
        [{"runId": asked["run"]["id"], "stepNumber": 1, "text": "Read of Falcon"}],
    )

    async def steps() -> list[str]:
        read = await person.call("ChatSessionService/GetChatSession", id=session)
        return [step["text"] for step in read.get("importantSteps", [])]

    async def move_sources(to: int) -> None:
        await person.pool.execute("UPDATE connectors SET user_id = $2 WHERE id = $1", connector["id"], to)

    other = await rows.user(person.pool)
    assert await steps() == ["Read of Falcon"]
    await move_sources(other["id"])
    assert await steps() == []
    await move_sources(owner)
    await person.pool.execute(
        "UPDATE chat_sessions SET generated_title = 'Falcon', compressed_summary = 'Of Falcon.' WHERE id = $1", session
    )

    async def shown() -> set[tuple[str, str]]:
        read = await person.call("ChatSessionService/GetChatSession", id=session)
        (listed,) = (await person.call("ChatSessionService/ListChatSessions"))["chatSessions"]
        (hit,) = (await person.call("ChatSessionService/SearchChatSessions", query="new"))["hits"]
        exported = await person.call("ChatSessionService/ExportChatSession", id=session)
        assert ("Falcon" in exported["content"]) == (read["title"] == "Falcon")
        return {(found["title"], found.get("summary", "")) for found in (read, listed, hit["chatSession"])}

    assert await shown() == {("Falcon", "Of Falcon.")}
    await move_sources(other["id"])
    assert await shown() == {("What is new?", "")}
    await move_sources(owner)
    assert await shown() == {("Falcon", "Of Falcon.")}


async def test_goal_and_preferences(person: Person) -> None:
    made = await person.call(
        "ChatSessionService/CreateChatSession", chatSession={"goal": "a", "preferences": {"maxRunTokens": "5"}}
    )
    assert (made["goal"], made["initialGoal"]) == ("a", "a")
    changed = await person.call(
        "ChatSessionService/UpdateChatSession",
        id=made["id"],
        chatSession={"goal": "b", "preferences": {"maxSteps": 4, "askClarifications": False}},
        updateMask="goal,preferences",
    )
    assert (changed["goal"], changed["initialGoal"]) == ("b", "a")
    assert changed["preferences"] == {"maxSteps": 4, "askClarifications": False} | (
        {}
        if person.via == "grpc"
        else {
            "timeoutSeconds": 0,
            "maxRunTokens": "0",
            "maxCost": 0.0,
            "llmId": 0,
            "waitStrategy": "WAIT_STRATEGY_UNSPECIFIED",
            "tools": [],
        }
    )
    person.session = str(made["id"])
    assert (await person.ask("x"))["run"]["maxSteps"] == 4
    changed = await person.call(
        "ChatSessionService/UpdateChatSession", id=made["id"], chatSession={"goal": ""}, updateMask="goal"
    )
    assert (changed.get("goal", ""), changed["initialGoal"]) == ("", "a")
