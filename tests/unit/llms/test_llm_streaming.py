"""Whole answers, over a real connection, in both wire formats."""

import asyncio
import json
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from echomind_lib.llms import (
    ChatEvent,
    ChatModel,
    ChatRequest,
    Completion,
    LlmError,
    Message,
    Provider,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolSpec,
    Usage,
    complete,
)
from echomind_lib.llms.tokens import count_tokens
from tests.drivers.model_server import CutOff, Hang, Malformed, ModelServer, Raw, Slow, StreamError, Text, Tools
from tests.factories.chat_models import MakeModel

REQUEST = ChatRequest([Message("system", "Be brief."), Message("user", "How many days?")])
SEARCH = ToolSpec(
    "search", "Finds passages.", {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
)
POEM = "Grüße aus Köln 🌍, 东京,\n\n«слово» \N{ZERO WIDTH JOINER} the end."


async def events_of(model: ChatModel, request: ChatRequest = REQUEST) -> list[ChatEvent]:
    async with aclosing(model.stream(request)) as events:
        return [event async for event in events]


def openai_events(*chunks: dict[str, Any] | str) -> bytes:
    return b"".join(f"data: {c if isinstance(c, str) else json.dumps(c)}\n\n".encode() for c in chunks)


def delta(finish_reason: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish_reason}]}


async def test_deltas_then_one_completion(make_model: MakeModel, model_server: ModelServer, provider: Provider) -> None:
    model_server.script([Text(POEM, chunk=1, delay_ms=1, reasoning="Let me think.")])
    events = await events_of(make_model(provider))
    completion = events[-1]
    assert isinstance(completion, Completion)
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == completion.text == POEM
    assert "".join(e.text for e in events if isinstance(e, ReasoningDelta)) == completion.reasoning == "Let me think."
    assert sum(isinstance(e, Completion) for e in events) == 1
    assert all(e.text for e in events)
    assert completion.finish_reason == "stop"
    assert completion.model == "scripted"
    assert completion.tool_calls == []
    assert completion.usage.completion_tokens == len(f"Let me think. {POEM}".split())
    assert not completion.usage.estimated


async def test_deltas_come_when_sent(make_model: MakeModel, model_server: ModelServer, provider: Provider) -> None:
    model_server.script([Hang(after="one two")])
    async with aclosing(make_model(provider).stream(REQUEST)) as events:
        received = ""
        while received != "one two":
            event = await anext(events)
            assert isinstance(event, TextDelta)
            received += event.text


async def test_pieces_are_read_together(make_model: MakeModel, model_server: ModelServer, provider: Provider) -> None:
    """The first one at once, and the end at once: with reads that are an hour apart, all others come together."""
    words = "One two three four five six seven eight nine ten"
    model_server.script([Text(words, chunk=1, delay_ms=5, reasoning="Let me think.")])
    request = ChatRequest(REQUEST.messages, read_every=3600.0)
    async with asyncio.timeout(30):
        events = await events_of(make_model(provider), request)
    texts = [event.text for event in events if isinstance(event, TextDelta)]
    assert "".join(texts) == words
    assert len(texts) == 2
    assert sum(isinstance(event, ReasoningDelta) for event in events) > 1


async def test_pieces_are_read_at_intervals(
    make_model: MakeModel, model_server: ModelServer, provider: Provider
) -> None:
    model_server.script([Text(POEM, chunk=1, delay_ms=5)])
    events = await events_of(make_model(provider), ChatRequest(REQUEST.messages, read_every=0.04))
    texts = [event.text for event in events if isinstance(event, TextDelta)]
    assert "".join(texts) == POEM
    assert 3 <= len(texts) < len(POEM) / 2


async def test_every_byte_may_come_alone(make_model: MakeModel, model_server: ModelServer, provider: Provider) -> None:
    if provider == "openai":
        stream = openai_events(delta(content=POEM), delta("stop"), "[DONE]").replace(b"\n\n", b"\r\n\r\n")
    else:
        stream = b"".join(
            f"event: {event['type']}\r\ndata: {json.dumps(event, ensure_ascii=False)}\r\n\r\n".encode()
            for event in (
                {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3, "output_tokens": 1}}},
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": POEM}},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
                {"type": "message_stop"},
            )
        )
    model_server.script([Raw([stream[i : i + 1] for i in range(len(stream))], delay_ms=0.01)])
    assert (await complete(make_model(provider), REQUEST)).text == POEM


async def test_an_answer_without_streaming_is_accepted(
    make_model: MakeModel, model_server: ModelServer, provider: Provider
) -> None:
    def whole(body: dict[str, Any]) -> Raw:
        if provider == "openai":
            call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "x"}'}}
            message = {"role": "assistant", "content": POEM, "reasoning": "hm", "tool_calls": [call]}
            answer: dict[str, Any] = {
                "model": "m-1",
                "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
                "usage": {"prompt_tokens": 5, "completion_tokens": 7},
            }
        else:
            answer = {
                "type": "message",
                "model": "m-1",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "text", "text": POEM},
                    {"type": "tool_use", "id": "c1", "name": "search", "input": {"query": "x"}},
                ],
                "stop_reason": "tool_use",
                "usage": {"input_tokens": 5, "output_tokens": 7},
            }
        encoded = json.dumps(answer).encode()
        return Raw([b"\n", encoded[:40], encoded[40:]], content_type="application/json")

    model_server.respond(whole)
    events = await events_of(make_model(provider), ChatRequest(REQUEST.messages, [SEARCH]))
    completion = events[-1]
    assert isinstance(completion, Completion)
    assert events[:-1] == [ReasoningDelta("hm"), TextDelta(POEM)] or events[:-1] == [
        TextDelta(POEM),
        ReasoningDelta("hm"),
    ]
    assert completion.tool_calls[0].id == "c1"
    assert json.loads(completion.tool_calls[0].arguments) == {"query": "x"}
    assert (completion.finish_reason, completion.model) == ("tool_calls", "m-1")
    assert completion.usage == Usage(5, 7)


@pytest.mark.parametrize("interleave", [False, True])
async def test_parallel_tool_calls_are_put_together(
    make_model: MakeModel, model_server: ModelServer, provider: Provider, interleave: bool
) -> None:
    calls: list[tuple[str, dict[str, Any] | str]] = [
        ("search", {"query": "Urlaub für 2025"}),
        ("search", {"query": "a much longer query, which needs many fragments"}),
        ("list", {}),
    ]
    model_server.script([Tools(calls, text="I look.", chunk=3, interleave=interleave)])
    completion = await complete(make_model(provider), ChatRequest(REQUEST.messages, [SEARCH]))
    assert [(c.name, json.loads(c.arguments)) for c in completion.tool_calls] == calls
    assert len({c.id for c in completion.tool_calls}) == 3
    assert completion.text == "I look."
    assert completion.finish_reason == "tool_calls"


async def test_a_conversation_with_tools_and_signed_reasoning_continues(
    make_model: MakeModel, model_server: ModelServer, provider: Provider
) -> None:
    model = make_model(provider)
    calls: list[tuple[str, dict[str, Any] | str]] = [("search", {"query": "a"}), ("search", {"query": "b"})]
    model_server.script([Tools(calls, text="I look.", reasoning="Two searches."), Text("Done.")])
    first = await complete(model, ChatRequest(REQUEST.messages, [SEARCH]))
    results = [Message("tool", f"found {call.arguments}", tool_call_id=call.id) for call in first.tool_calls]
    second = await complete(model, ChatRequest([*REQUEST.messages, first.message(), *results], [SEARCH]))
    assert second.text == "Done."
    sent = model_server.requests[1]["messages"]
    if provider == "openai":
        assert [m["role"] for m in sent] == ["system", "user", "assistant", "tool", "tool"]
        assert sent[2]["reasoning_content"] == "Two searches."
        assert sent[3] == {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": 'found {"query": "a"}'}
    else:
        assert [m["role"] for m in sent] == ["user", "assistant", "user"]
        assert [b["type"] for b in sent[1]["content"]] == ["thinking", "text", "tool_use", "tool_use"]
        assert sent[1]["content"][0] == {
            "type": "thinking",
            "thinking": "Two searches.",
            "signature": "signed-00000001",
        }
        assert [b["tool_use_id"] for b in sent[2]["content"]] == [c.id for c in first.tool_calls]


async def test_a_conversation_may_change_its_provider(make_model: MakeModel, model_server: ModelServer) -> None:
    openai, anthropic = make_model("openai"), make_model("anthropic")
    messages = list(REQUEST.messages)
    for model in (openai, anthropic, openai, anthropic):
        model_server.script([Tools([("search", {"query": "a"})], reasoning="Thinking.")])
        completion = await complete(model, ChatRequest(messages, [SEARCH]))
        messages += [completion.message(), Message("tool", "found", tool_call_id=completion.tool_calls[0].id)]
    model_server.script([Text("Done.")])
    assert (await complete(openai, ChatRequest(messages, [SEARCH]))).text == "Done."


async def test_a_missing_count_is_marked_as_estimated(
    make_model: MakeModel, model_server: ModelServer, provider: Provider
) -> None:
    model_server.script([Text("The answer is 30 days.", usage=False), Tools([("search", {"query": "a"})], usage=False)])
    model = make_model(provider)
    text = await complete(model, REQUEST)
    assert text.usage.estimated
    assert text.usage.completion_tokens == count_tokens("The answer is 30 days.")
    tools = await complete(model, ChatRequest(REQUEST.messages, [SEARCH]))
    assert tools.usage.estimated
    assert tools.usage.prompt_tokens > text.usage.prompt_tokens > 0
    assert tools.usage.completion_tokens > 0


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
async def test_finish_reasons(
    make_model: MakeModel, model_server: ModelServer, provider: Provider, reason: str
) -> None:
    model_server.script([Text("Hello", finish_reason=reason)])
    assert (await complete(make_model(provider), REQUEST)).finish_reason == reason


async def test_an_answer_may_be_empty(make_model: MakeModel, model_server: ModelServer, provider: Provider) -> None:
    model_server.script([Text("")])
    events = await events_of(make_model(provider))
    assert len(events) == 1
    assert isinstance(events[0], Completion)
    assert events[0].text == ""


async def test_closing_the_stream_early_ends_the_request(
    make_model: MakeModel, model_server: ModelServer, provider: Provider
) -> None:
    model_server.script([Hang(after="one two three")])
    async with aclosing(make_model(provider).stream(REQUEST)) as events:
        assert await anext(events)
    await model_server.wait_for_disconnects(1)


async def test_cancelling_the_reader_ends_the_request(
    make_model: MakeModel, model_server: ModelServer, provider: Provider
) -> None:
    model_server.script([Hang(silent=True), Hang(after="one")])
    model = make_model(provider)
    for count in (1, 2):  # before the head of the response, and in its middle
        reader = asyncio.create_task(complete(model, REQUEST))
        await model_server.wait_for_requests(count)
        reader.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reader
        await model_server.wait_for_disconnects(count)


async def test_a_connection_is_used_again(make_model: MakeModel, model_server: ModelServer, provider: Provider) -> None:
    model = make_model(provider)
    for _ in range(3):
        await complete(model, REQUEST)
    assert len(model_server.connections) == 1


async def test_concurrent_streams_do_not_mix(
    make_model: MakeModel, model_server: ModelServer, provider: Provider
) -> None:
    model = make_model(provider)
    model_server.respond(lambda body: Text(f"echo of {body['messages'][-1]['content']} " * 5, delay_ms=1))
    questions = [f"question {n}" for n in range(20)]
    answers = await asyncio.gather(*(complete(model, ChatRequest([Message("user", q)])) for q in questions))
    for question, answer in zip(questions, answers, strict=True):
        assert question in answer.text
        assert all(other not in answer.text.replace(question, "") for other in questions)


async def test_an_answer_has_the_time_of_its_first_part(make_model: MakeModel, model_server: ModelServer) -> None:
    model_server.script([Text("a b c d e f g h", delay_ms=20)])
    asked_at = datetime.now(UTC)
    answer = await complete(make_model("openai"), REQUEST)
    assert answer.began_at is not None
    # Seven pieces of the text followed it.
    assert asked_at < answer.began_at < datetime.now(UTC) - timedelta(milliseconds=100)


async def test_a_slow_first_token_is_waited_for(make_model: MakeModel, model_server: ModelServer) -> None:
    model_server.script([Slow(0.05, Text("late"))])
    assert (await complete(make_model("ollama"), REQUEST)).text == "late"


async def test_a_server_that_leaves_out_done_after_the_finish_reason_is_fine(
    make_model: MakeModel, model_server: ModelServer
) -> None:
    model_server.script([Raw([openai_events(delta(content="Hi"), delta("stop"))[:-2]])])
    assert (await complete(make_model("vllm"), REQUEST)).text == "Hi"


@pytest.mark.parametrize("read_every", [0.0, 0.3])
async def test_errors_after_the_finish_reason_are_ignored(
    make_model: MakeModel, model_server: ModelServer, read_every: float
) -> None:
    parts = [openai_events(delta(content="H")), openai_events(delta(content="i"), delta("stop"))]
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    async def cut_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head)
        for part in parts:
            writer.write(b"%x\r\n%b\r\n" % (len(part), part))
            await writer.drain()
            await asyncio.sleep(0.05)
        writer.close()

    async with await asyncio.start_server(cut_off, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        request = ChatRequest(REQUEST.messages, read_every=read_every)
        completion = await complete(make_model("vllm", endpoint=f"http://127.0.0.1:{port}"), request)
    assert completion.text == "Hi"
    assert completion.usage.estimated


@pytest.mark.parametrize("read_every", [0.0, 0.05])
@pytest.mark.parametrize("turn", [CutOff("one two"), StreamError("one two"), Malformed("one two")])
async def test_what_was_shown_is_not_asked_again(
    make_model: MakeModel,
    model_server: ModelServer,
    provider: Provider,
    turn: CutOff | StreamError | Malformed,
    read_every: float,
) -> None:
    model_server.script([turn, Text("another answer")])
    received = ""

    async def read() -> None:
        nonlocal received
        async for event in make_model(provider).stream(ChatRequest(REQUEST.messages, read_every=read_every)):
            received += event.text

    with pytest.raises(LlmError) as caught:
        await read()
    assert caught.value.retryable
    assert received == "one two"
    assert len(model_server.requests) == 1


async def test_messages_of_the_model_can_be_kept_as_json() -> None:
    call = ToolCall("c1", "search", '{"query": "x"}')
    completion = Completion("text", "why", [call], "tool_calls", Usage(1, 2), "m", '{"openai":{}}')
    assert completion.message() == Message("assistant", "text", [call], provider_state='{"openai":{}}')
