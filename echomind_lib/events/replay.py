"""Reading stored events back."""

from datetime import datetime

import asyncpg
from google.protobuf import json_format

from echomind_lib.events.statements import KINDS
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent


async def read_events(pool: asyncpg.Pool, chat_session_id: int, after: int, limit: int) -> list[SessionEvent]:
    """Reads stored events of a session with `id > after`, in order, at most `limit`."""
    rows = await pool.fetch(
        "SELECT id, run_id, kind, text, payload, creation_date FROM run_events "
        "WHERE chat_session_id = $1 AND id > $2 ORDER BY id LIMIT $3",
        chat_session_id,
        after,
        limit,
    )
    return [_event(row, chat_session_id) for row in rows]


def _event(row: asyncpg.Record, chat_session_id: int) -> SessionEvent:
    event = SessionEvent(
        id=row["id"],
        chat_session_id=chat_session_id,
        run_id=str(row["run_id"] or ""),
        kind=KINDS[row["kind"]],
        text=row["text"],
    )
    created: datetime = row["creation_date"]
    event.creation_date.FromDatetime(created)
    if row["payload"]:
        json_format.ParseDict(row["payload"], event, ignore_unknown_fields=True)
    return event
