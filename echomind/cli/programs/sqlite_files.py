"""SQLite databases of other programs, which anybody may have written: nothing in them is run, nothing is changed."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from echomind.cli.terminal import CommandError

_BEGINNING = b"SQLite format 3\0"


def is_sqlite(path: Path) -> bool:
    """Returns whether a file is a SQLite database."""
    try:
        with path.open("rb") as file:
            return file.read(len(_BEGINNING)) == _BEGINNING
    except OSError:
        return False  # whoever reads it says so


@contextmanager
def read_only(path: Path, kind: str) -> Iterator[sqlite3.Connection]:
    """Opens a database whose text is read as bytes.

    Args:
        path: The file.
        kind: What it should be, for errors.

    Raises:
        CommandError: It is no such file, or it is damaged; the message says what is wrong.
    """
    if not path.is_file():
        raise CommandError(f"{path} does not exist, or is no file.")
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)) as connection:
            # Text that is not UTF-8 would end the whole import.
            connection.text_factory = bytes
            connection.execute("PRAGMA trusted_schema = OFF")
            yield connection
    except sqlite3.Error as error:
        raise CommandError(f"{path.name} cannot be read as {kind}: {error}.") from error


def table_of(connection: sqlite3.Connection, name: str) -> str | None:
    """Returns the statement that made a table; None if there is none. A view would run what the file's author wrote."""
    found = connection.execute("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,)).fetchone()
    return None if found is None else text_in(found[0])


def columns_of(connection: sqlite3.Connection, table: str) -> list[str]:
    """Returns the names of a table's columns."""
    return [text_in(name) for (name,) in connection.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))]


def text_in(value: object) -> str:
    """Returns a value of the database as text; what is no UTF-8 is shown as such."""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return "" if value is None else str(value)
