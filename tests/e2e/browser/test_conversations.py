"""The list of conversations: search, pin, archive, export, delete and restore."""

from pathlib import Path
from typing import Any

import aiohttp
from playwright.async_api import Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, look, post, sign_in, visit


async def begin(http: aiohttp.ClientSession, title: str, question: str) -> dict[str, Any]:
    """Returns a conversation with an answer of the built-in model."""
    session = await post(http, "chat-sessions", {"title": title})
    path = f"/api/v1/chat-sessions/{session['id']}/messages:stream"
    async with http.post(path, json={"content": question}) as response:
        assert "RUN_STATUS_COMPLETED" in (await response.read()).decode()
    return session


async def choose(page: Page, title: str, action: str) -> None:
    await page.get_by_role("button", name=f"Actions for {title}").first.click()
    await page.get_by_role("menuitem", name=action, exact=True).click()


async def test_the_list(up: Up, http: aiohttp.ClientSession, page: Page, tmp_path: Path) -> None:
    session = await begin(http, "Zugspitze", "How do I add my own documents to the Höllental?")
    await begin(http, "Watzmann", "What is a checkpoint?")
    await sign_in(up, page)
    found = page.get_by_role("navigation", name="Conversations")
    await found.get_by_role("searchbox").fill("höllental OWN")
    await expect(found.get_by_role("listitem")).to_have_count(1)
    await expect(found.locator("mark")).to_have_count(2)
    await look(page, "conversation-search")
    await found.get_by_role("searchbox").fill("")
    await choose(page, "Zugspitze", "Pin")
    pinned = found.get_by_role("region", name="Pinned")
    await expect(pinned.get_by_role("link", name="Zugspitze")).to_be_visible()
    await look(page, "conversation-list")
    async with page.expect_download() as downloading:
        await choose(page, "Zugspitze", "Export")
    await (download := await downloading.value).save_as(tmp_path / download.suggested_filename)
    assert "Höllental" in (tmp_path / "Zugspitze.md").read_text()
    await choose(page, "Zugspitze", "Archive")
    await expect(found.get_by_role("link", name="Zugspitze")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(pinned.get_by_role("link", name="Zugspitze")).to_be_visible()
    await visit(page, f"/chat/{session['id']}")
    await expect(page.get_by_role("heading", name="Zugspitze", level=1)).to_be_visible()
    await choose(page, "Zugspitze", "Delete")
    await expect(page).to_have_url(f"{up.url}/")
    await page.get_by_role("button", name="Undo").click()
    await expect(pinned.get_by_role("link", name="Zugspitze")).to_be_visible()


async def test_several_at_once(up: Up, http: aiohttp.ClientSession, open_page: OpenPage) -> None:
    for number in range(3):
        await begin(http, f"Gletscher {number}", "What is a checkpoint?")
    page, other = await open_page(), await open_page(viewport=PHONE)
    await sign_in(up, page, path="/chats")
    await sign_in(up, other, path="/chats?q=gletscher")
    await expect(other.get_by_role("row")).to_have_count(4)
    await look(other, "conversations-phone")
    await visit(other, "/chats?view=archived")
    for number in range(2):
        await page.get_by_role("checkbox", name=f"Select Gletscher {number}").check()
    await page.get_by_role("button", name="Archive", exact=True).click()
    await expect(page.get_by_role("row", name="Gletscher 0")).to_have_count(0)
    # The other device is updated.
    await expect(other.get_by_role("row", name="Gletscher 1")).to_be_visible()
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("row", name="Gletscher 0")).to_be_visible()
    await expect(other.get_by_text("Nothing is archived.")).to_be_visible()
    await page.get_by_role("searchbox").fill("gletscher checkpoint")
    await expect(page).to_have_url(f"{up.url}/chats?q=gletscher+checkpoint")
    await expect(page.get_by_role("row")).to_have_count(4)
    await look(page, "conversations")
    await visit(page, "/inbox")
    await expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()
    await look(page, "inbox")
