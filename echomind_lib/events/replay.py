"""Replay of stored events."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
from google.protobuf import json_format
from sqlalchemy import CTE, ColumnElement, Uuid, bindparam, select

from echomind_lib.db.models.runs import Run
from echomind_lib.db.models.runs import SessionEvent as EventRow
from echomind_lib.db.statements import Query
from echomind_lib.db.words import SessionEventKind
from echomind_lib.events.statements import KINDS, member_name
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent


@dataclass(frozen=True, slots=True)
class _Stored:
    """A stored event."""

    id: int
    chat_session_id: int
    run_id: UUID | None
    kind: SessionEventKind
    text: str
    payload: dict[str, Any] | None
    creation_date: datetime
    member: str | None
    """The team member that executes the run."""

    def event(self) -> SessionEvent:
        """Returns the event as a message of the API."""
        event = SessionEvent(
            id=self.id,
            chat_session_id=self.chat_session_id,
            run_id=str(self.run_id or ""),
            kind=KINDS[self.kind],
            text=self.text,
            member=self.member or "",
        )
        event.creation_date.FromDatetime(self.creation_date)
        if self.payload:
            json_format.ParseDict(self.payload, event, ignore_unknown_fields=True)
        return event


def _events(*conditions: ColumnElement[bool]) -> Query[_Stored]:
    return Query(
        select(
            EventRow.id,
            EventRow.chat_session_id,
            EventRow.run_id,
            EventRow.kind,
            EventRow.text,
            EventRow.payload,
            EventRow.creation_date,
            member_name(EventRow.run_id),
        )
        .where(*conditions, EventRow.id > bindparam("after"))
        .order_by(EventRow.id)
        .limit(bindparam("limit")),
        _Stored,
    )


def _tree() -> CTE:
    """Returns the ids of a run and its descendants."""
    tree = select(Run.id).where(Run.id == bindparam("run_id", type_=Uuid)).cte("tree", recursive=True)
    return tree.union_all(select(Run.id).join(tree, Run.parent_run_id == tree.c.id))


_READ: Final = _events(EventRow.chat_session_id == bindparam("chat_session_id"))
_READ_RUN: Final = _events(EventRow.run_id.in_(select(_tree().c.id)))


async def read_events(pool: asyncpg.Pool, chat_session_id: int, after: int, limit: int) -> list[SessionEvent]:
    """Returns stored events of a session with `id > after`, in order, at most `limit`."""
    rows = await _READ.fetch_all(pool, chat_session_id=chat_session_id, after=after, limit=limit)
    return [row.event() for row in rows]


async def read_run_events(pool: asyncpg.Pool, run_id: UUID, after: int, limit: int) -> list[SessionEvent]:
    """Returns stored events of a run and its descendants with `id > after`, in order, at most `limit`."""
    rows = await _READ_RUN.fetch_all(pool, run_id=run_id, after=after, limit=limit)
    return [row.event() for row in rows]
