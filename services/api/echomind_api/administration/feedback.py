"""Feedback of users on answers and cited passages, for superadmins."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Integer, Select, and_, func, literal, null, select, type_coerce, union_all
from sqlalchemy.orm import aliased
from typing_extensions import override

from echomind_api.administration.feedback_rates import read_rates
from echomind_api.rows import audit_foreign
from echomind_lib.access import chat_sessions, require_role
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.models import public

_EXCERPT: Final = 500
"""Characters of a question or an answer."""
_Session = rows.ChatSession
_Answer = aliased(rows.ChatMessage, name="answer")
_Question = aliased(rows.ChatMessage, name="question")
_OfAnswer = rows.ChatMessageFeedback
_OfPassage = rows.ChunkFeedback
_given: Final = union_all(
    select(
        literal(public.FeedbackSubject.ANSWER.word).label("subject"),
        _OfAnswer.id.label("id"),
        _OfAnswer.chat_message_id.label("message_id"),
        _OfAnswer.user_id,
        _OfAnswer.is_positive,
        _OfAnswer.feedback_text,
        _OfAnswer.creation_date,
        null().label("document_id"),
        null().label("chunk_id"),
        null().label("snippet"),
    ),
    select(
        literal(public.FeedbackSubject.PASSAGE.word),
        _OfPassage.id,
        _OfPassage.message_id,
        _OfPassage.user_id,
        _OfPassage.value > 0,
        _OfPassage.feedback_text,
        _OfPassage.creation_date,
        _OfPassage.document_id,
        _OfPassage.chunk_id,
        _OfPassage.snippet,
    ),
).subquery("given")


class ListedFeedbacks(public.FeedbackService):
    """The service `FeedbackService`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def list_feedback(
        self, request: public.ListFeedbackRequest, call: CallContext
    ) -> public.ListFeedbackResponse:
        require_role(call.principal, "superadmin")
        filters = (
            request.is_positive,
            request.assistant_id,
            request.llm_id,
            request.user_id,
            request.with_text,
            request.from_time,
            request.subject,
            request.connector_id,
        )
        page = read_page(request.page_size, request.page_token, tuple[datetime, str, int], "feedback", *filters)
        rule = chat_sessions("read")
        query = _filtered(_query(), request).where(rule.where(_Session)).params(rule.values(call.principal))
        query = page.select(query, _given.c.creation_date, _given.c.subject, _given.c.id, descending=True)
        async with self._database.session() as session:
            found, token = page.cut(
                (await session.execute(query)).all(), lambda row: (row.creation_date, row.subject, row.id)
            )
        if others := sorted({row.user_id for row in found} - {call.principal.user_id}):
            await audit_foreign(self._database, call, "feedback", write=False, users=others)
        return public.ListFeedbackResponse(feedback=[_to_model(row) for row in found], next_page_token=token)

    @override
    async def get_feedback_rates(
        self, request: public.GetFeedbackRatesRequest, call: CallContext
    ) -> public.FeedbackRates:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            return await read_rates(session, request.from_time)


def _query() -> Select[Any]:
    return (
        select(
            *_given.c,
            _Session.id.label("session_id"),
            _Session.title,
            func.left(_Question.content, _EXCERPT).label("question"),
            func.left(_Answer.content, _EXCERPT).label("answer"),
            rows.User.user_name,
            rows.Run.id.label("run_id"),
            rows.Assistant.id.label("assistant_id"),
            rows.Assistant.name.label("assistant_name"),
            rows.Llm.id.label("llm_id"),
            rows.Llm.name.label("llm_name"),
            rows.Document.title.label("document_title"),
        )
        .select_from(_given)
        .join(_Answer, _Answer.id == _given.c.message_id)
        .join(_Session, and_(_Session.id == _Answer.chat_session_id, _Session.deleted_date.is_(None)))
        .join(rows.User, rows.User.id == _given.c.user_id)
        .outerjoin(_Question, _Question.id == _Answer.parent_message_id)
        .outerjoin(rows.Run, rows.Run.id == func.coalesce(_Answer.run_id, _Answer.origin_run_id))
        .outerjoin(rows.Assistant, rows.Assistant.id == rows.Run.assistant_id)
        .outerjoin(rows.Llm, rows.Llm.id == rows.Run.llm_id)
        .outerjoin(rows.Document, rows.Document.id == _given.c.document_id)
    )


def _filtered(query: Select[Any], request: public.ListFeedbackRequest) -> Select[Any]:
    if request.is_positive is not None:
        query = query.where(_given.c.is_positive.is_(request.is_positive))
    if request.with_text:
        query = query.where(func.coalesce(_given.c.feedback_text, "") != "")
    if request.from_time is not None:
        query = query.where(_given.c.creation_date >= request.from_time)
    if request.subject is not public.FeedbackSubject.UNSPECIFIED:
        query = query.where(_given.c.subject == request.subject.word)
    for column, value in (
        (rows.Run.assistant_id, request.assistant_id),
        (rows.Run.llm_id, request.llm_id),
        (_given.c.user_id, request.user_id),
        (rows.Document.connector_id, request.connector_id),
    ):
        if value:
            query = query.where(type_coerce(column, Integer) == value)
    return query


def _to_model(row: Any) -> public.ListedFeedback:
    return public.ListedFeedback(
        feedback=public.Feedback(
            is_positive=row.is_positive, feedback_text=row.feedback_text or "", creation_date=row.creation_date
        ),
        user_id=row.user_id,
        user_name=row.user_name,
        message_id=row.message_id,
        chat_session_id=row.session_id,
        chat_session_title=row.title,
        question=row.question or "",
        answer=row.answer or "",
        run_id=str(row.run_id) if row.run_id else "",
        assistant_id=row.assistant_id or 0,
        assistant_name=row.assistant_name or "",
        llm_id=row.llm_id or 0,
        llm_name=row.llm_name or "",
        subject=public.FeedbackSubject.from_word(row.subject),
        chunk_id=row.chunk_id or "",
        document_id=row.document_id or 0,
        document_title=row.document_title or "",
        snippet=row.snippet or "",
    )
