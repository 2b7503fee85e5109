"""The structure of a text by offsets: blocks, sentences, and citation markers."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

import sentencex  # type: ignore[import-untyped]

Kind = Literal["text", "heading", "item", "row", "code"]

_NUMBERS = r"\d{1,4}(?:\s?(?:[,;，、；&–—~-]|and|und|et|y)\s?\d{1,4})*"
MARKER = re.compile(
    rf"(?<![!\w]\()[\[［【〔]\s?\^?(?:(?:sources?|quellen?|refs?|来源|资料|出典)[:：]?\s?)?(?P<numbers>{_NUMBERS})"
    r"(?:\s?[†‡][^\[\]［］【】〔〕\n]{0,80})?\s?[\]］】〕](?!\()",
    re.IGNORECASE,
)
"""A citation: `[1]`, `[1, 3]`, `[1-3]`, `[^1]`, `[Source 1]`, `【1】`, `【1†…】`. Not a Markdown link `[1](…)`."""
_BRACKET = re.compile(r"[\[［【〔]")
"""What each citation begins with; found much faster than a citation."""

_JOINT = re.compile(r"\s?(?:[,;，、；&]|and|und|et|y)\s?", re.IGNORECASE)
_MAX_IN_RANGE = 50

# Marks at the start of a line. A number needs a point or bracket and a blank, so that "1998 was" is not a list item.
_LINE = re.compile(
    r"""[ \t]*(?:>[ \t]?)*[ \t]*(?:
        (?P<fence>```+|~~~+)
      | (?P<heading>\#{1,6})[ \t]+
      | (?P<rule>(?:[-*_=][ \t]*){3,}$ | \|?[ \t]*:?--[-:|\ \t]*$)
      | (?P<row>\|)
      | (?P<item>[-*+•‣▪◦–][ \t]+(?:\[[ xX]\][ \t]+)? | \(?(?:\d{1,3}[.)]|[a-z]\))[ \t]+ | \d{1,3}[、．])(?=\S)
    )?""",
    re.VERBOSE,
)
_LABELLED = re.compile(r"[ \t]*(?=[^\s;])[^:;\n]{1,60}: [^;\n]+(?:; [^:;\n]{1,60}: [^;\n]+)+$")
"""A row of a table in extracted text: `City: Oslo; Limit: 200`."""
_TRAILING = re.compile(rf"(?:[*_~]{{1,3}}(?=[\s\[【［]|$))?(?:\s*{MARKER.pattern})*[ \t]*", re.IGNORECASE)
_LONGEST_MARKER = 256
"""Characters within which a citation ends that matters: longer ones cite more than an answer has sources."""
_WORD = re.compile(r"[^\W\d_]")
_ORDINAL = re.compile(r"(?:^|\s)\d{1,3}\.\s*$")
_ORDINAL_LANGUAGES = frozenset({"cs", "da", "de", "et", "fi", "hu", "lv", "no", "pl", "sk", "sl", "sr", "tr"})
"""Languages in which a number with a full stop is an ordinal, as in “des 19. Jahrhunderts”."""
_UNFINISHED = 40
"""Minimum length of a line that was probably broken at the page width."""
_UNFINISHED_DENSE = 20
"""The same for scripts whose characters are twice as wide."""
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Span(NamedTuple):
    """A part of a text: offsets in code points, the end exclusive."""

    start: int
    end: int


class Block(NamedTuple):
    """A paragraph, heading, list item, table row or fenced code block of Markdown or plain text."""

    kind: Kind
    start: int
    """Start of its text, after its marker."""
    end: int
    """Its end, exclusive; surrounding white space is not included."""
    mark: str
    """Its marker: `##`, `-`, `2.`, or empty."""


def blocks(text: str) -> list[Block]:
    """Returns the blocks of a text in order, which do not overlap and contain all but white space, marks and rules.

    A line break within a paragraph or an item ends it, unless the sentence seems to continue on the next line, as
    extracted text is often broken at the page width.
    """
    found: list[Block] = []
    fence, code_start, code_end = "", 0, 0
    is_continued = False
    for start, end in _lines(text):
        line = _LINE.match(text, start, end)
        assert line is not None
        if fence:
            if (line["fence"] or "").startswith(fence):
                _add(found, text, "code", code_start, code_end)
                fence = ""
            code_end = end
            continue
        if line["fence"]:
            fence, code_start, code_end = line["fence"], end, end
            is_continued = False
        elif line["rule"] is not None or line.end() == end:
            is_continued = False
        elif line["heading"] or line["item"] or line["row"]:
            kind: Kind = "heading" if line["heading"] else "item" if line["item"] else "row"
            first = line.start("row") if kind == "row" else line.end()
            if kind == "item" and _LABELLED.match(text, first, end):
                kind = "row"
            _add(found, text, kind, first, end, (line["heading"] or line["item"] or "").strip())
            is_continued = kind == "item"
        elif _LABELLED.match(text, start, end):
            _add(found, text, "row", start, end)
            is_continued = False
        else:
            if is_continued and found and _continues(text, found[-1], line):
                more = _trim(text, line.end(), end)  # not from the block's start, or each line would read all before
                if more.start < more.end:
                    found[-1] = found[-1]._replace(end=more.end)
            else:
                _add(found, text, "text", line.end(), end)
            is_continued = True
    if fence:
        _add(found, text, "code", code_start, len(text))
    return found


def numbers_of(written: str) -> Iterator[int]:
    """Yields the numbers of a citation, such as 1, 3, 4 and 5 of "1, 3-5"."""
    for part in _JOINT.split(written):
        first, *last = map(int, re.findall(r"\d+", part))
        yield from range(first, min(last[0], first + _MAX_IN_RANGE) + 1) if last else (first,)


def sentences(text: str, language: str = "en") -> list[Span]:
    """Returns the sentences of a text in order, without surrounding white space and marks of lists and headings.

    Headings and table rows count as one sentence each; code has none. Citations after a full stop belong to the
    sentence before it.

    Args:
        text: Markdown or plain text.
        language: ISO 639-1 code; determines abbreviations.
    """
    spans: list[Span] = []
    for block in blocks(text):
        if block.kind in ("heading", "row"):
            spans.append(Span(block.start, block.end))
        elif block.kind != "code":
            spans.extend(sentences_of(text, block, language))
    return spans


def sentences_of(text: str, block: Block, language: str) -> Iterator[Span]:
    """Returns the sentences of one block."""
    part = text[block.start : block.end]
    ends = _ends(part, language)
    # In a paragraph such as "[1] First. [2] Second.", markers precede their sentences.
    markers_lead = MARKER.match(part) is not None and not _ends_with_marker(part)
    begin = seen = 0
    has_word = False
    for boundary in ends[:-1]:
        if boundary <= begin:
            continue
        end = _without_last_markers(part, seen, boundary) if markers_lead else _with_markers_behind(part, boundary)
        # Only what was not looked at for an earlier boundary, or a text without words would be read again for each.
        piece = part[max(begin, seen - _LONGEST_MARKER) : end]
        has_word = has_word or bool(_WORD.search(MARKER.sub("", piece) if _BRACKET.search(piece) else piece))
        seen = end
        if not has_word or (language in _ORDINAL_LANGUAGES and _ORDINAL.search(piece)):
            continue
        yield _trim(text, block.start + begin, block.start + end)
        begin, has_word = end, False
    if (last := _trim(text, block.start + begin, block.end)) and last.start < last.end:
        yield last


def _lines(text: str) -> Iterator[Span]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield Span(start, end)
        start = end + 1


def _add(found: list[Block], text: str, kind: Kind, start: int, end: int, mark: str = "") -> None:
    span = _trim(text, start, end)
    if span.start < span.end:
        found.append(Block(kind, span.start, span.end, mark))


def _continues(text: str, block: Block, line: re.Match[str]) -> bool:
    """Returns whether a line continues the block before it."""
    if text[line.end()].islower() or (block.kind == "item" and line.end() - line.start() > 1):
        return True
    last = text[max(text.rfind("\n", block.start, block.end) + 1, block.start) : block.end]
    return len(last) >= (_UNFINISHED_DENSE if _DENSE.search(last) else _UNFINISHED) and last[-1] not in ":："


def _with_markers_behind(text: str, end: int) -> int:
    more = _TRAILING.match(text, end)
    return more.end() if more else end


def _without_last_markers(text: str, begin: int, end: int) -> int:
    for marker in reversed(list(MARKER.finditer(text, begin, end))):
        if text[marker.end() : end].strip():
            break
        end = marker.start()
    return end


def _ends_with_marker(text: str) -> bool:
    end = len(text.rstrip(" .!?。！？*_"))
    return _without_last_markers(text, 0, end) < end


def _ends(text: str, language: str) -> list[int]:
    try:
        boundaries = sentencex.get_sentence_boundaries(language, text)
    except UnicodeEncodeError:
        # A lone surrogate: its replacement is one character too, so offsets are unchanged.
        boundaries = sentencex.get_sentence_boundaries(language, text.encode("utf-8", "replace").decode())
    return [boundary["end_index"] for boundary in boundaries]


def _trim(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    if not part or part.isspace():
        return Span(start, start)
    return Span(start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip()))
