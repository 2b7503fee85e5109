"""Files as Markdown for display, with headings, lists and tables preserved.

Unlike the text for chunking, rows have no cell labels, for example. Offsets do not refer to it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from echomind_ingestor.extract.decode import normalize
from echomind_ingestor.extract.sheets import shown
from echomind_lib.text import NAME_CHARACTERS, single_line

# Kreuzberg starts a web page with the metadata of its head, which repeats the document's title.
_PAGE_HEAD = re.compile(r"\A---\n(?:[\w-]+: .*\n|\n)*## [\w-]+: .*\n+")
_MAIL_HEAD = re.compile(r"\A(?:\*\*(?:Subject|From|To|CC|BCC|Date)\*\*: .*\n+)+")
_SLIDE_MARK = re.compile("\ue000\\d{1,9}\ue001\\s*")
_QUOTED = re.compile(r"(?:> ?)+")
_MARKS = re.compile(r"[\\`*_\[\]<>|~#&]|^[-=+](?=[-=+ ]|$)")
"""What Markdown would not show as it is."""
_LISTED = re.compile(r"^(\d+)([.)])(?=\s)")
_MAX_HEADER = 2000
"""Maximum length of an e-mail header."""
_MAIL_FIELDS = (
    ("subject", "subject"),
    ("from", "from_email"),
    ("to", "to_emails"),
    ("cc", "cc_emails"),
    ("date", "created_at"),
    ("attachments", "attachments"),
)
"""Names of e-mail headers in front matter and in Kreuzberg's output."""


def formatted_page(markdown: str) -> str:
    """Returns a web page as Markdown."""
    return normalize(_PAGE_HEAD.sub("", markdown))


def formatted_slides(markdown: str) -> str:
    """Returns slides as Markdown, with a rule between them."""
    return "\n\n---\n\n".join(filter(None, map(normalize, _SLIDE_MARK.split(markdown))))


def formatted_mail(markdown: str, metadata: Mapping[str, Any]) -> str:
    """Returns an e-mail as Markdown: its headers as front matter, with the names of its attachments, and its text.

    Args:
        markdown: The e-mail, which begins with some of its headers.
        metadata: Its headers.
    """
    head = []
    for name, source in _MAIL_FIELDS:
        value = metadata.get(source)
        if words := single_line(", ".join(value) if isinstance(value, list) else str(value or ""), _MAX_HEADER):
            head.append(f"{name}: {words}\n")
    parts = [f"---\n{''.join(head)}---", normalize(_MAIL_HEAD.sub("", markdown))]
    return "\n\n".join(filter(None, parts))


def formatted_lines(text: str) -> str:
    """Returns plain text as Markdown that shows its lines as they are, and quotations of mails as such."""
    lines: list[str] = []
    before = ""
    for line in text.split("\n"):
        quoted = _QUOTED.match(line)
        marks = ">" * (quoted[0].count(">") if quoted else 0)
        words = _MARKS.sub(r"\\\g<0>", line[quoted.end() if quoted else 0 :].strip())
        words = _LISTED.sub(r"\1\\\2", words)
        if lines and words and lines[-1] != before:
            # A line that follows without a break would be part of the one before, or of its quotation.
            if marks == before:
                lines[-1] += "\\"
            else:
                lines.append("")
        lines.append(f"{marks} {words}" if marks and words else marks or words)
        before = marks
    return "\n".join(lines)


def formatted_sheets(sheets: Iterable[tuple[str, Sequence[Sequence[str]]]]) -> str:
    """Returns tables as Markdown, each under its name if it has one.

    Args:
        sheets: Name and rows of cells of each sheet.
    """
    parts = []
    for name, rows in sheets:
        if table := _table(rows):
            parts += [f"## {single_line(name, NAME_CHARACTERS)}"] * bool(name) + [table]
    return "\n\n".join(parts)


def _table(rows: Sequence[Sequence[str]]) -> str:
    cells = [[_cell(cell) for cell in row] for row in rows]
    cells = [row for row in cells if any(row)]
    if not cells:
        return ""
    width = max(map(len, cells))
    lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _cell(text: str) -> str:
    return shown(" ".join(normalize(text).split())).replace("\\", "\\\\").replace("|", "\\|")
