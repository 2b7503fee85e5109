"""A superadmin creates a team of three with a pinned version, watches it work, and reads its trace."""

import asyncio
import re
from functools import partial
from typing import Any

from playwright.async_api import Page, expect

from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.up import Up
from tests.drivers.web_pages import look, sign_in, visit
from tests.factories.turns import delegated, member_of

NAMES = ("Ada", "Bob", "Eve")
QUERIES = {"Ada": "checkpoint of a conversation", "Bob": "share link of a conversation"}
LONG = "I compare what a conversation keeps with what a link shows, sentence by sentence, before I report."


def respond(gate: asyncio.Event, body: dict[str, Any]) -> Turn:
    """The leader gives each member a task, then cites each report by the number that the source has for it.

    The last word of one of them waits for the gate.
    """
    results = [message["content"] for message in body["messages"] if message["role"] == "tool"]
    member = member_of(body)
    if member == "Eve":
        return Text(LONG, gate=gate)
    if member:
        return Text("I found it [1].") if results else Tools([("search_documents", {"query": QUERIES[member]})])
    if not body.get("tools"):
        return Text("")
    if not results:
        return Tools([delegated(name.lower(), f"Part of {name}.") for name in NAMES])
    numbers = [match[1] for result in results if (match := re.search(r"\[(\d+)\]", result))]
    return Text(" ".join(f"Report {index} [{number}]." for index, number in enumerate(numbers, 1)))


async def test_make_a_team_and_watch_it_to_its_answer(up: Up, page: Page, model_server: ModelServer) -> None:
    gate = asyncio.Event()
    model_server.respond(partial(respond, gate))
    up.run("users", "add", "coach", "coach@example.org", "--role", "superadmin")
    scripted = ("--provider", "vllm", "--model", "scripted-for-teams", "--endpoint", model_server.url)
    up.run("llms", "add", "Scripted for teams", *scripted)
    for name in NAMES:
        up.run(
            "assistants",
            "add",
            name,
            "--hidden",
            "--model",
            "Scripted for teams",
            "--system-prompt",
            f"You are {name}.",
        )
    await sign_in(up, page, "coach", path="/assistants/new")
    await page.get_by_label("Name", exact=True).fill("Desk of three")
    await page.get_by_label("Model", exact=True).select_option(label="Scripted for teams")
    await page.get_by_role("tab", name="Team").click()
    for name in NAMES:
        await page.get_by_label("Add a member").select_option(label=name)
        await page.get_by_label(name, exact=True).fill(f"Does the part of {name}.")
    await page.get_by_label("Version of Ada").select_option(label="1")
    await look(page, "team")
    await page.get_by_role("button", name="Create", exact=True).click()
    await expect(page).to_have_url(re.compile(r"/assistants/\d+"))
    assistant = re.findall(r"/assistants/(\d+)", page.url)[0]
    for name in ("Ada", "Bob"):
        up.run("assistants", "update", name, "--description", "Reads fast.")
    await page.goto(f"{up.url}/assistants/{assistant}?tab=team")
    await expect(page.get_by_label("Version of Ada")).to_have_value("1")
    await expect(page.get_by_label("Version of Bob")).to_have_value("0")
    await visit(page, "/assistants")
    await page.get_by_role("button", name="Actions for Desk of three").click()
    await page.get_by_role("menuitem", name="Use for new conversations").click()

    await visit(page, "/")
    await page.get_by_placeholder("Ask about your documents").fill("What is kept, and what is shown?")
    await page.keyboard.press("Enter")
    # Each member with its task; the slow one with its text, collapsed at first.
    eve = page.locator("details").filter(has_text="Part of Eve.").last
    await expect(eve).to_contain_text("sentence by sentence")
    await expect(page.get_by_text("Part of Ada.").first).to_be_visible()
    await look(page, "team-at-work")
    gate.set()

    # The answer cites what two members have found, each by "1", in numbers of its own; each member has ended.
    thread = page.get_by_role("list", name="Conversation", exact=True)
    more = thread.get_by_role("button", name="More")
    await expect(more).to_be_visible()
    chips = thread.get_by_role("button", name=re.compile(r"^Source \d+: "))
    await expect(chips).to_have_text([re.compile("^1"), re.compile("^2")])
    await expect(thread.get_by_role("group", name="Sources").locator("ol > li")).to_have_count(2)
    await look(page, "team-answer")
    await more.click()
    await page.get_by_role("menuitem", name="View trace").click()
    for name in NAMES:
        await expect(thread.locator("summary").filter(has_text=f"Part of {name}.")).to_contain_text("Done")
    await look(page, "team-trace")
    await more.click()
    await page.get_by_role("menuitem", name="Open run").click()
    timeline = page.get_by_role("list", name="Timeline")
    for name, version in (("Ada", 1), ("Bob", 2), ("Eve", 1)):
        await timeline.get_by_role("button", name=f"{name}: Part of {name}.").click()
        await expect(page.get_by_role("region", name="Details")).to_contain_text(f"{name}, version {version}")
    await look(page, "team-run")
