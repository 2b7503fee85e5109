"""Scopes of API keys: every call needs the one that its method declares, on both transports."""

import re
from collections.abc import Callable
from typing import Any

import asyncpg
import pytest

from echomind_api.auth import tokens
from echomind_api.calls.authentication import PUBLIC_METHODS
from echomind_api.calls.scopes import HANDWRITTEN, required_scope
from echomind_lib.access.principal import SCOPES
from echomind_lib.contract.http_call import http_rule
from echomind_lib.errors import EchoMindError, PermissionDeniedError
from tests.drivers.client import METHODS, Client, error_of
from tests.drivers.gateway import NewUser
from tests.factories import rows
from tests.factories.world import World, name

OF_CONTRACT = [method for method in METHODS if f"echomind.public.v1.{method}" not in PUBLIC_METHODS]
BY_HAND: dict[str, tuple[str, str]] = {
    "DocumentService/DownloadDocument": ("GET", "/api/v1/documents/1:download"),
    "DocumentService/UploadDocuments": ("POST", "/api/v1/documents:upload"),
    "EmbeddingModelService/Embed": ("POST", "/v1/embeddings"),
    "McpService/Serve": ("POST", "/mcp"),
    "Health/GetMetrics": ("GET", "/metrics"),
    "UserService/ExportUser": ("GET", "/api/v1/users/1:export"),
}
"""Where a key is refused without its scope."""
NOT_REFUSED = {"Health/GetReadiness", "SessionShareService/OpenSharedPage"}
"""What answers with less, and what needs the web UI's files."""
Keys = Callable[[str], Client]


@pytest.fixture
async def without(new_user: NewUser, pool: asyncpg.Pool) -> Keys:
    """Keys of a superadmin that have every scope but one; `administer` is not missing where another one is."""
    boss = await new_user("superadmin")
    keys: dict[str, Client] = {}
    for scope in SCOPES:
        new = tokens.new_api_key()
        values = {"prefix": tokens.prefix(new.text), "sha256": new.sha256, "scopes": sorted(set(SCOPES) - {scope})}
        await rows.api_key(pool, user_id=boss.user_id, name=name(), **values)
        keys[scope] = boss.as_(new.text, boss.user_id)
    return keys.__getitem__


async def over_http(client: Client, verb: str, path: str, body: Any = None) -> None:
    headers = {"Authorization": f"Bearer {client.key}", "Accept": "application/json, text/event-stream"}
    async with client.session.request(verb, client.http_url + path, headers=headers, json=body) as response:
        answer = await response.json()
    if response.status >= 400:
        raise error_of(answer)


def test_every_scope_is_declared_by_some_method() -> None:
    assert {required_scope(method) for method in METHODS.values()} == set(SCOPES)


async def test_no_method_is_called_without_its_scope(without: Keys) -> None:
    for method in OF_CONTRACT:
        scope = required_scope(METHODS[method])
        client = without(scope)
        with pytest.raises(PermissionDeniedError) as caught:
            await client.call(method, {})
        assert caught.value.metadata == {"required": scope}, method
        if rule := http_rule(METHODS[method]):
            path = re.sub(r"\{[^}]*\}", "1", rule.template)
            with pytest.raises(PermissionDeniedError) as caught:
                await over_http(client, rule.verb, path, {} if rule.body else None)
            assert caught.value.metadata == {"required": scope}, method


async def test_no_handwritten_route_is_called_without_its_scope(without: Keys) -> None:
    assert BY_HAND.keys() == HANDWRITTEN.keys() - NOT_REFUSED
    for method, (verb, path) in BY_HAND.items():
        client = without(HANDWRITTEN[method])
        headers, body = {"Authorization": f"Bearer {client.key}"}, {"model": "x", "input": "x"}
        async with client.session.request(verb, client.http_url + path, headers=headers, json=body) as response:
            assert response.status == 403, (method, await response.text())
            assert HANDWRITTEN[method] in await response.text()


async def test_openai_routes_take_the_scopes_of_what_they_do(without: Keys) -> None:
    question = {"model": "x", "messages": [{"role": "user", "content": "x"}]}
    for scope, verb, path, body in (
        ("ask", "POST", "/v1/chat/completions", question),
        ("ask", "POST", "/v1/responses", {"model": "x", "input": "x"}),
        ("read", "GET", "/v1/models", None),
    ):
        client = without(scope)
        headers = {"Authorization": f"Bearer {client.key}"}
        async with client.session.request(verb, client.http_url + path, headers=headers, json=body) as response:
            assert response.status == 403, (path, await response.text())


async def test_a_key_hands_on_no_scope_that_it_lacks(world: World) -> None:
    person = world.people["superadmin"]
    manager = await world.with_scope(person, "manage")
    made = await manager.call("ApiKeyService/CreateApiKey", {"name": name()})
    assert made["apiKey"]["scopes"] == ["API_KEY_SCOPE_MANAGE"]
    for scope in set(SCOPES) - {"manage"}:
        wider = {"name": name(), "scopes": [f"API_KEY_SCOPE_{scope.upper()}"]}
        with pytest.raises(PermissionDeniedError) as caught:
            await manager.call("ApiKeyService/CreateApiKey", wider)
        assert caught.value.metadata == {"required": scope}


async def test_a_refused_scope_is_in_the_audit_log(world: World, gateway: Any) -> None:
    reader = await world.with_scope(world.people["user"], "read")
    await gateway.parts.denials.flush()
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    with pytest.raises(EchoMindError):
        await reader.call("NotebookService/CreateNotebook", {})
    await gateway.parts.denials.flush()
    (entry,) = await world.pool.fetch(
        "SELECT action, denied FROM audit_log WHERE id > $1 AND actor_id = $2", before, reader.user_id
    )
    assert tuple(entry) == ("NotebookService/CreateNotebook", True)
