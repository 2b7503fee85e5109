"""Plain chat models at /v1, and one turn of a chat front end that asks them for titles, tags and follow-ups."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import openai
import pytest
import pytest_asyncio

from tests.drivers.model_server import Error, Json, ModelServer, Text, Tools, Turn
from tests.drivers.programs import WEATHER, Programs, scripted_programs
from tests.drivers.up import Up

PLAIN = "llm/plain-models"
_TOOLS: Any = [WEATHER]


@pytest_asyncio.fixture(loop_scope="session")
async def programs(up: Up, http: aiohttp.ClientSession, model_server: ModelServer) -> AsyncIterator[Programs]:
    async with scripted_programs(up, http, model_server, "Plain Models") as made:
        yield made


async def _stored(programs: Programs) -> tuple[int, int]:
    """Returns the numbers of runs and of conversations that are listed."""
    return len(await programs.runs()), len((await programs.get("chat-sessions?pageSize=1000")).get("chatSessions", []))


async def test_a_plain_model_answers_without_a_run(programs: Programs) -> None:
    before = await _stored(programs)
    programs.server.script([Text("Blue.")] * 2)
    async with programs.client() as client:
        assert PLAIN in [model.id async for model in client.models.list()]
        model: Any = await client.models.retrieve(PLAIN)
        assert (model.owned_by, model.name) == ("echomind", "Plain Models")
        named = {model.id: getattr(model, "name", "") async for model in client.models.list()}
        assert named[programs.model] == "Plain Models"
        asked: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which colour?"}]
        whole = await client.chat.completions.create(model=PLAIN, messages=asked, temperature=0.5, max_tokens=9)
        stream = await client.chat.completions.create(
            model=PLAIN, messages=asked, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
    assert whole.choices[0].message.content == "Blue."
    assert whole.choices[0].finish_reason == "stop"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Blue."
    assert chunks[-1].usage == whole.usage
    sent = programs.server.requests[-2]
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert (sent["temperature"], "tools" in sent) == (0.5, False)
    assert await _stored(programs) == before


async def test_the_callers_tools_go_to_the_model(programs: Programs) -> None:
    programs.server.script([Tools([("get_weather", {"city": "Berne"})]), Text("Rain.")])
    asked: list[Any] = [{"role": "user", "content": "Is it raining in Berne?"}]
    async with programs.client() as client:
        called = (await client.chat.completions.create(model=PLAIN, messages=asked, tools=_TOOLS)).choices[0]
        assert called.finish_reason == "tool_calls"
        assert called.message.tool_calls
        result = {"role": "tool", "tool_call_id": called.message.tool_calls[0].id, "content": "rain"}
        asked += [called.message.model_dump(exclude_none=True), result]
        answer = await client.chat.completions.create(model=PLAIN, messages=asked, tools=_TOOLS)
    assert answer.choices[0].message.content == "Rain."
    assert [message["role"] for message in programs.server.requests[-1]["messages"]] == ["user", "assistant", "tool"]


async def test_failures_are_errors_of_the_client(programs: Programs) -> None:
    asked: Any = [{"role": "user", "content": "Which colour?"}]
    async with programs.client(max_retries=0) as client:
        with pytest.raises(openai.NotFoundError):
            await client.chat.completions.create(model="llm/unknown", messages=asked)
        with pytest.raises(openai.BadRequestError, match="temperature"):
            await client.chat.completions.create(model=PLAIN, messages=asked, temperature=3)
        with pytest.raises(openai.BadRequestError, match="chat completions only"):
            await client.responses.create(model=PLAIN, input="Which colour?")
        programs.server.script([Error(400, "no")])
        with pytest.raises(openai.BadRequestError):
            await client.chat.completions.create(model=PLAIN, messages=asked)


async def test_one_turn_of_a_chat_front_end_is_one_session_and_one_run(programs: Programs) -> None:
    """Open WebUI with its header for the chat on, and a plain model as its task model."""

    def answer(body: Json) -> Turn:
        question = body["messages"][-1]["content"]
        return Text('{"title": "Leave"}' if "### Task" in question else "Thirty days.")

    programs.server.respond(answer)
    before = await _stored(programs)
    headers = {"X-OpenWebUI-Chat-Id": "turn-of-a-front-end", "X-OpenWebUI-User-Name": "Somebody"}
    asked: Any = [{"role": "user", "content": "How many days of leave do I have?"}]
    tasks = ("a concise title", "1-3 broad tags", "3-5 follow-up questions", "search queries", "an emoji")
    async with programs.client(default_headers=headers) as client:
        stream = await client.chat.completions.create(model=programs.model, messages=asked, stream=True)
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])
        chat = f"<chat_history>\nUSER: {asked[0]['content']}\nASSISTANT: {text}\n</chat_history>"
        prompts = [f"### Task:\nGenerate {task} for the chat.\n{chat}" for task in tasks]
        answers = await asyncio.gather(
            *(
                client.chat.completions.create(model=PLAIN, messages=[{"role": "user", "content": prompt}])
                for prompt in prompts
            )
        )
    assert text == "Thirty days."
    assert [given.choices[0].message.content for given in answers] == ['{"title": "Leave"}'] * len(tasks)
    runs, sessions = await _stored(programs)
    assert (runs - before[0], sessions - before[1]) == (1, 1)
