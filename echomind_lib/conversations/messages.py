"""Reading messages with their citations, as far as the reader may read what they cite."""

from collections.abc import Sequence
from typing import Any, Final

import asyncpg

from echomind_lib.access import Principal, connectors
from echomind_lib.conversations.branches import BRANCH
from echomind_lib.mappers import chat
from echomind_lib.models.public import ChatMessage
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2

ON_BRANCH: Final = (
    "message.id = ANY (ARRAY("
    + BRANCH.format(last="(SELECT head_message_id FROM chat_sessions WHERE id = {0})", after="{1}")
    + "SELECT id FROM branch ORDER BY id LIMIT {2}))"
)
"""A condition for a page of a session's shown branch; its values are the session, the id before the page and how many.
The ids are found first, so that nothing but the page is read."""

# A source that is gone stays readable for the conversation's owner; one that the reader may not read (any more) keeps
# its number and place alone.
_MESSAGES = """
SELECT message.id, message.chat_session_id, message.role, message.status, message.content, message.token_count,
    message.parent_message_id, message.rephrased_query, message.error, message.run_id, message.creation_date,
    message.last_update, message.discarded, {siblings} AS sibling_ids,
    COALESCE((
        SELECT jsonb_agg(jsonb_build_object(
            'number', citation.number, 'document_id', citation.document_id, 'chunk_id', citation.chunk_id,
            'title', CASE WHEN visible.yes THEN citation.title ELSE '' END,
            'snippet', CASE WHEN visible.yes THEN citation.snippet ELSE '' END,
            'score', COALESCE(citation.relevance_score, 0), 'supported', COALESCE(citation.supported, FALSE),
            'page', citation.page, 'sentence_start', citation.sentence_start, 'sentence_end', citation.sentence_end,
            'chunking_session', citation.chunking_session, 'span_start', citation.span_start,
            'span_end', citation.span_end) ORDER BY citation.number, citation.sentence_start, citation.id)
        FROM chat_message_documents AS citation
        LEFT JOIN documents ON documents.id = citation.document_id AND documents.deleted_date IS NULL
        LEFT JOIN connectors ON connectors.id = documents.connector_id AND connectors.deleted_date IS NULL
        CROSS JOIN LATERAL (SELECT CASE
            WHEN citation.document_id IS NULL THEN session.user_id = $1
            ELSE COALESCE({readable}, FALSE) END AS yes) AS visible
        WHERE citation.chat_message_id = message.id), '[]'::jsonb) AS citations
FROM chat_messages AS message JOIN chat_sessions AS session ON session.id = message.chat_session_id
WHERE session.deleted_date IS NULL AND {condition}
ORDER BY message.id LIMIT {limit}
"""
_SIBLINGS = """CASE WHEN message.parent_message_id IS NULL THEN (
        SELECT array_agg(sibling.id) FROM chat_messages AS sibling
        WHERE sibling.chat_session_id = message.chat_session_id AND sibling.parent_message_id IS NULL
        HAVING count(*) > 1)
    ELSE (
        SELECT array_agg(sibling.id) FROM chat_messages AS sibling
        WHERE sibling.parent_message_id = message.parent_message_id HAVING count(*) > 1) END"""


async def read_messages(
    pool: asyncpg.Pool,
    reader: Principal,
    condition: str,
    values: Sequence[Any],
    limit: int,
    *,
    with_siblings: bool = True,
) -> list[ChatMessage]:
    """Reads messages by id.

    Args:
        pool: The database.
        reader: Whose rights decide what is shown of citations. Whether they may see the messages at all is for the
            condition, or for the caller, to say.
        condition: SQL over `message` and `session`; its values stand at `{0}`, `{1}` and so on.
        values: The condition's values.
        limit: How many at most.
        with_siblings: Whether to look up what stands beside each.
    """
    parameters: list[Any] = [reader.user_id]
    readable = connectors("read").sql(reader, "connectors", parameters)
    first = len(parameters) + 1
    places = [f"${first + place}" for place in range(len(values))]
    parameters += [*values, limit]
    statement = _MESSAGES.format(
        siblings=_SIBLINGS if with_siblings else "NULL::bigint[]",
        readable=readable,
        condition=condition.format(*places),
        limit=f"${len(parameters)}",
    )
    return [chat.to_message(row) for row in await pool.fetch(statement, *parameters)]


async def messages_of_runs(
    pool: asyncpg.Pool, reader: Principal, run_ids: Sequence[str]
) -> tuple[dict[str, chat_message_pb2.ChatMessage], dict[str, chat_message_pb2.ChatMessage]]:
    """The questions and the answers of runs, by run id, as protobuf messages without their siblings."""
    condition = (
        "(message.run_id = ANY({0}::uuid[]) OR message.id IN "
        "(SELECT parent_message_id FROM chat_messages WHERE run_id = ANY({0}::uuid[])))"
    )
    messages = await read_messages(pool, reader, condition, [run_ids], 2 * len(run_ids), with_siblings=False)
    found = {message.id: message for message in messages}
    answers = {message.run_id: message for message in found.values() if message.run_id}
    questions = {
        run_id: found[answer.parent_message_id].to_pb()
        for run_id, answer in answers.items()
        if answer.parent_message_id in found
    }
    return questions, {run_id: answer.to_pb() for run_id, answer in answers.items()}
