"""The frame of all pages: keyboard navigation, command palette, language, phone size."""

from playwright.async_api import expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, look, sign_in, visit


async def test_by_keys_alone(up: Up, open_page: OpenPage) -> None:
    page = await open_page()
    await sign_in(up, page)
    await expect(page.get_by_role("textbox", name="Your question")).to_be_visible()
    await page.get_by_role("textbox", name="Your question").blur()
    await page.keyboard.press("g")
    await page.keyboard.press("d")
    await expect(page.get_by_role("heading", name="Documents", level=1)).to_be_visible()
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Find or do anything")
    await look(page, "shortcuts")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("combobox", name="Name of a document")).to_be_focused()
    await page.keyboard.type("account sett")
    found = ["Settings › Account", "Search documents for “account sett”"]
    await expect(page.get_by_role("listbox").get_by_role("option")).to_have_text(found)
    await look(page, "palette")
    await page.keyboard.press("Enter")
    await expect(page).to_have_title("Account · Settings · EchoMind")
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("combobox", name="Name of a document")).to_be_focused()
    await page.keyboard.type("no such thing")
    # At once: what an earlier query has found is not opened.
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{up.url}/search?q=no+such+thing")


async def test_in_german_on_a_phone(up: Up, open_page: OpenPage) -> None:
    page = await open_page(locale="de-DE", viewport=PHONE)
    await sign_in(up, page)
    await expect(page.locator("html")).to_have_attribute("lang", "de")
    await page.get_by_role("button", name="Mehr").click()
    await page.get_by_role("menuitem", name="Einstellungen").click()
    await expect(page).to_have_url(f"{up.url}/settings/account")
    await expect(page.get_by_role("heading", name="Konto", level=1)).to_be_visible()
    await look(page, "account-phone-german")
    await visit(page, "/nowhere")
    await expect(page.get_by_role("heading", name="Seite nicht gefunden")).to_be_visible()
    await page.get_by_role("link", name="Chat beginnen").click()
    await expect(page.get_by_role("textbox", name="Ihre Frage")).to_be_visible()
    await look(page, "chat-phone-german")
