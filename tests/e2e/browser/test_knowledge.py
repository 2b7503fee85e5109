"""The pages of knowledge, with feedback and reviews, and of memories."""

import re
from typing import Any

import aiohttp
from playwright.async_api import Page, expect

from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.up import Up
from tests.drivers.web_pages import look, post, sign_in, visit

_QUESTION = "When are the ferns in the hall watered?"
_CREATE = """async ([path, body]) => {
  const headers = { "Content-Type": "application/json", "X-EchoMind-CSRF": "1" };
  const response = await fetch(`/api/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return (await response.json()).id;
}"""
"""Stores something of whoever is signed in, and returns its id."""
_ARE_FOUND = """async (query) => {
  const headers = { "Content-Type": "application/json", "X-EchoMind-CSRF": "1" };
  const sent = { method: "POST", headers, body: JSON.stringify({ query }) };
  const known = await (await fetch("/api/v1/knowledge:search", sent)).json();
  const remembered = await (await fetch(`/api/v1/memories:search?query=${encodeURIComponent(query)}`)).json();
  return known.hits?.length > 0 && remembered.hits?.length === 2;
}"""
"""Whether an entity and two memories can be found."""


async def test_knowledge_is_written_rated_proposed_and_approved(up: Up, page: Page) -> None:
    up.run("users", "add", "reviewer", "reviewer@example.org", "--role", "superadmin")
    await sign_in(up, page, "reviewer", path="/knowledge")
    await page.get_by_role("button", name="Add knowledge").click()
    await page.get_by_label("Title").fill("Watering of the orchids")
    await page.get_by_label("Content").fill("The orchids in the hall are watered on Mondays, with rain water.")
    await page.get_by_label("Tags (optional)").fill("plants, hall")
    await page.get_by_role("button", name="Add", exact=True).click()
    await page.get_by_role("list", name="Knowledge").get_by_role("link", name="Watering of the orchids").click()
    await expect(page.get_by_role("heading", name="Watering of the orchids")).to_be_visible()
    await expect(page.get_by_text("plants, hall")).to_be_visible()
    await page.get_by_role("button", name="Helpful", exact=True).click()
    await expect(page.get_by_role("button", name="Helpful 1", exact=True)).to_have_attribute("aria-pressed", "true")
    await page.get_by_role("button", name="Edit", exact=True).click()
    await page.get_by_label("Content").fill("The orchids in the hall are watered on Fridays, with rain water.")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_role("region", name="History")).to_contain_text("Revision 2")
    await look(page, "knowledge-history")
    await page.get_by_role("button", name="Propose for everyone").click()
    await expect(page.get_by_text("Proposed for everyone; a superadmin decides.")).to_be_visible()
    await visit(page, "/knowledge?view=review")
    proposal = page.get_by_role("list", name="Knowledge").get_by_role("link", name="Watering of the orchids")
    await expect(proposal).to_be_visible()
    await look(page, "knowledge-review-queue")
    await proposal.click()
    await expect(page.get_by_role("region", name="Review")).to_be_visible()
    await look(page, "knowledge-review")
    await page.get_by_role("button", name="Approve as new").click()
    await expect(page.get_by_text("Everyone", exact=True)).to_be_visible()
    await expect(page.get_by_text("Verified until")).to_be_visible()
    await expect(page.get_by_role("region", name="Review")).to_have_count(0)


async def test_a_memory_is_added_changed_and_deleted(up: Up, page: Page) -> None:
    up.run("users", "add", "rememberer", "rememberer@example.org")
    await sign_in(up, page, "rememberer", path="/settings/memory")
    await expect(page.get_by_text("No memories yet.")).to_be_visible()
    await page.get_by_role("button", name="Add memory").click()
    await page.get_by_label("What to remember").fill("Works in the night shift of ward 7.")
    await page.get_by_role("button", name="Save").click()
    memories = page.get_by_role("list", name="Memories").get_by_role("listitem")
    await expect(memories).to_have_count(1)
    await page.get_by_role("button", name="Edit Works in the night shift of ward 7.").click()
    await page.get_by_label("What to remember").fill("Works in the day shift of ward 7.")
    await page.get_by_role("button", name="Save").click()
    await expect(memories).to_contain_text("Works in the day shift of ward 7.")
    await look(page, "memory")
    await page.get_by_role("button", name="Delete Works in the day shift of ward 7.").click()
    await page.get_by_role("dialog").or_(page.get_by_role("alertdialog")).get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("No memories yet.")).to_be_visible()


async def test_an_answer_names_knowledge_and_memories_and_is_kept(
    up: Up, page: Page, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    def respond(request: dict[str, Any]) -> Turn:
        last = request["messages"][-1]
        if last["role"] != "tool":
            return Tools([("search_knowledge", {"query": _QUESTION})])
        names = re.findall(r"K\d+", last["content"])
        return Text(f"The ferns in the hall are watered on Tuesdays [{names[0]}].")

    model_server.respond(respond)
    llm = {"name": "Ferns", "provider": "LLM_PROVIDER_OPENAI", "modelId": "ferns", "endpoint": model_server.url}
    assistant = await post(http, "assistants", {"name": "Ferns", "llmId": (await post(http, "llms", llm))["id"]})
    up.run("users", "add", "gardener", "gardener@example.org", "--role", "superadmin")
    await sign_in(up, page, "gardener")
    known = {"title": "Watering of the ferns", "content": "The ferns in the hall are watered on Tuesdays."}
    entity = await page.evaluate(_CREATE, ["knowledge", {"knowledge": known}])
    for content in ("Looks after the ferns in the hall.", "Waters the ferns in the hall with rain water."):
        await page.evaluate(_CREATE, ["memories", {"content": content}])
    session = await page.evaluate(_CREATE, ["chat-sessions", {"title": "Ferns", "assistantId": assistant["id"]}])
    await page.wait_for_function(_ARE_FOUND, arg=_QUESTION, polling=200)

    await visit(page, f"/chat/{session}")
    composer = page.get_by_role("textbox", name="Your question")
    await composer.fill(_QUESTION)
    await composer.press("Enter")
    thread = page.get_by_role("list", name="Conversation", exact=True)
    chip = thread.get_by_role("link", name=f"Knowledge K{entity}: Watering of the ferns")
    await expect(chip).to_be_visible()
    await thread.get_by_text("Used 2 memories").click()
    await expect(
        thread.get_by_role("listitem").filter(has_text="Looks after the ferns in the hall.").last
    ).to_be_visible()
    await expect(thread.get_by_role("link", name="Manage memories")).to_be_visible()
    await look(page, "knowledge-cited")
    await chip.hover()
    await expect(page.get_by_role("tooltip")).to_contain_text(known["content"])

    # The saved entity has no citation markers of the answer, and links to its conversation.
    await thread.get_by_role("button", name="More").click()
    await page.get_by_role("menuitem", name="Save as knowledge").click()
    await expect(page.get_by_label("Content")).to_have_value(known["content"])
    await page.get_by_label("Title").fill("Ferns on Tuesdays")
    await look(page, "knowledge-save")
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_role("region", name="Notifications").get_by_role("button", name="Open").click()
    await expect(page.get_by_role("heading", name="Ferns on Tuesdays")).to_be_visible()
    await page.get_by_role("link", name="A conversation of yours").click()
    await chip.click()
    await expect(page.get_by_role("heading", name="Watering of the ferns")).to_be_visible()
