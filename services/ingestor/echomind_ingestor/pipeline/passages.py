"""The text of a passage that is embedded and whose terms are indexed."""

from collections.abc import Sequence
from typing import Final

from echomind_ingestor.extract.headings import plain
from echomind_lib.text import single_line

_CONTEXT: Final = 300
"""Maximum characters of title and headings that are embedded before a passage."""
_CONTEXT_TITLE: Final = 200
"""Maximum characters of the title in it."""


def passage_text(title: str, headings: Sequence[str], text: str) -> str:
    """Returns the text of a passage to embed: the document's title, the headings above it, and its text.

    It depends only on what is stored, so that every index gets the same text. Title and headings are truncated to leave
    space for the text in the embedder's window; headings too long for it are omitted, the inner ones last.

    Args:
        title: The document's title.
        headings: The passage's headings, outermost first, including its own first line if that is one.
        text: The passage.
    """
    context = [] if text.startswith(title) else [single_line(title, _CONTEXT_TITLE)]
    left = _CONTEXT - sum(map(len, context))
    above = []
    for heading in reversed(headings[:-1] if headings and _begins_with(text, headings[-1]) else headings):
        if heading == title:
            continue
        left -= len(heading)
        if left < 0:
            break
        above.append(heading)
    return "\n".join([*context, *reversed(above), text])


def _begins_with(text: str, heading: str) -> bool:
    """Returns whether the first line of a passage is its heading, or the beginning of it."""
    first = plain(text.partition("\n")[0].strip().lstrip("#").strip())
    return bool(first) and (heading.startswith(first) or first.startswith(heading.removesuffix("…")))
