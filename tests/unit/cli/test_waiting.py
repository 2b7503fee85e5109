"""Runs that request input, that plan, and that start sub-agents: output, and how to answer."""

from typing import Any

from tests.drivers.api_server import ApiServer, about, stream
from tests.drivers.shell import Shell
from tests.factories.session_events import (
    APPROVAL,
    ASK,
    EVENTS,
    QUESTION,
    QUEUED,
    RUN,
    delta,
    event,
    finished,
    waiting_run,
    waits,
)

CHILD = "01926b3e-7c1a-7000-8000-5f0d3c2b1ac1"


def todo(number: int, title: str, status: str = "PENDING", **more: Any) -> dict[str, Any]:
    status = f"TODO_STATUS_{status}"
    return {"id": str(100 + number), "orderIndex": number, "title": title, "status": status} | more


def plan(event_id: int, *todos: dict[str, Any], run: str = RUN) -> dict[str, Any]:
    return event("PROGRESS", event_id, run, text="a line of its own", todos={"todos": list(todos)})


def test_without_a_terminal_a_question_ends_the_command_with_instructions(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, stream(QUEUED, delta(0, "You"), *waits(3, QUESTION)))
    api.on(about("RunService/GetRun", id=RUN), waiting_run(pending=QUESTION))
    notes = shell.run("ask", "How many days?", "--ask-clarifications", code=1).stderr
    assert f'? Which year?\n  1) 2024\n  2) 2025\n  `echomind runs input {RUN} "TEXT"` answers it.' in notes
    assert api.sent(ASK)[0].body["options"]["askClarifications"] is True
    result = shell.json("ask", "How many days?", code=1)
    assert (result["status"], result["waitingRunId"], result["answer"]) == ("waiting_for_input", RUN, "You")
    assert result["pendingInput"]["options"] == ["2024", "2025"]


def test_a_question_that_was_answered_elsewhere_is_not_asked(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, stream(QUEUED, *waits(3, QUESTION)))
    api.on(about("RunService/GetRun", id=RUN), {"id": RUN, "chatSessionId": 7, "status": "RUN_STATUS_RUNNING"})
    api.on(EVENTS, stream(waits(3, QUESTION)[1], finished()))
    assert shell.json("ask", "How many days?")["status"] == "completed"


def test_a_sub_agent_that_waits_for_approval_is_named(api: ApiServer, shell: Shell) -> None:
    started = event(
        "PROGRESS", 2, text="Started a sub-agent: mail", subRunStarted={"runId": CHILD, "goal": "mail", "depth": 1}
    )
    api.on(ASK, stream(QUEUED, started, *waits(3, APPROVAL, CHILD)))
    api.on(about("RunService/GetRun", id=CHILD), waiting_run(CHILD, APPROVAL))
    result = shell.run("ask", "Mail them", code=1)
    assert f"`echomind runs approve {CHILD}` approves it, `echomind runs deny {CHILD}` denies it." in result.stderr
    assert "Send mail (to='all') [c1]" in result.stderr
    assert shell.json("ask", "Mail them", code=1)["waitingRunId"] == CHILD
    assert not api.sent(EVENTS)


def test_options_of_a_run_reach_the_api(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, stream(QUEUED, finished()))
    limits = ("--max-steps", "9", "--timeout", "60", "--max-tokens", "5000", "--max-cost", "0.5", "--max-depth", "0")
    shell.run("ask", "How many days?", "--no-clarifications", *limits)
    assert api.sent(ASK)[0].body["options"] == {
        "askClarifications": False,
        "maxSteps": 9,
        "timeoutSeconds": 60,
        "maxRunTokens": "5000",
        "maxCost": 0.5,
        "maxDepth": 0,
        "llmId": 0,
    }
    shell.run("ask", "How many days?", "--max-steps", "2000", code=2)


def test_an_autonomous_run_is_started_and_left_alone(api: ApiServer, shell: Shell) -> None:
    run = {"id": RUN, "chatSessionId": 7, "status": "RUN_STATUS_QUEUED", "autoRun": True}
    api.on(about("ChatMessageService/SendMessage", chat_session_id="-"), {"run": run})
    result = shell.run("runs", "start", "Write a report", "--max-steps", "50")
    assert result.stdout == f"Started run {RUN} in session 7.\n"
    (call,) = api.calls
    assert (call.body["content"], call.body["options"]["autoRun"]) == ("Write a report", True)
    assert shell.json("runs", "start", "Write a report")["id"] == RUN
    shell.run("runs", "start", " ", code=2)
    shell.run("runs", "start", "x", "--session", "7", "--assistant", "A", code=2)


def test_an_autonomous_run_is_followed_when_asked(api: ApiServer, shell: Shell) -> None:
    api.on(
        about("ChatMessageService/StreamMessage", chat_session_id=7),
        stream(QUEUED, plan(2, todo(1, "Read")), finished()),
    )
    result = shell.run("runs", "start", "Write a report", "--session", "7", "--wait")
    assert "Todos, 0 of 1 done:\n  [ ] 1. Read\n" in result.stderr
    assert shell.json("runs", "start", "x", "--session", "7", "--wait")["status"] == "completed"


def test_watching_shows_tools_todos_and_sub_agents(api: ApiServer, shell: Shell) -> None:
    api.on(about("RunService/GetRun", id=RUN), {"id": RUN, "chatSessionId": 7, "status": "RUN_STATUS_RUNNING"})
    call = {"toolCallId": "c1", "toolName": "web_fetch", "status": "STEP_STATUS_RUNNING"}
    other = "01926b3e-7c1a-7000-8000-5f0d3c2b1aff"
    api.on(
        EVENTS,
        stream(
            QUEUED,
            plan(2, todo(1, "Read"), todo(2, "Write")),
            plan(3, todo(1, "Read", "IN_PROGRESS"), todo(2, "Write")),
            plan(4, todo(1, "Read", "IN_PROGRESS", actualSteps=1), todo(2, "Write")),
            event("PROGRESS", 5, text="Reading a page", toolCall=call),
            event("PROGRESS", 6, text="Half of it", toolCall=call | {"progressPercentage": 50}),
            event("PROGRESS", 7, toolCall=call | {"status": "STEP_STATUS_FAILED", "errorMessage": "It is gone."}),
            event("PROGRESS", 8, text="Started a sub-agent: write", subRunStarted={"runId": CHILD, "goal": "write"}),
            event("STATUS", 9, text="Waiting for sub-agents", status={"status": "RUN_STATUS_WAITING_FOR_CHILDREN"}),
            event("PROGRESS", 10, CHILD, text="Searching"),
            event("PROGRESS", 10, other, text="Of another run"),
            plan(11, todo(1, "Draft"), run=CHILD),
            *waits(12, QUESTION, CHILD),
            event(
                "FINAL", 14, CHILD, text="Failed", finished={"status": "RUN_STATUS_FAILED", "error": {"message": "No."}}
            ),
            plan(15, todo(1, "Read", "COMPLETED", result="read\nit"), todo(2, "Write")),
            finished(16),
        ),
    )
    result = shell.run("runs", "watch", RUN)
    assert result.stdout.startswith("You get 30 days [1].")
    assert result.stderr.splitlines()[:-1] == [
        "Todos, 0 of 2 done:",
        "  [ ] 1. Read",
        "  [ ] 2. Write",
        "[>] 1. Read",
        "· Reading a page",
        "· Half of it (50 %)",
        "· Web fetch failed: It is gone.",
        "· Started a sub-agent: write",
        "· Waiting for sub-agents",
        "  · Searching",
        "  Todos, 0 of 1 done:",
        "    [ ] 1. Draft",
        "  ? Which year?",
        "    1) 2024",
        "    2) 2025",
        f'    `echomind runs input {CHILD} "TEXT"` answers it.',
        "  · Sub-agent failed: No.",
        "[x] 1. Read - read it",
    ]


def test_watching_a_sub_agent_ends_with_its_output(api: ApiServer, shell: Shell) -> None:
    run = {"id": CHILD, "chatSessionId": 7, "parentRunId": RUN}
    answers = [run | {"status": "RUN_STATUS_RUNNING"}, run | {"status": "RUN_STATUS_COMPLETED", "output": "Written."}]
    api.on(about("RunService/GetRun", id=CHILD), lambda call: answers.pop(0))
    done = event("FINAL", 3, CHILD, finished={"status": "RUN_STATUS_COMPLETED"})
    api.on(EVENTS, stream(QUEUED, event("PROGRESS", 2, CHILD, text="Writing"), done))
    result = shell.run("runs", "watch", CHILD)
    assert result.stdout == "Written.\n"
    assert "· Writing" in result.stderr


def test_a_run_is_answered_and_its_calls_are_decided_by_id(api: ApiServer, shell: Shell) -> None:
    queued = {"id": RUN, "chatSessionId": 7, "status": "RUN_STATUS_QUEUED"}
    api.on(about("RunService/GetRun", id=RUN), waiting_run(pending=QUESTION))
    api.on(about("RunService/(ProvideInput|ApproveToolCall)", id=RUN), queued)
    assert shell.run("runs", "input", RUN, "2024").stdout == "Answered: the run is queued.\n"
    assert shell.run("runs", "approve", RUN).stdout == "Approved: the run is queued.\n"
    assert shell.run("runs", "input", RUN, "2").stdout == "Answered: the run is queued.\n"
    shell.json("runs", "approve", RUN, "--deny", "--call", "c1", "--comment", "Not now.")
    assert [call.body for call in api.changes()] == [
        {"content": "2024"},
        {"toolCallId": "", "approved": True, "comment": ""},
        {"content": "2025"},
        {"toolCallId": "c1", "approved": False, "comment": "Not now."},
    ]
    shell.run("runs", "input", "12", "2024", code=2)


def test_cancelling_an_ended_run_is_distinguished(api: ApiServer, shell: Shell) -> None:
    ends = ["CANCELLED", "COMPLETED"]
    api.on(
        about("RunService/CancelRun", id=RUN),
        lambda call: {"id": RUN, "chatSessionId": 7, "status": f"RUN_STATUS_{ends.pop(0)}"},
    )
    assert shell.run("runs", "cancel", RUN).stdout == "Asked to cancel: the run is cancelled.\n"
    assert shell.run("runs", "cancel", RUN).stdout == "Nothing to cancel: the run is completed.\n"


def test_the_details_of_a_run_are_those_of_each_of_its_runs(api: ApiServer, shell: Shell) -> None:
    prompt = [{"role": "user", "content": "How many?"}, {"role": "tool", "content": "Sent.", "toolCallId": "c1"}]
    child = {"run": {"id": CHILD, "depth": 1, "goal": "Write", "status": "RUN_STATUS_COMPLETED"}, "content": "Twelve."}
    root = {"id": RUN, "input": "Report", "status": "RUN_STATUS_COMPLETED"}
    details = {"run": root, "model": "m-1", "messages": prompt, "content": "Done.", "memberResponses": [child]}
    api.on(about("RunService/GetRunDetails", id=RUN), details)
    assert shell.run("runs", "details", RUN).stdout == (
        f"=== completed: Report (0 steps, 0 tokens) {RUN}; m-1; 0 events\n"
        "--- user\nHow many?\n--- tool (result of c1)\nSent.\n"
        f"=== completed: Write (0 steps, 0 tokens) {CHILD}; 0 events\n--- assistant\nTwelve.\n"
    )
    assert shell.json("runs", "details", RUN)["memberResponses"][0]["content"] == "Twelve."
    shell.run("runs", "details", "7", code=2)


def test_a_tree_a_prompt_and_a_step_are_inspected(api: ApiServer, shell: Shell) -> None:
    child = {"id": CHILD, "parentRunId": RUN, "depth": 1, "goal": "Write", "status": "RUN_STATUS_RUNNING"}
    root = {"id": RUN, "input": "Report", "status": "RUN_STATUS_WAITING_FOR_CHILDREN", "stepsExecuted": 2, "cost": 0.01}
    api.on(about("RunService/GetRunTree", id=RUN), {"runs": [root, child]})
    assert shell.run("runs", "tree", RUN).stdout == (
        f"waiting for children: Report (2 steps, 0 tokens, $0.0100) {RUN}\n"
        f"  running: Write (0 steps, 0 tokens) {CHILD}\n"
    )
    messages = [
        {"role": "user", "content": "How many?"},
        {"role": "assistant", "toolCalls": [APPROVAL["toolCalls"][0]]},
        {"role": "tool", "content": "Sent.", "toolCallId": "c1"},
    ]
    api.on(
        about("RunService/GetStepPrompt", id=RUN, step_number=2),
        {"messages": messages, "omissions": {"messages": 3, "steps": [1]}},
    )
    shown = shell.run("runs", "prompt", RUN, "2")
    assert shown.stdout == (
        "--- user\nHow many?\n--- assistant\ncalls send_mail(to='all') [c1]\n--- tool (result of c1)\nSent.\n"
    )
    assert shown.stderr == "Left out: 3 messages; steps 1, but for a line each.\n"
    assert shell.json("runs", "prompt", RUN, "2")["messages"][0]["content"] == "How many?"
    api.on(about("RunService/ExcludeStep", id=RUN, step_number=2), {"runId": RUN, "stepNumber": 2})
    shell.run("runs", "exclude", RUN, "2")
    shell.run("runs", "exclude", RUN, "2", "--undo")
    assert [call.body for call in api.changes()] == [{"excluded": True}, {"excluded": False}]
