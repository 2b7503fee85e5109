"""The caller's conversations."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import exists, func, select, update
from typing_extensions import override

from echomind_api.administration.purge import Purge
from echomind_api.conversations.access import require_session
from echomind_api.conversations.controls import Controls
from echomind_api.conversations.exports import export, read_answerers
from echomind_api.conversations.session_rows import page_of_sessions, read_session, sessions_query, to_session
from echomind_api.rows import audit, missing
from echomind_api.streams import UserFeeds
from echomind_lib.access import chat_sessions
from echomind_lib.access.assistant_choice import choose_assistant, require_usable_llm
from echomind_lib.access.notebooks import require_may_ask
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.conversations.branches import move_head
from echomind_lib.conversations.creation import create_session
from echomind_lib.conversations.forks import fork_session
from echomind_lib.conversations.messages import read_branch
from echomind_lib.conversations.search import WORDS, search_sessions
from echomind_lib.conversations.settings import change_settings
from echomind_lib.conversations.summaries import request_summary
from echomind_lib.conversations.titles import request_title
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.db.words import RunStatus
from echomind_lib.errors import RunStateError, ValidationFailedError
from echomind_lib.events.log import EventLog
from echomind_lib.mappers import chat
from echomind_lib.models import public
from echomind_lib.pb.echomind.public.v1.user_event_pb2 import USER_EVENT_KIND_SESSION
from echomind_lib.text import normalized

_Row = rows.ChatSession


class ChatSessions(public.ChatSessionService):
    """The service `ChatSessionService`."""

    def __init__(self, database: Database, log: EventLog, controls: Controls, purge: Purge, feeds: UserFeeds) -> None:
        self._database = database
        self._feeds = feeds
        self._log = log
        self._controls = controls
        self._purge = purge

    @override
    async def list_chat_sessions(
        self, request: public.ListChatSessionsRequest, call: CallContext
    ) -> public.ListChatSessionsResponse:
        page = read_page(
            request.page_size,
            request.page_token,
            tuple[bool, datetime, int],
            "chat_sessions",
            call.principal.user_id,
            request.archived,
            sorted(status.word for status in request.statuses),
            request.assistant_id,
            request.has_goal,
            request.removed,
            request.notebook_id,
            request.external_id,
            request.metadata,
        )
        query = page_of_sessions(request, call.principal, page)
        async with self._database.session() as session:
            found, token = page.cut(
                (await session.execute(query)).all(),
                lambda row: (row[0].pinned, row[0].last_message_at or row[0].creation_date, row[0].id),
            )
        return public.ListChatSessionsResponse(
            chat_sessions=[to_session(row, call.principal) for row in found], next_page_token=token
        )

    @override
    async def search_chat_sessions(
        self, request: public.SearchChatSessionsRequest, call: CallContext
    ) -> public.SearchChatSessionsResponse:
        words = normalized(request.query).split()[:WORDS]
        if not words:
            raise ValidationFailedError("The query has no word.", query="must have a word")
        page = read_page(
            request.page_size,
            request.page_token,
            tuple[datetime, int],
            "found_chat_sessions",
            call.principal.user_id,
            words,
        )
        rows_found = await search_sessions(self._database.pool, call.principal, words, page.limit, page.after)
        found, token = page.cut(rows_found, lambda row: (row.newest, row.id))
        own = chat_sessions("manage")
        query = sessions_query(call.principal).where(own.where(_Row), _Row.id.in_([row.id for row in found]))
        async with self._database.session() as session:
            shown = {
                row[0].id: to_session(row, call.principal)
                for row in await session.execute(query.params(own.values(call.principal)))
            }
        hits = [
            public.ChatSessionHit(
                chat_session=shown[row.id],
                message_id=row.message_id or 0,
                excerpt=" ".join((row.excerpt or "").split()),
            )
            for row in found
            if row.id in shown
        ]
        return public.SearchChatSessionsResponse(hits=hits, next_page_token=token)

    @override
    async def get_chat_session(self, request: public.GetChatSessionRequest, call: CallContext) -> public.ChatSession:
        await require_session(self._database, call, request.id, "read")
        return await read_session(self._database, request.id, call.principal)

    @override
    async def create_chat_session(
        self, request: public.CreateChatSessionRequest, call: CallContext
    ) -> public.ChatSession:
        columns = chat.to_columns(request.chat_session, request.chat_session.model_fields_set)
        await self._require_preferred_llm(columns)
        columns["initial_goal"] = columns.get("goal")
        columns["notebook_id"] = notebook_id = request.chat_session.notebook_id
        if request.chat_session.preferences is None:
            columns.pop("preferences", None)
        if notebook_id is not None and call.principal.limits is not None:
            raise missing("notebook", notebook_id)
        if notebook_id is not None:
            await require_may_ask(self._database.pool, call.principal.user_id, notebook_id)
        assistant_id = columns.pop("assistant_id", None) or 0
        row = await create_session(
            self._database.pool, call.principal.user_id, assistant_id, columns, call.principal.limits
        )
        if row is None:
            raise missing("assistant", assistant_id or "by default")
        made = chat.to_model(row, row.status, None)
        await self._announce(call, made.id)
        return made

    @override
    async def update_chat_session(
        self, request: public.UpdateChatSessionRequest, call: CallContext
    ) -> public.ChatSession:
        columns = chat.to_columns(request.chat_session, request.update_mask or [])
        await require_session(self._database, call, request.id, "manage")
        if not columns:
            return await read_session(self._database, request.id, call.principal)
        if "assistant_id" in columns:
            columns["assistant_id"] = await self._assistant(call, columns["assistant_id"] or 0)
        await self._require_preferred_llm(columns)
        await change_settings(self._log, request.id, call.principal.user_id, columns)
        if columns.get("title_origin") == "default":
            await request_title(self._log, request.id)
        return await read_session(self._database, request.id, call.principal)

    @override
    async def pause_chat_session(
        self, request: public.PauseChatSessionRequest, call: CallContext
    ) -> public.ChatSession:
        await require_session(self._database, call, request.id, "manage")
        if not await self._move_run(request.id, "paused"):
            raise _no_run("pause")
        return await read_session(self._database, request.id, call.principal)

    @override
    async def resume_chat_session(
        self, request: public.ResumeChatSessionRequest, call: CallContext
    ) -> public.ChatSession:
        await require_session(self._database, call, request.id, "manage")
        if not await self._move_run(request.id, "queued"):
            raise _no_run("resume")
        return await read_session(self._database, request.id, call.principal)

    @override
    async def cancel_chat_session(
        self, request: public.CancelChatSessionRequest, call: CallContext
    ) -> public.ChatSession:
        await require_session(self._database, call, request.id, "manage")
        await self._move_run(request.id, "cancelled")
        return await read_session(self._database, request.id, call.principal)

    async def _move_run(self, session_id: int, target: RunStatus) -> bool:
        """Moves the session's run that is not finished; returns whether there is one whose state allows it."""
        active = select(rows.Run.id).where(
            rows.Run.chat_session_id == session_id, rows.Run.parent_run_id.is_(None), rows.Run.completed_at.is_(None)
        )
        async with self._database.session() as session:
            run_id = await session.scalar(active)
        return run_id is not None and await self._controls.move(run_id, target)

    @override
    async def delete_chat_session(self, request: public.DeleteChatSessionRequest, call: CallContext) -> Empty:
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
        await self._announce(call, request.id)
        return Empty()

    @override
    async def restore_chat_session(
        self, request: public.RestoreChatSessionRequest, call: CallContext
    ) -> public.ChatSession:
        await require_session(self._database, call, request.id, "manage", removed=True)
        async with self._database.session() as session:
            notebook = rows.Notebook
            removed = (
                select(notebook.title)
                .join(_Row, _Row.notebook_id == notebook.id)
                .where(_Row.id == request.id, notebook.deleted_date.is_not(None))
            )
            if (title := await session.scalar(removed)) is not None:
                rule = f"its notebook “{title}” was removed: restore the notebook"
                raise ValidationFailedError(f"id: {rule}", id=rule)
            await session.execute(
                update(_Row)
                .where(_Row.id == request.id, _Row.deleted_date.is_not(None))
                .values(deleted_date=None, user_id_last_update=call.principal.user_id)
            )
        await self._announce(call, request.id)
        return await read_session(self._database, request.id, call.principal)

    @override
    async def export_chat_session(
        self, request: public.ExportChatSessionRequest, call: CallContext
    ) -> public.ExportChatSessionResponse:
        await require_session(self._database, call, request.id, "read")
        session = await read_session(self._database, request.id, call.principal)
        messages = await read_branch(self._database.pool, call.principal, request.id)
        answerers = await read_answerers(self._database.pool, call.principal, messages)
        return export(session, messages, answerers, request.format)

    @override
    async def purge_chat_session(self, request: public.PurgeChatSessionRequest, call: CallContext) -> Empty:
        await require_session(self._database, call, request.id, "manage", removed=True)
        async with self._database.session() as session:
            audit(session, call, f"chat-sessions/{request.id}")
        await self._purge.sessions([request.id])
        await self._announce(call, request.id)
        return Empty()

    async def purge_unused(self, session_id: int, call: CallContext) -> None:
        """Purges a new session of the caller's in which nothing was asked, such as a fork whose question was refused.

        Args:
            session_id: The session, which this call has created.
            call: The call.
        """
        async with self._database.session() as session:
            if await session.scalar(select(exists().where(rows.Run.chat_session_id == session_id))):
                return
        await self._purge.sessions([session_id])
        await self._announce(call, session_id)

    @override
    async def move_head(self, request: public.MoveHeadRequest, call: CallContext) -> public.ChatSession:
        await require_session(self._database, call, request.id, "manage")
        await move_head(self._log, request.id, request.message_id, call.principal.user_id, to_latest=request.to_latest)
        return await read_session(self._database, request.id, call.principal)

    @override
    async def fork_chat_session(self, request: public.ForkChatSessionRequest, call: CallContext) -> public.ChatSession:
        await require_session(self._database, call, request.id, "read")
        forked = await fork_session(self._log, request.id, request.message_id, call.principal.user_id, request.title)
        return await read_session(self._database, forked.session_id, call.principal)

    @override
    async def summarize_chat_session(
        self, request: public.SummarizeChatSessionRequest, call: CallContext
    ) -> public.ChatSession:
        await require_session(self._database, call, request.id, "manage")
        await request_summary(self._log.pool, self._log.bus, request.id, api_key_id=call.principal.api_key_id)
        return await read_session(self._database, request.id, call.principal)

    async def _require_preferred_llm(self, columns: Mapping[str, Any]) -> None:
        """Raises `NotFoundError` when preferences name a model that cannot be chosen."""
        llm_id = columns.get("preferences", {}).get("llmId")
        if llm_id:
            await require_usable_llm(self._database.pool, llm_id)

    async def _announce(self, call: CallContext, session_id: int) -> None:
        """Publishes to the caller's other pages that a session was added or removed."""
        await self._feeds.announce(call.principal.user_id, USER_EVENT_KIND_SESSION, session_id)

    async def _assistant(self, call: CallContext, assistant_id: int) -> int:
        """Returns the assistant that a session gets, the caller's usual one for 0.

        Raises:
            NotFoundError: There is no such assistant, or the caller may not see it.
        """
        found = await choose_assistant(self._database.pool, call.principal.user_id, assistant_id, call.principal.limits)
        if found is None:
            raise missing("assistant", assistant_id or "by default")
        return found


def _no_run(action: str) -> RunStateError:
    return RunStateError(f"This conversation has no run that can {action}.", run_id="", status="", action=action)
