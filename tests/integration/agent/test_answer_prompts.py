"""The prompts of answers: rebuilt from what is stored, and what is left out."""

import json
from typing import Any

import msgspec

from echomind_lib.llms import Message, ToolCall
from tests.drivers.agent import Agent
from tests.drivers.model_server import Error, ModelServer, Text, Tools


async def test_prompts_are_rebuilt_from_the_stored_steps(agent: Agent, model_server: ModelServer) -> None:
    model_server.script(
        [
            Text("Hello yourself [1]."),
            Tools([("look_up", {"key": "a"}), ("look_up", {"key": "nothing"})], text="Let me look."),
            Tools([("look_up", {"key": "b"})]),
            Text("Here."),
        ]
    )
    agent.start()
    first = await agent.ask("Hello?")
    await agent.end(first.run_id)
    second = await agent.ask("And now?", first.chat_session_id)
    final = await agent.end(second.run_id)
    assert final.finished.message.content == "Let me look.\n\nHere."
    prompt: list[Message] = []
    for request, step in zip(model_server.requests[1:], await agent.steps(second.run_id), strict=True):
        prompt += msgspec.convert(step["llm_input"], list[Message])
        assert _plain(prompt) == [_parsed(message) for message in request["messages"]]
        output = step["llm_output"]
        prompt.append(Message("assistant", output["text"], msgspec.convert(output["tool_calls"], list[ToolCall])))
    # Citation numbers of the earlier answer would refer to sources of this turn.
    assert [message.content for message in prompt[1:4]] == ["Hello?", "Hello yourself.", "And now?"]


def _plain(prompt: list[Message]) -> list[Any]:
    """Messages as tuples of role, text, calls with parsed arguments, and the call that is answered."""
    return [
        (m.role, m.content, [(c.id, c.name, json.loads(c.arguments)) for c in m.tool_calls], m.tool_call_id)
        for m in prompt
    ]


def _parsed(message: dict[str, Any]) -> Any:
    """Returns the same of a message in a request."""
    calls = [
        (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
        for call in message.get("tool_calls", [])
    ]
    return message["role"], message["content"] or "", calls, message.get("tool_call_id")


async def test_history_is_limited(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(numHistoryRuns=1)
    agent.start()
    session_id = None
    for content in ("one", "two", "three"):
        final = await agent.answer(content, session_id)
        session_id = final.chat_session_id
    assert [message["content"] for message in model_server.requests[2]["messages"][1:]] == ["two", "two", "three"]
    await agent.configure(addHistoryToContext=False)
    await agent.answer("four", session_id)
    assert [message["content"] for message in model_server.requests[3]["messages"][1:]] == ["four"]


async def test_characters_that_the_database_refuses(agent: Agent, model_server: ModelServer) -> None:
    model_server.script(
        [
            Tools([("look_up", '{"key": "a\\u0000b\\ud800c"}'), ("bad\x00name", {"key": "\x00"})], text="One\x00."),
            Text("Two\x00 and \ufffd\U0001f600.", chunk=1),
        ]
    )
    agent.start()
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    content = "One.\n\nTwo and \ufffd\U0001f600."
    assert final.finished.message.content == content
    assert content.startswith(agent.texts(sent.assistant_message_id)[1])
    first, second = await agent.calls(sent.run_id)
    assert first["parameters"] == {"key": "ab\ufffdc"}
    assert first["result"] == "value of ab\ufffdc"
    assert second["tool_name"] == "badname"


async def test_prompt_that_the_server_finds_too_long_is_made_shorter(agent: Agent, model_server: ModelServer) -> None:
    agent.start()
    session_id = None
    for name in ("first", "second", "third"):
        final = await agent.answer(f"{name} " * 300, session_id)
        session_id = final.chat_session_id
    model_server.script([Error(400, "This model's maximum context length is 2048 tokens."), Text("So.")])
    sent = await agent.ask("And now?", session_id)
    assert (await agent.end(sent.run_id)).finished.message.content == "So."
    refused, taken = model_server.requests[-2:]
    assert len(taken["messages"]) < len(refused["messages"])
    assert taken["messages"][-1] == refused["messages"][-1]
    (step,) = await agent.steps(sent.run_id)
    assert step["input_data"]["messages"] == len(refused["messages"]) - len(taken["messages"])


async def test_history_that_does_not_fit_is_left_out_oldest_first(agent: Agent, model_server: ModelServer) -> None:
    agent.start()
    session_id = None
    for name in ("first", "second", "third"):
        final = await agent.answer(f"{name} " * 300, session_id)
        session_id = final.chat_session_id
    await agent.pool.execute("UPDATE llms SET context_tokens = 3000, max_tokens = 500 WHERE provider = 'openai'")
    sent = await agent.ask("And now?", session_id)
    await agent.end(sent.run_id)
    contents = [message["content"].split()[0] for message in model_server.requests[-1]["messages"][1:]]
    assert contents in (["third", "third", "And"], ["second", "second", "third", "third", "And"])
    (step,) = await agent.steps(sent.run_id)
    assert step["input_data"]["messages"] == 6 - len(contents) + 1
