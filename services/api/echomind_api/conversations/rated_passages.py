"""The caller's ratings of the passages that answers cite."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Select, delete, func, literal, select, union_all
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from echomind_lib.access import Principal
from echomind_lib.access.documents import documents_cited
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import NotFoundError
from echomind_lib.models.public import Feedback
from echomind_lib.retrieval import Retriever
from echomind_lib.retrieval.feedback import EncodedQuestion

_QUESTIONS: Final = 4
"""Maximum queries stored for one answer: its question, and the first queries of its run."""
_MAX_QUERIES: Final = 20
_SEARCH_TOOL: Final = "search_documents"
_Vote = rows.ChunkFeedback
_Cited = rows.ChatMessageDocument


class RatedPassages:
    """The votes on cited passages, with the questions by which a ranking knows them."""

    def __init__(self, database: Database, retriever: Retriever) -> None:
        self._database = database
        self._retriever = retriever

    async def rate(self, message_id: int, chunk_id: str, feedback: Feedback, voter: Principal) -> Feedback:
        """Stores a vote, replacing the voter's earlier one. The caller checks that the voter may rate the answer.

        Raises:
            NotFoundError: The answer does not cite the passage, or the voter may not read its document.
        """
        async with self._database.session() as session:
            cited = await session.scalar(_citation(message_id, chunk_id).params(documents_cited().values(voter)))
            searched = await session.scalars(_searched(message_id)) if cited else ()
            texts = list(dict.fromkeys(text.strip() for text in searched if text and text.strip()))[:_QUESTIONS]
        if cited is None:
            raise NotFoundError(
                f"Answer {message_id} does not cite the passage {chunk_id}, or you may not read it.",
                resource="citation",
                id=chunk_id,
            )
        questions = [await self._retriever.encode_question(text) for text in texts]
        values = {
            "document_id": cited.document_id,
            "chunking_session": cited.chunking_session,
            "span_start": cited.span_start,
            "span_end": cited.span_end,
            "snippet": cited.snippet,
            "value": 1 if feedback.is_positive else -1,
            "feedback_text": feedback.feedback_text or None,
        }
        vote = (
            insert(_Vote)
            .values(message_id=message_id, user_id=voter.user_id, chunk_id=chunk_id, **values)
            .on_conflict_do_update(
                index_elements=["message_id", "user_id", "chunk_id"],
                set_={**values, "user_id_last_update": voter.user_id},
            )
            .returning(_Vote)
        )
        async with self._database.session() as session:
            stored = (await session.scalars(vote)).one()
            await _store(session, message_id, questions)
            return Feedback(
                is_positive=stored.value > 0,
                feedback_text=stored.feedback_text or "",
                creation_date=stored.creation_date,
            )

    async def withdraw(self, message_id: int, chunk_id: str, voter: Principal) -> None:
        """Deletes a vote, if there is one."""
        given = delete(_Vote).where(
            _Vote.message_id == message_id, _Vote.user_id == voter.user_id, _Vote.chunk_id == chunk_id
        )
        async with self._database.session() as session:
            await session.execute(given)


def _citation(message_id: int, chunk_id: str) -> Select[rows.ChatMessageDocument]:
    """Reads the citation with the most words of a passage, if the reader may read its document."""
    return (
        select(_Cited)
        .join(rows.Document, rows.Document.id == _Cited.document_id)
        .join(rows.Connector, rows.Connector.id == rows.Document.connector_id)
        .where(
            _Cited.chat_message_id == message_id,
            _Cited.chunk_id == chunk_id,
            rows.Document.deleted_date.is_(None),
            rows.Connector.deleted_date.is_(None),
            documents_cited().where(),
        )
        .order_by(func.length(_Cited.snippet).desc(), _Cited.id)
        .limit(1)
    )


def _searched(message_id: int) -> Select[str]:
    """Returns the queries: the question, then the queries of its run in order."""
    answer, question = aliased(rows.ChatMessage), aliased(rows.ChatMessage)
    asked = (
        select(func.coalesce(answer.rephrased_query, question.content).label("text"), literal(0).label("step"))
        .join(question, question.id == answer.parent_message_id)
        .where(answer.id == message_id)
    )
    queries = (
        select(rows.ToolCall.parameters["query"].astext, rows.Step.step_number)
        .join(rows.Step, rows.Step.id == rows.ToolCall.step_id)
        .join(answer, rows.Step.run_id == func.coalesce(answer.run_id, answer.origin_run_id))
        .where(answer.id == message_id, rows.ToolCall.tool_name == _SEARCH_TOOL, rows.ToolCall.status == "completed")
    )
    found = union_all(asked, queries).subquery()
    return select(found.c.text).order_by(found.c.step).limit(_MAX_QUERIES)


async def _store(session: AsyncSession, message_id: int, questions: Sequence[EncodedQuestion]) -> None:
    given = [
        {
            "message_id": message_id,
            "number": number,
            "model_id": question.model_id,
            "vector": question.vector,
            "terms": question.terms,
        }
        for number, question in enumerate(questions, 1)
    ]
    if given:
        stored = insert(rows.RatedQuestion).values(given)
        changed = {name: stored.excluded[name] for name in ("model_id", "vector", "terms")}
        await session.execute(stored.on_conflict_do_update(index_elements=["message_id", "number"], set_=changed))
