"""The todos of conversations."""

from uuid import UUID

import asyncpg
from typing_extensions import override

from echomind_api.administration.rows import missing
from echomind_api.conversations.access import require_session
from echomind_lib.access.rules import Action
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.events.log import publish
from echomind_lib.mappers import todos as mapper
from echomind_lib.messaging import Bus
from echomind_lib.models.public import (
    CreateTodoRequest,
    DeleteTodoRequest,
    GetTodoRequest,
    ListTodosRequest,
    ListTodosResponse,
    Todo,
    TodoService,
    UpdateTodoRequest,
)
from echomind_lib.plans import todos
from echomind_lib.plans.rules import PlanError

_NO_RUN = UUID(int=0)
"""Stands before all runs in the order of pages."""


class Todos(TodoService):
    """The service `TodoService`."""

    def __init__(self, database: Database, bus: Bus) -> None:
        self._database = database
        self._pool = database.pool
        self._bus = bus

    @override
    async def list_todos(self, request: ListTodosRequest, call: CallContext) -> ListTodosResponse:
        session_id = request.chat_session_id
        await require_session(self._database, call, session_id, "read")
        page = read_page(
            request.page_size, request.page_token, tuple[UUID, int, int], "todos", session_id, request.run_id
        )
        condition = "chat_session_id = $1"
        values: list[object] = [session_id]
        if request.run_id:
            values.append(UUID(request.run_id))
            condition += f" AND run_id = ${len(values)}"
        if page.after:
            first = len(values) + 1
            values += page.after
            condition += (
                f" AND (COALESCE(run_id, '{_NO_RUN}'), order_index, id) > (${first}::uuid, ${first + 1}, ${first + 2})"
            )
        found, token = page.cut(
            await todos.read(self._pool, condition, values, page.limit),
            lambda row: (row["run_id"] or _NO_RUN, row["order_index"], row["id"]),
        )
        return ListTodosResponse(todos=[mapper.to_model(row) for row in found], next_page_token=token)

    @override
    async def get_todo(self, request: GetTodoRequest, call: CallContext) -> Todo:
        return mapper.to_model(await self._require(request.id, call, "read"))

    @override
    async def create_todo(self, request: CreateTodoRequest, call: CallContext) -> Todo:
        session_id = request.chat_session_id
        columns = mapper.to_columns(request.todo, request.todo.model_fields_set)
        await require_session(self._database, call, session_id, "manage")
        try:
            todo_id, stored = await todos.create(self._pool, session_id, call.principal.user_id, columns)
        except PlanError as error:
            raise _refused(error) from error
        await publish(self._bus, stored)
        return mapper.to_model(await self._read(todo_id))

    @override
    async def update_todo(self, request: UpdateTodoRequest, call: CallContext) -> Todo:
        columns = mapper.to_columns(request.todo, request.update_mask or [])
        row = await self._require(request.id, call, "manage")
        try:
            stored = await todos.change(self._pool, row["chat_session_id"], request.id, call.principal.user_id, columns)
        except PlanError as error:
            raise _refused(error) from error
        if stored is None:
            raise missing("todo", request.id)
        await publish(self._bus, stored)
        return mapper.to_model(await self._read(request.id))

    @override
    async def delete_todo(self, request: DeleteTodoRequest, call: CallContext) -> Empty:
        row = await self._require(request.id, call, "manage")
        stored = await todos.delete(self._pool, row["chat_session_id"], request.id, call.principal.user_id)
        if stored is None:
            raise missing("todo", request.id)
        await publish(self._bus, stored)
        return Empty()

    async def _require(self, todo_id: int, call: CallContext, action: Action) -> asyncpg.Record:
        """The todo, when the caller may do this with it, which is said of its session."""
        row = await self._read(todo_id)
        await require_session(self._database, call, row["chat_session_id"], action, "todo", todo_id)
        return row

    async def _read(self, todo_id: int) -> asyncpg.Record:
        found = await todos.read(self._pool, "id = $1", [todo_id])
        if not found:
            raise missing("todo", todo_id)
        return found[0]


def _refused(error: PlanError) -> ValidationFailedError:
    return ValidationFailedError(str(error), todo=str(error))
