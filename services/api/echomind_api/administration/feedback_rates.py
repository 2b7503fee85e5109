"""Rates of helpful answers and cited passages, by assistant, chat model and source."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.db import models as rows
from echomind_lib.models.public import FeedbackRate, FeedbackRates

_Answer = rows.ChatMessage
_Cited = rows.ChatMessageDocument
_OfAnswer = rows.ChatMessageFeedback
_OfPassage = rows.ChunkFeedback
_LIMIT: Final = 200
"""Assistants, models or sources of one answer: those with the most answers."""


async def read_rates(session: AsyncSession, from_time: datetime | None) -> FeedbackRates:
    """Returns the rates of answers since a time; of all answers without one."""
    live = [_Answer.role == "assistant", rows.ChatSession.deleted_date.is_(None)]
    if from_time is not None:
        live.append(_Answer.creation_date >= from_time)

    async def read(query: Select[Any]) -> list[FeedbackRate]:
        found = await session.execute(query.order_by(*_order(query)).limit(_LIMIT))
        return [FeedbackRate.from_row(row) for row in found.all()]

    return FeedbackRates(
        assistants=await read(_of_runs(rows.Assistant, rows.Run.assistant_id, live)),
        llms=await read(_of_runs(rows.Llm, rows.Run.llm_id, live)),
        sources=await read(_of_sources(live)),
    )


def _order(query: Select[Any]) -> tuple[ColumnElement[Any], ...]:
    columns = query.selected_columns
    return columns.answers.desc(), columns.id


def _votes(of: Any, message_id: Any, is_helpful: Any, *conditions: ColumnElement[bool]) -> Any:
    """Returns the ratings of each message, counted before other joins multiply the rows."""
    return (
        select(
            message_id.label("message_id"),
            func.count().filter(is_helpful).label("helpful"),
            func.count().filter(~is_helpful).label("unhelpful"),
        )
        .select_from(of)
        .where(*conditions)
        .group_by(message_id)
    )


def _counts(answers: Any, passages: Any) -> list[ColumnElement[Any]]:
    return [
        func.count().label("answers"),
        func.coalesce(func.sum(answers.c.helpful), 0).label("helpful_answers"),
        func.coalesce(func.sum(answers.c.unhelpful), 0).label("unhelpful_answers"),
        func.coalesce(func.sum(passages.c.helpful), 0).label("helpful_passages"),
        func.coalesce(func.sum(passages.c.unhelpful), 0).label("unhelpful_passages"),
    ]


_of_answers = _votes(_OfAnswer, _OfAnswer.chat_message_id, _OfAnswer.is_positive).subquery("of_answers")
_of_passages = _votes(_OfPassage, _OfPassage.message_id, _OfPassage.value > 0).subquery("of_passages")


def _of_runs(table: Any, column: Any, live: list[ColumnElement[bool]]) -> Select[Any]:
    """Returns the rates by a column of runs, such as the assistant."""
    return (
        select(table.id.label("id"), table.name.label("name"), *_counts(_of_answers, _of_passages))
        .select_from(_Answer)
        .join(rows.ChatSession, rows.ChatSession.id == _Answer.chat_session_id)
        .outerjoin(rows.Run, rows.Run.id == func.coalesce(_Answer.run_id, _Answer.origin_run_id))
        .outerjoin(table, table.id == column)
        .outerjoin(_of_answers, _of_answers.c.message_id == _Answer.id)
        .outerjoin(_of_passages, _of_passages.c.message_id == _Answer.id)
        .where(*live)
        .group_by(table.id, table.name)
    )


def _of_sources(live: list[ColumnElement[bool]]) -> Select[Any]:
    """Returns the rates by connector: of the answers that cite its documents, and of its own passages."""
    citing = (
        select(_Cited.chat_message_id.label("message_id"), rows.Document.connector_id)
        .join(rows.Document, rows.Document.id == _Cited.document_id)
        .distinct()
        .subquery("citing")
    )
    of_source = (
        select(
            _OfPassage.message_id,
            rows.Document.connector_id,
            func.count().filter(_OfPassage.value > 0).label("helpful"),
            func.count().filter(_OfPassage.value < 0).label("unhelpful"),
        )
        .join(rows.Document, rows.Document.id == _OfPassage.document_id)
        .group_by(_OfPassage.message_id, rows.Document.connector_id)
        .subquery("of_source")
    )
    return (
        select(rows.Connector.id.label("id"), rows.Connector.name.label("name"), *_counts(_of_answers, of_source))
        .select_from(citing)
        .join(_Answer, _Answer.id == citing.c.message_id)
        .join(rows.ChatSession, rows.ChatSession.id == _Answer.chat_session_id)
        .join(rows.Connector, rows.Connector.id == citing.c.connector_id)
        .outerjoin(_of_answers, _of_answers.c.message_id == _Answer.id)
        .outerjoin(
            of_source,
            and_(of_source.c.message_id == _Answer.id, of_source.c.connector_id == citing.c.connector_id),
        )
        .where(*live)
        .group_by(rows.Connector.id, rows.Connector.name)
    )
