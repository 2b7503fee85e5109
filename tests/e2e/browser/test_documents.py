"""The documents' page, and the sources beside answers."""

import io
import re
from pathlib import Path

from PIL import Image
from playwright.async_api import Page, expect
from reportlab.lib.styles import getSampleStyleSheet  # type: ignore[import-untyped]
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate  # type: ignore[import-untyped]

from tests.drivers.up import Up
from tests.drivers.web_pages import PHONE, OpenPage, look, sign_in, visit
from tests.paths import RESULTS

SABBATICAL = "After seven years everyone may take a sabbatical of four months at the harbour office."


def handbook() -> bytes:
    """Returns a PDF whose second page has the sentence that is asked for."""
    style = getSampleStyleSheet()["BodyText"]
    buffer = io.BytesIO()
    story = [Paragraph("Working hours are from nine to five.", style), PageBreak(), Paragraph(SABBATICAL, style)]
    SimpleDocTemplate(buffer, title="Harbour handbook").build(story)
    return buffer.getvalue()


def scan() -> bytes:
    """Returns a PDF with a picture in JPEG 2000, and Japanese text whose characters only a table of pdf.js names."""
    picture = io.BytesIO()
    Image.new("RGB", (64, 64), (200, 30, 30)).save(picture, "JPEG2000")
    text = "\u65e5\u672c\u8a9e\u306e\u8cc7\u6599".encode("utf-16-be").hex()
    drawing = f"BT /F 24 Tf 20 150 Td <{text}> Tj ET q 100 0 0 100 20 20 cm /P Do Q".encode()
    cid = "/Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1)"
    page = b"/MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /P 8 0 R >> >>"
    image = b"<< /Type /XObject /Subtype /Image /Width 64 /Height 64 /Filter /JPXDecode /Length %d >>"
    font = b"/Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-H /DescendantFonts [6 0 R]"
    parts = [
        (b"<< /Type /Catalog /Pages 2 0 R >>", b""),
        (b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", b""),
        (b"<< /Type /Page /Parent 2 0 R %b >>" % page, b""),
        (b"<< /Length %d >>" % len(drawing), drawing),
        (b"<< %b >>" % font, b""),
        (f"<< /Type /Font {cid} /Supplement 2 >> /FontDescriptor 7 0 R >>".encode(), b""),
        (b"<< /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 4 /FontBBox [0 -200 1000 900] >>", b""),
        (image % len(picture.getvalue()), picture.getvalue()),
    ]
    written, places = b"%PDF-1.7\n", []
    for number, (entries, stream) in enumerate(parts, 1):
        places.append(len(written))
        body = b"\nstream\n" + stream + b"\nendstream" if stream else b""
        written += b"%d 0 obj\n" % number + entries + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in places)
    trailer = b"trailer << /Size 9 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(written)
    return written + b"xref\n0 9\n0000000000 65535 f \n" + table + trailer


async def test_find_select_and_delete_documents(up: Up, page: Page, tmp_path: Path) -> None:
    files = [tmp_path / f"zeppelin-{number}.txt" for number in range(3)]
    for file in files:
        file.write_text(f"Zeppelins of the kind {file.stem} fly on Sundays.")
    await sign_in(up, page, path="/documents")
    await page.get_by_role("region", name="Upload").locator("input[type=file]").set_input_files(files)
    table = page.get_by_role("table", name="Documents", exact=True)
    await expect(table.get_by_role("row").filter(has_text="zeppelin")).to_have_count(3)
    await page.get_by_role("searchbox", name="Search names").fill("zeppelin")
    await expect(page).to_have_url(re.compile(r"\?q=zeppelin$"))
    await page.reload()
    rows = table.locator("tbody").get_by_role("row")
    await expect(rows).to_have_count(3)
    await expect(rows.filter(has_text="Ready")).to_have_count(3)
    await look(page, "documents-found")
    await page.get_by_role("button", name="Type", exact=True).click()
    await page.get_by_role("menuitemcheckbox", name=re.compile("Plain text")).click()
    await page.get_by_role("menuitemcheckbox", name=re.compile("PDF")).click()
    await expect(page).to_have_url(re.compile(r"\?q=zeppelin&type=text&type=pdf$"))
    await page.screenshot(path=RESULTS / "documents-menu.png")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Type: PDF +1")).to_be_focused()
    await expect(table).to_have_attribute("aria-busy", "false")  # until the documents of the filter are there
    await look(page, "documents-types")
    await expect(rows).to_have_count(3)

    await rows.first.focus()
    await page.keyboard.press("x")
    await page.keyboard.press("Shift+ArrowDown")
    await expect(page.get_by_text("2 selected")).to_be_visible()
    await page.get_by_role("checkbox", name="Select all that are shown").check()
    await page.get_by_role("button", name="Delete", exact=True).click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("3 documents deleted.")).to_be_visible()
    await expect(page.get_by_text("No documents match the filter.")).to_be_visible()


async def test_a_cited_passage_is_marked_on_its_page(up: Up, open_page: OpenPage, tmp_path: Path) -> None:
    page = await open_page()
    file = tmp_path / "harbour.pdf"
    file.write_bytes(handbook())
    await sign_in(up, page, path="/documents?q=harbour")
    await page.get_by_role("region", name="Upload").locator("input[type=file]").set_input_files(file)
    table = page.get_by_role("table", name="Documents", exact=True)
    await expect(table.get_by_role("row").filter(has_text="harbour.pdf")).to_contain_text("Ready")
    await visit(page, "/")
    composer = page.get_by_role("textbox", name="Your question")
    await composer.fill("How long is a sabbatical at the harbour office?")
    await composer.press("Enter")
    await (
        page.get_by_role("list", name="Conversation")
        .get_by_role("button", name=re.compile("harbour", re.IGNORECASE))
        .first.click()
    )
    panel = page.get_by_role("complementary", name=re.compile("harbour", re.IGNORECASE))
    await expect(panel).to_contain_text("Page 2 of 2")
    await expect(panel.locator("mark").first).to_be_attached()
    await page.reload()
    await expect(panel.locator("mark").first).to_be_attached()
    await look(page, "source-pdf")
    await page.set_viewport_size(PHONE)
    await look(page, "source-pdf-phone")


async def test_scans_and_texts_of_east_asia_are_shown(up: Up, page: Page, tmp_path: Path) -> None:
    file = tmp_path / "shiryo.pdf"
    file.write_bytes(scan())
    document = up.json("ingest", str(file), "--wait")["documents"][0]
    await sign_in(up, page, path=f"/documents/{document['documentId']}")
    await expect(page.get_by_role("main")).to_contain_text("\u65e5\u672c\u8a9e\u306e\u8cc7\u6599")
    colour = await page.locator("canvas").evaluate(
        "(canvas) => [...canvas.getContext('2d').getImageData(canvas.width * 0.3, canvas.height * 0.7, 1, 1).data]"
    )
    assert colour[0] > 150 > 80 > colour[1]


async def test_the_cited_row_is_marked_in_its_table(up: Up, page: Page, tmp_path: Path) -> None:
    file = tmp_path / "lighthouses.csv"
    towers = [f"Lighthouse {number},{number + 2000} metres" for number in range(900)]
    file.write_text("\n".join(["Lighthouse,Height of the tower", *towers]))
    up.run("ingest", str(file), "--wait")
    await sign_in(up, page)
    composer = page.get_by_role("textbox", name="Your question")
    await composer.fill("What is the height of the tower of Lighthouse 777?")
    await composer.press("Enter")
    await page.get_by_role("group", name="Sources").get_by_role("button").first.click()
    panel = page.get_by_role("complementary", name="lighthouses.csv")
    await expect(panel.locator("tr[data-cited]")).to_have_text(re.compile("Lighthouse 777"))
    await expect(panel.get_by_role("columnheader")).to_have_text(["Lighthouse", "Height of the tower"])
    await look(page, "source-table")
