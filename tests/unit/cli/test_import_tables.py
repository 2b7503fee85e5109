"""Files of Onyx and AnythingLLM: rows become conversations, and none is lost."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echomind.cli.programs.tables import table_conversations
from echomind.cli.terminal import CommandError
from tests.drivers.traced_memory import memory_below


def read(path: Path) -> list[dict[str, Any]]:
    found = table_conversations(path)
    assert found is not None
    return [json.loads(each) for each in found]


def texts(conversation: dict[str, Any]) -> list[str]:
    return [message["content"] for message in conversation["messages"]]


def write_csv(path: Path, *rows: dict[str, Any]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_pairs_of_onyx_become_conversations_in_their_order(tmp_path: Path) -> None:
    def pair(session: str, number: int, question: str, answer: str, documents: str = "") -> dict[str, Any]:
        return {
            "chat_session_id": session, "message_pair_num": number, "user_message": question, "ai_response": answer,
            "retrieved_documents": documents, "persona_name": "HR", "time_created": "2025-03-01T10:00:00+00:00",
        }  # fmt: skip

    path = write_csv(
        tmp_path / "onyx.csv",
        pair("b", 2, "'=1+1", "It's 2", "handbook.pdf"),
        pair("a", 1, "Who?", "Ada"),
        pair("b", 1, "'quoted'", ""),
    )
    by_id = {each["id"]: each for each in read(path)}
    assert texts(by_id["a"]) == ["Who?", "Ada"]
    # The apostrophe that Onyx adds to what a spreadsheet would calculate is removed, and no other.
    assert texts(by_id["b"]) == ["'quoted'", "…", "=1+1", "It's 2\n\nhandbook.pdf"]
    assert (by_id["b"]["source"], by_id["b"]["model"]) == ("onyx", "HR")
    assert [message["parent_id"] for message in by_id["b"]["messages"]] == ["", "0", "1", "2"]


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_rows_of_anythingllm_are_one_conversation_for_each_workspace_and_person(tmp_path: Path, suffix: str) -> None:
    def row(number: int, workspace: str, person: str, prompt: str) -> dict[str, Any]:
        row = {"id": number, "workspace": workspace, "username": person, "prompt": prompt, "response": f"{prompt}!"}
        return row | {"sent_at": "2025-03-01T10:00:00Z", "rating": "GOOD"}

    given = [("HR", "ada", "Leave"), ("IT", "ada", "Mail"), ("HR", "ada", "Pay"), ("HR", "bo", "Q")]
    rows = [row(number, *each) for number, each in enumerate(given, start=1)]
    path = tmp_path / f"chats.{suffix}"
    if suffix == "csv":
        write_csv(path, *rows)
    else:
        path.write_text(json.dumps(rows, indent=2))
    assert [texts(each) for each in read(path)] == [["Leave", "Leave!", "Pay", "Pay!"], ["Mail", "Mail!"], ["Q", "Q!"]]
    # A later export with more rows is the same conversation.
    before = [each["id"] for each in read(path)]
    longer = [*rows, row(5, "HR", "ada", "More")]
    path = tmp_path / "later.json"
    path.write_text(json.dumps(longer))
    assert [each["id"] for each in read(path)] == before


def ratings(conversation: dict[str, Any]) -> list[tuple[Any, ...]]:
    given = [message.get("rating") for message in conversation["messages"][1::2]]
    return [(each["is_positive"], each["text"], each["by"]) if each else () for each in given]


def test_ratings_of_onyx(tmp_path: Path) -> None:
    pair = {"chat_session_id": "a", "user_message": "Q", "ai_response": "A", "user_email": "ada@x.org"}
    kinds = [("like", ""), ("dislike", "'-wrong"), ("mixed", "so-so"), ("", "")]
    given = [pair | {"message_pair_num": n, "feedback_type": k, "feedback_text": t} for n, (k, t) in enumerate(kinds)]
    (found,) = read(write_csv(tmp_path / "onyx.csv", *given))
    by = "ada@x.org"
    assert ratings(found) == [(True, "", by), (False, "-wrong", by), (None, "so-so", by), ()]
    assert found["metadata"] == {"user_email": by}


def test_ratings_and_attachments_of_anythingllm(tmp_path: Path) -> None:
    row = {"workspace": "HR", "username": "unknown user", "prompt": "Q", "response": "A"}
    given = [("GOOD", "[]"), ("BAD", '[{"name": "a.png"}, {}]'), ("--", "a.png"), ("BEST", "")]
    rows = [row | {"id": n, "rating": rating, "attachments": files} for n, (rating, files) in enumerate(given)]
    (found,) = read(write_csv(tmp_path / "chats.csv", *rows))
    assert ratings(found) == [(True, "", ""), (False, "", ""), (), (None, "", "")]
    assert [message["omitted"] for message in found["messages"][::2]] == [0, 2, 1, 0]


def test_half_a_surrogate_pair_can_be_sent(tmp_path: Path) -> None:
    path = tmp_path / "chats.json"
    path.write_text(json.dumps([{"id": 1, "workspace": "HR", "username": "ada", "prompt": "\ud800?", "response": "A"}]))
    assert texts(read(path)[0]) == ["\ufffd?", "A"]


def test_lines_of_messages(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    messages = [{"role": role, "content": role} for role in ("system", "user", "assistant")]
    path.write_text(json.dumps({"messages": messages}) + "\n\n")
    (found,) = read(path)
    assert texts(found) == ["user", "assistant"]
    assert found["messages"][0]["omitted"] == 1, "the system prompt is counted"


def test_lines_of_librechat_are_left_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "librechat.jsonl"
    lines = [{"conversationId": name, "email": "ada@example.org", "messages": [{"text": "Hi"}]} for name in ("a", "b")]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert read(path) == lines


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"one,two\n1,2\n", "rows of no known program"),
        ("a.csv", b"prompt,response\n\xff,1\n", "not UTF-8"),
        ("a.jsonl", b'{"messages": []}\n{"mess', "line 2, is not valid JSON"),
        ("a.jsonl", b'{"message": []}', "line 1, has no list"),
        ("a.json", b'[{"id": 1, "prompt": "a", "response": "b"}', "not valid JSON, or it is cut off"),
    ],
)
def test_what_is_no_such_file_is_explained(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CommandError, match=message):
        read(path)


def test_other_json_is_left_to_the_other_reader(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text('[{"title": "A", "mapping": {"x": {"prompt": 1}}}]')
    assert table_conversations(path) is None


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00"), max_size=20)
PAIRS = st.lists(st.tuples(st.sampled_from(["a", "b", "'=c"]), st.sampled_from(["", "bo"]), CELLS, CELLS), min_size=1)


@pytest.mark.parametrize("program", ["onyx.csv", "anythingllm.csv", "anythingllm.json"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(pairs=PAIRS)
def test_all_pairs_come_out_as_they_went_in(tmp_path: Path, program: str, pairs: list[tuple[str, ...]]) -> None:
    """Whatever a cell holds, each pair is in the conversation of its group, in its order, and its time is kept."""
    name, suffix = program.split(".")
    if name == "onyx":
        columns = ("chat_session_id", "user_email", "user_message", "ai_response", "time_created", "message_pair_num")
    else:
        columns = ("workspace", "username", "prompt", "response", "sent_at", "id")
    rows = [dict(zip(columns, (*pair, f"t{n}", n), strict=True)) for n, pair in enumerate(pairs)]
    if suffix == "csv":
        path = write_csv(tmp_path / program, *rows)
    else:
        path = tmp_path / program
        path.write_text(json.dumps(rows))
    expected: dict[object, list[tuple[str, ...]]] = {}
    for number, (group, person, question, answer) in enumerate(pairs):
        key = group if name == "onyx" else (group, person)
        said = [text[1:] if text[:1] == "'" and text[1:2] in tuple("=+-@\t") else text for text in (question, answer)]
        expected.setdefault(key, []).append((f"t{number}", *(text or "…" for text in said)))
    found = read(path)
    assert [
        [(question["created_at"], question["content"], answer["content"]) for question, answer in _pairs(each)]
        for each in found
    ] == list(expected.values())
    assert len({each["id"] for each in found}) == len(found)
    assert read(path) == found, "another reading gives the same, so that a second import finds all"


def _pairs(conversation: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    messages = conversation["messages"]
    assert [each["parent_id"] for each in messages] == ["", *(each["id"] for each in messages[:-1])]
    return zip(messages[::2], messages[1::2], strict=True)


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl"])
def test_a_large_file_is_never_in_memory_as_a_whole(tmp_path: Path, suffix: str) -> None:
    """Its rows are those of many conversations in turn."""
    path, conversations, rows = tmp_path / f"large.{suffix}", 20, 10
    text = "x" * 50_000
    names = [f"w{number % conversations}" for number in range(conversations * rows)]
    if suffix == "jsonl":
        messages = [{"role": role, "content": text} for role in ("user", "assistant") * rows]
        path.write_text(f"{json.dumps({'messages': messages})}\n" * conversations)
    elif suffix == "csv":
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([("workspace", "prompt", "response"), *((name, text, text) for name in names)])
    else:
        path.write_text(json.dumps([{"workspace": name, "prompt": text, "response": text} for name in names]))
    assert path.stat().st_size > 20_000_000
    with memory_below(10_000_000):
        found = table_conversations(path)
        assert found is not None
        assert [json.loads(each)["messages"][-1]["content"] == text for each in found] == [True] * conversations
