"""Merges the logs of the processes of `echomind up` in the order of their timestamps."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_TIME = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?( UTC)?")
_GRPC_TIME = re.compile(r"[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6}) ")
"""At the beginning of a line of the gRPC library, which names no year."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_LEFT_OUT = frozenset({"timestamp", "level", "event", "service", "logger", "exception"})


@dataclass(frozen=True)
class LogLine:
    """A line of a log.

    Attributes:
        part: The process that wrote it, as `agent-1`.
        time: Timestamp of the line; a line without one has that of the previous line, or at the start that of the next.
        level: The log level in lower case; empty if there is none.
        text: Its text.
    """

    part: str
    time: datetime
    level: str
    text: str


class LogFile:
    """One process's log, which is read as it grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0
        self._time = _EARLIEST
        self._rest = ""

    def read(self) -> Iterator[LogLine]:
        """Yields the lines written since the last call."""
        try:
            with self._path.open(errors="replace") as file:
                if self._path.stat().st_size < self._position:  # the log was rotated
                    self._position = 0
                file.seek(self._position)
                written = self._rest + file.read()
                self._position = file.tell()
        except FileNotFoundError:
            return
        *lines, self._rest = written.split("\n")
        if self._time == _EARLIEST:  # lines before the first timestamp get that timestamp
            self._time = next(filter(None, map(_time, lines)), _EARLIEST)
        for line in lines:
            if line:
                yield self._parse(line)

    def _parse(self, line: str) -> LogLine:
        part = self._path.stem
        entry = _entry(line)
        if entry is None:
            self._time = _time(line) or self._time
            return LogLine(part, self._time, _level(line), line)
        self._time = _time(str(entry.get("timestamp", ""))) or self._time
        fields = [f"{name}={value}" for name, value in entry.items() if name not in _LEFT_OUT]
        text = " ".join([str(entry.get("event", "")), *fields])
        if exception := entry.get("exception"):
            text += f"\n{exception}"
        return LogLine(part, self._time, str(entry.get("level", "")), text)


def log_files(folder: Path, parts: Iterable[str] = ()) -> dict[str, LogFile]:
    """Returns the logs by the names of the processes.

    Args:
        folder: The folder of the logs.
        parts: Beginnings of the names of processes, as `agent`; none means all.
    """
    names = tuple(parts)
    paths = sorted(folder.glob("*.log"))
    return {path.stem: LogFile(path) for path in paths if not names or path.stem.startswith(names)}


def _entry(line: str) -> dict[str, Any] | None:
    """Returns a line of a service, which is JSON; None for any other."""
    if not line.startswith("{"):
        return None
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def _time(text: str) -> datetime | None:
    """Returns the first time in a text; services and PostgreSQL write UTC, the other servers local time."""
    if (match := _GRPC_TIME.match(text)) is not None:
        now = datetime.now().astimezone()
        month, day, hour, minute, second, microsecond = map(int, match.groups())
        year = now.year if (month, day) <= (now.month, now.day) else now.year - 1
        return datetime(year, month, day, hour, minute, second, microsecond).astimezone(UTC)
    match = _TIME.search(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    microseconds = int((match[7] or "0").ljust(6, "0"))
    found = datetime(year, month, day, hour, minute, second, microseconds)  # noqa: DTZ001 - the zone comes next
    is_utc = match[8] or "T" in match[0]
    return found.replace(tzinfo=UTC) if is_utc else found.astimezone(UTC)


def _level(line: str) -> str:
    match = re.search(r"\b(ERROR|FATAL|PANIC|WARNING|ERR|WRN|FTL)\b", line)
    if match is None:
        return ""
    return "warning" if match[1] in {"WARNING", "WRN"} else "error"
