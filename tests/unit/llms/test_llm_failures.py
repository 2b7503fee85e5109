"""Errors of servers, before and within an answer, and their classification."""

import asyncio
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from echomind_lib.llms import (
    RETRIES,
    LlmAuthFailed,
    LlmBadRequest,
    LlmContentFiltered,
    LlmContextTooLong,
    LlmError,
    LlmQuotaExhausted,
    LlmRateLimited,
    LlmStreamBroken,
    LlmUnavailable,
    Provider,
)
from tests.drivers.model_server import CutOff, Error, Malformed, ModelServer, Raw, StreamError
from tests.factories.chat_models import KEY, MakeModel, failure


def test_users_see_no_address_or_setting_of_a_model() -> None:
    kinds: list[type[LlmError]] = [LlmError, *LlmError.__subclasses__(), *LlmBadRequest.__subclasses__()]
    for kind in kinds:
        received = kind("openai at 10.0.0.5:8000 cannot be reached", detail="no such model").message
        assert received == kind.message
        assert not re.search(r"\d|://|[A-Z]_|SSL", received)


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
