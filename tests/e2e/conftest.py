"""The product as its users start it: one `echomind up` for the session, and clients of its front doors."""

import json
import time
import urllib.request
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg
import pytest
import pytest_asyncio

from echomind.local.data_folder import DataFolder
from echomind.local.stack import POSTGRES_URL, plan_servers
from echomind_api.start.guide import guide_folder
from tests.drivers.model_server import ModelServer, Text
from tests.drivers.shared_state import unchanged
from tests.drivers.up import Up, start_up, stop_up, wait_ready
from tests.drivers.vendors import Ports

SECONDS = 300
"""How long a test may take, with the start of the product if it is the first one, on a machine that may be busy."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Gives the tests of this folder the time that a product takes to start."""
    for item in items:
        if Path(__file__).parent in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(SECONDS))


HAS_FAILED = pytest.StashKey[bool]()
"""Whether a test has failed."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Notes that a test has failed, for its fixtures."""
    report = yield
    if report.failed:
        item.stash[HAS_FAILED] = True
    return report


GUIDE = {
    "adding-documents",
    "asking-questions",
    "backup-and-upgrade",
    "branches-and-checkpoints",
    "getting-started",
    "troubleshooting",
}
"""The pages of the guide that tests ask about."""


def _read_guide(up: Up) -> None:
    """Waits until the product has stored the guide and read the pages of `GUIDE`.

    The others are removed before they are read, as that takes three quarters of a minute of processor time.
    """
    folder = guide_folder()
    assert folder is not None
    pages = {"settings", *(path.stem for path in folder.glob("*.md"))}
    assert pages > GUIDE
    stored = set[str]()
    deadline, pause = time.monotonic() + SECONDS / 2, 0.2
    while True:
        documents = _call(up, "documents?pageSize=1000").get("documents", [])
        of_page = {document["fileName"].removesuffix(".md"): document for document in documents}
        stored |= of_page.keys()
        unneeded = [document["id"] for page, document in of_page.items() if page not in GUIDE]
        if unneeded:
            _call(up, "documents:delete", {"selection": {"ids": unneeded}})
        states = {page: of_page[page]["status"] for page in GUIDE & of_page.keys()}
        if stored == pages and not unneeded and set(states.values()) == {"DOCUMENT_STATUS_COMPLETED"}:
            return
        assert time.monotonic() < deadline, f"the guide was not processed in time: {states}"
        time.sleep(pause)
        pause = min(1.5 * pause, 2)


def _call(up: Up, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Calls the API as the owner."""
    headers = {"Authorization": f"Bearer {up.api_key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{up.url}/api/v1/{path}", data, headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        answer: dict[str, Any] = json.load(response)
    return answer


@pytest.fixture(scope="session")
def vendor_ports() -> Iterator[Ports]:
    """Where the product looks for Google and Microsoft; a test serves them."""
    ports = Ports()
    yield ports
    ports.close()


@pytest.fixture(scope="session")
def up(tmp_path_factory: pytest.TempPathFactory, vendor_ports: Ports) -> Iterator[Up]:
    """The product, running."""
    # Sources may read the folders of tests.
    settings = {
        "ECHOMIND_CONNECTORS__FOLDERS": str(tmp_path_factory.getbasetemp()),
        "ECHOMIND_API__PLAIN_MODELS": "true",
        **vendor_ports.settings(),
    }
    started = start_up(tmp_path_factory.mktemp("up") / "data", "--agents", "2", guide=True, settings=settings)
    try:
        ready = wait_ready(started)
        _read_guide(ready)
        yield ready
    finally:
        stop_up(started)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def product_database(up: Up) -> AsyncIterator[asyncpg.Pool]:
    """The product's database."""
    folder = DataFolder(up.data_dir)
    _, settings = plan_servers(folder, folder.remembered_ports(), {})
    async with asyncpg.create_pool(settings[POSTGRES_URL], min_size=1, max_size=1) as pool:
        yield pool


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def guard(product_database: asyncpg.Pool) -> AsyncIterator[None]:
    """Fails after a module that leaves the shared product changed."""
    async with unchanged(product_database):
        yield


@pytest_asyncio.fixture(loop_scope="session")
async def http(up: Up) -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP client with the owner's key."""
    headers = {"Authorization": f"Bearer {up.api_key}"}
    async with aiohttp.ClientSession(up.url, headers=headers, raise_for_status=False) as session:
        yield session


@pytest.fixture(autouse=True)
def cancel_after_failure(request: pytest.FixtureRequest) -> Iterator[None]:
    """Cancels what a failed test leaves waiting in the shared product, where other tests would meet it."""
    up: Up | None = request.getfixturevalue("up") if "up" in request.fixturenames else None
    yield
    if up and request.node.stash.get(HAS_FAILED, False):
        for run in _call(up, "runs?statuses=RUN_STATUS_WAITING_FOR_INPUT&pageSize=1000").get("runs", []):
            _call(up, f"runs/{run['id']}:cancel", {})


@pytest.fixture
def model_server(model_server: ModelServer) -> ModelServer:
    """A scripted model; what the product learns meanwhile from conversations of other tests takes none of its turns."""
    model_server.memory = Text('{"operations": []}')
    return model_server
