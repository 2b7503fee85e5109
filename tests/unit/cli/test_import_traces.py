"""`echomind import traces`: databases of both forms, and hostile rows in them, of which none is lost."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from echomind.cli.programs.traces import TraceFile
from echomind.cli.terminal import CommandError
from tests.drivers.api_server import ApiServer
from tests.drivers.shell import Shell
from tests.drivers.traced_memory import memory_below

STEPS = """
    CREATE TABLE agent_steps (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, trace_id TEXT, step_number INTEGER,
        step_type TEXT, timestamp TEXT, input_data TEXT DEFAULT '{}', output_data TEXT DEFAULT '{}',
        rendered_prompt TEXT, llm_input TEXT DEFAULT '{}', llm_output TEXT, llm_model TEXT, error TEXT,
        created_at TEXT DEFAULT CURRENT_TIMESTAMP)
"""
NEW = (
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, user_id TEXT, created_at TEXT, updated_at TEXT, metadata TEXT)",
    """CREATE TABLE traces (id TEXT PRIMARY KEY, session_id TEXT, user_message TEXT, assistant_response TEXT,
    created_at TEXT, completed_at TEXT, status TEXT, metadata TEXT)""",
    STEPS,
)


def database(path: Path, schema: tuple[str, ...], *rows: tuple[str, dict[str, Any]]) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in schema:
            connection.execute(statement)
        for table, values in rows:
            marks = ", ".join("?" * len(values))
            connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", list(values.values()))
    return path


def step(number: int, kind: str, **values: Any) -> tuple[str, dict[str, Any]]:
    return "agent_steps", {"step_number": number, "step_type": kind} | values


def read(path: Path) -> dict[str, dict[str, Any]]:
    return {each["id"]: each for each in map(json.loads, TraceFile(path).sessions())}


def texts(session: dict[str, Any]) -> list[str]:
    return [message["content"] for message in session["messages"]]


def test_sessions_traces_and_steps(tmp_path: Path) -> None:
    of = {"session_id": "s1", "trace_id": "t1"}
    path = database(
        tmp_path / "a.db",
        NEW,
        ("sessions", {"id": "s1", "user_id": "ada", "created_at": "2025-10-08T10:00:00", "metadata": '{"team": "HR"}'}),
        ("traces", {"id": "t2", "session_id": "s1", "user_message": "And now?", "created_at": "1759940139958"}),
        ("traces", {"id": "t1", "session_id": "s1", "user_message": "What first?", "assistant_response": "Mail.",
                    "created_at": "2025-10-08 10:00:01", "completed_at": "2025-10-08T10:00:05Z"}),
        step(3, "synthesizer-node", llm_output="Mail.", llm_model="gpt", **of),
        step(1, "planner-node", rendered_prompt="Plan!", input_data='{"input_text": "What first?"}', **of),
        step(2, "action-node", error="Timed out", output_data='{"tool": [1, 2]}', **of),
    )  # fmt: skip
    traces = TraceFile(path)
    (session,) = map(json.loads, traces.sessions())
    assert traces.rows == 6, "each row is read once"
    assert texts(session) == ["What first?", "Mail.", "And now?", "…"]
    assert (session["model"], session["metadata"]["metadata"]) == ("gpt", {"team": "HR"})
    trace = session["messages"][0]["trace"]
    assert [step["type"] for step in trace["steps"]] == ["planner-node", "action-node", "synthesizer-node"]
    assert trace["steps"][0]["prompt"] == "Plan!"
    assert trace["steps"][1]["error"] == "Timed out"
    assert trace["steps"][1]["row"]["output_data"] == {"tool": [1, 2]}
    assert session["messages"][2]["created_at"] == 1759940139958.0


def test_the_older_form_has_turns_that_planners_begin(tmp_path: Path) -> None:
    rows = [
        step(number, kind, trace_id="chat-1", input_data=json.dumps({"input_text": text}), llm_output=f"{text}!")
        for text in ("One", "Two")
        for number, kind in ((1, "planner-node"), (1, "planner-node"), (2, "synthesizer-node"))
    ]
    schema = (STEPS.replace("session_id TEXT, ", ""),)
    session = read(database(tmp_path / "old.db", schema, *rows))["chat-1"]
    assert texts(session) == ["One", "One!", "Two", "Two!"]
    assert [len(message["trace"]["steps"]) for message in session["messages"][::2]] == [3, 3]


def test_hostile_rows_are_read_and_none_is_lost(tmp_path: Path) -> None:
    path = database(
        tmp_path / "hostile.db",
        NEW,
        ("traces", {"id": None, "session_id": None, "user_message": b"\xff\xfe\x00raw", "status": "?"}),
        ("traces", {"id": "t", "session_id": "gone", "user_message": 5, "created_at": "yesterday"}),
        step(1, "", session_id=None, trace_id=None, input_data="{not json", output_data="[" * 20_000),
        step(-1, "x" * 5000, session_id="gone", trace_id="t", input_data='{"message": NaN}'),
        step(1, "'; DROP TABLE traces; --", session_id="other", trace_id="unknown", llm_output=b"\x80"),
    )
    traces = TraceFile(path)
    sessions = {each["id"]: each for each in map(json.loads, traces.sessions())}
    assert traces.rows == 5
    assert set(sessions) == {"row-1", "gone", "without-id", "other"}
    assert sum(len(m["trace"]["steps"]) for each in sessions.values() for m in each["messages"] if "trace" in m) == 3
    assert texts(sessions["gone"])[0] == "5"
    assert texts(sessions["without-id"])[0] == "{not json"


def test_a_view_is_not_executed(tmp_path: Path) -> None:
    path = database(tmp_path / "view.db", ("CREATE VIEW traces AS SELECT randomblob(9) AS id",))
    with pytest.raises(CommandError, match="neither a table traces nor a table agent_steps"):
        read(path)


def test_a_virtual_table_is_not_executed(tmp_path: Path) -> None:
    path = database(tmp_path / "virtual.db", (*NEW[::2], "CREATE VIRTUAL TABLE traces USING fts5(id, user_message)"))
    with pytest.raises(CommandError, match=r"traces of virtual\.db is a virtual table"):
        read(path)


@pytest.mark.parametrize(
    "table",
    [
        "traces (id TEXT PRIMARY KEY, rowid TEXT, session_id TEXT, user_message TEXT)",
        "traces (_rowid_ BLOB, RowID REAL, id TEXT, session_id TEXT, user_message TEXT)",
        "traces (id TEXT PRIMARY KEY, session_id TEXT, user_message TEXT) WITHOUT ROWID",
        "traces (id, rowid TEXT, session_id TEXT, user_message TEXT, PRIMARY KEY (session_id, id)) WITHOUT ROWID",
    ],
)
def test_rows_need_no_number_of_the_usual_name(tmp_path: Path, table: str) -> None:
    name = "rowid" if "rowid TEXT" in table else "id"
    rows = [("traces", {name: "x", "id": f"t{n}", "session_id": "s", "user_message": f"Question {n}"}) for n in (1, 2)]
    steps = [step(1, "planner-node", trace_id=f"t{n}", llm_output=f"Answer {n}") for n in (1, 2)]
    path = database(tmp_path / "a.db", (f"CREATE TABLE {table}", STEPS), *rows, *steps)
    assert texts(read(path)["s"])[::2] == ["Question 1", "Question 2"]
    assert [len(each["trace"]["steps"]) for each in read(path)["s"]["messages"][::2]] == [1, 1]


def test_a_table_whose_rows_have_no_number_is_explained(tmp_path: Path) -> None:
    path = database(
        tmp_path / "a.db", ("CREATE TABLE agent_steps (rowid TEXT, _rowid_ TEXT, oid TEXT, trace_id TEXT)",)
    )
    with pytest.raises(CommandError, match="rename one of them"):
        read(path)


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\x00" + b"\xff" * 200])
def test_what_is_no_database_is_explained(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(CommandError, match="cannot be read as a database of traces"):
        read(path)
    with pytest.raises(CommandError, match="does not exist"):
        read(tmp_path / "none.db")


def test_the_report(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", NEW, ("traces", {"id": "t", "session_id": "s", "user_message": "Hi"}))
    api.on("ImportService/ImportChatSession", {"isNew": True})
    report = shell.json("import", "traces", str(path))
    counts = {"omittedParts": 0, "ratings": 0, "omittedRatings": 0, "mergedSteps": 0}
    assert report == {"imported": 1, "importedBefore": 0, "rows": 1, "failed": []} | counts


def test_half_a_surrogate_pair_and_deep_json_end_no_import(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    path = database(
        tmp_path / "a.db",
        (STEPS,),
        step(1, "", trace_id="a", input_data=r'{"text": "\ud800 Hi", "\udfff": [1]}'),
        step(1, "", trace_id="b", input_data="[" * 900 + "]" * 900),
        step(1, "", trace_id="c", input_data='{"text": "Last"}'),
    )
    api.on("ImportService/ImportChatSession", {"isNew": True})
    assert shell.json("import", "traces", str(path))["imported"] == 3
    sent = [json.loads((call.body or {})["content"]) for call in api.calls]
    assert [texts(each)[0] for each in sent] == ["\ufffd Hi", "[" * 900 + "]" * 900, "Last"]
    assert sent[0]["messages"][0]["trace"]["steps"][0]["row"]["input_data"]["\ufffd"] == [1]


def test_a_conversation_that_the_contract_refuses_is_named(
    api: ApiServer, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = ['{"title": "Broken \ud800"}', '{"title": "Next"}']
    monkeypatch.setattr(TraceFile, "sessions", lambda _: iter(contents))
    api.on("ImportService/ImportChatSession", {"isNew": True})
    report = shell.json("import", "traces", str(tmp_path / "a.db"), code=1)
    assert report["imported"] == 1
    (failed,) = report["failed"]
    assert (failed["title"], failed["file"]) == ("Broken \ufffd", "a.db")
    assert failed["reason"].startswith("content: ")


def test_a_large_database_is_never_in_memory_as_a_whole_and_reads_alike_again(tmp_path: Path) -> None:
    """The ids of another reading are the same, so that a second import finds all."""
    names = [f"s{number:03}" for number in range(100)]
    steps = [step(1, "final", session_id=name, trace_id=name, llm_output="x" * 200_000) for name in names]
    path = database(tmp_path / "large.db", NEW, *steps)
    for _ in range(2):
        with memory_below(8_000_000):
            assert [json.loads(each)["id"] for each in TraceFile(path).sessions()] == names
