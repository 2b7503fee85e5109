"""The pages of connectors: adding one by its form, and its syncs."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.drivers.up import Up
from tests.drivers.vendors import Ports, Vendors, vendors
from tests.drivers.web_pages import look, sign_in, visit


async def test_add_a_folder_test_it_and_watch_its_first_sync(up: Up, page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    folder.mkdir()
    (folder / "lamps.txt").write_text("The lamps of the harbour are lit at six.")
    await sign_in(up, page, path="/sources")
    await page.get_by_role("button", name="Add connector").click()
    await expect(page.get_by_role("heading", name="Add connector")).to_be_visible()
    await look(page, "add-source")
    await page.get_by_role("link", name="Files", exact=True).click()
    await page.get_by_label("Name", exact=True).fill("Harbour")
    await page.get_by_label("Folder (optional)").fill(str(folder / "nowhere"))
    await page.get_by_role("button", name="Test").click()
    await expect(page.get_by_text("nowhere")).to_be_visible()
    await page.get_by_role("button", name="Add connector").click()
    asking = page.get_by_role("dialog", name="Add the connector although its test failed?")
    await expect(asking.get_by_text("nowhere")).to_be_visible()
    await asking.get_by_role("button", name="Cancel").click()
    await page.get_by_label("Folder (optional)").fill(str(folder))
    await page.get_by_role("button", name="Test").click()
    await expect(page.get_by_text(": works").first).to_be_visible()
    await look(page, "add-folder")
    await page.get_by_role("button", name="Add connector").click()
    await expect(page.get_by_role("heading", name="Harbour")).to_be_visible()
    await expect(page.get_by_text("New: 1")).to_be_visible()
    await expect(page.get_by_text("Completed")).to_be_visible()
    await look(page, "source")


async def test_a_source_that_read_nothing_says_so_in_the_list_and_on_its_page(
    up: Up, page: Page, tmp_path: Path
) -> None:
    reason = "The connected system has no documents, or none that the settings select: check them."
    folder = tmp_path / "empty"
    folder.mkdir()
    await sign_in(up, page, path="/sources/new?type=file")
    await page.get_by_label("Name", exact=True).fill("Empty folder")
    await page.get_by_label("Folder (optional)").fill(str(folder))
    await page.get_by_role("button", name="Add connector").click()
    await expect(page.get_by_text("Needs attention").first).to_be_visible()
    await expect(page.get_by_role("note").get_by_text(reason)).to_be_visible()
    await look(page, "source-that-read-nothing")
    await visit(page, "/sources")
    row = page.get_by_role("listitem").filter(has_text="Empty folder")
    await expect(row.get_by_text("Needs attention")).to_be_visible()
    await expect(row.get_by_text(reason)).to_be_visible()
    await look(page, "sources-with-reasons")


@pytest_asyncio.fixture(loop_scope="session")
async def served(vendor_ports: Ports) -> AsyncIterator[Vendors]:
    """Google and Microsoft, each with a file of the person who signs in."""
    async with vendors(vendor_ports) as served:
        ann = served.google.person("ann")
        served.google.add("Lighthouse.txt", ann, content=b"The lighthouse is painted every third year.")
        microsoft = served.microsoft
        drive = microsoft.add_drive(owner=microsoft.add_user("ada@contoso.com"))
        microsoft.put(drive, "Lighthouse.txt", b"The lighthouse is painted every third year.")
        yield served


@pytest.mark.parametrize(("title", "setting"), [("Google Drive", "My Drive"), ("OneDrive and SharePoint", "")])
@pytest.mark.usefixtures("served")
async def test_sign_in_for_a_source_and_see_who_reads_its_documents(
    up: Up, page: Page, title: str, setting: str
) -> None:
    await sign_in(up, page, path="/sources/new")
    await page.get_by_role("link", name=title, exact=True).click()
    await page.get_by_label("Name", exact=True).fill(f"Signed in at {title}")
    if setting:
        await page.get_by_label(setting, exact=True).check()
    await page.get_by_role("button", name="Add connector").click()
    await expect(page.get_by_role("heading", name=f"Signed in at {title}")).to_be_visible()

    async with page.expect_popup() as opened:
        await page.get_by_role("button", name="Sign in", exact=True).click()
    popup = await opened.value
    async with popup.expect_event("close"):
        await popup.get_by_role("link", name="Allow").click()
    await expect(page.get_by_text("kim@example.org").first).to_be_visible()
    await expect(page.get_by_text("New: 1")).to_be_visible()
    await page.get_by_role("button", name="Settings", exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Test", exact=True).click()
    await expect(dialog.get_by_text(": works").first).to_be_visible()
    await dialog.get_by_role("button", name="Close").click()
    await look(page, "source-signed-in")

    await page.get_by_role("link", name="People and groups").click()
    await expect(page.get_by_role("table").get_by_text("No account").last).to_be_visible()
    await look(page, "source-people")
    source = page.url.removeprefix(up.url).removesuffix("/people")
    await visit(page, source.replace("/sources/", "/documents?source="))
    await page.get_by_role("link", name="Lighthouse.txt").click()
    await page.get_by_role("button", name="Who can read this").click()
    await expect(dialog.get_by_text("1 person has no account here")).to_be_visible()
    await dialog.get_by_role("button", name="Choose account of").click()
    await page.get_by_role("radio", name="owner").check()
    await page.get_by_role("button", name="Choose", exact=True).click()
    await expect(dialog.get_by_text("By alias")).to_be_visible()
    await look(page, "document-readers")
    await dialog.get_by_role("button", name="Remove alias").click()
    await expect(dialog.get_by_text("No account", exact=True)).to_be_visible()
