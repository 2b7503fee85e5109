"""Conversations."""

from collections.abc import Iterable
from typing import Any, ClassVar

from echomind_lib.db.words import ChatSessionStatus as ChatSessionStatusWord
from echomind_lib.db.words import RunStatus as RunStatusWord
from echomind_lib.mappers.columns import pick
from echomind_lib.mappers.runs import to_error
from echomind_lib.models import public


def to_model(
    row: Any,
    status: ChatSessionStatusWord,
    error: dict[str, str] | None,
    run_status: RunStatusWord | None = None,
    *,
    shows_generated: bool = True,
    own: bool = True,
) -> public.ChatSession:
    """Returns the session of a row.

    Args:
        row: The row.
        status: Its status. The row stores only the status of sessions with a goal; the latest run determines others.
        error: Error of its latest run.
        run_status: The status of its latest run; None before the first.
        shows_generated: Whether the reader may read all its sources, which generated titles, summaries and steps may
            reveal.
        own: Whether it is the reader's own: what programs keep with it is for its owner.
    """
    session = public.ChatSession.from_row(_Row(row))
    return session.model_copy(
        update={
            "title": (row.generated_title if shows_generated else None) or row.title,
            "summary": (row.compressed_summary if shows_generated else None) or "",
            "important_steps": session.important_steps if shows_generated else [],
            "last_summarized_message_id": row.last_compressed_message_id,
            "is_summarizing": row.is_compressing,
            "status": public.ChatSessionStatus.from_word(status),
            "error": to_error(error),
            "run_status": public.RunStatus.UNSPECIFIED
            if run_status is None
            else public.RunStatus.from_word(run_status),
            "metadata": row.metadata_ if own else {},
            "external_id": (row.external_id if own else None) or "",
        }
    )


class _Row:
    """A row whose `metadata` is not that of its mapped class."""

    metadata: ClassVar[dict[str, str]] = {}

    def __init__(self, row: Any) -> None:
        self._row = row

    def __getattr__(self, name: str) -> Any:
        return getattr(self._row, name)


def to_columns(session: public.ChatSession, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the session.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    columns = {
        "title": session.title or "New Chat",
        "assistant_id": session.assistant_id or None,
        "mode": "chat" if session.mode is public.ChatMode.UNSPECIFIED else session.mode.word,
        "goal": session.goal or None,
        "preferences": to_options(session.preferences),
        "pinned": session.pinned,
        "archived": session.archived,
        "without_memory": session.without_memory,
        "metadata": session.metadata,
        "external_id": session.external_id or None,
    }
    picked = pick(public.ChatSession, columns, (field for field in fields if field != "notebook_id"))
    if "metadata" in picked:
        picked["metadata_"] = picked.pop("metadata")
    if "title" in picked:
        picked |= {"title_origin": "person" if session.title else "default", "generated_title": None}
    return picked


def to_options(options: public.RunOptions | None) -> dict[str, Any]:
    """Returns the options that are set, as ProtoJSON; others come from preferences and the assistant."""
    if options is None:
        return {}
    given = options.model_dump(mode="json", exclude_defaults=True)
    return {name: value for name, value in given.items() if value is not None}
