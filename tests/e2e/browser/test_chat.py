"""The chat as a person uses it: ask, read, upload, answer back, change what was asked, limit an answer, keep todos,
watch sub-agents."""

import re
from pathlib import Path
from typing import Any

import aiohttp
from playwright.async_api import Page, expect

from tests.drivers.mcp_server import served
from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, look, session_with, sign_in


async def test_sign_in_ask_and_open_the_source(up: Up, page: Page, tmp_path: Path) -> None:
    await page.goto(f"{up.url}/")
    await expect(page.get_by_text(re.compile("sign-in link", re.IGNORECASE)).first).to_be_visible()
    await sign_in(up, page)
    composer = page.get_by_role("textbox").last
    await composer.fill("How do I add my own documents?")
    await composer.press("Enter")
    thread = page.get_by_role("list", name="Conversation")
    await expect(thread).to_contain_text("echomind ingest")
    await look(page, "chat")
    await thread.get_by_role("button", name=re.compile("^Source 1")).first.click()
    panel = page.get_by_role("complementary")
    await expect(panel.locator("mark").first).to_contain_text("documents")
    await look(page, "source")
    await page.reload()
    await expect(thread).to_contain_text("echomind ingest")

    await page.get_by_role("button", name="Account of").click()
    await page.get_by_role("menuitem", name="Change password").click()
    await expect(page.get_by_role("dialog", name="Change password")).to_contain_text("Current password")
    await look(page, "password")
    await page.keyboard.press("Escape")

    await page.get_by_role("link", name="Library", exact=True).click()
    note = tmp_path / "bicycles.txt"
    note.write_text("Company bicycles are kept in the yard. The key hangs at the reception desk.")
    await page.get_by_role("region", name="Upload").locator("input[type=file]").set_input_files(note)
    documents = page.get_by_role("table", name="Documents", exact=True)
    stored = documents.get_by_role("row").filter(has_text="bicycles.txt")
    await expect(stored).to_contain_text("Ready")
    await look(page, "documents")


async def test_questions_that_an_answer_closes_with_are_asked_by_a_click(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    answer = "Leave is 30 days.\n\n## Suggested questions\n\n- How many in the first year?\n- **Who** approves it?"
    model_server.script([Text(answer), Text("In the first year it is 20.")])
    session = await session_with(http, model_server, {})
    await sign_in(up, page, path=f"/chat/{session}")
    thread = page.get_by_role("list", name="Conversation", exact=True)
    composer = page.get_by_role("textbox", name="Your question")
    await composer.fill("How much leave is there?")
    await composer.press("Enter")
    suggested = thread.get_by_role("list", name="Suggested questions")
    await expect(suggested.get_by_role("button")).to_have_text(["How many in the first year?", "Who approves it?"])
    await look(page, "suggested-questions")
    await suggested.get_by_role("button", name="How many in the first year?").click()
    await expect(thread).to_contain_text("In the first year it is 20.")


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
    session = await session_with(http, model_server, config)
    await sign_in(up, page, path=f"/chat/{session}")
    thread = page.get_by_role("list", name="Conversation")
    composer = page.get_by_role("textbox", name="Your question")
    await composer.fill("How much leave is there?")
    await composer.press("Enter")

    asked = page.get_by_role("region", name="Needs your answer")
    await expect(asked).to_contain_text("Which year?")
    await page.reload()
    await asked.get_by_role("button", name="2025").click()
    await expect(thread).to_contain_text("It is 2025 then.")

    await thread.get_by_role("button", name="Edit question").click()
    await page.get_by_role("textbox", name="Edit your question").fill("Please search for leave.")
    await page.keyboard.press("Enter")
    approval = page.get_by_role("region", name="Needs your approval")
    await expect(approval).to_contain_text("leave in the handbook")
    await look(page, "approval")
    await approval.get_by_role("textbox", name="Comment for the agent").fill("Not now.")
    await approval.get_by_role("button", name="Deny").click()
    await expect(thread).to_contain_text("It is Erro then.")
    assert "Not now." in model_server.requests[-1]["messages"][-1]["content"]

    await thread.get_by_role("group", name="Version 2 of 2").get_by_role("button", name="Previous version").click()
    await expect(thread).to_contain_text("It is 2025 then.")
    await expect(thread.get_by_role("group", name="Version 1 of 2")).to_be_visible()
    await look(page, "versions")


async def test_limits_todos_and_the_models_instructions(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    session = await session_with(http, model_server, {})
    await sign_in(up, page, path=f"/chat/{session}")
    thread = page.get_by_role("list", name="Conversation")
    composer = page.get_by_role("textbox", name="Your question")

    # By keyboard: the first field of a dialog gets the focus, and its opener gets it back.
    limits = page.get_by_role("button", name="Run limits")
    await limits.press("Enter")
    await expect(page.get_by_label("Max steps")).to_be_focused()
    await page.keyboard.type("7")
    await page.keyboard.press("Enter")
    await expect(limits).to_have_text("Run limits: 7 steps")
    await expect(limits).to_be_focused()
    model_server.script([Text("Thirty days.")])
    await composer.fill("How much leave?")
    await composer.press("Enter")
    await expect(thread).to_contain_text("Thirty days.")
    await expect(limits).to_have_text("Run limits")
    more = thread.get_by_role("button", name="More")
    await more.click()
    await page.get_by_role("menuitem", name="View trace").click()
    await expect(thread.get_by_role("region", name="Budget")).to_contain_text("1 of 7")
    await more.click()
    await page.get_by_role("menuitem", name="Hide trace").click()

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
    await look(page, "todos")
    await todos.get_by_role("button", name="Actions for Ask Anna").click()
    await page.get_by_role("menuitem", name="Remove").click()
    await expect(todos).to_have_count(0)

    await more.click()
    await page.get_by_role("menuitem", name="Exclude from context").click()
    await expect(thread).to_contain_text("Excluded from context.")
    await page.reload()
    model_server.script([Text("Two.", finish_reason="length"), Text("Leave was asked about."), Text("Three.")])
    await composer.fill("And sick days?")
    await composer.press("Enter")
    await expect(thread).to_contain_text("Two.")
    await expect(more).to_have_count(2)
    await expect(thread.get_by_role("note")).to_contain_text("The answer was cut off")
    assert "Thirty days." not in str(model_server.requests[-1])
    await more.first.click()
    await page.get_by_role("menuitem", name="Include in context").click()
    await expect(thread.get_by_text("Excluded from context.")).to_have_count(0)

    await menu.click()
    await page.get_by_role("menuitem", name="Summarize earlier messages").click()
    await expect(thread).to_contain_text("are summarized for the model")
    await composer.fill("And travel days?")
    await composer.press("Enter")
    await expect(thread).to_contain_text("Three.")
    await expect(more).to_have_count(3)
    await more.last.click()
    await page.get_by_role("menuitem", name="View trace").click()
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
        session = await session_with(http, model_server, config)
        await sign_in(up, page, path=f"/chat/{session}")
        await page.get_by_role("button", name="Agent mode").click()
        composer = page.get_by_role("textbox", name="Your question")
        await composer.fill("Print it")
        await composer.press("Enter")
        approval = page.get_by_role("region", name="Needs your approval")
        await expect(approval).to_contain_text("A sub-agent asks: Wait for the printer")
        await approval.get_by_role("button", name="Approve").click()
        await expect(page.get_by_role("progressbar", name="Progress")).to_have_attribute(
            "value", re.compile("^[123]0$")
        )
        await look(page, "sub-agent")
        await page.get_by_role("button", name="Stop").click()
        thread = page.get_by_role("list", name="Conversation")
        await expect(thread).to_contain_text("Stopped before it was finished.")
        await thread.get_by_role("button", name="More").click()
        await page.get_by_role("menuitem", name="View trace").click()
        await thread.get_by_text("Wait for the printer").click()
        await expect(thread).to_contain_text("Wait (office)")


async def test_an_unreached_goal_lists_open_todos_with_reasons(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    plan = {
        "todos": [{"number": number, "title": title} for number, title in enumerate(("Knock", "Go in", "Greet"), 1)]
    }
    endings = [
        {"number": 2, "status": "failed", "reason": "The door is locked, and nobody has the key."},
        {"number": 3, "status": "cancelled", "reason": "Nobody is there."},
    ]
    goal = {"outcome": "not_reached", "summary": "The house is empty.", "todos": endings}
    knocked = {"number": 1, "status": "completed", "result": "Knocked."}
    model_server.script(
        [Tools([("write_todos", plan)]), Tools([("update_todo", knocked)]), Tools([("finish_goal", goal)])]
    )
    session = await session_with(http, model_server, {})
    await sign_in(up, page, path=f"/chat/{session}")
    await page.get_by_role("button", name="Agent mode").click()
    composer = page.get_by_role("textbox", name="Your question")
    await composer.fill("Visit them")
    await composer.press("Enter")
    thread = page.get_by_role("list", name="Conversation", exact=True)
    await expect(thread.get_by_role("alert")).to_contain_text("The goal was not reached")
    await expect(thread.get_by_role("list", name="Plan")).to_contain_text("The door is locked, and nobody has the key.")
    await look(page, "goal-not-reached")
    await thread.get_by_role("button", name="More").click()
    await page.get_by_role("menuitem", name="View trace").click()
    outcome = thread.get_by_role("note").filter(has_text="The goal is not reached.")
    await expect(outcome.get_by_role("listitem")).to_have_text(
        [re.compile("2. Go in.*failed: The door is locked"), re.compile("3. Greet.*cancelled: Nobody is there.")]
    )
    await outcome.scroll_into_view_if_needed()
    await look(page, "goal-outcome")
    await page.set_viewport_size(PHONE)
    await outcome.scroll_into_view_if_needed()
    await look(page, "goal-outcome-phone")
