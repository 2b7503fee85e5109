"""How values look: for people in tables, for programs as JSON."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from echomind_lib.contract import ProtoModel


def plain(message: "ProtoModel") -> dict[str, Any]:
    """Returns the message as the API sends it."""
    return message.model_dump(mode="json", exclude_none=True)


def moment(value: datetime | None) -> str:
    """Returns date and time in the person's time zone, to the minute; empty when there is none."""
    return f"{value.astimezone():%Y-%m-%d %H:%M}" if value else ""


def size(count: int) -> str:
    """Returns a number of bytes for people: `512 B`, `1.5 kB`, `20 MB`."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"


def seconds(milliseconds: int) -> str:
    """Returns a duration for people: `850 ms`, `2.3 s`."""
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def one_line(text: str, characters: int) -> str:
    """Returns the text's beginning, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1] + "…"
