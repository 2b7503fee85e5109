"""Splits passages into quotable units: sentences, list items and table rows, with their context."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from echomind_agent.text.sentences import MARKER, Block, blocks, sentences_of
from echomind_lib.retrieval.rendered import ParsedSource

_LONGEST = 600
"""Maximum length of a quotation; longer ones are truncated at a word."""
_LONGEST_CODE = 1_200
LONGEST_LIST = 12
"""Maximum number of items of a list that is quoted as a whole."""
_BREAK = re.compile(r"\s*\n(?:[ \t]*>)*\s*")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?--[-:| \t]*(?:\n|\Z)")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)")
_FENCE = re.compile(r"^[ \t>]*(```+|~~~+)[ \t]*$", re.MULTILINE)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_SENTENCE_END = re.compile(r"[.!?…:;,。！？：；，、][\W_]*$")
_STOPPED = re.compile(r"[.!?。！？][\"'”“’»«)\]*_]*$")
"""The end of a sentence behind which another one can begin."""
_LONGEST_TITLE = 80
_LEADS = re.compile(r"[:：]\W*$")
_MAIL_HEADERS = re.compile(
    r"(?:^[ \t>]*\**(?:from|to|cc|bcc|reply-to|date|sent|subject|von|an|kopie|datum|gesendet|betreff|de|à|objet|envoyé"
    r"|para|asunto|fecha)\**[ \t]?:\**[ \t]+\S[^\n]*(?:\n\s*|\Z)){2,}",
    re.IGNORECASE | re.MULTILINE,
)
"""The lines above the text of an e-mail, also of one that is quoted in another."""
_ORDERED = re.compile(r"\(?\d")
# Words at the start of a sentence that refer to the one before.
_POINTS_BACK = re.compile(
    r"(?:it|its|this|these|those|they|their|he|she|his|her|such|there|instead|however|therefore|otherwise|also|then"
    r"|er|sie|es|dies\w*|das|dabei|dazu|damit|danach|jedoch|außerdem"
    r"|ils?|elles?|cela|ce|cette|él|ella|ellos|esto|este|esta)\b"
    r"|[它他她这該该其此]|これ|それ|その|この",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Quote:
    """A quotable unit."""

    number: int
    """The number of its source."""
    text: str
    """On one line, without Markdown marks and citations."""
    context: str
    """Its headings and its document's title."""
    heading: str
    """The innermost heading."""
    mark: str = ""
    """`1.` or `-` for an item of a list or a row of a table."""
    list_id: int = -1
    """Index of its list or table in the source; -1 for none."""
    lead: str = ""
    """The introduction of its list or table, such as "Proceed as follows:"."""
    before: str = ""
    """The previous sentence, if it refers to it."""
    code: str = ""
    """The code that follows it."""
    table: str = ""
    """The table of a row, identified by its first column's name, as a table may continue in another source; or the
    lines of a slide or a scan that it is one of."""
    title: str = ""
    """The first of these lines, if it is another one."""
    is_title: bool = False
    """Whether it is the first of them itself."""
    is_mail_header: bool = False
    """Whether it tells from whom, to whom and when an e-mail was sent."""

    @property
    def introduced(self) -> str:
        """Returns its text with its introduction, for comparison with a question."""
        return f"{self.lead or self.title} {self.text}".lstrip()


def quotes_of(source: ParsedSource, language: str) -> list[Quote]:
    """Returns the quotable units of a source, in order. Code is quoted with the sentence or the heading before it."""
    text = f"{_fence(source.text)}\n{source.text}" if source.in_code else source.text
    found: list[Quote] = []
    heading = source.section.rpartition("›")[2].strip()
    header: list[str] = []
    lead = title = ""
    list_id = -1
    is_titled = in_lines = False
    previous: Block | None = None
    parts = blocks(text)
    around = zip(parts, [None, *parts], [*parts[1:], None], strict=False)
    titles = [_is_title(source, text, block, before, after) for block, before, after in around]
    mails = [match.span() for match in _MAIL_HEADERS.finditer(text)]
    sent = "".join(f" {_clean(text[start:end])}" for start, end in mails)
    for index, block in enumerate(parts):
        context = f"{source.section} {heading} {source.title}{sent}"
        written = text[block.start : block.end]
        if block.kind == "code":
            if heading and is_titled:
                code = written[:_LONGEST_CODE]
                found.append(Quote(source.number, f"{heading}:", context, heading, code=code))
            elif found and previous is not None and previous.kind in ("text", "item"):
                found[-1].code = written[:_LONGEST_CODE]
            is_titled = in_lines = False
            continue
        was_titled, was_in_lines = is_titled, in_lines
        is_titled = block.kind == "heading" or titles[index]
        in_lines = not is_titled and _is_line(text, parts, titles, index)
        if block.kind in ("item", "row") and (previous is None or previous.kind != block.kind):
            list_id += 1
            lead = lead if previous is not None and previous.kind == "text" else ""
        previous = block
        if is_titled:
            heading, lead = _clean(written), ""
        elif any(start <= block.start < end for start, end in mails):
            found.append(Quote(source.number, _clean(written), context, heading, is_mail_header=True))
        elif in_lines:
            if not was_in_lines:
                list_id, title = list_id + 1, heading if was_titled else ""
            line = Quote(source.number, _clean(written), context, title or heading, "-", list_id, title=title)
            line.table, line.is_title = f"{source.number} {list_id}", not title
            found.append(line)
            title = title or line.text
        elif block.kind == "item":
            found.append(Quote(source.number, _clean(written), context, heading, block.mark, list_id, lead))
        elif block.kind == "row":
            cells = [_clean(cell) for cell in written.strip().strip("|").split("|")]
            if _TABLE_RULE.match(text, text.find("\n", block.end) + 1 or len(text)):
                header = cells
            elif row := _row(header, cells):
                table = row.partition(":")[0] if ": " in row else f"{source.number} {list_id}"
                found.append(Quote(source.number, row, context, heading, "-", list_id, lead, table=table))
        else:
            written_out = [_clean(text[span.start : span.end]) for span in sentences_of(text, block, language)]
            for before, sentence in zip(["", *written_out], written_out, strict=False):
                back = before if _POINTS_BACK.match(sentence) else ""
                found.append(Quote(source.number, sentence, context, heading, before=back))
            lead = written_out[-1] if written_out and _LEADS.search(written_out[-1]) else ""
        header = header if block.kind == "row" else []
    return found


def _is_line(text: str, parts: Sequence[Block], titles: Sequence[bool], index: int) -> bool:
    """Returns whether a paragraph is one of several short lines without full stops, as on slides and in scans."""

    def is_short(at: int) -> bool:
        if not 0 <= at < len(parts) or parts[at].kind != "text" or titles[at]:
            return False
        return may_be_title(text[parts[at].start : parts[at].end])

    return is_short(index) and (is_short(index - 1) or is_short(index + 1))


def _fence(text: str) -> str:
    """Returns the fence before a text that begins inside a block of code: the one that ends it."""
    end = _FENCE.search(text)
    return end[1] if end else "```"


def _is_title(source: ParsedSource, text: str, block: Block, before: Block | None, after: Block | None) -> bool:
    """Returns whether a paragraph is a title or heading without markup, as in Word files and PDFs."""
    written = text[block.start : block.end]
    if block.kind != "text" or not may_be_title(written):
        return False
    if written.strip("*_ ") in (source.title, *(part.strip() for part in source.section.split("›"))):
        return True
    if after is None or not _PARAGRAPH_END.search(text, block.end, after.start):
        return False
    if before is not None and before.kind == "text" and not _PARAGRAPH_END.search(text, before.end, block.start):
        return False  # the last line of a paragraph
    # A short text before another heading is a paragraph of its own, not a title.
    return after.kind != "heading" and not (after.kind == "text" and may_be_title(text[after.start : after.end]))


def may_be_title(text: str) -> bool:
    """Returns whether a text is short and has no end of a sentence."""
    return len(text) <= _LONGEST_TITLE and "\n" not in text and not _SENTENCE_END.search(text)


def compose(quotes: Sequence[Quote], chosen: Sequence[Quote]) -> str:
    """Returns quotations as an answer in Markdown, each with its citation.

    Args:
        quotes: All quotable units, in order.
        chosen: The units to quote, in order.
    """
    taken: list[Quote] = []
    for quote in chosen:
        taken.extend(part for part in _whole(quotes, chosen, quote) if part not in taken)
    paragraphs = []
    for (number, list_id, lead), group in groupby(taken, key=lambda quote: (quote.number, quote.list_id, quote.lead)):
        parts = list(group)
        if list_id >= 0:
            head = f"{lead} [{number}]\n\n" if lead else ""
            paragraphs.append(head + "\n".join(f"{part.mark} {_cited(part)}" for part in parts))
        else:
            paragraphs.extend(_sentences(parts))
    return "\n\n".join(paragraphs)


def _whole(quotes: Sequence[Quote], chosen: Sequence[Quote], quote: Quote) -> Sequence[Quote]:
    """Returns a quotation with related units: the list that it introduces, or all steps if several were chosen."""
    if quote.list_id < 0:
        introduced = [other for other in quotes if other.number == quote.number and other.lead == quote.text]
        return introduced if 0 < len(introduced) <= LONGEST_LIST else [quote]
    steps = [other for other in quotes if (other.number, other.list_id) == (quote.number, quote.list_id)]
    several = sum(step in chosen for step in steps) > 1
    return steps if several and _ORDERED.match(quote.mark) and len(steps) <= LONGEST_LIST else [quote]


def _sentences(parts: Sequence[Quote]) -> Iterator[str]:
    """Yields the sentences of one source; code, and what has no full stop, ends a paragraph.

    Without one, two quotations would be read, and verified, as one sentence that the source nowhere has.
    """
    line: list[str] = []
    for part in parts:
        if part.before and not any(part.before in text for text in line):
            line.append(f"{part.before} [{part.number}]")
        line.append(_cited(part))
        if part.code or not _STOPPED.search(part.text):
            yield " ".join(line)
            line = []
    if line:
        yield " ".join(line)


def _cited(quote: Quote) -> str:
    if not quote.code:
        return f"{quote.text} [{quote.number}]"
    fence = "~~~" if "```" in quote.code else "```"
    return f"{quote.text} [{quote.number}]\n\n{fence}\n{quote.code}\n{fence}"


def _row(header: Sequence[str], cells: Sequence[str]) -> str:
    """Returns a self-contained table row: "Plan: Basic; Price: 9 €"."""
    if len(header) != len(cells):
        return " – ".join(filter(None, cells))
    named = [f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=True) if cell]
    return "; ".join(named)


def _clean(text: str) -> str:
    text = MARKER.sub(lambda marker: f"({marker['numbers']})", _LINK.sub(r"\1", _BREAK.sub(" ", text))).strip()
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST].rsplit(" ", 1)[0] + " …"
