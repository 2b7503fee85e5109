"""Credentials that a source replaces while somebody connects its connector again."""

import msgspec
from cryptography.fernet import Fernet

from echomind_ingestor.sync.credentials import replacing
from echomind_lib.connectors.oauth import OAuthGrant
from echomind_lib.connectors.types.google_drive import GoogleDriveCredentials
from echomind_lib.db.database import Database
from echomind_lib.secrets import Secrets
from tests.factories import rows


def made_of(refresh_token: str) -> GoogleDriveCredentials:
    return GoogleDriveCredentials(oauth=OAuthGrant(refresh_token=refresh_token))


async def test_a_source_replaces_only_what_it_was_opened_with(database: Database) -> None:
    secrets = Secrets([Fernet.generate_key().decode()])
    stored = secrets.encrypt(msgspec.json.encode(made_of("first")).decode())
    connector_id = (await rows.connector(database.pool, encrypted_credentials=stored))["id"]
    save = replacing(database.pool, lambda: secrets, connector_id, stored)

    async def refresh_token() -> str:
        column = await database.pool.fetchval(
            "SELECT encrypted_credentials FROM connectors WHERE id = $1", connector_id
        )
        return str(msgspec.json.decode(secrets.decrypt(column))["oauth"]["refresh_token"])

    for token in ("second", "third"):
        await save(made_of(token))
        assert await refresh_token() == token
    again = secrets.encrypt(msgspec.json.encode(made_of("of another sign-in")).decode())
    await database.pool.execute("UPDATE connectors SET encrypted_credentials = $2 WHERE id = $1", connector_id, again)
    await save(made_of("fourth"))
    assert await refresh_token() == "of another sign-in"
    await database.pool.execute("UPDATE connectors SET encrypted_credentials = NULL WHERE id = $1", connector_id)
    await save(made_of("fifth"))
    assert (
        await database.pool.fetchval("SELECT encrypted_credentials FROM connectors WHERE id = $1", connector_id) is None
    )
