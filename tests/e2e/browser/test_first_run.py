"""The first run, from the first link to the first cited answer, and the settings of one's own account."""

import asyncio
import re

from playwright.async_api import FilePayload, Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, look, sign_in, use_link, visit

PASSWORD = "correct horse battery staple"
_IS_PROCESSED = """async () => {
  const { documents = [] } = await (await fetch("/api/v1/documents")).json();
  const read = documents.filter(({ status }) => status === "DOCUMENT_STATUS_COMPLETED");
  return read.some(({ title }) => title === "Leave of the company");
}"""


async def test_the_first_link_leads_to_a_cited_answer(up: Up, page: Page) -> None:
    added = up.run("users", "add", "boss", "boss@example.org", "--role", "superadmin")
    await use_link(page, added.stdout.strip().rpartition(" ")[2], "boss")
    await expect(page.get_by_role("heading", name="Set a password")).to_be_visible()
    await look(page, "setup-password")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Set password and continue").click()
    await expect(page.get_by_role("heading", name="Connect a model")).to_be_visible()
    await look(page, "setup-model")
    await page.get_by_role("button", name="Stay with quotes").click()
    await expect(page.get_by_role("heading", name="Add documents")).to_be_visible()
    # Completed steps are stored on the server.
    await page.reload()
    await expect(page.get_by_role("link", name="Set a password")).to_contain_text("Set a password")
    text = b"# Leave of the company\n\nEmployees of the company get 31 days of leave a year."
    await page.set_input_files("input[type=file]", FilePayload(name="leave.md", mimeType="text/markdown", buffer=text))
    # Until it is read, a question would not find it. Documents of others are ready already.
    async with asyncio.timeout(60):
        while not await page.evaluate(_IS_PROCESSED):  # noqa: ASYNC110 - the server does not tell
            await asyncio.sleep(0.1)
    await expect(page.get_by_text(re.compile("ready for questions"))).to_be_visible()
    await look(page, "setup-documents")
    await page.get_by_role("button", name="Continue").first.click()
    await expect(page.get_by_role("heading", name="Ask a question")).to_be_visible()
    await look(page, "setup-question")
    await page.get_by_label("Question").fill("How many days of leave do employees of the company get?")
    await page.get_by_role("button", name="Ask", exact=True).click()
    await expect(page.get_by_text("31 days of leave a year").first).to_be_visible()
    await expect(page.get_by_text("1 source").first).to_be_visible()
    # The start page no longer redirects.
    await page.goto(up.url)
    await expect(page.get_by_role("navigation", name="Main")).to_be_visible()


async def test_the_steps_on_a_phone_are_short_for_colleagues_and_can_be_left_for_later(
    up: Up, open_page: OpenPage
) -> None:
    page = await open_page(locale="de-DE", viewport=PHONE)
    link = up.run("users", "add", "colleague", "colleague@example.org").stdout.strip().rpartition(" ")[2]
    await use_link(page, link, "colleague")
    await page.get_by_label("Vorname").fill("Ada")
    await look(page, "setup-phone")
    await page.get_by_role("button", name="Speichern und weiter").click()
    await expect(page.get_by_role("heading", name="Passwort festlegen")).to_be_visible()
    await page.get_by_role("button", name="Später").click()
    left = page.get_by_role("region", name="Einrichtung abschließen: 1 von 2 erledigt")
    await expect(left).to_be_visible()
    await look(page, "setup-checklist")
    await left.get_by_role("button", name="Einrichtungsschritte ausblenden").click()
    await expect(left).to_have_count(0)


async def test_devices_groups_and_health(up: Up, page: Page, open_page: OpenPage) -> None:
    other = await open_page()
    await sign_in(up, other)
    await sign_in(up, page, path="/settings/devices")
    await expect(page.get_by_role("heading", name="Devices")).to_be_visible()
    await look(page, "devices")
    await page.get_by_role("button", name="Sign out all others").click()
    await page.get_by_role("dialog").get_by_role("button", name="Sign out all others").click()
    await expect(page.get_by_role("list", name="Devices").get_by_role("listitem")).to_have_count(1)
    await other.reload()
    await expect(other.get_by_role("heading", name="Sign in to EchoMind")).to_be_visible()
    await look(other, "sign-in")

    await visit(page, "/admin/groups")
    await page.get_by_role("button", name="New group").click()
    await page.get_by_label("Name", exact=True).fill("Pages")
    await page.get_by_role("button", name="Create", exact=True).click()
    await page.get_by_role("link", name="Pages").click()
    await page.get_by_role("button", name="Add people").click()
    await page.get_by_label("Search").fill("owner@")
    await page.get_by_role("checkbox", name="Owner").check()
    await page.get_by_role("button", name="Add", exact=True).click()
    members = page.get_by_role("table", name="Members")
    await expect(members.get_by_role("button", name="Remove Owner from the group")).to_be_visible()
    await look(page, "group")
    await members.get_by_role("button", name="Remove Owner from the group").click()
    await expect(page.get_by_text("This group has no members yet.")).to_be_visible()
    await page.get_by_role("button", name="Undo").click()
    await expect(members.get_by_role("button", name="Remove Owner from the group")).to_be_visible()
    await page.get_by_role("button", name="Remove", exact=True).click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.get_by_role("heading", name="Groups", exact=True)).to_be_visible()

    await visit(page, "/admin/health")
    await expect(page.get_by_role("region", name="Servers", exact=True)).to_contain_text("PostgreSQL")
    await look(page, "health")
    await visit(page, "/settings/about")
    await expect(page.get_by_role("link", name="API reference")).to_be_visible()
    await look(page, "about")
