"""The pages of notebooks: one is begun, asked, and removed and brought back."""

from playwright.async_api import Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import look, sign_in


async def test_a_notebook_is_begun_asked_removed_and_brought_back(up: Up, page: Page) -> None:
    await sign_in(up, page)
    await page.goto(f"{up.url}/notebooks")
    await page.get_by_role("button", name="New notebook").click()
    await page.get_by_label("Title").fill("First week")
    await page.get_by_label("Instructions (optional)").fill("Answer in one sentence.")
    await page.get_by_role("button", name="Create").click()
    await expect(page.get_by_role("heading", name="First week")).to_be_visible()
    await page.get_by_role("button", name="Add sources").click()
    await page.get_by_label("Troubleshooting").check()
    await page.get_by_role("button", name="Add 1").click()
    await expect(page.get_by_role("link", name="Troubleshooting")).to_be_visible()
    await look(page, "notebook")
    await page.get_by_label("Question to this notebook").fill("What can I do when something does not work?")
    await page.get_by_role("button", name="Ask", exact=True).click()
    await expect(page.get_by_role("link", name="Notebook", exact=True)).to_be_visible()
    await page.get_by_role("link", name="Notebook", exact=True).click()
    await expect(page.get_by_role("list", name="Conversations").get_by_role("link")).to_have_count(1)
    await page.get_by_role("button", name="Remove", exact=True).click()
    await expect(page.get_by_text("It can be restored for 30 days.")).to_be_visible()
    await look(page, "notebooks")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("heading", name="First week")).to_be_visible()
    await expect(page.get_by_role("list", name="Conversations").get_by_role("link")).to_have_count(1)
