"""Delivers events to webhooks."""

import asyncio
from typing import Final

import asyncpg
from typing_extensions import override

from echomind_agent.webhooks import WebhookSender, store
from echomind_lib.jobs import DELIVER_WEBHOOKS, Job, JobHandler

LOOK_SECONDS: Final = 1.0
"""Interval at which an enabled webhook's deliveries are looked for."""


class WebhookDeliveries(JobHandler[None]):
    """Sends what is due, until no webhook is enabled. Enabling one requests the job."""

    kind = DELIVER_WEBHOOKS

    def __init__(self, pool: asyncpg.Pool, sender: WebhookSender) -> None:
        self._pool, self._sender = pool, sender

    @override
    async def work(self, job: Job) -> None:
        """Sends the deliveries that are due, several at once, and looks again."""
        while True:
            if due := await store.DUE.fetch_all(self._pool):
                await asyncio.gather(*map(self._sender.send, due))
            elif await store.ANY_ENABLED.fetch_one(self._pool):
                await asyncio.sleep(LOOK_SECONDS)
            else:
                return
