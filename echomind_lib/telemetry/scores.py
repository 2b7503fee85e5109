"""Scores in Langfuse, of the traces of runs."""

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final, Generic, TypeVar
from uuid import UUID

import aiohttp
import structlog
from prometheus_client import Counter

from echomind_lib.config import TelemetrySettings
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.process.retries import RetryPolicy
from echomind_lib.secret_text import redacted
from echomind_lib.telemetry import spans

log = structlog.get_logger(__name__)

_QUEUE: Final = 1000
"""Maximum number of scores that wait for Langfuse; further ones are dropped and counted."""
_TIMEOUT: Final = aiohttp.ClientTimeout(total=10)
_RETRIES: Final = RetryPolicy(first=1.0, longest=10.0, attempts=3)
_COMMENT_CHARACTERS: Final = 2000
_SCORES: Final = Counter("echomind_trace_scores_total", "Scores for Langfuse, by outcome.", ["outcome"])

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceScore:
    """A score of the trace of a run."""

    id: str
    """The same for the same thing measured: a later score with it replaces the earlier one."""
    run_id: UUID
    name: str
    value: float | bool | None
    """A number is a share of 0 to 1; None withdraws the score."""
    comment: str = ""
    """Sent only if traces have content."""


class ScoreSender(ABC, Generic[T]):
    """Sends scores to Langfuse. Nothing waits for it: when it is away, scores are dropped and counted."""

    def __init__(self, settings: TelemetrySettings) -> None:
        """Prepares it; `run` sends.

        Args:
            settings: The settings, with the address of Langfuse.
        """
        self._settings = settings
        self._url = f"{settings.langfuse_url.rstrip('/')}/api/public/scores"
        self._waiting: asyncio.Queue[T] = asyncio.Queue(_QUEUE)

    @abstractmethod
    async def score_of(self, measured: T) -> TraceScore | None:
        """Returns the score of what was queued; None if no run belongs to it."""

    def put(self, measured: T) -> None:
        """Queues what becomes a score."""
        try:
            self._waiting.put_nowait(measured)
        except asyncio.QueueFull:
            _SCORES.labels("dropped").inc()

    async def run(self) -> None:
        """Sends what is queued until cancelled."""
        keys = self._settings.langfuse_public_key, self._settings.langfuse_secret_key.get_secret_value()
        headers = {"Authorization": aiohttp.encode_basic_auth(*keys)}
        async with aiohttp.ClientSession(headers=headers, timeout=_TIMEOUT) as http:
            while True:
                measured = await self._waiting.get()
                try:
                    score = await self.score_of(measured)
                    if score is not None:
                        await self._send(http, score)
                except (aiohttp.ClientError, OSError, TimeoutError, *DATABASE_FAILURES) as error:
                    _SCORES.labels("failed").inc()
                    log.warning("score not sent", error=type(error).__name__)

    async def _send(self, http: aiohttp.ClientSession, score: TraceScore) -> None:
        if spans.recorder is None or not spans.recorder.is_sampled(score.run_id.int):
            return

        async def send() -> None:
            if score.value is None:
                request = http.delete(f"{self._url}/{score.id}")
            else:
                request = http.post(self._url, json=self._body(score, score.value))
            async with request as response:
                if response.status != 404:
                    response.raise_for_status()

        await _RETRIES.call(send, _may_pass)
        _SCORES.labels("sent").inc()

    def _body(self, score: TraceScore, value: float | bool) -> dict[str, object]:
        body: dict[str, object] = {
            "id": score.id,
            "traceId": f"{score.run_id.int:032x}",
            "name": score.name,
            "value": int(value) if isinstance(value, bool) else value,
            "dataType": "BOOLEAN" if isinstance(value, bool) else "NUMERIC",
        }
        if self._settings.environment:
            body["environment"] = self._settings.environment
        if self._settings.content and score.comment:
            body["comment"] = redacted(score.comment[:_COMMENT_CHARACTERS])
        return body


def _may_pass(error: BaseException) -> bool:
    if isinstance(error, aiohttp.ClientResponseError):
        return error.status == 429 or error.status >= 500
    return isinstance(error, aiohttp.ClientError | OSError | TimeoutError)
