"""Plain chat models and quotas: what they use is charged to whoever asks, and refused when a quota is used up."""

from collections.abc import AsyncIterator
from decimal import Decimal

import asyncpg
import pytest
import pytest_asyncio
from cryptography.fernet import Fernet

from echomind_api.transports.openai.chat_request import ChatRequest
from echomind_api.transports.openai.errors import OpenAiError
from echomind_api.transports.openai.models import NamedModel
from echomind_api.transports.openai.plain_models import PlainModels
from echomind_lib.conversations import usage
from echomind_lib.llms import Usage, open_model_session
from echomind_lib.secrets import Secrets
from tests.drivers.model_server import ModelServer, Text
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
    somebody, other = (await rows.user(pool))["id"], (await rows.user(pool))["id"]
    model = NamedModel("llm/plain", 0, llm_id=(await rows.llm(pool, endpoint=model_server.url))["id"])
    model_server.script([Text("Blue.")] * 3)
    async with open_model_session() as http:
        plain = PlainModels(pool, Secrets([Fernet.generate_key().decode()]), http)
        await plain.respond(ASKED, model, somebody)
        assert await tokens(pool, somebody) is None
        quota = {"scope": "user", "user_id": somebody, "period": "day", "max_tokens": 1}
        await rows.insert(pool, "quotas", quota)
        # The request that passes the limit is answered, as what it will use is not known before.
        used = (await plain.respond(ASKED, model, somebody))["usage"]
        assert await tokens(pool, somebody) == used["total_tokens"] > 1
        with pytest.raises(OpenAiError) as refused:
            await plain.respond(ASKED, model, somebody)
        assert (refused.value.status, refused.value.code) == (429, "insufficient_quota")
        assert 0 < (refused.value.retry_after or 0) <= 86_400
        assert await plain.respond(ASKED, model, other)
    assert len(model_server.requests) == 3


async def test_embeddings_are_not_charged(pool: asyncpg.Pool) -> None:
    somebody = (await rows.user(pool))["id"]
    await rows.insert(pool, "quotas", {"scope": "user", "user_id": somebody, "period": "day", "max_tokens": 1})
    await usage.count(pool, somebody, "embedding", Usage(3, 0), Decimal(0))
    assert await tokens(pool, somebody) is None
