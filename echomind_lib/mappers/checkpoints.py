"""Checkpoints of sessions."""

from types import SimpleNamespace
from typing import Any, Final

from echomind_lib.models.public import ChatSession, Checkpoint, Todo

_FIELDS: Final = {
    "head_message_id": "head_message_id",
    "goal": "goal",
    "status": "status",
    "preferences": "preferences",
    "important_steps": "important_steps",
    "compressed_summary": "summary",
    "last_compressed_message_id": "last_summarized_message_id",
}
"""Fields of `ChatSession` by the columns that a checkpoint stores."""


def to_model(row: Any) -> Checkpoint:
    """Returns the checkpoint of a row; it may lack `session_state`."""
    checkpoint = Checkpoint.from_row(row)
    if checkpoint.session_state is None:
        return checkpoint
    return checkpoint.model_copy(update={"session_state": _to_state(checkpoint.session_state)})


def _to_state(stored: dict[str, Any]) -> dict[str, Any]:
    """Returns a stored state in the names and words of the contract: fields of `ChatSession`, `context` and `todos`."""
    values = {field: stored[column] for column, field in _FIELDS.items() if stored.get(column) is not None}
    session = ChatSession.from_row(SimpleNamespace(**values))
    state = session.model_dump(mode="json", include=set(values), exclude_none=True)
    todos = [Todo.from_row(SimpleNamespace(**todo)) for todo in stored.get("todos", ())]
    return state | {
        "context": stored.get("context"),
        "todos": [todo.model_dump(mode="json", exclude_none=True) for todo in todos],
    }
