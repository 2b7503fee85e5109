"""Checkpoints of conversations, over both transports. No worker answers here."""

import pytest

from echomind_lib.errors import (
    NotFoundError,
)
from tests.drivers.person import Person, changes


async def test_checkpoints(person: Person) -> None:
    await person.ask("One?")
    session = int(person.session)
    named = await person.call(
        "CheckpointService/CreateCheckpoint",
        chatSessionId=session,
        checkpoint={"name": "Here", "description": "why"},
    )
    assert (named["name"], named["description"], named["checkpointType"]) == ("Here", "why", "CHECKPOINT_TYPE_MANUAL")
    unnamed = await person.call("CheckpointService/CreateCheckpoint", chatSessionId=session, checkpoint={})
    assert unnamed["name"].startswith("Checkpoint of ")
    await person.ask("Two?")
    todo = await person.call("TodoService/CreateTodo", chatSessionId=session, todo={"title": "x"})
    restored = await person.call("CheckpointService/RestoreCheckpoint", id=named["id"])
    assert restored["headMessageId"] == named["sessionState"]["headMessageId"]
    assert await person.questions() == ["One?"]
    with pytest.raises(NotFoundError):
        await person.call("TodoService/GetTodo", id=todo["id"])

    page = await person.call("CheckpointService/ListCheckpoints", chatSessionId=session, pageSize=1)
    (auto,) = page["checkpoints"]
    assert auto["checkpointType"] == "CHECKPOINT_TYPE_AUTO"
    assert "sessionState" not in auto
    rest = await person.call(
        "CheckpointService/ListCheckpoints", chatSessionId=session, pageToken=page["nextPageToken"]
    )
    assert [each["id"] for each in rest["checkpoints"]] == [unnamed["id"], named["id"]]

    await person.call("CheckpointService/RestoreCheckpoint", id=auto["id"])
    assert await person.questions() == ["One?", "Two?"]
    assert (await person.call("TodoService/GetTodo", id=todo["id"]))["title"] == "x"
    state = (await person.call("CheckpointService/GetCheckpoint", id=auto["id"]))["sessionState"]
    assert state.keys() <= {"headMessageId", "goal", "status", "preferences", "importantSteps", "context", "todos"}
    (saved,) = state["todos"]
    assert (saved["title"], saved["status"], saved["chatSessionId"]) == ("x", "TODO_STATUS_PENDING", session)
    assert state["status"] == "CHAT_SESSION_STATUS_ACTIVE"

    await person.call("CheckpointService/DeleteCheckpoint", id=named["id"])
    assert await changes(person, "CHECKPOINT_DELETED") == ["Removed checkpoint: Here"]
    for method in ("GetCheckpoint", "RestoreCheckpoint", "DeleteCheckpoint"):
        with pytest.raises(NotFoundError):
            await person.call(f"CheckpointService/{method}", id=named["id"])
