"""Copies of assistants, and drafts that are tried before they are saved."""

from typing import Any

import asyncpg
import pytest

from echomind_lib.errors import AlreadyExistsError, NotFoundError, PermissionDeniedError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.factories.world import World, name

SERVER = {
    "name": "files",
    "transport": "MCP_TRANSPORT_STREAMABLE_HTTP",
    "url": "https://tools.example/mcp",
    "headers": {"Authorization": "Bearer very-secret"},
}


async def with_server(owner: Client) -> dict[str, Any]:
    new = {"name": name(), "isVisible": True, "systemPrompt": "Be brief.", "config": {"mcpServers": [SERVER]}}
    return await owner.call("AssistantService/CreateAssistant", {"assistant": new})


async def secret_of(pool: asyncpg.Pool, assistant_id: int) -> str:
    token: str = await pool.fetchval(
        "SELECT config #>> '{mcpServers,0,headers,Authorization}' FROM assistants WHERE id = $1", assistant_id
    )
    return token


async def test_a_copy_is_hidden_and_has_the_secrets(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    original, expected = await with_server(owner), name()
    ask = {"id": original["id"], "name": expected}
    copy = await owner.call("AssistantService/DuplicateAssistant", ask, via)
    assert (copy["name"], copy["systemPrompt"]) == (expected, "Be brief.")
    assert not copy.get("isVisible")
    assert not copy.get("isDefault")
    assert not copy.get("isDraft")
    assert await secret_of(pool, copy["id"]) == await secret_of(pool, original["id"]) != ""
    with pytest.raises(AlreadyExistsError):
        await owner.call("AssistantService/DuplicateAssistant", ask, via)


async def test_a_draft_answers_and_is_in_no_list(
    owner: Client, pool: asyncpg.Pool, new_user: NewUser, via: Transport
) -> None:
    original = await with_server(owner)
    server = SERVER | {"headers": {"Authorization": ""}}
    config = {"mcpServers": [server], "maxSteps": 2}
    # A draft has the name of its assistant, and cannot become the default.
    ask = {"id": original["id"], "assistant": {"name": original["name"], "isDefault": True, "config": config}}
    draft = await owner.call("AssistantService/SaveAssistantDraft", ask, via)
    assert draft["isDraft"]
    assert draft["draftOfId"] == original["id"] != draft["id"]
    assert not draft.get("isVisible")
    assert not draft.get("isDefault")
    assert await secret_of(pool, draft["id"]) == await secret_of(pool, original["id"])
    kept = await owner.call("AssistantService/GetAssistant", {"id": original["id"]}, via)
    assert not kept["config"].get("maxSteps")

    sent = await owner.call("ChatMessageService/SendMessage", {"content": "x", "assistantId": draft["id"]}, via)
    assert (sent["run"]["assistantId"], sent["run"]["maxSteps"]) == (draft["id"], 2)
    listed = await owner.call("AssistantService/ListAssistants", {"pageSize": 1000}, via)
    assert draft["id"] not in {each["id"] for each in listed["assistants"]}
    sessions = await owner.call("ChatSessionService/ListChatSessions", {"pageSize": 1000}, via)
    assert sent["run"]["chatSessionId"] not in {each["id"] for each in sessions.get("chatSessions", [])}

    # A later draft replaces it; drafts of other people are separate.
    ask["assistant"] = {"name": "another"}
    assert (await owner.call("AssistantService/SaveAssistantDraft", ask, via))["id"] == draft["id"]
    boss = await new_user("superadmin")
    assert (await boss.call("AssistantService/SaveAssistantDraft", ask, via))["id"] != draft["id"]
    for promotion in ("isVisible", "isDefault"):
        change = {"id": draft["id"], "assistant": {promotion: True}, "updateMask": promotion}
        with pytest.raises(ValidationFailedError):
            await owner.call("AssistantService/UpdateAssistant", change, via)

    await owner.call("AssistantService/DeleteAssistant", {"id": original["id"]}, via)
    with pytest.raises(NotFoundError):
        await owner.call("AssistantService/GetAssistant", {"id": draft["id"]}, via)


async def test_old_conversations_with_a_draft_are_removed(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    ask = {"assistant": {"name": "new"}}
    draft = await owner.call("AssistantService/SaveAssistantDraft", ask, via)
    chat = {"chatSession": {"assistantId": draft["id"]}}
    old, new = [(await owner.call("ChatSessionService/CreateChatSession", chat, via))["id"] for _ in range(2)]
    await pool.execute("UPDATE chat_sessions SET creation_date = now() - interval '25 hours' WHERE id = $1", old)
    await owner.call("AssistantService/SaveAssistantDraft", ask, via)
    assert (await owner.call("ChatSessionService/GetChatSession", {"id": new}, via))["id"] == new
    with pytest.raises(NotFoundError):
        await owner.call("ChatSessionService/GetChatSession", {"id": old}, via)


async def test_a_draft_sends_secrets_nowhere_else(owner: Client, via: Transport) -> None:
    original = await with_server(owner)
    moved = SERVER | {"url": "https://evil.example/mcp", "headers": {"Authorization": ""}}
    ask = {"id": original["id"], "assistant": {"name": "x", "config": {"mcpServers": [moved]}}}
    with pytest.raises(ValidationFailedError, match="not sent elsewhere"):
        await owner.call("AssistantService/SaveAssistantDraft", ask, via)


async def test_nobody_else_uses_a_draft(owner: Client, world: World, via: Transport) -> None:
    draft = await owner.call("AssistantService/SaveAssistantDraft", {"assistant": {"name": "x"}}, via)
    for role in ("user", "admin"):
        somebody = world.people[role]
        with pytest.raises(NotFoundError):
            await somebody.call("ChatMessageService/SendMessage", {"content": "x", "assistantId": draft["id"]}, via)
        with pytest.raises(PermissionDeniedError):
            await somebody.call("AssistantService/SaveAssistantDraft", {"assistant": {"name": "x"}}, via)
