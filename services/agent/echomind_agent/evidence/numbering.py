"""Renumbers citations in a streamed answer: 1, 2, 3 in order of appearance.

A model cites sources by the numbers in its prompt, which follow the order of the searches. Users see an answer with
consecutive numbers.
"""

import re
from collections.abc import Callable

from echomind_agent.text.sentences import MARKER, numbers_of

_CODE = re.compile(r"(?P<fence>(?<=\n)[ \t]*(?P<fence_mark>```+|~~~+))|(?P<ticks>`+)|(?P<line>\n)")
_TOKEN = re.compile(f"{_CODE.pattern}|(?P<marker>{MARKER.pattern})", re.IGNORECASE)
_OPEN, _CLOSE = "[［【〔", "]］】〕"
_BLANKS = " \t"
_LONGEST_MARKER = 150
"""Maximum length of a citation marker."""
_WAITING = re.compile(r"(?:\n[ \t]*[`~]*|`+)\Z")
"""The end of a text at which code may begin or end."""


class CitationNumbers:
    """Numbers the sources that an answer cites in the order of their first citation.

    Numbers without a source are removed, as are markers that have no other; code is unchanged.
    """

    def __init__(self, is_source: Callable[[int], bool]) -> None:
        """Initializes the object for a new answer.

        Args:
            is_source: Returns whether the run has a source with this number.
        """
        self._is_source = is_source
        self._pending = ""
        self._before = "\n"
        self._fence = ""
        self._ticks = ""
        self.sources: list[int] = []
        """The cited sources' own numbers: citation 1 of the answer is the first of them."""

    def feed(self, text: str) -> str:
        """Returns the text that can be shown so far; an incomplete citation is buffered."""
        self._pending += text
        return self._take(self._complete())

    def end(self) -> str:
        """Returns the buffered rest."""
        return self._take(len(self._pending))

    def _complete(self) -> int:
        """Returns the length of the buffered text whose meaning is final."""
        pending = self._pending
        end = len(pending)
        for bracket in range(len(pending) - 1, max(-1, len(pending) - _LONGEST_MARKER - 1), -1):
            if pending[bracket] == "\n":
                break
            if pending[bracket] in _OPEN and not any(mark in pending[bracket:-1] for mark in _CLOSE):
                end = bracket  # the code point after it distinguishes a citation from a link
        if waiting := _WAITING.search(self._before + pending):
            end = min(end, max(0, waiting.start() - len(self._before)))
        # A removed marker takes the blanks before it with it.
        return len(pending[:end].rstrip(_BLANKS))

    def _take(self, end: int) -> str:
        # Includes the context on both sides: a token may depend on a line's start, or on a link's bracket after it.
        start = len(self._before)
        text, end = self._before + self._pending, start + end
        pieces: list[str] = []
        position = start
        for token in _TOKEN.finditer(text, start):
            if token.start() >= end:
                break
            if token["marker"] is None:
                self._note_code(token)
            elif not self._fence and not self._ticks:
                marker = self._renumbered(token)
                before = text[position : token.start()]
                pieces += [before, marker] if marker else [before.rstrip(_BLANKS)]
                position = token.end()
        pieces.append(text[position:end])
        self._before, self._pending = text[max(0, end - 2) : end], text[end:]
        return "".join(pieces)

    def _note_code(self, token: re.Match[str]) -> None:
        if token["fence"] is not None and not self._ticks:
            if not self._fence:
                self._fence = token["fence_mark"]
            elif token["fence_mark"].startswith(self._fence):
                self._fence = ""
        elif self._fence:
            return
        elif token["line"] is not None:
            self._ticks = ""
        elif token["ticks"] is not None:
            self._ticks = "" if token["ticks"] == self._ticks else self._ticks or token["ticks"]

    def _renumbered(self, marker: re.Match[str]) -> str:
        numbers = list(numbers_of(marker["numbers"]))
        shown = [str(self._number(number)) for number in dict.fromkeys(numbers) if self._is_source(number)]
        if not shown:
            return ""
        begin, end = (offset - marker.start() for offset in marker.span("numbers"))
        return marker[0][:begin] + ", ".join(shown) + marker[0][end:]

    def _number(self, source: int) -> int:
        if source not in self.sources:
            self.sources.append(source)
        return self.sources.index(source) + 1
