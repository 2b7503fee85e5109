"""Everything that can go wrong between asking and the last event, what it is called, and what is tried again."""

import asyncio
import datetime as dt
import ipaddress
import json
import re
import socket
import ssl
from dataclasses import replace
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from echomind_lib.llms import (
    RETRIES,
    ChatRequest,
    LlmAuthFailed,
    LlmBadRequest,
    LlmConfig,
    LlmContentFiltered,
    LlmContextTooLong,
    LlmError,
    LlmQuotaExhausted,
    LlmRateLimited,
    LlmStreamBroken,
    LlmUnavailable,
    Message,
    Provider,
    TextDelta,
    Timeouts,
    ToolCall,
    ToolSpec,
    complete,
)
from echomind_lib.llms.faults import Faults
from echomind_lib.network.retry_after import retry_after
from tests.drivers.model_server import CutOff, Error, Hang, Malformed, ModelServer, Raw, StreamError, Text
from tests.factories.chat_models import MakeModel

REQUEST = ChatRequest([Message("user", "Hello")])
KEY = "sk-very-secret-0123456789"
ONCE = replace(RETRIES, attempts=1)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


async def failure(make_model: MakeModel, provider: Provider = "openai", **settings: Any) -> LlmError:
    """The error of one request, after checks that hold for all."""
    settings = {"api_key": KEY, "retries": ONCE} | settings
    with pytest.raises(LlmError) as caught:
        await complete(make_model(provider, **settings), REQUEST)
    message = str(caught.value)
    assert KEY not in message
    assert message.count("\n") == 0
    assert message.startswith((f"{provider} at ", f"the answer of {provider} at "))
    # Whoever asks is told neither the server nor its words.
    assert caught.value.message == type(caught.value).message
    return caught.value


def test_people_are_told_no_address_or_setting_of_a_model() -> None:
    kinds: list[type[LlmError]] = [LlmError, *LlmError.__subclasses__(), *LlmBadRequest.__subclasses__()]
    for kind in kinds:
        told = kind("openai at 10.0.0.5:8000 cannot be reached", detail="no such model").message
        assert told == kind.message
        assert not re.search(r"\d|://|[A-Z]_|SSL", told)


STATUSES: list[tuple[int, type[LlmError], bool]] = [
    (400, LlmBadRequest, False),
    (401, LlmAuthFailed, False),
    (402, LlmQuotaExhausted, False),
    (403, LlmAuthFailed, False),
    (404, LlmBadRequest, False),
    (405, LlmBadRequest, False),
    (408, LlmUnavailable, True),
    (413, LlmContextTooLong, False),
    (418, LlmBadRequest, False),
    (422, LlmBadRequest, False),
    (424, LlmUnavailable, True),
    (429, LlmRateLimited, True),
    (500, LlmUnavailable, True),
    (501, LlmBadRequest, False),
    (502, LlmUnavailable, True),
    (503, LlmUnavailable, True),
    (504, LlmUnavailable, True),
    (529, LlmUnavailable, True),
]


@pytest.mark.parametrize(("status", "kind", "retryable"), STATUSES)
async def test_http_errors(
    make_model: MakeModel,
    model_server: ModelServer,
    provider: Provider,
    status: int,
    kind: type[LlmError],
    retryable: bool,
) -> None:
    model_server.script([Error(status, f"the server says\nno to {KEY}", "some_kind")] * 3)
    error = await failure(make_model, provider, retries=replace(RETRIES, first=0.0))
    assert type(error) is kind
    assert error.status == status
    assert error.retryable == retryable
    assert f"(HTTP {status}: some_kind: the server says no to ***)" in str(error)
    assert len(model_server.requests) == (3 if retryable else 1)


BODIES: list[tuple[int, Any, type[LlmError]]] = [
    (400, {"error": {"message": "This model's maximum context length is 16384 tokens."}}, LlmContextTooLong),
    (400, {"error": {"message": "too long", "code": "context_length_exceeded"}}, LlmContextTooLong),
    (
        400,
        {"error": {"message": "You passed 9 input tokens. However, the model's context length is only 8"}},
        LlmContextTooLong,
    ),
    (400, {"type": "error", "error": {"message": "prompt is too long: 210000 tokens > 200000"}}, LlmContextTooLong),
    (
        400,
        {"type": "error", "error": {"message": "input length and `max_tokens` exceed context limit: 9 + 4 > 12"}},
        LlmContextTooLong,
    ),
    (
        400,
        {"object": "error", "message": "The decoder prompt (length 9) is longer than the maximum model length of 8."},
        LlmContextTooLong,
    ),
    (400, {"error": "This model's maximum prompt length is 8 but the request contains 9 tokens."}, LlmContextTooLong),
    (
        422,
        {"error": "`inputs` tokens + `max_new_tokens` must be <= 4096", "error_type": "validation"},
        LlmContextTooLong,
    ),
    (400, {"error": {"message": "exceeds the available context size", "code": 400}}, LlmContextTooLong),
    (400, [{"error": {"code": 400, "message": "The input token count exceeds the maximum"}}], LlmContextTooLong),
    (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, LlmQuotaExhausted),
    (400, {"type": "error", "error": {"message": "Your credit balance is too low"}}, LlmQuotaExhausted),
    (400, {"error": {"message": "filtered", "code": "content_filter"}}, LlmContentFiltered),
    (429, {"error": "Model is overloaded", "error_type": "overloaded"}, LlmRateLimited),
    (404, {"detail": "Not Found"}, LlmBadRequest),
    (400, {"object": "error", "message": "bad", "type": "BadRequestError", "code": 400}, LlmBadRequest),
    (422, {"detail": [{"loc": ["body", "messages"], "msg": "Field required"}]}, LlmBadRequest),
    (503, b"<html><body>Service Unavailable</body></html>", LlmUnavailable),
    (500, b"plain text", LlmUnavailable),
    (500, b"", LlmUnavailable),
    (500, b"\xff\xfe", LlmUnavailable),
    (500, b'{"error": "\xff"}', LlmUnavailable),
    (500, "text", LlmUnavailable),
    (500, None, LlmUnavailable),
    (500, [], LlmUnavailable),
]


@pytest.mark.parametrize(("status", "body", "kind"), BODIES)
async def test_error_bodies_of_different_servers(
    make_model: MakeModel, model_server: ModelServer, status: int, body: Any, kind: type[LlmError]
) -> None:
    encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
    model_server.script([Raw([encoded], "application/json", status)])
    error = await failure(make_model)
    assert type(error) is kind
    assert "<html>" not in str(error)


async def test_a_long_error_is_shortened(make_model: MakeModel, model_server: ModelServer) -> None:
    model_server.script([Error(400, "x" * 100_000)])
    assert len(str(await failure(make_model))) < 700


async def test_a_redirect_is_not_followed(make_model: MakeModel, model_server: ModelServer) -> None:
    async def redirect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        location = f"{model_server.url}/chat/completions".encode()
        writer.write(b"HTTP/1.1 307 T\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(redirect, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        error = await failure(make_model, endpoint=f"http://127.0.0.1:{port}")
    assert isinstance(error, LlmBadRequest)
    assert "redirects to 127.0.0.1" in str(error)
    assert model_server.requests == []


async def test_connection_refused(make_model: MakeModel) -> None:
    error = await failure(make_model, endpoint=f"http://127.0.0.1:{free_port()}")
    assert type(error) is LlmUnavailable
    assert error.retryable
    assert "cannot be reached" in str(error)


async def test_unknown_host(make_model: MakeModel) -> None:
    error = await failure(make_model, endpoint="http://no-such-host.invalid")
    assert type(error) is LlmUnavailable
    assert "does not resolve" in str(error)


async def test_no_tls_where_tls_was_asked(make_model: MakeModel, model_server: ModelServer) -> None:
    error = await failure(make_model, endpoint=model_server.url.replace("http:", "https:"))
    assert type(error) is LlmUnavailable
    assert not error.retryable
    assert "TLS" in str(error)


async def test_a_certificate_that_does_not_verify(make_model: MakeModel, tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed_certificate(tmp_path))
    answered: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answered.append(await reader.read())
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context) as server:
        port = server.sockets[0].getsockname()[1]
        error = await failure(make_model, endpoint=f"https://127.0.0.1:{port}")
    assert type(error) is LlmUnavailable
    assert not error.retryable
    assert "SSL_CERT_FILE" in str(error)
    assert answered == []


def self_signed_certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return file


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nda"])
async def test_a_server_that_is_something_else_or_goes_away(make_model: MakeModel, answer: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        error = await failure(make_model, endpoint=f"http://127.0.0.1:{port}")
    assert isinstance(error, LlmUnavailable | LlmStreamBroken)
    assert error.retryable


def test_a_connection_time_out_is_told_apart() -> None:
    faults = Faults(LlmConfig("vllm", "m"), "http://gpu:8000/v1")
    error = faults.from_exception(aiohttp.ConnectionTimeoutError("x"))
    assert type(error) is LlmUnavailable
    assert "did not accept a connection" in str(error)


@pytest.mark.parametrize("turn", [Hang(silent=True), Hang()])
async def test_a_server_that_falls_silent(
    make_model: MakeModel, model_server: ModelServer, provider: Provider, turn: Hang
) -> None:
    model_server.script([turn])
    error = await failure(make_model, provider, timeouts=Timeouts(idle=0.2))
    assert type(error) is LlmUnavailable
    assert "sent nothing for too long" in str(error)
    await model_server.wait_for_disconnects(1)


async def test_a_server_that_falls_silent_within_the_text(
    make_model: MakeModel, model_server: ModelServer, provider: Provider
) -> None:
    model_server.script([Hang(after="one two")])
    error = await failure(make_model, provider, timeouts=Timeouts(idle=0.5), retries=RETRIES)
    assert type(error) is LlmUnavailable
    assert len(model_server.requests) == 1


async def test_an_answer_that_takes_too_long_in_all(
    make_model: MakeModel, model_server: ModelServer, provider: Provider
) -> None:
    model_server.script([Text("word " * 1000, delay_ms=10)])
    error = await failure(make_model, provider, timeouts=Timeouts(idle=5, total=0.5))
    assert type(error) is LlmUnavailable
    await model_server.wait_for_disconnects(1)


@pytest.mark.parametrize(
    ("turn", "kind"),
    [
        (CutOff(), LlmStreamBroken),
        (CutOff("one two"), LlmStreamBroken),
        (CutOff(clean=True), LlmStreamBroken),
        (CutOff("one two", clean=True), LlmStreamBroken),
        (Malformed(), LlmStreamBroken),
        (Malformed("one two"), LlmStreamBroken),
        (StreamError(kind="overloaded_error"), LlmUnavailable),
        (StreamError("one two", kind="overloaded_error"), LlmUnavailable),
        (StreamError("one", kind="rate_limit_error"), LlmRateLimited),
        (StreamError("one", kind="authentication_error"), LlmAuthFailed),
        (StreamError("one", kind="invalid_request_error"), LlmBadRequest),
        (StreamError("one", "prompt is too long", "invalid_request_error"), LlmContextTooLong),
        (StreamError("one", kind="something_new"), LlmUnavailable),
        (Raw([b""]), LlmStreamBroken),
        (Raw([b": ping\n\n"]), LlmStreamBroken),
        (Raw([b"data: 7\n\n"]), LlmStreamBroken),
        (Raw([b'data: "text"\n\n']), LlmStreamBroken),
        (Raw([b'data: {"choices": 7, "type": 7}\n\n']), LlmStreamBroken),
        (Raw([b'data: {"choices": [{"delta": {"content": "\xff"}}], "type": "\xff"}\n\n']), LlmStreamBroken),
        (Raw([b'data: {"x": ' + b"[" * 100_000 + b"\n\n"]), LlmStreamBroken),
        (Raw([b"[]"]), LlmStreamBroken),
        (Raw([b"{}"]), LlmStreamBroken),
        (Raw([b'{"choices": [']), LlmStreamBroken),
        (Raw([b'{"error": {"type": "overloaded_error", "message": "busy"}}']), LlmUnavailable),
        (Raw([b"<!doctype html><title>Sign in</title>"], "text/html"), LlmBadRequest),
    ],
)
async def test_answers_that_break_or_report_an_error(
    make_model: MakeModel, model_server: ModelServer, provider: Provider, turn: Any, kind: type[LlmError]
) -> None:
    model_server.script([turn])
    assert type(await failure(make_model, provider)) is kind


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        ({"error": {"message": "engine died", "code": 502}}, LlmUnavailable),
        ({"error": {"message": "bad", "code": 400}}, LlmBadRequest),
        ({"error": "Model is overloaded", "error_type": "overloaded"}, LlmRateLimited),
        ({"object": "error", "message": "bad", "type": "BadRequestError", "code": 400}, LlmBadRequest),
        ({"choices": [{"delta": {}, "finish_reason": "abort"}]}, LlmUnavailable),
        (
            {"choices": [{"delta": {}, "finish_reason": "error"}], "error": {"code": 429, "message": "x"}},
            LlmRateLimited,
        ),
        ({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c"}]}, "finish_reason": "stop"}]}, LlmStreamBroken),
    ],
)
async def test_errors_inside_streams_of_different_servers(
    make_model: MakeModel, model_server: ModelServer, payload: Any, kind: type[LlmError]
) -> None:
    model_server.script([Raw([f"data: {json.dumps(payload)}\n\n".encode()])])
    assert type(await failure(make_model, "tgi")) is kind


@pytest.mark.parametrize(
    "turn", [Error(503), Error(429, retry_after=0.01), CutOff(), Malformed(), StreamError(), Hang()]
)
async def test_nothing_shown_is_tried_again(
    make_model: MakeModel, model_server: ModelServer, provider: Provider, turn: Any
) -> None:
    model_server.script([turn, turn, Text("at last")])
    model = make_model(provider, timeouts=Timeouts(idle=0.3))
    events = [event async for event in model.stream(REQUEST)]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "at last"
    assert len(model_server.requests) == 3


async def test_tries_are_bounded(make_model: MakeModel, model_server: ModelServer, provider: Provider) -> None:
    model_server.script([Error(503)] * 10)
    await failure(make_model, provider, retries=replace(RETRIES, first=0.0))
    assert len(model_server.requests) == 3


async def test_a_retry_after_beyond_the_limit_is_left_to_the_caller(
    make_model: MakeModel, model_server: ModelServer
) -> None:
    model_server.script([Error(429, retry_after=3600)])
    error = await failure(make_model, retries=RETRIES)
    assert error.retry_after == 3600
    assert len(model_server.requests) == 1


def test_retry_after_headers() -> None:
    soon = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=100)
    assert retry_after({}) is None
    assert retry_after({"Retry-After": "7"}) == 7
    assert retry_after({"Retry-After": "0.5"}) == 0.5
    assert retry_after({"retry-after-ms": "250", "Retry-After": "7"}) == 0.25
    assert retry_after({"Retry-After": format_datetime(soon, usegmt=True)}) == pytest.approx(100, abs=2)
    assert retry_after({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after({"Retry-After": "soon"}) is None
    assert retry_after({"Retry-After": "-3"}) is None


REFUSALS: list[tuple[Provider, str, str, str | None]] = [
    ("openai", "temperature", "Unsupported value: 'temperature' does not support 0.2 with this model.", None),
    ("anthropic", "temperature", "`temperature` is deprecated for this model.", None),
    (
        "openai",
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "max_completion_tokens",
    ),
    ("vllm", "stream_options", "body.stream_options: Extra inputs are not permitted", None),
    ("openai", "parallel_tool_calls", "Unknown parameter: 'parallel_tool_calls'.", None),
]


@pytest.mark.parametrize(("provider_name", "parameter", "message", "replacement"), REFUSALS)
async def test_a_refused_parameter_is_left_out_from_then_on(
    make_model: MakeModel,
    model_server: ModelServer,
    provider_name: Provider,
    parameter: str,
    message: str,
    replacement: str | None,
) -> None:
    model_server.respond(lambda body: Error(400, message) if parameter in body else Text("fine"))
    model = make_model(provider_name, temperature=0.2, max_tokens=50)
    request = ChatRequest(REQUEST.messages, [ToolSpec("t", "T.", {"type": "object"})], parallel_tool_calls=False)
    answers = await asyncio.gather(*(complete(model, request) for _ in range(3)))
    assert [answer.text for answer in answers] == ["fine"] * 3
    before = len(model_server.requests)
    await complete(model, request)
    assert len(model_server.requests) == before + 1
    if replacement:
        assert model_server.requests[-1][replacement] == 50


async def test_reasoning_is_left_out_for_a_server_that_refuses_it(
    make_model: MakeModel, model_server: ModelServer
) -> None:
    def respond(body: dict[str, Any]) -> Error | Text:
        refused = any("reasoning_content" in message for message in body["messages"])
        return Error(400, "messages.1.reasoning_content: Extra inputs are not permitted") if refused else Text("fine")

    model_server.respond(respond)
    state = '{"openai":{"reasoning_content":"why"}}'
    assistant = Message("assistant", "", [ToolCall("c1", "t")], provider_state=state)
    request = ChatRequest([*REQUEST.messages, assistant, Message("tool", "x", tool_call_id="c1")])
    assert (await complete(make_model("openai"), request)).text == "fine"
    assert len(model_server.requests) == 2


async def test_a_refusal_that_leaving_out_does_not_help_ends(make_model: MakeModel, model_server: ModelServer) -> None:
    model_server.script([Error(400, "temperature is not supported")], repeat=True)
    tool = ToolSpec("heat", "Heats.", {"type": "object", "properties": {"temperature": {"type": "number"}}})
    with pytest.raises(LlmBadRequest):
        await complete(make_model("openai", temperature=1.0), ChatRequest(REQUEST.messages, [tool]))
    assert len(model_server.requests) == 2


async def test_a_parameter_that_is_merely_mentioned_is_kept(make_model: MakeModel, model_server: ModelServer) -> None:
    model_server.script([Error(400, "max_tokens is too large: this model supports at most 16384 completion tokens")])
    await failure(make_model, max_tokens=99999)
    assert len(model_server.requests) == 1
