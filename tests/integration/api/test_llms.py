"""Chat models."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from aiohttp import web

from echomind_lib.errors import (
    AlreadyExistsError,
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
    model = await default_llm(owner)
    assert model["provider"] == "LLM_PROVIDER_EXTRACTIVE"
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
        (shown,) = [each for each in listed if each["id"] == made["id"]]
        read = await client.call("LlmService/GetLlm", {"id": made["id"]}, via)
        assert shown["name"] == read["name"] == made["name"]
        seen.append((shown.get("endpoint", ""), read.get("endpoint", "")))
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
