"""The web page as a person uses it: sign in by the link, ask, read, upload."""

import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import BrowserContext, Page, async_playwright, expect

from tests.e2e.conftest import RESULTS, Up

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest_asyncio.fixture(loop_scope="session")
async def page(up: Up) -> AsyncIterator[Page]:
    """A page of a fresh browser; what the page logs as an error fails the test."""
    async with async_playwright() as playwright:
        with tempfile.TemporaryDirectory() as profile:
            context: BrowserContext = await playwright.chromium.launch_persistent_context(
                profile,
                executable_path="/usr/bin/chromium",
                headless=True,
                args=_FLAGS,
                viewport={"width": 1280, "height": 860},
            )
            problems: list[str] = []
            page = context.pages[0]
            page.on("pageerror", lambda error: problems.append(str(error)))
            yield page
            await context.close()
    assert problems == []


async def test_sign_in_ask_and_open_the_source(up: Up, page: Page, tmp_path: Path) -> None:
    RESULTS.mkdir(exist_ok=True)
    await page.goto(f"{up.url}/")
    await expect(page.get_by_text(re.compile("sign-in link", re.IGNORECASE)).first).to_be_visible()
    link = up.run("users", "link", "owner").stdout.strip().splitlines()[-1]
    await page.goto(link)
    composer = page.get_by_role("textbox").last
    await composer.fill("How do I add my own documents?")
    await composer.press("Enter")
    thread = page.get_by_role("list", name="Conversation")
    await expect(thread).to_contain_text("echomind ingest", timeout=20_000)
    await page.screenshot(path=RESULTS / "chat.png")
    await thread.get_by_role("button", name=re.compile("^Source 1")).first.click()
    panel = page.get_by_role("complementary")
    await expect(panel.locator("mark").first).to_contain_text("documents", timeout=10_000)
    await page.screenshot(path=RESULTS / "source.png")
    await page.reload()
    await expect(thread).to_contain_text("echomind ingest", timeout=10_000)

    await page.get_by_role("link", name="Documents", exact=True).click()
    note = tmp_path / "bicycles.txt"
    note.write_text("Company bicycles are kept in the yard. The key hangs at the reception desk.")
    await page.locator("input[type=file]").first.set_input_files(note)
    documents = page.get_by_role("list", name="Documents", exact=True)
    stored = documents.get_by_role("listitem").filter(has_text="bicycles.txt")
    await expect(stored).to_contain_text("Ready", timeout=30_000)
    await page.screenshot(path=RESULTS / "documents.png")
