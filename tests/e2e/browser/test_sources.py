"""The pages of sources: adding one by its form, and its syncs."""

from pathlib import Path

from playwright.async_api import Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import look, sign_in


async def test_add_a_folder_test_it_and_watch_its_first_sync(up: Up, page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    folder.mkdir()
    (folder / "lamps.txt").write_text("The lamps of the harbour are lit at six.")
    await sign_in(up, page)
    await page.goto(f"{up.url}/sources")
    await page.get_by_role("button", name="Add source").click()
    await expect(page.get_by_role("heading", name="Add source")).to_be_visible()
    await look(page, "add-source")
    await page.get_by_role("link", name="Files", exact=True).click()
    await page.get_by_label("Name", exact=True).fill("Harbour")
    await page.get_by_label("Folder (optional)").fill(str(folder / "nowhere"))
    await page.get_by_role("button", name="Test").click()
    await expect(page.get_by_text("nowhere")).to_be_visible()
    await page.get_by_label("Folder (optional)").fill(str(folder))
    await page.get_by_role("button", name="Test").click()
    await expect(page.get_by_text(": works").first).to_be_visible()
    await look(page, "add-folder")
    await page.get_by_role("button", name="Add source").click()
    await expect(page.get_by_role("heading", name="Harbour")).to_be_visible()
    await expect(page.get_by_text("New: 1")).to_be_visible(timeout=60_000)
    await expect(page.get_by_text("Completed")).to_be_visible()
    await look(page, "source")
