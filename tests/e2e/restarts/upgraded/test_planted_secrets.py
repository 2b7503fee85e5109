"""Secrets of settings: in no trace, no log, no export and no file of the data folder, also when servers repeat them."""

import asyncio
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


async def test_secrets_of_settings_are_nowhere_in_clear(
    upgraded: Installation, collector: Collector, model_server: ModelServer
) -> None:
    planted = {name: f"planted-{name}-{secrets.token_hex(12)}" for name in ("model", "header")}
    traced = upgraded.up
    headers = {"Authorization": f"Bearer {traced.api_key}"}
    async with aiohttp.ClientSession(traced.url, headers=headers) as client, served() as mcp_url:

        async def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
            async with client.post(f"/api/v1/{path}", json=body) as response:
                assert response.status == 200, await response.text()
                answer: dict[str, Any] = await response.json()
                return answer

        async def ask(assistant_id: int) -> dict[str, Any]:
            question = {"content": "How?", "assistantId": assistant_id}
            async with client.post("/api/v1/chat-sessions/-/messages:stream", json=question) as response:
                return [event async for event in sse(response)][-1]

        key = await post("api-keys", {"name": "Nightly", "scopes": ["API_KEY_SCOPE_READ"]})
        planted["key"] = key["secret"]
        events = ["WEBHOOK_EVENT_TYPE_RUN_COMPLETED"]
        hook = await post("webhooks", {"url": "https://example.org/hook", "eventTypes": events})
        planted["webhook"] = hook["secret"]
        llm = {
            "name": "Planted",
            "provider": "LLM_PROVIDER_OPENAI",
            "modelId": "gpt-planted",
            "apiKey": planted["model"],
        }
        llm_id = (await post("llms", llm | {"endpoint": model_server.url}))["id"]
        server: dict[str, Any] = {
            "name": "test",
            "transport": "MCP_TRANSPORT_STREAMABLE_HTTP",
            "url": mcp_url,
            "allowedTools": ["*"],
        }
        server["headers"] = {"X-Token": planted["header"]}
        config = {"mcpServers": [server]}
        assistant = await post("assistants", {"name": "Planted", "llmId": llm_id, "config": config, "isVisible": True})
        # The server of the model repeats its key.
        model_server.script(
            [
                Error(401, f"Incorrect API key provided: {planted['model']}"),
                Tools([("test__echo", {"text": "hello"})]),
                Text("Done."),
            ]
        )
        refused = await ask(assistant["id"])
        assert "failed" in refused["finished"]["status"].lower()
        answered = await ask(assistant["id"])
        assert answered["finished"]["message"]["content"] == "Done."
        assert {given["authorization"] for given in model_server.headers} == {f"Bearer {planted['model']}"}
        shown = []
        for path in (
            f"chat-sessions/{answered['chatSessionId']}:export",
            "audit-entries?pageSize=200",
            "assistants",
            "llms",
            "webhooks",
            "api-keys",
        ):
            async with client.get(f"/api/v1/{path}") as response:
                assert response.status == 200, (path, await response.text())
                shown.append(await response.text())
        async with client.get("/api/v1/users/me") as response:
            me = await response.json()
        async with client.get(f"/api/v1/users/{me['id']}:export") as response:
            archive = zipfile.ZipFile(BytesIO(await response.read()))
        assert {"data/api_keys.jsonl", "data/webhooks.jsonl"} <= set(archive.namelist())
        shown += [archive.read(name).decode("latin-1") for name in archive.namelist()]
        async with client.delete(f"/api/v1/webhooks/{hook['webhook']['id']}") as response:
            assert response.status == 200, await response.text()
        run_id = answered["runId"].replace("-", "")
        await asyncio.to_thread(
            collector.wait, lambda: any(span.trace_id == run_id and not span.parent_id for span in collector.spans)
        )
    assert any(b"gpt-planted" in body for body in collector.bodies)
    assert await asyncio.to_thread(_places, traced.data_dir, ["gpt-planted"])
    assert await asyncio.to_thread(_places, traced.data_dir, list(planted.values())) == {}
    for name, secret in planted.items():
        assert not any(secret in text for text in shown), name
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
