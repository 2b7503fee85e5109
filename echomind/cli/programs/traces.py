"""SQLite databases of agent traces: sessions, their traces (a question with its answer) and the traces' steps.

Two forms are read. In the newer one, `sessions` and `traces` have rows of their own, and `agent_steps` names both. In
the older one there is only `agent_steps`, whose `trace_id` is that of the session. Anybody may have written such a
file: any column may be missing, hold bytes that are no text, or name a row that does not exist. Nothing of that is an
error, and no row is left out: what belongs to no session becomes a session of its own.
"""

import json
import re
import sqlite3
from array import array
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from itertools import accumulate
from math import inf
from pathlib import Path
from typing import Any, Final, TypeAlias

from echomind.cli.programs.sqlite_files import columns_of, read_only, table_of, text_in
from echomind.cli.terminal import CommandError

_NO_TEXT: Final = "…"
_QUESTIONS: Final = ("user_message", "input_text", "message", "query", "question", "input", "text")
_ANSWERS: Final = ("assistant_response", "response", "answer", "output_text", "message", "output", "content", "text")
_NUMBER: Final = re.compile(r"\d{9,16}(\.\d+)?")
_BRACKETS: Final = re.compile(r"[][{}]")
_MILLISECONDS: Final = 1e11
"""Greater numbers are times in milliseconds."""
_SESSION, _TRACE, _STEPS = "sessions", "traces", "agent_steps"
_WITHOUT_ID: Final = "without-id"
_ROW_NUMBERS: Final = ("rowid", "_rowid_", "oid")
"""SQLite's names of a row's number; a column of the file may have one of them."""
_LEVELS: Final = 100
"""Maximum depth of a JSON value that is read as such."""

Json = dict[str, Any]
_TraceRows: TypeAlias = "tuple[int | None, array[int]]"


class TraceFile:
    """A database of traces.

    Attributes:
        rows: Number of rows that were read so far, of all three tables.
    """

    def __init__(self, path: Path) -> None:
        """Initializes it with a file that `sessions` opens."""
        self._path = path
        self.rows = 0
        self._columns: dict[str, frozenset[str]] = {}
        self._number: dict[str, str] = {}

    def sessions(self) -> Iterator[str]:
        """Yields each session as JSON, in the form that `ImportChatSession` takes.

        One session is held in memory, and the ids of all rows.

        Raises:
            CommandError: The file is no such database, or it is damaged; the message says what is wrong.
        """
        from echomind_lib.text import storable

        with read_only(self._path, "a database of traces") as connection:
            self._read_columns(connection)
            connection.execute("PRAGMA query_only = ON")
            for name, traces in self._trace_rows(connection).items():
                # JSON may name half a surrogate pair, which no request can have.
                yield storable(json.dumps(self._session(connection, name, traces), ensure_ascii=False))

    def _read_columns(self, connection: sqlite3.Connection) -> None:
        for table in (_SESSION, _TRACE, _STEPS):
            made_by = table_of(connection, table)
            if made_by is None:
                continue
            # As SQLite itself writes the statement. A virtual table would run its module on what the file holds.
            if not made_by.upper().startswith("CREATE TABLE "):
                raise CommandError(
                    f"The table {table} of {self._path.name} is a virtual table, which is not read: copy its rows to an"
                    " ordinary table of this name."
                )
            names = columns_of(connection, table)
            self._columns[table] = frozenset(names)
            self._number[table] = self._row_number(connection, table, {name.lower() for name in names})
        if not {_TRACE, _STEPS} & self._columns.keys():
            raise CommandError(f"{self._path.name} has neither a table traces nor a table agent_steps.")

    def _row_number(self, connection: sqlite3.Connection, table: str, names: Collection[str]) -> str:
        """Returns the name of a table's row numbers; one without them is copied to a temporary one of its name."""
        number = next((name for name in _ROW_NUMBERS if name not in names), None)
        if number is None:
            raise CommandError(
                f"The table {table} of {self._path.name} has columns rowid, _rowid_ and oid, so that its rows have no"
                " numbers: rename one of them."
            )
        try:
            connection.execute(f"SELECT {number} FROM {table} LIMIT 0")  # noqa: S608 - constants
        except sqlite3.OperationalError:  # WITHOUT ROWID
            connection.execute(f"CREATE TEMP TABLE {table} AS SELECT * FROM main.{table}")  # noqa: S608 - a constant
        return number

    def _trace_rows(self, connection: sqlite3.Connection) -> dict[str, dict[str, _TraceRows]]:
        """Returns, for each session and each of its traces, the trace's row and the rows of its steps."""
        by_session: dict[str, dict[str, _TraceRows]] = {}
        session_of: dict[str, str] = {}
        for _, name in self._select(connection, _SESSION, "id"):
            by_session.setdefault(text_in(name) or _WITHOUT_ID, {})
        for rowid, name, session in self._select(connection, _TRACE, "id", "session_id"):
            trace = text_in(name) or f"row-{rowid}"
            traces = by_session.setdefault(text_in(session) or trace, {})
            if trace in traces:  # the same id again
                trace = f"{trace}#{rowid}"
            session_of.setdefault(trace, text_in(session) or trace)
            traces[trace] = rowid, array("q")
        for rowid, name, session in self._select(connection, _STEPS, "trace_id", "session_id"):
            trace = text_in(name) or _WITHOUT_ID
            owner = text_in(session) or session_of.get(trace) or trace
            by_session.setdefault(owner, {}).setdefault(trace, (None, array("q")))[1].append(rowid)
        return by_session

    def _select(self, connection: sqlite3.Connection, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Yields the number of each row of a table with the values of some columns."""
        known = self._columns.get(table)
        if known is None:
            return
        number = self._number[table]
        chosen = ", ".join(name if name in known else "NULL" for name in columns)
        yield from connection.execute(f"SELECT {number}, {chosen} FROM {table} ORDER BY {number}")  # noqa: S608 - constants

    def _row(self, connection: sqlite3.Connection, table: str, rowid: int) -> Json:
        query = f"SELECT * FROM {table} WHERE {self._number[table]} = ?"  # noqa: S608 - constants
        cursor = connection.execute(query, (rowid,))
        names = [text_in(column[0]) for column in cursor.description]
        found = cursor.fetchone()
        if found is None:
            raise sqlite3.DatabaseError(f"row {rowid} of {table} is damaged")
        self.rows += 1
        return dict(zip(names, map(_value, found), strict=True))

    def _session(self, connection: sqlite3.Connection, name: str, traces: dict[str, _TraceRows]) -> Json:
        session = self._session_row(connection, name)
        turns: list[Json] = []
        for trace, (rowid, steps) in traces.items():
            row = {} if rowid is None else self._row(connection, _TRACE, rowid)
            given = [self._row(connection, _STEPS, each) for each in steps]
            turns += [_turn(trace, row, given)] if row else [_turn(trace, {}, each) for each in _in_turns(given)]
        turns.sort(key=lambda turn: _seconds(turn["created_at"]))
        messages: list[Json] = []
        for number, turn in enumerate(turns):
            question, answer = f"{number}q", f"{number}a"
            above = messages[-1]["id"] if messages else ""
            messages += [
                {"id": question, "parent_id": above, "role": "user", "content": turn.pop("question") or _NO_TEXT}
                | {"created_at": turn["created_at"], "trace": turn},
                {"id": answer, "parent_id": question, "role": "assistant", "content": turn.pop("answer") or _NO_TEXT}
                | {"created_at": turn["completed_at"] or turn["created_at"]},
            ]
        return {
            "source": "traces",
            "id": name,
            "title": "",
            "created_at": _time(session.get("created_at")),
            "model": next((step["model"] for turn in turns for step in turn["steps"] if step["model"]), ""),
            "metadata": session,
            "messages": messages,
        }

    def _session_row(self, connection: sqlite3.Connection, name: str) -> Json:
        if "id" not in self._columns.get(_SESSION, ()):
            return {}
        found = connection.execute(
            f"SELECT {self._number[_SESSION]} FROM sessions"  # noqa: S608 - a constant
            " WHERE CAST(id AS BLOB) = CAST(? AS BLOB) LIMIT 1",
            (name,),
        ).fetchone()
        return self._row(connection, _SESSION, found[0]) if found else {}


def _in_turns(steps: list[Json]) -> Iterator[list[Json]]:
    """Yields the steps of each turn: a planner begins another one when other steps have come since the last planner."""
    turn: list[Json] = []
    for step in steps:
        has_others = any(not _is_planner(each) for each in turn)
        if turn and has_others and _is_planner(step):
            yield turn
            turn = []
        turn.append(step)
    if turn:
        yield turn


def _is_planner(step: Json) -> bool:
    return str(step.get("step_type")).startswith("planner")


def _turn(trace: str, row: Json, steps: list[Json]) -> Json:
    # Steps may have the same number, and rows any order.
    steps = sorted(steps, key=lambda step: number if isinstance(number := step.get("step_number"), int) else 0)
    times = [_time(step.get("timestamp")) or _time(step.get("created_at")) for step in steps]
    questions = [_said(step.get("input_data"), _QUESTIONS) for step in steps]
    answers = [_said(step.get("output_data"), _ANSWERS) or _string(step.get("llm_output")) for step in steps]
    failures = [_string(step.get("error")) for step in steps]
    status = _string(row.get("status")) or ("failed" if steps and failures[-1] else "completed")
    return {
        "id": trace,
        "question": _string(row.get("user_message")) or next(filter(None, questions), ""),
        "answer": _string(row.get("assistant_response")) or next(filter(None, reversed(answers)), ""),
        "status": status,
        "created_at": _time(row.get("created_at")) or next(filter(None, times), None),
        "completed_at": _time(row.get("completed_at")) or next(filter(None, reversed(times)), None),
        "error": next(filter(None, reversed(failures)), ""),
        "metadata": row,
        "steps": [
            {
                "type": _string(step.get("step_type")),
                "prompt": _string(step.get("rendered_prompt")) or _shown(step.get("llm_input"))
                or _shown(step.get("input_data")),
                "output": _string(step.get("llm_output")) or _shown(step.get("output_data")),
                "model": _string(step.get("llm_model")),
                "error": failure,
                "created_at": time,
                "row": step,
            }
            for step, time, failure in zip(steps, times, failures, strict=True)
        ],
    }  # fmt: skip


def _said(value: object, names: tuple[str, ...]) -> str:
    """Returns what a person or an agent has said, of a column with JSON of any shape, or a plain text."""
    if isinstance(value, dict):
        return next((text for name in names if isinstance(text := value.get(name), str) and text.strip()), "")
    return value if isinstance(value, str) else ""


def _shown(value: object) -> str:
    if value in ({}, None):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _string(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(value: object) -> Any:
    """Returns a value of the database as JSON has it: objects and lists that were stored as text, else the text."""
    if not isinstance(value, bytes):
        return value if value is None or isinstance(value, int | str) else str(value)
    text = text_in(value)
    if text[:1] in ("{", "[") and not _is_deep(text):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _is_deep(text: str) -> bool:
    """Returns whether a JSON text may be too deep to be read, and written within others; brackets of strings count."""
    if text.count("[") + text.count("{") <= _LEVELS:
        return False
    depths = accumulate(1 if bracket in "[{" else -1 for bracket in _BRACKETS.findall(text))
    return max(depths) > _LEVELS


def _seconds(time: str | float | None) -> float:
    """Returns a time as seconds since 1970; of one that is none, those after all others."""
    try:
        if isinstance(time, str):
            found = datetime.fromisoformat(time)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        return inf if time is None else time / 1000 if time > _MILLISECONDS else time
    except (ValueError, OverflowError):
        return inf


def _time(value: object) -> str | float | None:
    """Returns a time as the server reads it: ISO 8601, or seconds or milliseconds since 1970; None if there is none."""
    text = _string(value).strip()
    return float(text) if _NUMBER.fullmatch(text) else text or None
