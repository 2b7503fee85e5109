"""Feedback as scores in Langfuse, of the traces of the rated answers."""

import asyncio
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import aiohttp
import structlog
from prometheus_client import Counter
from sqlalchemy import BigInteger, bindparam, select

from echomind_lib.config import TelemetrySettings
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.db.models.chat import ChatMessage
from echomind_lib.db.statements import Query
from echomind_lib.process.retries import RetryPolicy
from echomind_lib.secret_text import redacted
from echomind_lib.telemetry import spans

log = structlog.get_logger(__name__)

_QUEUE: Final = 1000
"""Maximum number of scores that wait for Langfuse; further ones are dropped and counted."""
_TIMEOUT: Final = aiohttp.ClientTimeout(total=10)
_RETRIES: Final = RetryPolicy(first=1.0, longest=10.0, attempts=3)
_COMMENT_CHARACTERS: Final = 2000
_RUN: Final = Query(select(ChatMessage.run_id).where(ChatMessage.id == bindparam("message_id", type_=BigInteger)), UUID)
_SCORES: Final = Counter("echomind_trace_scores_total", "Scores for Langfuse, by outcome.", ["outcome"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """A vote of a person on an answer, or on a passage that it cites."""

    message_id: int
    user_id: int
    chunk_id: str = ""
    """The passage; empty for the answer."""
    is_positive: bool | None
    """None if the vote is withdrawn."""
    comment: str = ""


class Scores:
    """Sends votes to Langfuse. Nothing waits for it: when it is away, votes are dropped and counted."""

    def __init__(self, database: Database, settings: TelemetrySettings) -> None:
        """Prepares it; `run` sends.

        Args:
            database: The database, for the runs of rated answers.
            settings: The settings, with the address of Langfuse.
        """
        self._database, self._settings = database, settings
        self._url = f"{settings.langfuse_url.rstrip('/')}/api/public/scores"
        self._ratings: asyncio.Queue[Rating] = asyncio.Queue(_QUEUE)

    def note(self, rating: Rating) -> None:
        """Queues a vote."""
        try:
            self._ratings.put_nowait(rating)
        except asyncio.QueueFull:
            _SCORES.labels("dropped").inc()

    async def run(self) -> None:
        """Sends queued votes until cancelled."""
        keys = self._settings.langfuse_public_key, self._settings.langfuse_secret_key.get_secret_value()
        async with aiohttp.ClientSession(auth=aiohttp.BasicAuth(*keys), timeout=_TIMEOUT) as http:
            while True:
                rating = await self._ratings.get()
                try:
                    await self._send(http, rating)
                except (aiohttp.ClientError, OSError, TimeoutError, *DATABASE_FAILURES) as error:
                    _SCORES.labels("failed").inc()
                    log.warning("score not sent", error=type(error).__name__)

    async def _send(self, http: aiohttp.ClientSession, rating: Rating) -> None:
        run_id = await _RUN.fetch_one(self._database.pool, message_id=rating.message_id)
        if run_id is None or spans.recorder is None or not spans.recorder.is_sampled(run_id.int):
            return
        score_id = "-".join(filter(None, [str(run_id), str(rating.user_id), rating.chunk_id]))

        async def send() -> None:
            if rating.is_positive is None:
                request = http.delete(f"{self._url}/{score_id}")
            else:
                request = http.post(self._url, json=self._body(score_id, run_id, rating))
            async with request as response:
                if response.status != 404:
                    response.raise_for_status()

        await _RETRIES.call(send, _may_pass)
        _SCORES.labels("sent").inc()

    def _body(self, score_id: str, run_id: UUID, rating: Rating) -> dict[str, object]:
        body: dict[str, object] = {
            "id": score_id,
            "traceId": f"{run_id.int:032x}",
            "name": "citation-feedback" if rating.chunk_id else "user-feedback",
            "value": int(bool(rating.is_positive)),
            "dataType": "BOOLEAN",
        }
        if self._settings.environment:
            body["environment"] = self._settings.environment
        if self._settings.content and rating.comment:
            body["comment"] = redacted(rating.comment[:_COMMENT_CHARACTERS])
        return body


def _may_pass(error: BaseException) -> bool:
    if isinstance(error, aiohttp.ClientResponseError):
        return error.status == 429 or error.status >= 500
    return isinstance(error, aiohttp.ClientError | OSError | TimeoutError)


def scores_of(database: Database, settings: TelemetrySettings) -> Scores | None:
    """Returns what sends scores; None if no Langfuse is configured."""
    return Scores(database, settings) if settings.langfuse_url else None
