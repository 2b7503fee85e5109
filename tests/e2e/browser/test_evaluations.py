"""The pages of evaluations: a dataset is made, evaluated twice, and the evaluations are compared."""

from playwright.async_api import Page, expect

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, check_frame, look, sign_in, visit

_LINES = (
    '{"question": "How are documents added on the command line?", "documents": ["adding-documents.md"],'
    ' "facts": ["echomind ingest"]}\n'
    '{"question": "How is a backup made?", "facts": ["echomind backup", "no such words"]}\n'
)


async def _start(page: Page) -> None:
    await page.get_by_role("button", name="Evaluate", exact=True).click()
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.get_by_text("2 of 2 answered, 0 failed")).to_be_visible()


async def test_a_dataset_is_made_evaluated_and_compared(up: Up, page: Page, open_page: OpenPage) -> None:
    up.run("users", "add", "measurer", "measurer@example.org")
    await sign_in(up, page, "measurer", path="/evaluations")
    await expect(page.get_by_text("There is no dataset yet.", exact=False)).to_be_visible()
    await look(page, "evaluations-empty")
    await page.get_by_role("button", name="New dataset").click()
    await page.get_by_label("Name").fill("Guide")
    await page.get_by_role("button", name="Create").click()
    await expect(page.get_by_role("heading", name="Guide")).to_be_visible()
    wrong = {"name": "guide.jsonl", "mimeType": "application/jsonl", "buffer": b'{"question": "x", "fact": "y"}'}
    await page.get_by_label("File of questions").set_input_files(wrong)  # type: ignore[arg-type]
    await expect(page.get_by_text("Line 1: the field fact is unknown or has a wrong value.")).to_be_visible()
    file = wrong | {"buffer": _LINES.encode()}
    await page.get_by_label("File of questions").set_input_files(file)  # type: ignore[arg-type]
    await expect(page.get_by_text("How is a backup made?")).to_be_visible()
    await page.get_by_role("button", name="Edit: How is a backup made?").click()
    await page.get_by_label("Right answer (optional)").fill("With echomind backup FILE.")
    await look(page, "evaluations-question")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text("Right answer: With echomind backup FILE.")).to_be_visible()
    await look(page, "evaluations-dataset")
    await check_frame(page, "dataset")
    await _start(page)
    await expect(page.get_by_text("no such words", exact=False)).to_be_visible()
    await look(page, "evaluations-run")
    await check_frame(page, "evaluation")
    await page.get_by_role("link", name="Guide", exact=True).click()
    await _start(page)
    await page.get_by_label("Compare with").select_option(index=1)
    await expect(page.get_by_role("heading", name="Compare evaluations")).to_be_visible()
    await expect(page.get_by_role("region", name="Questions").get_by_role("row")).to_have_count(3)
    await look(page, "evaluations-compared")
    await check_frame(page, "comparison")
    compared = page.url

    other = await open_page(locale="de-DE", viewport=PHONE)
    await sign_in(up, other, path=compared.removeprefix(up.url))
    await expect(other.get_by_text("Es gibt", exact=False).or_(other.get_by_role("alert")).first).to_be_visible()
    await look(other, "evaluations-foreign")
    mine = await open_page(locale="de-DE", viewport=PHONE)
    await sign_in(up, mine, "measurer", path=compared.removeprefix(up.url))
    await expect(mine.get_by_role("heading", name="Auswertungen vergleichen")).to_be_visible()
    await expect(mine.get_by_role("region", name="Fragen")).to_be_visible()
    await look(mine, "evaluations-compared-phone")
    await visit(mine, "/evaluations")
    await expect(mine.get_by_role("list", name="Ihre Auswertungen").get_by_role("link")).to_have_count(2)
    await look(mine, "evaluations-phone")

    await visit(page, "/evaluations")
    await page.get_by_role("list", name="Datasets").get_by_role("link", name="Guide").click()
    await page.get_by_role("button", name="Actions for Guide").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("There is no dataset yet.", exact=False)).to_be_visible()


async def test_rated_answers_of_a_conversation_become_a_dataset(up: Up, page: Page) -> None:
    await sign_in(up, page)
    await page.get_by_role("textbox").first.fill("How is a backup made?")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Helpful", exact=True).last.click()
    await page.get_by_role("button", name="Actions for this conversation").click()
    await page.get_by_role("menuitem", name="Add rated answers to a dataset").click()
    await page.get_by_label("Name", exact=True).fill("Rated")
    await look(page, "evaluations-rated")
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(page.get_by_text("Added 1 question.")).to_be_visible()
    await visit(page, "/evaluations")
    await page.get_by_role("list", name="Datasets").get_by_role("link", name="Rated").click()
    await expect(page.get_by_role("list", name="Questions").get_by_text("How is a backup made?")).to_be_visible()
