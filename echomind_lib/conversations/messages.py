"""Messages with their citations, which are shown as far as the reader may read the cited documents."""

from collections.abc import Sequence
from typing import Any, Final

import asyncpg
from sqlalchemy import BigInteger, bindparam, select

from echomind_lib.access import Principal
from echomind_lib.access.documents import documents_cited
from echomind_lib.conversations.message_rows import (
    BY_ID,
    OF_RUNS,
    PAGE_OF_BRANCH,
    PAGE_OF_BRANCH_IN_FULL,
    PAGE_OF_SESSION,
    PAGE_OF_SESSION_IN_FULL,
    MessageRow,
)
from echomind_lib.db.models.chat import ChatMessage
from echomind_lib.db.statements import Query
from echomind_lib.models import public
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2
from echomind_lib.runs.closing_questions import closing_questions

_PAGE: Final = 500
_SESSION_ID: Final = Query(
    select(ChatMessage.chat_session_id).where(ChatMessage.id == bindparam("message_id", type_=BigInteger)), int
)


async def read_session_id(pool: asyncpg.Pool, message_id: int) -> int | None:
    """Returns the session of a message; None if it does not exist."""
    return await _SESSION_ID.fetch_one(pool, message_id=message_id)


async def list_messages(
    pool: asyncpg.Pool,
    reader: Principal,
    session_id: int,
    after: int,
    limit: int,
    *,
    all_branches: bool = False,
    with_details: bool = False,
) -> list[public.ChatMessage]:
    """Reads a page of a session's messages, oldest first.

    Args:
        pool: The database.
        reader: The user, whose access rights decide what is shown of citations. The caller checks access to the
            session.
        session_id: The session.
        after: The last message of the previous page; 0 for the first page.
        limit: Maximum number of results.
        all_branches: Whether to read the messages of all branches, not only the current one.
        with_details: Whether to read the found passages and called tools of answers as well.
    """
    if with_details:
        query = PAGE_OF_SESSION_IN_FULL if all_branches else PAGE_OF_BRANCH_IN_FULL
    else:
        query = PAGE_OF_SESSION if all_branches else PAGE_OF_BRANCH
    return await _read(query, pool, reader, limit, session_id=session_id, after=after)


async def read_branch(pool: asyncpg.Pool, reader: Principal, session_id: int) -> list[public.ChatMessage]:
    """Reads all messages of the branch that a session shows, oldest first; see `list_messages`."""
    messages: list[public.ChatMessage] = []
    while True:
        page = await list_messages(pool, reader, session_id, messages[-1].id if messages else 0, _PAGE)
        messages += page
        if len(page) < _PAGE:
            return messages


async def read_message(pool: asyncpg.Pool, reader: Principal, message_id: int) -> public.ChatMessage | None:
    """Reads one message. The caller checks access to its session."""
    found = await _read(BY_ID, pool, reader, 1, message_id=message_id)
    return found[0] if found else None


async def messages_of_runs(
    pool: asyncpg.Pool, reader: Principal, run_ids: Sequence[str]
) -> tuple[dict[str, chat_message_pb2.ChatMessage], dict[str, chat_message_pb2.ChatMessage]]:
    """Returns the questions and the answers of runs, by run id, as protobuf messages without their siblings."""
    messages = await _read(OF_RUNS, pool, reader, 2 * len(run_ids), run_ids=run_ids)
    found = {message.id: message for message in messages}
    answers = {message.run_id: message for message in found.values() if message.run_id}
    questions = {
        run_id: found[answer.parent_message_id].to_pb()
        for run_id, answer in answers.items()
        if answer.parent_message_id in found
    }
    return questions, {run_id: answer.to_pb() for run_id, answer in answers.items()}


async def _read(
    query: Query[MessageRow], pool: asyncpg.Pool, reader: Principal, limit: int, **values: Any
) -> list[public.ChatMessage]:
    rows = await query.fetch_all(pool, **documents_cited().values(reader), limit=limit, **values)
    return [_to_model(row) for row in rows]


def _to_model(row: MessageRow) -> public.ChatMessage:
    return public.ChatMessage(
        id=row.id,
        chat_session_id=row.chat_session_id,
        role=public.MessageRole.from_word(row.role),
        author_kind=public.AuthorKind.from_word(row.author_kind),
        content=row.content,
        token_count=row.token_count or 0,
        parent_message_id=row.parent_message_id,
        rephrased_query=row.rephrased_query or "",
        memory_ids=row.memory_ids,
        basis=public.AnswerBasis.from_word(row.basis) if row.basis else public.AnswerBasis.UNSPECIFIED,
        other_tools=row.other_tools,
        error=row.error or "",
        run_id=str(row.run_id or ""),
        status=public.MessageStatus.from_word(row.status),
        excluded=row.discarded,
        sibling_ids=sorted(row.sibling_ids or ()),
        citations=[_citation(citation) for citation in row.citations],
        attachments=[public.Attachment(**attachment) for attachment in row.attachments],
        feedback=_feedback(row),
        suggested_questions=closing_questions(row.content) if row.role == "assistant" else [],
        retrieval_context=[public.RetrievedPassage(**passage) for passage in row.retrieval_context],
        tool_calls=[
            public.CalledTool(tool_name=call["toolName"], parameters=call["parameters"]) for call in row.tool_calls
        ],
        creation_date=row.creation_date,
        last_update=row.last_update,
    )


def _feedback(row: MessageRow) -> public.Feedback | None:
    if row.is_positive is None:
        return None
    return public.Feedback(
        is_positive=row.is_positive, feedback_text=row.feedback_text or "", creation_date=row.feedback_date
    )


def _citation(columns: dict[str, Any]) -> public.Citation:
    return public.Citation(**{name: value for name, value in columns.items() if value is not None})
