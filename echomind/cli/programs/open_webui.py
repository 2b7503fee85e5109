"""Open WebUI's database (`webui.db`): the conversations of all of its people, with their e-mail addresses."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from echomind.cli.programs.sqlite_files import columns_of, is_sqlite, read_only, table_of, text_in
from echomind.cli.terminal import CommandError

_CHAT, _USER = "chat", "user"
_NEEDED: Final = frozenset({"id", "user_id", "chat"})
_FURTHER: Final = ("title", "created_at", "archived", "pinned")
_FLAGS: Final = ("archived", "pinned")


def database_conversations(path: Path) -> Iterator[str] | None:
    """Returns the conversations of a database as JSON, in the form of Open WebUI's exports with the owner's `email`.

    None if the file is no SQLite database. Only one conversation is held in memory.

    Raises:
        CommandError: While they are read: it is another program's, or damaged; the message says what is wrong.
    """
    return _conversations(path) if is_sqlite(path) else None


def _conversations(path: Path) -> Iterator[str]:
    from echomind_lib.text import storable

    with read_only(path, "Open WebUI's database") as connection:
        connection.execute("PRAGMA query_only = ON")
        columns = _columns(connection, _CHAT)
        if not columns >= _NEEDED:
            raise CommandError(
                f"{path.name} is not Open WebUI's database: it has no table chat with the columns id, user_id and chat."
                " For a database of traces, use `echomind import traces`."
            )
        people = _columns(connection, _USER)
        email = "(SELECT email FROM user WHERE user.id = chat.user_id)" if people >= {"id", "email"} else "NULL"
        names = ("id", "user_id", "chat", *(name for name in _FURTHER if name in columns))
        for address, *values in connection.execute(f"SELECT {email}, {', '.join(names)} FROM chat"):  # noqa: S608 - constants
            row = dict(zip(names, values, strict=True))
            # JSON may name half a surrogate pair, which no request can have.
            yield storable(json.dumps(_conversation(row, address), ensure_ascii=False))


def _conversation(row: dict[str, Any], address: object) -> dict[str, Any]:
    found: dict[str, Any] = {name: text_in(row[name]) for name in ("id", "user_id", "title") if name in row}
    found |= {name: bool(row[name]) for name in _FLAGS if name in row}
    created = row.get("created_at")
    found["created_at"] = created if isinstance(created, int) else text_in(created)
    try:
        found["chat"] = json.loads(text_in(row["chat"]), parse_constant=str)
    except (ValueError, RecursionError):
        found["chat"] = None  # which the server refuses, so that the report has it
    return found | ({"email": text_in(address)} if address else {})


def _columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Returns the names of a table's columns; none if it is no ordinary table, which would run its module."""
    made_by = table_of(connection, table) or ""
    return frozenset(columns_of(connection, table)) if made_by.upper().startswith("CREATE TABLE") else frozenset()
