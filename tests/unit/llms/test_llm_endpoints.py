"""Which endpoints a model may have, and their normal form."""

import socket
from typing import Any

import aiohttp
import pytest

from echomind_lib.llms import (
    ChatRequest,
    LlmBadRequest,
    LlmConfig,
    LlmConfigInvalid,
    Message,
    Provider,
    complete,
    create_chat_model,
)
from echomind_lib.llms.endpoints import normalise_endpoint
from echomind_lib.network.addresses import AddressRefusedError, refuse_address
from tests.drivers.tables import for_each

REQUEST = ChatRequest([Message("user", "Hello")])


@for_each(
    ("provider", "endpoint", "normal"),
    [
        ("openai", None, "https://api.openai.com/v1"),
        ("openai", "", "https://api.openai.com/v1"),
        ("anthropic", None, "https://api.anthropic.com/v1"),
        ("ollama", None, "http://localhost:11434/v1"),
        ("vllm", "http://gpu:8000", "http://gpu:8000/v1"),
        ("vllm", " http://gpu:8000/ ", "http://gpu:8000/v1"),
        ("vllm", "http://gpu:8000/v1/", "http://gpu:8000/v1"),
        ("vllm", "HTTP://GPU:8000/v1", "http://gpu:8000/v1"),
        ("openai", "https://gateway/models/team-a", "https://gateway/models/team-a/v1"),
        ("openai", "https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1"),
        ("anthropic", "https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1"),
        ("anthropic", "https://api.anthropic.com", "https://api.anthropic.com/v1"),
        ("ollama", "http://localhost:11434/api/chat", "http://localhost:11434/v1"),
        ("openai", "https://host/v1beta/openai/", "https://host/v1beta/openai"),
        ("openai", "https://host/api/paas/v4", "https://host/api/paas/v4"),
        ("tgi", "http://[::1]:8080", "http://[::1]:8080/v1"),
        ("tgi", "http://10.0.0.7", "http://10.0.0.7/v1"),
        ("tgi", "http://192.168.1.5:3000", "http://192.168.1.5:3000/v1"),
        ("vllm", "http://127.0.0.1:8000", "http://127.0.0.1:8000/v1"),
    ],
)
def test_normal_form(provider: Provider, endpoint: str | None, normal: str) -> None:
    assert normalise_endpoint(provider, endpoint) == normal
    assert normalise_endpoint(provider, normal) == normal


@for_each(
    ("endpoint", "text"),
    [
        (None, "endpoint is missing"),
        ("localhost:8000", "not an http:// or https:// URL"),
        ("user:secret@host:8000", "not an http:// or https:// URL"),
        ("ftp://host", "not an http:// or https:// URL"),
        ("file:///etc/passwd", "not an http:// or https:// URL"),
        ("http://", "not an http:// or https:// URL"),
        ("http://host:99999", "not a URL"),
        ("http://[::1", "not a URL"),
        ("http://user:secret@host", "user name or password"),
        ("http://host/v1?key=secret", "query or fragment"),
        ("http://169.254.169.254", "link-local, metadata"),
        ("http://169.254.10.10/v1", "link-local, metadata"),
        ("http://[fe80::1]/v1", "link-local, metadata"),
        ("http://[::ffff:169.254.169.254]/v1", "link-local, metadata"),
        ("http://[64:ff9b::a9fe:a9fe]/v1", "link-local, metadata"),
        ("http://[2002:a9fe:a9fe::]/v1", "link-local, metadata"),
        ("http://[fd00:ec2::254]/v1", "link-local, metadata"),
        ("http://100.100.100.200", "link-local, metadata"),
        ("http://0.0.0.0:8000", "link-local, metadata"),
        ("http://224.0.0.1", "link-local, metadata"),
        ("http://metadata.google.internal", "metadata service"),
        ("http://METADATA.google.internal./computeMetadata/v1", "metadata service"),
    ],
)
def test_refused_endpoints(endpoint: str | None, text: str) -> None:
    with pytest.raises(LlmConfigInvalid, match=text) as caught:
        normalise_endpoint("tgi", endpoint)
    assert "secret" not in str(caught.value)


@for_each("address", ["127.0.0.1", "::1", "10.1.2.3", "192.168.0.1", "8.8.8.8", "fd12::1", "2606::1"])
def test_addresses_that_a_model_may_have(address: str) -> None:
    refuse_address(address)


@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1%eth0", "::ffff:169.254.169.254", "::", "ff02::1"])
def test_addresses_that_no_model_may_have(address: str) -> None:
    with pytest.raises(AddressRefusedError):
        refuse_address(address)


@pytest.mark.parametrize(
    "addresses", [["169.254.169.254"], ["127.0.0.1", "169.254.169.254"], ["fe80::1", "::ffff:169.254.1.1"]]
)
async def test_a_name_cannot_lead_to_a_refused_address(
    addresses: list[str], http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = socket.getaddrinfo

    def resolve(host: Any, port: Any, *args: Any, **options: Any) -> list[Any]:
        if host != "innocent.example":
            return list(real(host, port, *args, **options))
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0))
            if ":" in address
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in addresses
        ]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    model = create_chat_model(LlmConfig("vllm", "m", "http://innocent.example:8000"), http)
    with pytest.raises(LlmBadRequest, match="was not contacted") as caught:
        await complete(model, REQUEST)
    assert not caught.value.retryable


@pytest.mark.parametrize("host", ["2852039166", "127.1", "0251.0376.0251.0376"])
async def test_numeric_spellings_of_addresses_are_refused(host: str, http: aiohttp.ClientSession) -> None:
    model = create_chat_model(LlmConfig("vllm", "m", f"http://{host}:8000"), http)
    with pytest.raises(LlmBadRequest, match="was not contacted"):
        await complete(model, REQUEST)


async def test_a_session_that_does_not_check_addresses_is_refused() -> None:
    async with aiohttp.ClientSession() as plain:
        with pytest.raises(TypeError, match="open_model_session"):
            create_chat_model(LlmConfig("openai", "m"), plain)
