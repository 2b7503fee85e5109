"""Sessions, messages, todos and checkpoints: requests and output."""

import json
from pathlib import Path

import pytest
from aiohttp import web

from tests.drivers.api_server import ApiServer, Call, about, in_turn, refusal, stream
from tests.drivers.shell import Shell
from tests.factories.session_events import EVENTS, QUEUED, RUN, delta, event, finished

SESSION = {"id": 7, "title": "Leave", "messageCount": 4, "status": "CHAT_SESSION_STATUS_ACTIVE", "headMessageId": "14"}
SENT = {"run": {"id": RUN, "chatSessionId": 7, "status": "RUN_STATUS_QUEUED"}}


def with_body(call: Call) -> dict[str, object]:
    """Returns a session as the caller wants it."""
    return SESSION | (call.body or {})


def test_sessions_are_listed_and_shown(api: ApiServer, shell: Shell) -> None:
    api.on("ChatSessionService/ListChatSessions", {"chatSessions": [SESSION]})
    more = {
        "goal": "Know it",
        "parentSessionId": 3,
        "forkedFromMessageId": "9",
        "summary": "They asked.",
        "summaryPromptTokens": "900",
        "summaryCompletionTokens": "30",
        "summaryCost": 0.0021,
        "lastSummarizedMessageId": "12",
        "preferences": {"maxSteps": 5},
        "importantSteps": [{"runId": RUN, "stepNumber": 2, "text": "Read the law"}],
    }
    api.on(about("ChatSessionService/GetChatSession", id=7), SESSION | more)
    assert shell.run("sessions", "list").stdout.splitlines()[1].split() == ["7", "active", "4", "Leave"]
    assert shell.json("sessions", "list")["chatSessions"][0]["title"] == "Leave"
    text = shell.run("sessions", "show", "7").stdout
    for line in (
        "Session: Leave (id 7)",
        "Goal: Know it",
        "Forked from: session 3, message 9",
        "Summary: They asked. (up to message 12)",
        "Summaries and title took: 900 tokens read, 30 written, $0.0021",
        "Preferences: maxSteps 5",
        f"Step 2 of run {RUN}: Read the law",
    ):
        assert line in text
    assert shell.json("sessions", "show", "7")["goal"] == "Know it"


def test_a_session_is_renamed_and_changed(api: ApiServer, shell: Shell) -> None:
    api.on(about("ChatSessionService/UpdateChatSession", id=7), with_body)
    api.on("AssistantService/ListAssistants", {"assistants": [{"id": 3, "name": "Legal"}]})
    assert shell.run("sessions", "rename", "7", "Holidays").stdout == "Renamed to Holidays.\n"
    preferences = '{"maxSteps": 20, "autoRun": true}'
    assert shell.json("sessions", "update", "7", "--goal", "", "--assistant", "legal", "--preferences", preferences)
    assert api.calls[0].body == {"title": "Holidays"}
    changed = api.changes()[1].body
    assert (changed["goal"], changed["assistantId"]) == ("", 3)
    assert (changed["preferences"]["maxSteps"], changed["preferences"]["autoRun"]) == (20, True)
    shell.run("sessions", "update", "7", code=2)
    shell.run("sessions", "update", "7", "--preferences", '{"maxSteps": 2000}', code=2)
    shell.run("sessions", "update", "7", "--preferences", "{", code=2)
    error = shell.run("sessions", "update", "7", "--preferences", '{"maxStep": 20}', code=2).stderr
    assert "maxStep: " in error
    assert "maxSteps" in error


def test_a_session_is_removed_when_the_person_agrees(api: ApiServer, shell: Shell) -> None:
    api.on(about("ChatSessionService/(Get|Delete)ChatSession", id=7), SESSION)
    shell.run("sessions", "remove", "7", code=1)
    assert not api.changes()
    assert shell.json("sessions", "remove", "7", "--yes") == {"id": "7", "title": "Leave"}
    assert len(api.changes()) == 1


def test_what_was_remembered_from_a_session_is_deleted_with_it_when_asked(api: ApiServer, shell: Shell) -> None:
    api.on(about("ChatSessionService/(Get|Delete)ChatSession", id=7), SESSION)
    api.on("MemoryService/DeleteAllMemories", {"deleted": 2})
    shell.run("sessions", "remove", "7", "--memories", "--yes")
    removed, forgotten = api.changes()
    assert removed.method == "ChatSessionService/DeleteChatSession"
    assert (forgotten.method, forgotten.body) == ("MemoryService/DeleteAllMemories", {"chatSessionId": 7})


def test_a_session_is_forked_switched_and_summarized(api: ApiServer, shell: Shell) -> None:
    api.on(about("ChatSessionService/(ForkChatSession|MoveHead|SummarizeChatSession)", id=7), SESSION | {"id": 8})
    assert shell.run("sessions", "fork", "7").stdout == "Forked into session 8: Leave.\n"
    shell.json("sessions", "fork", "7", "--message", "12", "--title", "Other")
    assert shell.run("sessions", "switch", "7", "12").stdout == "Shown up to message 14.\n"
    shell.run("sessions", "switch", "7", "12", "--exactly")
    shell.run("sessions", "summarize", "7")
    assert [call.body for call in api.calls] == [
        {"messageId": "0", "title": ""},
        {"messageId": "12", "title": "Other"},
        {"messageId": "12", "toLatest": True},
        {"messageId": "12", "toLatest": False},
        {},
    ]


@pytest.mark.parametrize(("count", "head"), [("1", "12"), ("2", "0"), ("5", "0")])
def test_questions_are_taken_back(api: ApiServer, shell: Shell, count: str, head: str) -> None:
    for number in (14, 13, 12, 11):
        role = "USER" if number % 2 else "ASSISTANT"
        message = {"id": str(number), "role": f"MESSAGE_ROLE_{role}"}
        api.on(
            about("ChatMessageService/GetMessage", id=number),
            message | ({"parentMessageId": str(number - 1)} if number > 11 else {}),
        )
    api.on(about("ChatSessionService/GetChatSession", id=7), SESSION)
    left = SESSION | ({"headMessageId": head} if head != "0" else {"headMessageId": None})
    api.on(about("ChatSessionService/MoveHead", id=7), left)
    where = "the beginning" if head == "0" else f"message {head}"
    stdout = shell.run("sessions", "undo", "7", "--count", count).stdout
    assert stdout == f"The session continues from {where}.\n"
    assert api.changes()[0].body == {"messageId": head, "toLatest": False}


def test_messages_are_listed_with_their_branches(api: ApiServer, shell: Shell) -> None:
    question = {"id": "11", "role": "MESSAGE_ROLE_USER", "status": "MESSAGE_STATUS_COMPLETED", "content": "How many?"}
    answer = question | {"id": "12", "role": "MESSAGE_ROLE_ASSISTANT", "content": "30.", "excluded": True}
    answer["siblingIds"] = ["12", "14"]
    api.on(about("ChatMessageService/ListMessages", chat_session_id=7), {"messages": [question, answer]})
    text = shell.run("sessions", "messages", "7", "--all").stdout
    assert [line.rstrip() for line in text.splitlines()] == [
        "--- 11 (user)",
        "How many?",
        "--- 12 (assistant, one of 12, 14, excluded)",
        "30.",
    ]
    assert api.calls[0].query["allBranches"] == "true"
    assert len(shell.json("sessions", "messages", "7")["messages"]) == 2


@pytest.mark.parametrize(("action", "words"), [("edit", ("How many days?",)), ("regenerate", ())])
def test_a_question_is_regenerated(api: ApiServer, shell: Shell, action: str, words: tuple[str, ...]) -> None:
    api.on(about(f"ChatMessageService/{action.capitalize()}Message", id=11), SENT)
    api.on(EVENTS, stream(QUEUED, finished()))
    result = shell.run("messages", action, "11", *words, "--max-steps", "3")
    assert result.stdout.startswith("You get 30 days [1].")
    body = api.changes()[0].body
    assert body["options"]["maxSteps"] == 3
    assert body["requestId"]
    assert body.get("content") == (words[0] if words else None)
    assert shell.json("messages", action, "11", *words)["status"] == "completed"


def test_messages_are_shown_left_out_and_rated(api: ApiServer, shell: Shell) -> None:
    citation = {"number": 1, "title": "Law", "supported": True}
    api.on(about("ChatMessageService/GetMessage", id=12), {"id": "12", "content": "30 [1].", "citations": [citation]})
    api.on(about("ChatMessageService/DeleteFeedback", id=12), {})
    api.on(about("ChatMessageService/ExcludeMessage", id=12), {"id": "12"})
    api.on(about("ChatMessageService/SetFeedback", id=12), lambda call: call.body)
    assert shell.run("messages", "show", "12").stdout == "30 [1].\n[1] Law\n"
    assert shell.run("messages", "exclude", "12").stdout == "Message 12 is excluded from later prompts.\n"
    assert shell.run("messages", "exclude", "12", "--undo").stdout == "Message 12 is included in later prompts.\n"
    assert [call.body["excluded"] for call in api.sent("ChatMessageService/ExcludeMessage")] == [True, False]
    rated = shell.run("messages", "rate", "12", "--not-helpful", "--comment", "Old.").stdout
    assert rated == "Answer 12 is rated not helpful.\n"
    assert shell.json("messages", "rate", "12", "--helpful")["isPositive"] is True
    for options in ((), ("--helpful", "--undo")):
        shell.run("messages", "rate", "12", *options, code=2)
    assert shell.run("messages", "rate", "12", "--withdraw").stdout == "Your rating of answer 12 is withdrawn.\n"
    assert len(api.sent("ChatMessageService/DeleteFeedback")) == 1
    api.on(
        about("ChatMessageService/GetMessage", id=12),
        {"id": "12", "content": "30 [1].", "citations": [citation | {"chunkId": "c1"}]},
    )
    api.on(about("ChatMessageService/SetCitationFeedback", message_id=12, chunk_id="c1"), lambda call: call.body)
    api.on(about("ChatMessageService/DeleteCitationFeedback", message_id=12, chunk_id="c1"), {})
    rated = shell.run("messages", "rate", "12", "--source", "1", "--not-helpful", "--comment", "Old.").stdout
    assert rated == "Source 1 of answer 12 is rated not helpful.\n"
    assert api.sent("ChatMessageService/SetCitationFeedback")[0].body["feedbackText"] == "Old."
    withdrawn = shell.run("messages", "rate", "12", "--source", "1", "--withdraw").stdout
    assert withdrawn == "Your rating of source 1 of answer 12 is withdrawn.\n"
    assert "has no source 2" in shell.run("messages", "rate", "12", "--source", "2", "--helpful", code=1).stderr
    api.on(
        about("ChatMessageService/GetMessage", id=12),
        {"id": "12", "content": "30.", "feedback": {"feedbackText": "Old."}},
    )
    assert shell.run("messages", "show", "12").stdout == "30.\nYou rated it not helpful: Old.\n"


def test_a_session_is_begun_before_its_first_question(api: ApiServer, shell: Shell) -> None:
    api.on("ChatSessionService/CreateChatSession", SESSION)
    assert shell.run("sessions", "add", "--title", "Leave", "--goal", "Know it", "--one-shot").stdout == (
        "Added session 7.\n"
    )
    (call,) = api.calls
    assert call.body == call.body | {"title": "Leave", "goal": "Know it", "mode": "CHAT_MODE_ONE_SHOT"}


def test_a_session_is_watched_over_broken_connections_until_it_is_removed(api: ApiServer, shell: Shell) -> None:
    async def removed(request: web.Request) -> web.StreamResponse:
        return refusal("NOT_FOUND", "Chat session 7 was removed.", 404)()

    second = event("PROGRESS", 2, text="Reading") | {"creationDate": "2026-11-22T04:00:00Z"}
    events = in_turn(stream(QUEUED, delta(0, "You"), None), stream(second), removed)
    api.on(EVENTS, events)
    result = shell.run("sessions", "watch", "7", code=1)
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["1", "2"]
    assert result.stdout.endswith("Reading\n")
    assert "was removed" in result.stderr
    assert [call.headers["Last-Event-ID"] for call in api.sent(EVENTS)] == ["0", "1", "2"]
    api.on(EVENTS, in_turn(stream(QUEUED, delta(0, "You")), removed))
    lines = shell.run("sessions", "watch", "7", "--after", "0", "--json", code=1).stdout.splitlines()
    first, second, last = map(json.loads, lines)
    assert [first["kind"], second["kind"]] == ["SESSION_EVENT_KIND_STATUS", "SESSION_EVENT_KIND_DELTA"]
    assert last["error"]["reason"] == "NOT_FOUND"


def test_todos_are_listed_by_run(api: ApiServer, shell: Shell) -> None:
    todos = [
        {"id": "5", "orderIndex": 1, "title": "Read", "status": "TODO_STATUS_COMPLETED", "result": "read"}
        | {"estimatedSteps": 2, "actualSteps": 3, "actualTokens": 900},
        {"id": "6", "orderIndex": 2, "title": "Sign", "status": "TODO_STATUS_PENDING", "dependencies": ["5"]},
        {"id": "8", "orderIndex": 1, "title": "Write", "status": "TODO_STATUS_IN_PROGRESS", "runId": RUN},
    ]
    api.on(about("TodoService/ListTodos", chat_session_id=7), {"todos": todos})
    assert shell.run("todos", "list", "7").stdout == (
        "Todos, 1 of 2 done:\n"
        "  [x] 1. Read - read [id 5, 3 of 2 steps, 900 tokens]\n"
        "  [ ] 2. Sign [id 6, after 5]\n"
        f"Todos, 0 of 1 done: (run {RUN})\n"
        "  [>] 1. Write [id 8]\n"
    )
    assert len(shell.json("todos", "list", "7", "--run", RUN)["todos"]) == 3
    assert api.calls[1].query["runId"] == RUN
    shell.run("todos", "list", "7", "--run", "x", code=2)


def test_todos_are_added_changed_and_removed(api: ApiServer, shell: Shell) -> None:
    def made(call: Call) -> web.Response:
        return web.json_response(
            {"id": "5", "orderIndex": 1, "title": "Read", "status": "TODO_STATUS_PENDING"} | call.body
        )

    api.on(about("TodoService/CreateTodo", chat_session_id=7), made)
    api.on(about("TodoService/UpdateTodo", id=5), made)
    api.on(about("TodoService/(Get|Delete)Todo", id=5), {"id": "5", "title": "Read"})
    options = ("--after", "3", "--after", "4", "--after", "3", "--priority", "-1", "--estimated-steps", "2")
    assert shell.run("todos", "add", "7", "Read it", *options).stdout == "Added: [ ] 1. Read it [id 5]\n"
    done = shell.run("todos", "update", "5", "--status", "completed", "--result", "Fine.", "--after-none").stdout
    assert done == "Now: [x] 1. Read - Fine. [id 5]\n"
    assert shell.json("todos", "update", "5", "--title", "Read all")["title"] == "Read all"
    assert shell.json("todos", "remove", "5", "--yes") == {"id": "5", "title": "Read"}
    assert [call.body for call in api.calls if call.body is not None] == [
        {"title": "Read it", "dependencies": ["3", "4"], "priority": -1, "estimatedSteps": 2},
        {"status": "TODO_STATUS_COMPLETED", "result": "Fine.", "dependencies": []},
        {"title": "Read all"},
    ]
    shell.run("todos", "update", "5", code=2)


def test_checkpoints_are_made_shown_restored_and_removed(api: ApiServer, shell: Shell) -> None:
    checkpoint = {"id": "5", "chatSessionId": 7, "name": "Before", "checkpointType": "CHECKPOINT_TYPE_BEFORE_TOOL"}
    api.on(about("CheckpointService/ListCheckpoints", chat_session_id=7), {"checkpoints": [checkpoint]})
    api.on(about("CheckpointService/CreateCheckpoint", chat_session_id=7), lambda call: checkpoint | call.body)
    api.on(
        about("CheckpointService/(Get|Delete)Checkpoint", id=5), checkpoint | {"sessionState": {"headMessageId": "12"}}
    )
    api.on(about("CheckpointService/RestoreCheckpoint", id=5), SESSION)
    assert shell.run("checkpoints", "list", "7").stdout.splitlines()[1].split() == ["5", "before", "tool", "Before"]
    assert shell.json("checkpoints", "list", "7")["checkpoints"][0]["id"] == "5"
    text = shell.run("checkpoints", "show", "5").stdout
    assert "Checkpoint: Before (id 5)\nType: before tool\nSession: 7\n" in text
    assert '"headMessageId": "12"' in text
    assert shell.run("checkpoints", "add", "7", "Now", "--description", "d").stdout == "Added checkpoint 5: Now.\n"
    assert api.sent("CheckpointService/CreateCheckpoint")[0].body["description"] == "d"
    assert "it continues from message 14" in shell.run("checkpoints", "restore", "5").stdout
    assert shell.json("checkpoints", "restore", "5")["id"] == "7"
    assert shell.json("checkpoints", "remove", "5", "--yes") == {"id": "5", "name": "Before"}


def test_the_list_of_sessions_is_searched_and_kept_in_order(api: ApiServer, shell: Shell) -> None:
    api.on(about("ChatSessionService/UpdateChatSession", id=7), with_body)
    hit = {"chatSession": SESSION, "messageId": "14", "excerpt": "…of leave a year…"}
    api.on("ChatSessionService/SearchChatSessions", {"hits": [hit]})
    assert "of leave a year" in shell.run("sessions", "search", "leave").stdout
    assert shell.json("sessions", "search", "leave")["hits"][0]["messageId"] == "14"
    assert "it is empty" in shell.run("sessions", "search", " ", code=2).stderr
    for command, words, body in (
        (("pin", "7"), "Pinned Leave.", {"pinned": True}),
        (("pin", "7", "--undo"), "Unpinned Leave.", {"pinned": False}),
        (("archive", "7"), "Archived Leave.", {"archived": True}),
        (("archive", "7", "--undo"), "Put back Leave.", {"archived": False}),
    ):
        assert shell.run("sessions", *command).stdout == f"{words}\n"
        assert api.changes()[-1].body == body
    api.on("ChatSessionService/ListChatSessions", {"chatSessions": [SESSION | {"archived": True, "pinned": True}]})
    assert "(pinned)" in shell.run("sessions", "list", "--archived").stdout
    assert api.sent("ChatSessionService/ListChatSessions")[-1].query["archived"] == "true"
    api.on("NotebookService/ListNotebooks", {"notebooks": [{"id": 4, "title": "Contracts"}]})
    shell.run("sessions", "list", "--removed", "--status", "failed", "--no-goal", "--notebook", "contracts")
    query = api.sent("ChatSessionService/ListChatSessions")[-1].query
    assert (query["removed"], query["statuses"], query["hasGoal"], query["notebookId"]) == (
        "true",
        "CHAT_SESSION_STATUS_FAILED",
        "false",
        "4",
    )
    api.on(about("ChatSessionService/RestoreChatSession", id=7), SESSION)
    assert shell.run("sessions", "restore", "7").stdout == "Restored Leave.\n"


def test_a_file_that_cannot_be_written_is_named(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    api.on(about("ChatSessionService/ExportChatSession", id=7), {"content": "# Leave"})
    file = tmp_path / "missing" / "leave.md"
    error = shell.run("sessions", "export", "7", "-o", str(file), code=1).stderr
    assert error == f"error: {file}: No such file or directory.\n"


def test_a_session_is_exported(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    exported = {"fileName": "Leave.md", "mediaType": "text/markdown", "content": "# Leave\n"}
    api.on(about("ChatSessionService/ExportChatSession", id=7), exported)
    assert shell.run("sessions", "export", "7").stdout == "# Leave\n"
    file = tmp_path / "leave.md"
    assert shell.run("sessions", "export", "7", "--format", "json", "-o", str(file)).stdout == f"Wrote {file}.\n"
    assert file.read_text() == "# Leave\n"
    assert api.sent("ChatSessionService/ExportChatSession")[-1].query["format"] == "EXPORT_FORMAT_JSON"
