"""Markdown and HTML as plain text on one line, for snippets."""

import html
import re

_MARKUP = re.compile(r"[<>`~|#&*_=+•‣▪◦\[\\-]")
"""The characters of which all that follows needs one."""
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(?:```+|~~~+).*$", re.MULTILINE)
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?--[-:| \t]*$|^[ \t]*(?:[-*_=][ \t]*){3,}$", re.MULTILINE)
_MARKS = re.compile(
    r"^[ \t]*(?:>[ \t]?)*(?:#{1,6}[ \t]+|[-*+•‣▪◦][ \t]+(?:\[[ xX]\][ \t]+)?)?|[ \t]+#+[ \t]*$", re.MULTILINE
)
_ROW = re.compile(r"^[ \t]*\|(.*?)\|?[ \t]*$", re.MULTILINE)
_CODE = re.compile(r"(`+)(.+?)\1")
_LINK = re.compile(r"!?\[([^\]\n]*)\](?:\([^()\s]*(?:\s+\"[^\"\n]*\")?\)|\[[^\]\n]*\])")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]+)>")
_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>")
_EMPHASIS = re.compile(r"(?<![\w\\])(\*\*\*|\*\*|\*|___|__|_|~~)(?=\S)(.+?)(?<=[^\s\\])\1(?!\w)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def plain_text(markup: str) -> str:
    """Returns the visible text of Markdown or HTML: without marks, tags and link targets; cells joined by dashes."""
    if not _MARKUP.search(markup):
        return " ".join(markup.split())
    text = _FENCE.sub("", _COMMENT.sub(" ", markup))
    text = _ROW.sub(_cells, _MARKS.sub("", _TABLE_RULE.sub("", text)))
    pieces, end = [], 0
    for code in _CODE.finditer(text):  # code is kept as it is
        pieces += [_inline(text[end : code.start()]), code[2].strip()]
        end = code.end()
    pieces.append(_inline(text[end:]))
    return " ".join("".join(pieces).split())


def _cells(row: re.Match[str]) -> str:
    return " – ".join(filter(None, map(str.strip, re.split(r"(?<!\\)\|", row[1]))))


def _inline(text: str) -> str:
    text = _AUTOLINK.sub(r"\1", _LINK.sub(r"\1", text))
    text = _TAG.sub(" ", text)
    before = ""
    while text != before:  # emphasis may be nested
        before, text = text, _EMPHASIS.sub(r"\2", text)
    return html.unescape(_ESCAPE.sub(r"\1", text))
