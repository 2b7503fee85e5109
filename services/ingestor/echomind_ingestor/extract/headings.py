"""Headings and their offsets."""

import re
from collections.abc import Iterator
from itertools import islice

from echomind_ingestor.extract.result import Heading
from echomind_lib.text import HEADING_CHARACTERS, single_line

_ATX = re.compile(r" {0,3}(?P<marks>#{1,6})[ \t]+(?P<title>.*)$")
_SETEXT = re.compile(r" {0,3}(?P<mark>=|-)(?P=mark)*[ \t]*$")
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})")
_LINK = re.compile(r"!?\[(?P<text>[^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)")
_EMPHASIS = re.compile(r"(?<!\\)(?P<mark>\*\*|__|\*|`)(?P<text>\S(?:.*?[^\s\\])?)(?P=mark)")
_ESCAPE = re.compile(r"\\(?P<sign>[!-/:-@\[-`{-~])")

MAX_HEADINGS = 5000
_MAX_MISSED = 50
_MAX_MARKED = 1000
"""Maximum length of a heading, including emphasis marks and link targets."""
_MAX_FRONT_MATTER = 10_000
_TITLE = re.compile(r"^title:[ \t]*(?P<title>.+)$", re.MULTILINE)


def front_matter(text: str) -> tuple[int, str]:
    """Returns the end of a Markdown file's front matter (0 for none), and its title."""
    end = text.find("\n---\n", 3, _MAX_FRONT_MATTER) if text.startswith("---\n") else -1
    if end < 0:
        return 0, ""
    title = _TITLE.search(text, 0, end)
    return end + len("\n---\n"), plain(title["title"].strip(" \t\"'")) if title else ""


def markdown_headings(text: str) -> list[Heading]:
    """Returns the headings of a Markdown text, except those in code."""
    return list(islice(_scan(text), MAX_HEADINGS))


def _scan(text: str) -> Iterator[Heading]:
    fence, previous, previous_start = "", "", 0
    start = front_matter(text)[0]
    for line in text[start:].split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark["fence"].startswith(fence):
                fence = ""
        elif mark:
            fence = mark["fence"]
        elif match := _ATX.match(line):
            if title := plain(_unclosed(match["title"])):
                yield Heading(len(match["marks"]), title, start)
        elif previous.strip() and (match := _SETEXT.match(line)) and not previous.lstrip().startswith(("-", "|", ">")):
            yield Heading(1 if match["mark"] == "=" else 2, plain(previous), previous_start)
        previous, previous_start = ("" if fence or _ATX.match(line) else line), start
        start += len(line) + 1


def _unclosed(title: str) -> str:
    """Returns an ATX heading's title without optional closing signs: `Title ##`, but not `C#`."""
    title = title.strip(" \t")
    opened = title.rstrip("#")
    return opened.rstrip(" \t") if not opened or opened[-1] in " \t" else title


def locate(headings: list[Heading], text: str) -> tuple[Heading, ...]:
    """Finds the headings of another form of the same document in a text: as whole lines, in order.

    Args:
        headings: The headings in order; only level and title are used.
        text: The text to search.
    """
    found: list[Heading] = []
    position = missed = 0
    for heading in headings:
        words = r"[ \t]*\n?[ \t]*".join(map(re.escape, heading.title.removesuffix("…").split()))
        rest = ".*" if heading.title.endswith("…") else "[ \t]*"  # a long title was shortened
        match = re.compile(rf"^[ \t]*{words}{rest}$", re.MULTILINE).search(text, position)
        if match is not None:
            found.append(Heading(heading.level, heading.title, match.start()))
            position = match.end()
        elif (missed := missed + 1) > _MAX_MISSED:
            break
    return tuple(found)


def plain(markdown: str) -> str:
    """Returns the visible text of a Markdown line: without emphasis marks, link targets and escapes."""
    text = unlink(markdown[:_MAX_MARKED])
    text = _EMPHASIS.sub(r"\g<text>", _EMPHASIS.sub(r"\g<text>", text))
    return single_line(_ESCAPE.sub(r"\g<sign>", text), HEADING_CHARACTERS)


def unlink(text: str) -> str:
    """Returns a text with its Markdown links replaced by their text."""
    return _LINK.sub(r"\g<text>", text)
