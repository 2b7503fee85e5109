"""What the tests of chat models share."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from echomind_lib.llms import ChatModel, LlmConfig, Provider, create_chat_model, open_model_session
from tests.drivers.model_server import ModelServer
from tests.factories.chat_models import QUICK_RETRIES, MakeModel


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest) -> Provider:
    """One provider of each wire format."""
    chosen: Provider = request.param
    return chosen


@pytest_asyncio.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with open_model_session() as session:
        yield session


@pytest.fixture
def make_model(model_server: ModelServer, http: aiohttp.ClientSession) -> MakeModel:
    """Makes a model at the scripted server; the arguments are those of `LlmConfig`."""

    def make(provider: Provider, **settings: Any) -> ChatModel:
        given: dict[str, Any] = {
            "model_id": "scripted",
            "endpoint": model_server.url,
            "retries": QUICK_RETRIES,
        } | settings
        return create_chat_model(LlmConfig(provider, **given), http)

    return make
