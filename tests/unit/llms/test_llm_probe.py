"""`probe` tests whether a configured model answers."""

import socket

from echomind_lib.llms import LlmConfig, Provider, probe
from tests.drivers.model_server import Error, ModelServer, Text


async def test_a_model_that_answers(model_server: ModelServer, provider: Provider) -> None:
    result = await probe(LlmConfig(provider, "m-1", model_server.url, max_tokens=5000))
    assert result.ok
    assert result.message.startswith("m-1 answered in ")
    assert result.latency_ms > 0
    assert model_server.requests[0]["max_tokens"] == 64


async def test_a_model_that_does_not(model_server: ModelServer, provider: Provider) -> None:
    model_server.script([Error(401, "wrong key"), Error(503), Text("too late")])
    config = LlmConfig(provider, "m-1", model_server.url, api_key="sk-secret")
    refused = await probe(config)
    assert not refused.ok
    assert "check the API key" in refused.message
    overloaded = await probe(config)
    assert not overloaded.ok
    assert len(model_server.requests) == 2


async def test_an_endpoint_that_cannot_be_used_or_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    refused = await probe(LlmConfig("vllm", "m", f"http://127.0.0.1:{port}"))
    assert not refused.ok
    assert "cannot be reached" in refused.message
    invalid = await probe(LlmConfig("vllm", "m", "http://169.254.169.254"))
    assert not invalid.ok
    assert "link-local" in invalid.message
