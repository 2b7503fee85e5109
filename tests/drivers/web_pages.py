"""The web UI in Chromium: pages of fresh browsers, signing in, and looking at a page as people and axe see it."""

import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Literal, Protocol

import aiohttp
from playwright.async_api import Browser, ConsoleMessage, Page, ViewportSize, async_playwright, expect

from tests.drivers.model_server import ModelServer
from tests.drivers.up import Up
from tests.paths import RESULTS, ROOT

ColorScheme = Literal["light", "dark"]
ServiceWorkers = Literal["allow", "block"]
PATIENCE_SECONDS = 60
"""How long a page may take to become what a test expects, on a machine that may be busy."""

expect.set_options(timeout=PATIENCE_SECONDS * 1000)

WIDE: ViewportSize = {"width": 1280, "height": 860}
PHONE: ViewportSize = {"width": 390, "height": 844}

_BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
"""The programs that tests may use; the first one draws no window and takes a quarter less processor time."""
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile, lineNumber }) =>
  console.error(`Content security policy: ${violatedDirective} blocks ${blockedURI} in ${sourceFile}:${lineNumber}`));
"""
_AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
_AXE_RULES: dict[ColorScheme, dict[str, object]] = {
    "light": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
    "dark": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}
"""What axe checks in each theme: in the second one what depends on colours."""
_TAKES_PICTURES = os.environ.get("PICTURES", "") == "1"
"""Whether the pages that tests look at are kept as pictures in `test-results`, for people; `make e2e PICTURES=1`."""
# Details of what holds take axe three times as long.
_VIOLATIONS = """
async rules => (await axe.run(document, { runOnly: rules, resultTypes: ["violations"] })).violations
"""


class OpenPage(Protocol):
    """Opens a page of a browser that has nothing of another one's: no cookies, storage or cache."""

    async def __call__(self, *, locale: str = "en-GB", viewport: ViewportSize = WIDE) -> Page:
        """Returns the page, in this language and of this size."""
        ...


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Starts Chromium, whose start costs as much as many a test.

    Raises:
        AssertionError: It is not installed.
    """
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    assert program is not None, "the browser tests need chromium: `make browser` installs it"
    async with (
        async_playwright() as playwright,
        await playwright.chromium.launch(executable_path=program, headless=True, args=_FLAGS) as started,
    ):
        yield started


@asynccontextmanager
async def browsers(browser: Browser, service_workers: ServiceWorkers) -> AsyncIterator[OpenPage]:
    """Opens pages of fresh browsers: contexts of one Chromium, which share nothing.

    Args:
        browser: The Chromium.
        service_workers: Whether they run the app's service worker, which loads what a page has loaded once more.

    Raises:
        AssertionError: A page had an error, or did something that its content security policy forbids.
    """
    problems: list[str] = []

    def note(message: ConsoleMessage) -> None:
        # Chromium writes this for each response with an error status, which many journeys expect.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            problems.append(message.text)

    async with AsyncExitStack() as stack:

        async def open_page(*, locale: str = "en-GB", viewport: ViewportSize = WIDE) -> Page:
            # Without a graphics card each picture of a turning wheel is computed, sixty in a second.
            context = await browser.new_context(
                viewport=viewport, locale=locale, reduced_motion="reduce", service_workers=service_workers
            )
            stack.push_async_callback(context.close)
            context.set_default_timeout(PATIENCE_SECONDS * 1000)
            await context.add_init_script(_REPORT_VIOLATIONS)
            context.on("console", note)
            context.on("weberror", lambda error: problems.append(str(error.error)))
            return await context.new_page()

        yield open_page
    assert problems == []


async def sign_in(up: Up, page: Page, user: str = "owner", *, path: str = "") -> None:
    """Signs a person in, hides the first steps and opens a page of the app; `use_link` opens the page of the link.

    Args:
        up: The product.
        page: Where the page opens.
        user: The account's name.
        path: The page that is opened at once, as each one that is opened takes a second of processor time; by default
            the first one, and its navigation is waited for.
    """
    requests, link = page.context.request, await _sign_in_link(up, user)
    signed_in = await requests.post(
        f"{up.url}/auth/link", form={"token": link.partition("=")[2]}, headers={"Origin": up.url}, max_redirects=0
    )
    assert signed_in.status == 303, await signed_in.text()
    hidden = await requests.patch(f"{up.url}/api/v1/setup", data={"isHidden": True}, headers={"X-EchoMind-CSRF": "1"})
    assert hidden.status == 200, await hidden.text()
    await page.goto(up.url + path)
    if not path:
        await expect(page.get_by_role("navigation").first).to_be_visible()


async def _sign_in_link(up: Up, user: str) -> str:
    async with aiohttp.ClientSession(up.url, headers={"Authorization": f"Bearer {up.api_key}"}) as http:
        async with http.get("/api/v1/users", params={"pageSize": "1000"}, raise_for_status=True) as response:
            users = (await response.json())["users"]
        (user_id,) = (found["id"] for found in users if found["userName"] == user)
        return up.url + str((await post(http, "auth/links", {"userId": user_id}))["path"])


async def use_link(page: Page, link: str, user: str) -> None:
    """Opens a sign-in link and presses its button, which has the focus."""
    await page.goto(link)
    await expect(
        page.get_by_role("button", name=re.compile(f"^(Sign in as {user}|Als {user} anmelden)$"))
    ).to_be_focused()
    async with page.expect_navigation():
        await page.keyboard.press("Enter")


async def visit(page: Page, path: str) -> None:
    """Goes to another page of the app as its links do: without loading the app again."""
    await page.evaluate("path => history.pushState(null, '', path)", path)


async def look(page: Page, name: str) -> None:
    """Lets axe check a page in each theme, and keeps pictures of it if they are asked for.

    Raises:
        AssertionError: axe found something, with what and where.
    """
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_AXE.read_text())
    # Rows of the filter before are pale until those of the new one arrive.
    await expect(page.locator(":is(table, ol)[aria-busy=true] a")).to_have_count(0)
    for theme, rules in _AXE_RULES.items():
        await page.emulate_media(color_scheme=theme)
        if _TAKES_PICTURES:
            await page.screenshot(path=RESULTS / f"{name}-{theme}.png")
        violations = await page.evaluate(_VIOLATIONS, rules)
        assert [_summary(violation) for violation in violations] == [], f"{name}, {theme} theme"
    await page.emulate_media(color_scheme=None)


async def check_frame(page: Page, name: str) -> None:
    """Checks what surrounds a page.

    Raises:
        AssertionError: It has no title, or the whole page scrolls sideways on a phone.
    """
    assert (await page.title()).endswith("EchoMind"), name
    shown = page.viewport_size or WIDE
    await page.set_viewport_size({"width": PHONE["width"], "height": shown["height"]})
    wide = await page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
    await page.set_viewport_size(shown)
    assert wide <= 0, f"{name} is {wide} px too wide for a phone"


def _summary(violation: dict[str, Any]) -> str:
    nodes = [f"{node['html'][:200]} ({node['failureSummary']})" for node in violation["nodes"][:5]]
    return f"{violation['id']}: {violation['help']}: " + "; ".join(nodes)


async def post(http: aiohttp.ClientSession, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Sends a JSON body to a path of the API and returns the response's."""
    async with http.post(f"/api/v1/{path}", json=body) as response:
        assert response.status == 200, await response.text()
        answer: dict[str, Any] = await response.json()
        return answer


async def session_with(http: aiohttp.ClientSession, model_server: ModelServer, config: dict[str, Any]) -> int:
    """Creates a session of the owner's with an assistant of this configuration, whose model is the scripted one."""
    name = f"scripted at {model_server.url}"
    llm = {"name": name, "provider": "LLM_PROVIDER_OPENAI", "modelId": "scripted", "endpoint": model_server.url}
    assistant: dict[str, Any] = {"name": name, "config": config}
    assistant["llmId"] = (await post(http, "llms", llm))["id"]
    session = {"title": "Leave", "assistantId": (await post(http, "assistants", assistant))["id"]}
    session_id: int = (await post(http, "chat-sessions", session))["id"]
    return session_id
