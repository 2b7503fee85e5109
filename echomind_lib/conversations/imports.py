"""Conversations of other programs, stored as sessions in one statement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    TIMESTAMP,
    BigInteger,
    Boolean,
    Integer,
    Text,
    Uuid,
    bindparam,
    func,
    insert,
    literal,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as insert_or_nothing

from echomind_lib.access.assistant_choice import chosen
from echomind_lib.conversations.questions.positions import USER_ID, usual_options
from echomind_lib.db.expressions import json_rows
from echomind_lib.db.models.chat import ChatMessage, ChatMessageFeedback, ChatSession
from echomind_lib.db.models.runs import Run, Step
from echomind_lib.db.statements import Connection, Query
from echomind_lib.db.words import AuthorKind, MessageRole, MessageStatus, RunStatus, StepStatus, StepType

_COLUMNS: Final = (
    ChatMessage.id,
    ChatMessage.parent_message_id,
    ChatMessage.role,
    ChatMessage.author_kind,
    ChatMessage.status,
    ChatMessage.content,
    ChatMessage.creation_date,
    ChatMessage.run_id,
)
_RUN_COLUMNS: Final = (
    Run.id,
    Run.status,
    Run.input,
    Run.final_output,
    Run.error,
    Run.metadata_,
    Run.caller,
    Run.steps_executed,
    Run.creation_date,
    Run.started_at,
    Run.completed_at,
)
_STEP_COLUMNS: Final = (
    Step.run_id,
    Step.step_number,
    Step.step_type,
    Step.status,
    Step.llm_model,
    Step.llm_input,
    Step.llm_output,
    Step.output_data,
    Step.error_message,
    Step.started_at,
    Step.completed_at,
)
_FEEDBACK_COLUMNS: Final = (
    ChatMessageFeedback.chat_message_id,
    ChatMessageFeedback.is_positive,
    ChatMessageFeedback.feedback_text,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message to be stored."""

    parent: int | None
    """Position of the message before it, which is earlier in the list."""
    role: MessageRole
    author_kind: AuthorKind
    status: MessageStatus
    content: str
    creation_date: datetime
    is_helpful: bool | None = None
    """The owner's rating of an answer; None for none."""
    feedback_text: str = ""
    """The reason of the rating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewImportedStep:
    """A step of a run of another program."""

    step_type: StepType
    status: StepStatus
    prompt: str
    output: str
    model: str
    error: str
    started_at: datetime
    row: Any
    """What the other program had stored of it, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """How another program answered a question."""

    answers: Sequence[int]
    """Positions of the answers."""
    status: RunStatus
    input: str
    output: str
    error: str
    metadata: dict[str, str]
    row: Any
    """What the other program had stored of it, as JSON."""
    creation_date: datetime
    completed_at: datetime
    steps: Sequence[NewImportedStep]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversation:
    """A conversation to be stored."""

    external_id: str
    """Unique among the sessions of its owner."""
    title: str
    created_at: datetime
    metadata: dict[str, str]
    is_archived: bool
    is_pinned: bool
    messages: Sequence[NewMessage]
    head: int
    """Position of the last message of the shown branch."""
    runs: Sequence[NewRun] = ()


_count = bindparam("count", type_=Integer)
_RUN_IDS: Final = Query(
    select(func.uuidv7(type_=Uuid)).select_from(func.generate_series(1, _count).table_valued("number")), UUID
)
_IDS: Final = Query(
    select(func.nextval("chat_messages_id_seq", type_=BigInteger)).select_from(
        func.generate_series(1, _count).table_valued("number")
    ),
    int,
)


def _import() -> Query[int]:
    assistant = chosen(USER_ID, literal(0, BigInteger)).subquery("chosen")
    columns: dict[str, Any] = {
        "user_id": USER_ID,
        "assistant_id": assistant.c.id,
        "external_id": bindparam("external_id", type_=Text),
        "title": bindparam("title", type_=Text),
        "title_origin": literal("person"),
        "creation_date": bindparam("created_at", type_=TIMESTAMP(timezone=True)),
        "imported_at": func.now(),
        "metadata": bindparam("metadata", type_=JSONB),
        "archived": bindparam("archived", type_=Boolean),
        "pinned": bindparam("pinned", type_=Boolean),
        "head_message_id": bindparam("head_message_id", type_=BigInteger),
        "preferences": usual_options(),
        # Whoever made the file may have written anything into it.
        "context": literal({"untrusted": True}, JSONB),
    }
    session = (
        insert_or_nothing(ChatSession)
        .from_select(list(columns), select(*columns.values()).select_from(assistant))
        .on_conflict_do_nothing(
            index_elements=[ChatSession.user_id, ChatSession.external_id],
            index_where=ChatSession.external_id.is_not(None),
        )
        .returning(ChatSession.id)
        .cte("session")
    )
    given = json_rows("messages", *_COLUMNS)
    messages = (
        insert(ChatMessage)
        .from_select(
            [ChatMessage.chat_session_id, *_COLUMNS],
            select(session.c.id, *(given.c[column.key] for column in _COLUMNS)).join_from(session, given, true()),
        )
        .cte("messages")
    )
    given_runs = json_rows("runs", *_RUN_COLUMNS)
    # Whoever made the file may have written anything into it.
    run_values: dict[Any, Any] = {
        Run.chat_session_id: session.c.id,
        Run.user_id: USER_ID,
        Run.assistant_id: assistant.c.id,
        Run.untrusted: literal(value=True),
        **{column: given_runs.c[column.key] for column in _RUN_COLUMNS},
    }
    runs = (
        insert(Run)
        .from_select(list(run_values), select(*run_values.values()).select_from(session, assistant, given_runs))
        .cte("imported_runs")
    )
    given_steps = json_rows("steps", *_STEP_COLUMNS)
    steps = (
        insert(Step)
        .from_select(
            list(_STEP_COLUMNS),
            select(*(given_steps.c[column.key] for column in _STEP_COLUMNS)).join_from(session, given_steps, true()),
        )
        .cte("imported_steps")
    )
    given_ratings = json_rows("ratings", *_FEEDBACK_COLUMNS)
    ratings = (
        insert(ChatMessageFeedback)
        .from_select(
            [ChatMessageFeedback.user_id, *_FEEDBACK_COLUMNS],
            select(USER_ID, *(given_ratings.c[column.key] for column in _FEEDBACK_COLUMNS)).join_from(
                session, given_ratings, true()
            ),
        )
        .cte("imported_ratings")
    )
    return Query(select(session.c.id).add_cte(messages).add_cte(runs).add_cte(steps).add_cte(ratings), int)


_IMPORT: Final = Query.deferred(_import)


async def store_import(connection: Connection, user_id: int, conversation: NewConversation) -> int | None:
    """Stores a conversation; returns the id of its session.

    Returns None if the person has a session with its external id, or may use no assistant.
    """
    ids = await _IDS.fetch_all(connection, count=len(conversation.messages))
    run_ids = await _RUN_IDS.fetch_all(connection, count=len(conversation.runs)) if conversation.runs else []
    own_runs = list(zip(run_ids, conversation.runs, strict=True))
    run_of = {answer: str(own_id) for own_id, run in own_runs for answer in run.answers}
    messages = [
        {
            "id": own_id,
            "parent_message_id": None if message.parent is None else ids[message.parent],
            "role": message.role,
            "author_kind": message.author_kind,
            "status": message.status,
            "content": message.content,
            "creation_date": message.creation_date.isoformat(),
            "run_id": run_of.get(position),
        }
        for position, (own_id, message) in enumerate(zip(ids, conversation.messages, strict=True))
    ]
    return await _IMPORT.fetch_one(
        connection,
        user_id=user_id,
        external_id=conversation.external_id,
        title=conversation.title,
        created_at=conversation.created_at,
        metadata=conversation.metadata,
        archived=conversation.is_archived,
        pinned=conversation.is_pinned,
        head_message_id=ids[conversation.head],
        messages=messages,
        runs=[_run_row(own_id, run) for own_id, run in own_runs],
        steps=[
            _step_row(own_id, number, step)
            for own_id, run in own_runs
            for number, step in enumerate(run.steps, start=1)
        ],
        ratings=[
            {
                "chat_message_id": own_id,
                "is_positive": message.is_helpful,
                "feedback_text": message.feedback_text or None,
            }
            for own_id, message in zip(ids, conversation.messages, strict=True)
            if message.is_helpful is not None
        ],
    )


def _run_row(run_id: UUID, run: NewRun) -> Mapping[str, Any]:
    error = {"reason": "INTERNAL", "message": run.error or "The run failed."} if run.status == "failed" else None
    began = run.creation_date.isoformat()
    return {
        "id": str(run_id),
        "status": run.status,
        "input": run.input,
        "final_output": {"text": run.output},
        "error": error,
        "metadata_": run.metadata,
        "caller": {"imported": run.row},
        "steps_executed": len(run.steps),
        "creation_date": began,
        "started_at": began,
        "completed_at": run.completed_at.isoformat(),
    }


def _step_row(run_id: UUID, number: int, step: NewImportedStep) -> Mapping[str, Any]:
    began = step.started_at.isoformat()
    return {
        "run_id": str(run_id),
        "step_number": number,
        "step_type": step.step_type,
        "status": step.status,
        "llm_model": step.model or None,
        "llm_input": [{"role": "user", "content": step.prompt}] if step.prompt else [],
        "llm_output": {"text": step.output},
        "output_data": {"imported": step.row},
        "error_message": step.error or None,
        "started_at": began,
        "completed_at": began,
    }
