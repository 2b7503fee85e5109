"""Questions with files and a chosen model, approvals by keyboard, and answers that stay where they are."""

import asyncio
import re
from pathlib import Path
from typing import Any

import aiohttp
from playwright.async_api import Page, expect

from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.up import Up
from tests.drivers.web_pages import look, post, session_with, sign_in, visit

_SHIFTS = """
window.shifts = 0;
window.shifted = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    // The list of conversations beside the page moves when one is added, whatever is written in it.
    const isOfPage = ({ node }) => (node?.closest ? node : node?.parentElement)?.closest("main");
    if (hadRecentInput || !sources.some(isOfPage)) continue;
    window.shifts += value;
    for (const { node } of sources) window.shifted.push(`${value.toFixed(4)} ${node?.outerHTML?.slice(0, 200)}`);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
_AWAY = """
window.Notification = class extends Notification {
  static get permission() {
    return "granted";
  }
  constructor(title, options) {
    super(title, options);
    document.documentElement.dataset.notified = `${title}: ${options.body}`;
  }
};
Object.defineProperty(document, "hidden", { get: () => window.isAway === true });
"""
"""Says the last notification of a page, which is in the background while `isAway`. A browser that draws no windows
never grants the permission."""
_LARGEST_SHIFT = 0.01
"""Cumulative layout shift while an answer is written."""
_ANSWER = "\n\n".join(
    [
        "The barn key hangs behind the door [1].",
        "| Key | Place |\n|---|---|\n| Barn | Door |\n| Shed | Hook |",
        "```python\ndef key(place: str) -> str:\n    return f'behind the {place}'\n```",
        "The area is $$a = \\pi r^2$$ in all.",
        "- [x] found\n- [ ] returned",
        *(f"Paragraph {number} says a little more of the barn and of its key." for number in range(30)),
    ]
)


_DRAWN = """Then you rest.

```mermaid
graph LR
  Work --> Rest
  Rest -->|tomorrow| Work
```

```mermaid
graph LR
  Work --> --> Rest
```

That is all."""


async def test_ask_with_a_file_and_a_chosen_model(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer, tmp_path: Path
) -> None:
    def respond(request: dict[str, Any]) -> Turn:
        if request["messages"][-1]["role"] == "tool":
            return Text(_ANSWER)
        return Tools([("search_documents", {"query": "Where is the key?"})])

    model_server.respond(respond)
    llm = {"name": "Barn model", "provider": "LLM_PROVIDER_OPENAI", "modelId": "barn", "endpoint": model_server.url}
    await post(http, "llms", llm)
    await page.add_init_script(_SHIFTS)
    await sign_in(up, page)
    note = tmp_path / "barn.txt"
    note.write_text("The key of the barn hangs behind the door, on the left.")
    await page.locator("input[type=file]").set_input_files(note)
    files = page.get_by_role("list", name="Attached files")
    await expect(files).to_contain_text("barn.txt")
    await page.get_by_role("button", name=re.compile("^Model: ")).click()
    await page.get_by_role("menuitemradio", name="Barn model").click()
    composer = page.get_by_role("textbox", name="Your question")
    await composer.fill("Where does the key hang?")
    await expect(files.get_by_text("Indexing…")).to_have_count(0)
    await look(page, "composer")

    await page.wait_for_function("Object.keys(localStorage).some((key) => key.startsWith('echomind.draft.'))")
    await page.reload()
    await expect(composer).to_have_value("Where does the key hang?")
    await expect(files).to_contain_text("barn.txt")
    await expect(page.get_by_role("button", name="Model: Barn model")).to_be_visible()

    # The suggestions come after the page, and would move it while the answer is measured.
    await expect(page.get_by_role("button", name=re.compile("^What are the main points of")).first).to_be_visible()
    await page.evaluate("window.shifts = 0; window.shifted = []")
    await composer.press("Enter")
    thread = page.get_by_role("list", name="Conversation")
    await expect(thread).to_contain_text("Paragraph 29")
    await expect(composer).to_have_value("")
    await expect(thread.get_by_role("button", name="Regenerate")).to_be_visible()
    assert await page.evaluate("window.shifts") <= _LARGEST_SHIFT, await page.evaluate("window.shifted")
    await expect(thread.get_by_role("link", name="barn.txt")).to_be_visible()
    await expect(thread).to_contain_text("Barn model · ")
    await look(page, "answer")
    assert any("Files are attached" in str(request["messages"][0]) for request in model_server.requests)

    # Scrolling up stops following; a button jumps back.
    await page.get_by_text("Paragraph 29").hover()
    await page.mouse.wheel(0, -100_000)
    await page.get_by_role("button", name="Jump to latest").click()
    await expect(page.get_by_text("Paragraph 29")).to_be_in_viewport()

    await thread.get_by_role("button", name="Not helpful", exact=True).click()
    await thread.get_by_role("button", name="Incomplete").click()
    await thread.get_by_role("textbox", name="Details (optional)").fill("The shed is missing.")
    await look(page, "feedback")
    await thread.get_by_role("button", name="Send", exact=True).click()
    await expect(page.get_by_role("region", name="Notifications")).to_contain_text("Your feedback was saved")
    await page.reload()
    rating = thread.get_by_role("button", name="Not helpful", exact=True)
    await expect(thread).to_contain_text("Your feedback: Incomplete: The shed is missing.")
    await expect(rating).to_have_attribute("aria-pressed", "true")
    await rating.click()
    await expect(rating).to_have_attribute("aria-pressed", "false")
    await page.reload()
    await expect(rating).to_have_attribute("aria-pressed", "false")


async def test_queue_a_question_while_an_answer_is_written(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    def respond(request: dict[str, Any]) -> Turn:
        is_first = not any("And then?" in str(message) for message in request["messages"])
        return Text("A long answer. " * 300, delay_ms=60) if is_first else Text(_DRAWN)

    model_server.respond(respond)
    session = await session_with(http, model_server, {})
    await sign_in(up, page, path=f"/chat/{session}")
    composer = page.get_by_role("textbox", name="Your question")
    thread = page.get_by_role("list", name="Conversation")
    await composer.fill("What first?")
    await composer.press("Enter")
    await expect(thread).to_contain_text("A long answer.")
    await composer.fill("And")
    await composer.press("Enter")
    await page.get_by_role("button", name="Edit", exact=True).click()
    await composer.fill("And then?")
    await page.get_by_role("button", name="Queue").click()
    await expect(page.get_by_text("Queued. It is sent when")).to_be_visible()
    await look(page, "queued")
    await page.reload()
    await expect(page.get_by_text("Queued. It is sent when")).to_be_visible()
    await page.get_by_role("button", name="Stop").click()
    await expect(thread).to_contain_text("Then you rest.")
    await expect(composer).to_have_value("")

    # A diagram is drawn in a frame that cannot reach the page; one that cannot be drawn stays code.
    diagram = page.frame_locator("iframe[title=Diagram]").first
    await expect(diagram.locator("svg").get_by_text("Rest")).to_be_visible()
    await expect(thread).to_contain_text("The diagram could not be drawn: ")
    assert await diagram.locator("body").evaluate("() => self.origin") == "null"
    await look(page, "diagram")
    await page.get_by_role("button", name="View source").click()
    await expect(thread.get_by_role("figure", name="Diagram")).to_contain_text("graph LR")


async def test_decide_by_keyboard_and_find_the_decision_again(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    def respond(request: dict[str, Any]) -> Turn:
        if request["messages"][-1]["role"] == "tool":
            return Text("Done.")
        return Tools([("fetch_web_page", {"url": "https://example.com/leave"})])

    model_server.respond(respond)
    session = await session_with(http, model_server, {"approvalTools": ["fetch_web_page"]})
    await sign_in(up, page, path=f"/chat/{session}")
    composer = page.get_by_role("textbox", name="Your question")
    await expect(composer).to_be_focused()
    await page.keyboard.type("Search for leave.")
    await page.keyboard.press("Enter")
    approval = page.get_by_role("region", name="Needs your approval")
    await expect(approval).to_contain_text("Opens example.com.")
    await look(page, "approval-risk")
    await approval.get_by_role("textbox", name="Comment for the agent").focus()
    await page.keyboard.type("Only this once.")
    await page.keyboard.press("Control+Backspace")
    thread = page.get_by_role("list", name="Conversation")
    await expect(thread).to_contain_text("Done.")
    decisions = thread.get_by_role("list", name="Decisions")
    await expect(decisions).to_contain_text("Denied: Read web page")
    await page.reload()
    await expect(decisions).to_contain_text("“Only this once.”Owner")
    await look(page, "decision")

    more = thread.get_by_role("button", name="More")
    await more.focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("menuitem", name="Exclude from context").press("Enter")
    await expect(thread).to_contain_text("Excluded from context.")
    await look(page, "excluded-answer")
    await page.get_by_role("region", name="Notifications").get_by_role("button", name="Undo").press("Enter")
    await expect(thread.get_by_text("Excluded from context.")).to_have_count(0)


async def test_notify_of_an_answer_while_the_tab_is_hidden(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    gate = asyncio.Event()
    model_server.respond(lambda request: Text("An answer. " * 20, gate=gate))
    session = await session_with(http, model_server, {})
    await page.context.grant_permissions(["notifications"], origin=up.url)
    await page.add_init_script(_AWAY)
    await sign_in(up, page, path="/settings/preferences")
    switch = page.get_by_role("checkbox", name="Notify me when a run ends")
    await switch.click()
    await expect(switch).to_be_checked()
    await visit(page, f"/chat/{session}")
    composer = page.get_by_role("textbox", name="Your question")
    await composer.fill("What?")
    await page.evaluate("window.isAway = true")
    await composer.press("Enter")
    await expect(page.get_by_role("list", name="Conversation")).to_contain_text("An answer.")
    gate.set()
    shown = page.locator("html")
    await expect(shown).to_have_attribute("data-notified", "Leave: The run has ended.")
    await expect(page).to_have_title("(1) Leave · EchoMind")
