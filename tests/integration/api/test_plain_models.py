"""Plain models, embeddings and quotas: what they use is charged to whoever asks, and refused when one is used up."""

from collections.abc import AsyncIterator, Sequence
from types import SimpleNamespace
from typing import Any, cast

import asyncpg
import numpy as np
import pytest
import pytest_asyncio
from cryptography.fernet import Fernet
from starlette.requests import ClientDisconnect

from echomind_api.transports.openai.chat_request import ChatRequest
from echomind_api.transports.openai.embeddings import EmbeddingRequest, embed
from echomind_api.transports.openai.errors import OpenAiError
from echomind_api.transports.openai.models import NamedModel
from echomind_api.transports.openai.plain_models import PlainModels
from echomind_api.transports.openai.stream import OpenAiStream
from echomind_lib.access import Principal
from echomind_lib.llms import open_model_session
from echomind_lib.secrets import Secrets
from tests.drivers.model_server import Error, ModelServer, Text
from tests.factories import rows

ASKED = ChatRequest.model_validate({"model": "llm/plain", "messages": [{"role": "user", "content": "Which colour?"}]})


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def unlimited(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Leaves no quota behind."""
    yield
    await pool.execute("DELETE FROM quotas")
    await pool.execute("DELETE FROM quota_usage")


async def tokens(pool: asyncpg.Pool, user_id: int) -> int | None:
    found: int | None = await pool.fetchval("SELECT tokens FROM quota_usage WHERE user_id = $1", user_id)
    return found


async def test_a_plain_model_is_charged_and_refused_when_a_quota_is_used_up(
    pool: asyncpg.Pool, model_server: ModelServer
) -> None:
    somebody, other = [Principal((await rows.user(pool))["id"]) for _ in range(2)]
    model = NamedModel("llm/plain", 0, llm_id=(await rows.llm(pool, endpoint=model_server.url))["id"])
    model_server.script([Text("Blue.")] * 3)
    async with open_model_session() as http:
        plain = PlainModels(pool, Secrets([Fernet.generate_key().decode()]), http)
        await plain.respond(ASKED, model, somebody)
        assert not await tokens(pool, somebody.user_id)
        quota = {"scope": "user", "user_id": somebody.user_id, "period": "day", "max_tokens": 1}
        await rows.insert(pool, "quotas", quota)
        # The request that passes the limit is answered, as what it will use is not known before.
        used = (await plain.respond(ASKED, model, somebody))["usage"]
        assert await tokens(pool, somebody.user_id) == used["total_tokens"] > 1
        with pytest.raises(OpenAiError) as refused:
            await plain.respond(ASKED, model, somebody)
        assert (refused.value.status, refused.value.code) == (429, "insufficient_quota")
        assert 0 < (refused.value.retry_after or 0) <= 86_400
        assert await plain.respond(ASKED, model, other)
    assert len(model_server.requests) == 3


async def test_settings_reach_the_model(pool: asyncpg.Pool, model_server: ModelServer) -> None:
    somebody = Principal((await rows.user(pool))["id"])
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    given = {"response_format": form, "stop": ["END"], "top_p": 0.5, "tools": [tool], "parallel_tool_calls": False}
    only_openai = {"seed": 7, "presence_penalty": 1, "logit_bias": {"5": 1}}
    model_server.script([Text("{}")] * 3)

    async with open_model_session() as http:
        plain = PlainModels(pool, Secrets([Fernet.generate_key().decode()]), http)

        async def ask(provider: str, **fields: Any) -> dict[str, Any]:
            row = await rows.llm(pool, endpoint=model_server.url, provider=provider, api_key=None)
            request = ChatRequest.model_validate(ASKED.model_dump(exclude_none=True) | fields)
            await plain.respond(request, NamedModel("llm/plain", 0, llm_id=row["id"]), somebody)
            return model_server.requests[-1]

        sent = await ask("openai", **given, **only_openai)
        assert {key: sent[key] for key in given if key != "tools"} == {k: v for k, v in given.items() if k != "tools"}
        assert {key: sent[key] for key in only_openai} == only_openai
        sent = await ask("openai", response_format={"type": "json_object"})
        assert sent["response_format"] == {"type": "json_object"}
        sent = await ask("anthropic", **given | {"stop": "END"})
        assert (sent["stop_sequences"], sent["top_p"]) == (["END"], 0.5)
        assert sent["output_config"]["format"] == {"type": "json_schema", "schema": schema}
        assert sent["tool_choice"]["disable_parallel_tool_use"] is True
        for name, value in (only_openai | {"response_format": {"type": "json_object"}}).items():
            with pytest.raises(OpenAiError) as refused:
                await ask("anthropic", **{name: value})
            assert (refused.value.status, refused.value.param) == (400, name)
    assert len(model_server.requests) == 3


class Leaving:
    """A stream whose client leaves when it has a text."""

    async def data(self, chunk: dict[str, Any]) -> None:
        if any(choice["delta"].get("content") for choice in chunk["choices"]):
            raise ClientDisconnect

    async def done(self) -> None:
        raise AssertionError("the client has left")


async def test_who_leaves_before_the_end_is_charged(pool: asyncpg.Pool, model_server: ModelServer) -> None:
    somebody = Principal((await rows.user(pool))["id"])
    model = NamedModel("llm/plain", 0, llm_id=(await rows.llm(pool, endpoint=model_server.url))["id"])
    quota = {"scope": "user", "user_id": somebody.user_id, "period": "day", "max_tokens": 1}
    await rows.insert(pool, "quotas", quota)
    model_server.script([Text("Blue, as it has been for as long as anybody here can remember.")])
    async with open_model_session() as http:
        plain = PlainModels(pool, Secrets([Fernet.generate_key().decode()]), http)
        with pytest.raises(ClientDisconnect):
            await plain.stream(ASKED, model, somebody, cast("OpenAiStream", Leaving()))
        used = await tokens(pool, somebody.user_id)
        # A prompt of 13 characters, and a part of the answer.
        assert used is not None
        assert used > 4
        with pytest.raises(OpenAiError) as refused:
            await plain.respond(ASKED, model, somebody)
    assert refused.value.code == "insufficient_quota"
    assert len(model_server.requests) == 1


async def test_a_model_that_refuses_costs_nothing(pool: asyncpg.Pool, model_server: ModelServer) -> None:
    somebody = Principal((await rows.user(pool))["id"])
    model = NamedModel("llm/plain", 0, llm_id=(await rows.llm(pool, endpoint=model_server.url))["id"])
    quota = {"scope": "user", "user_id": somebody.user_id, "period": "day", "max_tokens": 1}
    await rows.insert(pool, "quotas", quota)
    model_server.script([Error(400)])
    async with open_model_session() as http:
        plain = PlainModels(pool, Secrets([Fernet.generate_key().decode()]), http)
        with pytest.raises(OpenAiError):
            await plain.respond(ASKED, model, somebody)
    assert not await tokens(pool, somebody.user_id)


class Embedder:
    """An embedding client that returns a vector of one number for each text."""

    def __init__(self) -> None:
        self.texts = 0

    async def get_model(self, _: str) -> Any:
        return SimpleNamespace(model_id="small", dimension=1)

    async def embed_passages(self, texts: Sequence[str], _: str) -> Any:
        self.texts += len(texts)
        return np.ones((len(texts), 1), np.float32)


async def test_embeddings_are_charged_and_refused_when_a_quota_is_used_up(pool: asyncpg.Pool) -> None:
    somebody, client = (await rows.user(pool))["id"], Embedder()
    key = (await rows.api_key(pool, user_id=somebody))["id"]
    request = EmbeddingRequest(model="active", input=["x" * 40, "y" * 20])

    async def send(api_key_id: int | None) -> int:
        asker = Principal(somebody, api_key_id=api_key_id)
        return int((await embed(pool, client, request, asker))["usage"]["total_tokens"])  # type: ignore[arg-type]

    await rows.insert(pool, "quotas", {"scope": "key", "api_key_id": key, "period": "day", "max_tokens": 15})
    assert await send(key) == 15
    assert await pool.fetchval("SELECT tokens FROM quota_usage WHERE api_key_id = $1", key) == 15
    with pytest.raises(OpenAiError) as refused:
        await send(key)
    assert (refused.value.status, refused.value.code, client.texts) == (429, "insufficient_quota", 2)
    await rows.insert(pool, "quotas", {"scope": "user", "user_id": somebody, "period": "day", "max_tokens": 1})
    assert await send(None) == 15
    assert await tokens(pool, somebody) == 15
    with pytest.raises(OpenAiError):
        await send(None)
