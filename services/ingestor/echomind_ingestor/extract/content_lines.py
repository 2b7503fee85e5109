"""Calendars and contacts (RFC 5545, RFC 6350) as rows, such as `Summary: Review; Start: 2026-03-12 14:00`."""

import quopri
import re
from collections.abc import Iterator

from echomind_ingestor.extract.decode import encoding_of

_FOLD = re.compile(r"\n[ \t]")
_LINE = re.compile(r'(?:[\w-]+\.)?(?P<name>[\w-]+)(?P<parameters>(?:;[^:;"\n]*(?:"[^"\n]*"[^:;"\n]*)*)*):(?P<value>.*)')
_CHARSET = re.compile(r"CHARSET=\"?([\w-]+)", re.IGNORECASE)
_SPOKEN = re.compile(r"CN=(?:\"([^\"]*)\"|([^;:]*))", re.IGNORECASE)
_TIME = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(\d\d)(Z?))?")
_SCHEME = re.compile(r"^(?:mailto|tel):", re.IGNORECASE)
_NAMES = {
    "SUMMARY": "Summary", "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "LOCATION": "Location",
    "ORGANIZER": "Organizer", "ATTENDEE": "Attendees", "RRULE": "Repeats", "STATUS": "Status",
    "CATEGORIES": "Categories", "DESCRIPTION": "Description", "COMMENT": "Comment", "URL": "URL", "FN": "Name",
    "ORG": "Organization", "TITLE": "Title", "ROLE": "Role", "TEL": "Phone", "EMAIL": "E-mail", "ADR": "Address",
    "BDAY": "Birthday", "NICKNAME": "Nickname", "NOTE": "Note",
}  # fmt: skip
"""Properties that people read, by the name of their column, in the order of the columns."""
_TIMES = frozenset({"DTSTART", "DTEND", "DUE", "BDAY"})
_ENTRIES = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VCARD"})


def entries_text(text: str) -> str:
    """Returns a calendar or contacts as text, one entry per line; empty if it has none.

    Args:
        text: The file, with line feeds.
    """
    return "\n".join(filter(None, map(_row, _entries(text))))


def _entries(text: str) -> Iterator[dict[str, list[str]]]:
    """Yields the properties of each entry; what is nested in it, such as an alarm, is left out."""
    entry: dict[str, list[str]] | None = None
    nested = 0
    for line in _unfolded(text):
        if (match := _LINE.fullmatch(line)) is None:
            continue
        name, value = match["name"].upper(), match["value"]
        if name == "BEGIN":
            if entry is not None:
                nested += 1
            elif value.strip().upper() in _ENTRIES:
                entry = {}
        elif name == "END" and entry is not None:
            if nested:
                nested -= 1
            else:
                yield entry
                entry = None
        elif (
            entry is not None and not nested and name in _NAMES and (shown := _shown(name, match["parameters"], value))
        ):
            entry.setdefault(name, []).append(shown)


def _unfolded(text: str) -> Iterator[str]:
    """Yields whole lines: long ones are folded, in quoted-printable by a sign of equality at their ends."""
    whole = ""
    for line in _FOLD.sub("", text).split("\n"):
        whole += line
        if whole.endswith("=") and "QUOTED-PRINTABLE" in whole.partition(":")[0].upper():
            whole = whole[:-1]
        else:
            yield whole
            whole = ""


def _shown(name: str, parameters: str, value: str) -> str:
    if "QUOTED-PRINTABLE" in parameters.upper():
        charset = _CHARSET.search(parameters)
        value = quopri.decodestring(value.encode()).decode(
            encoding_of(charset[1] if charset else "") or "utf-8", "replace"
        )
    if name in _TIMES and (time := _TIME.fullmatch(value.strip())):
        year, month, day, hour, minute, _, is_utc = time.groups()
        return f"{year}-{month}-{day}" + (f" {hour}:{minute}" if hour else "") + (" UTC" if is_utc else "")
    if name in {"ORGANIZER", "ATTENDEE"} and (spoken := _SPOKEN.search(parameters)):
        address = _SCHEME.sub("", value)
        return f"{spoken[1] or spoken[2]} ({address})"
    if name in {"ORG", "ADR"}:
        return ", ".join(filter(None, map(_unescaped, re.split(r"(?<!\\);", value))))
    return _unescaped(_SCHEME.sub("", value))


def _unescaped(value: str) -> str:
    return " ".join(re.sub(r"\\([nN,;:\\])", lambda found: " " if found[1] in "nN" else found[1], value).split())


def _row(entry: dict[str, list[str]]) -> str:
    return "; ".join(f"{_NAMES[name]}: {', '.join(entry[name])}" for name in _NAMES if name in entry)
