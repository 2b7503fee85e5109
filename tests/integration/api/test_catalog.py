"""Chat models, embedding models and assistants."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from aiohttp import web

from echomind_api.start.seeds import Index
from echomind_lib.errors import (
    AlreadyExistsError,
    EmbeddingModelStateError,
    EndpointRefusedError,
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.serving import serving

SECRET = "sk-this-must-not-be-seen-anywhere"


def llm(name: str, **fields: Any) -> dict[str, Any]:
    return {"llm": {"name": name, "provider": "LLM_PROVIDER_OPENAI", "modelId": "gpt-4o-mini"} | fields}


async def default_llm(owner: Client) -> dict[str, Any]:
    models = (await owner.call("LlmService/ListLlms", {"pageSize": 1000}))["llms"]
    default: dict[str, Any]
    (default,) = [model for model in models if model.get("isDefault")]
    return default


@pytest_asyncio.fixture(loop_scope="session")
async def built_in(owner: Client) -> AsyncIterator[dict[str, Any]]:
    """The built-in model, which is the default one again afterwards."""
    models = (await owner.call("LlmService/ListLlms", {"pageSize": 1000}))["llms"]
    (model,) = [model for model in models if model["provider"] == "LLM_PROVIDER_EXTRACTIVE"]
    yield model
    change = {"id": model["id"], "llm": {"isDefault": True}, "updateMask": "isDefault"}
    await owner.call("LlmService/UpdateLlm", change)


async def test_a_key_goes_in_and_never_out(owner: Client, via: Transport, pool: asyncpg.Pool) -> None:
    made = await owner.call("LlmService/CreateLlm", llm(f"key-{via}", apiKey=SECRET, temperature=0.5), via)
    read = await owner.call("LlmService/GetLlm", {"id": made["id"]}, via)
    listed = await owner.call("LlmService/ListLlms", {"pageSize": 1000}, via)
    assert SECRET not in str([made, read, listed])
    assert made["hasApiKey"]
    assert made["isActive"]
    assert made["temperature"] == 0.5
    stored = await pool.fetchval("SELECT api_key FROM llms WHERE id = $1", made["id"])
    assert SECRET not in stored
    change = {"id": made["id"], "llm": {"modelId": "gpt-5"}, "updateMask": "modelId"}
    assert (await owner.call("LlmService/UpdateLlm", change, via))["hasApiKey"]
    change = {"id": made["id"], "llm": {"apiKey": ""}, "updateMask": "apiKey"}
    assert not (await owner.call("LlmService/UpdateLlm", change, via)).get("hasApiKey")
    assert SECRET not in str(await pool.fetch("SELECT l::text FROM llms l")) + str(
        await pool.fetch("SELECT a::text FROM audit_log a")
    )


async def test_only_those_who_manage_models_see_endpoints(owner: Client, new_user: NewUser, via: Transport) -> None:
    made = await owner.call("LlmService/CreateLlm", llm(f"seen-{via}", endpoint="https://gpu.example/v1"), via)
    seen = []
    for client in (owner, await new_user("admin"), await new_user()):
        listed = (await client.call("LlmService/ListLlms", {"pageSize": 1000}, via))["llms"]
        (one,) = [each for each in listed if each["id"] == made["id"]]
        read = await client.call("LlmService/GetLlm", {"id": made["id"]}, via)
        assert one["name"] == read["name"] == made["name"]
        seen.append((one.get("endpoint", ""), read.get("endpoint", "")))
    assert seen == [("https://gpu.example/v1",) * 2, ("", ""), ("", "")]


@pytest.mark.parametrize(
    "moved",
    [
        {"endpoint": "https://evil.example/v1"},
        {"endpoint": "http://gpu.example:8000/v1"},
        {"endpoint": "https://gpu.example:9000/v1"},
        {"endpoint": ""},
        {"provider": "LLM_PROVIDER_ANTHROPIC"},
        {"provider": "LLM_PROVIDER_ANTHROPIC", "endpoint": ""},
    ],
)
async def test_a_key_does_not_follow_a_model_to_another_place(
    owner: Client, via: Transport, pool: asyncpg.Pool, moved: dict[str, str]
) -> None:
    fields = {"endpoint": "https://gpu.example:8000/v1", "apiKey": SECRET}
    made = await owner.call("LlmService/CreateLlm", llm(f"moved-{moved}-{via}", **fields), via)
    change = {"id": made["id"], "llm": moved, "updateMask": ",".join(moved)}
    before = await pool.fetchrow("SELECT * FROM llms WHERE id = $1", made["id"])
    with pytest.raises(ValidationFailedError, match="must be given again") as caught:
        await owner.call("LlmService/UpdateLlm", change, via)
    assert caught.value.metadata.keys() == {"api_key"}
    assert await pool.fetchrow("SELECT * FROM llms WHERE id = $1", made["id"]) == before
    for key in (SECRET + "-of-the-new-place", ""):
        given = {"llm": moved | {"apiKey": key}, "updateMask": ",".join([*moved, "apiKey"])}
        changed = await owner.call("LlmService/UpdateLlm", change | given, via)
        assert changed.get("hasApiKey", False) is bool(key)


async def test_a_key_stays_with_another_path_of_its_host(owner: Client, via: Transport) -> None:
    fields = {"endpoint": "https://gpu.example/v1", "apiKey": SECRET}
    made = await owner.call("LlmService/CreateLlm", llm(f"stays-{via}", **fields), via)
    change = {"id": made["id"], "llm": {"endpoint": "https://GPU.example:443/team/v1"}, "updateMask": "endpoint"}
    assert (await owner.call("LlmService/UpdateLlm", change, via))["hasApiKey"]


@pytest.mark.parametrize("provider", ["LLM_PROVIDER_VLLM", "LLM_PROVIDER_TGI"])
async def test_a_provider_without_a_default_address_requires_an_endpoint(
    owner: Client, via: Transport, provider: str
) -> None:
    with pytest.raises(ValidationFailedError, match="endpoint is missing") as caught:
        await owner.call("LlmService/CreateLlm", llm(f"nowhere-{via}", provider=provider), via)
    assert caught.value.metadata.keys() == {"endpoint"}


async def test_a_long_key_can_be_stored_and_read_around(owner: Client, via: Transport) -> None:
    made = await owner.call("LlmService/CreateLlm", llm(f"long-{via}", apiKey="k" * 4096), via)
    assert (await owner.call("LlmService/GetLlm", {"id": made["id"]}, via))["hasApiKey"]


async def test_exactly_one_model_is_the_default(owner: Client, built_in: dict[str, Any], via: Transport) -> None:
    first = await owner.call("LlmService/CreateLlm", llm(f"first-{via}", isDefault=True), via)
    assert (await default_llm(owner))["id"] == first["id"]
    second = await owner.call("LlmService/CreateLlm", llm(f"second-{via}"), via)
    change = {"id": second["id"], "llm": {"isDefault": True}, "updateMask": "isDefault"}
    await owner.call("LlmService/UpdateLlm", change, via)
    assert (await default_llm(owner))["id"] == second["id"]
    await owner.call("LlmService/DeleteLlm", {"id": second["id"]}, via)
    assert (await default_llm(owner))["id"] == built_in["id"]
    change = {"id": first["id"], "llm": {"isDefault": True}, "updateMask": "isDefault"}
    await owner.call("LlmService/UpdateLlm", change, via)
    change = {"id": first["id"], "llm": {"isActive": False}, "updateMask": "isActive"}
    switched_off = await owner.call("LlmService/UpdateLlm", change, via)
    assert not switched_off.get("isDefault")
    assert (await default_llm(owner))["id"] == built_in["id"]
    change = {"id": first["id"], "llm": {"isDefault": True}, "updateMask": "isDefault"}
    with pytest.raises(ValidationFailedError, match="active"):
        await owner.call("LlmService/UpdateLlm", change, via)


@pytest.mark.parametrize(
    "change",
    [
        {"provider": "LLM_PROVIDER_OPENAI"},
        {"modelId": "gpt"},
        {"endpoint": "http://localhost:1"},
        {"apiKey": "k"},
        {"isActive": False},
        {"isDefault": False},
    ],
)
async def test_the_built_in_model_stays_what_it_is(
    owner: Client, built_in: dict[str, Any], via: Transport, change: dict[str, Any]
) -> None:
    request = {"id": built_in["id"], "llm": change, "updateMask": next(iter(change))}
    with pytest.raises(ValidationFailedError):
        await owner.call("LlmService/UpdateLlm", request, via)
    with pytest.raises(PermissionDeniedError):
        await owner.call("LlmService/DeleteLlm", {"id": built_in["id"]}, via)
    with pytest.raises(AlreadyExistsError):
        await owner.call("LlmService/CreateLlm", llm("another", provider="LLM_PROVIDER_EXTRACTIVE"), via)
    assert (await owner.call("LlmService/TestLlm", {"id": built_in["id"]}, via))["ok"]


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://169.254.169.254/latest",
        "http://[fe80::1]/v1",
        "http://[::ffff:169.254.169.254]/v1",
        "http://metadata.google.internal/v1",
        "https://METADATA.google.internal./v1",
    ],
)
async def test_metadata_services_are_no_models(owner: Client, via: Transport, endpoint: str) -> None:
    with pytest.raises(EndpointRefusedError) as caught:
        await owner.call("LlmService/CreateLlm", llm("metadata", endpoint=endpoint), via)
    assert caught.value.metadata["endpoint"] == endpoint
    made = await owner.call("LlmService/CreateLlm", llm(f"moved-{via}-{endpoint}"[:255]), via)
    change = {"id": made["id"], "llm": {"endpoint": endpoint}, "updateMask": "endpoint"}
    with pytest.raises(EndpointRefusedError):
        await owner.call("LlmService/UpdateLlm", change, via)


@pytest.mark.parametrize("endpoint", ["nonsense", "ftp://x/v1", "http://user:pw@host/v1", "http://x:99999/v1"])
async def test_an_endpoint_is_an_address(owner: Client, via: Transport, endpoint: str) -> None:
    with pytest.raises(ValidationFailedError) as caught:
        await owner.call("LlmService/CreateLlm", llm("wrong", endpoint=endpoint), via)
    assert "endpoint" in caught.value.metadata


async def test_names_of_models_are_unique(owner: Client, via: Transport) -> None:
    made = await owner.call("LlmService/CreateLlm", llm(f"unique-{via}"), via)
    with pytest.raises(AlreadyExistsError) as caught:
        await owner.call("LlmService/CreateLlm", llm(f"unique-{via}"), via)
    assert caught.value.metadata == {"resource": "chat model", "field": "name"}
    await owner.call("LlmService/DeleteLlm", {"id": made["id"]}, via)
    with pytest.raises(NotFoundError):
        await owner.call("LlmService/GetLlm", {"id": made["id"]}, via)
    again = await owner.call("LlmService/CreateLlm", llm(f"unique-{via}"), via)
    assert again["id"] != made["id"]


async def test_testing_a_model_reports_the_problem(owner: Client, via: Transport) -> None:
    made = await owner.call("LlmService/CreateLlm", llm(f"closed-{via}", endpoint="http://127.0.0.1:1/v1"), via)
    for answer in (
        await owner.call("LlmService/TestLlm", {"id": made["id"]}, via),
        await owner.call("LlmService/TestLlmSettings", llm("new", endpoint="http://127.0.0.1:1/v1"), via),
    ):
        assert not answer.get("ok")
        assert "127.0.0.1" in answer["message"]
        assert answer["fault"] == "LLM_FAULT_UNREACHABLE"


@asynccontextmanager
async def model_server(seen: list[str], status: int = 200) -> AsyncIterator[str]:
    """A model that answers with OK, at the address that it gives; it notes the credentials that it was sent."""

    async def answer(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization", ""))
        chunks = ('{"choices":[{"index":0,"delta":{"content":"OK"},"finish_reason":"stop"}]}', "[DONE]")
        text = "".join(f"data: {chunk}\n\n" for chunk in chunks)
        return web.Response(text=text, content_type="text/event-stream", status=status)

    async def offer(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization", ""))
        return web.json_response({"data": [{"id": "small"}, {"id": "large"}]}, status=status)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    app.router.add_get("/v1/models", offer)
    async with serving(app) as origin:
        yield f"{origin}/v1"


async def test_testing_a_model_asks_it_with_its_key(owner: Client, via: Transport) -> None:
    seen: list[str] = []
    async with model_server(seen) as endpoint:
        fields = {"endpoint": endpoint, "apiKey": SECRET}
        made = await owner.call("LlmService/CreateLlm", llm(f"stub-{via}", **fields), via)
        result = await owner.call("LlmService/TestLlm", {"id": made["id"]}, via)
        assert result["ok"], result
        # Other values of the stored model, with its key; and a model that is not stored.
        stored = llm(f"stub-{via}", endpoint=endpoint, maxTokens=5) | {"id": made["id"]}
        assert (await owner.call("LlmService/TestLlmSettings", stored, via))["ok"]
        assert (await owner.call("LlmService/TestLlmSettings", llm("new", **fields), via))["ok"]
        assert (await owner.call("LlmService/TestLlmSettings", llm("new", endpoint=endpoint), via))["ok"]
    assert seen == [*[f"Bearer {SECRET}"] * 3, ""]
    listed = await owner.call("LlmService/ListLlms", {"pageSize": 1000}, via)
    assert "new" not in {model["name"] for model in listed["llms"]}


async def test_a_test_sends_a_stored_key_nowhere_else(owner: Client, via: Transport) -> None:
    fields = {"endpoint": "https://models.example/v1", "apiKey": SECRET}
    made = await owner.call("LlmService/CreateLlm", llm(f"kept-{via}", **fields), via)
    seen: list[str] = []
    async with model_server(seen) as endpoint:
        with pytest.raises(ValidationFailedError, match="not sent elsewhere"):
            await owner.call("LlmService/TestLlmSettings", llm("x", endpoint=endpoint) | {"id": made["id"]}, via)
    assert seen == []


@pytest.mark.parametrize(
    ("status", "fault"), [(401, "KEY"), (402, "QUOTA"), (404, "REFUSED"), (429, "RATE"), (503, "UNREACHABLE")]
)
async def test_a_test_names_the_kind_of_fault(owner: Client, via: Transport, status: int, fault: str) -> None:
    async with model_server([], status) as endpoint:
        result = await owner.call("LlmService/TestLlmSettings", llm("x", endpoint=endpoint), via)
    assert result["fault"] == f"LLM_FAULT_{fault}"


async def test_the_models_of_a_server_are_listed_with_its_key_and_no_other(owner: Client, via: Transport) -> None:
    seen: list[str] = []
    async with model_server(seen) as endpoint:
        server = {"provider": "LLM_PROVIDER_VLLM", "endpoint": endpoint}
        made = await owner.call("LlmService/CreateLlm", llm(f"offering-{via}", apiKey=SECRET, **server), via)
        stored = await owner.call("LlmService/ListOfferedModels", server | {"id": made["id"]}, via)
        assert stored["modelIds"] == ["large", "small"]
        await owner.call("LlmService/ListOfferedModels", server, via)
    assert seen == [f"Bearer {SECRET}", ""]
    elsewhere = server | {"endpoint": "http://127.0.0.1:9/v1", "id": made["id"]}
    with pytest.raises(ValidationFailedError, match="not sent elsewhere"):
        await owner.call("LlmService/ListOfferedModels", elsewhere, via)
    async with model_server([], 401) as endpoint:
        refused = await owner.call("LlmService/ListOfferedModels", server | {"endpoint": endpoint}, via)
    assert refused["fault"] == "LLM_FAULT_KEY"
    assert "check the API key" in refused["message"]


async def test_prices_come_in_pairs(owner: Client, via: Transport) -> None:
    made = await owner.call("LlmService/CreateLlm", llm(f"priced-{via}", inputPrice=0.5, outputPrice=0), via)
    assert (made["inputPrice"], made["outputPrice"]) == (0.5, 0)
    with pytest.raises(ValidationFailedError, match="both prices"):
        await owner.call("LlmService/CreateLlm", llm(f"half-{via}", inputPrice=0.5), via)
    half = {"id": made["id"], "llm": {}, "updateMask": "outputPrice"}
    with pytest.raises(ValidationFailedError, match="both prices"):
        await owner.call("LlmService/UpdateLlm", half, via)
    none = {"id": made["id"], "llm": {}, "updateMask": "inputPrice,outputPrice"}
    assert "inputPrice" not in await owner.call("LlmService/UpdateLlm", none, via)


@pytest.mark.parametrize("service", ["LlmService/GetLlm", "AssistantService/GetAssistant"])
async def test_ids_beyond_the_columns_range_are_not_found(owner: Client, via: Transport, service: str) -> None:
    with pytest.raises(NotFoundError):
        await owner.call(service, {"id": 2_000_000_000}, via)


async def test_the_seeded_index_is_read(owner: Client, via: Transport) -> None:
    listed = (await owner.call("EmbeddingModelService/ListEmbeddingModels", via=via))["embeddingModels"]
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
    made_llm = await owner.call("LlmService/CreateLlm", llm(f"of-assistant-{via}"), via)
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
    assistants = (await owner.call("AssistantService/ListAssistants", via=via))["assistants"]
    (default,) = [item for item in assistants if item.get("isDefault")]
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
    one = {"id": made["id"]}
    shown = await insider.call("AssistantService/GetAssistant", one, via)
    assert (shown["isVisible"], shown.get("groups", [])) == (True, [])  # to its users, the groups are not named
    assert made["id"] in [each["id"] for each in await listed(insider, via)]
    assert made["id"] not in [each["id"] for each in await listed(outsider, via)]
    question = {"content": "x", "assistantId": made["id"]}
    assert (await insider.call("ChatMessageService/SendMessage", question, via))["run"]["assistantId"] == made["id"]
    for call in (("AssistantService/GetAssistant", one), ("ChatMessageService/SendMessage", question)):
        with pytest.raises(NotFoundError):
            await outsider.call(*call, via)
    change = one | {"assistant": {"isDefault": True}, "updateMask": "isDefault"}
    with pytest.raises(ValidationFailedError, match="must be empty for the default"):
        await owner.call("AssistantService/UpdateAssistant", change, via)
    (found,) = (await owner.call("GroupService/ListGroups", {"query": group}, via))["groups"]
    assert found["assistantCount"] == 1
    with pytest.raises(ValidationFailedError, match="0 connectors and 1 assistants are shared"):
        await owner.call("GroupService/DeleteGroup", {"id": found["id"]}, via)

    copy = await owner.call("AssistantService/DuplicateAssistant", one | {"name": f"copy of {group}"}, via)
    assert copy["groups"] == [group]
    await owner.call("AssistantService/DeleteAssistant", {"id": copy["id"]}, via)
    everyone = one | {"assistant": {"groups": []}, "updateMask": "groups"}
    changed = await owner.call("AssistantService/UpdateAssistant", everyone, via)
    assert changed["version"] == made["version"]
    assert await outsider.call("AssistantService/GetAssistant", one, via)
    await owner.call("GroupService/DeleteGroup", {"id": found["id"]}, via)
    await owner.call("AssistantService/DeleteAssistant", one, via)


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
