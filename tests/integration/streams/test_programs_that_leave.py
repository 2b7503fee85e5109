"""A run that one program alone reads is cancelled when it has left, unless it has asked again at another replica."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp
import pytest

from echomind_api.conversations import unread_runs
from tests.drivers.client import Client
from tests.drivers.installation import PATIENCE_SECONDS, Installation, scripted

LONG, SHORT = "words=2000 delay=50", "words=60 delay=30"
"""Questions whose answers take 100 seconds and 2 seconds, both longer than the grace."""
UNLISTED: dict[str, dict[str, Any]] = {
    "chat/completions": {"messages": [{"role": "user", "content": LONG}]},
    "responses": {"input": LONG, "store": False},
}
LISTED: dict[str, dict[str, Any]] = {
    "chat/completions": {"messages": [{"role": "user", "content": SHORT}], "store": True},
    "responses": {"input": SHORT},
}


@pytest.fixture(autouse=True)
def grace(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short one, and the model that answers by the question."""
    monkeypatch.setattr(unread_runs, "GRACE_SECONDS", 0.1)
    installation.model.respond(scripted)


@asynccontextmanager
async def asking(
    installation: Installation,
    somebody: Client,
    path: str,
    body: dict[str, Any],
    replica: int = 0,
    key: str = "",
    retry: int = 0,
) -> AsyncIterator[aiohttp.ClientResponse]:
    """Asks with a connection of its own, which ends with the context; yields the response of a stream."""
    headers = {"Authorization": f"Bearer {somebody.key}"} | ({"Idempotency-Key": key} if key else {})
    headers["x-stainless-retry-count"] = str(retry)
    address = f"{installation.replicas[replica].http_url}/v1/{path}"
    request = {"model": "echomind", "stream": True} | body
    async with aiohttp.ClientSession() as http, http.post(address, json=request, headers=headers) as response:
        assert response.status == 200, await response.text()
        await response.content.readline()
        yield response


async def run_of(installation: Installation, somebody: Client) -> str:
    """Returns the only run of somebody when it is at work."""
    query = "SELECT id FROM runs WHERE user_id = $1 AND status = 'running'"
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (found := await installation.pool.fetch(query, somebody.user_id)):  # noqa: ASYNC110 - nobody is told
            await asyncio.sleep(0.02)
    assert len(found) == 1
    return str(found[0]["id"])


@pytest.mark.parametrize("path", UNLISTED)
@pytest.mark.parametrize("stream", [True, False])
async def test_a_run_that_nobody_reads_is_cancelled(installation: Installation, path: str, stream: bool) -> None:
    somebody = await installation.user()
    if stream:
        async with asking(installation, somebody, path, UNLISTED[path]):
            run = await run_of(installation, somebody)
    else:
        whole = asyncio.create_task(_read_whole(installation, somebody, path))
        run = await run_of(installation, somebody)
        whole.cancel()
    assert (await installation.ended(run))["status"] == "RUN_STATUS_CANCELLED"


async def _read_whole(installation: Installation, somebody: Client, path: str) -> None:
    async with asking(installation, somebody, path, UNLISTED[path] | {"stream": False}):
        raise AssertionError("The answer takes too long.")


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_a_question_by_mcp_is_cancelled(installation: Installation, version: str) -> None:
    """Without a notification, as if the program had died."""
    somebody = await installation.user()
    headers = {"Authorization": f"Bearer {somebody.key}", "Accept": "text/event-stream, application/json"}
    headers |= {"MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "ask"}
    params: dict[str, Any] = {"name": "ask", "arguments": {"question": LONG}}
    if version == "2026-07-28":
        info = {"name": "desk", "version": "1"}
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": info,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    async def ask() -> None:
        address = f"{installation.replicas[0].http_url}/mcp"
        async with aiohttp.ClientSession(headers=headers) as http, http.post(address, json=message) as response:
            raise AssertionError(await response.text())

    asked = asyncio.create_task(ask())
    run = await run_of(installation, somebody)
    asked.cancel()
    assert (await installation.ended(run))["status"] == "RUN_STATUS_CANCELLED"


@pytest.mark.parametrize("path", LISTED)
async def test_a_run_of_a_listed_conversation_goes_on(installation: Installation, path: str) -> None:
    somebody = await installation.user()
    async with asking(installation, somebody, path, LISTED[path]):
        run = await run_of(installation, somebody)
    assert (await installation.ended(run))["status"] == "RUN_STATUS_COMPLETED"


async def test_who_asks_again_at_another_replica_reads_on(installation: Installation) -> None:
    """The first connection ends after the second request, as behind a proxy that notices it late."""
    somebody = await installation.user()
    body = UNLISTED["chat/completions"] | {"messages": [{"role": "user", "content": SHORT}]}
    async with AsyncExitStack() as first, AsyncExitStack() as second:
        await first.enter_async_context(asking(installation, somebody, "chat/completions", body, key="again"))
        run = await run_of(installation, somebody)
        again = await second.enter_async_context(
            asking(installation, somebody, "chat/completions", body, replica=1, key="again")
        )
        await first.aclose()
        assert (await again.text()).rstrip().endswith("data: [DONE]")
    assert (await installation.ended(run))["status"] == "RUN_STATUS_COMPLETED"


async def test_the_last_one_who_asks_again_decides(installation: Installation) -> None:
    somebody = await installation.user()
    body = UNLISTED["chat/completions"]
    async with AsyncExitStack() as first:
        await first.enter_async_context(asking(installation, somebody, "chat/completions", body, key="again"))
        run = await run_of(installation, somebody)
        async with asking(installation, somebody, "chat/completions", body, replica=1, key="again"):
            pass
        assert (await installation.ended(run))["status"] == "RUN_STATUS_CANCELLED"


async def test_a_retry_asks_anew_after_the_cancellation(installation: Installation) -> None:
    """OpenAI's clients send no key, but count their retries."""
    somebody = await installation.user()
    body = UNLISTED["chat/completions"]
    async with asking(installation, somebody, "chat/completions", body):
        run = await run_of(installation, somebody)
    await installation.ended(run)
    async with asking(installation, somebody, "chat/completions", body, retry=1):
        again = await run_of(installation, somebody)
        assert again != run
    await installation.ended(again)
