"""A superadmin sets up a model and an assistant, tests it before saving, asks it, and views its usage."""

import re

from playwright.async_api import Page, expect

from tests.drivers.model_server import ModelServer, Text
from tests.drivers.up import Up
from tests.drivers.web_pages import look, sign_in, visit


async def test_set_up_an_assistant_try_it_and_ask_it(up: Up, page: Page, model_server: ModelServer) -> None:
    model_server.respond(lambda _: Text("Thirty days."))
    # A separate account, because the default assistant is a personal setting.
    up.run("users", "add", "designer", "designer@example.org", "--role", "superadmin")
    await sign_in(up, page, "designer", path="/admin/models")
    await page.get_by_role("button", name="Connect a model").click()
    await page.get_by_label("Model", exact=True).fill("scripted-for-assistants")
    await page.get_by_label(re.compile("^Endpoint URL")).fill("http://127.0.0.1:9/v1")
    await page.get_by_label("Make it the default model").uncheck()
    await page.get_by_role("button", name="Connect", exact=True).click()
    # Nothing is stored before a successful test, and the dialog shows advice.
    await expect(page.get_by_role("dialog")).to_contain_text("Check that the server runs")
    await page.get_by_label(re.compile("^Endpoint URL")).fill(model_server.url)
    await page.get_by_role("button", name="Connect", exact=True).click()
    await page.get_by_role("button", name="Done").click()

    await page.get_by_role("link", name="Build", exact=True).click()
    await page.get_by_role("link", name="New assistant").click()
    await page.get_by_label("Name", exact=True).fill("Leave desk")
    await page.get_by_label("Model", exact=True).select_option(label="scripted-for-assistants")
    await page.get_by_label("Conversation starters").fill("How many days of leave do I get?")
    await page.get_by_role("tab", name="Tools").click()
    tool = page.get_by_role("listitem").filter(has_text=re.compile("^Calculator"))
    await tool.get_by_label("Needs approval").check()
    await look(page, "assistant-tools")
    test = page.get_by_role("complementary", name="Test")
    await test.get_by_role("button", name="How many days of leave do I get?").click()
    await expect(test).to_contain_text("Thirty days.")
    await look(page, "assistant")

    # Nothing is saved yet, so navigation asks for confirmation.
    await page.get_by_role("link", name="Library", exact=True).click()
    leaving = page.get_by_role("dialog", name="Leave without saving?")
    await leaving.get_by_role("button", name="Cancel").click()
    await page.get_by_role("button", name="Create", exact=True).click()
    await expect(page).to_have_url(re.compile(r"/assistants/\d+"))
    # A change creates a version, which is compared and undone.
    await page.get_by_role("tab", name="General").click()
    await page.get_by_label("Instructions").fill("Answer in one sentence.")
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_role("tab", name="Versions").click()
    await page.get_by_role("button", name=re.compile("^Version 2")).click()
    await expect(page.locator("ins")).to_have_text("Answer in one sentence.")
    await page.get_by_role("button", name=re.compile("^Version 1")).click()
    await look(page, "assistant-versions")
    await page.get_by_role("button", name="Restore this version").click()
    await expect(page.get_by_role("button", name=re.compile("^Version 3"))).to_contain_text("Restored version 1")
    await page.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="Assistants", exact=True).click()
    await page.get_by_role("button", name="Actions for Leave desk").click()
    await page.get_by_role("menuitem", name="Use for new conversations").click()
    await expect(page.get_by_text("Your default")).to_be_visible()
    await look(page, "assistants")
    await visit(page, "/")
    await page.get_by_role("button", name="How many days of leave do I get?").click()
    await expect(page.get_by_text("Thirty days.")).to_be_visible()

    await visit(page, "/admin/usage?by=assistant")
    await expect(page.get_by_role("rowheader", name="Leave desk").first).to_be_visible()
    await look(page, "usage")
    await page.get_by_role("tab", name="By day and model").click()
    await expect(page.get_by_role("region", name="Usage").get_by_role("columnheader", name="Day")).to_be_visible()
    await expect(page.get_by_role("rowheader", name="scripted").first).to_be_visible()
    await look(page, "usage-by-day-and-model")
    await visit(page, "/admin/feedback")
    await expect(page.get_by_role("heading", name="Feedback")).to_be_visible()
    await look(page, "feedback")
    await visit(page, "/sources")
    await expect(page.get_by_role("list", name="Connectors")).to_be_visible()
    await look(page, "connectors")

    await visit(page, "/settings/preferences")
    await page.get_by_label("Assistant", exact=True).select_option(index=0)
    await page.get_by_label("Density").select_option(label="Compact")
    await expect(page.locator("html")).to_have_attribute("data-density", "compact")
    await look(page, "preferences")
    await page.get_by_label("Density").select_option(label="Comfortable")
    await expect(page.locator("html")).not_to_have_attribute("data-density", "compact")
    await page.reload()
    await expect(page.get_by_label("Assistant", exact=True)).to_have_value("0")
