"""Servers that cannot be reached, are something else or fall silent."""

import asyncio
import socket
import ssl
from pathlib import Path

import aiohttp
import pytest

from echomind_lib.llms import (
    RETRIES,
    LlmConfig,
    LlmStreamBroken,
    LlmUnavailable,
    Provider,
    Timeouts,
)
from echomind_lib.llms.faults import Faults
from tests.drivers.model_server import Hang, ModelServer, Text
from tests.factories.certificates import self_signed_certificate
from tests.factories.chat_models import MakeModel, failure


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


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


def test_a_connection_time_out_is_distinguished() -> None:
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
