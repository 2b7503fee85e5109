"""Whose the conversations of another program's installation are, by the e-mail addresses of its people."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from echomind.cli.terminal import CommandError

_IDS: Final = ("id", "user_id", "user")
"""Columns by which a file of people may name them, as the conversations do: by an id that the program has given."""
_USER_NAME: Final = "username"
"""The column of the name that people may have chosen themselves."""
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
        # Apart, as somebody may have chosen another person's id as their name.
        self._by_id: dict[str, str] = {}
        self._by_user_name: dict[str, str] = {}
        if path is None:
            return
        try:
            with path.open(encoding="utf-8-sig", newline="") as text:
                rows = csv.DictReader(text)
                columns = {name.strip().lower(): name for name in rows.fieldnames or ()}
                kinds = {columns[name]: self._by_id for name in _IDS if name in columns}
                if _USER_NAME in columns:
                    kinds[columns[_USER_NAME]] = self._by_user_name
                if _EMAIL not in columns or not kinds:
                    raise CommandError(f"{path.name} needs the columns email and id or username in its first line.")
                for row in rows:
                    email = (row[columns[_EMAIL]] or "").strip()
                    for column, emails in kinds.items():
                        name = (row[column] or "").strip()
                        if name and emails.setdefault(name.casefold(), email).casefold() != email.casefold():
                            raise CommandError(
                                f"{path.name} has {name} for two people: remove the line that is wrong, or the"
                                " conversations of one could go to the other."
                            )
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
        ids = _texts(value.get("user_id"), value.get("user"))
        user_names = _texts(metadata.get("username"))
        stated = _texts(value.get(_EMAIL), metadata.get("user_email"))
        names = [*ids, *user_names]
        mapped = [
            *(self._by_id.get(name.casefold(), "") for name in ids),
            *(self._by_user_name.get(name.casefold(), "") for name in user_names),
        ]
        # A stated address is the program's own word; a name that is an address may be chosen by anybody.
        known = [*filter(_is_email, stated), *filter(None, mapped), *filter(_is_email, names)]
        return Owner(next(iter((*names, *stated)), ""), next(iter(known), ""))


def _texts(*values: object) -> list[str]:
    return [text for each in values if isinstance(each, str) and (text := each.strip())]


def _is_email(text: str) -> bool:
    return "@" in text
