"""The scripted model server follows its script, also as a process."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from echomind_lib.llms import ChatRequest, LlmBadRequest, LlmConfig, Message, Provider, complete, create_chat_model
from tests.drivers.model_server import Error, ModelServer, Slow, Text, Tools
from tests.factories.chat_models import MakeModel


def ask(text: str) -> ChatRequest:
    return ChatRequest([Message("user", text)])


async def test_script_then_function_then_echo(
    make_model: MakeModel, model_server: ModelServer, provider: Provider
) -> None:
    model = make_model(provider)
    model_server.script([Text("first"), Slow(0.001, Text("second"))])
    assert [(await complete(model, ask("x"))).text for _ in range(3)] == ["first", "second", "x"]

    async def shout(body: dict[str, Any]) -> Text:
        await asyncio.sleep(0)
        return Text(str(body["model"]).upper())

    model_server.respond(shout)
    assert (await complete(model, ask("x"))).text == "SCRIPTED"
    model_server.respond(None)
    model_server.script([Text("a"), Text("b")], repeat=True)
    assert [(await complete(model, ask("x"))).text for _ in range(3)] == ["a", "b", "a"]
    assert len(model_server.requests) == 7


REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "a tool call without its result": (
        "/chat/completions",
        {
            "model": "m",
            "messages": [
                {"role": "user", "content": "x"},
                {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "t", "arguments": "{}"}}]},
                {"role": "user", "content": "y"},
            ],
        },
    ),
    "a result without its tool call": (
        "/chat/completions",
        {"model": "m", "messages": [{"role": "tool", "tool_call_id": "a", "content": "x"}]},
    ),
    "no messages": ("/chat/completions", {"model": "m", "messages": []}),
    "an empty text": ("/messages", {"max_tokens": 1, "messages": [{"role": "user", "content": ""}]}),
    "no token limit": ("/messages", {"messages": [{"role": "user", "content": "x"}]}),
    "a system message": ("/messages", {"max_tokens": 1, "messages": [{"role": "system", "content": "x"}]}),
    "a tool use without its result": (
        "/messages",
        {
            "max_tokens": 1,
            "messages": [
                {"role": "user", "content": "x"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "t", "input": {}}]},
                {"role": "user", "content": "y"},
            ],
        },
    ),
}


@pytest.mark.parametrize(("path", "body"), REFUSED.values(), ids=REFUSED.keys())
async def test_requests_that_a_real_server_refuses(model_server: ModelServer, path: str, body: dict[str, Any]) -> None:
    async with aiohttp.ClientSession() as session, session.post(model_server.url + path, json=body) as response:
        assert response.status == 400


async def test_refusals_reach_the_client(make_model: MakeModel, provider: Provider) -> None:
    with pytest.raises(LlmBadRequest):
        await complete(make_model(provider), ChatRequest([Message("tool", "x", tool_call_id="never-called")]))


async def test_as_a_process(tmp_path: Path, http: aiohttp.ClientSession) -> None:
    script = tmp_path / "script.json"
    turns: list[dict[str, Any]] = [
        {"type": "text", "text": "Hello", "delay_ms": 1, "chunk": 2},
        {"type": "tools", "calls": [["search", {"query": "x"}]]},
        {"type": "error", "status": 401},
        {"type": "slow", "seconds": 0.001, "then": {"type": "text", "text": "late"}},
    ]
    script.write_text(json.dumps(turns))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.drivers.model_server", "--script", str(script), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        assert line.startswith("listening on http://127.0.0.1:")
        url = line.split()[-1]
        model = create_chat_model(LlmConfig("ollama", "m", url), http)
        assert (await complete(model, ask("x"))).text == "Hello"
        assert (await complete(model, ask("x"))).tool_calls[0].name == "search"
        with pytest.raises(Exception, match="API key"):
            await complete(model, ask("x"))
        assert (await complete(model, ask("x"))).text == "late"
        async with http.get(url.removesuffix("/v1") + "/requests") as response:
            assert [body["model"] for body in await response.json()] == ["m"] * 4
        async with http.get(url + "/models") as response:
            assert (await response.json())["data"][0]["id"] == "scripted"
    finally:
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0


def test_turns_can_be_compared() -> None:
    assert Tools([("a", {})]) == Tools([("a", {})])
    assert Error(500) != Error(501)
