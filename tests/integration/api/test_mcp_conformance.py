"""The server at `/mcp` by the protocol's conformance suite: what both revisions require of a server, and tasks."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import pytest_asyncio
import uvicorn

from echomind_api.http_app import http_app
from echomind_api.main import Gateway
from echomind_api.transports.mcp import McpEndpoint
from echomind_api.transports.mcp import server as product
from echomind_api.transports.mcp.services import McpServices
from echomind_lib.config import ApiSettings
from echomind_lib.contract import CallContext
from tests.drivers.client import Client
from tests.drivers.mcp_conformance import run_scenario, run_suite
from tests.drivers.mcp_fixtures import FixtureServer, add_fixtures
from tests.drivers.mcp_task_fixtures import FixtureTasks, add_task_fixtures


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def url(gateway: Gateway, owner: Client) -> AsyncIterator[str]:
    """Address of the whole application, whose server has the suite's fixtures; a key is added to requests."""

    def build() -> product.EchoMindServer:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(product, "EchoMindServer", FixtureServer)
            patch.setattr(product, "AskTasks", lambda _services: FixtureTasks())
            # The suite calls no tool of the product, which needs its other services.
            services = SimpleNamespace(secrets=gateway.parts.dependencies.secrets)
            made = product.build(cast("McpServices", services), "0")
        add_fixtures(made)
        add_task_fixtures(made)
        return made

    async def cancel(_call: CallContext, _number: str) -> None:
        """Finds nothing to cancel, as no tool of the suite starts a run."""

    endpoint = McpEndpoint(build, cancel, ApiSettings(), gateway.parts.mcp.metadata)
    app = http_app(replace(gateway.parts, mcp=endpoint))
    key = (b"authorization", f"Bearer {owner.key}".encode())

    async def with_key(scope: Any, receive: Any, send: Any) -> None:
        await app(scope | {"headers": [*scope["headers"], key]}, receive, send)

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(with_key, log_config=None, lifespan="off", timeout_graceful_shutdown=1))
        tasks = [asyncio.create_task(server.serve(sockets=[listener])), asyncio.create_task(endpoint.run())]
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        server.should_exit = True
        await tasks[0]
        tasks[1].cancel()
        with suppress(asyncio.CancelledError):
            await tasks[1]


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
async def test_the_server_does_what_a_revision_requires(url: str, revision: str, tmp_path: Path) -> None:
    checks = await run_suite("server", revision, tmp_path, "--url", url)
    assert len(checks) > 20


TASKS = {
    "tasks-lifecycle": 8,
    "tasks-capability-negotiation": 4,
    "tasks-wire-fields": 3,
    "tasks-request-state-removal": 2,
    "tasks-mrtr-input": 3,
    "tasks-request-headers": 3,
    "tasks-dispatch-and-envelope": 8,
    "tasks-required-task-error": 2,
    "tasks-mrtr-composition": 1,
}
"""The suite's scenarios of the extension for tasks, with how many checks each has at least; it skips another one."""


@pytest.mark.timeout(240)
async def test_tasks_are_as_their_extension_says(url: str, tmp_path: Path) -> None:
    """No revision requires extensions, so each scenario is named."""
    for scenario, count in TASKS.items():
        checks = await run_scenario("server", scenario, tmp_path / scenario, "--url", url)
        assert len(checks) >= count, (scenario, checks)
        assert set(checks.values()) == {"SUCCESS"}, (scenario, checks)
