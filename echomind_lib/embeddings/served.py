"""The embedding models of servers, as they are stored: where each is, and its vectors as an index needs them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import asyncpg
import structlog
from sqlalchemy import Integer, bindparam, cast, select

from echomind_lib.db.models import EmbeddingModel
from echomind_lib.db.statements import Query, columns
from echomind_lib.db.words import EmbeddingProtocol
from echomind_lib.embeddings.model_ids import ENDPOINT
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.secrets import Secrets, SecretUnreadableError

if TYPE_CHECKING:
    import aiohttp

    from echomind_lib.embeddings.calibrated import Calibration, Limits
    from echomind_lib.embeddings.embedder import Vectors
    from echomind_lib.embeddings.endpoints import EndpointModel
    from echomind_lib.llms.errors import LlmError

log = structlog.get_logger(__name__)

_KNOWN_SECONDS: Final = 5.0
"""How long a row is used without reading it again."""
_DOWN_SECONDS: Final = 5.0
"""After a server has failed for a question, how long others do not wait for it: they are answered by words at once."""
_PASSAGES_SECONDS: Final = 60.0
"""Time limit of a request with passages, and for its retries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredModel:
    """A row of a model of a server."""

    model_id: str
    model_name: str
    model_dimension: int
    protocol: EmbeddingProtocol
    endpoint: str
    api_key: str | None
    """Encrypted."""
    query_prefix: str
    passage_prefix: str
    languages: list[str]
    calibration: dict[str, Any]


_ROW: Final = Query(
    select(*columns(StoredModel, EmbeddingModel)).where(
        cast(EmbeddingModel.id, Integer) == bindparam("id", type_=Integer),
        EmbeddingModel.endpoint.is_not(None),
        EmbeddingModel.deleted_date.is_(None),
    ),
    StoredModel,
)


@dataclass(slots=True)
class _Known:
    """A model as it was read a moment ago."""

    row: StoredModel
    model: EndpointModel
    calibration: Calibration
    read_at: float
    down_until: float = 0.0


class ServedModels:
    """Embeds with models of servers, by the ids that `indexes.rows.EMBEDDER` gives them. Safe for concurrent use."""

    def __init__(self, pool: asyncpg.Pool, secrets: Callable[[], Secrets]) -> None:
        """Initializes it; nothing is read or connected yet.

        Args:
            pool: The database.
            secrets: Returns what decrypts keys; called when a model has one.
        """
        self._pool, self._secrets = pool, secrets
        self._http: aiohttp.ClientSession | None = None
        self._known: dict[str, _Known] = {}

    async def close(self) -> None:
        """Closes the connections."""
        if self._http is not None:
            await self._http.close()

    async def describe(self, model_id: str) -> StoredModel:
        """Returns the row of a model.

        Raises:
            DependencyUnavailableError: It was removed, or cannot be used.
        """
        return (await self._get(model_id)).row

    async def limits(self, model_id: str) -> Limits:
        """Returns the limits for evidence of a model, as `describe`."""
        return (await self._get(model_id)).calibration.limits

    async def embed_queries(self, texts: Sequence[str], model_id: str, seconds: float) -> Vectors:
        """Returns the vectors of questions, `[texts, dimension]`, of unit length.

        Raises:
            DependencyUnavailableError: The server does not answer in time, or its answer cannot be used.
        """
        from echomind_lib.llms.errors import LlmError

        known, clock = await self._get(model_id), asyncio.get_running_loop().time
        if clock() < known.down_until:
            raise _unavailable(known.row, detail="It did not answer a moment ago.")
        try:
            vectors = await known.model.embed_queries(texts, seconds)
        except LlmError as error:
            known.down_until = clock() + _DOWN_SECONDS
            raise _failed(known.row, error) from error
        known.down_until = 0.0
        return known.calibration.centred_queries(_checked(known.row, vectors))

    async def embed_passages(self, texts: Sequence[str], model_id: str) -> Vectors:
        """Returns the vectors of passages, `[texts, dimension]`, of unit length; errors as for `embed_queries`."""
        from echomind_lib.llms.errors import LlmError

        known = await self._get(model_id)
        try:
            vectors = await known.model.embed_passages(texts, _PASSAGES_SECONDS)
        except LlmError as error:
            raise _failed(known.row, error) from error
        return known.calibration.centred_passages(_checked(known.row, vectors))

    async def _get(self, model_id: str) -> _Known:
        now = asyncio.get_running_loop().time()
        known = self._known.get(model_id)
        if known is not None and now < known.read_at + _KNOWN_SECONDS:
            return known
        row = await _ROW.fetch_one(self._pool, id=int(model_id.removeprefix(ENDPOINT)))
        if row is None:
            raise DependencyUnavailableError(
                "The embedding model of the index was removed: tell an administrator.", dependency="embedding"
            )
        if known is not None and known.row == row:
            known.read_at = now
            return known
        known = self._known[model_id] = self._prepared(row, now)
        return known

    def _prepared(self, row: StoredModel, now: float) -> _Known:
        """Returns a model that was read for the first time, or has changed."""
        from echomind_lib.embeddings.calibrated import Calibration
        from echomind_lib.embeddings.endpoints import EndpointConfig, EndpointModel
        from echomind_lib.llms.endpoints import open_model_session
        from echomind_lib.llms.errors import LlmConfigInvalid

        if self._http is None:
            self._http = open_model_session()
        try:
            config = EndpointConfig(
                protocol=row.protocol,
                endpoint=row.endpoint,
                model_id=row.model_id,
                api_key=self._secrets().decrypt(row.api_key) if row.api_key else None,
                query_prefix=row.query_prefix,
                passage_prefix=row.passage_prefix,
            )
            model = EndpointModel(config, self._http)
        except (LlmConfigInvalid, SecretUnreadableError) as error:
            raise _refused(row, str(error)) from error
        calibration = Calibration.from_json(row.calibration, row.model_dimension, row.languages)
        return _Known(row, model, calibration, now)


def _checked(row: StoredModel, vectors: Vectors) -> Vectors:
    """Returns vectors of the dimension of their index.

    Raises:
        DependencyUnavailableError: They have another one.
    """
    if vectors.shape[1] != row.model_dimension:
        raise _refused(row, f"It returns {vectors.shape[1]} dimensions, and its index has {row.model_dimension}.")
    return vectors


def _failed(row: StoredModel, error: LlmError) -> DependencyUnavailableError:
    failure = _unavailable if error.retryable else _refused
    log.warning("embedding model does not answer", model=row.model_name, error=str(error))
    return failure(row, detail=str(error))


def _unavailable(row: StoredModel, detail: str) -> DependencyUnavailableError:
    return DependencyUnavailableError(
        "The server of the embedding model does not answer: try again later.",
        detail=f"{row.model_name}: {detail}",
        dependency="embedding",
    )


def _refused(row: StoredModel, detail: str) -> DependencyUnavailableError:
    return DependencyUnavailableError(
        "The embedding model cannot be used: tell an administrator, who can test it.",
        detail=f"{row.model_name}: {detail}",
        dependency="embedding",
    )
