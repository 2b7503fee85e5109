"""The pages of notebooks: one is begun, asked, and removed and brought back."""

from playwright.async_api import Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, look, sign_in, visit


async def test_a_notebook_is_begun_asked_removed_and_brought_back(up: Up, page: Page) -> None:
    await sign_in(up, page, path="/notebooks")
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


async def test_further_tools_are_chosen_by_editors_and_notes_are_kept_by_everybody(
    up: Up, page: Page, open_page: OpenPage
) -> None:
    for name in ("nora", "vera"):
        up.run("users", "add", name, f"{name}@example.org")
    up.run("notebooks", "add", "Second week")
    up.run("notebooks", "join", "Second week", "nora", "--role", "editor")
    up.run("notebooks", "join", "Second week", "vera")

    # The editor allows a tool.
    await sign_in(up, page, "nora", path="/notebooks")
    await page.get_by_role("link", name="Second week").click()
    await expect(page.get_by_text("None: answers use the sources alone.")).to_be_visible()
    await page.get_by_role("button", name="Add sources").click()
    await page.get_by_label("Troubleshooting").check()
    await page.get_by_role("button", name="Add 1").click()
    await page.get_by_role("button", name="Choose further tools").click()
    await page.get_by_role("dialog").get_by_label("Read web page").check()
    await look(page, "notebook-further-tools")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_role("list", name="Further tools")).to_have_text("Read web page")
    await look(page, "notebook-with-tools")

    # A viewer sees it, asks, and keeps the answer as a note.
    viewer = await open_page(locale="de-DE", viewport=PHONE)
    notebook = page.url.removeprefix(up.url)
    await sign_in(up, viewer, "vera", path=notebook)
    await expect(viewer.get_by_role("list", name="Weitere Werkzeuge")).to_have_text("Webseite lesen")
    await expect(viewer.get_by_role("button", name="Weitere Werkzeuge auswählen")).to_have_count(0)
    await viewer.get_by_label("Frage an dieses Notizbuch").fill("How long does a sign-in link work?")
    await viewer.get_by_role("button", name="Fragen", exact=True).click()
    await viewer.get_by_role("main").get_by_role("button", name="Mehr", exact=True).click()
    await viewer.get_by_role("menuitem", name="Als Notiz im Notizbuch speichern").click()
    await visit(viewer, notebook)
    note = viewer.get_by_role("list", name="Notizen").get_by_role("button")
    await expect(note).to_have_text("How long does a sign-in link work?")
    await look(viewer, "notebook-of-a-viewer-de-phone")
    await note.click()
    await look(viewer, "note-de-phone")

    # What the note cites opens in its document, with the passage marked, and closing it leads back to the note.
    await page.get_by_role("list", name="Notes").get_by_role("button").click()
    note_page = page.get_by_role("dialog")
    await note_page.get_by_role("list", name="Sources of the note").get_by_role("button").first.click()
    source = page.get_by_role("complementary", name="Troubleshooting")
    await expect(source.locator("mark").first).to_be_visible()
    await look(page, "note-source")
    await source.get_by_role("button", name="Close the source").click()
    await expect(note_page).to_be_visible()
    await note_page.get_by_role("button", name="Close").first.click()

    # The editor changes the viewer's note by hand, which says so, and makes it a source.
    await page.get_by_role("list", name="Notes").get_by_role("button").click()
    await page.get_by_role("button", name="Edit", exact=True).last.click()
    await page.get_by_label("Title", exact=True).fill("When something does not work")
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_role("button", name="When something does not work").click()
    await expect(page.get_by_text("by nora")).to_be_visible()
    await look(page, "note")
    await page.get_by_role("button", name="Use as a source").click()
    await expect(page.get_by_role("link", name="When something does not work")).to_be_visible()
    await look(page, "notebook-with-a-note-as-source")
