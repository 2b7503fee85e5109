"""Files with a row for each answer, as Onyx and AnythingLLM export them: the conversations in them.

Onyx writes CSV, AnythingLLM CSV, JSON, or JSON lines with the messages of a workspace. Rows of one conversation become
one JSON object of the form that `ImportChatSession` takes from programs without a tree of messages. The web UI reads
them in the same way (`web/src/features/imports`): the tests of both read `tests/fixtures/exports`.
"""

import csv
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, Final, TextIO

from echomind.cli.programs.exports import objects_in
from echomind.cli.terminal import CommandError

_ONYX: Final = frozenset({"chat_session_id", "user_message", "ai_response"})
_ANYTHING: Final = frozenset({"prompt", "response"})
_FORMULA: Final = re.compile(r"'(?=[=+\-@\t\r])")
"""Onyx writes an apostrophe before a cell that a spreadsheet would calculate."""
_CELL: Final = 32 << 20
_ONYX_RATINGS: Final = {"like": True, "dislike": False}
_ANYTHING_RATINGS: Final = {"GOOD": True, "BAD": False}
_UNRATED: Final = ("", "--")
_NOBODY: Final = ("", "unknown user")
"""What AnythingLLM writes for the person of an installation without accounts."""

Json = dict[str, Any]
Row = Mapping[str, Any]


def table_conversations(path: Path) -> Iterator[str] | None:
    """Returns the conversations of a file as JSON; None if it is none of these programs' files.

    Rows wait in a temporary database for those of the same conversation: only one conversation is held in memory.

    Raises:
        CommandError: While they are read: the file is cut off, or not UTF-8; the message says what is wrong.
    """
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".jsonl") and not _is_list_of_rows(path):
        return None
    return _conversations(path, suffix)


def _conversations(path: Path, suffix: str) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            if suffix == ".csv":
                csv.field_size_limit(_CELL)
                yield from _of_rows(csv.DictReader(text), path.name)
            elif suffix == ".jsonl":
                yield from map(json.dumps, _of_lines(text, path.name))
            else:
                yield from _of_rows(map(json.loads, objects_in(text, path.name)), path.name)
    except UnicodeDecodeError as error:
        raise CommandError(f"{path.name} is not UTF-8 text.") from error
    except csv.Error as error:
        raise CommandError(f"{path.name} is no valid CSV: {error}.") from error


def _is_list_of_rows(path: Path) -> bool:
    """Returns whether a JSON file has rows; what else one may be is read elsewhere."""
    try:
        with path.open("rb") as file:
            beginning = file.read(4096).decode("utf-8-sig", errors="replace")
    except OSError:
        return False  # whoever reads it says so
    return re.match(r'\s*\[\s*\{[^{}\[\]]*?"prompt"\s*:', beginning) is not None


def _of_rows(rows: Iterable[Any], name: str) -> Iterator[str]:
    from echomind_lib.text import storable

    listed = (row for row in rows if isinstance(row, dict))
    first = next(listed, {})
    if first.keys() >= _ONYX:
        found = _onyx(_grouped(chain([first], listed), "chat_session_id"))
    elif first.keys() >= _ANYTHING:
        found = _anythingllm(_grouped(chain([first], listed), "workspace", "username"))
    else:
        raise CommandError(
            f"{name} has rows of no known program: Onyx has chat_session_id, user_message and ai_response; AnythingLLM"
            " has prompt and response."
        )
    return (storable(json.dumps(each, ensure_ascii=False)) for each in found)


def _grouped(rows: Iterable[Json], *columns: str) -> Iterator[list[Json]]:
    """Yields the rows with the same values in some columns together, in the order of their first rows."""
    with closing(sqlite3.connect("")) as kept:  # a file that the system removes
        kept.execute("CREATE TABLE kept (number INTEGER PRIMARY KEY, name TEXT NOT NULL, row TEXT NOT NULL)")
        kept.executemany(
            "INSERT INTO kept (name, row) VALUES (?, ?)",
            ((json.dumps([_cell(row, column) for column in columns]), json.dumps(row)) for row in rows),
        )
        kept.execute("CREATE INDEX kept_name ON kept (name, number)")
        for (name,) in kept.execute("SELECT name FROM kept GROUP BY name ORDER BY min(number)"):
            found = kept.execute("SELECT row FROM kept WHERE name = ? ORDER BY number", (name,))
            yield [json.loads(row) for (row,) in found]


def _onyx(groups: Iterable[list[Json]]) -> Iterator[Json]:
    for pairs in groups:
        name = _cell(pairs[0], "chat_session_id")
        pairs.sort(key=lambda row: int(number) if (number := _cell(row, "message_pair_num")).isdecimal() else 0)
        messages: list[Json] = []
        for row in pairs:
            documents = _cell(row, "retrieved_documents")
            answer = _cell(row, "ai_response")
            # As text, because the documents are not here.
            answer += f"\n\n{documents}" if documents else ""
            _add_pair(messages, _cell(row, "user_message"), answer, _cell(row, "time_created"))
            kind, text = _cell(row, "feedback_type").strip().lower(), _cell(row, "feedback_text")
            if kind or text:
                _rate(messages, _ONYX_RATINGS.get(kind), text, _cell(row, "user_email"))
        further = {column: value for column in ("user_email", "flow_type") if (value := _cell(pairs[0], column))}
        yield _conversation("onyx", name, messages, model=_cell(pairs[0], "persona_name"), metadata=further)


def _anythingllm(groups: Iterable[list[Json]]) -> Iterator[Json]:
    for pairs in groups:
        workspace, person = _cell(pairs[0], "workspace"), _cell(pairs[0], "username")
        messages: list[Json] = []
        for row in pairs:
            count = _attachments(row.get("attachments"))
            _add_pair(messages, _cell(row, "prompt"), _cell(row, "response"), row.get("sent_at"), count)
            rating = _cell(row, "rating").strip().upper()
            if rating not in _UNRATED:
                _rate(messages, _ANYTHING_RATINGS.get(rating), "", "" if person in _NOBODY else person)
        # A later export has the rows of an earlier one, and more: its id comes from what both have.
        name = f"{workspace}:{person}:{_cell(pairs[0], 'id')}"
        further = {column: value for column, value in (("workspace", workspace), ("username", person)) if value}
        yield _conversation("anythingllm", name, messages, title=workspace, metadata=further)


def _of_lines(text: TextIO, name: str) -> Iterator[Json]:
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise CommandError(f"{name}, line {number}, is not valid JSON, or it is cut off.") from error
        if isinstance(value, dict) and "conversationId" in value:
            yield value  # of LibreChat, as its database has it
            continue
        given = value.get("messages") if isinstance(value, dict) else None
        if not isinstance(given, list):
            raise CommandError(f"{name}, line {number}, has no list `messages`.")
        messages: list[Json] = []
        omitted = 0
        for message in given:
            if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
                omitted += 1
                continue
            parent = messages[-1]["id"] if messages else ""
            role, content = message["role"], message.get("content")
            messages.append({"id": str(len(messages)), "parent_id": parent, "role": role, "content": content})
        if messages and omitted:
            messages[0]["omitted"] = omitted
        yield _conversation("anythingllm", "", messages)


def _add_pair(messages: list[Json], question: str, answer: str, time: object, omitted: int = 0) -> None:
    for role, content in (("user", question), ("assistant", answer)):
        parent = messages[-1]["id"] if messages else ""
        given = {"id": str(len(messages)), "parent_id": parent, "role": role, "content": content or "…"}
        messages.append(given | {"created_at": time, "omitted": omitted if role == "user" else 0})


def _rate(messages: list[Json], is_positive: bool | None, text: str, by: str) -> None:
    """Adds the rating of the last answer."""
    messages[-1]["rating"] = {"is_positive": is_positive, "text": text, "by": by}


def _attachments(value: object) -> int:
    """Returns the number of attachments: a list, which CSV has as JSON."""
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return 1
    return len(value) if isinstance(value, list) else 0


def _conversation(
    source: str,
    name: str,
    messages: list[Json],
    *,
    title: str = "",
    model: str = "",
    metadata: Mapping[str, str] | None = None,
) -> Json:
    given = {"source": source, "id": name, "title": title, "model": model, "messages": messages}
    return given | ({"metadata": metadata} if metadata else {})


def _cell(row: Row, name: str) -> str:
    """Returns a value as text; empty for one that is neither text, a number nor a truth value."""
    value = row.get(name)
    if isinstance(value, str):
        return value[1:] if _FORMULA.match(value) else value
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else ""
