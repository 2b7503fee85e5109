"""Exports of ChatGPT, Open WebUI and LibreChat, read as one form."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_api.programs.exported_conversations import ImportedConversation, read_conversation
from echomind_api.programs.message_trees import ImportedMessage
from echomind_lib.errors import ValidationFailedError
from tests.drivers.tables import for_each

NOW = datetime(2026, 6, 1, tzinfo=UTC)
BEGAN = 1_750_000_000

Turn = tuple[str, str, str, str]
"""A message: its id, its parent's, its role and its text."""


def read(value: object) -> ImportedConversation:
    return read_conversation(json.dumps(value), NOW)


def paths(conversation: ImportedConversation) -> set[tuple[str, ...]]:
    """Returns the texts of each branch, from its first question to its end."""

    def path(message: ImportedMessage) -> tuple[str, ...]:
        above = () if message.parent is None else path(conversation.messages[message.parent])
        return (*above, message.content)

    inner = {message.parent for message in conversation.messages}
    return {path(message) for position, message in enumerate(conversation.messages) if position not in inner}


def chatgpt(turns: Sequence[Turn], current: str = "") -> dict[str, Any]:
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None}}
    for number, (name, parent, role, text) in enumerate(turns):
        content = {"content_type": "text", "parts": [text]}
        message = {
            "author": {"role": role},
            "create_time": BEGAN + number + 0.5,
            "content": content,
            "recipient": "all",
        }
        mapping[name] = {"id": name, "message": message, "parent": parent or "root"}
    return {"conversation_id": "c-1", "title": "T", "create_time": BEGAN, "mapping": mapping, "current_node": current}


def open_webui(turns: Sequence[Turn], current: str = "") -> dict[str, Any]:
    messages = {
        name: {"id": name, "parentId": parent or None, "role": role, "content": text, "timestamp": BEGAN + number}
        for number, (name, parent, role, text) in enumerate(turns)
    }
    chat = {"title": "T", "models": ["llama"], "history": {"messages": messages, "currentId": current}}
    return {"id": "c-1", "title": "T", "chat": chat, "created_at": BEGAN, "archived": False, "pinned": True}


def librechat(turns: Sequence[Turn], _current: str = "") -> dict[str, Any]:
    messages = [
        {
            "messageId": name,
            "parentMessageId": parent or "00000000-0000-0000-0000-000000000000",
            "isCreatedByUser": role == "user",
            "text": text,
            "createdAt": datetime.fromtimestamp(BEGAN + number, UTC).isoformat(),
        }
        for number, (name, parent, role, text) in enumerate(turns)
    ]
    return {"conversationId": "c-1", "title": "T", "options": {"model": "m"}, "recursive": False, "messages": messages}


def nested(turns: Sequence[Turn], current: str = "") -> dict[str, Any]:
    """LibreChat's export with the answers within their questions."""
    flat = librechat(turns, current)
    by_name = {message["messageId"]: message | {"children": []} for message in flat["messages"]}
    for name, parent, _, _ in turns:
        if parent:
            by_name[parent]["children"].append(by_name[name])
    roots = [by_name[name] for name, parent, _, _ in turns if not parent]
    return flat | {"recursive": True, "messages": roots}


FORMATS = [chatgpt, open_webui, librechat, nested]
BRANCHED: list[Turn] = [
    ("q", "", "user", "What?"),
    ("a", "q", "assistant", "This."),
    ("b", "q", "assistant", "That."),
    ("q2", "b", "user", "Why?"),
    ("a2", "q2", "assistant", "So."),
]


@pytest.mark.parametrize("form", FORMATS)
def test_branches_times_and_the_shown_branch_are_kept(form: Callable[[Sequence[Turn], str], Any]) -> None:
    found = read(form(BRANCHED, "a2"))
    assert paths(found) == {("What?", "This."), ("What?", "That.", "Why?", "So.")}
    assert [message.is_question for message in found.messages] == [True, False, False, True, False]
    assert (found.id, found.title, found.omitted_parts) == ("c-1", "T", 0)
    assert found.messages[found.head].content == "So."
    first, last = found.messages[0].created_at, found.messages[found.head].created_at
    assert (int(first.timestamp()), int(last.timestamp())) == (BEGAN, BEGAN + 4)


@st.composite
def trees(draw: st.DrawFn) -> list[Turn]:
    """Trees of questions and answers in turn, parents first; each text is unique."""
    turns: list[Turn] = []
    for number in range(draw(st.integers(1, 25))):
        has_parent = draw(st.booleans()) if turns else False
        above = draw(st.sampled_from(turns)) if has_parent else None
        role = "assistant" if above is not None and above[2] == "user" else "user"
        turns.append((f"n{number}", above[0] if above else "", role, f"text {number}"))
    return turns


@pytest.mark.parametrize("form", FORMATS)
@given(turns=trees())
def test_a_tree_comes_out_as_it_went_in(form: Callable[[Sequence[Turn], str], Any], turns: list[Turn]) -> None:
    found = read(form(turns, turns[-1][0]))
    by_name = {name: (parent, text) for name, parent, _, text in turns}

    def path(name: str) -> tuple[str, ...]:
        parent, text = by_name[name]
        return (*(path(parent) if parent else ()), text)

    inner = {parent for _, parent, _, _ in turns}
    expected = {path(name) + (("",) if role == "user" else ()) for name, _, role, _ in turns if name not in inner}
    assert paths(found) == expected, "questions without an answer have an empty one"
    assert all(message.parent is None or message.parent < position for position, message in enumerate(found.messages))
    assert found.head not in {message.parent for message in found.messages}


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcdef"),
            st.sampled_from(["", "a", "b", "c", "f", "zz"]),
            st.sampled_from(["user", "assistant", "tool"]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_whatever_refers_to_whatever_no_text_is_lost(entries: list[tuple[str, str, str]]) -> None:
    turns = [(name, parent, role, f"<{name}>") for name, parent, role in entries]
    expected = {f"<{name}>" for name, _, role, _ in {turn[0]: turn for turn in turns}.values() if role != "tool"}
    if not expected:
        return
    found = read(open_webui(turns))
    assert {text for text in expected if any(text in each.content for each in found.messages)} == expected
    roles = [message.is_question for message in found.messages]
    for position, message in enumerate(found.messages):
        above = message.parent
        assert roles[position] == (above is None or not roles[above]), "questions and answers alternate"


def test_what_is_not_said_to_the_person_is_left_out_of_chatgpts() -> None:
    turns = [
        ("s", "", "system", "You are ChatGPT"),
        ("q", "s", "user", "Plot it"),
        ("c", "q", "assistant", "import matplotlib"),
        ("r", "c", "tool", "<image>"),
        ("a", "r", "assistant", "Here \ue200cite\ue202turn0search0\ue201it is."),
        ("h", "a", "user", "hidden"),
        ("b", "h", "assistant", "And more."),
    ]
    value = chatgpt(turns, "b")
    value["mapping"]["c"]["message"]["recipient"] = "python"
    value["mapping"]["h"]["message"]["metadata"] = {"is_visually_hidden_from_conversation": True}
    value["mapping"]["a"]["message"]["metadata"] = {"model_slug": "gpt-4o"}
    found = read(value)
    assert paths(found) == {("Plot it", "Here it is.\n\nAnd more.")}
    assert (found.model, found.omitted_parts) == ("gpt-4o", 2)
    picture = chatgpt([("q", "", "user", "x"), ("a", "q", "assistant", "A cat.")])
    picture["mapping"]["q"]["message"]["content"] = {
        "content_type": "multimodal_text",
        "parts": [{"asset_pointer": "f"}],
    }
    found = read(picture)
    assert (paths(found), found.omitted_parts) == ({("…", "A cat.")}, 1)


def test_what_open_webui_writes_between_is_left_out() -> None:
    value = open_webui([("q", "", "user", "Why?"), ("a", "q", "assistant", "x"), ("b", "q", "assistant", "y")], "a")
    messages = value["chat"]["history"]["messages"]
    messages["a"]["output"] = [
        {"type": "reasoning", "content": [{"type": "output_text", "text": "hm"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Because."}]},
    ]
    messages["b"]["content"] = '<details type="reasoning" done="true">\n<summary>Thought</summary>\nhm\n</details>\nSo.'
    messages["q"]["files"] = [{"type": "file", "name": "a.pdf"}]
    found = read(value)
    assert paths(found) == {("Why?", "Because."), ("Why?", "So.")}
    assert (found.messages[found.head].content, found.omitted_parts) == ("Because.", 3)
    assert (found.is_pinned, found.is_archived, found.model) == (True, False, "llama")
    listed = {"id": "c", "chat": {"title": "T", "messages": list(messages.values())}}
    assert paths(read(listed)) == {("Why?", "Because.\n\nSo.")}, "an old export has only the shown branch"


@for_each(
    "value",
    [
        [],
        {},
        "text",
        {"mapping": {}},
        {"mapping": {"a": 1, "b": {"message": {"author": {"role": "user"}, "content": {"content_type": "text"}}}}},
        {"chat": {"history": {"messages": {"a": {"role": "user", "content": "  "}}}}},
        {"conversationId": 1, "messages": [1, None, {"text": ""}]},
    ],
)
def test_what_is_no_conversation_is_refused(value: Any) -> None:
    with pytest.raises(ValidationFailedError):
        read(value)


def test_values_of_any_type_do_no_harm() -> None:
    value = chatgpt([("q", "", "user", "What\0?"), ("a", "q", "assistant", "x")])
    value |= {"title": ["T"], "create_time": 1e300, "conversation_id": "a\nb" * 100, "current_node": 7}
    value["mapping"]["a"]["message"] |= {"create_time": "yesterday", "metadata": []}
    found = read(value)
    assert (found.title, [message.content for message in found.messages]) == ("What?", ["What?", "x"])
    assert len(found.id) == 64, "an id that cannot be one is made of the content"
    assert read(value).id == found.id
    with pytest.raises(ValidationFailedError, match="not valid JSON"):
        read_conversation("{", NOW)
    with pytest.raises(ValidationFailedError, match="not valid JSON"):
        read_conversation("[" * 200_000, NOW)


def test_times_are_read_in_each_form_and_never_in_the_future() -> None:
    value = open_webui([("q", "", "user", "1"), ("a", "q", "assistant", "2"), ("r", "a", "user", "3")])
    messages = value["chat"]["history"]["messages"]
    messages["q"]["timestamp"], messages["a"]["timestamp"], messages["r"]["timestamp"] = BEGAN * 1000, "x", 9e9
    assert {int(message.created_at.timestamp()) for message in read(value).messages} == {BEGAN}


def test_librechats_database_has_more_than_its_exports() -> None:
    turns = [("q", "", "user", "Why?"), ("a", "q", "assistant", "Because.")]
    value = librechat(turns) | {
        "_id": "x",
        "user": "u1",
        "email": "ada@example.org",
        "isArchived": True,
        "model": "gpt",
    }
    del value["options"]
    found = read(value)
    assert paths(found) == {("Why?", "Because.")}
    assert (found.id, found.is_archived, found.model) == ("c-1", True, "gpt")
