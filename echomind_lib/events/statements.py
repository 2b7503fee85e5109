"""Statements that store a session's events, and the conversion of events to their parameters.

A writer holds the session's advisory lock from before it draws an id until its commit, so ids become visible in
ascending order and a reader of `id > cursor` misses none. Measured without the lock, with four writers: 138 of 1,600
events were never seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import UUID

from google.protobuf import json_format
from sqlalchemy import (
    ARRAY,
    CTE,
    ColumnElement,
    FromClause,
    Integer,
    SQLColumnExpression,
    Subquery,
    TableValuedAlias,
    Text,
    Uuid,
    bindparam,
    cast,
    column,
    func,
    insert,
    literal,
    null,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by, array

from echomind_lib.db.models.catalog import Assistant
from echomind_lib.db.models.runs import Run
from echomind_lib.db.models.runs import SessionEvent as EventRow
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

KINDS = {
    "progress": session_event_pb2.SESSION_EVENT_KIND_PROGRESS,
    "status": session_event_pb2.SESSION_EVENT_KIND_STATUS,
    "warning": session_event_pb2.SESSION_EVENT_KIND_WARNING,
    "error": session_event_pb2.SESSION_EVENT_KIND_ERROR,
    "final": session_event_pb2.SESSION_EVENT_KIND_FINAL,
}
_WORDS = {number: word for word, number in KINDS.items()}


LOCK_CLASS = 7001
"""First key of the advisory locks of sessions' event logs; the second is the session's id."""


def given_events() -> TableValuedAlias:
    """The source for `stored_events`: rows from the parameter that `event_values` returns."""
    columns = column("kind", Text), column("text", Text), column("payload", JSONB), column("position", Integer)
    given = func.jsonb_to_recordset(bindparam("events", type_=JSONB)).table_valued(*columns)
    return given.render_derived(name="event", with_types=True)


def given_event() -> Subquery:
    """As `given_events`, for statements that always store exactly one event: it has nothing to sort or to count."""
    events = bindparam("events", type_=JSONB)
    return select(
        func.jsonb_extract_path_text(events, "0", "kind", type_=Text).label("kind"),
        func.jsonb_extract_path_text(events, "0", "text", type_=Text).label("text"),
        func.jsonb_extract_path(events, "0", "payload", type_=JSONB).label("payload"),
        literal(0).label("position"),
    ).subquery("event")


def with_values(
    source: FromClause,
    row: FromClause,
    values: Mapping[tuple[str, str], ColumnElement[Any]],
    *,
    text: ColumnElement[str] | None = None,
) -> Subquery:
    """Returns events with values added to their payloads, such as ids of rows that the statement inserts.

    Args:
        source: The events.
        row: The one row that contains the values.
        values: Values by the detail and the field to set, such as `("queued", "assistantMessageId")`; NULL sets
            nothing.
        text: Their text, if it depends on the row.
    """
    payload: ColumnElement[Any] = source.c.payload
    for path, value in values.items():
        keys = cast(array(path), ARRAY(Text))
        payload = func.jsonb_set_lax(payload, keys, func.to_jsonb(value), True, "return_target", type_=JSONB)
    return (
        select(
            source.c.kind,
            (source.c.text if text is None else text).label("text"),
            payload.label("payload"),
            source.c.position,
        )
        .select_from(source.join(row, true()))
        .subquery("event")
    )


def origin_of_session(rows: FromClause) -> CTE:
    """Returns the `origin` of events that belong to no run; `rows` has the session's `chat_session_id`."""
    return select(rows.c.chat_session_id, cast(null(), Uuid).label("run_id")).cte("origin")


def member_name(run_id: SQLColumnExpression[Any]) -> ColumnElement[str | None]:
    """Returns the name of the team member that executes a run; NULL for other runs."""
    return (
        select(Assistant.name)
        .join(Run, Run.assistant_id == Assistant.id)
        .where(Run.id == run_id, Run.kind == "member")
        .scalar_subquery()
        .label("member")
    )


NO_MEMBER: Final = cast(null(), Text).label("member")
"""For `stored_events`: the run belongs to no team member, or the caller knows the name."""


def stored_events(
    origin: CTE, source: FromClause, *, member: ColumnElement[Any] | None = None, single: bool = False
) -> CTE:
    """Returns a CTE that inserts events of a session and has the columns of `StoredIds`; empty if `origin` is.

    The previous id is read by a function, which sees everything committed while the statement waited for the lock: with
    an id that is too low, subscribers would skip the event before.

    Args:
        origin: At most one row with `chat_session_id` and `run_id`.
        source: The events, with `kind`, `text`, `payload` and their order, `position`.
        member: The value of the column `member`; selected from the run by default.
        single: Whether the events are exactly one, those of `given_event`.
    """
    lock = (
        select(
            func.pg_advisory_xact_lock(LOCK_CLASS, origin.c.chat_session_id), origin.c.chat_session_id, origin.c.run_id
        )
        .cte("event_lock")
        .prefix_with("MATERIALIZED")
    )
    event = source.c
    given = select(lock.c.chat_session_id, lock.c.run_id, event.kind, event.text, event.payload)
    given = given.select_from(lock.join(source, true()))
    new_events = (
        insert(EventRow)
        .from_select(
            ["chat_session_id", "run_id", "kind", "text", "payload"],
            given if single else given.order_by(event.position),
        )
        .returning(EventRow.id, EventRow.creation_date)
        .cte("new_events")
    )
    # As JSON: for an array of bigints, each new connection would first have to look up the array type.
    all_ids = func.jsonb_agg(aggregate_order_by(new_events.c.id, new_events.c.id), type_=JSONB)
    ids = select(
        (func.jsonb_build_array(new_events.c.id, type_=JSONB) if single else all_ids).label("event_ids"),
        (new_events.c.creation_date if single else func.min(new_events.c.creation_date)).label("event_time"),
        (new_events.c.id if single else func.min(new_events.c.id)).label("first_id"),
    ).cte("event_ids")
    return (
        select(
            origin.c.chat_session_id,
            origin.c.run_id,
            ids.c.event_ids,
            ids.c.event_time,
            func.run_event_before(origin.c.chat_session_id, ids.c.first_id).label("previous_event_id"),
            member_name(origin.c.run_id) if member is None else member,
        )
        .select_from(origin.join(ids, true()))
        .cte("stored_events")
    )


def event_values(events: Sequence[SessionEvent]) -> dict[str, Any]:
    """Returns events as the parameter of `given_events`.

    Content stored elsewhere (a question, an answer) is left out of the payload; replay reads it from there.
    """
    return {
        "events": [
            {"kind": _WORDS[event.kind], "text": event.text, "payload": _payload(event), "position": position}
            for position, event in enumerate(events)
        ]
    }


def _payload(event: SessionEvent) -> dict[str, Any]:
    payload: dict[str, Any] = {}
    if event.HasField("warning"):
        payload["warning"] = json_format.MessageToDict(event.warning)
    name = event.WhichOneof("detail")
    if name is None:
        return payload
    detail = getattr(event, name)
    if name in ("finished", "queued"):
        copy = type(detail)()
        copy.CopyFrom(detail)
        copy.ClearField("message" if name == "finished" else "user_message")
        detail = copy
    payload[event.DESCRIPTOR.fields_by_name[name].json_name] = json_format.MessageToDict(detail)
    return payload


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredIds:
    """The columns of `stored_events`, set by the database. Base of the rows of statements that end in it."""

    chat_session_id: int
    run_id: UUID | None
    event_ids: list[int] | None
    event_time: datetime | None
    previous_event_id: int | None
    """The last event of the session before these."""
    member: str | None
    """The team member that executes the run; None also for `NO_MEMBER`."""


StoredRow = TypeVar("StoredRow", bound=StoredIds)
