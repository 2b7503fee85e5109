"""What people said about answers, for superadmins."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Integer, Select, and_, func, select, tuple_, type_coerce
from sqlalchemy.orm import aliased
from typing_extensions import override

from echomind_api.rows import audit_foreign
from echomind_lib.access import chat_sessions, require_role
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.models.public import (
    Feedback,
    FeedbackService,
    ListedFeedback,
    ListFeedbackRequest,
    ListFeedbackResponse,
)

_EXCERPT: Final = 500
"""Characters of a question or an answer."""
_Given = rows.ChatMessageFeedback
_Session = rows.ChatSession
_Answer = aliased(rows.ChatMessage, name="answer")
_Question = aliased(rows.ChatMessage, name="question")
_PLACE: Final = tuple_(_Given.creation_date, _Given.id)


class ListedFeedbacks(FeedbackService):
    """The service `FeedbackService`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def list_feedback(self, request: ListFeedbackRequest, call: CallContext) -> ListFeedbackResponse:
        require_role(call.principal, "superadmin")
        filters = (
            request.is_positive,
            request.assistant_id,
            request.llm_id,
            request.user_id,
            request.with_text,
            request.from_time,
        )
        page = read_page(request.page_size, request.page_token, tuple[datetime, int], "feedback", *filters)
        rule = chat_sessions("read")
        query = _filtered(_query(), request).where(rule.where(_Session)).params(rule.values(call.principal))
        if page.after:
            query = query.where(page.after > _PLACE)
        query = query.order_by(_Given.creation_date.desc(), _Given.id.desc()).limit(page.limit)
        async with self._database.session() as session:
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row[0].creation_date, row[0].id))
        if others := sorted({row[0].user_id for row in found} - {call.principal.user_id}):
            await audit_foreign(self._database, call, "feedback", write=False, users=others)
        return ListFeedbackResponse(feedback=[_to_model(row) for row in found], next_page_token=token)


def _query() -> Select[Any]:
    return (
        select(
            _Given,
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
        )
        .join(_Answer, _Answer.id == _Given.chat_message_id)
        .join(_Session, and_(_Session.id == _Answer.chat_session_id, _Session.deleted_date.is_(None)))
        .join(rows.User, rows.User.id == _Given.user_id)
        .outerjoin(_Question, _Question.id == _Answer.parent_message_id)
        .outerjoin(rows.Run, rows.Run.id == func.coalesce(_Answer.run_id, _Answer.origin_run_id))
        .outerjoin(rows.Assistant, rows.Assistant.id == rows.Run.assistant_id)
        .outerjoin(rows.Llm, rows.Llm.id == rows.Run.llm_id)
    )


def _filtered(query: Select[Any], request: ListFeedbackRequest) -> Select[Any]:
    if request.is_positive is not None:
        query = query.where(_Given.is_positive.is_(request.is_positive))
    if request.with_text:
        query = query.where(func.coalesce(_Given.feedback_text, "") != "")
    if request.from_time is not None:
        query = query.where(_Given.creation_date >= request.from_time)
    for column, wanted in (
        (rows.Run.assistant_id, request.assistant_id),
        (rows.Run.llm_id, request.llm_id),
        (_Given.user_id, request.user_id),
    ):
        if wanted:
            query = query.where(type_coerce(column, Integer) == wanted)
    return query


def _to_model(row: Any) -> ListedFeedback:
    given = row[0]
    return ListedFeedback(
        feedback=Feedback(
            is_positive=given.is_positive,
            feedback_text=given.feedback_text or "",
            creation_date=given.creation_date,
        ),
        user_id=given.user_id,
        user_name=row.user_name,
        message_id=given.chat_message_id,
        chat_session_id=row.session_id,
        chat_session_title=row.title,
        question=row.question or "",
        answer=row.answer or "",
        run_id=str(row.run_id) if row.run_id else "",
        assistant_id=row.assistant_id or 0,
        assistant_name=row.assistant_name or "",
        llm_id=row.llm_id or 0,
        llm_name=row.llm_name or "",
    )
