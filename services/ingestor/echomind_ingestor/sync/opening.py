"""Opens the source of a connector with its settings, credentials, and access to its stored state."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

import asyncpg
import msgspec

from echomind_ingestor.connectors import protocol
from echomind_ingestor.sync import documents, folders
from echomind_ingestor.sync.credentials import StoredCredentials
from echomind_ingestor.sync.frontier import StoredFrontier
from echomind_ingestor.sync.permissions import decode_readers
from echomind_lib.config.settings import ConnectorSettings
from echomind_lib.connectors import PermissionMode, SettingsError, find_definition
from echomind_lib.db.statements import Query
from echomind_lib.network.fetching import AllowedHosts
from echomind_lib.secrets import Secrets, SecretUnreadableError

_CHILDREN: Final = 1000
"""Page size of a folder's children."""


class Stored(Protocol):
    """A connector whose source is opened; it may not be stored yet."""

    @property
    def connector_id(self) -> int:
        """Returns its id; 0 if it is not stored."""

    @property
    def type(self) -> str:
        """Returns the name of its type."""

    @property
    def config(self) -> dict[str, Any]:
        """Returns its settings."""

    @property
    def encrypted_credentials(self) -> str | None:
        """Returns its encrypted credentials; None if it has none."""

    @property
    def permission_mode(self) -> str:
        """Returns its permission mode."""


class Sources:
    """Opens sources, for their syncs and for their tests."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        secrets: Callable[[], Secrets],
        server: ConnectorSettings,
        allowed_hosts: AllowedHosts,
        *,
        max_bytes: int,
    ) -> None:
        """Initializes the shared dependencies of sources.

        Args:
            pool: The database.
            secrets: Returns the decryption of credentials; called only if there are any.
            server: The administrator's settings of sources.
            allowed_hosts: Hosts that may be reached although they are not on the public internet.
            max_bytes: Maximum size of a stored file.
        """
        self._pool = pool
        self._secrets = secrets
        self._server = server
        self._allowed_hosts = allowed_hosts
        self._max_bytes = max_bytes

    def open(self, connector: Stored) -> protocol.SourceConnector[Any]:
        """Returns the source of a connector, an asynchronous context manager.

        Raises:
            CredentialsRejectedError: The stored credentials cannot be read or are not valid.
            SourceError: Its type is not installed, or its settings are not valid.
        """
        definition = find_definition(connector.type)
        if definition is None or not definition.implementation:
            raise protocol.SourceError(
                f"The connector type {connector.type!r} is not installed on this server: ask its operator."
            )
        try:
            settings = definition.read_settings(connector.config)
        except SettingsError as error:
            raise protocol.SourceError(f"The settings do not fit: {error}. Change them.") from error
        try:
            source = definition.load()
        except ImportError as error:
            raise protocol.SourceError(
                f"{definition.title} needs a package that is not installed: {error.name}."
            ) from error
        connector_id, encrypted = connector.connector_id, connector.encrypted_credentials
        stored = StoredCredentials(self._pool, self._secrets, definition, connector_id, encrypted)
        try:
            credentials = stored.read()
        except (SecretUnreadableError, SettingsError, msgspec.DecodeError) as error:
            raise protocol.CredentialsRejectedError(
                "The stored credentials cannot be read: connect it again."
            ) from error
        mode: PermissionMode = "source" if connector.permission_mode == "source" else "scope"
        try:
            definition.check(settings, credentials, mode)
        except SettingsError as error:  # stored by another version
            raise protocol.SourceError(f"The settings do not fit: {error}.") from error
        context = protocol.SourceContext(
            connector_id=connector_id,
            settings=settings,
            credentials=credentials,
            syncs_permissions=mode == "source",
            save_credentials=stored.replace,
            read_credentials=stored.read_again,
            find_known=self._find_known(connector_id),
            find_children=self._find_children(connector_id),
            server=self._server,
            allowed_hosts=self._allowed_hosts,
            folders=self._server.allowed_folders,
            frontier=StoredFrontier(self._pool, connector_id) if connector_id else None,
            max_bytes=self._max_bytes,
        )
        found: protocol.SourceConnector[Any] = source(context)
        return found

    def _find_known(self, connector_id: int) -> Callable[[Iterable[str]], Awaitable[Mapping[str, protocol.Known]]]:
        async def find(ids: Iterable[str]) -> Mapping[str, protocol.Known]:
            named = {"connector_id": connector_id, "source_ids": list(ids)}
            found = {
                each.source_id: protocol.Known(
                    name=each.name,
                    version="",
                    folder_id=each.parent_source_id,
                    readers=decode_readers(each.source_readers),
                    is_folder=True,
                )
                for each in await folders.KNOWN.fetch_all(self._pool, **named)
            }
            for document in await documents.KNOWN.fetch_all(self._pool, **named):
                found[document.source_id] = protocol.Known(
                    name=document.source_name or "",
                    version=document.source_version or "",
                    folder_id=document.folder_source_id or "",
                    readers=decode_readers(document.source_readers),
                    is_folder=False,
                )
            return found

        return find

    def _find_children(self, connector_id: int) -> Callable[[str], AsyncIterator[Sequence[str]]]:
        async def pages(query: Query[str], folder: str) -> AsyncIterator[Sequence[str]]:
            after = ""
            named = {"connector_id": connector_id, "parent": folder, "limit": _CHILDREN}
            while found := await query.fetch_all(self._pool, **named, after=after):
                yield found
                after = found[-1]

        async def find(folder: str) -> AsyncIterator[Sequence[str]]:
            for query in (folders.CHILDREN, documents.CHILDREN):
                async for page in pages(query, folder):
                    yield page

        return find
