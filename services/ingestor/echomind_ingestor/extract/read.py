"""Reads a file. Runs in a child process, as the file may be hostile and parsers may crash."""

import html
import re
from typing import Any

import kreuzberg
from kreuzberg.exceptions import KreuzbergError

from echomind_ingestor.extract import kinds
from echomind_ingestor.extract.decode import decode, normalize
from echomind_ingestor.extract.formatted import formatted_mail, formatted_page, formatted_sheets, formatted_slides
from echomind_ingestor.extract.geometry import Row
from echomind_ingestor.extract.headings import front_matter, locate, markdown_headings, unlink
from echomind_ingestor.extract.kinds import detect
from echomind_ingestor.extract.layout import PageLayout, read_layouts
from echomind_ingestor.extract.page_tables import structured
from echomind_ingestor.extract.pages import join_pages
from echomind_ingestor.extract.result import MAX_CHARACTERS, Extracted, Heading, Page, UnreadableError
from echomind_ingestor.extract.sheets import rows_text, sheets_text
from echomind_ingestor.extract.tables import label_rows, replace_tables
from echomind_lib.text import HEADING_CHARACTERS, NAME_CHARACTERS, TITLE_CHARACTERS, single_line

_PLAIN = frozenset({kinds.TEXT, kinds.MARKDOWN})
_SLIDES = frozenset({kinds.PPTX, "application/vnd.ms-powerpoint", "application/vnd.oasis.opendocument.presentation"})
_SHEETS = frozenset({kinds.XLSX, "application/vnd.ms-excel", "application/vnd.oasis.opendocument.spreadsheet"})
_ONE_TABLE = frozenset({"text/csv", "text/tab-separated-values"})
_MAILS = frozenset({kinds.EMAIL, "application/vnd.ms-outlook"})
_PAGE_MARK = re.compile("\ue000(\\d{1,9})\ue001\\s*")
_ATTACHMENT = "Attachment"
_SHORT = 300
"""Length of a page's main text below which it may be incomplete,"""
_SMALL_SHARE = 0.5
"""if it is also below this share of the page's whole text."""
_USELESS_TITLES = re.compile(
    r"(?i)(untitled|unbenannt|sans titre|sin título)\b.*|\(?unspecified\)?|microsoft \w+ - .*"
    r"|.*\.(do[ct][xm]?|pdf|pp?[ot][txs][xm]?|xl[st][xm]?|od[tsp]|ot[tsp]|indd|qxd|pages|numbers|key)"
    # The names of templates, sheets and slides.
    r"|(power ?point[- ]?)?(presentation|präsentation|présentation|presentación)\s?\d*|(office|default) (theme|design)"
    r"|(document|dokument|documento|book|workbook|mappe|arbeitsmappe|classeur|libro|sheet|tabelle|blatt|feuil|hoja"
    r"|slide|folie)\s?\d*|normal|titel|title|.*\b(template|vorlage|modèle|plantilla)|(template|vorlage)\b.*"
)
"""Titles of files that programs wrote, or that stayed from the template."""


def read(data: bytes, name: str, stated: str, *, is_page: bool = False) -> Extracted:
    """Extracts a file's text with headings and pages; the language is left empty.

    Args:
        data: The file.
        name: Its name.
        stated: The MIME type declared by its sender; may be empty.
        is_page: Whether it is a page of a web site.

    Raises:
        UnreadableError: It cannot be read; the message says why and what to do.
    """
    kind = kinds.HTML if is_page else detect(data, name, stated)
    if is_page:
        found = _read_page(data)
    elif kind in _PLAIN:
        found = _read_text(data, kind)
    elif kind == kinds.PDF:
        found = _read_pdf(data)
    elif kind in _SHEETS:
        found = _read_sheets(data, kind)
    else:
        found = _read_other(data, kind)
    if not found.text:
        if kind == kinds.PDF:
            raise UnreadableError(
                "No text was found in the PDF: it is probably a scan. Recognise its text (OCR) and upload the result.",
            )
        raise UnreadableError("No text was found in the file.")
    if len(found.text) > MAX_CHARACTERS:
        raise UnreadableError(f"The file holds more than {MAX_CHARACTERS:,} characters of text: divide it.")
    return found


def _read_text(data: bytes, kind: str) -> Extracted:
    text = normalize(decode(data) or "")
    if kind != kinds.MARKDOWN:
        return Extracted(text, "", kind, "")
    labelled = label_rows(text)
    headings = tuple(markdown_headings(labelled))
    return Extracted(labelled, front_matter(labelled)[1], kind, "", headings, markdown=text)


def _read_pdf(data: bytes) -> Extracted:
    result = _extract(data, kinds.PDF, "markdown")
    layouts = read_layouts(data)
    contents: list[str] = []
    header: Row = ()
    for number, page in enumerate(result.pages or [], start=1):
        content, header = structured(page["content"], layouts.get(number, PageLayout(number)), header)
        contents.append(label_rows(content))
    text, pages = join_pages(contents)
    found = [Heading(level, title, 0) for number in sorted(layouts) for level, title in layouts[number].headings]
    headings = locate(found or markdown_headings(result.content), text)
    return Extracted(text, _title(result), kinds.PDF, "", headings, pages, _warnings(result))


def _read_page(data: bytes) -> Extracted:
    """Reads a page of a web site: its main text, without navigation."""
    import trafilatura

    whole = _read_other(data, kinds.HTML)
    main = trafilatura.extract(
        decode(data) or "", output_format="markdown", include_tables=True, include_comments=False, favor_recall=True
    )
    text = label_rows(normalize(main or ""))
    if len(text) < _SHORT and len(text) < len(whole.text) * _SMALL_SHARE:
        return whole  # the extractor has mistaken lists, tables or a short page for navigation
    return Extracted(text, whole.title, kinds.HTML, "", tuple(markdown_headings(text)), warnings=whole.warnings)


def _read_sheets(data: bytes, kind: str) -> Extracted:
    result = _extract(data, kind, "plain")
    names = list((result.metadata or {}).get("sheet_names") or [])
    sheets = []
    for table in result.tables:
        number = table.page_number
        sheets.append((names[number - 1] if 0 < number <= len(names) else f"Sheet {number}", table.cells))
    text, headings = sheets_text(sheets)
    markdown = formatted_sheets(sheets)
    title = "" if _title(result) in names else _title(result)
    return Extracted(text, title, kind, "", headings, warnings=_warnings(result), markdown=markdown)


def _read_other(data: bytes, kind: str) -> Extracted:
    source = (decode(data) or "").encode() if kind == kinds.HTML or kind in _ONE_TABLE else data
    result = _extract(source, kind, "plain")
    cells = [table.cells for table in result.tables]
    if kind in _ONE_TABLE and len(cells) == 1:
        text, markdown = normalize(rows_text(cells[0])), formatted_sheets([("", cells[0])])
        return Extracted(text, _title(result), kind, "", warnings=_warnings(result), markdown=markdown)
    content = replace_tables(unlink(result.content) if kind == kinds.HTML else result.content, cells)
    text, pages = _split_pages(content) if kind in _SLIDES else (normalize(content), ())
    markdown = _extract(source, kind, "markdown").content
    headings = list(locate(markdown_headings(markdown), text))
    warnings = list(_warnings(result))
    attachments = [(attachment["path"], attachment["result"].content) for attachment in result.children or []]
    for name, attached in attachments:
        text = _append(text, headings, name, attached)
    formatted = _formatted(kind, markdown, result, attachments)
    return Extracted(text, _title(result), kind, "", tuple(headings), pages, tuple(warnings), formatted)


def _formatted(kind: str, markdown: str, result: Any, attachments: list[tuple[str, str]]) -> str:
    if kind in _MAILS:
        return formatted_mail(markdown, result.metadata or {}, attachments)
    if kind in _SLIDES:
        return formatted_slides(markdown)
    return formatted_page(markdown) if kind == kinds.HTML else normalize(markdown)


def _append(text: str, headings: list[Heading], name: str, content: str) -> str:
    """Appends an attachment under its name."""
    if not (content := normalize(content)):
        return text
    name = single_line(name, NAME_CHARACTERS) or _ATTACHMENT
    headings.append(Heading(1, single_line(name, HEADING_CHARACTERS), len(text) + 2))
    return f"{text}\n\n{name}\n\n{content}"


def _split_pages(content: str) -> tuple[str, tuple[Page, ...]]:
    """Removes page marks from a text."""
    pieces = _PAGE_MARK.split(content)  # the text before the first mark, then numbers and texts alternately
    text = normalize(pieces[0])
    pages = []
    for number, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if slide := normalize(piece):
            text += "\n\n" if text else ""
            pages.append(Page(int(number), len(text)))
            text += slide
    return text, tuple(pages)


def _extract(data: bytes, kind: str, output: str) -> Any:
    config = kreuzberg.ExtractionConfig(
        use_cache=False,
        enable_quality_processing=False,
        output_format=output,
        pages=kreuzberg.PageConfig(
            extract_pages=True, insert_page_markers=True, marker_format="\n\n\ue000{page_num}\ue001\n\n"
        ),
        # `strip_repeating_text` would remove headings at the top of a page as running heads.
        content_filter=kreuzberg.ContentFilterConfig(
            include_headers=True, include_footers=True, strip_repeating_text=False
        ),
    )
    try:
        return kreuzberg.extract_bytes_sync(data, kind, config=config)
    except (KreuzbergError, OSError, ValueError, RuntimeError) as error:
        said = str(error).lower()
        if "password" in said or "encrypted" in said:
            what = "PDF" if kind == kinds.PDF else "document"
            raise UnreadableError(
                f"This {what} is password-protected: remove the password and upload it again."
            ) from error
        if "limit" in said:
            raise UnreadableError("This unpacks to more than can be read: divide it.") from error
        raise UnreadableError(
            "The file is damaged, or not what its name says: open it, save it again and upload it."
        ) from error


def _title(result: Any) -> str:
    metadata = result.metadata or {}
    title = single_line(html.unescape(str(metadata.get("title") or metadata.get("subject") or "")), TITLE_CHARACTERS)
    return "" if _USELESS_TITLES.fullmatch(title) else normalize(title)


def _warnings(result: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(warning.message for warning in result.processing_warnings))
