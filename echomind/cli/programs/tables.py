"""Files with a row for each answer, as Onyx and AnythingLLM export them: the conversations in them.

Onyx writes CSV, AnythingLLM CSV, JSON, or JSON lines with the messages of a workspace. Rows of one conversation become
one JSON object of the form that `ImportChatSession` takes from programs without a tree of messages.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

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

    Raises:
        CommandError: It is one, but cut off or not UTF-8; the message says what is wrong.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            if path.suffix.lower() == ".csv":
                csv.field_size_limit(_CELL)
                return _of_rows(csv.DictReader(text), path.name)
            if path.suffix.lower() == ".jsonl":
                return iter([json.dumps(each) for each in _of_lines(text, path.name)])
            return _of_json(text, path.name)
    except UnicodeDecodeError as error:
        raise CommandError(f"{path.name} is not UTF-8 text.") from error
    except csv.Error as error:
        raise CommandError(f"{path.name} is no valid CSV: {error}.") from error


def _of_json(text: TextIO, name: str) -> Iterator[str] | None:
    """Reads a list of rows; what else a JSON file may be is read piece by piece elsewhere."""
    beginning = text.read(4096)
    first = re.match(r'\s*\[\s*\{[^{}\[\]]*?"prompt"\s*:', beginning)
    if first is None:
        return None
    try:
        rows = json.loads(beginning + text.read())
    except ValueError as error:
        raise CommandError(f"{name} is not valid JSON, or it is cut off.") from error
    return _of_rows(rows, name)


def _of_rows(rows: Iterable[Any], name: str) -> Iterator[str]:
    from echomind_lib.text import storable

    listed = [row for row in rows if isinstance(row, dict)]
    columns = set(listed[0]) if listed else set()
    if columns >= _ONYX:
        found = _onyx(listed)
    elif columns >= _ANYTHING:
        found = _anythingllm(listed)
    else:
        raise CommandError(
            f"{name} has rows of no known program: Onyx has chat_session_id, user_message and ai_response; AnythingLLM"
            " has prompt and response."
        )
    return iter([storable(json.dumps(each, ensure_ascii=False)) for each in found])


def _onyx(rows: list[Json]) -> Iterator[Json]:
    groups: dict[str, list[Json]] = {}
    for row in rows:
        groups.setdefault(_cell(row, "chat_session_id"), []).append(row)
    for name, pairs in groups.items():
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


def _anythingllm(rows: list[Json]) -> Iterator[Json]:
    groups: dict[tuple[str, str], list[Json]] = {}
    for row in rows:
        groups.setdefault((_cell(row, "workspace"), _cell(row, "username")), []).append(row)
    for (workspace, person), pairs in groups.items():
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
    value = row.get(name)
    return "" if value is None else _FORMULA.sub("", str(value), count=1) if _is_guarded(value) else str(value)


def _is_guarded(value: object) -> bool:
    return isinstance(value, str) and _FORMULA.match(value) is not None
