"""The stored credentials of a connector in use by a source, with replacement and reload."""

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
    """The credentials of a source. A sync and a test of its connector may use and replace them concurrently."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        secrets: Callable[[], Secrets],
        definition: ConnectorDefinition,
        connector_id: int,
        encrypted: str | None,
    ) -> None:
        """Initializes the object without reading.

        Args:
            pool: The database.
            secrets: Returns the encryption.
            definition: The connector's type.
            connector_id: ID of the connector.
            encrypted: The encrypted credentials with which the source was opened; None for none.
        """
        self._pool = pool
        self._secrets = secrets
        self._definition = definition
        self._connector_id = connector_id
        self._encrypted = encrypted

    def read(self) -> Any:
        """Returns the typed credentials; None if there are none.

        Raises:
            SecretUnreadableError: They were encrypted with another key.
            SettingsError: They are not valid for the type.
        """
        if not self._encrypted or self._definition.credentials is None:
            return None
        return self._definition.read_credentials(msgspec.json.decode(self._secrets().decrypt(self._encrypted)))

    async def replace(self, credentials: msgspec.Struct) -> None:
        """Replaces the credentials with which the source was opened, unless others were stored meanwhile.

        Credentials from connecting the connector again meanwhile are kept.
        """
        text = msgspec.json.encode(credentials).decode()
        while not await _REPLACE.execute(
            self._pool,
            connector_id=self._connector_id,
            before=self._encrypted,
            after=(after := self._secrets().encrypt(text)),
        ):
            if not await self._was_only_encrypted_again():
                log.info("credentials were not replaced: others are stored", connector_id=self._connector_id)
                return
        self._encrypted = after

    async def _was_only_encrypted_again(self) -> bool:
        """Returns whether the stored credentials are the same with another key, and takes them as those in use."""
        stored = await _READ.fetch_one(self._pool, connector_id=self._connector_id)
        if not stored or not self._encrypted or stored == self._encrypted:
            return False
        secrets = self._secrets()
        try:
            is_same = secrets.decrypt(stored) == secrets.decrypt(self._encrypted)
        except SecretUnreadableError:
            return False
        if is_same:
            self._encrypted = stored
        return is_same

    async def read_again(self) -> Any:
        """Returns credentials stored by others since the source was opened; None if there are none."""
        stored = await _READ.fetch_one(self._pool, connector_id=self._connector_id)
        if not stored or stored == self._encrypted:
            return None
        before, self._encrypted = self._encrypted, stored
        try:
            return self.read()
        except (SecretUnreadableError, SettingsError, msgspec.DecodeError):
            self._encrypted = before
            return None
