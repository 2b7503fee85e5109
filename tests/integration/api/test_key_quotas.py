"""Quotas and limits of API keys: who sets and sees them, and that every transport keeps to them."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_api.accounts.key_quotas import delete_once
from echomind_api.main import Gateway
from echomind_lib.errors import NotFoundError, OverloadedError, PermissionDeniedError, ValidationFailedError
from echomind_lib.quotas import charging
from tests.drivers.client import Client, Transport
from tests.drivers.death import until
from tests.factories.world import World, name

KEYS = "ApiKeyService"
DAY = {"period": "QUOTA_PERIOD_DAY", "maxTokens": "100"}
MONTH = {"period": "QUOTA_PERIOD_MONTH", "maxQuestions": "7", "maxCost": 2.5}


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def unlimited(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Leaves no quota behind."""
    yield
    await pool.execute("DELETE FROM quotas")
    await pool.execute("DELETE FROM quota_usage")
    await pool.execute("UPDATE installation_settings SET has_quotas = false, has_rates = false")


async def made(caller: Client, **values: Any) -> tuple[Client, int]:
    """Creates a key with the caller's credential."""
    created = await caller.call(f"{KEYS}/CreateApiKey", {"name": name()} | values)
    return caller.as_(created["secret"], caller.user_id), created["apiKey"]["id"]


async def set_quotas(caller: Client, key: int, via: Transport = "grpc", **values: Any) -> dict[str, Any]:
    return await caller.call(f"{KEYS}/SetApiKeyQuotas", {"id": key} | values, via)


async def ask(somebody: Client, **request: Any) -> dict[str, Any]:
    return await somebody.call("ChatMessageService/SendMessage", {"content": "x"} | request)


async def test_they_are_set_shown_and_removed(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    client, key = await made(owner)
    limits = {"maxRequestsPerMinute": 1000, "maxConcurrentRuns": 5, "maxConcurrentStreams": 3}
    changed = await set_quotas(owner, key, via, quotas=[MONTH, DAY | {"tokens": "99"}], **limits)
    await charging.charge_person(pool, owner.user_id, 30, 0.5, api_key_id=key)
    listed = (await owner.call(f"{KEYS}/ListApiKeys", {}, via))["apiKeys"]
    (shown,) = [each for each in listed if each["id"] == key]
    for each in (changed, shown):
        assert {field: each[field] for field in limits} == limits
        assert [(quota["period"], quota.get("maxTokens")) for quota in each["quotas"]] == [
            (DAY["period"], "100"),
            (MONTH["period"], None),
        ]
    assert "tokens" not in changed["quotas"][0]
    assert [(quota["tokens"], quota["cost"]) for quota in shown["quotas"]] == [("30", 0.5)] * 2
    assert shown["quotas"][0]["renewsAt"].endswith("T00:00:00Z")
    # Whoever uses the key sees them, too; quotas of keys are none of the organization's.
    *usage, at_a_time = (await client.call("QuotaService/ListQuotaUsage", {}, via))["usage"]
    assert (at_a_time["apiKeyId"], at_a_time["period"]) == (key, "QUOTA_PERIOD_MINUTE")
    assert {field: at_a_time[field] for field in limits} == limits
    assert at_a_time["requests"] == 20  # the batch that its first call has taken
    assert [(each["scope"], each["apiKeyId"], each["tokens"]) for each in usage] == [("QUOTA_SCOPE_KEY", key, "30")] * 2
    for method, field in (("ListQuotaUsage", "usage"), ("ListQuotas", "quotas")):
        others = (await owner.call(f"QuotaService/{method}", {}, via)).get(field, [])
        assert "QUOTA_SCOPE_KEY" not in {each["scope"] for each in others}
    number = await pool.fetchval("SELECT min(id) FROM quotas WHERE api_key_id = $1", key)
    with pytest.raises(NotFoundError):
        await owner.call("QuotaService/DeleteQuota", {"id": number}, via)

    changed = await set_quotas(owner, key, via, quotas=[DAY | {"maxTokens": "200"}])
    assert [(quota["maxTokens"], quota["tokens"]) for quota in changed["quotas"]] == [("200", "30")]
    assert "maxConcurrentRuns" not in changed
    assert "quotas" not in await set_quotas(owner, key, via)
    details = await pool.fetch("SELECT detail FROM audit_log WHERE target = $1 ORDER BY id", f"api-keys/{key}")
    assert details[1]["detail"] == {
        "quotas": {"day": {"max_tokens": 100}, "month": {"max_questions": 7, "max_cost": 2.5}},
        "max_requests_per_minute": 1000,
        "max_concurrent_runs": 5,
        "max_concurrent_streams": 3,
    }


@pytest.mark.parametrize("quotas", [[DAY, DAY], [{"period": "QUOTA_PERIOD_DAY"}], [{"maxTokens": "5"}]])
async def test_two_of_a_period_and_those_without_limit_are_refused(owner: Client, quotas: list[Any]) -> None:
    _, key = await made(owner)
    with pytest.raises(ValidationFailedError):
        await set_quotas(owner, key, quotas=quotas)


async def test_a_key_sets_neither_its_own_nor_those_of_its_maker(world: World, via: Transport) -> None:
    person = world.people["superadmin"]
    maker, first = await made(person, scopes=["API_KEY_SCOPE_ADMINISTER"])
    client, second = await made(maker)
    _, third = await made(client)
    for caller, key in ((client, second), (client, first), (maker, first)):
        with pytest.raises(PermissionDeniedError) as caught:
            await set_quotas(caller, key, via)
        assert caught.value.metadata["required"] == "other_key"
    assert (await set_quotas(client, third, via, quotas=[DAY]))["quotas"]
    assert (await set_quotas(maker, second, via, quotas=[DAY]))["quotas"]
    _, other = await made(person)
    with pytest.raises(PermissionDeniedError) as caught:
        await set_quotas(client, other, via)
    assert caught.value.metadata["required"] == "administer"
    assert await set_quotas(maker, other, via)


async def test_what_a_key_has_made_counts_for_it(owner: Client) -> None:
    client, key = await made(owner)
    below, _ = await made(client)
    await set_quotas(owner, key, maxConcurrentRuns=1)
    sent = await ask(below, requestId="once")
    for caller in (client, below):
        with pytest.raises(OverloadedError, match="The API key's limit of 1 unfinished questions at a time is reached"):
            await ask(caller)
    # A repeated request is no further question, and other keys are not limited.
    assert (await ask(below, requestId="once"))["run"]["id"] == sent["run"]["id"]
    await ask(owner)
    await owner.call("RunService/CancelRun", {"id": sent["run"]["id"]})
    await ask(client)


async def test_quotas_of_an_ended_key_stay_while_a_question_counts_for_it(owner: Client, gateway: Gateway) -> None:
    database = gateway.parts.dependencies.database
    client, key = await made(owner)
    below, _ = await made(client)
    await set_quotas(owner, key, quotas=[DAY])
    sent = await ask(below)
    await owner.call(f"{KEYS}/DeleteApiKey", {"id": key})
    for kept in (1, 0):
        await delete_once(database)
        assert await database.pool.fetchval("SELECT count(*) FROM quotas WHERE api_key_id = $1", key) == kept
        await owner.call("RunService/CancelRun", {"id": sent["run"]["id"]})


async def test_of_many_at_once_as_many_are_asked_as_may_be(owner: Client) -> None:
    client, key = await made(owner)
    await set_quotas(owner, key, maxConcurrentRuns=3)
    outcomes = await asyncio.gather(*(ask(client) for _ in range(12)), return_exceptions=True)
    assert sum(isinstance(each, dict) for each in outcomes) == 3
    assert sum(isinstance(each, OverloadedError) for each in outcomes) == 9


async def test_requests_and_streams_of_a_key_are_limited(owner: Client, gateway: Gateway) -> None:
    client, key = await made(owner)
    await set_quotas(owner, key, maxRequestsPerMinute=2)
    for _ in range(2):
        await client.call("UserService/GetCurrentUser")
    with pytest.raises(OverloadedError, match="The API key's limit of 2 requests a minute is used up") as caught:
        await client.call("UserService/GetCurrentUser")
    assert 1 <= int(caught.value.metadata["retry_after_seconds"]) <= 60
    await owner.call("UserService/GetCurrentUser")

    await set_quotas(owner, key, maxConcurrentStreams=1)
    headers = {"Authorization": f"Bearer {client.key}"}
    address = f"{client.http_url}/api/v1/users/me/events"
    async with client.session.get(address, headers=headers) as first:
        assert first.status == 200
        async with client.session.get(address, headers=headers) as second:
            assert (second.status, (await second.json())["error"]["reason"]) == (429, "OVERLOADED")
        assert [stream.call.principal.api_key_id for stream in gateway.parts.limits.streams].count(key) == 1


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses"])
async def test_a_run_of_openais_api_has_its_key(world: World, path: str) -> None:
    person = world.people["user"]
    assistant = await world.assistant("visible", person)
    client, key = await made(person)
    body = {"model": f"assistants/{assistant}", "input": "x", "messages": [{"role": "user", "content": "x"}]}
    headers = {"Authorization": f"Bearer {client.key}"}

    async def send() -> None:
        async with client.session.post(client.http_url + path, headers=headers, json=body) as response:
            await response.read()

    sending = asyncio.create_task(send())
    query = "SELECT id FROM runs WHERE api_key_id = $1"
    await until(lambda: world.pool.fetchval(query, key))
    await person.call("RunService/CancelRun", {"id": str(await world.pool.fetchval(query, key))})
    await sending


async def test_edited_and_repeated_questions_have_the_key_that_asks(world: World) -> None:
    person = world.people["user"]
    client, key = await made(person)
    sent = await ask(person, assistantId=await world.assistant("visible", person))
    for method, request in (
        ("EditMessage", {"id": sent["userMessage"]["id"], "content": "y"}),
        ("RegenerateMessage", {"id": sent["userMessage"]["id"]}),
        ("SendMessage", {"chatSessionId": sent["run"]["chatSessionId"], "content": "z"}),
    ):
        await person.call("RunService/CancelRun", {"id": sent["run"]["id"]})
        sent = await client.call(f"ChatMessageService/{method}", request)
        found = await world.pool.fetchval("SELECT api_key_id FROM runs WHERE id::text = $1", sent["run"]["id"])
        assert found == key, method
