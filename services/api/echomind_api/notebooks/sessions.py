"""The conversations of a notebook, as one of its members sees them."""

from datetime import datetime
from typing import Any

from sqlalchemy import Select, exists, func, or_
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.conversations.session_rows import sessions_query, to_session
from echomind_api.people import full_name
from echomind_lib.access import Principal, chat_sessions
from echomind_lib.access.notebooks import reads_as_member
from echomind_lib.db import models as rows
from echomind_lib.db.paging import Page, read_page
from echomind_lib.models.public import ListNotebookSessionsRequest, ListNotebookSessionsResponse, NotebookSession

_Row = rows.ChatSession
_NEWEST = func.coalesce(_Row.last_message_at, _Row.creation_date)


def page_of_notebook(
    notebook_id: int, reader: Principal, page: Page[tuple[datetime, int]], text: str = ""
) -> Select[Any]:
    """Returns the statement of a page of a notebook's conversations, the last used first.

    Args:
        notebook_id: The notebook.
        reader: The reader.
        page: The page.
        text: Only conversations that the reader may open and that contain it; empty means all.
    """
    may_open = or_(chat_sessions("manage").where(_Row), reads_as_member(_Row))
    query = (
        sessions_query(reader)
        .add_columns(
            full_name().label("user_name"),
            may_open.label("may_open"),
        )
        .join(rows.User, rows.User.id == _Row.user_id)
        .where(_Row.notebook_id == notebook_id, _Row.deleted_date.is_(None))
        .params(chat_sessions("manage").values(reader))
    )
    if text:
        message = rows.ChatMessage
        has_message = exists().where(
            message.chat_session_id == _Row.id, message.content.icontains(text, autoescape=True)
        )
        query = query.where(may_open, or_(_Row.title.icontains(text, autoescape=True), has_message))
    return page.select(query, _NEWEST, _Row.id, descending=True)


async def list_notebook_sessions(
    session: AsyncSession, principal: Principal, request: ListNotebookSessionsRequest
) -> ListNotebookSessionsResponse:
    """Returns a page of the conversations; those that the reader may not open have only id, owner and times."""
    text = request.query.strip()
    query_of = ("notebook_sessions", request.id, principal.user_id, text)
    page = read_page(request.page_size, request.page_token, tuple[datetime, int], *query_of)
    found, token = page.cut(
        (await session.execute(page_of_notebook(request.id, principal, page, text))).all(),
        lambda row: (row[0].last_message_at or row[0].creation_date, row[0].id),
    )
    return ListNotebookSessionsResponse(sessions=[_model(row, principal) for row in found], next_page_token=token)


def _model(found: Any, reader: Principal) -> NotebookSession:
    row = found[0]
    return NotebookSession(
        chat_session_id=row.id,
        user_id=row.user_id,
        user_name=found.user_name,
        chat_session=to_session(found, reader) if found.may_open else None,
        creation_date=row.creation_date,
        last_message_at=row.last_message_at,
    )
