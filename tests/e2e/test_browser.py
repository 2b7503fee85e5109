"""The web page as a person uses it: sign in by the link, ask, read, upload, answer back, change what was asked, limit
an answer, keep todos, watch sub-agents, invite people, connect models, make API keys."""

import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import pytest_asyncio
from playwright.async_api import BrowserContext, Page, async_playwright, expect

from tests.drivers.mcp_server import served
from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.up import Up
from tests.paths import RESULTS

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
async def browser() -> AsyncIterator[Callable[[], Awaitable[Page]]]:
    """Opens a page of a fresh browser; what a page logs as an error fails the test."""
    problems: list[str] = []
    async with async_playwright() as playwright, AsyncExitStack() as stack:

        async def opened() -> Page:
            context: BrowserContext = await playwright.chromium.launch_persistent_context(
                stack.enter_context(tempfile.TemporaryDirectory()),
                executable_path="/usr/bin/chromium",
                headless=True,
                args=_FLAGS,
                viewport={"width": 1280, "height": 860},
            )
            stack.push_async_callback(context.close)
            page = context.pages[0]
            page.on("pageerror", lambda error: problems.append(str(error)))
            return page

        yield opened
    assert problems == []


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Callable[[], Awaitable[Page]]) -> Page:
    """A page of a fresh browser."""
    return await browser()


async def sign_in(up: Up, page: Page) -> None:
    """Opens a sign-in link of the owner's and presses its button, which has the focus."""
    await page.goto(up.run("users", "link", "owner").stdout.strip().splitlines()[-1])
    await expect(page.get_by_role("button", name="Sign in as owner")).to_be_focused()
    await page.screenshot(path=RESULTS / "sign-in-link.png")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Your question")).to_be_visible()


async def test_sign_in_ask_and_open_the_source(up: Up, page: Page, tmp_path: Path) -> None:
    RESULTS.mkdir(exist_ok=True)
    await page.goto(f"{up.url}/")
    await expect(page.get_by_text(re.compile("sign-in link", re.IGNORECASE)).first).to_be_visible()
    await sign_in(up, page)
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

    await page.get_by_role("button", name="Account of").click()
    await page.get_by_role("menuitem", name="Change password").click()
    await expect(page.get_by_role("dialog", name="Change password")).to_contain_text("Current password")
    await page.screenshot(path=RESULTS / "password.png")
    await page.keyboard.press("Escape")

    await page.get_by_role("link", name="Documents", exact=True).click()
    note = tmp_path / "bicycles.txt"
    note.write_text("Company bicycles are kept in the yard. The key hangs at the reception desk.")
    await page.locator("input[type=file]").first.set_input_files(note)
    documents = page.get_by_role("list", name="Documents", exact=True)
    stored = documents.get_by_role("listitem").filter(has_text="bicycles.txt")
    await expect(stored).to_contain_text("Ready", timeout=30_000)
    await page.screenshot(path=RESULTS / "documents.png")


async def _session_with(http: aiohttp.ClientSession, model_server: ModelServer, config: dict[str, Any]) -> int:
    """A session of the owner's with an assistant of this configuration, whose model is the scripted one."""
    name = f"scripted at {model_server.url}"
    llm = {"name": name, "provider": "LLM_PROVIDER_OPENAI", "modelId": "scripted", "endpoint": model_server.url}
    assistant: dict[str, Any] = {"name": name, "config": config}
    assistant["llmId"] = (await _post(http, "llms", llm))["id"]
    session = {"title": "Leave", "assistantId": (await _post(http, "assistants", assistant))["id"]}
    session_id: int = (await _post(http, "chat-sessions", session))["id"]
    return session_id


async def _post(http: aiohttp.ClientSession, path: str, body: dict[str, Any]) -> dict[str, Any]:
    async with http.post(f"/api/v1/{path}", json=body) as response:
        assert response.status == 200, await response.text()
        answer: dict[str, Any] = await response.json()
        return answer


async def test_answer_back_and_change_the_question(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    def respond(request: dict[str, Any]) -> Turn:
        messages = request["messages"]
        if messages[-1]["role"] == "tool":
            return Text(f"It is {messages[-1]['content'][:4]} then.")
        if "search" in messages[-1]["content"]:
            return Tools([("search_documents", {"query": "leave in the handbook"})])
        return Tools([("ask_user", {"question": "Which year?", "options": ["2024", "2025"]})])

    model_server.respond(respond)
    config = {"askClarifications": True, "approvalTools": ["search_documents"]}
    session = await _session_with(http, model_server, config)
    await sign_in(up, page)
    await page.goto(f"{up.url}/chat/{session}")
    thread = page.get_by_role("list", name="Conversation")
    composer = page.get_by_role("textbox", name="Your question")
    await composer.fill("How much leave is there?")
    await composer.press("Enter")

    asked = page.get_by_role("region", name="Needs your answer")
    await expect(asked).to_contain_text("Which year?", timeout=20_000)
    await page.reload()
    await asked.get_by_role("button", name="2025").click()
    await expect(thread).to_contain_text("It is 2025 then.", timeout=20_000)

    await thread.get_by_role("button", name="Edit question").click()
    await page.get_by_role("textbox", name="Edit your question").fill("Please search for leave.")
    await page.keyboard.press("Enter")
    approval = page.get_by_role("region", name="Needs your approval")
    await expect(approval).to_contain_text("leave in the handbook", timeout=20_000)
    await page.screenshot(path=RESULTS / "approval.png")
    await approval.get_by_role("textbox", name="Comment for the agent").fill("Not now.")
    await approval.get_by_role("button", name="Deny").click()
    await expect(thread).to_contain_text("It is Erro then.", timeout=20_000)
    assert "Not now." in model_server.requests[-1]["messages"][-1]["content"]

    await thread.get_by_role("group", name="Version 2 of 2").get_by_role("button", name="Previous version").click()
    await expect(thread).to_contain_text("It is 2025 then.")
    await expect(thread.get_by_role("group", name="Version 1 of 2")).to_be_visible()
    await page.screenshot(path=RESULTS / "versions.png")


async def test_limits_todos_and_what_the_model_is_told(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    session = await _session_with(http, model_server, {})
    await sign_in(up, page)
    await page.goto(f"{up.url}/chat/{session}")
    thread = page.get_by_role("list", name="Conversation")
    composer = page.get_by_role("textbox", name="Your question")

    # By the keyboard alone: the first field of a dialog has the focus, then what opened it.
    limits = page.get_by_role("button", name="Limits")
    await limits.press("Enter")
    await page.keyboard.type("7")
    await page.keyboard.press("Enter")
    await expect(limits).to_have_text("Limits: 7 steps")
    await expect(limits).to_be_focused()
    model_server.script([Text("Thirty days.")])
    await composer.fill("How much leave?")
    await composer.press("Enter")
    await expect(thread).to_contain_text("Thirty days.", timeout=20_000)
    await expect(limits).to_have_text("Limits")
    steps = thread.get_by_role("button", name="View trace")
    await steps.click()
    await expect(thread.get_by_role("region", name="Budget")).to_contain_text("1 of 7")
    await steps.click()

    menu = page.get_by_role("button", name="Actions for this conversation")
    await menu.press("Enter")
    await page.get_by_role("menuitem", name="Add todo").press("Enter")
    await page.keyboard.type("Ask Anna")
    await page.keyboard.press("Enter")
    todos = page.get_by_role("list", name="Your todos")
    await expect(todos).to_contain_text("1. Ask Anna")
    await expect(menu).to_be_focused()
    await todos.get_by_role("button", name="Mark as done: Ask Anna").press("Enter")
    await expect(thread).to_contain_text("1 of 1 done")
    await page.screenshot(path=RESULTS / "todos.png")
    await todos.get_by_role("button", name="Actions for Ask Anna").click()
    await page.get_by_role("menuitem", name="Remove").click()
    await expect(todos).to_have_count(0)

    await thread.get_by_role("button", name="Exclude answer from context").click()
    await expect(thread).to_contain_text("Excluded from context.")
    await page.reload()
    model_server.script([Text("Two."), Text("Leave was asked about."), Text("Three.")])
    await composer.fill("And sick days?")
    await composer.press("Enter")
    await expect(thread).to_contain_text("Two.", timeout=20_000)
    assert "Thirty days." not in str(model_server.requests[-1])
    await thread.get_by_role("button", name="Include answer in context").click()
    await expect(thread.get_by_text("Excluded from context.")).to_have_count(0)

    await menu.click()
    await page.get_by_role("menuitem", name="Summarize earlier messages").click()
    await expect(thread).to_contain_text("are summarized for the model", timeout=20_000)
    await composer.fill("And travel days?")
    await composer.press("Enter")
    await expect(thread).to_contain_text("Three.", timeout=20_000)
    await expect(steps).to_have_count(3)
    await steps.last.click()
    await thread.get_by_role("button", name="Show the prompt of step 1").click()
    await expect(page.get_by_role("dialog")).to_contain_text("except in a summary")


async def test_a_sub_agent_asks_and_shows_how_far_its_tool_is(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    def respond(request: dict[str, Any]) -> Turn:
        if any(tool["function"]["name"] == "spawn_sub_agent" for tool in request["tools"]):
            return Tools([("spawn_sub_agent", {"goal": "Wait for the printer"})])
        return Tools([("office__wait", {})])

    model_server.respond(respond)
    async with served() as url:
        office = {"name": "office", "transport": "MCP_TRANSPORT_STREAMABLE_HTTP", "url": url, "allowedTools": ["wait"]}
        config = {"approvalTools": ["office__wait"], "maxDepth": 1, "mcpServers": [office]}
        session = await _session_with(http, model_server, config)
        await sign_in(up, page)
        await page.goto(f"{up.url}/chat/{session}")
        await page.get_by_role("button", name="Agent mode").click()
        composer = page.get_by_role("textbox", name="Your question")
        await composer.fill("Print it")
        await composer.press("Enter")
        approval = page.get_by_role("region", name="Needs your approval")
        await expect(approval).to_contain_text("A sub-agent asks: Wait for the printer", timeout=20_000)
        await approval.get_by_role("button", name="Approve").click()
        await expect(page.get_by_role("progressbar", name="Progress")).to_have_attribute(
            "value", re.compile("^[123]0$"), timeout=20_000
        )
        await page.screenshot(path=RESULTS / "sub-agent.png")
        await page.get_by_role("button", name="Stop").click()
        thread = page.get_by_role("list", name="Conversation")
        await expect(thread).to_contain_text("Stopped before it was finished.", timeout=20_000)
        await thread.get_by_role("button", name="View trace").click()
        await thread.get_by_text("Wait for the printer").click()
        await expect(thread).to_contain_text("Office wait")


async def test_invite_a_person_connect_a_model_and_make_a_key(
    up: Up, page: Page, model_server: ModelServer, browser: Callable[[], Awaitable[Page]]
) -> None:
    await sign_in(up, page)
    await page.get_by_role("link", name="Admin", exact=True).click()
    await page.get_by_role("button", name="Invite").click()
    await page.get_by_label("User name").fill("grace")
    await page.get_by_label("Email").fill("grace@example.org")
    await page.get_by_label("First name").fill("Grace")
    await page.get_by_role("button", name="Create link").click()
    sent = page.get_by_role("dialog", name="Sign-in link for Grace")
    link = await sent.get_by_label("Link", exact=True).input_value()
    await page.get_by_role("button", name="Done").click()
    people = page.get_by_role("list", name="People")
    await expect(people).to_contain_text("grace@example.org")
    await page.screenshot(path=RESULTS / "people.png")

    hers = await browser()
    await hers.goto(link)
    await hers.get_by_role("button", name="Sign in as grace").click()
    await expect(hers.get_by_role("link", name="Settings")).to_be_visible()
    await expect(hers.get_by_role("link", name="Admin", exact=True)).to_have_count(0)
    await hers.goto(f"{up.url}/admin/people")
    await expect(hers).to_have_url(f"{up.url}/")
    await hers.goto(f"{up.url}/settings/api-keys")
    await hers.get_by_role("button", name="Create key").click()
    await hers.get_by_label("Name").fill("Nightly import")
    await hers.get_by_role("button", name="Create", exact=True).click()
    key = await hers.get_by_role("dialog").get_by_label("API key", exact=True).input_value()
    async with aiohttp.ClientSession(up.url, headers={"Authorization": f"Bearer {key}"}) as program:
        async with program.get("/api/v1/users/me") as response:
            assert (await response.json())["userName"] == "grace"
        await hers.get_by_role("button", name="Done").click()
        await hers.get_by_role("button", name="Revoke Nightly import").click()
        await hers.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        await expect(hers.get_by_text("No API keys yet.")).to_be_visible()
    await hers.get_by_role("link", name="Account").click()
    await hers.get_by_label("Last name").fill("Hopper")
    await hers.get_by_role("button", name="Save").click()
    await expect(hers.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    await hers.screenshot(path=RESULTS / "account.png")

    await page.reload()
    await page.get_by_role("button", name="Actions for Grace Hopper").click()
    await page.get_by_role("menuitem", name="Deactivate").click()
    await page.get_by_role("dialog").get_by_role("button", name="Deactivate").click()
    await expect(people).to_contain_text("Deactivated")
    await hers.reload()
    await expect(hers.get_by_role("heading", name="Sign in to EchoMind")).to_be_visible(timeout=60_000)
    await page.get_by_role("button", name="Actions for Grace Hopper").click()
    await page.get_by_role("menuitem", name="Delete permanently").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete permanently").click()
    await expect(people).not_to_contain_text("Grace")

    model_server.respond(lambda _: Text("Yes."))
    await page.get_by_role("link", name="Models").click()
    await page.get_by_role("button", name="Connect a model").click()
    await page.get_by_label("Model", exact=True).fill("scripted-for-pages")
    await page.get_by_label(re.compile("^Endpoint URL")).fill(model_server.url)
    await page.get_by_label("Make it the default model").uncheck()
    await page.get_by_role("button", name="Connect", exact=True).click()
    await expect(page.get_by_role("dialog", name="Model connected")).to_be_visible(timeout=20_000)
    await page.get_by_role("button", name="Done").click()
    await page.reload()
    await expect(page).to_have_title("Models · Administration · EchoMind")
    models = page.get_by_role("list", name="Models")
    await page.get_by_role("button", name="Actions for scripted-for-pages").click()
    await page.get_by_role("menuitem", name="Test").click()
    await expect(models).to_contain_text("It answered in", timeout=20_000)
    await page.screenshot(path=RESULTS / "models.png")
    await page.get_by_role("button", name="Actions for scripted-for-pages").click()
    await page.get_by_role("menuitem", name="Edit").click()
    await page.get_by_label("Display name").fill("Renamed")
    await page.get_by_label("Context window").fill("32000")
    await page.get_by_role("button", name="Save").click()
    await expect(models).to_contain_text("Context window of 32,000 tokens")
    await page.get_by_role("button", name="Actions for Renamed").click()
    await page.get_by_role("menuitem", name="Remove").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(models).not_to_contain_text("Renamed")
