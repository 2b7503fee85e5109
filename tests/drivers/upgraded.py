"""An installation with the data of an older version, by REST, and the model that its runs ask."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp

from tests.drivers.model_server import ModelServer, Text, Turn
from tests.drivers.up import Up, sse, start_up

FOLDER = Path(__file__).parents[1] / "fixtures" / "data_folder"
"""A data folder of an older version."""
MADE: dict[str, Any] = json.loads((FOLDER / "made.json").read_text())
"""What a later version must find in it."""


class Installation:
    """The upgraded installation, by REST."""

    def __init__(
        self, up: Up, http: aiohttp.ClientSession, model: ModelServer, settings: Mapping[str, str] | None = None
    ) -> None:
        self.up, self.model = up, model
        self._http, self._settings = http, settings

    def start_again(self) -> Up:
        """Starts it after its end, at the same address; does not wait."""
        data_dir, http_port, grpc_port = self.up.data_dir, self.up.http_port, self.up.grpc_port
        self.up = start_up(data_dir, http_port=http_port, grpc_port=grpc_port, settings=self._settings)
        return self.up

    async def call(self, method: str, path: str, body: Any = None, key: str = "") -> dict[str, Any]:
        """Calls it, as the owner or with another key, and returns the answer."""
        headers = {"Authorization": f"Bearer {key}"} if key else None
        async with self._http.request(method, f"/api/v1/{path}", json=body, headers=headers) as response:
            assert response.status == 200, await response.text()
            answer: dict[str, Any] = await response.json()
            return answer

    async def events(self, session: int, last: int) -> list[dict[str, Any]]:
        """Returns the stored events of a session, from the first to one of them."""
        found = []
        async with self._http.get(f"/api/v1/chat-sessions/{session}/events") as response:
            async for event in sse(response):
                found += [event] if event.get("id") else []
                if int(event.get("id", 0)) >= last:
                    break
        return found

    async def completed(self, run_id: str) -> dict[str, Any]:
        """Waits until a run has ended, and returns its message."""
        async with asyncio.timeout(60):
            while (run := await self.call("GET", f"runs/{run_id}"))["status"] != "RUN_STATUS_COMPLETED":
                assert run["status"] not in ("RUN_STATUS_FAILED", "RUN_STATUS_CANCELLED"), run
                await asyncio.sleep(0.2)
        messages = await self.call("GET", f"chat-sessions/{run['chatSessionId']}/messages")
        message: dict[str, Any] = messages["messages"][-1]
        return message


async def answer(body: dict[str, Any]) -> Turn:
    """What the model says."""
    question = [message["content"] for message in body["messages"] if message["role"] == "user"][-1]
    return Text(f"{question} is found." if question.startswith("Part") else "All is found.")
