"""Lists of todos for the API."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import BigInteger, ColumnElement, Integer, Uuid, bindparam, func, literal, nulls_first, select, tuple_

from echomind_lib.db.models.planning import Todo
from echomind_lib.db.statements import Query
from echomind_lib.db.words import TodoStatus

_NO_RUN: Final = UUID(int=0)
"""Sorts before all runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoRow:
    """A todo with its usage."""

    id: int
    chat_session_id: int
    run_id: UUID | None
    title: str
    description: str | None
    order_index: int
    status: TodoStatus
    dependencies: list[int]
    priority: int
    estimated_steps: int | None
    actual_steps: int
    estimated_tokens: int | None
    actual_tokens: int
    result: Any
    error: str | None
    started_at: datetime | None
    completed_at: datetime | None
    duration_seconds: int | None
    creation_date: datetime
    last_update: datetime | None

    @property
    def key(self) -> tuple[UUID, int, int]:
        """Returns its sort key in `list_todos`."""
        return self.run_id or _NO_RUN, self.order_index, self.id


def _todos(*conditions: ColumnElement[bool]) -> Query[TodoRow]:
    columns = [getattr(Todo, name) for name in TodoRow.__dataclass_fields__]
    return Query(
        select(*columns)
        .where(*conditions)
        .order_by(nulls_first(Todo.run_id), Todo.order_index, Todo.id)
        .limit(bindparam("limit", type_=Integer)),
        TodoRow,
    )


_in_session = Todo.chat_session_id == bindparam("session_id", type_=Integer)
_of_run = Todo.run_id == bindparam("run_id", type_=Uuid)
_after = tuple_(func.coalesce(Todo.run_id, literal(_NO_RUN, Uuid)), Todo.order_index, Todo.id) > tuple_(
    bindparam("after_run_id", type_=Uuid),
    bindparam("after_order_index", type_=Integer),
    bindparam("after_id", type_=BigInteger),
)
_BY_ID: Final = Query.deferred(lambda: _todos(Todo.id == bindparam("todo_id", type_=BigInteger)))
_OF_SESSION: Final = Query.deferred(lambda: _todos(_in_session))
_OF_SESSION_AFTER: Final = Query.deferred(lambda: _todos(_in_session, _after))
_OF_RUN: Final = Query.deferred(lambda: _todos(_in_session, _of_run))
_OF_RUN_AFTER: Final = Query.deferred(lambda: _todos(_in_session, _of_run, _after))


async def read_todo(pool: asyncpg.Pool, todo_id: int) -> TodoRow | None:
    """Returns a todo. The caller checks access."""
    return await _BY_ID.fetch_one(pool, todo_id=todo_id, limit=1)


async def list_todos(
    pool: asyncpg.Pool,
    session_id: int,
    run_id: UUID | None = None,
    after: tuple[UUID, int, int] | None = None,
    limit: int | None = None,
) -> list[TodoRow]:
    """Returns the todos of a session by run and number; those of people come first.

    Args:
        pool: The database.
        session_id: The session. The caller checks access.
        run_id: Only the todos of this run's plan.
        after: The `key` of the previous page's last todo.
        limit: Maximum number of results; None for all.
    """
    values: dict[str, Any] = {"session_id": session_id, "limit": limit}
    if run_id is not None:
        values["run_id"] = run_id
    if after is not None:
        values |= {"after_run_id": after[0], "after_order_index": after[1], "after_id": after[2]}
        return await (_OF_SESSION_AFTER if run_id is None else _OF_RUN_AFTER).fetch_all(pool, **values)
    return await (_OF_SESSION if run_id is None else _OF_RUN).fetch_all(pool, **values)
