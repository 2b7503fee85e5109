"""An installation with webhooks, and the server that they send to."""

from typing import Any
from uuid import UUID

import asyncpg
import pytest_asyncio
from aiohttp import web
from cryptography.fernet import Fernet
from standardwebhooks.webhooks import Webhook

from echomind_agent.webhooks import WebhookSender, store
from echomind_lib.db.database import Database
from echomind_lib.network.fetching import Fetcher
from echomind_lib.secrets import Secrets
from tests.drivers.site import Site
from tests.factories import rows as make
from tests.factories.rows import Rows

SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"  # of the specification
RUNS = ["run_completed", "run_failed", "run_cancelled", "run_waiting_for_input"]


class Receiver:
    """An installation with webhooks, and the server that they send to."""

    def __init__(self, pool: asyncpg.Pool, site: Site, fetcher: Fetcher, user_id: int) -> None:
        self.pool, self.site, self.fetcher, self.user_id = pool, site, fetcher, user_id
        self.secrets = Secrets([Fernet.generate_key().decode()])
        self.sender = WebhookSender(pool, self.secrets, fetcher)
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        """What the next requests are answered; 204 once it is empty."""
        self.headers: dict[str, str] = {}
        """Headers of the answers."""
        site.otherwise = self.receive

    async def receive(self, request: web.Request) -> web.StreamResponse:
        """Keeps a request, and answers it."""
        self.got.append((dict(request.headers), await request.read()))
        return web.Response(status=self.statuses.pop(0) if self.statuses else 204, headers=self.headers)

    async def hook(self, *event_types: str, **values: Any) -> int:
        """Inserts a webhook, and returns its id."""
        given = {"user_id": self.user_id, "url": self.site.url("/hook"), "event_types": list(event_types)}
        given["encrypted_secret"] = self.secrets.encrypt(SECRET)
        hook_id: int = (await make.insert(self.pool, "webhooks", given | values))["id"]
        return hook_id

    async def due(self) -> list[store.Due]:
        """Returns the attempts that are due while nothing is sent."""
        return await store.DUE.fetch_all(self.pool, sending=[], busy_webhooks=[], busy_people=[])

    async def deliver(self) -> None:
        """Makes the attempts that are due."""
        for due in await self.due():
            await self.sender.send(due)

    async def make_due(self) -> None:
        """Lets the time of the next attempts come."""
        await self.pool.execute("UPDATE webhook_deliveries SET next_attempt_at = now() WHERE status = 'pending'")
        await self.pool.execute("UPDATE webhooks SET held_until = NULL")

    async def again(self) -> None:
        """Makes the next attempts, as if their time had come."""
        await self.make_due()
        await self.deliver()

    def told(self) -> list[tuple[str, dict[str, Any]]]:
        """Returns the verified events that arrived, in order."""
        events = [Webhook(SECRET).verify(body, headers) for headers, body in self.got]
        return [(event["type"], event["data"]) for event in events]

    async def deliveries(self) -> list[asyncpg.Record]:
        """Returns all deliveries, the oldest first."""
        found: list[asyncpg.Record] = await self.pool.fetch("SELECT * FROM webhook_deliveries ORDER BY id")
        return found

    async def delivery(self) -> asyncpg.Record:
        """Returns the only delivery."""
        (found,) = await self.deliveries()
        return found

    async def run(self, user_id: int | None = None, **values: Any) -> UUID:
        """Inserts a run in a session of its own."""
        session = await make.chat_session(self.pool, user_id=user_id or self.user_id)
        run_id: UUID = (await make.run(self.pool, chat_session_id=session["id"], **values))["id"]
        return run_id

    async def end(self, run_id: UUID, status: str = "completed") -> None:
        """Ends a run, which writes its event."""
        await self.pool.execute("UPDATE runs SET status = $2, attempt = attempt + 1 WHERE id = $1", run_id, status)


@pytest_asyncio.fixture(loop_scope="session")
async def receiver(database: Database, rows: Rows, site: Site, fetcher: Fetcher) -> Receiver:
    """The account of `rows` owns what is made."""
    return Receiver(database.pool, site, fetcher, rows.user_id)
