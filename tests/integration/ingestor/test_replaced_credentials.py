"""Credentials that a source refreshes while others use them, or while its connector is reconnected."""

import asyncio
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from aiohttp import web
from cryptography.fernet import Fernet

from echomind_ingestor.connectors.protocol import CredentialsRejectedError
from echomind_ingestor.connectors.tokens import RefreshToken
from echomind_ingestor.sync.credentials import StoredCredentials
from echomind_lib.connectors.oauth import OAuthGrant
from echomind_lib.connectors.types.google_drive import GOOGLE_DRIVE, GoogleDriveCredentials
from echomind_lib.db.database import Database
from echomind_lib.secrets import Secrets
from tests.drivers.vendor import scripted_vendor
from tests.factories import rows


def made_of(refresh_token: str) -> GoogleDriveCredentials:
    return GoogleDriveCredentials(oauth=OAuthGrant(refresh_token=refresh_token))


class Row:
    """A connector's row."""

    def __init__(self, database: Database) -> None:
        self.pool = database.pool
        self.secrets = Secrets([Fernet.generate_key().decode()])
        self.id = 0

    async def encrypted(self) -> str | None:
        found: str | None = await self.pool.fetchval(
            "SELECT encrypted_credentials FROM connectors WHERE id = $1", self.id
        )
        return found

    async def opened(self) -> StoredCredentials:
        """As a sync or a test opens them."""
        return StoredCredentials(self.pool, lambda: self.secrets, GOOGLE_DRIVE, self.id, await self.encrypted())

    async def refresh_token(self) -> str:
        return str(msgspec.json.decode(self.secrets.decrypt(await self.encrypted() or ""))["oauth"]["refresh_token"])

    async def put(self, refresh_token: str | None) -> None:
        """Connects it again, or disconnects it."""
        column = None
        if refresh_token is not None:
            column = self.secrets.encrypt(msgspec.json.encode(made_of(refresh_token)).decode())
        await self.pool.execute("UPDATE connectors SET encrypted_credentials = $2 WHERE id = $1", self.id, column)


@pytest_asyncio.fixture(loop_scope="session")
async def row(database: Database) -> Row:
    found = Row(database)
    found.id = (await rows.connector(database.pool))["id"]
    await found.put("first")
    return found


async def test_a_source_replaces_only_what_it_was_opened_with(row: Row) -> None:
    stored = await row.opened()
    assert stored.read() == made_of("first")
    for token in ("second", "third"):
        await stored.replace(made_of(token))
        assert await row.refresh_token() == token
    await row.put("of another sign-in")
    await stored.replace(made_of("fourth"))
    assert await row.refresh_token() == "of another sign-in"
    assert await stored.read_again() == made_of("of another sign-in")
    assert await stored.read_again() is None
    await row.put(None)
    await stored.replace(made_of("fifth"))
    assert (await row.encrypted(), await stored.read_again()) == (None, None)


async def test_what_cannot_be_read_is_not_newer(row: Row) -> None:
    stored = await row.opened()
    await row.pool.execute("UPDATE connectors SET encrypted_credentials = 'damaged' WHERE id = $1", row.id)
    assert await stored.read_again() is None
    assert stored.read() == made_of("first")


async def test_two_processes_can_use_the_same_refresh_token(row: Row) -> None:
    """Such as a sync, and a test of its connector by another ingestor: the vendor takes each refresh token once."""
    current = "first"

    def issue(form: dict[str, str]) -> web.Response:
        nonlocal current
        if form["refresh_token"] != current:
            return web.json_response({"error": "invalid_grant"}, status=400)
        current = f"{current}+"
        return web.json_response({"access_token": f"for {current}", "expires_in": 0, "refresh_token": current})

    async def grant() -> RefreshToken:
        stored = await row.opened()

        async def save(token: str) -> None:
            await asyncio.sleep(0.1)  # time for the other one to be rejected
            await stored.replace(made_of(token))

        async def read_again() -> str:
            found: Any = await stored.read_again()
            return found.oauth.refresh_token if found else ""

        return RefreshToken(
            refresh_token=stored.read().oauth.refresh_token,
            client_id="app",
            client_secret="s3cret",
            save=save,
            read_again=read_again,
        )

    async with scripted_vendor() as (vendor, session):
        vendor.issue = issue
        first, second = vendor.tokens(session, await grant()), vendor.tokens(session, await grant())
        tokens = [*await asyncio.gather(first.get(), second.get()), await first.get(), await second.get()]
        assert len(set(tokens)) == 4
        assert await row.refresh_token() == current
        current = "revoked"
        with pytest.raises(CredentialsRejectedError):
            await first.get()
