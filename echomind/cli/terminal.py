"""Output of commands: results on standard output, everything else on standard error."""

import asyncio
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from echomind.cli.rendering import plain
from echomind.local.program import with_program

if TYPE_CHECKING:
    from rich.console import Console

    from echomind_lib.contract import ProtoModel

# Control characters are removed, because answers and titles come from documents and models and could contain escape
# sequences.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_STATUS_STYLES = dict.fromkeys(("completed", "active", "ok", "ready"), "green")
_STATUS_STYLES |= dict.fromkeys(("failed", "error", "timeout"), "red")
_STATUS_STYLES |= dict.fromkeys(("running", "processing", "syncing", "queued", "pending"), "cyan")
_STATUS_STYLES |= dict.fromkeys(("waiting_for_input", "waiting_for_children", "paused", "warning"), "yellow")


class CommandError(Exception):
    """The command failed; the message says why and what to do.

    Attributes:
        status: Exit status of the process.
    """

    status = 1


class NothingToChangeError(CommandError):
    """The command was given nothing to change."""

    status = 2


class Terminal:
    """Standard output and standard error of one command.

    Attributes:
        as_json: Whether standard output is exactly one JSON object.
        status: Exit status of the process: 0, or 1 if something failed.
    """

    def __init__(self, *, as_json: bool = False, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.as_json = as_json
        self.status = 0
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self._in_line = False

    @property
    def is_interactive(self) -> bool:
        """Returns whether standard error is a terminal."""
        return self._err.isatty()

    @property
    def is_drawn(self) -> bool:
        """Returns whether standard output is a terminal, which shows colours and rendered Markdown."""
        return self._out.isatty() and not self.as_json

    @property
    def can_ask(self) -> bool:
        """Returns whether standard input is a terminal, so that the user can be asked."""
        return sys.stdin.isatty() and not self.as_json

    @property
    def error_stream(self) -> TextIO:
        """Standard error."""
        return self._err

    def json(self, value: "ProtoModel | Mapping[str, Any]") -> None:
        """Writes the one JSON object of `--json`, with models as the API sends them. Nothing without `--json`."""
        if not self.as_json:
            return
        self._out.write(json.dumps(value, ensure_ascii=False, default=plain) + "\n")
        self._out.flush()

    def report(self, result: "ProtoModel | Mapping[str, Any]", text: str) -> None:
        """Writes what a command has done: its result with `--json`, a line without."""
        self.json(result)
        self.line(text)

    def text(self, text: str) -> None:
        """Writes a part of a line at once, as a stream of text needs it. Nothing with `--json`."""
        if self.as_json or not text:
            return
        self._out.write(printable(text))
        self._out.flush()
        self._in_line = not text.endswith("\n")

    def line(self, text: str = "") -> None:
        """Writes one line. Nothing with `--json`."""
        self.end_line()
        self.text(text + "\n")

    def styled(self, *pieces: tuple[str, str]) -> None:
        """Writes one line of pieces, each with a style of Rich; plain if not at a terminal. Nothing with `--json`."""
        if self.as_json:
            return
        self.end_line()
        if not self.is_drawn:
            self.line("".join(text for text, _ in pieces))
            return
        from rich.text import Text

        line = Text()
        for text, style in pieces:
            line.append(printable(text), style or None)
        self.console().print(line, soft_wrap=True)

    def markdown(self, text: str) -> None:
        """Writes Markdown: drawn where a person watches, as it is elsewhere. Nothing with `--json`."""
        if not self.is_drawn:
            self.line(text)
            return
        from rich.markdown import Markdown

        self.end_line()
        self.console().print(Markdown(printable(text)))

    def console(self) -> "Console":
        """Returns the Rich console for standard output; it honours `NO_COLOR`."""
        from rich.console import Console

        return Console(file=self._out, highlight=False)

    def end_line(self) -> None:
        """Ends the line that `text` has started."""
        if self._in_line:
            self.text("\n")

    def note(self, text: str) -> None:
        """Writes a line for the person to standard error; a command that it names can be typed as it is printed."""
        if self._in_line and self._out.isatty() and self.is_interactive:
            self.end_line()
        self._err.write(printable(with_program(text)) + "\n")
        self._err.flush()

    def problem(self, text: str) -> None:
        """Writes an error to standard error."""
        has_colours = self.is_interactive and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        begin, end = ("\x1b[31m", "\x1b[0m") if has_colours else ("", "")
        self.end_line()
        self._err.write(f"{begin}error:{end} {printable(with_program(text))}\n")
        self._err.flush()

    async def ask(self, prompt: str) -> str | None:
        """Asks the user for a line; None at the end of the input. Ctrl-C interrupts it as usual."""
        self.end_line()
        self._err.write(printable(prompt) + " ")
        self._err.flush()
        arrived = asyncio.Event()
        loop, keyboard = asyncio.get_running_loop(), sys.stdin.fileno()
        loop.add_reader(keyboard, arrived.set)
        try:
            await arrived.wait()
        finally:
            loop.remove_reader(keyboard)
        # In canonical mode, a terminal returns one line per read.
        line = os.read(keyboard, 65_536).decode(errors="replace")
        return line.strip() if line else None

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str) -> None:
        """Writes rows under headings; `empty` goes to standard error when there are none. Nothing with `--json`."""
        if self.as_json:
            return
        cells = [[printable(str(cell)).replace("\n", " ") for cell in row] for row in rows]
        if not cells:
            self.note(empty)
            return
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        # Do not truncate rows in a pipe or file, so that tools such as grep and cut see all of them.
        width = None if self._out.isatty() else 10_000
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in cells:
            table.add_row(*(Text(cell, _STATUS_STYLES.get(cell, "")) for cell in row))
        Console(file=self._out, width=width, soft_wrap=width is not None).print(table)

    def fields(self, pairs: Iterable[tuple[str, object]]) -> None:
        """Writes `name: value` lines; empty values are left out. Nothing with `--json`."""
        for name, value in pairs:
            if value not in {"", None}:
                self.line(f"{name}: {value}")


def printable(text: str) -> str:
    """Returns the text without control characters other than new lines and tabs."""
    return _CONTROL.sub("", text)
