"""An installation for streams: replicas of the gateway, an agent in a process of its own, a scripted model."""

import asyncio
import os
import re
import secrets
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

import asyncpg
from prometheus_client import REGISTRY

from echomind.local.embedded.process import ProcessSpec, free_port
from echomind_api.auth.sessions import Browser
from echomind_api.main import Gateway
from echomind_lib.config import Settings
from tests.drivers.client import Client
from tests.drivers.model_server import Json, ModelServer, Text, Tools, Turn
from tests.drivers.readers import Address

PATIENCE_SECONDS = 30.0


@dataclass
class Installation:
    """What runs, and the person who uses it."""

    settings: Settings
    replicas: list[Gateway]
    clients: list[Client]
    """The owner at each replica."""
    model: ModelServer
    pool: asyncpg.Pool

    @property
    def owner(self) -> Client:
        return self.clients[0]

    def address(self, replica: int = 0, key: str = "") -> Address:
        """Returns a replica as somebody, the owner by default."""
        gateway = self.replicas[replica]
        return Address(gateway.http_url, gateway.grpc_address, key or self.clients[replica].key)

    async def user(self, roles: tuple[str, ...] = ()) -> Client:
        """Returns a new account."""
        name = f"user-{secrets.token_hex(4)}"
        user = {"userName": name, "email": f"{name}@example.org", "roles": list(roles)}
        made = await self.owner.call("UserService/CreateUser", {"user": user})
        browser = self.owner.as_("", int(made["id"]))
        browser.headers = {"Cookie": await self.cookie(browser.user_id), "X-EchoMind-CSRF": "1"}
        key = await browser.call("ApiKeyService/CreateApiKey", {"name": "test"}, via="rest")
        return self.owner.as_(key["secret"], browser.user_id)

    async def cookie(self, user_id: int) -> str:
        """Returns the cookie of a browser in which somebody has signed in."""
        link = await self.owner.call("AuthService/CreateSignInLink", {"userId": user_id})
        token = await self.replicas[0].parts.sessions.begin_by_link(
            link["path"].partition("=")[2], Browser("127.0.0.1")
        )
        return f"{self.clients[0].cookie_name}={token}"

    async def ask(self, content: str, session_id: int = 0, replica: int = 0) -> dict[str, Any]:
        """Asks as the owner. Without a session in a new one."""
        request = {"content": content} | ({"chatSessionId": session_id} if session_id else {})
        return await self.clients[replica].call("ChatMessageService/SendMessage", request)

    async def ended(self, run_id: str) -> dict[str, Any]:
        """Returns the run when it has ended."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                run = await self.owner.call("RunService/GetRun", {"id": run_id})
                if "completedAt" in run:
                    return run
                await asyncio.sleep(0.02)


def readers() -> float:
    """Returns how many readers of events all replicas have."""
    return REGISTRY.get_sample_value("echomind_api_event_readers") or 0.0


async def until_readers(count: float, within: float = PATIENCE_SECONDS) -> None:
    """Waits until the replicas have so many readers."""
    async with asyncio.timeout(within):
        while readers() != count:  # noqa: ASYNC110 - a gauge tells nobody that it has changed
            await asyncio.sleep(0.005)


def scripted(body: Json) -> Turn:
    """Answers a question `words=30 delay=2 steps=1`: so many words in all, so many steps with a tool before the last.

    The tool is one that there is not, so that a step takes no longer than being recorded.
    """
    questions = [index for index, message in enumerate(body["messages"]) if message["role"] == "user"]
    question = str(body["messages"][questions[-1]]["content"])
    words, delay, steps = (
        int(found[1]) if (found := re.search(rf"\b{name}=(\d+)", question)) else 0
        for name in ("words", "delay", "steps")
    )
    step = sum(message["role"] == "assistant" for message in body["messages"][questions[-1] :])
    text = " ".join(f"s{step}w{word}é" for word in range(max(1, words // (steps + 1))))
    if step < steps:
        return Tools([("no_such_tool", {})], text=text, delay_ms=delay)
    return Text(text, delay_ms=delay)


class AgentProcess:
    """`echomind-agent` as a server of the tests."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._health_port = free_port()

    def prepare(self) -> None:
        """Has nothing to prepare."""

    def spec(self) -> ProcessSpec:
        given = self._settings
        environment = {
            "ECHOMIND_POSTGRES__URL": given.postgres.url.get_secret_value(),
            "ECHOMIND_NATS__URL": given.nats.url.get_secret_value(),
            "ECHOMIND_QDRANT__URL": given.qdrant.url,
            "ECHOMIND_QDRANT__API_KEY": given.qdrant.api_key.get_secret_value() if given.qdrant.api_key else "",
            "ECHOMIND_S3__ENDPOINT": given.s3.endpoint,
            "ECHOMIND_S3__ACCESS_KEY": given.s3.access_key,
            "ECHOMIND_S3__SECRET_KEY": given.s3.secret_key.get_secret_value(),
            "ECHOMIND_S3__BUCKET": given.s3.bucket,
            "ECHOMIND_EMBEDDING__URL": given.embedding.url,
            "ECHOMIND_SECRETS__KEYS": given.secrets.keys.get_secret_value(),
            "ECHOMIND_FETCH__ALLOWED_HOSTS": given.fetch.allowed_hosts,
            "ECHOMIND_DATA_DIR": str(given.data_dir),
            "ECHOMIND_AGENT__HEALTH_PORT": str(self._health_port),
        }

        def is_ready() -> bool:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self._health_port}/readyz", timeout=0.5) as answer:
                    return bool(answer.status == 200)
            except (urllib.error.URLError, OSError):
                return False

        argv = [sys.executable, "-m", "echomind_agent.main"]
        return ProcessSpec("agent", argv, os.environ | environment, is_ready, stop_timeout=2)
