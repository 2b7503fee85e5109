"""Restores a session to a checkpoint."""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Integer,
    Text,
    bindparam,
    case,
    cast,
    column,
    delete,
    func,
    insert,
    inspect,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from echomind_lib.conversations import checkpoints
from echomind_lib.conversations.checkpoints import STATE, missing_checkpoint
from echomind_lib.conversations.locks import lock_idle_session
from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.planning import Checkpoint, Todo
from echomind_lib.db.statements import Command, Query
from echomind_lib.events.log import EventLog
from echomind_lib.events.statements import StoredIds, given_events, origin_of_session, stored_events
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.plans.rows import lock_plans

_session_id = bindparam("session_id", type_=Integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Saved:
    chat_session_id: int
    name: str
    state: str
    """As text, which PostgreSQL parses again as it has written it."""
    head_message_id: int | None


_READ: Final = Query(
    select(
        Checkpoint.chat_session_id,
        Checkpoint.name,
        cast(Checkpoint.session_state, Text).label("state"),
        cast(Checkpoint.session_state.op("->>")("head_message_id"), BigInteger).label("head_message_id"),
    ).where(Checkpoint.id == bindparam("checkpoint_id", type_=BigInteger)),
    _Saved,
)


def _restore() -> Query[StoredIds]:
    row = func.jsonb_populate_record(
        literal_column(f"NULL::{ChatSession.__tablename__}"), cast(bindparam("state", type_=Text), JSONB)
    )
    saved = row.table_valued(*(column(each.key, each.type) for each in STATE)).alias("saved")
    values: dict[str, Any] = {each.key: saved.c[each.key] for each in STATE}
    # No run is active during a restore, so the session cannot be paused.
    values["status"] = case((saved.c.status == "paused", "active"), else_=saved.c.status)
    session = (
        update(ChatSession)
        .where(ChatSession.id == _session_id)
        .values(**values, user_id_last_update=bindparam("user_id", type_=Integer))
        .returning(ChatSession.id.label("chat_session_id"))
        .cte("session")
    )
    return Query(select(stored_events(origin_of_session(session), given_events())), StoredIds)


_RESTORE: Final = Query.deferred(_restore)
_DELETE_TODOS: Final = Command(delete(Todo).where(Todo.chat_session_id == _session_id))


def _restore_todos() -> Command:
    """Returns the statement that inserts the saved todos; updates would not restore their dates."""
    columns = list(inspect(Todo).columns)
    state = cast(bindparam("state", type_=Text), JSONB)
    saved = (
        func.jsonb_populate_recordset(
            literal_column(f"NULL::{Todo.__tablename__}"), state.op("->", return_type=JSONB())("todos")
        )
        .table_valued(*(column(each.name, each.type) for each in columns))
        .alias("saved")
    )
    values: dict[str, Any] = {each.name: saved.c[each.name] for each in columns}
    # The account may have been removed since the checkpoint; then the column is null.
    values["user_id_last_update"] = select(User.id).where(User.id == saved.c.user_id_last_update).scalar_subquery()
    return Command(insert(Todo).from_select(list(values), select(*values.values()).select_from(saved)))


_RESTORE_TODOS: Final = _restore_todos()


async def restore(log: EventLog, checkpoint_id: int, user_id: int) -> int:
    """Restores a session to a checkpoint: its head, todos, goal, context, preferences and summary.

    Later messages are kept as a branch. The current state is saved as an automatic checkpoint.

    Args:
        log: Event log to publish the restore.
        checkpoint_id: The checkpoint.
        user_id: ID of the user who requests it, whose access the caller checks.

    Returns:
        The session.

    Raises:
        NotFoundError: There is no such checkpoint.
        RunActiveError: The session has a run that is not finished.
    """
    async with log.transaction() as transaction:
        connection = transaction.connection
        saved = await _READ.fetch_one(connection, checkpoint_id=checkpoint_id)
        if saved is None:
            raise missing_checkpoint(checkpoint_id)
        session_id = saved.chat_session_id
        await lock_idle_session(connection, session_id)
        await lock_plans(connection, session_id)
        await checkpoints.create(transaction, session_id, "auto", f"Before going back to: {saved.name}")
        await _DELETE_TODOS.execute(connection, session_id=session_id)
        await _RESTORE_TODOS.execute(connection, state=saved.state)
        event = SessionEvent(
            kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=f"Back to checkpoint: {saved.name}"
        )
        event.session_changed.change = session_event_pb2.SESSION_CHANGE_CHECKPOINT_RESTORED
        event.session_changed.checkpoint_id = checkpoint_id
        if saved.head_message_id:
            event.session_changed.head_message_id = saved.head_message_id
        await transaction.append(_RESTORE, [event], session_id=session_id, state=saved.state, user_id=user_id)
        return session_id
