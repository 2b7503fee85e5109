"""Providers of settings, and sign-ins at them that are refused."""

from typing import Any

import asyncpg
from pydantic import SecretStr

from echomind_lib.config.providers import ProviderSettings
from tests.drivers.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider
from tests.drivers.visitor import Visitor


def settings_of(provider: OpenIdProvider, **changes: Any) -> ProviderSettings:
    secret = SecretStr(CLIENT_SECRET)
    given: dict[str, Any] = {
        "title": "Example <ID>",
        "issuer": provider.url,
        "client_id": CLIENT_ID,
        "client_secret": secret,
    }
    return ProviderSettings(**given | changes)


async def refused(visitor: Visitor, pool: asyncpg.Pool, words: str, status: int = 401) -> str:
    """Signs in, which is refused and makes no account and no session; returns the page."""
    count = "SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM web_sessions)"
    before = await pool.fetchrow(count)
    response = await visitor.sign_in()
    page = await response.text()
    assert response.status == status, page
    assert words in page
    assert not any(name.startswith("echomind_session") for name in response.cookies)
    assert await pool.fetchrow(count) == before
    return page
