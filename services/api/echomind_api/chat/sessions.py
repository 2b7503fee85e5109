"""The caller's conversations."""

from datetime import datetime
from typing import Any

from sqlalchemy import Text, cast, func, select, text, update
from typing_extensions import override

from echomind_api.chat.access import require_session
from echomind_api.chat.control import Controls
from echomind_api.services.rows import missing
from echomind_lib.access import chat_sessions
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.mappers import chat
from echomind_lib.messaging import Bus
from echomind_lib.models.public import (
    ChatSession,
    ChatSessionService,
    CompressChatSessionRequest,
    CreateChatSessionRequest,
    DeleteChatSessionRequest,
    ForkChatSessionRequest,
    GetChatSessionRequest,
    ListChatSessionsRequest,
    ListChatSessionsResponse,
    MoveHeadRequest,
    UpdateChatSessionRequest,
)
from echomind_lib.runs import branches
from echomind_lib.runs.compressing import request_compression
from echomind_lib.runs.events import announce

_Row = rows.ChatSession
_NEWEST = func.coalesce(_Row.last_message_at, _Row.creation_date)


class ChatSessions(ChatSessionService):
    """The service `ChatSessionService`."""

    def __init__(self, database: Database, bus: Bus, controls: Controls) -> None:
        self._database = database
        self._bus = bus
        self._controls = controls

    @override
    async def list_chat_sessions(self, request: ListChatSessionsRequest, call: CallContext) -> ListChatSessionsResponse:
        page = read_page(
            request.page_size, request.page_token, tuple[datetime, int], "chat_sessions", call.principal.user_id
        )
        # One's own, also for those who may read others'.
        query = select(_Row).where(chat_sessions(call.principal, "manage").where(_Row), _Row.deleted_date.is_(None))
        if page.after:
            query = query.where(text("(COALESCE(last_message_at, creation_date), id) < (:newest, :id)")).params(
                newest=page.after[0], id=page.after[1]
            )
        query = query.order_by(_NEWEST.desc(), _Row.id.desc()).limit(page.limit)
        async with self._database.session() as session:
            found, token = page.cut(
                (await session.scalars(query)).all(), lambda row: (row.last_message_at or row.creation_date, row.id)
            )
        return ListChatSessionsResponse(chat_sessions=[chat.to_model(row) for row in found], next_page_token=token)

    @override
    async def get_chat_session(self, request: GetChatSessionRequest, call: CallContext) -> ChatSession:
        await require_session(self._database, call, request.id, "read")
        async with self._database.session() as session:
            row = await session.scalar(select(_Row).where(_Row.id == request.id, _Row.deleted_date.is_(None)))
        if row is None:
            raise missing("chat session", request.id)
        return chat.to_model(row)

    @override
    async def create_chat_session(self, request: CreateChatSessionRequest, call: CallContext) -> ChatSession:
        columns = chat.to_columns(request.chat_session, request.chat_session.model_fields_set)
        columns["initial_goal"] = columns.get("goal")
        async with self._database.session() as session:
            columns["assistant_id"] = await self._assistant(session, columns.get("assistant_id"))
            row = _Row(user_id=call.principal.user_id, **columns)
            session.add(row)
            await session.flush()
            await session.refresh(row)
            return chat.to_model(row)

    @override
    async def update_chat_session(self, request: UpdateChatSessionRequest, call: CallContext) -> ChatSession:
        columns = chat.to_columns(request.chat_session, request.update_mask or [])
        await require_session(self._database, call, request.id, "manage")
        async with self._database.session() as session:
            if "assistant_id" in columns:
                columns["assistant_id"] = await self._assistant(session, columns["assistant_id"])
            if "goal" in columns:
                columns["initial_goal"] = func.coalesce(_Row.initial_goal, _Row.goal, columns["goal"])
            row = await session.scalar(
                update(_Row)
                .where(_Row.id == request.id, _Row.deleted_date.is_(None))
                .values(user_id_last_update=call.principal.user_id, **columns)
                .returning(_Row)
            )
            if row is None:
                raise missing("chat session", request.id)
            return chat.to_model(row)

    @override
    async def delete_chat_session(self, request: DeleteChatSessionRequest, call: CallContext) -> Empty:
        await require_session(self._database, call, request.id, "manage")
        async with self._database.session() as session:
            deleted = await session.scalar(
                update(_Row)
                .where(_Row.id == request.id, _Row.deleted_date.is_(None))
                .values(deleted_date=func.now(), user_id_last_update=call.principal.user_id)
                .returning(_Row.id)
            )
            if deleted is None:
                raise missing("chat session", request.id)
            active = (
                await session.scalars(
                    select(rows.Run.id).where(rows.Run.chat_session_id == request.id, rows.Run.completed_at.is_(None))
                )
            ).all()
        for run_id in active:
            await self._controls.move(run_id, "cancelled")
        return Empty()

    @override
    async def move_head(self, request: MoveHeadRequest, call: CallContext) -> ChatSession:
        await require_session(self._database, call, request.id, "manage")
        moved = await branches.move_head(
            self._database.pool, request.id, request.message_id, call.principal.user_id, to_latest=request.to_latest
        )
        for stored in moved:
            await announce(self._bus, stored)
        return await self.get_chat_session(GetChatSessionRequest(id=request.id), call)

    @override
    async def fork_chat_session(self, request: ForkChatSessionRequest, call: CallContext) -> ChatSession:
        await require_session(self._database, call, request.id, "read")
        made = await branches.fork_session(
            self._database.pool, request.id, request.message_id, call.principal.user_id, request.title
        )
        return await self.get_chat_session(GetChatSessionRequest(id=made), call)

    @override
    async def compress_chat_session(self, request: CompressChatSessionRequest, call: CallContext) -> ChatSession:
        await require_session(self._database, call, request.id, "manage")
        await request_compression(self._database.pool, self._bus, request.id)
        return await self.get_chat_session(GetChatSessionRequest(id=request.id), call)

    @staticmethod
    async def _assistant(session: Any, assistant_id: int | None) -> int:
        row = rows.Assistant
        # As text, so that a number that no assistant can have is not found rather than too large.
        wanted = cast(row.id, Text) == str(assistant_id) if assistant_id else row.is_default
        found: int | None = await session.scalar(select(row.id).where(wanted, row.deleted_date.is_(None)))
        if found is None:
            raise missing("assistant", assistant_id or "by default")
        return found
