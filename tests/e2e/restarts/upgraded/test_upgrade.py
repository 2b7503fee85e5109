"""A data folder of an older version, started by this one: data is kept, and unfinished work is completed."""

import pytest

from tests.drivers.upgraded import MADE, Installation


async def test_keys_still_sign_in(upgraded: Installation) -> None:
    owner = await upgraded.call("GET", "users/me")
    assert await upgraded.call("GET", "users/me", key=MADE["apiKey"]) == owner


@pytest.mark.parametrize("name", MADE["sessions"])
async def test_conversations_replay(upgraded: Installation, name: str) -> None:
    made = MADE["sessions"][name]
    # Other tests continue these conversations.
    messages = (await upgraded.call("GET", f"chat-sessions/{made['session']}/messages"))["messages"]
    for now, before in zip(messages[: len(made["messages"])], made["messages"], strict=True):
        # Fields that are newer than the folder may be there as well.
        known = [
            {name: cited[name] for name in stored}
            for cited, stored in zip(now["citations"], before["citations"], strict=True)
        ]
        assert (now["id"], now["role"], known) == (before["id"], before["role"], before["citations"])
        assert now["content"].startswith(before["content"])
    events = await upgraded.events(made["session"], made["events"][-1])
    assert [int(event["id"]) for event in events][: len(made["events"])] == made["events"]
    calls = [event["toolCall"] for event in events if "toolCall" in event]
    assert all(call["stepNumber"] for call in calls)
    assert {call["toolName"] for call in calls} <= {"search_documents", "calculator", "spawn_sub_agent"}
    started = [event["subRunStarted"]["runId"] for event in events if "subRunStarted" in event]
    assert started == made["runs"][1:]
    tree = (await upgraded.call("GET", f"runs/{made['run']['id']}/tree"))["runs"]
    assert [run["id"] for run in tree][: len(made["runs"])] == made["runs"]
    assert [run["kind"] for run in tree][: len(started) + 1] == [
        "RUN_KIND_AGENT",
        *["RUN_KIND_SUB_AGENT"] * len(started),
    ]


async def test_documents_are_found(upgraded: Installation) -> None:
    for document, query in zip(MADE["documents"], ("colour of the archive's door", "days of paid leave"), strict=True):
        (hit, *_) = (await upgraded.call("POST", "search", {"query": query}))["hits"]
        assert (hit["documentId"], hit["title"]) == (document["id"], document["title"])


async def test_a_paused_run_resumes_and_completes(upgraded: Installation) -> None:
    made = MADE["sessions"]["paused"]
    before = len(upgraded.model.requests)
    await upgraded.call("POST", f"runs/{made['run']['id']}:resume", {})
    message = await upgraded.completed(made["run"]["id"])
    assert message["content"] == "In parts.\n\nAll is found."
    # Conversations of the folder have rested for long enough to be learned from, which asks the model without tools.
    (number,) = (
        number for number in range(before, len(upgraded.model.requests)) if upgraded.model.requests[number].get("tools")
    )
    request = upgraded.model.requests[number]
    asked = [call["function"]["name"] for said in request["messages"] for call in said.get("tool_calls") or []]
    assert asked == ["spawn_sub_agent", "spawn_sub_agent", "calculator"]
    told = [said["content"] for said in request["messages"] if said["role"] == "tool"]
    assert ["Part 1 is found." in told[0], "Part 2 is found." in told[1], "42" in told[2]] == [True] * 3
    assert upgraded.model.headers[number]["authorization"] == f"Bearer {MADE['modelKey']}"
    assert {tool["function"]["name"] for tool in request["tools"]} >= {"search_documents", "spawn_sub_agent"}


async def test_a_run_that_waits_for_approval_goes_through(upgraded: Installation) -> None:
    made = MADE["sessions"]["approval"]
    run = await upgraded.call("GET", f"runs/{made['run']['id']}")
    calls = run["pendingInput"]["toolCalls"]
    assert [(call["toolName"], call["parameters"]) for call in calls] == [
        ("spawn_sub_agent", {"goal": "Part 1"}),
        ("spawn_sub_agent", {"goal": "Part 2"}),
    ]
    await upgraded.call("POST", f"runs/{run['id']}:approveToolCall", {"approved": True})
    assert (await upgraded.completed(run["id"]))["content"] == "In parts.\n\nAll is found."
    (step, _) = (await upgraded.call("GET", f"runs/{run['id']}/steps"))["steps"]
    assert step["action"] == "STEP_ACTION_DELEGATE"


async def test_conversations_continue(upgraded: Installation) -> None:
    session = MADE["sessions"]["quoted"]["session"]
    sent = await upgraded.call(
        "POST", f"chat-sessions/{session}/messages", {"content": "What colour is the archive's door?"}
    )
    message = await upgraded.completed(sent["run"]["id"])
    assert "painted green" in message["content"]
    assert message["citations"][0]["documentId"] == MADE["documents"][0]["id"]
