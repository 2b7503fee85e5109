"""Reading messages with their citations, as far as the reader may read what they cite."""

from collections.abc import Sequence
from typing import Any

import asyncpg

from echomind_lib.access import Principal, connectors
from echomind_lib.mappers import chat
from echomind_lib.models.public import ChatMessage
from echomind_lib.pb.echomind.public.v1 import run_pb2

# A source that is gone stays readable for the conversation's owner; one that the reader may not read (any more) keeps
# its number and place alone.
_MESSAGES = """
SELECT message.id, message.chat_session_id, message.role, message.status, message.content, message.token_count,
    message.parent_message_id, message.rephrased_query, message.error, message.run_id, message.creation_date,
    message.last_update,
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
WHERE NOT message.discarded AND session.deleted_date IS NULL AND {condition}
ORDER BY message.id LIMIT {limit}
"""


async def read_messages(
    pool: asyncpg.Pool, reader: Principal, condition: str, values: Sequence[Any], limit: int
) -> list[ChatMessage]:
    """Reads messages by id.

    Args:
        pool: The database.
        reader: Whose rights decide what is shown of citations. Whether they may see the messages at all is for the
            condition, or for the caller, to say.
        condition: SQL over `message` and `session`; its values stand at `{0}`, `{1}` and so on.
        values: The condition's values.
        limit: How many at most.
    """
    parameters: list[Any] = [reader.user_id]
    readable = connectors(reader, "read").sql("connectors", parameters)
    first = len(parameters) + 1
    places = [f"${first + place}" for place in range(len(values))]
    parameters += [*values, limit]
    statement = _MESSAGES.format(readable=readable, condition=condition.format(*places), limit=f"${len(parameters)}")
    return [chat.to_message(row) for row in await pool.fetch(statement, *parameters)]


async def messages_of_runs(
    pool: asyncpg.Pool, reader: Principal, run_ids: Sequence[str]
) -> tuple[dict[str, run_pb2.ChatMessage], dict[str, run_pb2.ChatMessage]]:
    """The questions and the answers of runs, by run id, as protobuf messages."""
    condition = (
        "(message.run_id = ANY({0}::uuid[]) OR message.id IN "
        "(SELECT parent_message_id FROM chat_messages WHERE run_id = ANY({0}::uuid[])))"
    )
    found = {
        message.id: message for message in await read_messages(pool, reader, condition, [run_ids], 2 * len(run_ids))
    }
    answers = {message.run_id: message for message in found.values() if message.run_id}
    questions = {
        run_id: found[answer.parent_message_id].to_pb()
        for run_id, answer in answers.items()
        if answer.parent_message_id in found
    }
    return questions, {run_id: answer.to_pb() for run_id, answer in answers.items()}
