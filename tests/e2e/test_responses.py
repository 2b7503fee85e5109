"""Programs that speak OpenAI's Responses, by the official client."""

import secrets
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import httpx
import openai
import pytest
import pytest_asyncio
from openai.types.responses import Response

from tests.drivers.model_server import Error, ModelServer, Text, Tools
from tests.drivers.programs import WEATHER, Programs, scripted_programs
from tests.drivers.up import Up

FUNCTION: Any = {"type": "function", **WEATHER["function"], "strict": False}
QUESTION = "Is it raining in Berne?"
SEARCH = Tools([("search_documents", {"query": "How do I add my own documents?"})])
CITED = Text("A folder is added with echomind ingest [1].")


@pytest_asyncio.fixture(loop_scope="session")
async def programs(up: Up, http: aiohttp.ClientSession, model_server: ModelServer) -> AsyncIterator[Programs]:
    """An assistant with a scripted model."""
    async with scripted_programs(up, http, model_server, "Responding") as made:
        yield made


@pytest_asyncio.fixture(loop_scope="session")
async def new_key(up: Up, http: aiohttp.ClientSession) -> str:
    """The API key of somebody else."""
    name = f"stranger-{secrets.token_hex(4)}"
    user = {"user": {"userName": name, "email": f"{name}@example.org"}}
    async with http.post("/api/v1/users", json=user["user"]) as response:
        assert response.status == 200, await response.text()
        made = await response.json()
    async with http.post("/api/v1/auth/links", json={"userId": made["id"]}) as response:
        link = (await response.json())["path"]
    async with aiohttp.ClientSession(up.url, cookie_jar=aiohttp.CookieJar(unsafe=True)) as stranger:
        async with stranger.post("/auth/link", data={"token": link.partition("=")[2]}, headers={"Origin": up.url}):
            pass
        headers = {"X-EchoMind-CSRF": "1"}
        async with stranger.post("/api/v1/api-keys", json={"name": "programs"}, headers=headers) as response:
            assert response.status == 200, await response.text()
            return str((await response.json())["secret"])


async def _streamed(client: openai.AsyncOpenAI, **request: Any) -> tuple[Response, list[Any]]:
    """Returns the response at the end of a stream, and its events."""
    events = [event async for event in await client.responses.create(stream=True, **request)]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    response: Response = events[-1].response
    return response, events


def _turns(programs: Programs) -> list[tuple[str, str]]:
    """Returns what the model was asked last, without the system message."""
    return [(turn["role"], turn["content"]) for turn in programs.server.requests[-1]["messages"][1:]]


async def test_a_response_has_usage_and_both_kinds_of_citations(programs: Programs) -> None:
    programs.server.script([SEARCH, CITED] * 2)
    async with programs.client() as client:
        whole = await client.responses.create(model=programs.model, input="How do I add documents?")
        streamed, events = await _streamed(client, model=programs.model, input="How do I add documents?")
    assert whole.output_text.startswith("A folder is added with echomind ingest [1].\n\nSources:\n[1] [")
    assert streamed.output_text == whole.output_text
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == whole.output_text
    (item,) = whole.output
    assert item.type == "message"
    annotations: Any = item.content[0].annotations  # type: ignore[union-attr]
    assert [each.type for each in annotations] == ["url_citation", "file_citation"]
    assert annotations[0].url == f"{programs.up.url}/documents/{annotations[1].file_id.removeprefix('file-')}"
    assert whole.usage is not None
    assert whole.usage.total_tokens == whole.usage.input_tokens + whole.usage.output_tokens > 0
    assert (whole.status, streamed.status) == ("completed", "completed")
    kinds = list(dict.fromkeys(event.type.removeprefix("response.") for event in events))
    assert kinds == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.annotation.added",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]


async def test_searches_are_items_where_a_request_includes_them(programs: Programs) -> None:
    programs.server.script([SEARCH, CITED, SEARCH, CITED, Text("Yes.")])
    asked: Any = {"model": programs.model, "input": "How do I add documents?", "include": ["file_search_call.results"]}
    async with programs.client() as client:
        whole = await client.responses.create(**asked)
        streamed, events = await _streamed(client, **asked)
        for response in (whole, streamed, await client.responses.retrieve(whole.id, include=asked["include"])):
            output: Any = response.output
            search, message = output
            assert (search.type, message.type) == ("file_search_call", "message")
            assert search.queries == ["How do I add my own documents?"]
            assert search.results
            assert {each.file_id for each in search.results} >= {
                each.file_id for each in message.content[0].annotations if each.type == "file_citation"
            }
            assert all(each.text and each.filename for each in search.results)
        earlier = whole.model_dump(exclude_none=True)["output"]
        follow_up: Any = [{"role": "user", "content": QUESTION}, *earlier, {"role": "user", "content": "Sure?"}]
        await client.responses.create(model=programs.model, input=follow_up)
    assert [role for role, _ in _turns(programs)] == ["user", "assistant", "user"]
    of_search = [event for event in events if event.type.startswith("response.file_search_call.")]
    assert [event.type.rpartition(".")[2] for event in of_search] == ["in_progress", "searching", "completed"]
    assert {event.output_index for event in of_search} == {0}
    texts = [event for event in events if event.type.startswith("response.output_text.")]
    assert {event.output_index for event in texts} == {1}


async def test_previous_response_id_continues_at_once_and_forks(programs: Programs) -> None:
    """The row is stored before the response leaves. Going on from an earlier answer makes another conversation."""
    programs.server.script([Text(f"Answer {number}.") for number in range(10)])
    async with programs.client() as client:
        first = await client.responses.create(model=programs.model, input="Question 0")
        last = first
        for number in range(1, 8):
            last = await client.responses.create(
                model=programs.model, input=f"Question {number}", previous_response_id=last.id
            )
        assert _turns(programs)[-3:] == [("user", "Question 6"), ("assistant", "Answer 6."), ("user", "Question 7")]
        other = await client.responses.create(
            model=programs.model, input="Another", previous_response_id=first.id, instructions="Briefly."
        )
        assert _turns(programs) == [("user", "Question 0"), ("assistant", "Answer 0."), ("user", "Another")]
        assert "<caller_instructions>\nBriefly.\n" in programs.server.requests[-1]["messages"][0]["content"]
    sessions = {run["id"].replace("-", ""): run["chatSessionId"] for run in await programs.runs()}
    by_response = {response.id: sessions[response.id.removeprefix("resp_")] for response in (first, last, other)}
    assert by_response[first.id] == by_response[last.id] != by_response[other.id]


async def test_a_stored_response_is_read_and_deleted(programs: Programs, new_key: str) -> None:
    lookup = Tools([("get_weather", {"city": "Berne"})], text="I look.")
    programs.server.script([SEARCH, CITED, lookup, Text("Yes."), Text("Not stored.")])
    async with programs.client(max_retries=0) as client, programs.client(api_key=new_key) as stranger:
        cited = await client.responses.create(model=programs.model, input="How do I add documents?")
        asked: Any = {"model": programs.model, "input": "Is it raining?", "tools": [FUNCTION]}
        called = await client.responses.create(**asked)
        for response in (cited, called):
            read = await client.responses.retrieve(response.id)
            assert read.output == response.output
            assert (read.usage, read.status, read.model) == (response.usage, "completed", programs.model)
        await client.responses.create(model=programs.model, input="And?", previous_response_id=called.id)
        unstored = await client.responses.create(model=programs.model, input="Whose?", store=False)
        cases = [(client, "resp_no"), (client, unstored.id), (stranger, cited.id)]
        for asker, response_id in cases:
            with pytest.raises(openai.NotFoundError):
                await asker.responses.retrieve(response_id)
            with pytest.raises(openai.NotFoundError):
                await asker.responses.delete(response_id)
        with pytest.raises(openai.ConflictError):
            await client.responses.delete(called.id)
        await client.responses.delete(cited.id)
        with pytest.raises(openai.NotFoundError):
            await client.responses.retrieve(cited.id)


async def test_unknown_foreign_and_unstored_responses_read_alike(programs: Programs, new_key: str) -> None:
    programs.server.script([Text("Mine."), Text("Not stored.")])
    async with programs.client() as client, programs.client(api_key=new_key) as stranger:
        mine = await client.responses.create(model=programs.model, input="Whose?")
        unstored = await client.responses.create(model=programs.model, input="Whose?", store=False)
        cases = [(client, "resp_no"), (client, "resp_" + "0" * 32), (client, unstored.id), (stranger, mine.id)]
        for asker, response_id in cases:
            with pytest.raises(openai.BadRequestError) as caught:
                await asker.responses.create(model=programs.model, input="And?", previous_response_id=response_id)
            assert (caught.value.code, caught.value.param) == ("previous_response_not_found", "previous_response_id")


@pytest.mark.parametrize("how", ["previous", "previous, streamed", "input"])
async def test_the_callers_function_is_called_by_the_caller(programs: Programs, how: str) -> None:
    programs.server.script([Tools([("get_weather", {"city": "Berne"})], text="I look."), Text("Yes, it rains.")])
    request: dict[str, Any] = {"model": programs.model, "tools": [FUNCTION | {"strict": True}]}
    async with programs.client() as client:
        if "streamed" in how:
            asked, events = await _streamed(client, input=QUESTION, **request)
            assert events[-2].item.arguments == '{"city":"Berne"}'
        else:
            asked = await client.responses.create(input=QUESTION, **request)
        (call,) = [item for item in asked.output if item.type == "function_call"]
        assert (call.name, call.arguments) == ("get_weather", '{"city":"Berne"}')
        offered = [tool["function"] for tool in programs.server.requests[-1]["tools"]]
        assert [each["name"] for each in offered if each.get("strict")] == ["get_weather"]
        stored = await client.responses.retrieve(asked.id)
        for response in (asked, stored):
            (tool,) = response.tools
            assert tool.type == "function"
            assert tool.strict
        output = {"type": "function_call_output", "call_id": call.call_id, "output": "Rain."}
        if how == "input":
            request["input"] = [
                {"role": "user", "content": QUESTION},
                {"type": "item_reference", "id": call.id},
                output,
            ]
        else:
            request |= {"input": [output], "previous_response_id": asked.id}
        answer = await client.responses.create(**request)
        assert answer.output_text == "Yes, it rains."
        question = programs.server.requests[-1]["messages"][-1]["content"]
        assert question.startswith(QUESTION)
        assert "Rain." in question
        if how != "input":
            programs.server.script([Text("Until noon.")])
            await client.responses.create(model=programs.model, input="How long?", previous_response_id=answer.id)
            assert _turns(programs) == [("user", QUESTION), ("assistant", "Yes, it rains."), ("user", "How long?")]


async def test_a_failed_run_ends_in_a_failed_response(programs: Programs) -> None:
    programs.server.respond(lambda _: Error(401, "wrong key"))
    async with programs.client() as client:
        with pytest.raises(openai.InternalServerError):
            await client.responses.create(model=programs.model, input=QUESTION)
        failed, events = await _streamed(client, model=programs.model, input=QUESTION)
    assert events[-1].type == "response.failed"
    assert failed.error is not None
    assert str(failed.error.code) == "llm_auth_failed"


async def test_a_stream_never_looks_complete_when_the_gateway_dies(programs: Programs) -> None:
    answer = " ".join(f"word{number}" for number in range(120))
    programs.server.respond(lambda _: Text(answer, delay_ms=20))
    kinds: list[str] = []

    async def read(client: openai.AsyncOpenAI) -> None:
        async for event in await client.responses.create(model=programs.model, input=QUESTION, stream=True):
            kinds.append(event.type)
            if kinds.count("response.output_text.delta") == 5:
                programs.kill("echomind-api")

    async with programs.client() as client:
        with pytest.raises((openai.APIError, httpx.TransportError)):
            await read(client)
    assert "response.completed" not in kinds
    await programs.is_back()


async def test_a_response_that_is_complete_is_stored(programs: Programs) -> None:
    """Another process goes on from it, though the one that gave it is killed as soon as it is complete."""
    programs.server.script([Text("Yes."), Text("Until noon.")])
    response_id = ""
    async with programs.client() as client:
        async for event in await client.responses.create(model=programs.model, input=QUESTION, stream=True):
            if event.type == "response.completed":
                response_id = event.response.id
                programs.kill("echomind-api")
                break
        await programs.is_back()
        last = await client.responses.create(model=programs.model, input="How long?", previous_response_id=response_id)
    assert last.output_text == "Until noon."
    assert _turns(programs) == [("user", QUESTION), ("assistant", "Yes."), ("user", "How long?")]


async def test_file_search_is_limited_to_the_vector_stores_of_the_request(programs: Programs, new_key: str) -> None:
    programs.server.script([SEARCH, Text("Nothing."), SEARCH, CITED])
    asked: Any = {"model": programs.model, "input": "How do I add documents?"}
    async with programs.client() as client, programs.client(api_key=new_key, max_retries=0) as stranger:
        store = await client.vector_stores.create()
        tool: Any = {"type": "file_search", "vector_store_ids": [store.id]}
        limited = await client.responses.create(**asked, tools=[tool])
        assert programs.server.requests[-1]["messages"][-1]["content"].startswith("No passage")
        (kept,) = (await client.responses.retrieve(limited.id)).tools
        assert (kept.type, kept.vector_store_ids) == ("file_search", [store.id])  # type: ignore[union-attr]
        free = await client.responses.create(**asked, previous_response_id=limited.id)
        assert "Sources:" in free.output_text
        with pytest.raises(openai.NotFoundError):
            await stranger.responses.create(**asked, tools=[tool])
        await client.vector_stores.delete(store.id)
