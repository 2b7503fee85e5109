"""A database of an older schema that is migrated while a test looks on."""

import json
from typing import Any

import asyncpg

from echomind_lib.db.database import Database
from echomind_lib.events.replay import read_events
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from tests.drivers import migrations
from tests.factories import rows


class Stored:
    """A database that is migrated while the test looks on."""

    def __init__(self, url: str, connection: asyncpg.Connection) -> None:
        self.url = url
        self._connection = connection

    async def insert(self, table: str, **values: Any) -> Any:
        """Inserts a row and returns its id; dictionaries and lists are stored as JSON."""
        given = {
            name: json.dumps(value) if isinstance(value, (dict, list)) else value for name, value in values.items()
        }
        return (await rows.insert(self._connection, table, given))["id"]

    async def values(self, query: str) -> list[Any]:
        """Returns the first column of each row."""
        return [row[0] for row in await self._connection.fetch(query)]

    async def json(self, query: str) -> list[Any]:
        """Returns the first column of each row, decoded."""
        return [json.loads(value) for value in await self.values(query)]

    async def events(self, session: int) -> list[SessionEvent]:
        """Returns the session's events as a client reads them."""
        async with await Database.connect(self.url) as database:
            return await read_events(database.pool, session, 0, 100)

    async def migrate(self, direction: str, revision: str) -> None:
        """Brings it to a revision."""
        await migrations.run_migration(self.url, direction, revision)
