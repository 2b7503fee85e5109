"""Storing of credentials that a source has replaced, such as a refresh token that is used up."""

from collections.abc import Awaitable, Callable
from typing import Final

import asyncpg
import msgspec
import structlog
from sqlalchemy import Integer, Text, bindparam, update

from echomind_lib.db.models import Connector
from echomind_lib.db.statements import Command
from echomind_lib.secrets import Secrets

log = structlog.get_logger(__name__)

_REPLACE: Final = Command(
    update(Connector)
    .where(Connector.id == bindparam("connector_id", type_=Integer))
    .where(Connector.encrypted_credentials == bindparam("before", type_=Text))
    .values(encrypted_credentials=bindparam("after", type_=Text))
)


def replacing(
    pool: asyncpg.Pool, secrets: Callable[[], Secrets], connector_id: int, stored: str | None
) -> Callable[[msgspec.Struct], Awaitable[None]]:
    """Returns what a source saves its credentials with.

    They replace those that the source was opened with, and no others: whoever connects the connector again meanwhile
    keeps what they gave.

    Args:
        pool: The database.
        secrets: Returns what encrypts them.
        connector_id: Whose they are.
        stored: What the source was opened with, encrypted.
    """

    async def save(credentials: msgspec.Struct) -> None:
        nonlocal stored
        after = secrets().encrypt(msgspec.json.encode(credentials).decode())
        if await _REPLACE.execute(pool, connector_id=connector_id, before=stored, after=after):
            stored = after
        else:
            log.info("credentials were not replaced: others are stored", connector_id=connector_id)

    return save
