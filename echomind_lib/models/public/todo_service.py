"""

Generated from echomind/public/v1/todo_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.todo import Todo, TodoPatch
from echomind_lib.pb.echomind.public.v1 import todo_service_pb2 as pb


class ListTodosRequest(ProtoModel):
    """Request of ListTodos."""

    __proto__: ClassVar = pb.ListTodosRequest

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
    run_id: Annotated[str, Field(pattern="^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$")] = Field(
        default="", description="Only todos of this run; empty means all."
    )
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListTodosRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chat_session_id": message.chat_session_id,
            "run_id": message.run_id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListTodosRequest:
        """Makes a protobuf message."""
        return pb.ListTodosRequest(
            chat_session_id=self.chat_session_id,
            run_id=self.run_id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListTodosResponse(ProtoModel):
    """Response of ListTodos."""

    __proto__: ClassVar = pb.ListTodosResponse

    todos: list[Todo] = Field(default_factory=list, description="The todos.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListTodosResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "todos": [Todo.read_pb(each) for each in message.todos],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListTodosResponse:
        """Makes a protobuf message."""
        return pb.ListTodosResponse(
            todos=[each.to_pb() for each in self.todos],
            next_page_token=self.next_page_token,
        )


class GetTodoRequest(ProtoModel):
    """Request of GetTodo."""

    __proto__: ClassVar = pb.GetTodoRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the todo.")

    @classmethod
    def read_pb(cls, message: pb.GetTodoRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetTodoRequest:
        """Makes a protobuf message."""
        return pb.GetTodoRequest(
            id=self.id,
        )


class CreateTodoRequest(ProtoModel):
    """Request of CreateTodo."""

    __proto__: ClassVar = pb.CreateTodoRequest

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
    todo: Todo = Field(description="The todo.")

    @classmethod
    def read_pb(cls, message: pb.CreateTodoRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chat_session_id": message.chat_session_id,
        }
        if message.HasField("todo"):
            data["todo"] = Todo.read_pb(message.todo)
        return data

    def to_pb(self) -> pb.CreateTodoRequest:
        """Makes a protobuf message."""
        return pb.CreateTodoRequest(
            chat_session_id=self.chat_session_id,
            todo=None if self.todo is None else self.todo.to_pb(),
        )


class UpdateTodoRequest(UpdateModel):
    """Request of UpdateTodo."""

    __proto__: ClassVar = pb.UpdateTodoRequest
    __resource__: ClassVar = ("todo", TodoPatch)

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the todo.")
    todo: TodoPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "chat_session_id",
            "run_id",
            "title",
            "description",
            "order_index",
            "status",
            "dependencies",
            "priority",
            "estimated_steps",
            "actual_steps",
            "estimated_tokens",
            "actual_tokens",
            "result",
            "error",
            "started_at",
            "completed_at",
            "duration_seconds",
            "creation_date",
            "last_update",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateTodoRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("todo"):
            data["todo"] = Todo.read_pb(message.todo)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateTodoRequest:
        """Makes a protobuf message."""
        return pb.UpdateTodoRequest(
            id=self.id,
            todo=None if self.todo is None else self.todo.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteTodoRequest(ProtoModel):
    """Request of DeleteTodo."""

    __proto__: ClassVar = pb.DeleteTodoRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the todo.")

    @classmethod
    def read_pb(cls, message: pb.DeleteTodoRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteTodoRequest:
        """Makes a protobuf message."""
        return pb.DeleteTodoRequest(
            id=self.id,
        )


class TodoService(ABC):
    """The plan of a conversation: its todos, their order and their status. Agents update it while they work; people can
    change it too.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["TodoService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListTodos", "list_todos", ListTodosRequest, ListTodosResponse),
        Method("GetTodo", "get_todo", GetTodoRequest, Todo),
        Method("CreateTodo", "create_todo", CreateTodoRequest, Todo),
        Method("UpdateTodo", "update_todo", UpdateTodoRequest, Todo),
        Method("DeleteTodo", "delete_todo", DeleteTodoRequest, Empty),
    )

    @abstractmethod
    async def list_todos(self, request: ListTodosRequest, call: CallContext) -> ListTodosResponse:
        """Lists the todos of a session, by run and position. Errors: NOT_FOUND."""

    @abstractmethod
    async def get_todo(self, request: GetTodoRequest, call: CallContext) -> Todo:
        """Reads one todo. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_todo(self, request: CreateTodoRequest, call: CallContext) -> Todo:
        """Adds a todo at the end of a session's plan. Errors: NOT_FOUND, VALIDATION_FAILED (a dependency that is not in this
        plan).
        """

    @abstractmethod
    async def update_todo(self, request: UpdateTodoRequest, call: CallContext) -> Todo:
        """Updates a todo. Errors: NOT_FOUND, VALIDATION_FAILED (dependencies that form a cycle, or are not completed yet)."""

    @abstractmethod
    async def delete_todo(self, request: DeleteTodoRequest, call: CallContext) -> Empty:
        """Deletes a todo, and removes it from the dependencies of others. Errors: NOT_FOUND."""
