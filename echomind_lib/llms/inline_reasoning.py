"""Parses reasoning that a server sends within the text, between `<think>` and `</think>`.

Servers without a reasoning parser (TGI, llama.cpp, vLLM without `--reasoning-parser`) stream it so. Only a block at
the very start of the answer counts: later tags are text. Line breaks around the block belong to it.
"""

from typing import Literal

OPEN = "<think>"
CLOSE = "</think>"


class InlineReasoning:
    """Splits a streamed text into reasoning and text."""

    __slots__ = ("_held", "_state")

    def __init__(self) -> None:
        self._held = ""
        self._state: Literal["before", "inside", "after", "text"] = "before"

    @property
    def decided(self) -> bool:
        """Returns whether the remaining stream is text."""
        return self._state == "text"

    def feed(self, text: str) -> tuple[str, str]:
        """Returns the reasoning and text that are certain after this piece; a possible tag is buffered."""
        held = self._held + text
        self._held = ""
        reasoning = ""
        if self._state == "before":
            start = held.lstrip()
            if len(start) < len(OPEN) and OPEN.startswith(start):
                self._held = held
                return "", ""
            if not start.startswith(OPEN):
                self._state = "text"
                return "", held
            self._state = "inside"
            held = start[len(OPEN) :]
        if self._state == "inside":
            reasoning, close, after = held.partition(CLOSE)
            if not close:
                kept = len(reasoning) - _length_of_tag_start(reasoning)
                self._held = reasoning[kept:]
                return reasoning[:kept], ""
            self._state = "after"
            held = after
        if self._state == "after":
            held = held.lstrip("\r\n")
            if held:
                self._state = "text"
        return reasoning, held

    def finish(self) -> tuple[str, str]:
        """Returns the buffered rest at the end of the answer, as reasoning and text."""
        held, self._held = self._held, ""
        return (held, "") if self._state == "inside" else ("", held)


def _length_of_tag_start(text: str) -> int:
    """Returns the length of the longest suffix of the text that is a prefix of `CLOSE`."""
    for length in range(min(len(text), len(CLOSE) - 1), 0, -1):
        if CLOSE.startswith(text[-length:]):
            return length
    return 0
