"""Whose the conversations of another program's installation are, by the e-mail addresses of its people."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from echomind.cli.terminal import CommandError

_IDS: Final = ("id", "user_id", "user", "username")
"""Columns by which a file of people may name them, as the conversations do."""
_EMAIL: Final = "email"


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of a conversation."""

    name: str
    """What the other program calls them; empty if the conversation names nobody."""
    email: str
    """Their address; empty if it is not known."""


class Owners:
    """The people of another program."""

    def __init__(self, path: Path | None = None) -> None:
        """Reads who has which address.

        Args:
            path: A CSV file with the columns `email` and `id` or `username`; None if the conversations have addresses.

        Raises:
            CommandError: It is no such file; the message says what is wrong.
        """
        self._emails: dict[str, str] = {}
        if path is None:
            return
        try:
            with path.open(encoding="utf-8-sig", newline="") as text:
                rows = csv.DictReader(text)
                columns = {name.strip().lower(): name for name in rows.fieldnames or ()}
                ids = [columns[name] for name in _IDS if name in columns]
                if _EMAIL not in columns or not ids:
                    raise CommandError(f"{path.name} needs the columns email and id or username in its first line.")
                for row in rows:
                    email = (row[columns[_EMAIL]] or "").strip()
                    self._emails |= {name.casefold(): email for column in ids if (name := (row[column] or "").strip())}
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise CommandError(f"{path} cannot be read: {error}.") from error

    def of(self, content: str) -> Owner:
        """Returns the owner of a conversation, as a file has it."""
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            return Owner("", "")
        given = value.get("metadata")
        metadata: dict[str, Any] = given if isinstance(given, dict) else {}
        stated = (value.get(_EMAIL), metadata.get("user_email"))
        names = (value.get("user_id"), value.get("user"), metadata.get("username"), *stated)
        known = [text for each in names if isinstance(each, str) and (text := each.strip())]
        found = next(filter(None, (self._emails.get(name.casefold(), "") for name in known)), "")
        email = found or next((name for name in reversed(known) if "@" in name), "")
        return Owner(known[0] if known else "", email)
