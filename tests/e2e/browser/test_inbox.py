"""The inbox: runs that wait for a person, found by the number at it, and answered in their conversations."""

from typing import Any

import aiohttp
from playwright.async_api import Page, expect

from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.up import Up
from tests.drivers.web_pages import look, post, session_with, sign_in


async def test_answer_and_approve_what_waits(
    up: Up, http: aiohttp.ClientSession, page: Page, model_server: ModelServer
) -> None:
    def respond(request: dict[str, Any]) -> Turn:
        asked = [message["content"] for message in request["messages"] if message["role"] == "user"]
        is_question = "Which leave?" in asked[-1]
        if request["messages"][-1]["role"] == "tool":
            return Text("You have thirty days." if is_question else "It was opened.")
        if is_question:
            return Tools([("ask_user", {"question": "Which year?", "options": ["2024", "2025"]})])
        return Tools([("fetch_web_page", {"url": "https://example.com/leave"})])

    model_server.respond(respond)
    config = {"askClarifications": True, "approvalTools": ["fetch_web_page"]}
    first = await session_with(http, model_server, config)
    async with http.get(f"/api/v1/chat-sessions/{first}") as response:
        assistant = (await response.json())["assistantId"]
    await sign_in(up, page)
    inbox = page.get_by_role("navigation", name="Main").get_by_role("link", name="Inbox")
    waiting = page.get_by_role("list", name="Waiting for you")
    thread = page.get_by_role("list", name="Conversation")
    for question, asks, decision, answer in (
        ("Which leave?", "Which year?", "2025", "You have thirty days."),
        ("Open the page.", "Read a web page from example.com?", "Deny", "It was opened."),
    ):
        session = (await post(http, "chat-sessions", {"title": question, "assistantId": assistant}))["id"]
        await post(http, f"chat-sessions/{session}/messages", {"content": question})
        # The inbox shows it on every page.
        await expect(inbox).to_contain_text("1 waiting")
        await inbox.click()
        await expect(waiting.get_by_role("listitem")).to_contain_text(asks)
        await look(page, f"inbox-{decision.lower()}")
        await waiting.get_by_role("link").click()
        await expect(page).to_have_url(f"{up.url}/chat/{session}")
        await page.get_by_role("button", name=decision).click()
        await expect(thread).to_contain_text(answer)
        await expect(inbox).not_to_contain_text("waiting")
    await inbox.click()
    await expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()


async def test_a_question_that_is_asked_elsewhere_appears_in_its_open_conversation(
    up: Up, http: aiohttp.ClientSession, page: Page, model_server: ModelServer
) -> None:
    model_server.respond(lambda _: Text("You have thirty days."))
    session = await session_with(http, model_server, {})
    await sign_in(up, page, path=f"/chat/{session}")
    await expect(page.get_by_placeholder("Ask about your documents")).to_be_visible()
    thread = page.get_by_role("list", name="Conversation")
    for number in (1, 2):
        await post(http, f"chat-sessions/{session}/messages", {"content": f"Question {number}?"})
        await expect(thread).to_contain_text(f"Question {number}?")
        await expect(thread.get_by_text("You have thirty days.")).to_have_count(number)
