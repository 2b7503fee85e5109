"""A provider of settings, and a visitor who signs in at it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from echomind_api.main import Gateway
from echomind_lib.config import Settings
from tests.drivers.client import Client
from tests.drivers.openid_provider import OpenIdProvider, openid_provider
from tests.drivers.sign_in_refusals import settings_of
from tests.drivers.visitor import Visitor
from tests.factories.world import name


@pytest_asyncio.fixture(loop_scope="session")
async def provider() -> AsyncIterator[OpenIdProvider]:
    async with openid_provider() as provider:
        provider.person |= {"sub": name(), "email": f"{name()}@example.org", "preferred_username": name()}
        yield provider


@pytest.fixture
def configure(api_settings: Settings, provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the provider `main` up, with changes of its settings."""

    def change(**changes: Any) -> None:
        monkeypatch.setitem(api_settings.auth.providers, "main", settings_of(provider, **changes))

    change()
    return change


@pytest.fixture
def visitor(anonymous: Client, provider: OpenIdProvider, configure: Any, gateway: Gateway) -> Visitor:
    return Visitor(anonymous, provider)
