"""Somebody who signs in for connectors."""

import json
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from echomind_api.auth.sessions import Browser
from echomind_api.main import Gateway
from echomind_lib.errors import SignInRefusedError
from tests.drivers.client import Client
from tests.drivers.gateway import NewUser
from tests.drivers.sign_in_provider import CLIENT_SECRET, SignInProvider
from tests.factories import rows

START, COMPLETE = "ConnectorService/StartConnectorSignIn", "ConnectorService/CompleteConnectorSignIn"
CONFIGS: dict[str, dict[str, Any]] = {"google_drive": {"my_drive": True}, "onedrive": {}}


@dataclass
class Signer:
    """Somebody with a connector, in a browser."""

    gateway: Gateway
    owner: Client
    anonymous: Client
    new_user: NewUser
    provider: SignInProvider
    pool: asyncpg.Pool
    person: Client
    page: Client

    async def browser(self, person: Client) -> Client:
        """Another browser that somebody is signed in with."""
        path = (await self.owner.call("AuthService/CreateSignInLink", {"userId": person.user_id}))["path"]
        token = await self.gateway.parts.sessions.begin_by_link(path.partition("=")[2], Browser("127.0.0.1"))
        return self.anonymous.browser(token, person.user_id)

    async def connector(self, type_: str = "google_drive", **values: Any) -> int:
        """Returns a connector of theirs without credentials."""
        given = {"user_id": self.person.user_id, "type": type_, "config": CONFIGS[type_], "status": "pending"}
        row = await rows.connector(self.pool, **given | values)
        return int(row["id"])

    async def start(self, connector_id: int) -> str:
        return str((await self.page.call(START, {"id": connector_id}, "rest"))["url"])

    async def consent(self, connector_id: int) -> dict[str, str]:
        """Begins a sign-in and accepts at the provider."""
        return await self.provider.consent(await self.start(connector_id))

    async def sign_in(self, connector_id: int) -> dict[str, Any]:
        return await self.page.call(COMPLETE, await self.consent(connector_id), "rest")

    async def row(self, connector_id: int) -> asyncpg.Record:
        found = await self.pool.fetchrow("SELECT * FROM connectors WHERE id = $1", connector_id)
        assert found
        return found

    async def refused(self, answer: dict[str, str], connector_id: int, match: str = "") -> None:
        """Sends what a provider has answered, which is refused and changes nothing."""
        before = await self.row(connector_id)
        with pytest.raises(SignInRefusedError, match=match) as caught:
            await self.page.call(COMPLETE, answer, "rest")
        assert await self.row(connector_id) == before
        assert not any(secret in str(caught.value) for secret in (CLIENT_SECRET, *self.provider.issued))

    async def grant(self, connector_id: int) -> dict[str, Any]:
        """Returns what is stored of the last sign-in, decrypted."""
        encrypted = (await self.row(connector_id))["encrypted_credentials"]
        assert not any(token in encrypted for token in self.provider.issued)
        found: dict[str, Any] = json.loads(self.gateway.parts.dependencies.secrets.decrypt(encrypted))["oauth"]
        return found
