"""Without a connection: the app stays, says so, and opens what it has kept. Long conversations stay light."""

import asyncio
import json
import re

import aiohttp
import pytest
from playwright.async_api import Page, Route, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, ServiceWorkers, look, post, sign_in, visit

_KEPT = """async () => {
  const names = await caches.keys();
  const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return requests.flat().map(({ url }) => new URL(url).pathname);
}"""
_CONTROLLED = "() => navigator.serviceWorker.controller !== null"
_LONG = 1000
"""Messages of a long conversation."""
_MAX_NODES = 5000
"""Elements of its page, of which a screen of full messages has some hundreds."""


@pytest.fixture
def service_workers() -> ServiceWorkers:
    """They run: what they keep and load is looked at."""
    return "allow"


async def test_the_app_stays_and_opens_what_is_missing_once_the_connection_is_back(up: Up, page: Page) -> None:
    await sign_in(up, page)
    composer = page.get_by_role("textbox", name="Your question")
    await composer.fill("Is this kept?")
    await page.context.set_offline(True)
    await expect(page.get_by_text("You are offline.")).to_be_visible()
    await look(page, "offline")
    await page.get_by_role("link", name="Notebooks", exact=True).click()
    await expect(page.get_by_text("This part of EchoMind is not on this device yet.")).to_be_visible()
    await expect(page).to_have_url(f"{up.url}/notebooks")
    await look(page, "offline-part")
    await page.go_back()
    await expect(composer).to_have_value("Is this kept?")
    await page.go_forward()
    await page.context.set_offline(False)
    await expect(page.get_by_role("heading", name="Notebooks", level=1)).to_be_visible()
    await expect(page.get_by_text("You are offline.")).to_have_count(0)


async def test_kept_parts_open_without_a_connection_and_answers_of_the_api_are_not_kept(
    up: Up, page: Page, open_page: OpenPage
) -> None:
    await sign_in(up, page, path="/documents")
    await expect(page.get_by_role("heading", name="Documents", level=1)).to_be_visible()
    await page.wait_for_function(_CONTROLLED)
    await page.reload()
    await expect(page.get_by_role("heading", name="Documents", level=1)).to_be_visible()
    await page.wait_for_function(f"async () => (await ({_KEPT})()).some(path => path.includes('DocumentsPage'))")
    kept = await page.evaluate(_KEPT)
    assert {path for path in kept if not path.startswith("/assets/")} == {"/", "/theme.js"}
    # The browser's own pages for failures are not the app's.
    await page.context.set_offline(True)
    await page.reload()
    await expect(page).to_have_title("EchoMind")
    await expect(page.get_by_text(re.compile("You are offline|EchoMind cannot be reached"))).to_be_visible()
    await page.context.set_offline(False)
    await expect(page.get_by_role("heading", name="Documents", level=1)).to_be_visible()

    phone = await open_page(locale="de-DE", viewport=PHONE)
    await sign_in(up, phone)
    await phone.context.set_offline(True)
    await expect(phone.get_by_text("Sie sind offline.")).to_be_visible()
    await look(phone, "offline-phone-german")


async def test_a_long_conversation_is_light_and_can_be_read_from_its_beginning(
    up: Up, page: Page, http: aiohttp.ClientSession
) -> None:
    session = (await post(http, "chat-sessions", {"title": "A long one"}))["id"]

    async def answer(route: Route) -> None:
        roles = ("MESSAGE_ROLE_USER", "MESSAGE_ROLE_ASSISTANT")
        messages = [
            {
                "id": str(number),
                "chatSessionId": session,
                "role": roles[number % 2 == 0],
                "content": f"Message {number} of **many** with `code` and a [link](https://example.org).",
                "status": "MESSAGE_STATUS_COMPLETED",
            }
            for number in range(1, _LONG + 1)
        ]
        await route.fulfill(content_type="application/json", body=json.dumps({"messages": messages}))

    await page.route(re.compile(r"/messages(\?|$)"), answer)
    await sign_in(up, page, path=f"/chat/{session}")
    thread = page.get_by_role("list", name="Conversation")
    await expect(thread).to_contain_text(f"Message {_LONG} of many")
    assert await page.evaluate("document.querySelectorAll('*').length") <= _MAX_NODES
    # All words are in the page, for searching in it and for screen readers.
    await expect(thread).to_contain_text("Message 1 of")
    log = page.get_by_role("log", name="Messages")
    await log.hover()
    first = thread.get_by_role("listitem").first
    async with asyncio.timeout(60):
        # What comes near is rendered in full, and then higher than it was estimated.
        while not await first.evaluate("item => item.getBoundingClientRect().bottom > 0"):
            await page.mouse.wheel(0, -10_000_000)
    await expect(first.get_by_role("button", name="Edit")).to_have_count(1)
    await expect(thread.get_by_role("listitem").nth(1).locator("strong")).to_have_text("many")
    await look(page, "long-conversation")


async def test_lists_are_cards_on_a_phone_and_rows_open_tabs(
    up: Up, page: Page, open_page: OpenPage, http: aiohttp.ClientSession
) -> None:
    title = "A conversation whose long name is whole on a phone, however many words its author has given to it"
    session = (await post(http, "chat-sessions", {"title": title}))["id"]
    await sign_in(up, page, path="/chats")
    row = page.get_by_role("table", name="Conversations").get_by_role("row").filter(has_text=title)
    async with page.context.expect_page() as opened:
        await row.get_by_role("cell").nth(2).click(button="middle")
    await expect(await opened.value).to_have_url(f"{up.url}/chat/{session}")
    await expect(row.get_by_role("link", name=title)).to_have_attribute("href", f"/chat/{session}")

    phone = await open_page(viewport=PHONE)
    await sign_in(up, phone)
    for name, path in (("documents", "documents"), ("conversations", "chats"), ("runs", "runs")):
        await visit(phone, f"/{path}")
        await expect(phone.get_by_role("heading", level=1, name=name.title())).to_be_visible()
        await expect(phone.get_by_text("Search and filters", exact=True)).to_be_visible()
        await expect(phone.get_by_role("searchbox")).to_have_count(0)
        await look(phone, f"{name}-cards")
    await visit(phone, "/chats")
    link = phone.get_by_role("link", name=title)
    await expect(link).to_be_visible()
    box = await link.bounding_box()
    assert box
    assert box["x"] + box["width"] < 350
    assert box["height"] > 40  # on several lines
    await phone.get_by_text("Search and filters", exact=True).click()
    await expect(phone.get_by_role("searchbox")).to_be_visible()


async def test_conversations_go_on_after_the_first_fifty(up: Up, page: Page, http: aiohttp.ClientSession) -> None:
    up.run("users", "add", "talker", "talker@example.org")
    await sign_in(up, page, "talker")
    await page.evaluate(
        """async () => {
          const headers = { "Content-Type": "application/json", "X-EchoMind-CSRF": "1" };
          for (let number = 1; number <= 60; number += 1) {
            const body = JSON.stringify({ title: `Talk ${number}` });
            await fetch("/api/v1/chat-sessions", { method: "POST", headers, body });
          }
        }"""
    )
    await page.reload()
    conversations = page.get_by_role("navigation", name="Conversations")
    await expect(conversations.get_by_role("link", name="Talk 60", exact=True)).to_be_visible()
    await conversations.hover()
    await page.mouse.wheel(0, 100_000)
    await expect(conversations.get_by_role("link", name="Talk 1", exact=True)).to_have_count(1)
