"""Questions and answers."""

from collections.abc import AsyncIterator

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from typing_extensions import override

from echomind_api.chat.access import require_session
from echomind_api.services.rows import missing
from echomind_api.streams import Feeds, sse_id
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import NotFoundError
from echomind_lib.llms.tokens import count_tokens
from echomind_lib.messaging import RUNS_REQUESTED, Bus
from echomind_lib.models.public import (
    ChatMessage,
    ChatMessageService,
    Feedback,
    GetMessageRequest,
    ListCitationsRequest,
    ListCitationsResponse,
    ListMessagesRequest,
    ListMessagesResponse,
    MessageRole,
    MessageStatus,
    Run,
    RunKind,
    RunStatus,
    SendMessageRequest,
    SendMessageResponse,
    SetFeedbackRequest,
)
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.runs.events import announce
from echomind_lib.runs.messages import read_messages
from echomind_lib.runs.sending import Sent, send_message


class ChatMessages(ChatMessageService):
    """The service `ChatMessageService`."""

    def __init__(self, database: Database, bus: Bus, feeds: Feeds) -> None:
        self._database = database
        self._bus = bus
        self._feeds = feeds

    sse_id = staticmethod(sse_id)

    @override
    async def send_message(self, request: SendMessageRequest, call: CallContext) -> SendMessageResponse:
        sent = await self._send(request, call)
        await announce(self._bus, sent.stored)
        await self._bus.wake(RUNS_REQUESTED, messaging_pb2.RunRequested(run_id=str(sent.run_id)))
        return _response(sent)

    @override
    async def stream_message(self, request: SendMessageRequest, call: CallContext) -> AsyncIterator[run_pb2.RunEvent]:
        sent = await self._send(request, call)
        run_id = str(sent.run_id)
        queued = sent.stored.events[0] if sent.stored.events else None
        async with self._feeds.subscribe(sent.session_id, call.principal, queued.id if queued else 0) as subscriber:
            if queued is not None:
                await announce(self._bus, sent.stored)
                await self._bus.wake(RUNS_REQUESTED, messaging_pb2.RunRequested(run_id=run_id))
                yield queued
            # A repetition of a request finds its run begun, perhaps ended: everything is in the table.
            async for event in subscriber.events(replay=queued is None):
                if event.run_id == run_id:
                    yield event
                    if event.kind == run_pb2.RUN_EVENT_KIND_FINAL:
                        return

    async def _send(self, request: SendMessageRequest, call: CallContext) -> Sent:
        session = None if request.chat_session_id in ("", "-") else int(request.chat_session_id)
        try:
            return await send_message(
                self._database.pool,
                call.principal.user_id,
                session,
                request.content,
                assistant_id=request.assistant_id,
                request_id=request.request_id,
                token_count=count_tokens(request.content),
            )
        except NotFoundError:
            if session is not None:
                await require_session(self._database, call, session, "manage")
            raise

    @override
    async def list_messages(self, request: ListMessagesRequest, call: CallContext) -> ListMessagesResponse:
        await require_session(self._database, call, request.chat_session_id, "read")
        page = read_page(request.page_size, request.page_token, tuple[int], "messages", request.chat_session_id)
        found, token = page.cut(
            await read_messages(
                self._database.pool,
                call.principal,
                "message.chat_session_id = {0} AND message.id > {1}",
                [request.chat_session_id, page.after[0] if page.after else 0],
                page.limit,
            ),
            lambda message: (message.id,),
        )
        return ListMessagesResponse(messages=found, next_page_token=token)

    @override
    async def get_message(self, request: GetMessageRequest, call: CallContext) -> ChatMessage:
        found = await read_messages(self._database.pool, call.principal, "message.id = {0}", [request.id], 1)
        if not found:
            raise missing("message", request.id)
        await require_session(self._database, call, found[0].chat_session_id, "read", "message", request.id)
        return found[0]

    @override
    async def list_citations(self, request: ListCitationsRequest, call: CallContext) -> ListCitationsResponse:
        message = await self.get_message(GetMessageRequest(id=request.id), call)
        return ListCitationsResponse(citations=message.citations)

    @override
    async def set_feedback(self, request: SetFeedbackRequest, call: CallContext) -> Feedback:
        message = await self.get_message(GetMessageRequest(id=request.id), call)
        await require_session(self._database, call, message.chat_session_id, "manage")
        row = rows.ChatMessageFeedback
        values = {
            "is_positive": request.feedback.is_positive,
            "feedback_text": request.feedback.feedback_text or None,
        }
        statement = (
            insert(row)
            .values(chat_message_id=request.id, user_id=call.principal.user_id, **values)
            .on_conflict_do_update(
                index_elements=["chat_message_id", "user_id"],
                set_={**values, "last_update": func.now(), "user_id_last_update": call.principal.user_id},
            )
            .returning(row)
        )
        async with self._database.session() as session:
            return Feedback.model_validate(await session.scalar(statement), from_attributes=True)


def _response(sent: Sent) -> SendMessageResponse:
    return SendMessageResponse(
        user_message=ChatMessage(
            id=sent.user_message_id,
            role=MessageRole.USER,
            status=MessageStatus.COMPLETED,
            content=sent.content,
            token_count=sent.token_count,
            parent_message_id=sent.parent_message_id,
            chat_session_id=sent.session_id,
            creation_date=sent.creation_date,
        ),
        assistant_message=ChatMessage(
            id=sent.assistant_message_id,
            role=MessageRole.ASSISTANT,
            status=MessageStatus.STREAMING,
            parent_message_id=sent.user_message_id,
            run_id=str(sent.run_id),
            chat_session_id=sent.session_id,
            creation_date=sent.creation_date,
        ),
        run=Run(
            id=str(sent.run_id),
            kind=RunKind.AGENT,
            status=RunStatus.QUEUED,
            assistant_id=sent.assistant_id,
            input=sent.content,
            message_id=sent.assistant_message_id,
            max_steps=sent.max_steps,
            timeout_seconds=sent.timeout_seconds,
            chat_session_id=sent.session_id,
            creation_date=sent.creation_date,
        ),
    )
