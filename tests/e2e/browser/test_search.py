"""Searching without a model: filters in the address, marked words, and the passage in its document."""

from playwright.async_api import Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, look, sign_in


async def test_search(up: Up, page: Page, open_page: OpenPage) -> None:
    await sign_in(up, page)
    await page.get_by_role("navigation", name="Main").get_by_role("link", name="Library").click()
    await page.get_by_role("navigation", name="Library").get_by_role("link", name="Search").click()
    await expect(page.get_by_role("searchbox", name="Search documents")).to_be_focused()
    await page.keyboard.type("checkpoint")
    results = page.get_by_role("list", name="Results")
    await expect(results.locator("mark").first).to_have_text("checkpoint", ignore_case=True)
    await page.get_by_text("Words", exact=True).click()
    await expect(page).to_have_url(f"{up.url}/search?q=checkpoint&mode=lexical")
    await page.reload()
    await expect(page.get_by_role("radio", name="Words", exact=True)).to_be_checked()
    await look(page, "search")
    await results.get_by_role("button").first.click()
    await expect(page.get_by_role("complementary").locator("mark").first).to_be_visible()
    await look(page, "search-passage")
    await page.keyboard.press("Escape")
    await page.get_by_role("combobox", name="Type").select_option("PDF")
    await expect(page.get_by_text("No results in the documents that you can read.")).to_be_visible()
    phone = await open_page(locale="de-DE", viewport=PHONE)
    await sign_in(up, phone, path="/search?q=checkpoint")
    await expect(phone.get_by_role("list", name="Ergebnisse").get_by_role("listitem").first).to_be_visible()
    await look(phone, "search-phone-german")
