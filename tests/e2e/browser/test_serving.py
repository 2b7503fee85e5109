"""Serving of the pages: byte budgets, hosts, and a path behind a proxy."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
from playwright.async_api import Page, Request, expect

from echomind.local.data_folder import DataFolder
from echomind.local.embedded.process import answers_ok, free_port
from echomind.local.stack import EMBEDDING_URL, plan_servers
from tests.drivers.model_server import ModelServer, Text
from tests.drivers.reverse_proxy import serve_under
from tests.drivers.up import Up
from tests.drivers.web_pages import OpenPage, ServiceWorkers, session_with, sign_in

EMPTY_CHAT_BYTES = 200_000
ANSWER_BYTES = 265_000
CODE_AND_MATH_BYTES = 300_000
"""On the wire with headers, compressed with gzip, for a browser that has nothing yet, without `LISTS`."""
LISTS = ("/api/v1/llms?", "/api/v1/assistants?", "/api/v1/chat-sessions$")
"""Lists that grow with the installation, which other tests extend; about 1 kB each in a new one. `$` is an address's
end."""
_IDLE = "() => navigator.serviceWorker.ready.then(() => true)"
"""The service worker is registered last, when the page is loaded."""
_CODE_AND_MATH = "The area is\n\n$$a = \\pi r^2$$\n\nand in code\n\n```python\narea = 3.14159 * r**2\n```"
BASE = "/tools/echomind"


@pytest.fixture
def service_workers() -> ServiceWorkers:
    """They run: what they keep and load is looked at."""
    return "allow"


class Traffic:
    """What a page has loaded."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self._of: dict[str, str] = {}

    def bytes_without(self, *left_out: str) -> int:
        """Returns the bytes in all, with headers, except those of addresses that contain one of `left_out`."""
        return sum(size for address, size in self.sizes.items() if not any(part in f"{address}$" for part in left_out))

    def __str__(self) -> str:
        largest = sorted(self.sizes.items(), key=lambda item: -item[1])
        return "\n".join([f"{self.bytes_without():,} bytes:", *(f"{size:8,} {address}" for address, size in largest)])

    @classmethod
    async def of(cls, page: Page) -> "Traffic":
        """Counts from now on."""
        traffic = cls()
        protocol = await page.context.new_cdp_session(page)
        await protocol.send("Network.enable")
        await protocol.send("Network.setCacheDisabled", {"cacheDisabled": True})
        await protocol.send("Network.setBypassServiceWorker", {"bypass": True})
        # Over plain HTTP browsers elsewhere do not accept more.
        await protocol.send("Network.setExtraHTTPHeaders", {"headers": {"Accept-Encoding": "gzip"}})
        protocol.on("Network.requestWillBeSent", traffic._begin)
        protocol.on("Network.loadingFinished", traffic._end)
        return traffic

    def _begin(self, event: dict[str, Any]) -> None:
        if event["request"]["url"].startswith("http"):
            self._of[event["requestId"]] = event["request"]["url"]

    def _end(self, event: dict[str, Any]) -> None:
        # Requests that started earlier do not belong to this page.
        if address := self._of.get(event["requestId"]):
            self.sizes[address] = int(event["encodedDataLength"])


async def test_pages_are_light_and_load_from_here_alone(up: Up, page: Page) -> None:
    up.run("users", "add", "reader", "reader@example.org")  # a separate account, whose lists other tests do not extend
    await sign_in(up, page, "reader")
    traffic = await Traffic.of(page)
    await page.goto(f"{up.url}/")
    composer = page.get_by_role("textbox", name="Your question")
    await expect(composer).to_be_visible()
    await page.wait_for_function(_IDLE)
    assert traffic.bytes_without(*LISTS) <= EMPTY_CHAT_BYTES, str(traffic)
    await composer.fill("How do I add my own documents?")
    await composer.press("Enter")
    thread = page.get_by_role("list", name="Conversation")
    await expect(thread).to_contain_text("echomind ingest")
    await expect(page).to_have_url(re.compile("/chat/"))
    answered = await Traffic.of(page)
    await page.reload(wait_until="load")
    await expect(thread).to_contain_text("echomind ingest")
    assert answered.bytes_without(*LISTS) <= ANSWER_BYTES, str(answered)
    assert {urlsplit(address).netloc for address in (*traffic.sizes, *answered.sizes)} == {urlsplit(up.url).netloc}


async def test_an_answer_with_code_and_math_is_light(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    model_server.script([Text(_CODE_AND_MATH)])
    session = await session_with(http, model_server, {})
    await sign_in(up, page, path=f"/chat/{session}")
    composer = page.get_by_role("textbox", name="Your question")
    await composer.fill("What is the area?")
    await composer.press("Enter")
    thread = page.get_by_role("list", name="Conversation")
    await expect(thread.get_by_role("button", name="Regenerate")).to_be_visible()
    traffic = await Traffic.of(page)
    await page.reload(wait_until="load")
    await expect(thread.locator("math")).to_have_count(1)
    await expect(thread.locator("pre span").first).to_be_visible()
    assert traffic.bytes_without(*LISTS) <= CODE_AND_MATH_BYTES, str(traffic)


@pytest.fixture(scope="module")
def gateway_under_a_path(up: Up, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A second gateway beside the first, which is told that people reach it under `BASE`."""
    data = DataFolder(up.data_dir)
    _, servers = plan_servers(data, data.remembered_ports(), {})
    port, folder = free_port(), tmp_path_factory.mktemp("gateway")
    # A new folder would give the owner another key, and the first one's another sign-in link.
    (folder / "owner-api-key").write_text(up.api_key)
    environment = servers | {
        EMBEDDING_URL: f"127.0.0.1:{data.remembered_ports()['embedding']}",
        "ECHOMIND_API__PUBLIC_URL": f"https://example.org{BASE}/",
        "ECHOMIND_API__HTTP_PORT": str(port),
        "ECHOMIND_API__GRPC_PORT": str(free_port()),
        "ECHOMIND_DATA_DIR": str(folder),
    }
    program = Path(sys.executable).with_name("echomind-api")
    with subprocess.Popen([program], env=os.environ | environment, stdin=subprocess.DEVNULL) as gateway:
        try:
            deadline = time.monotonic() + 60
            while not answers_ok(port, "/readyz"):
                assert gateway.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            gateway.terminate()
            gateway.wait(60)


@pytest.mark.parametrize("strips", [True, False], ids=["the proxy strips the path", "the proxy keeps the path"])
async def test_under_a_path_behind_a_proxy(
    up: Up, gateway_under_a_path: str, open_page: OpenPage, strips: bool
) -> None:
    await sign_in(up, await open_page())  # which hides the owner's first steps
    page = await open_page()
    strays: list[str] = []
    link = urlsplit(up.run("users", "link", "owner").stdout.strip().splitlines()[-1])
    async with serve_under(BASE, gateway_under_a_path, strips=strips) as url:

        def note(request: Request) -> None:
            if not request.url.startswith((f"{url}/", "data:", "blob:")):
                strays.append(request.url)

        page.on("request", note)
        await page.goto(f"{url}{link.path}?{link.query}")
        await page.get_by_role("button", name="Sign in as owner").click()
        await expect(page).to_have_url(f"{url}/")
        (cookie,) = (each for each in await page.context.cookies() if "echomind_session" in each.get("name", ""))
        assert cookie.get("path") == BASE

        # A conversation, whose answer comes as server-sent events.
        await page.get_by_role("textbox", name="Your question").fill("How do I add my own documents?")
        await page.keyboard.press("Enter")
        thread = page.get_by_role("list", name="Conversation")
        await expect(thread).to_contain_text("echomind ingest")
        await expect(page).to_have_url(re.compile(f"^{re.escape(url)}/chat/[^/]+$"))
        await page.reload()
        await expect(thread).to_contain_text("echomind ingest")

        # Lazily loaded pages and deep links.
        await page.get_by_role("link", name="Library", exact=True).click()
        await expect(page.get_by_role("heading", name="Documents", level=1)).to_be_visible()
        await page.goto(f"{url}/settings/account")
        await expect(page).to_have_title("Account · Settings · EchoMind")

        await page.goto(f"{url}/docs")
        # The API description is generated on the first request.
        await expect(page.get_by_role("heading", name="EchoMind").first).to_be_visible()
        description = await (await page.request.get(f"{url}/api/v1/openapi.json")).json()
        assert description["servers"] == [{"url": BASE}]
    assert strays == []
