"""Sends an event to a webhook once, and stores what came of it."""

import time
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlsplit

import asyncpg
import structlog
from prometheus_client import Counter
from standardwebhooks.webhooks import Webhook as Signer

from echomind_agent.webhooks import store
from echomind_agent.webhooks.rights import INACTIVE, NO_SUPERADMIN, why_withheld
from echomind_agent.webhooks.store import Due
from echomind_lib.network.fetching import Fetcher, FetchError, FetchLimits
from echomind_lib.network.retry_after import retry_after
from echomind_lib.secrets import Secrets, SecretUnreadableError
from echomind_lib.webhooks import message_id, payload_of

LIMITS: Final = FetchLimits(seconds=15.0)
"""Limits of a request, as the specification recommends."""
AGAIN_AFTER: Final = (5.0, 300.0, 1800.0, 7200.0, 18_000.0, 36_000.0, 50_400.0, 72_000.0, 86_400.0)
"""Seconds after each attempt that failed until the next one, from the specification of Standard Webhooks."""
_LONGEST_HOLD: Final = 900.0
"""Maximum seconds for which nothing is sent to a webhook that fails."""
DISABLE_AFTER_DAYS: Final = 5
"""Days of failures after which a webhook is disabled."""
_OK: Final = range(200, 300)
_REMOVED: Final = 410
_DELIVERIES: Final = Counter(
    "echomind_webhook_deliveries_total", "Attempts to deliver events to webhooks.", ["outcome"]
)

log = structlog.get_logger(__name__)


class WebhookSender:
    """Sends events to webhooks, each attempt signed with the current secrets."""

    def __init__(self, pool: asyncpg.Pool, secrets: Secrets, fetcher: Fetcher) -> None:
        """Initializes it.

        Args:
            pool: The database.
            secrets: Decrypts the secrets of webhooks.
            fetcher: Reaches public addresses, and those that an administrator allows.
        """
        self._pool, self._secrets, self._fetcher = pool, secrets, fetcher

    async def send(self, due: Due) -> None:
        """Makes one attempt. What came of it is stored unless another attempt was stored meanwhile."""
        attempt = {"delivery_id": due.id, "attempts": due.attempts}
        if (reason := await why_withheld(self._pool, due)) is not None:
            await store.WITHHELD.execute(self._pool, **attempt, error=reason)
            _DELIVERIES.labels("withheld").inc()
            if due.is_installation and reason in (INACTIVE, NO_SUPERADMIN):
                await self._disable(due, reason, at_once=True)
            return
        began = time.monotonic()
        status, asked, error = await self._post(due)
        duration = round((time.monotonic() - began) * 1000)
        response = {"response_status": status, "duration_ms": duration}
        if error is None:
            await store.DELIVERED.execute(self._pool, **attempt, **response)
            if due.failures:
                await store.RECOVERED.execute(self._pool, webhook_id=due.webhook_id)
            _DELIVERIES.labels("delivered").inc()
            return
        await self._store_failure(due, error, asked, **response)
        await self._hold(due, error, asked, is_removed=status == _REMOVED)

    async def fail(self, due: Due, error: BaseException) -> None:
        """Stores an attempt that ended by a fault here, beside the request; the next one is made as after a failure."""
        log.error("delivery to a webhook failed", webhook=due.webhook_id, exc_info=error)
        message = "Something went wrong in EchoMind; the log of the agent says more."
        await self._store_failure(due, message, 0.0, response_status=None, duration_ms=None)

    async def _store_failure(self, due: Due, error: str, asked: float, **response: int | None) -> None:
        """Stores a failed attempt, after which the next one is made when it is due, or as late as was asked."""
        again = AGAIN_AFTER[due.attempts] if due.attempts < len(AGAIN_AFTER) else None
        again = again if again is None else max(again, asked)
        attempt = {"delivery_id": due.id, "attempts": due.attempts}
        await store.FAILED.execute(self._pool, **attempt, **response, error=error, again_after=again)
        _DELIVERIES.labels("failed").inc()

    async def _hold(self, due: Due, error: str, asked: float, *, is_removed: bool) -> None:
        """Lets a webhook that failed rest, and disables one that is removed or has failed for days."""
        held_for = max(min(AGAIN_AFTER[0] * 2.0 ** min(due.failures, 16), _LONGEST_HOLD), asked)
        await store.HELD.execute(self._pool, webhook_id=due.webhook_id, held_for=held_for)
        reason = (
            "The address answered that it was removed (HTTP 410)."
            if is_removed
            else f"Every delivery failed for {DISABLE_AFTER_DAYS} days. {error}"
        )
        await self._disable(due, reason, at_once=is_removed)

    async def _disable(self, due: Due, reason: str, *, at_once: bool) -> None:
        """Disables a webhook, at once or after days of failures; its owner and superadmins see why."""
        disabled = {"webhook_id": due.webhook_id, "at_once": at_once, "days": DISABLE_AFTER_DAYS, "reason": reason}
        if await store.DISABLED.execute(self._pool, **disabled):
            log.warning("webhook was disabled", webhook=due.webhook_id)

    async def _post(self, due: Due) -> tuple[int | None, float, str | None]:
        """Returns the status of the answer, the delay that it asks for in seconds, and why the attempt failed."""
        try:
            body = payload_of(due.event_type, due.creation_date, due.data)
            posted = await self._fetcher.post(due.url, body.encode(), self._headers(due, body))
            if posted.status in _OK:
                return posted.status, 0.0, None
            return posted.status, retry_after(posted.headers) or 0.0, f"It answered with status {posted.status}."
        except (FetchError, SecretUnreadableError) as error:
            # The path and the query of an address may hold a token, and errors are shown and logged.
            return None, 0.0, str(error).replace(due.url, urlsplit(due.url).hostname or "The address")
        except Exception as error:
            # Whatever a receiver answers fails its own delivery alone.
            log.exception("delivery to a webhook failed", webhook=due.webhook_id)
            return None, 0.0, f"The request failed: {type(error).__name__}."

    def _headers(self, due: Due, body: str) -> dict[str, str]:
        now, id_ = datetime.now(UTC), message_id(due.id)
        encrypted = (due.encrypted_secret, due.encrypted_previous_secret)
        secrets = [self._secrets.decrypt(each) for each in encrypted if each is not None]
        return {
            "Content-Type": "application/json",
            "webhook-id": id_,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": " ".join(Signer(secret).sign(id_, now, body) for secret in secrets),
        }
