"""The reranker that searches use: its row, its server, and the time that a search waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import asyncpg
import structlog
from sqlalchemy import select

from echomind_lib.db.models import Reranker
from echomind_lib.db.statements import Query, columns
from echomind_lib.db.words import RerankProtocol
from echomind_lib.secrets import Secrets, SecretUnreadableError

if TYPE_CHECKING:
    import aiohttp

    from echomind_lib.rerankers.endpoints import RerankerEndpoint

log = structlog.get_logger(__name__)

_KNOWN_SECONDS: Final = 5.0
"""How long the row is used without reading it again."""
_DOWN_SECONDS: Final = 5.0
"""After the server has failed, how long searches do not ask it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveReranker:
    """The row of the active reranker."""

    name: str
    protocol: RerankProtocol
    model_id: str
    endpoint: str
    api_key: str | None
    """Encrypted."""
    candidates: int
    timeout_ms: int


_ACTIVE: Final = Query(
    select(*columns(ActiveReranker, Reranker)).where(Reranker.is_active, Reranker.deleted_date.is_(None)),
    ActiveReranker,
)


class Rerankers:
    """Asks the active reranker. Safe for concurrent use."""

    def __init__(self, pool: asyncpg.Pool, secrets: Callable[[], Secrets]) -> None:
        """Initializes it; nothing is read or connected yet.

        Args:
            pool: The database.
            secrets: Returns what decrypts keys; called when a reranker has one.
        """
        self._pool, self._secrets = pool, secrets
        self._http: aiohttp.ClientSession | None = None
        self._row: ActiveReranker | None = None
        self._endpoint: RerankerEndpoint | None = None
        self._read_at = -_KNOWN_SECONDS
        self._down_until = 0.0

    async def close(self) -> None:
        """Closes the connections."""
        if self._http is not None:
            await self._http.close()

    async def active(self) -> ActiveReranker | None:
        """Returns the active reranker; None if there is none, as of some seconds ago."""
        now = asyncio.get_running_loop().time()
        if self._row is None or now >= self._read_at + _KNOWN_SECONDS:
            row = await _ACTIVE.fetch_one(self._pool)
            if row != self._row:
                self._row, self._endpoint, self._down_until = row, None, 0.0
            self._read_at = now
        return self._row

    async def scores(self, row: ActiveReranker, query: str, texts: Sequence[str]) -> list[float] | None:
        """Returns the scores of texts, see `RerankerEndpoint.scores`; None if the server gives none in time."""
        from echomind_lib.llms.errors import LlmConfigInvalid, LlmError

        clock = asyncio.get_running_loop().time
        if row == self._row and clock() < self._down_until:
            return None
        try:
            return await self._of(row).scores(query, texts, row.timeout_ms / 1000)
        except (LlmConfigInvalid, LlmError, SecretUnreadableError) as error:
            self._down_until = clock() + _DOWN_SECONDS
            log.warning("searched without the reranker", reranker=row.name, error=str(error))
            return None

    def _of(self, row: ActiveReranker) -> RerankerEndpoint:
        """Returns the endpoint of a row.

        Raises:
            LlmConfigInvalid: It cannot be used.
            SecretUnreadableError: Its key cannot be decrypted.
        """
        from echomind_lib.llms.endpoints import open_model_session
        from echomind_lib.rerankers.endpoints import RerankerConfig, RerankerEndpoint

        if self._endpoint is not None and row == self._row:
            return self._endpoint
        if self._http is None:
            self._http = open_model_session()
        config = RerankerConfig(
            protocol=row.protocol,
            endpoint=row.endpoint,
            model_id=row.model_id,
            api_key=self._secrets().decrypt(row.api_key) if row.api_key else None,
        )
        endpoint = RerankerEndpoint(config, self._http)
        if row == self._row:
            self._endpoint = endpoint
        return endpoint
