"""API keys for some assistants or connectors only: what they use, read and begin, on both transports."""

from typing import Any
from uuid import uuid4

import aiohttp
import pytest

from echomind_api.calls.authentication import PUBLIC_METHODS
from echomind_api.calls.scopes import WITHIN_LIMITS
from echomind_api.main import Gateway
from echomind_lib.access.principal import EVERYDAY_SCOPES
from echomind_lib.errors import (
    EchoMindError,
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from tests.drivers.client import METHODS, Client, Transport
from tests.factories.permissions import TABLE, reachable
from tests.factories.permissions.rows import HIDDEN
from tests.factories.world import World, name

WITHOUT_SIGN_IN = {each.rpartition(".")[2] for each in PUBLIC_METHODS}
ANSWERED = {
    "ApiKeyService/CreateApiKey",
    "AssistantService/ListAssistants",
    "ChatMessageService/SendMessage",
    "ChatMessageService/StreamMessage",
    "ChatSessionService/CreateChatSession",
    "ChatSessionService/ListChatSessions",
    "ConnectorService/ListConnectors",
    "DocumentService/CountDocuments",
    "DocumentService/ListDocumentFolders",
    "DocumentService/ListDocuments",
    "RunService/ListRuns",
    "SearchService/Search",
    "SystemService/GetAbout",
    "UserService/GetCurrentUser",
}
"""What a key with limits may call without naming anything."""


async def limited(person: Client, **limits: list[int]) -> Client:
    """Returns a person with a key that has limits."""
    made = await person.call("ApiKeyService/CreateApiKey", {"name": name()} | limits)
    return person.as_(made["secret"], person.user_id)


async def ask(somebody: Client, via: Transport = "grpc", **request: Any) -> dict[str, Any]:
    return await somebody.call("ChatMessageService/SendMessage", {"content": "x"} | request, via)


async def end(world: World, sent: dict[str, Any]) -> None:
    """Ends a run as if it had been answered."""
    run = sent["run"]["id"]
    await world.pool.execute(
        "UPDATE runs SET status = 'completed', completed_at = now() WHERE id = $1::text::uuid", run
    )
    await world.pool.execute(
        "UPDATE chat_messages SET status = 'completed', content = 'So.' WHERE run_id = $1::text::uuid", run
    )


async def test_what_does_not_check_limits_is_refused(world: World, via: Transport) -> None:
    """Whatever is new in the contract is refused, too, until it is listed."""
    person = world.people["superadmin"]
    key = await limited(person, assistantIds=[await world.assistant("visible", person)])
    for method in METHODS.keys() - {each.rpartition(".")[2] for each in WITHIN_LIMITS} - WITHOUT_SIGN_IN:
        if method.startswith("SessionShareService/ReadSharedSession") or not reachable(method, via):
            continue
        row = TABLE[method]
        request = row.ask(await row.make(world, next(iter(row.expected)), person)) if via == "rest" else {}
        with pytest.raises(PermissionDeniedError) as caught:
            await key.call(method, request, via)
        assert caught.value.metadata["required"] in {"key_without_limits", "administer"}, method


@pytest.mark.usefixtures("tool_listing")
async def test_what_is_outside_the_limits_is_not_there(world: World, via: Transport) -> None:
    """Every call that names something: of the key's own owner, who may do it with another key."""
    person = world.people["superadmin"]
    key = await limited(
        person,
        assistantIds=[await world.assistant("visible", person)],
        connectorIds=[await world.connector("org", person)],
    )
    tried = set()
    for method in sorted(each.rpartition(".")[2] for each in WITHIN_LIMITS):
        if method not in METHODS or method in ANSWERED or method.startswith("ApiKeyService/"):
            continue
        row = TABLE[method]
        resource = await row.make(world, next(iter(row.expected)), person)
        if not reachable(method, via):
            continue
        with pytest.raises(EchoMindError) as caught:
            await key.call(method, row.ask(resource), via)
        assert caught.value.reason == HIDDEN, method
        tried.add(method)
    assert len(tried) >= 28


async def test_a_key_for_one_assistant_asks_no_other(world: World, via: Transport) -> None:
    person = world.people["user"]
    own, other = await world.assistant("visible", person), await world.assistant("visible", person)
    earlier = await ask(person, assistantId=other)
    await end(world, earlier)
    key = await limited(person, assistantIds=[own])
    assert (await ask(key, via))["run"]["assistantId"] == own  # without a name: the only one
    for request in (
        {"assistantId": other},
        {"chatSessionId": earlier["run"]["chatSessionId"]},
        {"chatSessionId": earlier["run"]["chatSessionId"], "assistantId": own},
    ):
        with pytest.raises(NotFoundError):
            await ask(key, via, **request)
    question, answer = earlier["userMessage"]["id"], earlier["assistantMessage"]["id"]
    for method, request in (
        ("EditMessage", {"id": question, "content": "y"}),
        ("RegenerateMessage", {"id": answer}),
        ("GetMessage", {"id": answer}),
    ):
        with pytest.raises(NotFoundError):
            await key.call(f"ChatMessageService/{method}", request, via)
    with pytest.raises(NotFoundError):
        await key.call("ChatSessionService/CreateChatSession", {"chatSession": {"assistantId": other}}, via)
    listed = await key.call("AssistantService/ListAssistants", {}, via)
    assert [each["id"] for each in listed["assistants"]] == [own]


async def test_a_key_reads_and_continues_what_it_began_and_nothing_else(world: World, via: Transport) -> None:
    person = world.people["user"]
    assistant = await world.assistant("visible", person)
    foreign = await ask(person, assistantId=assistant)
    first, second = [await limited(person, assistantIds=[assistant]) for _ in range(2)]
    begun = await ask(first, via, requestId=str(uuid4()))
    await end(world, begun)
    session = begun["run"]["chatSessionId"]
    later = await ask(first, via, chatSessionId=session)
    await end(world, later)
    regenerated = await first.call("ChatMessageService/RegenerateMessage", {"id": later["assistantMessage"]["id"]}, via)
    await end(world, regenerated)
    forked = await first.call("ChatSessionService/ForkChatSession", {"id": session}, via)
    sessions = await first.call("ChatSessionService/ListChatSessions", {}, via)
    assert {each["id"] for each in sessions["chatSessions"]} == {session, forked["id"]}
    runs = await first.call("RunService/ListRuns", {}, via)
    assert {each["id"] for each in runs["runs"]} == {each["run"]["id"] for each in (begun, later, regenerated)}
    for reader, hidden in ((first, foreign["run"]), (second, begun["run"])):
        for method, resource in (
            ("RunService/GetRun", hidden["id"]),
            ("ChatSessionService/GetChatSession", hidden["chatSessionId"]),
        ):
            with pytest.raises(NotFoundError):
                await reader.call(method, {"id": resource}, via)
    # Its owner reads and continues it, within the limits.
    assert await person.call("ChatSessionService/GetChatSession", {"id": session}, via)
    other = await world.assistant("visible", person)
    change = {"id": session, "chatSession": {"assistantId": other}, "updateMask": "assistantId"}
    await person.call("ChatSessionService/UpdateChatSession", change, via)
    with pytest.raises(EchoMindError) as caught:
        await ask(person, via, chatSessionId=session)
    assert caught.value.reason == "ASSISTANT_UNAVAILABLE"


async def test_a_repeated_request_of_another_key_is_not_shown(world: World, via: Transport) -> None:
    person = world.people["user"]
    assistant = await world.assistant("visible", person)
    request = {"content": "the secret", "assistantId": assistant, "requestId": str(uuid4())}
    await ask(person, via, **request)
    key = await limited(person, assistantIds=[assistant])
    with pytest.raises(NotFoundError):
        await ask(key, via, **request)


async def test_a_key_for_one_connector_reads_and_fills_no_other(world: World, via: Transport) -> None:
    person = world.people["user"]
    shared = await world.connector("org", person)
    document = await world.document("own", person)
    other = await world.pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", document)
    key = await limited(person, connectorIds=[shared])
    listed = await key.call("ConnectorService/ListConnectors", {}, via)
    assert [each["id"] for each in listed["connectors"]] == [shared]
    for method, resource in (
        ("ConnectorService/GetConnector", other),
        ("DocumentService/GetDocument", document),
        ("DocumentService/GetDocumentText", document),
        ("DocumentService/DeleteDocument", document),
    ):
        with pytest.raises(NotFoundError):
            await key.call(method, {"id": resource}, via)
    with pytest.raises(NotFoundError):
        await ask(key, via, documentIds=[str(document)])
    # A name that no connector of the key has makes no new one.
    before = await world.pool.fetchval("SELECT count(*) FROM connectors")
    for connector in ({"connector_id": str(other)}, {"connector": name()}, {}):
        form = aiohttp.FormData(connector)
        form.add_field("file", b"x", filename="a.txt")
        url, headers = f"{key.http_url}/api/v1/documents:upload", {"Authorization": f"Bearer {key.key}"}
        async with key.session.post(url, data=form, headers=headers) as response:
            assert response.status == 404, await response.text()
    assert await world.pool.fetchval("SELECT count(*) FROM connectors") == before


async def test_a_limit_whose_thing_was_removed_leaves_nothing(world: World, via: Transport) -> None:
    person = world.people["superadmin"]
    assistant, connector = await world.assistant("visible", person), await world.connector("org", person)
    key = await limited(person, assistantIds=[assistant], connectorIds=[connector])
    await world.pool.execute("UPDATE assistants SET deleted_date = now() WHERE id = $1", assistant)
    await world.pool.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", connector)
    assert await key.call("AssistantService/ListAssistants", {}, via) == {}
    assert await key.call("ConnectorService/ListConnectors", {}, via) == {}
    with pytest.raises(NotFoundError):
        await ask(key, via)


async def test_a_key_made_by_a_limited_key_is_limited_at_most_likewise(world: World, via: Transport) -> None:
    person = world.people["superadmin"]
    first, second = await world.assistant("visible", person), await world.assistant("visible", person)
    connector = await world.connector("org", person)
    key = await limited(person, assistantIds=[first], connectorIds=[connector])
    for request in ({}, {"assistantIds": [first]}, {"connectorIds": [connector]}):
        made = await key.call("ApiKeyService/CreateApiKey", {"name": name()} | request, via)
        assert made["apiKey"]["assistantIds"] == [first]
        assert made["apiKey"]["connectorIds"] == [connector]
    own = await world.connector("own", person)
    for request in ({"assistantIds": [second]}, {"assistantIds": [first, second]}, {"connectorIds": [own]}):
        with pytest.raises(NotFoundError):
            await key.call("ApiKeyService/CreateApiKey", {"name": name()} | request, via)


async def test_a_limit_names_what_its_maker_may_use(world: World, via: Transport) -> None:
    person = world.people["user"]
    for limit in (
        {"assistantIds": [await world.assistant("hidden", person)]},
        {"assistantIds": [2**31 - 1]},
        {"connectorIds": [await world.connector("foreign", person)]},
    ):
        with pytest.raises(NotFoundError):
            await person.call("ApiKeyService/CreateApiKey", {"name": name()} | limit, via)
    boss = world.people["superadmin"]
    limited = {
        "assistantIds": [await world.assistant("visible", boss)],
        "scopes": ["API_KEY_SCOPE_ADMINISTER"],
    }
    with pytest.raises(ValidationFailedError, match="administer"):
        await boss.call("ApiKeyService/CreateApiKey", {"name": name()} | limited, via)


async def test_limits_are_shown_and_in_the_audit_log(world: World) -> None:
    person = world.people["user"]
    assistant = await world.assistant("visible", person)
    made = await person.call("ApiKeyService/CreateApiKey", {"name": name(), "assistantIds": [assistant]})
    listed = (await person.call("ApiKeyService/ListApiKeys", {}))["apiKeys"]
    assert next(each for each in listed if each["id"] == made["apiKey"]["id"])["assistantIds"] == [assistant]
    detail = await world.pool.fetchval(
        "SELECT detail FROM audit_log WHERE target = $1", f"api-keys/{made['apiKey']['id']}"
    )
    assert detail["assistant_ids"] == [assistant]
    assert "connector_ids" not in detail


async def test_openai_routes_keep_to_the_limits(world: World, gateway: Gateway) -> None:
    person = world.people["user"]
    own, other = await world.assistant("visible", person), await world.assistant("visible", person)
    earlier = await ask(person, assistantId=own)
    await end(world, earlier)
    key = await limited(person, assistantIds=[own])

    async def request(verb: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {key.key}"}
        async with key.session.request(verb, key.http_url + path, headers=headers, json=body) as response:
            return response.status, await response.json()

    status, models = await request("GET", "/v1/models")
    assert status == 200
    assert len(models["data"]) == 1
    question = {"messages": [{"role": "user", "content": "x"}]}
    status, _ = await request("POST", "/v1/chat/completions", question | {"model": f"assistants/{other}"})
    assert status == 404
    response = f"resp_{earlier['run']['id'].replace('-', '')}"
    status, _ = await request("GET", f"/v1/responses/{response}")
    assert status == 404
    before = await world.pool.fetchval("SELECT count(*) FROM chat_sessions")
    status, answer = await request(
        "POST",
        "/v1/responses",
        {"model": f"assistants/{own}", "input": "y", "previous_response_id": response},
    )
    assert (status, answer["error"]["code"]) == (400, "previous_response_not_found")
    assert await world.pool.fetchval("SELECT count(*) FROM chat_sessions") == before


def test_limits_are_checked_for_calls_of_everyday_scopes_alone() -> None:
    from echomind_api.calls.scopes import HANDWRITTEN, required_scope

    for each in WITHIN_LIMITS:
        method = each.rpartition(".")[2]
        scope = HANDWRITTEN.get(method) or required_scope(METHODS[method])
        assert scope in EVERYDAY_SCOPES, method
