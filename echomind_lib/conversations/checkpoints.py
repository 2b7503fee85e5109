"""Checkpoints: saved states of a session, to restore later. `_state` defines their contents."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Integer,
    SQLColumnExpression,
    Text,
    and_,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    literal,
    literal_column,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by
from sqlalchemy.orm import InstrumentedAttribute, aliased

from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.planning import Checkpoint, Todo
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.db.words import ACTIVE_RUN_STATUSES, CheckpointType
from echomind_lib.errors import NotFoundError
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.events.statements import (
    LOCK_CLASS,
    StoredIds,
    given_events,
    origin_of_session,
    stored_events,
    with_values,
)
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.fence import RunLease, append_fenced, fenced

KEPT: Final = 200
"""Maximum number of automatic checkpoints of a session; the oldest are removed."""
NAME_LENGTH: Final = 255

STATE: Final[tuple[InstrumentedAttribute[Any], ...]] = (
    ChatSession.head_message_id,
    ChatSession.goal,
    ChatSession.status,
    ChatSession.context,
    ChatSession.preferences,
    ChatSession.important_steps,
    ChatSession.compressed_summary,
    ChatSession.last_compressed_message_id,
)
"""The session's columns that a checkpoint stores, by name; it also stores the rows of its plans as `todos`."""

_checkpoint_id = bindparam("checkpoint_id", type_=BigInteger)
_type = bindparam("checkpoint_type", type_=Text)


# Made once: an alias costs more than most statements that it is part of.
_head, _question = aliased(ChatMessage, name="head"), aliased(ChatMessage, name="question")


def last_finished(head_message_id: SQLColumnExpression[Any]) -> ColumnElement[int | None]:
    """Returns the last finished answer of the branch that a head ends.

    If the head is an answer that is still being written, this is the answer before its question.
    """
    head, question = _head, _question
    return (
        select(case((head.status == "streaming", question.parent_message_id), else_=head.id))
        .outerjoin_from(head, question, question.id == head.parent_message_id)
        .where(head.id == head_message_id)
        .scalar_subquery()
    )


def _state(session: CTE) -> ColumnElement[Any]:
    """Returns the state of a session; its head is the last finished answer, or for a milestone the run's own."""
    head = case((_type == "milestone", session.c.head_message_id), else_=last_finished(session.c.head_message_id))
    columns = {column.key: session.c[column.key] for column in STATE} | {"head_message_id": head}
    todos = (
        select(func.jsonb_agg(aggregate_order_by(func.to_jsonb(literal_column(Todo.__tablename__)), Todo.id)))
        .where(Todo.chat_session_id == session.c.id)
        .scalar_subquery()
    )
    pairs: list[Any] = [part for name, column in columns.items() for part in (name, column)]
    return func.jsonb_build_object(*pairs, "todos", func.coalesce(todos, literal([], JSONB)), type_=JSONB)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedCheckpoint(StoredIds):
    """A checkpoint that was created."""

    checkpoint_id: int
    head_message_id: int | None
    """The current head of its session."""


def _create(
    session: CTE, run_id: SQLColumnExpression[UUID], step_number: SQLColumnExpression[int], origin: CTE | None = None
) -> Query[CreatedCheckpoint]:
    checkpoint = (
        insert(Checkpoint)
        .from_select(
            ["chat_session_id", "run_id", "name", "description", "checkpoint_type", "session_state", "step_number"],
            select(
                session.c.id,
                run_id,
                bindparam("name", type_=Text),
                func.nullif(bindparam("description", type_=Text), ""),
                _type,
                _state(session),
                step_number,
            ).outerjoin_from(session, Run, and_(Run.chat_session_id == session.c.id, _is_active_root())),
        )
        .returning(Checkpoint.id, Checkpoint.chat_session_id, Checkpoint.run_id)
        .cte("checkpoint")
    )
    older = aliased(Checkpoint, name="older")
    superfluous = (
        select(older.id)
        .where(older.chat_session_id == select(session.c.id).scalar_subquery(), older.checkpoint_type != "manual")
        .order_by(older.id.desc())
        .offset(KEPT - 1)
    )
    removed = delete(Checkpoint).where(_type != "manual", Checkpoint.id.in_(superfluous)).cte("removed")
    if origin is None:
        origin = select(checkpoint.c.chat_session_id, checkpoint.c.run_id).cte("origin")
    row = (
        select(checkpoint.c.id.label("checkpoint_id"), session.c.head_message_id)
        .select_from(checkpoint.join(session, session.c.id == checkpoint.c.chat_session_id))
        .cte("created")
    )
    ids = {
        ("sessionChanged", "checkpointId"): cast(row.c.checkpoint_id, Text),
        ("sessionChanged", "headMessageId"): cast(row.c.head_message_id, Text),
    }
    stored = stored_events(origin, with_values(given_events(), row, ids))
    return Query(
        select(row.c.checkpoint_id, row.c.head_message_id, stored).join_from(row, stored, true()).add_cte(removed),
        CreatedCheckpoint,
    )


def _is_active_root() -> ColumnElement[bool]:
    return and_(Run.parent_run_id.is_(None), Run.status.in_(ACTIVE_RUN_STATUSES))


_in_session = (
    select(ChatSession.id, *STATE)
    .where(ChatSession.id == bindparam("session_id", type_=Integer), ChatSession.deleted_date.is_(None))
    .cte("session")
)
_CREATE: Final = Query.deferred(lambda: _create(_in_session, Run.id, Run.steps_executed))

_fenced_run = fenced()
_in_run = (
    select(ChatSession.id, *STATE, _fenced_run.c.run_id)
    .join(_fenced_run, _fenced_run.c.chat_session_id == ChatSession.id)
    .cte("session")
)
_CREATE_IN_RUN: Final = Query.deferred(
    lambda: _create(_in_run, _in_run.c.run_id, bindparam("step_number", type_=Integer), origin=_fenced_run)
)


async def create(
    log: EventLog | LogTransaction,
    session_id: int,
    checkpoint_type: CheckpointType,
    name: str,
    *,
    description: str = "",
) -> CreatedCheckpoint:
    """Creates a checkpoint of a session's current state, in one statement.

    The question and answer of an active run are excluded: the checkpoint's head is the answer before them.

    Args:
        log: Event log for storing and publishing.
        session_id: The session.
        checkpoint_type: Why it is created; a session keeps the last 200 of all types except `manual`.
        name: Its name, truncated to 255 characters.
        description: Its description.

    Raises:
        NotFoundError: There is no such session.
    """
    event = _created(name)
    made = await log.append(
        _CREATE,
        [event],
        fill=lambda row: _fill(event, row),
        session_id=session_id,
        checkpoint_type=checkpoint_type,
        name=name[:NAME_LENGTH],
        description=description,
    )
    if made is None:
        raise NotFoundError(f"There is no chat session {session_id}.", resource="chat session", id=session_id)
    return made


async def create_in_run(
    log: EventLog | LogTransaction, lease: RunLease, checkpoint_type: CheckpointType, name: str, step_number: int
) -> CreatedCheckpoint:
    """Creates a checkpoint of a run's session, for the run's worker.

    Only a milestone, which marks progress of the run, has the run's own answer as its head.

    Args:
        log: Event log for storing and publishing.
        lease: The run.
        checkpoint_type: Why it is created.
        name: Its name, truncated to 255 characters.
        step_number: The step of the run that it precedes or belongs to.

    Raises:
        LeaseLostError: The worker no longer holds the run; nothing is written.
    """
    event = _created(name)
    return await append_fenced(
        log,
        _CREATE_IN_RUN,
        lease,
        [event],
        fill=lambda row: _fill(event, row),
        checkpoint_type=checkpoint_type,
        name=name[:NAME_LENGTH],
        description="",
        step_number=step_number,
    )


def _created(name: str) -> SessionEvent:
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=f"Checkpoint: {name[:NAME_LENGTH]}")
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_CHECKPOINT_CREATED
    return event


def _fill(event: SessionEvent, row: CreatedCheckpoint) -> None:
    event.session_changed.checkpoint_id = row.checkpoint_id
    if row.head_message_id is not None:
        event.session_changed.head_message_id = row.head_message_id


_NAME: Final = Query(select(Checkpoint.name).where(Checkpoint.id == _checkpoint_id), str)

# Locks the event log first, in the same order as the statement that creates a checkpoint and removes older ones.
_locked = (
    select(func.pg_advisory_xact_lock(LOCK_CLASS, Checkpoint.chat_session_id))
    .where(Checkpoint.id == _checkpoint_id)
    .cte("locked")
    .prefix_with("MATERIALIZED")
)
_removed = (
    delete(Checkpoint)
    .where(Checkpoint.id == _checkpoint_id, select(literal(1)).select_from(_locked).exists())
    .returning(Checkpoint.chat_session_id)
    .cte("removed")
)
_REMOVE: Final = Query(select(stored_events(origin_of_session(_removed), given_events())), StoredIds)


async def remove(log: EventLog, checkpoint_id: int) -> None:
    """Removes a checkpoint.

    Args:
        log: Event log to publish its removal.
        checkpoint_id: The checkpoint. The caller checks access.

    Raises:
        NotFoundError: There is no such checkpoint.
    """
    name = await _NAME.fetch_one(log.pool, checkpoint_id=checkpoint_id)
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=f"Removed checkpoint: {name}")
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_CHECKPOINT_DELETED
    event.session_changed.checkpoint_id = checkpoint_id
    if await log.append(_REMOVE, [event], checkpoint_id=checkpoint_id) is None:
        raise missing_checkpoint(checkpoint_id)


def missing_checkpoint(checkpoint_id: int) -> NotFoundError:
    """Returns the error for a checkpoint that does not exist."""
    return NotFoundError(f"There is no checkpoint {checkpoint_id}.", resource="checkpoint", id=checkpoint_id)
