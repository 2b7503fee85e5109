"""The stored credentials of a connector while a source is read with them: replaced, and read again."""

from collections.abc import Callable
from typing import Any, Final

import asyncpg
import msgspec
import structlog
from sqlalchemy import Integer, Text, bindparam, select, update

from echomind_lib.connectors import ConnectorDefinition, SettingsError
from echomind_lib.db.models import Connector
from echomind_lib.db.statements import Command, Query
from echomind_lib.secrets import Secrets, SecretUnreadableError

log = structlog.get_logger(__name__)

_connector = bindparam("connector_id", type_=Integer)
_REPLACE: Final = Command(
    update(Connector)
    .where(Connector.id == _connector)
    .where(Connector.encrypted_credentials == bindparam("before", type_=Text))
    .values(encrypted_credentials=bindparam("after", type_=Text))
)
_READ: Final = Query(
    select(Connector.encrypted_credentials).where(
        Connector.id == _connector, Connector.deleted_date.is_(None), Connector.encrypted_credentials.is_not(None)
    ),
    str,
)


class StoredCredentials:
    """The credentials of a source. A sync and a test of its connector may use and replace it at the same time."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        secrets: Callable[[], Secrets],
        definition: ConnectorDefinition,
        connector_id: int,
        encrypted: str | None,
    ) -> None:
        """Reads nothing yet.

        Args:
            pool: The database.
            secrets: Returns what encrypts them.
            definition: The connector's type.
            connector_id: ID of their connector.
            encrypted: As the source was opened with them; None for none.
        """
        self._pool = pool
        self._secrets = secrets
        self._definition = definition
        self._connector_id = connector_id
        self._encrypted = encrypted

    def read(self) -> Any:
        """Returns them, typed; None for a type that has none, or for none.

        Raises:
            SecretUnreadableError: They were encrypted with another key.
            SettingsError: They do not fit the type.
        """
        if not self._encrypted or self._definition.credentials is None:
            return None
        return self._definition.read_credentials(msgspec.json.decode(self._secrets().decrypt(self._encrypted)))

    async def replace(self, credentials: msgspec.Struct) -> None:
        """Stores credentials in place of those that the source was opened with, and of no others.

        Whoever connects the connector again meanwhile keeps what they gave.
        """
        after = self._secrets().encrypt(msgspec.json.encode(credentials).decode())
        row = {"connector_id": self._connector_id, "before": self._encrypted}
        if await _REPLACE.execute(self._pool, **row, after=after):
            self._encrypted = after
        else:
            log.info("credentials were not replaced: others are stored", connector_id=self._connector_id)

    async def read_again(self) -> Any:
        """Returns what somebody else has stored since the source was opened; None when nobody has."""
        stored = await _READ.fetch_one(self._pool, connector_id=self._connector_id)
        if not stored or stored == self._encrypted:
            return None
        before, self._encrypted = self._encrypted, stored
        try:
            return self.read()
        except (SecretUnreadableError, SettingsError, msgspec.DecodeError):
            self._encrypted = before
            return None
