"""Delivers events to webhooks."""

import asyncio
from collections import Counter
from collections.abc import Collection
from typing import Final

import asyncpg
from typing_extensions import override

from echomind_agent.webhooks import Due, WebhookSender, store
from echomind_lib.jobs import DELIVER_WEBHOOKS, Job, JobHandler

LOOK_SECONDS: Final = 1.0
"""Interval at which an enabled webhook's deliveries are looked for."""
DELIVERIES_AT_ONCE: Final = 256
"""Maximum number of deliveries that are sent at once."""
DELIVERIES_OF_A_PERSON: Final = 32
"""Maximum number of them to webhooks of one person, so that slow addresses delay nobody else's events."""


class WebhookDeliveries(JobHandler[None]):
    """Sends what is due, until no webhook is enabled. Enabling one requests the job."""

    kind = DELIVER_WEBHOOKS

    def __init__(self, pool: asyncpg.Pool, sender: WebhookSender) -> None:
        self._pool, self._sender = pool, sender

    @override
    async def work(self, job: Job) -> None:
        """Sends the deliveries that are due, several at once, and looks again when one has ended."""
        sending: dict[asyncio.Task[None], Due] = {}
        try:
            while True:
                for due in await self._due(sending.values()):
                    sending[asyncio.create_task(self._sender.send(due))] = due
                if sending:
                    done, _ = await asyncio.wait(sending, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        due = sending.pop(task)
                        if (error := task.exception()) is not None:
                            # The deliveries that are being sent go on: sent again, they would arrive twice.
                            await self._sender.fail(due, error)
                elif await store.ANY_ENABLED.fetch_one(self._pool):
                    await asyncio.sleep(LOOK_SECONDS)
                else:
                    return
        finally:
            for task in sending:
                task.cancel()
            await asyncio.gather(*sending, return_exceptions=True)

    async def _due(self, sending: Collection[Due]) -> list[Due]:
        """Returns the deliveries to begin now, beside those that are being sent."""
        if len(sending) >= DELIVERIES_AT_ONCE:
            return []
        webhooks, people = Counter(due.webhook_id for due in sending), Counter(due.user_id for due in sending)
        found = await store.DUE.fetch_all(
            self._pool,
            sending=[due.id for due in sending],
            busy_webhooks=[each for each, count in webhooks.items() if count >= store.AT_ONCE],
            busy_people=[each for each, count in people.items() if count >= DELIVERIES_OF_A_PERSON],
        )
        begun = []
        for due in found[: DELIVERIES_AT_ONCE - len(sending)]:
            if webhooks[due.webhook_id] < store.AT_ONCE and people[due.user_id] < DELIVERIES_OF_A_PERSON:
                webhooks[due.webhook_id] += 1
                people[due.user_id] += 1
                begun.append(due)
        return begun
