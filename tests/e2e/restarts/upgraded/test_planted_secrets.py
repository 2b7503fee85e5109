"""Twenty kinds of secrets: in no trace, log, error, audit entry, export or file of the data folder.

Some are given to EchoMind and kept encrypted, some are made by it and shown once, some are typed wrongly; and servers
repeat them in what they answer.
"""

import asyncio
import json
import secrets
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp

from tests.drivers.collector import Collector
from tests.drivers.mcp_server import served
from tests.drivers.model_server import Error, ModelServer, Text, Tools
from tests.drivers.up import sse
from tests.drivers.upgraded import Installation

_LARGEST = 256 * 1024 * 1024


class Planting:
    """Plants secrets by the API of an installation."""

    def __init__(self, client: aiohttp.ClientSession) -> None:
        self.planted: dict[str, str] = {}
        self.shown: list[str] = []
        """What anybody was shown later: lists, exports, errors."""
        self._made: list[str] = []
        self._client = client

    def new(self, name: str) -> str:
        """Returns a secret that is given to EchoMind."""
        self.planted[name] = f"planted-{name}-{secrets.token_hex(12)}"
        return self.planted[name]

    def made(self, name: str, secret: str) -> str:
        """Notes a secret that EchoMind has made: of a link, what is secret of its address."""
        is_path = secret.startswith("/")
        self.planted[name] = secret.replace("=", "/").rpartition("/")[2] if is_path else secret
        assert len(self.planted[name]) >= 20
        return secret

    async def post(self, path: str, body: dict[str, Any], **headers: str) -> dict[str, Any]:
        """Returns the answer to a call that succeeds."""
        async with self._client.post(f"/api/v1/{path}", json=body, headers=headers) as response:
            assert response.status == 200, (path, await response.text())
            answer: dict[str, Any] = await response.json()
            return answer

    async def refused(self, path: str, body: dict[str, Any], **headers: str) -> None:
        """Makes a call that fails, whose error is shown."""
        async with self._client.post(path, json=body, headers=headers) as response:
            assert response.status >= 400, path
            self.shown.append(await response.text())

    async def add(self, collection: str, body: dict[str, Any]) -> dict[str, Any]:
        """Adds something that `tidy` removes, and returns it with what else the answer has."""
        answer = await self.post(collection, body)
        self._made.append(f"{collection}/{next(iter(answer.values()))['id'] if 'secret' in answer else answer['id']}")
        return answer

    async def tidy(self) -> None:
        """Removes what works by itself or is shown to everybody."""
        for path in self._made:
            async with self._client.delete(f"/api/v1/{path}") as response:
                assert response.status == 200, (path, await response.text())

    async def get(self, path: str) -> bytes:
        """Returns what anybody is shown."""
        async with self._client.get(f"/api/v1/{path}") as response:
            assert response.status == 200, (path, await response.text())
            return await response.read()

    async def ask(self, assistant_id: int) -> dict[str, Any]:
        """Returns the last event of a question."""
        question = {"content": "How?", "assistantId": assistant_id}
        async with self._client.post("/api/v1/chat-sessions/-/messages:stream", json=question) as response:
            return [event async for event in sse(response)][-1]


async def plant_in_settings(given: Planting, server_url: str) -> None:
    """Gives EchoMind the secrets of models, sources and providers, and lets it use them with a server that refuses."""
    served = {"modelId": "m", "endpoint": server_url}
    embedding = {"modelName": "planted", "protocol": "EMBEDDING_PROTOCOL_OPENAI", "apiKey": given.new("embedding")}
    await given.refused("/api/v1/embedding-models", embedding | served)  # it is asked before it is stored
    reranker = {"name": "planted", "protocol": "RERANK_PROTOCOL_COHERE", "apiKey": given.new("reranker")}
    reranker_id = (await given.add("rerankers", reranker | served))["id"]
    given.shown.append(json.dumps(await given.post(f"rerankers/{reranker_id}:test", {})))
    provider = {"name": "planted", "issuer": server_url, "clientId": "echomind", "clientSecret": given.new("provider")}
    await given.add("identity-providers", provider)
    keys = {"access_key": "AKIA", "secret_key": given.new("store")}
    source: dict[str, Any] = {"typeName": "storage", "credentials": {"s3": keys}}
    source["config"] = {"service": "s3", "bucket": "planted", "endpoint": server_url, "region": "eu"}
    given.shown.append(json.dumps(await given.post("connectors:test", source)))
    source |= {"name": "planted", "scope": "SCOPE_USER"}
    await given.refused("/api/v1/connectors", source | {"credentials": {"s3": keys | {"unknown": given.new("typo")}}})
    await given.add("connectors", source)


async def plant_of_people(given: Planting, me: dict[str, Any]) -> None:
    """Has EchoMind make secrets of accounts and programs, and signs in with wrong ones."""
    made = await given.post("api-keys", {"name": "Nightly", "scopes": ["API_KEY_SCOPE_READ"]})
    given.made("key", made["secret"])
    rotated = await given.post(f"api-keys/{made['apiKey']['id']}:rotate", {"overlapSeconds": 3600})
    given.made("rotated key", rotated["secret"])
    events = ["WEBHOOK_EVENT_TYPE_RUN_COMPLETED"]
    hook = await given.add("webhooks", {"url": "https://example.org/hook", "eventTypes": events})
    given.made("webhook", hook["secret"])
    given.made("rotated webhook", (await given.post(f"webhooks/{hook['webhook']['id']}:rotate", {}))["secret"])
    client = await given.add("scim-clients", {"name": "planted"})
    given.made("scim", (await given.post(f"scim-clients/{client['id']}/tokens", {}))["secret"])
    given.made("invitation", (await given.post("invitations", {}))["path"])
    given.made("sign-in link", (await given.post("auth/links", {"userId": me["id"]}))["path"])
    given.made("password link", (await given.post("auth/password-links", {"userId": me["id"]}))["path"])
    group = await given.post("groups", {"name": "planted"})
    account = await given.post("service-accounts", {"name": "planted", "ownerGroupId": group["id"]})
    key = await given.post(f"service-accounts/{account['id']}/keys", {"name": "planted"})
    given.made("key of a service account", key["secret"])
    given.made("device", (await given.post("device-sign-ins", {"clientName": "planted"}))["deviceCode"])

    await given.refused("/auth/sign-in", {"userName": me["userName"], "password": given.new("wrong password")})
    await given.refused("/api/v1/auth/password", {"password": "short", "currentPassword": given.new("old password")})
    for name, token in (
        ("wrong key", f"em_{secrets.token_urlsafe(32)}"),
        ("wrong token", f"ey.{secrets.token_hex(32)}"),
    ):
        given.planted[name] = token
        await given.refused("/api/v1/groups", {"name": "x"}, Authorization=f"Bearer {token}")
    await given.refused("/api/v1/device-sign-ins:complete", {"deviceCode": given.new("wrong device")})
    await given.refused("/api/v1/shared-sessions:read", {"token": given.new("wrong link")})
    await given.refused(f"/auth/invitation?token={given.new('wrong invitation')}", {})


async def test_secrets_are_nowhere_in_clear(
    upgraded: Installation, collector: Collector, model_server: ModelServer
) -> None:
    traced = upgraded.up
    headers = {"Authorization": f"Bearer {traced.api_key}"}
    async with aiohttp.ClientSession(traced.url, headers=headers) as client, served() as mcp_url:
        given = Planting(client)
        given.planted["owner's key"] = traced.api_key
        me = json.loads(await given.get("users/me"))
        await plant_of_people(given, me)
        await plant_in_settings(given, model_server.url)
        llm = {"name": "Planted", "provider": "LLM_PROVIDER_OPENAI", "modelId": "gpt-planted"}
        llm_id = (await given.post("llms", llm | {"apiKey": given.new("model"), "endpoint": model_server.url}))["id"]
        server: dict[str, Any] = {
            "name": "test",
            "transport": "MCP_TRANSPORT_STREAMABLE_HTTP",
            "url": mcp_url,
            "allowedTools": ["*"],
        }
        server["headers"] = {"X-Token": given.new("header")}
        program: dict[str, Any] = {"name": "program", "transport": "MCP_TRANSPORT_STDIO", "command": "no-such-program"}
        program |= {"env": {"TOKEN": given.new("environment")}, "allowedTools": ["*"]}
        config = {"mcpServers": [server]}
        new = {"name": "Planted", "llmId": llm_id, "isVisible": True}
        await given.refused("/api/v1/assistants", new | {"config": {"mcpServers": [server, program]}})
        assistant = await given.post("assistants", new | {"config": config})
        # The server of the model repeats its key.
        model_server.script(
            [
                Error(401, f"Incorrect API key provided: {given.planted['model']}"),
                Tools([("test__echo", {"text": "hello"})]),
                Text("Done."),
            ]
        )
        refused = await given.ask(assistant["id"])
        assert "failed" in refused["finished"]["status"].lower()
        answered = await given.ask(assistant["id"])
        assert answered["finished"]["message"]["content"] == "Done."
        assert f"Bearer {given.planted['model']}" in {each.get("authorization") for each in model_server.headers}
        session = answered["chatSessionId"]
        given.made("share", (await given.post(f"chat-sessions/{session}/shares", {}))["path"])
        for path in (
            f"chat-sessions/{session}:export",
            "audit-entries?pageSize=1000",
            "assistants",
            "llms",
            "embedding-models",
            "rerankers",
            "identity-providers",
            "scim-clients",
            "invitations",
            "service-accounts",
            "session-shares",
            "connectors",
            "webhooks",
            "api-keys",
            "users",
        ):
            given.shown.append((await given.get(path)).decode())
        archive = zipfile.ZipFile(BytesIO(await given.get(f"users/{me['id']}:export")))
        assert {"data/api_keys.jsonl", "data/webhooks.jsonl"} <= set(archive.namelist())
        given.shown += [archive.read(name).decode("latin-1") for name in archive.namelist()]
        await given.tidy()
        run_id = answered["runId"].replace("-", "")
        await asyncio.to_thread(
            collector.wait, lambda: any(span.trace_id == run_id and not span.parent_id for span in collector.spans)
        )
    assert len(given.planted) >= 20
    assert any(b"gpt-planted" in body for body in collector.bodies)
    assert await asyncio.to_thread(_places, traced.data_dir, ["gpt-planted"])
    found = await asyncio.to_thread(_places, traced.data_dir, list(given.planted.values()))
    assert found == {"owner-api-key": traced.api_key}
    for name, secret in given.planted.items():
        assert not any(secret in text for text in given.shown), name
        assert not any(secret.encode() in body for body in collector.bodies), name


def _places(folder: Path, texts: list[str]) -> dict[str, str]:
    """Returns the files in which one of the texts stands, with that text."""
    found: dict[str, str] = {}
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # servers remove files meanwhile
            if path.is_file() and path.stat().st_size <= _LARGEST:
                content = path.read_bytes()
                found |= {str(path.relative_to(folder)): text for text in texts if text.encode() in content}
    return found
