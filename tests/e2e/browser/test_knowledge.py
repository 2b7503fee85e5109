"""The pages of what is known beyond documents: knowledge, with opinions and reviews, and memories."""

from playwright.async_api import Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import look, sign_in


async def test_knowledge_is_written_rated_proposed_and_approved(up: Up, page: Page) -> None:
    up.run("users", "add", "reviewer", "reviewer@example.org", "--role", "superadmin")
    await sign_in(up, page, "reviewer")
    await page.goto(f"{up.url}/knowledge")
    await page.get_by_role("button", name="Add knowledge").click()
    await page.get_by_label("Title").fill("Watering of the orchids")
    await page.get_by_label("What is known").fill("The orchids in the hall are watered on Mondays, with rain water.")
    await page.get_by_label("Tags (optional)").fill("plants, hall")
    await page.get_by_role("button", name="Add", exact=True).click()
    await page.get_by_role("list", name="Knowledge").get_by_role("link", name="Watering of the orchids").click()
    await expect(page.get_by_role("heading", name="Watering of the orchids")).to_be_visible()
    await expect(page.get_by_text("plants, hall")).to_be_visible()
    await page.get_by_role("button", name="Helpful", exact=True).click()
    await expect(page.get_by_role("button", name="Helpful 1", exact=True)).to_have_attribute("aria-pressed", "true")
    await page.get_by_role("button", name="Edit", exact=True).click()
    await page.get_by_label("What is known").fill("The orchids in the hall are watered on Fridays, with rain water.")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_role("region", name="History")).to_contain_text("Revision 2")
    await look(page, "knowledge-history")
    await page.get_by_role("button", name="Propose for everyone").click()
    await expect(page.get_by_text("Proposed for everyone; a superadmin decides.")).to_be_visible()
    await page.goto(f"{up.url}/knowledge?view=review")
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
    await sign_in(up, page, "rememberer")
    await page.goto(f"{up.url}/settings/memory")
    await expect(page.get_by_text("Nothing is remembered yet.")).to_be_visible()
    await page.get_by_role("button", name="Add memory").click()
    await page.get_by_label("What is remembered").fill("Works in the night shift of ward 7.")
    await page.get_by_role("button", name="Save").click()
    memories = page.get_by_role("list", name="Memories").get_by_role("listitem")
    await expect(memories).to_have_count(1)
    await page.get_by_role("button", name="Edit Works in the night shift of ward 7.").click()
    await page.get_by_label("What is remembered").fill("Works in the day shift of ward 7.")
    await page.get_by_role("button", name="Save").click()
    await expect(memories).to_contain_text("Works in the day shift of ward 7.")
    await look(page, "memory")
    await page.get_by_role("button", name="Delete Works in the day shift of ward 7.").click()
    await page.get_by_role("dialog").or_(page.get_by_role("alertdialog")).get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("Nothing is remembered yet.")).to_be_visible()
