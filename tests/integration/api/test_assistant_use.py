"""Permission to use assistants, in new and existing conversations."""

from typing import Any

import asyncpg
import pytest

from echomind_lib.access import Principal
from echomind_lib.access import assistants as rule_of
from echomind_lib.access.assistant_choice import choose_assistant
from echomind_lib.db import models as rows
from echomind_lib.errors import AssistantUnavailableError, NotFoundError, PermissionDeniedError
from tests.drivers.client import Client, Transport
from tests.factories.permissions.rows import ROLES
from tests.factories.world import World

LOST = {
    "hidden": "UPDATE assistants SET is_visible = FALSE WHERE id = $1",
    "for another group": "UPDATE assistants SET groups = '{elsewhere}' WHERE id = $1",
    "removed": "UPDATE assistants SET deleted_date = now() WHERE id = $1",
}


async def conversation(world: World, somebody: Client) -> tuple[int, dict[str, Any]]:
    """Returns an assistant, and a conversation with it that has a finished run."""
    assistant = await world.assistant("visible", somebody)
    sent = await somebody.call("ChatMessageService/SendMessage", {"content": "x", "assistantId": assistant})
    await world.pool.execute(
        "UPDATE runs SET status = 'completed', completed_at = now() WHERE id = $1::text::uuid", sent["run"]["id"]
    )
    await world.pool.execute(
        "UPDATE chat_messages SET status = 'completed' WHERE id = $1", int(sent["assistantMessage"]["id"])
    )
    await world.pool.execute(
        "INSERT INTO steps (run_id, step_number, action, status, llm_input, llm_output)"
        " VALUES ($1::text::uuid, 1, 'answer', 'completed',"
        ' \'[{"role": "system", "content": "the secret instructions"}]\', \'{}\')',
        sent["run"]["id"],
    )
    return assistant, sent


@pytest.mark.parametrize("loss", LOST)
async def test_an_old_conversation_asks_no_assistant_that_was_lost(world: World, loss: str, via: Transport) -> None:
    somebody = world.people["user"]
    assistant, sent = await conversation(world, somebody)
    session, question = sent["userMessage"]["chatSessionId"], sent["userMessage"]["id"]
    await world.pool.execute(LOST[loss], assistant)
    for method, request in (
        ("SendMessage", {"chatSessionId": str(session), "content": "y"}),
        ("StreamMessage", {"chatSessionId": str(session), "content": "y"}),
        ("EditMessage", {"id": question, "content": "y"}),
        ("RegenerateMessage", {"id": sent["assistantMessage"]["id"]}),
    ):
        with pytest.raises(AssistantUnavailableError, match="choose another assistant") as caught:
            await somebody.call(f"ChatMessageService/{method}", request, via)
        assert caught.value.metadata == {"chat_session_id": str(session)}
    run = sent["run"]["id"]
    with pytest.raises(PermissionDeniedError):
        await somebody.call("RunService/GetStepPrompt", {"id": run, "stepNumber": 1}, via)
    steps = await somebody.call("RunService/ListSteps", {"id": run}, via)
    assert len(steps["steps"]) == 1
    assert "secret instructions" not in str(steps)
    messages = await somebody.call("ChatMessageService/ListMessages", {"chatSessionId": session}, via)
    assert len(messages["messages"]) == 2
    forked = await somebody.call("ChatSessionService/ForkChatSession", {"id": session}, via)
    with pytest.raises(AssistantUnavailableError):
        await somebody.call("ChatMessageService/SendMessage", {"chatSessionId": str(forked["id"]), "content": "y"}, via)
    other = await world.assistant("visible", somebody)
    change = {"id": session, "chatSession": {"assistantId": other}, "updateMask": "assistantId"}
    await somebody.call("ChatSessionService/UpdateChatSession", change, via)
    again = await somebody.call("ChatMessageService/SendMessage", {"chatSessionId": str(session), "content": "y"}, via)
    assert again["run"]["assistantId"] == other


async def test_a_repeated_request_finds_its_answer_though_the_assistant_was_lost(world: World, via: Transport) -> None:
    somebody = world.people["user"]
    assistant = await world.assistant("visible", somebody)
    request = {"content": "x", "assistantId": assistant, "requestId": f"again-{assistant}"}
    first = await somebody.call("ChatMessageService/SendMessage", request, via)
    await world.pool.execute(LOST["removed"], assistant)
    assert (await somebody.call("ChatMessageService/SendMessage", request, via))["run"]["id"] == first["run"]["id"]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("visible", [True, False])
async def test_the_rule_is_the_same_in_statements(world: World, pool: asyncpg.Pool, role: str, visible: bool) -> None:
    somebody = world.people[role]
    assistant = await world.assistant("visible" if visible else "hidden", somebody)
    principal = Principal(somebody.user_id, frozenset({"user", role}))
    may_use = rule_of("read").allows(principal, rows.Assistant(is_visible=visible, groups=[]))
    assert (await choose_assistant(pool, somebody.user_id, assistant) == assistant) == may_use
    await pool.execute(LOST["removed"], assistant)
    assert await choose_assistant(pool, somebody.user_id, assistant) is None


async def test_a_preferred_assistant_begins_new_conversations(world: World, via: Transport) -> None:
    somebody = world.people["user"]
    usual = await world.pool.fetchval("SELECT id FROM assistants WHERE is_default AND deleted_date IS NULL")
    preferred = await world.assistant("visible", somebody)

    async def begun() -> list[int]:
        sent = await somebody.call("ChatMessageService/SendMessage", {"content": "x"}, via)
        created = await somebody.call("ChatSessionService/CreateChatSession", {"chatSession": {}}, via)
        return [sent["run"]["assistantId"], created["assistantId"]]

    async def prefer(value: Any) -> None:
        change = {"user": {"preferences": {"theme": "THEME_DARK", "defaultAssistantId": value}}}
        await somebody.call("UserService/UpdateCurrentUser", change | {"updateMask": "preferences"}, via)

    assert await begun() == [usual, usual]
    await prefer(preferred)
    assert await begun() == [preferred, preferred]
    for loss, back in (
        ("is_visible = FALSE", "is_visible = TRUE"),
        ("groups = '{elsewhere}'", "groups = '{}'"),
        ("deleted_date = now()", "deleted_date = NULL"),
    ):
        await world.pool.execute(f"UPDATE assistants SET {loss} WHERE id = $1", preferred)
        assert await begun() == [usual, usual]
        await world.pool.execute(f"UPDATE assistants SET {back} WHERE id = $1", preferred)
    await prefer(0)
    assert await begun() == [usual, usual]


async def test_only_an_assistant_that_one_may_use_can_be_preferred(world: World, via: Transport) -> None:
    somebody = world.people["user"]
    for value in (await world.assistant("hidden", somebody), 2**31 - 1):
        change = {"user": {"preferences": {"defaultAssistantId": value}}, "updateMask": "preferences"}
        with pytest.raises(NotFoundError) as caught:
            await somebody.call("UserService/UpdateCurrentUser", change, via)
        assert caught.value.metadata["resource"] == "assistant"


async def test_a_new_account_prefers_no_assistant_that_it_may_not_use(
    world: World, owner: Client, via: Transport
) -> None:
    hidden = await world.assistant("hidden", owner)
    user: dict[str, Any] = {"userName": f"new-{hidden}-{via}", "email": f"new-{hidden}-{via}@example.org"}
    user["preferences"] = {"defaultAssistantId": hidden}
    with pytest.raises(NotFoundError):
        await owner.call("UserService/CreateUser", {"user": user}, via)
    made = await owner.call("UserService/CreateUser", {"user": user | {"roles": ["ROLE_SUPERADMIN"]}}, via)
    change = {"id": made["id"], "user": {"preferences": user["preferences"], "roles": []}}
    with pytest.raises(NotFoundError):
        await owner.call("UserService/UpdateUser", change | {"updateMask": "roles,preferences"}, via)


async def test_a_goal_does_not_reveal_a_hidden_assistant(world: World, via: Transport) -> None:
    somebody = world.people["user"]
    hidden = await world.assistant("hidden", somebody)  # answers with the built-in model
    ask = {"content": "x", "options": {"autoRun": True}}
    for assistant in (hidden, 2**31 - 1):
        with pytest.raises(NotFoundError) as caught:
            await somebody.call("ChatMessageService/SendMessage", ask | {"assistantId": assistant}, via)
        assert caught.value.metadata == {"resource": "assistant", "id": str(assistant)}


async def test_a_goal_is_for_the_preferred_assistant(world: World, via: Transport) -> None:
    somebody = world.people["user"]
    preferred = await world.assistant("visible", somebody)
    llm = await world.pool.fetchval(
        "INSERT INTO llms (name, provider, model_id, endpoint) VALUES ($1, 'vllm', 'm', 'http://x/v1') RETURNING id",
        f"works towards goals {preferred}",
    )
    await world.pool.execute("UPDATE assistants SET llm_id = $2 WHERE id = $1", preferred, llm)
    change = {"user": {"preferences": {"defaultAssistantId": preferred}}, "updateMask": "preferences"}
    await somebody.call("UserService/UpdateCurrentUser", change, via)
    ask = {"content": "x", "options": {"autoRun": True}}
    sent = await somebody.call("ChatMessageService/SendMessage", ask, via)
    assert sent["run"]["assistantId"] == preferred
    await world.pool.execute("UPDATE users SET preferences = '{}' WHERE id = $1", somebody.user_id)


async def test_new_conversations_have_the_preferred_options(world: World, via: Transport) -> None:
    somebody = world.people["user"]
    preferences = {"runOptions": {"maxSteps": 3, "askClarifications": True}}
    change = {"user": {"preferences": preferences}, "updateMask": "preferences"}
    await somebody.call("UserService/UpdateCurrentUser", change, via)
    try:
        sent = await somebody.call("ChatMessageService/SendMessage", {"content": "x"}, via)
        assert (sent["run"]["maxSteps"], sent["run"]["askClarifications"]) == (3, True)
        asked = {"content": "x", "options": {"maxSteps": 2}}
        assert (await somebody.call("ChatMessageService/SendMessage", asked, via))["run"]["maxSteps"] == 2
        begun = {"id": sent["run"]["chatSessionId"]}
        session = await somebody.call("ChatSessionService/GetChatSession", begun, via)
        created = await somebody.call("ChatSessionService/CreateChatSession", {"chatSession": {}}, via)
        assert session["preferences"]["maxSteps"] == created["preferences"]["maxSteps"] == 3
        own = {"chatSession": {"preferences": {"maxSteps": 9}}}
        created = await somebody.call("ChatSessionService/CreateChatSession", own, via)
        assert created["preferences"]["maxSteps"] == 9
    finally:
        await world.pool.execute("UPDATE users SET preferences = '{}' WHERE id = $1", somebody.user_id)
