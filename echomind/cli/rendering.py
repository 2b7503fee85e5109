"""Formats values: as tables for people, as JSON for programs."""

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from echomind_lib.contract import ProtoModel

# The first match counts: user agents also contain the names of browsers and systems that they are compatible with.
_BROWSERS = (
    ("Edg|EdgA|EdgiOS|Edge", "Edge"),
    ("OPR", "Opera"),
    ("Firefox|FxiOS", "Firefox"),
    ("Chrome|CriOS", "Chrome"),
    ("Version", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X|Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux|X11", "Linux"),
)


class Updated(Protocol):
    """A noun of the contract that says who changed it last."""

    last_update: datetime | None
    updated_by_name: str


def plain(message: "ProtoModel") -> dict[str, Any]:
    """Returns the message in the API's JSON, but with each id as a string.

    The API writes 64-bit ids as strings and 32-bit ids as numbers; programs that read `--json` need not distinguish
    them.
    """
    values: dict[str, Any] = message.model_dump(mode="json", exclude_none=True)
    _write_ids(message, values)
    return values


def _write_ids(message: Any, values: dict[str, Any]) -> None:
    """Converts the IDs in a dumped message to strings; embedded JSON such as tool parameters stays as it is."""
    for name, field in type(message).model_fields.items():
        written, value = field.alias or name, getattr(message, name)
        found = values.get(written)
        if found is None:
            continue
        if name == "id" or name.endswith("_id"):
            values[written] = str(found)
        elif name.endswith("_ids"):
            values[written] = list(map(str, found))
        elif hasattr(type(value), "model_fields"):
            _write_ids(value, found)
        elif isinstance(value, list) and value and hasattr(type(value[0]), "model_fields"):
            for part, part_values in zip(value, found, strict=True):
                _write_ids(part, part_values)


def moment(value: datetime | None) -> str:
    """Returns date and time in the person's time zone, to the minute; empty when there is none."""
    return f"{value.astimezone():%Y-%m-%d %H:%M}" if value else ""


def last_change(noun: Updated) -> str:
    """Returns when something was changed last and by whom; empty when it was never changed."""
    return " by ".join(filter(None, [moment(noun.last_update), noun.updated_by_name]))


def size(count: int) -> str:
    """Returns a number of bytes for people: `512 B`, `1.5 kB`, `20 MB`."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Returns a number with its noun: `1 member`, `3 members`, `2 memories` with `plural`."""
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def seconds(milliseconds: int) -> str:
    """Returns a duration for people: `850 ms`, `2.3 s`."""
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def one_line(text: str, characters: int) -> str:
    """Returns the text's beginning, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1] + "…"


def describe_browser(user_agent: str) -> str:
    """Returns a browser as people call it, of its `User-Agent`: `Firefox 140 on Windows`."""
    matches = ((name, re.search(rf"(?:{mark})/(\d+)", user_agent)) for mark, name in _BROWSERS)
    browser = next((f"{name} {match[1]}" for name, match in matches if match), "Unknown browser")
    system = next((name for mark, name in _SYSTEMS if re.search(mark, user_agent)), "")
    return f"{browser} on {system}" if system else browser
