"""The client that knows nothing but descriptors, over both transports, against the sample's service."""

import asyncio
import socket
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import aiohttp
import grpc
import pytest
import pytest_asyncio
from aiohttp import web
from pydantic import ValidationError

from echomind_lib.contract.call_errors import AddressError, AnswerError, ForeignServerError, NotRunningError
from echomind_lib.contract.client import Client, is_repeatable, lookup
from echomind_lib.contract.grpc_client import GrpcTransport
from echomind_lib.contract.http_call import http_call, http_rule
from echomind_lib.contract.http_request import RequestShape
from echomind_lib.contract.rest_client import RestTransport
from echomind_lib.errors import EchoMindError, InternalError, NotFoundError, OverloadedError
from echomind_lib.models import public
from echomind_lib.models.public import (
    ChatMessageService,
    ConnectorService,
    DocumentService,
    LlmService,
    RunService,
    UserService,
)
from echomind_lib.process.retries import RetryPolicy
from tests.drivers.sample_service import grpc_channel, http_address, make_service
from tests.drivers.serving import answering, serving

AT_ONCE = RetryPolicy(first=0.0, attempts=3)
METHODS = [
    getattr(getattr(public, name), method.attribute)
    for name in public.__all__
    for method in getattr(getattr(public, name), "__methods__", ())
]


@pytest_asyncio.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def service(sample: SimpleNamespace) -> Any:
    return make_service(sample)


@pytest_asyncio.fixture(params=["rest", "grpc"])
async def client(request: pytest.FixtureRequest, service: Any, session: aiohttp.ClientSession) -> AsyncIterator[Client]:
    if request.param == "rest":
        async with http_address(service) as url:
            yield Client(RestTransport(url + "/", session, {"X-Who": "ada"}))
    else:
        async with grpc_channel(service) as channel:
            yield Client(GrpcTransport(channel, [("x-who", "ada")]))


async def test_a_request_reaches_the_service_as_it_was_meant(
    client: Client, service: Any, sample: SimpleNamespace
) -> None:
    things, request = sample.models.ThingService, sample.models.GetThingRequest
    given = request(id=7, colours=[1, 2], page={"size": 3}, created_after="2026-01-02T03:04:05Z")
    thing = await client.call(things.get_thing, given)
    assert (thing.id, thing.name) == (7, "thing")
    received, call = service.calls[0]
    assert received == given
    assert call.metadata["x-who"] == "ada"


async def test_every_kind_of_route(client: Client, service: Any, sample: SimpleNamespace) -> None:
    models, things = sample.models, sample.models.ThingService
    made = await client.call(things.create_thing, {"thing": {"name": "box", "origin": {"name": "here"}}})
    assert made.name == "box"
    painted = await client.call(things.paint_thing, {"id": 7, "colour": 1})
    assert (painted.thing.id, painted.thing.colour.word) == (7, "red")
    assert isinstance(painted, models.PaintThingResponse)
    await client.call(things.delete_thing, {"id": 9})
    assert service.calls[-1][0].id == 9


async def test_an_update_changes_only_the_given_fields(client: Client, service: Any, sample: SimpleNamespace) -> None:
    things = sample.models.ThingService
    for thing in ({"name": "new"}, sample.models.ThingPatch(name="new")):
        assert (await client.call(things.update_thing, {"id": 7, "thing": thing})).name == "new"
        assert service.calls[-1][0].update_mask == ["name"]


async def test_items_of_a_stream_and_its_error(client: Client, sample: SimpleNamespace) -> None:
    watch = sample.models.ThingService.watch_thing
    assert [item.text async for item in client.stream(watch, {"id": 1, "script": "begin model message"})] == [
        "model",
        "message",
    ]
    broken = client.stream(watch, {"id": 1, "script": "model fail"})
    assert (await anext(broken)).text == "model"
    with pytest.raises(NotFoundError, match="gone"):
        await anext(broken)


async def test_leaving_a_stream_ends_the_call(client: Client, service: Any, sample: SimpleNamespace) -> None:
    stream = client.stream(sample.models.ThingService.watch_thing, {"id": 1, "script": "model wait wait"})
    service.wait = asyncio.Event().wait
    assert (await anext(stream)).text == "model"
    await stream.aclose()
    async with asyncio.timeout(60):
        while not service.left:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(("thing_id", "kind"), [(404, NotFoundError), (429, OverloadedError), (500, InternalError)])
async def test_errors_of_the_service_are_raised(
    client: Client, sample: SimpleNamespace, thing_id: int, kind: type[EchoMindError]
) -> None:
    with pytest.raises(kind) as caught:
        await client.call(sample.models.ThingService.get_thing, {"id": thing_id})
    assert "secret" not in str(caught.value)
    if kind is NotFoundError:
        assert caught.value.metadata == {"resource": "thing", "id": "404"}


async def test_a_request_that_breaks_a_rule_is_not_sent(client: Client, service: Any, sample: SimpleNamespace) -> None:
    with pytest.raises(ValidationError):
        await client.call(sample.models.ThingService.paint_thing, {"id": 7})
    with pytest.raises(ValidationError, match="colour_of"):
        await client.call(sample.models.ThingService.get_thing, {"id": 7, "colour_of": 1})
    assert service.calls == []


async def test_a_read_is_repeated_while_the_server_is_busy(
    client: Client, service: Any, sample: SimpleNamespace
) -> None:
    service.retry_after_seconds = 0
    with pytest.raises(OverloadedError):
        await client.call(sample.models.ThingService.get_thing, {"id": 429}, retries=AT_ONCE)
    assert len(service.calls) == 3
    with pytest.raises(ValueError, match="may not be repeated"):
        await client.call(sample.models.ThingService.paint_thing, {"id": 7, "colour": 1}, retries=AT_ONCE)


def test_the_contract_defines_which_calls_may_be_retried() -> None:
    def may(method: Any, request: dict[str, Any]) -> bool:
        return is_repeatable(lookup(method)[0], request)

    assert may(RunService.get_run, {"id": "x"})
    assert may(ChatMessageService.set_feedback, {"id": 1})
    assert may(ConnectorService.reconcile_documents, {"id": 1})
    assert may(ChatMessageService.send_message, {"requestId": "r"})
    assert not may(ChatMessageService.send_message, {"content": "x"})
    assert not may(UserService.create_user, {})
    assert not may(LlmService.delete_llm, {"id": 1})


def test_every_method_of_the_contract_is_found_and_has_its_route() -> None:
    for method in METHODS:
        descriptor, known = lookup(method)
        assert descriptor.name == known.name
        rule = http_rule(descriptor)
        if rule is None:
            assert method is DocumentService.upload_document
            continue
        fields = {field.json_name: 1 for field in descriptor.input_type.fields if f"{{{field.name}}}" in rule.template}
        call = http_call(descriptor, fields)
        assert "{" not in call.path, call
        assert call.query == (), call


def test_values_of_paths_and_queries_are_encoded() -> None:
    call = http_call(lookup(RunService.get_run)[0], {"id": "a/b c?"})
    assert call.path == "/api/v1/runs/a%2Fb%20c%3F"
    listed = http_call(lookup(RunService.list_runs)[0], {"rootsOnly": True, "pageSize": 5})
    assert listed.query == (("rootsOnly", "true"), ("pageSize", "5"))
    with pytest.raises(ValueError, match="needs `id`"):
        http_call(lookup(RunService.get_run)[0], {})


async def test_connection_failures_are_distinguished(session: aiohttp.ClientSession) -> None:
    async def fails(url: str) -> None:
        await Client(RestTransport(url, session)).call(LlmService.list_llms)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with pytest.raises(NotRunningError):
        await fails(free)
    with pytest.raises(AddressError):
        await fails("127.0.0.1:8080")
    async with grpc.aio.insecure_channel(free.removeprefix("http://")) as channel:
        with pytest.raises(NotRunningError):
            await Client(GrpcTransport(channel)).call(LlmService.list_llms)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, "<html>", AnswerError),
        (200, '{"llms": [], "surprise": 1}', AnswerError),
        (404, "<html>", ForeignServerError),
        (302, "", ForeignServerError),
        (500, '{"error": "x"}', ForeignServerError),
    ],
)
async def test_another_server_than_echomind_is_recognized(
    session: aiohttp.ClientSession, status: int, body: str, kind: type[Exception]
) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text=body)

    async with serving(answering(answer)) as origin:
        with pytest.raises(kind):
            await Client(RestTransport(origin, session)).call(LlmService.list_llms)


@pytest.mark.parametrize(("given", "segment"), [({}, "-"), ({"chatSessionId": 7}, "7")])
def test_a_dash_in_a_path_means_an_unset_optional_field(given: dict[str, Any], segment: str) -> None:
    method, known = lookup(ChatMessageService.send_message)
    sent = http_call(method, {"content": "x"} | given)
    assert (sent.path, sent.body) == (f"/api/v1/chat-sessions/{segment}/messages", {"content": "x"})
    shape = RequestShape(known.request, ["chat_session_id"], "*", patch=False)
    read = known.request.model_validate(shape.read([segment], b"", b'{"content": "x"}'))
    assert read.model_dump(mode="json", exclude_unset=True) == {"content": "x"} | given


def test_a_dash_has_no_other_meaning() -> None:
    _, known = lookup(ChatMessageService.list_messages)
    shape = RequestShape(known.request, ["chat_session_id"], "", patch=False)
    with pytest.raises(ValidationError, match="chat_session_id"):
        known.request.model_validate(shape.read(["-"], b"", b""))
