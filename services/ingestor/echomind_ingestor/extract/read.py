"""Reads a file. Runs in a child process, as the file may be hostile and parsers may crash."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from echomind_ingestor.extract import kinds
from echomind_ingestor.extract.content_lines import entries_text
from echomind_ingestor.extract.decode import decode, normalize
from echomind_ingestor.extract.drawings import drawing_text
from echomind_ingestor.extract.formatted import (
    formatted_lines,
    formatted_mail,
    formatted_page,
    formatted_sheets,
    formatted_slides,
)
from echomind_ingestor.extract.headings import front_matter, locate, markdown_headings, unlink
from echomind_ingestor.extract.hidden import hidden_sheets, note_of
from echomind_ingestor.extract.kinds import detect
from echomind_ingestor.extract.latex import from_latex
from echomind_ingestor.extract.mails import formatted_body, in_utf8
from echomind_ingestor.extract.markup import from_asciidoc, from_org, from_rst
from echomind_ingestor.extract.members import attachments_of, read_archive
from echomind_ingestor.extract.parser import parse, title_of, warnings_of
from echomind_ingestor.extract.result import MAX_CHARACTERS, Extracted, Page, UnreadableError, too_long
from echomind_ingestor.extract.scans import read_image, read_pdf
from echomind_ingestor.extract.sheets import rows_text, sheets_text
from echomind_ingestor.extract.slides import PAGE_MARK, in_order, slides_of
from echomind_ingestor.extract.spans import expand_spans, filled, sheet_cells, unadorned
from echomind_ingestor.extract.subtitles import subtitles_text
from echomind_ingestor.extract.tables import label_rows, replace_tables

_PLAIN = frozenset({kinds.TEXT, kinds.MARKDOWN})
_SLIDES = frozenset({kinds.PPTX, "application/vnd.ms-powerpoint", "application/vnd.oasis.opendocument.presentation"})
_SHEETS = frozenset({kinds.XLSX, "application/vnd.ms-excel", kinds.ODS})
_ONE_TABLE = frozenset({"text/csv", "text/tab-separated-values"})
_MAILS = frozenset({kinds.EMAIL, "application/vnd.ms-outlook"})
_LINES = {kinds.CALENDAR: entries_text, kinds.CONTACTS: entries_text, kinds.SUBTITLES: subtitles_text}
_MARKUPS = {
    kinds.RST: from_rst,
    kinds.ASCIIDOC: from_asciidoc,
    kinds.ORG: from_org,
    kinds.LATEX: from_latex,
}
_XML_HEAD = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")
_NOTED = frozenset({kinds.DOCX, "application/vnd.oasis.opendocument.text"})
_NOTE_MARK = re.compile(r"\[\^\w{1,8}\]")
"""How the parser marks the places of footnotes, which have no marks themselves."""
_MAIL_HEAD = re.compile(r"(?:(?:Subject|From|To|CC|BCC|Date): .*(?:\n|\Z))+", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"---\n(?:[a-z]+: .*\n)*---(?:\n|\Z)")
_WHOLE_LINE = re.compile(r"^(?P<mark>\*\*?)(?P<text>\S(?:.*\S)?)(?P=mark)$", re.MULTILINE)
"""How the parser marks captions, and what unfolds."""
_SHORT = 300
"""Length of a page's main text below which it may be incomplete,"""
_SMALL_SHARE = 0.5
"""if it is also below this share of the page's whole text."""


def read(
    data: bytes, name: str, stated: str, *, is_page: bool = False, recognized: Mapping[int, str] | None = None
) -> Extracted:
    """Extracts a file's text with headings and pages; the language is left empty.

    Args:
        data: The file.
        name: Its name.
        stated: The MIME type declared by its sender; may be empty.
        is_page: Whether it is a page of a web site.
        recognized: Texts of its scanned pages by number; pages that could not be recognised are missing.

    Raises:
        UnreadableError: It cannot be read; the message says why and what to do.
        ScansFoundError: It has scanned pages, and `recognized` is None.
    """
    kind = kinds.HTML if is_page else detect(data, name, stated)
    if is_page:
        found = _read_page(data)
    elif kind in _PLAIN:
        found = _read_text(data, kind)
    elif kind in _MARKUPS:
        found = _read_markup(data, kind)
    elif kind == kinds.PDF:
        found = read_pdf(data, recognized)
    elif kind in kinds.ARCHIVES:
        found = read_archive(data, name, kind)
    elif kind == kinds.SVG:
        found = _read_drawing(data)
    elif kind.startswith("image/"):
        found = read_image(data, kind, recognized)
    elif kind in _SHEETS:
        found = _read_sheets(data, kind)
    elif kind == kinds.EMAIL:
        found = _read_mail(data)
    elif kind in _LINES:
        found = _read_lines(data, kind)
    else:
        found = _read_other(data, kind)
    if not found.text:
        raise UnreadableError("No text was found in the file: if it shows some, save it as PDF and upload that.")
    if len(found.text) > MAX_CHARACTERS:
        raise too_long(MAX_CHARACTERS)
    return found


def _read_text(data: bytes, kind: str) -> Extracted:
    text = normalize(decode(data) or "")
    if kind != kinds.MARKDOWN:
        return Extracted(text, "", kind, "")
    labelled = label_rows(text)
    headings = tuple(markdown_headings(labelled))
    return Extracted(labelled, front_matter(labelled)[1], kind, "", headings, markdown=text)


def _read_markup(data: bytes, kind: str) -> Extracted:
    markdown = normalize(_MARKUPS[kind](normalize(decode(data) or "")))
    text = label_rows(markdown)
    headings = tuple(markdown_headings(text))
    title = headings[0].title if headings and headings[0].start == 0 else ""
    return Extracted(text, title, kind, "", headings, markdown=markdown)


def _read_lines(data: bytes, kind: str) -> Extracted:
    """Reads entries or subtitles; a file that has none is read as plain text."""
    whole = normalize(decode(data) or "")
    text = normalize(_LINES[kind](whole))
    return Extracted(text, "", kind, "", markdown=text) if text else Extracted(whole, "", kinds.TEXT, "")


def _read_drawing(data: bytes) -> Extracted:
    text = normalize(drawing_text(_XML_HEAD.sub("", decode(data) or "").encode()))
    if not text:
        raise UnreadableError("No text was found in the drawing: if it shows some, save it as PNG and upload that.")
    return Extracted(text, "", kinds.TEXT, "")


def _read_page(data: bytes) -> Extracted:
    """Reads a page of a web site: its main text, without navigation."""
    import trafilatura

    whole = _read_other(data, kinds.HTML)
    main = trafilatura.extract(
        expand_spans((decode(data) or "").encode()).decode(),
        output_format="markdown",
        include_tables=True,
        include_comments=False,
        favor_recall=True,
    )
    text = label_rows(normalize(main or ""))
    if len(text) < _SHORT and len(text) < len(whole.text) * _SMALL_SHARE:
        return whole  # the extractor has mistaken lists, tables or a short page for navigation
    return Extracted(text, whole.title, kinds.HTML, "", tuple(markdown_headings(text)), warnings=whole.warnings)


def _read_sheets(data: bytes, kind: str) -> Extracted:
    result = parse(data, kind, "plain")
    names = list((result.metadata or {}).get("sheet_names") or [])
    cells = sheet_cells(data) if kind == kinds.XLSX else {}
    hidden = hidden_sheets(data, kind)
    sheets, left_out = [], dict[str, None]()
    for table in result.tables:
        number = table.page_number
        name = names[number - 1] if 0 < number <= len(names) else f"Sheet {number}"
        if name in hidden:
            left_out[name] = None
            continue
        sheets.append((name, filled(table.cells, cells[name]) if name in cells else table.cells))
    if left_out and not sheets:
        raise UnreadableError(
            "All sheets with text are hidden: unhide what people may find, and upload the file again."
        )
    text, headings = sheets_text(sheets)
    markdown = formatted_sheets(sheets)
    title = "" if title_of(result) in names else title_of(result)
    warnings = (*note_of(list(left_out)), *warnings_of(result))
    return Extracted(text, title, kind, "", headings, warnings=warnings, markdown=markdown)


def _read_mail(data: bytes) -> Extracted:
    """Reads an e-mail; text that it has only as HTML is read as a page, as its tables and paragraphs are lost else."""
    data = in_utf8(data)
    found = _read_other(data, kinds.EMAIL)
    head, markdown = _MAIL_HEAD.match(found.text), _FRONT_MATTER.match(found.markdown)
    front = markdown[0].strip() if markdown else ""
    if not (page := formatted_body(data)):
        lines = formatted_lines(found.text[head.end() if head else 0 :].strip())
        return replace(found, markdown=f"{front}\n\n{lines}".strip())
    body = _read_other(page.encode(), kinds.HTML)
    before = f"{head[0].strip()}\n\n" if head else ""
    return replace(
        found,
        text=before + body.text,
        headings=tuple(replace(heading, start=heading.start + len(before)) for heading in body.headings),
        markdown=f"{front}\n\n{body.markdown}".strip(),
    )


def _read_other(data: bytes, kind: str) -> Extracted:
    source = data
    if kind == kinds.HTML or kind in _ONE_TABLE:
        source = (decode(data) or "").encode()
    if kind == kinds.HTML:
        return _read_html(expand_spans(source))
    result, formatted = parse(source, kind, "plain"), parse(source, kind, "markdown")
    cells = [table.cells for table in result.tables or formatted.tables]  # of slides, only the latter has them
    if kind in _ONE_TABLE and len(cells) == 1:
        text, markdown = normalize(rows_text(cells[0])), formatted_sheets([("", cells[0])])
        return Extracted(text, title_of(result), kind, "", warnings=warnings_of(result), markdown=markdown)
    written = _NOTE_MARK.sub("", result.content) if kind in _NOTED else result.content
    slides = slides_of(data) if kind == kinds.PPTX else []
    content = in_order(replace_tables(written, cells), slides, lambda title, rows: f"{title}\n{rows_text(rows)}")
    text, pages = _split_pages(content) if kind in _SLIDES else (normalize(content), ())
    markdown = in_order(formatted.content, slides, lambda title, rows: f"{title}\n\n{formatted_sheets([('', rows)])}")
    headings = locate(markdown_headings(markdown), text)
    members = attachments_of(data, kind) if kind in _MAILS else ()
    return Extracted(
        text=text,
        title=title_of(result),
        content_type=kind,
        language="",
        headings=headings,
        pages=pages,
        warnings=warnings_of(result),
        markdown=_formatted(kind, markdown, result),
        members=members,
    )


def _read_html(page: bytes) -> Extracted:
    """Reads a page: its plain form lacks quotations, terms with their meanings, captions and what can be unfolded."""
    result, plain = parse(page, kinds.HTML, "markdown"), parse(unadorned(page), kinds.HTML, "markdown")
    text = normalize(_WHOLE_LINE.sub(r"\g<text>", unlink(label_rows(formatted_page(plain.content)))))
    return Extracted(
        text=text,
        title=title_of(result),
        content_type=kinds.HTML,
        language="",
        headings=tuple(markdown_headings(text)),
        warnings=warnings_of(result),
        markdown=formatted_page(result.content),
    )


def _formatted(kind: str, markdown: str, result: Any) -> str:
    if kind in _MAILS:
        return formatted_mail(markdown, result.metadata or {})
    if kind in _SLIDES:
        return formatted_slides(markdown)
    return normalize(markdown)


def _split_pages(content: str) -> tuple[str, tuple[Page, ...]]:
    """Removes page marks from a text."""
    pieces = PAGE_MARK.split(content)  # the text before the first mark, then numbers and texts alternately
    text = normalize(pieces[0])
    pages = []
    for number, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if slide := normalize(piece):
            text += "\n\n" if text else ""
            pages.append(Page(int(number), len(text)))
            text += slide
    return text, tuple(pages)
