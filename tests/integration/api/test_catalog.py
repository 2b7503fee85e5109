"""Embedding models and assistants, and ids that no catalogue has."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio

from echomind_api.start.seeds import Index
from echomind_lib.errors import (
    EmbeddingModelStateError,
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser


@pytest.mark.parametrize("service", ["LlmService/GetLlm", "AssistantService/GetAssistant"])
async def test_ids_beyond_the_columns_range_are_not_found(owner: Client, via: Transport, service: str) -> None:
    with pytest.raises(NotFoundError):
        await owner.call(service, {"id": 2_000_000_000}, via)


async def test_the_seeded_index_is_read(owner: Client, via: Transport) -> None:
    listed = (await owner.call("EmbeddingModelService/ListEmbeddingModels", {"pageSize": 1000}, via))["embeddingModels"]
    (model,) = [each for each in listed if each.get("isActive")]
    assert (model["modelId"], model["modelDimension"]) == (Index().model_id, 384)
    assert model["status"] == "EMBEDDING_MODEL_STATUS_ACTIVE"
    assert await owner.call("EmbeddingModelService/GetEmbeddingModel", {"id": model["id"]}, via) == model
    assert (model["sparseEncoder"], model["chunker"]) == (Index().sparse_encoder, Index().chunker)
    with pytest.raises(NotFoundError):
        await owner.call("EmbeddingModelService/GetEmbeddingModel", {"id": 2_000_000_000}, via)


@pytest_asyncio.fixture
async def unused_index(pool: asyncpg.Pool) -> AsyncIterator[int]:
    """A model without an index; afterwards there is no index but the active one."""
    active = await pool.fetchval("SELECT id FROM embedding_models WHERE is_active")
    made: int = await pool.fetchval(
        "INSERT INTO embedding_models (model_id, model_name, model_dimension, sparse_encoder, chunker) "
        "VALUES ('other', 'Other', 384, 'bm25-1', 'sections-200') RETURNING id"
    )
    yield made
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("UPDATE embedding_models SET is_active = false, index_state = NULL")
        await connection.execute("UPDATE embedding_models SET is_active = true WHERE id = $1", active)
        await connection.execute("DELETE FROM embedding_models WHERE id = $1", made)


async def test_an_index_is_filled_kept_and_deleted(
    owner: Client, via: Transport, pool: asyncpg.Pool, unused_index: int
) -> None:
    async def call(method: str, **fields: Any) -> Any:
        return await owner.call(f"EmbeddingModelService/{method}", {"id": unused_index} | fields, via)

    with pytest.raises(EmbeddingModelStateError, match="no index"):
        await call("DropEmbeddingIndex")
    assert (await call("ActivateEmbeddingModel"))["status"] == "EMBEDDING_MODEL_STATUS_BUILDING"
    assert (await call("ActivateEmbeddingModel"))["status"] == "EMBEDDING_MODEL_STATUS_BUILDING"
    progress = await call("GetEmbeddingIndexProgress")
    assert int(progress.get("failed", 0)) == 0
    active = await pool.fetchval("SELECT id FROM embedding_models WHERE is_active")
    other = await pool.fetchval("SELECT id FROM embedding_models WHERE NOT is_active AND index_state IS NULL LIMIT 1")
    with pytest.raises(EmbeddingModelStateError, match="Other is being filled"):
        await owner.call("EmbeddingModelService/ActivateEmbeddingModel", {"id": other}, via)
    with pytest.raises(EmbeddingModelStateError, match="answers questions"):
        await owner.call("EmbeddingModelService/DropEmbeddingIndex", {"id": active}, via)
    # Documents of other tests were tried.
    await pool.execute(
        "INSERT INTO index_documents (document_id, index_id, chunking_session, error) "
        "SELECT id, $1, chunking_session, 'left out' FROM documents WHERE chunking_session IS NOT NULL",
        unused_index,
    )
    switched = await call("ActivateEmbeddingModel", withoutFailed=True)
    assert switched["isActive"]
    kept = await owner.call("EmbeddingModelService/GetEmbeddingModel", {"id": active}, via)
    assert kept["status"] == "EMBEDDING_MODEL_STATUS_STANDBY"
    assert kept["standbyUntil"] > kept["statusSince"]
    back = await owner.call("EmbeddingModelService/ActivateEmbeddingModel", {"id": active}, via)
    assert back["status"] == "EMBEDDING_MODEL_STATUS_ACTIVE"
    assert (await call("DropEmbeddingIndex"))["status"] == "EMBEDDING_MODEL_STATUS_DROPPING"
    with pytest.raises(EmbeddingModelStateError, match="is being deleted"):
        await call("ActivateEmbeddingModel")


def assistant(name: str, **fields: Any) -> dict[str, Any]:
    return {"assistant": {"name": name, "isVisible": True} | fields}


@pytest.mark.usefixtures("tool_listing")
async def test_an_assistant_keeps_all_of_its_fields(owner: Client, via: Transport) -> None:
    llm = {"name": f"of-assistant-{via}", "provider": "LLM_PROVIDER_OPENAI", "modelId": "gpt-4o-mini"}
    made_llm = await owner.call("LlmService/CreateLlm", {"llm": llm}, via)
    fields = {
        "description": "Reads contracts.",
        "llmId": made_llm["id"],
        "systemPrompt": "Be exact.",
        "taskPrompt": "{context}\n\n{query}",
        "starterMessages": ["What is new?", "And \u00fcml\u00e4ute?"],
        "displayPriority": 7,
        "config": {"tools": ["call_in_parallel"], "addHistoryToContext": False, "maxSteps": 5, "maxRunTokens": "90000"},
    }
    made = await owner.call("AssistantService/CreateAssistant", assistant(f"full-{via}", **fields), via)
    for name, value in fields.items():
        if name == "config":
            assert made[name] | value == made[name]
        else:
            assert made[name] == value, name
    await owner.call("LlmService/DeleteLlm", {"id": made_llm["id"]}, via)
    assert not (await owner.call("AssistantService/GetAssistant", {"id": made["id"]}, via)).get("llmId")
    change = {"id": made["id"], "assistant": {"config": {"maxSteps": 9}}, "updateMask": "config"}
    changed = await owner.call("AssistantService/UpdateAssistant", change, via)
    assert changed["config"]["maxSteps"] == 9
    assert "addHistoryToContext" not in changed["config"]
    assert changed["systemPrompt"] == "Be exact."


async def test_the_default_assistant_stays_there_and_visible(owner: Client, via: Transport) -> None:
    (default,) = [item for item in await listed(owner, via) if item.get("isDefault")]
    for change in ({"isDefault": False}, {"isVisible": False}):
        request = {"id": default["id"], "assistant": change, "updateMask": next(iter(change))}
        with pytest.raises(ValidationFailedError):
            await owner.call("AssistantService/UpdateAssistant", request, via)
    with pytest.raises(PermissionDeniedError):
        await owner.call("AssistantService/DeleteAssistant", {"id": default["id"]}, via)
    other = await owner.call("AssistantService/CreateAssistant", assistant(f"new-{via}", isDefault=True), via)
    assert not (await owner.call("AssistantService/GetAssistant", {"id": default["id"]}, via)).get("isDefault")
    back = {"id": default["id"], "assistant": {"isDefault": True}, "updateMask": "isDefault"}
    await owner.call("AssistantService/UpdateAssistant", back, via)
    await owner.call("AssistantService/DeleteAssistant", {"id": other["id"]}, via)


async def test_an_assistant_is_for_the_members_of_its_groups(owner: Client, new_user: NewUser, via: Transport) -> None:
    group = uuid4().hex
    insider, outsider = await new_user(groups=(group,)), await new_user("admin")
    made = await owner.call("AssistantService/CreateAssistant", assistant(f"of-{group}", groups=[group]), via)
    named = {"id": made["id"]}
    shown = await insider.call("AssistantService/GetAssistant", named, via)
    assert (shown["isVisible"], shown.get("groups", [])) == (True, [])  # to its users, the groups are not named
    assert made["id"] in [each["id"] for each in await listed(insider, via)]
    assert made["id"] not in [each["id"] for each in await listed(outsider, via)]
    question = {"content": "x", "assistantId": made["id"]}
    assert (await insider.call("ChatMessageService/SendMessage", question, via))["run"]["assistantId"] == made["id"]
    for call in (("AssistantService/GetAssistant", named), ("ChatMessageService/SendMessage", question)):
        with pytest.raises(NotFoundError):
            await outsider.call(*call, via)
    change = named | {"assistant": {"isDefault": True}, "updateMask": "isDefault"}
    with pytest.raises(ValidationFailedError, match="must be empty for the default"):
        await owner.call("AssistantService/UpdateAssistant", change, via)
    (found,) = (await owner.call("GroupService/ListGroups", {"query": group}, via))["groups"]
    assert found["assistantCount"] == 1
    with pytest.raises(ValidationFailedError, match="0 connectors, 1 assistants and 0 datasets are shared"):
        await owner.call("GroupService/DeleteGroup", {"id": found["id"]}, via)

    copy = await owner.call("AssistantService/DuplicateAssistant", named | {"name": f"copy of {group}"}, via)
    assert copy["groups"] == [group]
    await owner.call("AssistantService/DeleteAssistant", {"id": copy["id"]}, via)
    everyone = named | {"assistant": {"groups": []}, "updateMask": "groups"}
    changed = await owner.call("AssistantService/UpdateAssistant", everyone, via)
    assert changed["version"] == made["version"]
    assert await outsider.call("AssistantService/GetAssistant", named, via)
    await owner.call("GroupService/DeleteGroup", {"id": found["id"]}, via)
    await owner.call("AssistantService/DeleteAssistant", named, via)


async def listed(somebody: Client, via: Transport) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await somebody.call("AssistantService/ListAssistants", {"pageSize": 1000}, via))[
        "assistants"
    ]
    return found


async def test_an_assistant_needs_a_model_that_there_is(owner: Client, via: Transport) -> None:
    with pytest.raises(NotFoundError) as caught:
        await owner.call("AssistantService/CreateAssistant", assistant("lost", llmId=30_000), via)
    assert caught.value.metadata["resource"] == "chat model"
    with pytest.raises(ValidationFailedError, match="query"):
        await owner.call("AssistantService/CreateAssistant", assistant("deaf", taskPrompt="no place"), via)


async def test_assistants_are_listed_by_priority_page_by_page(owner: Client, via: Transport) -> None:
    for number in (3, 1, 2):
        await owner.call(
            "AssistantService/CreateAssistant", assistant(f"page-{via}-{number}", displayPriority=-number), via
        )
    names: list[str] = []
    token = ""
    while True:
        page = await owner.call("AssistantService/ListAssistants", {"pageSize": 2, "pageToken": token}, via)
        names += [item["name"] for item in page["assistants"]]
        if not (token := page.get("nextPageToken", "")):
            break
    assert [name for name in names if name.startswith(f"page-{via}-")] == [f"page-{via}-{n}" for n in (3, 2, 1)]
    assert len(names) == len(set(names))
