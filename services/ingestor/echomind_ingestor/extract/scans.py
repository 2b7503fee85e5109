"""PDFs and images, whose scanned pages are recognised before they are read."""

from collections.abc import Iterable, Mapping

from echomind_ingestor.extract import kinds
from echomind_ingestor.extract.geometry import Row
from echomind_ingestor.extract.headings import locate, markdown_headings
from echomind_ingestor.extract.layout import PageLayout, read_layouts
from echomind_ingestor.extract.page_tables import structured
from echomind_ingestor.extract.pages import join_pages
from echomind_ingestor.extract.parser import parse, title_of, warnings_of
from echomind_ingestor.extract.result import Extracted, Heading, ScansFoundError, UnreadableError
from echomind_ingestor.extract.tables import label_rows
from echomind_ingestor.extract.wire import MAX_SCANS

_NAMED_PAGES = 5


def read_pdf(data: bytes, recognized: Mapping[int, str] | None) -> Extracted:
    """Extracts a PDF's text with tables, headings and pages.

    Args:
        data: The PDF.
        recognized: Texts of its scanned pages by number; None before they were recognised.

    Raises:
        UnreadableError: It cannot be read.
        ScansFoundError: It has scanned pages, and `recognized` is None.
    """
    result = parse(data, kinds.PDF, "markdown")
    layouts = read_layouts(data)
    scans = tuple(number for number in sorted(layouts) if layouts[number].is_scan)
    if not any(page["content"].strip() for page in result.pages or []):
        scans = tuple(sorted(layouts))  # letters may be drawn as lines
    if scans and recognized is None:
        raise ScansFoundError(scans[:MAX_SCANS], is_pdf=True)
    texts = recognized or {}
    contents: list[str] = []
    header: Row = ()
    for number, page in enumerate(result.pages or [], start=1):
        layout = layouts.get(number, PageLayout(number))
        content = texts[number] if number in texts else layout.text or page["content"]
        content, header = structured(content, layout, header)
        contents.append(label_rows(content))
    text, pages = join_pages(contents)
    if not text:
        raise UnreadableError(_why_empty(scans, texts))
    found = [Heading(level, title, 0) for number in sorted(layouts) for level, title in layouts[number].headings]
    headings = locate(found or markdown_headings(result.content), text)
    warnings = (*warnings_of(result), *_missing(scans, texts))
    return Extracted(text, title_of(result), kinds.PDF, "", headings, pages, warnings)


def read_image(data: bytes, kind: str, recognized: Mapping[int, str] | None) -> Extracted:
    """Extracts the text of an image; those of several pages are TIFF files.

    Args:
        data: The image.
        kind: Its MIME type.
        recognized: Texts of its pages by number; None before they were recognised.

    Raises:
        UnreadableError: It is damaged, or no text was found in it.
        ScansFoundError: `recognized` is None.
    """
    from echomind_ingestor.extract.recognition.images import UnreadableImageError, frames_of

    try:
        scans = tuple(range(1, frames_of(data) + 1))
    except UnreadableImageError as error:
        raise UnreadableError("The image is damaged or too large: open it, save it as PNG and upload that.") from error
    if recognized is None:
        raise ScansFoundError(scans[:MAX_SCANS], is_pdf=False)
    text, pages = join_pages([label_rows(recognized.get(number, "")) for number in scans])
    if not text:
        raise UnreadableError(_why_empty(scans, recognized))
    return Extracted(text, "", kind, "", (), pages if len(scans) > 1 else (), tuple(_missing(scans, recognized)))


def _why_empty(scans: tuple[int, ...], texts: Mapping[int, str]) -> str:
    """Returns why nothing was found in a file, and what to do."""
    if not scans:
        return "No text was found in the file."
    if not texts:
        return "Its text could not be recognised: scan it at 150 to 300 dpi in separate files, and upload these."
    return "No text was recognised in it. If it has text, scan it again, upright and at 150 to 300 dpi."


def _missing(scans: tuple[int, ...], texts: Mapping[int, str]) -> Iterable[str]:
    """Yields notes about scanned pages that were not recognised."""
    if len(scans) > MAX_SCANS:
        yield f"Only the first {MAX_SCANS} scanned pages were recognised: divide the file."
    if failed := [number for number in scans[:MAX_SCANS] if number not in texts]:
        named = ", ".join(map(str, failed[:_NAMED_PAGES])) + (" …" if len(failed) > _NAMED_PAGES else "")
        yield f"Scanned pages that could not be recognised: {named}. Scan them again and upload them."
