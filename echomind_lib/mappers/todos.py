"""Todos of plans."""

from collections.abc import Iterable
from typing import Any

from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import Todo, TodoStatus


def to_columns(todo: Todo, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the todo."""
    columns = {
        "title": todo.title,
        "description": todo.description or None,
        "status": "pending" if todo.status is TodoStatus.UNSPECIFIED else todo.status.word,
        "dependencies": todo.dependencies,
        "priority": todo.priority,
        "estimated_steps": todo.estimated_steps or None,
        "estimated_tokens": todo.estimated_tokens or None,
        "result": todo.result,
        "error": todo.error,
    }
    return pick(Todo, columns, fields)
