"""Validates and limits a child process's output.

The child has read a file that may be hostile, and may be compromised. Its output is stored, shown or embedded only
after `accept`.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from echomind_ingestor.extract.headings import MAX_HEADINGS
from echomind_ingestor.extract.result import (
    MAX_BYTES,
    MAX_CHARACTERS,
    MAX_MEMBERS,
    Extracted,
    Heading,
    Member,
    Page,
    member_name,
    too_long,
)
from echomind_lib.text import HEADING_CHARACTERS, MESSAGE_CHARACTERS, TITLE_CHARACTERS, Changes, normalized, single_line

_MAX_PAGES = 100_000
_MAX_PAGE_NUMBER = 2**31 - 1
_DEEPEST = 6
_MAX_WARNINGS = 10
_CONTENT_TYPE = re.compile(r"[\w.+-]{1,20}/[\w.+-]{1,79}", re.ASCII)
_UNKNOWN_TYPE = "application/octet-stream"

_Mark = TypeVar("_Mark", Heading, Page)


def accept(given: Extracted) -> tuple[Extracted, Changes]:
    """Returns the extracted text in its stored form, and the changes made for that.

    The text is normalized, and the offsets of headings and pages are adjusted; title, headings and warnings become one
    line each and are truncated. Headings and pages that do not begin at a line's start are dropped.

    Args:
        given: Reply of the child process.

    Raises:
        UnreadableError: The text is too long.
    """
    if len(given.text) > MAX_CHARACTERS:
        raise too_long(MAX_CHARACTERS)
    changes = Changes()
    headings = _within_text(given.headings, given.text, MAX_HEADINGS, changes)
    pages = _within_text(given.pages, given.text, _MAX_PAGES, changes)
    starts = {heading.start for heading in headings} | {page.start for page in pages}
    text, places = _normalized(given.text, starts, changes)
    return (
        Extracted(
            text=text,
            title=single_line(given.title, TITLE_CHARACTERS, changes),
            content_type=given.content_type if _CONTENT_TYPE.fullmatch(given.content_type) else _UNKNOWN_TYPE,
            language="",
            headings=tuple(
                Heading(min(max(heading.level, 1), _DEEPEST), title, places[heading.start])
                for heading in headings
                if (title := single_line(heading.title, HEADING_CHARACTERS, changes))
            ),
            pages=tuple(
                Page(page.number, places[page.start]) for page in pages if 1 <= page.number <= _MAX_PAGE_NUMBER
            ),
            warnings=_warnings(given.warnings, changes),
            markdown=_markdown(given.markdown, changes),
            members=_members(given.members, changes),
        ),
        changes,
    )


def notes(changes: Changes) -> str:
    """Returns notes for users about the changes, in sentences; empty for none."""
    found = []
    if changes.replaced:
        found.append(f"{changes.replaced:,} characters that cannot be stored were removed.")
    if changes.shortened:
        found.append(f"{changes.shortened:,} titles or names were too long and were shortened.")
    if changes.dropped:
        found.append(f"{changes.dropped:,} headings, pages or warnings could not be used.")
    return " ".join(found)


def _within_text(found: Sequence[_Mark], text: str, limit: int, changes: Changes) -> list[_Mark]:
    """Returns those at the start of a line, in order."""
    kept: list[_Mark] = []
    last = 0
    for mark in found[:limit]:
        if last <= mark.start <= len(text) and (mark.start == 0 or text[mark.start - 1] == "\n"):
            kept.append(mark)
            last = mark.start
    changes.dropped += len(found) - len(kept)
    return kept


def _normalized(text: str, starts: set[int], changes: Changes) -> tuple[str, dict[int, int]]:
    """Returns a normalized text, and for each line start in `starts` its new offset.

    Normalizing by pieces gives the same result, as nothing composes with the line feed before a piece.
    """
    pieces: list[str] = []
    places: dict[int, int] = {}
    length = 0
    for start, end in pairwise(sorted({0, *starts, len(text)})):
        places[start] = length
        pieces.append(normalized(text[start:end], changes))
        length += len(pieces[-1])
    places[len(text)] = length
    return "".join(pieces), places


def _markdown(given: str, changes: Changes) -> str:
    """Returns normalized Markdown; empty if it is too long, as the plain text is shown then."""
    if len(given) <= MAX_CHARACTERS:
        return normalized(given, changes)
    changes.dropped += 1
    return ""


def _members(given: Sequence[Member], changes: Changes) -> tuple[Member, ...]:
    """Returns the members with names that can be stored, and without those that the child should not have returned."""
    kept: dict[str, Member] = {}
    left = MAX_BYTES
    for member in given[:MAX_MEMBERS]:
        name = member_name(member.name)
        left -= len(member.data)
        if name and name not in kept and left >= 0:
            content_type = member.content_type if _CONTENT_TYPE.fullmatch(member.content_type) else ""
            kept[name] = Member(name, member.data, content_type)
    changes.dropped += len(given) - len(kept)
    return tuple(kept.values())


def _warnings(given: Sequence[str], changes: Changes) -> tuple[str, ...]:
    kept = [single_line(warning, MESSAGE_CHARACTERS, changes) for warning in given[:_MAX_WARNINGS]]
    changes.dropped += len(given) - len(kept)
    return tuple(dict.fromkeys(filter(None, kept)))
