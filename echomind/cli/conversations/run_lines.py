"""Formats text of team members and sub-agents as whole lines with their names, as several write concurrently."""

import textwrap

from echomind_lib.models import public

_WIDTH = 100


class RunLines:
    """The text of one run, of which lines are given once each."""

    def __init__(self, name: str) -> None:
        """Starts without text; `name` is the prefix of each line."""
        self._name = name
        self._attempt = 0
        self._text = ""
        self._given = 0

    def added(self, piece: "public.RunText") -> list[str]:
        """Returns the lines that a piece of text completes; a line ends at a break, or where it is full."""
        if piece.attempt < self._attempt or piece.offset > len(self._text):
            return []
        if piece.attempt > self._attempt:
            self._attempt, self._text, self._given = piece.attempt, "", 0
        self._text += piece.text[len(self._text) - piece.offset :]
        end = max(self._given, self._text.rfind("\n") + 1)
        while len(self._text) - end > _WIDTH:
            end = self._text.rfind(" ", end, end + _WIDTH) + 1 or end + _WIDTH
        whole, self._given = self._text[self._given : end], end
        return self._lines(whole)

    def rest(self) -> list[str]:
        """Returns the text that has not been returned yet."""
        rest, self._given = self._text[self._given :], len(self._text)
        return self._lines(rest)

    def _lines(self, text: str) -> list[str]:
        lines = [part for line in text.splitlines() for part in textwrap.wrap(line, _WIDTH)]
        return [f"{self._name} │ {line}" for line in lines]
