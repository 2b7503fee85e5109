"""Markdown at a terminal: an answer is drawn while it is written, block by block."""

import re
from typing import TYPE_CHECKING

from echomind.cli.terminal import Terminal, printable

if TYPE_CHECKING:
    from rich.live import Live

_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)


class MarkdownWriter:
    """Writes text that arrives in pieces: drawn where a person watches, as it is elsewhere.

    The block that is still being written is drawn again with each piece; a block that has ended stays as it is.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._block = ""
        self._live: Live | None = None

    def write(self, text: str) -> None:
        """Writes a piece."""
        if not self._terminal.is_drawn:
            self._terminal.text(text)
            return
        self._block += printable(text)
        end = _end_of_blocks(self._block)
        if end:
            self.pause()
            self._terminal.markdown(self._block[:end])
            self._block = self._block[end:]
        if self._block.strip():
            self._draw()

    def pause(self) -> None:
        """Removes the unfinished block from the screen until the next text, so that other output can be written."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def end(self) -> None:
        """Writes the rest at the end of the text."""
        self.pause()
        if self._block.strip():
            self._terminal.markdown(self._block)
        self._block = ""

    def _draw(self) -> None:
        from rich.live import Live
        from rich.markdown import Markdown

        if self._live is None:
            self._live = Live(console=self._terminal.console(), auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(Markdown(self._block), refresh=True)


def _end_of_blocks(text: str) -> int:
    """Returns where the blocks end that no later text can change: after the last empty line outside of code."""
    end = text.rfind("\n\n")
    while end >= 0:
        before = text[: end + 2]
        if len(_FENCE.findall(before)) % 2 == 0:
            return end + 2
        end = text.rfind("\n\n", 0, end)
    return 0
