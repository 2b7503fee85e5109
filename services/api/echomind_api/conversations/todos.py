"""The todos of conversations."""

from uuid import UUID

from typing_extensions import override

from echomind_api.conversations.access import require_session
from echomind_api.rows import missing
from echomind_lib.access.rules import Action
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.events.log import EventLog
from echomind_lib.mappers import todos as mapper
from echomind_lib.models import public
from echomind_lib.plans import todos
from echomind_lib.plans.listing import TodoRow, list_todos, read_todo
from echomind_lib.plans.rules import PlanError


class Todos(public.TodoService):
    """The service `TodoService`."""

    def __init__(self, database: Database, log: EventLog) -> None:
        self._database = database
        self._log = log

    @override
    async def list_todos(self, request: public.ListTodosRequest, call: CallContext) -> public.ListTodosResponse:
        session_id = request.chat_session_id
        await require_session(self._database, call, session_id, "read")
        page = read_page(
            request.page_size, request.page_token, tuple[UUID, int, int], "todos", session_id, request.run_id
        )
        run_id = UUID(request.run_id) if request.run_id else None
        rows = await list_todos(self._log.pool, session_id, run_id, page.after, page.limit)
        found, token = page.cut(rows, lambda row: row.key)
        return public.ListTodosResponse(todos=[public.Todo.from_row(row) for row in found], next_page_token=token)

    @override
    async def get_todo(self, request: public.GetTodoRequest, call: CallContext) -> public.Todo:
        return public.Todo.from_row(await self._require(request.id, call, "read"))

    @override
    async def create_todo(self, request: public.CreateTodoRequest, call: CallContext) -> public.Todo:
        session_id = request.chat_session_id
        columns = mapper.to_columns(request.todo, request.todo.model_fields_set)
        await require_session(self._database, call, session_id, "manage")
        try:
            todo_id = await todos.create(self._log, session_id, call.principal.user_id, columns)
        except PlanError as error:
            raise _refused(error) from error
        return public.Todo.from_row(await self._read(todo_id))

    @override
    async def update_todo(self, request: public.UpdateTodoRequest, call: CallContext) -> public.Todo:
        columns = mapper.to_columns(request.todo, request.update_mask or [])
        row = await self._require(request.id, call, "manage")
        try:
            found = await todos.change(self._log, row.chat_session_id, request.id, call.principal.user_id, columns)
        except PlanError as error:
            raise _refused(error) from error
        if not found:
            raise missing("todo", request.id)
        return public.Todo.from_row(await self._read(request.id))

    @override
    async def delete_todo(self, request: public.DeleteTodoRequest, call: CallContext) -> Empty:
        row = await self._require(request.id, call, "manage")
        if not await todos.delete(self._log, row.chat_session_id, request.id, call.principal.user_id):
            raise missing("todo", request.id)
        return Empty()

    async def _require(self, todo_id: int, call: CallContext, action: Action) -> TodoRow:
        """Returns a todo when the caller may do this with its session."""
        row = await self._read(todo_id)
        await require_session(self._database, call, row.chat_session_id, action, "todo", todo_id)
        return row

    async def _read(self, todo_id: int) -> TodoRow:
        row = await read_todo(self._log.pool, todo_id)
        if row is None:
            raise missing("todo", todo_id)
        return row


def _refused(error: PlanError) -> ValidationFailedError:
    return ValidationFailedError(str(error), todo=str(error))
