"""Shortening of text: to one line, or by omitting its middle."""

import re

from echomind_agent.text.delimiting import TAGS
from echomind_lib.llms.tokens import TokenCounter

_DELIMITER = re.compile(rf"^<(?P<close>/?)(?P<name>{TAGS})(?: [^\n<>]*)?>$", re.MULTILINE)
"""A line that opens or closes delimited text."""
_HEAD_SHARE = 0.7
_LINE_LENGTH = 300


def one_line(text: str, length: int = _LINE_LENGTH) -> str:
    """Returns a text as one line of at most `length` code points that neither opens nor closes a delimiter."""
    line = " ".join(text.replace("<", "‹").split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def shorten(text: str, tokens: int, count: TokenCounter) -> str:
    """Returns a text's beginning and end, with a note about the omission in between, in at most `tokens` tokens.

    Delimited text remains delimited: tags left open by the cut are closed before it and opened again after it. Only the
    note's word is returned if there is no room for more.
    """
    total = count(text)
    if total <= tokens:
        return text
    kept = len(text) * (tokens - count(_left_out(len(text)))) // total
    while kept > 0:
        shortened = _cut(text, kept)
        if count(shortened) <= tokens:
            return shortened
        kept = kept * 19 // 20
    return _left_out(len(text))


def _cut(text: str, kept: int) -> str:
    head = round(kept * _HEAD_SHARE)
    tail = len(text) - (kept - head)
    # A line that may be a tag is omitted as a whole.
    if text.startswith("<", start := text.rfind("\n", 0, head) + 1):
        head = start
    if text.startswith("<", text.rfind("\n", 0, tail) + 1):
        tail = end if (end := text.find("\n", tail)) >= 0 else len(text)
    before, after = text[:head], text[tail:]
    closing = "".join(f"\n</{name}>" for name, _ in reversed(_open(before)))
    opening = "".join(f"{tag}\n" for _, tag in _open(text[:tail]))
    return f"{before}{closing}\n{_left_out(tail - head)}\n{opening}{after}"


def _left_out(characters: int) -> str:
    return f"[{characters} characters are left out here to fit the model's window.]"


def _open(text: str) -> list[tuple[str, str]]:
    """Returns names and tags of the delimiters that are open at a text's end, outermost first."""
    stack: list[tuple[str, str]] = []
    for tag in _DELIMITER.finditer(text):
        if not tag["close"]:
            stack.append((tag["name"], tag[0]))
        elif any(name == tag["name"] for name, _ in stack):
            while stack.pop()[0] != tag["name"]:
                continue
    return stack
