"""Versions of assistants: each change makes one, and any of them can be compared and restored."""

from typing import Any

import asyncpg
import pytest

from echomind_lib.errors import AlreadyExistsError, NotFoundError
from tests.drivers.client import Client, Transport
from tests.factories.world import name

WIKI = {
    "name": "wiki",
    "transport": "MCP_TRANSPORT_STREAMABLE_HTTP",
    "url": "https://tools.example.org/mcp",
    "headers": {"Authorization": "the-first-secret"},
}


async def create(owner: Client, via: Transport = "rest", **fields: Any) -> dict[str, Any]:
    given = {"name": name(), "isVisible": True} | fields
    made: dict[str, Any] = await owner.call("AssistantService/CreateAssistant", {"assistant": given}, via)
    return made


async def change(owner: Client, assistant: Any, via: Transport = "rest", **fields: Any) -> dict[str, Any]:
    request = {"id": assistant, "assistant": fields, "updateMask": ",".join(fields)}
    changed: dict[str, Any] = await owner.call("AssistantService/UpdateAssistant", request, via)
    return changed


async def versions(owner: Client, assistant: Any, via: Transport = "rest", **page: Any) -> Any:
    return await owner.call("AssistantService/ListAssistantVersions", {"id": assistant, **page}, via)


async def changes(owner: Client, assistant: Any, version: int, base: int = 0, via: Transport = "rest") -> Any:
    request = {"id": assistant, "version": version, "baseVersion": base}
    found = (await owner.call("AssistantService/DiffAssistantVersions", request, via)).get("changes", [])
    return {each["field"]: (each.get("before"), each.get("after")) for each in found}


async def test_each_change_is_a_version_with_its_changes_and_author(owner: Client, via: Transport) -> None:
    made = await create(owner, via, systemPrompt="Be exact.\nBe brief.", config={"maxSteps": 5})
    assert made["version"] == 1
    changed = await change(owner, made["id"], via, systemPrompt="Be exact.", description="Reads contracts.")
    assert changed["version"] == 2
    assert (await change(owner, made["id"], via, config={"maxSteps": 9, "maxDepth": 0}))["version"] == 3
    listed = (await versions(owner, made["id"], via))["versions"]
    assert [each["version"] for each in listed] == [3, 2, 1]
    assert [each.get("changedFields", []) for each in listed] == [
        ["config.maxSteps", "config.maxDepth"],
        ["description", "systemPrompt"],
        [],
    ]
    assert all(each["createdBy"] == owner.user_id and each["createdByName"] for each in listed)
    assert listed[2]["assistant"]["systemPrompt"] == "Be exact.\nBe brief."
    assert listed[2]["assistant"]["config"]["maxSteps"] == 5
    assert await changes(owner, made["id"], 3, 1, via) == {
        "description": (None, "Reads contracts."),
        "systemPrompt": ("Be exact.\nBe brief.", "Be exact."),
        "config.maxSteps": (5, 9),
        "config.maxDepth": (None, 0),
    }
    assert await changes(owner, made["id"], 2, via=via) == await changes(owner, made["id"], 2, 1, via)
    read = await owner.call("AssistantService/GetAssistantVersion", {"id": made["id"], "version": 2}, via)
    assert read == listed[1]


async def test_a_version_is_restored_as_a_new_version(owner: Client, via: Transport) -> None:
    made = await create(owner, via, systemPrompt="First.", starterMessages=["A?"], config={"maxSteps": 5})
    await change(owner, made["id"], via, systemPrompt="Second.", starterMessages=[], config={"maxSteps": 7})
    request = {"id": made["id"], "version": 1}
    restored = await owner.call("AssistantService/RestoreAssistantVersion", request, via)
    assert (restored["version"], restored["systemPrompt"], restored["starterMessages"]) == (3, "First.", ["A?"])
    assert restored["config"]["maxSteps"] == 5
    newest = (await versions(owner, made["id"], via))["versions"][0]
    assert (newest["version"], newest["restoredVersion"]) == (3, 1)
    assert await changes(owner, made["id"], 3, 1, via) == {}
    again = await owner.call("AssistantService/RestoreAssistantVersion", request, via)
    assert again["version"] == 3
    for missing in ({"id": made["id"], "version": 9}, {"id": 2_000_000_000, "version": 1}):
        with pytest.raises(NotFoundError):
            await owner.call("AssistantService/RestoreAssistantVersion", missing, via)


async def test_a_change_that_changes_nothing_is_no_version(owner: Client) -> None:
    made = await create(owner, systemPrompt="Same.", config={"mcpServers": [WIKI]})
    same = await change(owner, made["id"], systemPrompt="Same.", config=made["config"])
    assert same["version"] == 1
    assert len((await versions(owner, made["id"]))["versions"]) == 1


async def test_secrets_are_never_shown_and_the_newest_of_the_same_place_counts(
    owner: Client, pool: asyncpg.Pool
) -> None:
    made = await create(owner, config={"mcpServers": [WIKI]})
    newer = WIKI | {"headers": {"Authorization": "the-second-secret"}, "allowedTools": ["read*"]}
    await change(owner, made["id"], config={"mcpServers": [newer]})
    found = await owner.call("AssistantService/DiffAssistantVersions", {"id": made["id"], "version": 2})
    assert found["changes"] == [
        {"field": "config.mcpServers.wiki.headers.Authorization", "before": "", "after": "", "isSecret": True},
        {"field": "config.mcpServers.wiki.allowedTools", "after": ["read*"]},
    ]
    shown = [found, await versions(owner, made["id"])]
    assert "secret" not in str(shown).replace("isSecret", "")
    secret = "SELECT config #>> '{mcpServers,0,headers,Authorization}' FROM assistants WHERE id = $1"
    second = await pool.fetchval(secret, made["id"])
    await owner.call("AssistantService/RestoreAssistantVersion", {"id": made["id"], "version": 1})
    assert await pool.fetchval(secret, made["id"]) == second
    moved = WIKI | {"url": "https://elsewhere.example.org/mcp", "headers": {"Authorization": "of-elsewhere"}}
    await change(owner, made["id"], config={"mcpServers": [moved]})
    elsewhere = await pool.fetchval(secret, made["id"])
    await owner.call("AssistantService/RestoreAssistantVersion", {"id": made["id"], "version": 2})
    assert await pool.fetchval(secret, made["id"]) not in {elsewhere, ""}


async def test_restoring_leaves_alone_which_assistant_is_the_default(owner: Client) -> None:
    listed = (await owner.call("AssistantService/ListAssistants", {"pageSize": 1000}))["assistants"]
    (default,) = [each for each in listed if each.get("isDefault")]
    made = await create(owner, systemPrompt="Once.")
    became = await change(owner, made["id"], isDefault=True, systemPrompt="Default.")
    left = (await versions(owner, default["id"], pageSize=1))["versions"][0]
    assert left["changedFields"] == ["isDefault"]
    restored = await owner.call("AssistantService/RestoreAssistantVersion", {"id": made["id"], "version": 1})
    assert restored["isDefault"]
    assert restored["systemPrompt"] == "Once."
    await change(owner, default["id"], isDefault=True)
    version = {"id": made["id"], "version": became["version"]}
    assert not (await owner.call("AssistantService/RestoreAssistantVersion", version)).get("isDefault")


async def test_a_removed_model_is_left_to_the_default_and_a_taken_name_is_refused(owner: Client) -> None:
    fields = {"name": name(), "provider": "LLM_PROVIDER_OPENAI", "modelId": "m"}
    llm = (await owner.call("LlmService/CreateLlm", {"llm": fields}))["id"]
    made = await create(owner, llmId=llm)
    await change(owner, made["id"], llmId=0, name=name())
    await owner.call("LlmService/DeleteLlm", {"id": llm})
    first = {"id": made["id"], "version": 1}
    assert not (await owner.call("AssistantService/RestoreAssistantVersion", first)).get("llmId")
    await change(owner, made["id"], name=name())
    await create(owner, name=made["name"])
    with pytest.raises(AlreadyExistsError):
        await owner.call("AssistantService/RestoreAssistantVersion", first)


async def test_versions_come_page_by_page_each_with_its_changes(owner: Client) -> None:
    made = await create(owner)
    for number in range(1, 4):
        await change(owner, made["id"], displayPriority=number)
    first = await versions(owner, made["id"], pageSize=2)
    rest = await versions(owner, made["id"], pageSize=2, pageToken=first["nextPageToken"])
    assert [each["version"] for each in first["versions"] + rest["versions"]] == [4, 3, 2, 1]
    assert [each.get("changedFields") for each in first["versions"]] == [["displayPriority"], ["displayPriority"]]


async def test_drafts_have_no_versions_and_their_runs_none(owner: Client, pool: asyncpg.Pool) -> None:
    made = await create(owner)
    draft = await owner.call(
        "AssistantService/SaveAssistantDraft", {"id": made["id"], "assistant": {"name": made["name"]}}
    )
    assert not draft.get("version")
    assert not (await versions(owner, draft["id"])).get("versions")
    sent = await owner.call("ChatMessageService/SendMessage", {"content": "x", "assistantId": draft["id"]})
    assert not sent["run"].get("assistantVersion")


async def test_a_run_names_the_version_when_it_was_asked(owner: Client, via: Transport) -> None:
    made = await create(owner, via)
    await change(owner, made["id"], via, systemPrompt="Second.")
    sent = await owner.call("ChatMessageService/SendMessage", {"content": "x", "assistantId": made["id"]}, via)
    assert sent["run"]["assistantVersion"] == 2
    await change(owner, made["id"], via, systemPrompt="Third.")
    read = await owner.call("RunService/GetRun", {"id": sent["run"]["id"]}, via)
    assert read["assistantVersion"] == 2
