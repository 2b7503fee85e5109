"""An assistant with a scripted model, for programs that speak OpenAI's API, and their clients."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import aiohttp
from openai import AsyncOpenAI

from tests.drivers.model_server import ModelServer
from tests.drivers.up import Up

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Returns the weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
"""A tool that a program runs itself."""


@dataclass(frozen=True)
class Programs:
    """A product with an assistant for programs."""

    up: Up
    http: aiohttp.ClientSession
    model: str
    """The assistant's model id."""
    server: ModelServer

    def client(self, *, api_key: str = "", **options: Any) -> AsyncOpenAI:
        """Returns the official client."""
        return AsyncOpenAI(base_url=f"{self.up.url}/v1", api_key=api_key or self.up.api_key, **options)

    async def get(self, path: str) -> dict[str, Any]:
        """Reads a resource of our own API."""
        async with self.http.get(f"/api/v1/{path}") as response:
            assert response.status == 200, await response.text()
            found: dict[str, Any] = await response.json()
            return found

    async def runs(self) -> list[dict[str, Any]]:
        """Returns the newest runs, newest first."""
        runs: list[dict[str, Any]] = (await self.get("runs?pageSize=1000"))["runs"]
        return runs

    async def is_back(self) -> None:
        """Waits until the gateway serves again."""
        async with asyncio.timeout(60):
            while True:
                with suppress(aiohttp.ClientError):
                    async with self.http.get("/readyz") as response:
                        if response.status == 200:
                            return
                await asyncio.sleep(0.1)

    def kill(self, process: str) -> None:
        """Kills the agent that asks the model, or another process by its name."""
        asks_model = process == "echomind-agent"
        self.up.kill(process, {port for _, port in self.server.connections} if asks_model else None)


@asynccontextmanager
async def scripted_programs(
    up: Up, http: aiohttp.ClientSession, server: ModelServer, name: str = "For Programs", **values: Any
) -> AsyncIterator[Programs]:
    """An assistant whose model is scripted, with further values of it; removed at the end."""
    llm = {"name": name, "provider": "LLM_PROVIDER_OPENAI", "modelId": "m", "endpoint": server.url, "apiKey": "none"}
    llm_id = await _created(http, "llms", llm)
    assistant_id = await _created(http, "assistants", {"name": name, "llmId": llm_id, "isVisible": True} | values)
    yield Programs(up, http, name.lower().replace(" ", "-"), server)
    for path in (f"assistants/{assistant_id}", f"llms/{llm_id}"):
        async with http.delete(f"/api/v1/{path}") as response:
            assert response.status == 200, await response.text()


async def _created(http: aiohttp.ClientSession, path: str, values: dict[str, Any]) -> int:
    async with http.post(f"/api/v1/{path}", json=values) as response:
        assert response.status == 200, await response.text()
        return int((await response.json())["id"])
