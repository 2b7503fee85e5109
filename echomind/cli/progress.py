"""A progress bar on standard error, where a person watches it."""

from types import TracebackType
from typing import TYPE_CHECKING, Self

from echomind.cli.terminal import Terminal

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


class Progress:
    """Progress bar with a known number of steps, as a context manager. Shown only at a terminal."""

    def __init__(self, terminal: Terminal, what: str, total: int) -> None:
        self._terminal = terminal
        self._what = what
        self._total = total
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        if self._total and self._terminal.is_interactive:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(file=self._terminal.error_stream), transient=True)
            self._bar.start()
            self._bar.add_task(self._what, total=self._total)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self) -> None:
        """One step more is done."""
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0])
