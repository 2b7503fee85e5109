"""Questions and answers."""

from collections.abc import AsyncIterator
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from typing_extensions import override

from echomind_api.administration.rows import missing
from echomind_api.conversations.access import require_session
from echomind_api.conversations.exclusions import discard_message
from echomind_api.conversations.goals import check_goal
from echomind_api.streams import Feeds, sse_id
from echomind_lib.access.rules import Action
from echomind_lib.contract import CallContext
from echomind_lib.conversations.messages import ON_BRANCH, messages_of_runs, read_messages
from echomind_lib.conversations.questions import Sent, answer_run, edit_message, regenerate_message, send_message
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import NotFoundError, RunActiveError
from echomind_lib.events.log import publish
from echomind_lib.llms.tokens import count_tokens
from echomind_lib.mappers import chat
from echomind_lib.messaging import RUNS_REQUESTED, Bus
from echomind_lib.models.public import (
    ChatMessage,
    ChatMessageService,
    DiscardMessageRequest,
    EditMessageRequest,
    Feedback,
    GetMessageRequest,
    ListCitationsRequest,
    ListCitationsResponse,
    ListMessagesRequest,
    ListMessagesResponse,
    MessageRole,
    MessageStatus,
    RegenerateMessageRequest,
    Run,
    RunKind,
    RunStatus,
    SendMessageRequest,
    SendMessageResponse,
    SetFeedbackRequest,
)
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2
from echomind_lib.pb.echomind.public.v1 import session_event_pb2


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
        await self._begin(sent)
        return await self._response(sent, call)

    @override
    async def stream_message(
        self, request: SendMessageRequest, call: CallContext
    ) -> AsyncIterator[session_event_pb2.SessionEvent]:
        sent = await self._send(request, call)
        run_id = str(sent.run_id)
        stored = sent.stored.events
        async with self._feeds.subscribe(sent.session_id, call.principal, stored[-1].id if stored else 0) as subscriber:
            await self._begin(sent)
            for event in stored:
                yield event
            # A repetition of a request finds its run begun, perhaps ended: everything is in the table.
            has_begun = bool(stored)
            async for event in subscriber.events(replay=not stored):
                # A session has one root at work at a time: what comes before its end is of it and the runs below it.
                has_begun = has_begun or event.run_id == run_id
                if has_begun:
                    yield event
                if event.run_id == run_id and event.kind == session_event_pb2.SESSION_EVENT_KIND_FINAL:
                    return

    @override
    async def edit_message(self, request: EditMessageRequest, call: CallContext) -> SendMessageResponse:
        await self._require(request.id, call, "manage")
        options = chat.to_options(request.options)
        await check_goal(self._database.pool, call.principal.user_id, "message", request.id, options)
        sent = await edit_message(
            self._database.pool,
            call.principal.user_id,
            request.id,
            request.content,
            request_id=request.request_id,
            token_count=count_tokens(request.content),
            options=options,
        )
        await self._begin(sent)
        return await self._response(sent, call)

    @override
    async def regenerate_message(self, request: RegenerateMessageRequest, call: CallContext) -> SendMessageResponse:
        await self._require(request.id, call, "manage")
        options = chat.to_options(request.options)
        await check_goal(self._database.pool, call.principal.user_id, "message", request.id, options)
        sent = await regenerate_message(
            self._database.pool,
            call.principal.user_id,
            request.id,
            request_id=request.request_id,
            options=options,
        )
        await self._begin(sent)
        return await self._response(sent, call)

    async def _send(self, request: SendMessageRequest, call: CallContext) -> Sent:
        session = None if request.chat_session_id in ("", "-") else int(request.chat_session_id)
        if session is not None and session >= 2**31:
            raise missing("chat session", session)
        pool, user_id = self._database.pool, call.principal.user_id
        options = chat.to_options(request.options)
        if session is None:
            await check_goal(pool, user_id, "assistant", request.assistant_id, options)
        else:
            await check_goal(pool, user_id, "chat session", session, options)
        try:
            return await send_message(
                pool,
                user_id,
                session,
                request.content,
                assistant_id=request.assistant_id,
                request_id=request.request_id,
                token_count=count_tokens(request.content),
                options=options,
            )
        except NotFoundError:
            if session is not None:
                await require_session(self._database, call, session, "manage")
            raise
        except RunActiveError as active:
            answered = await answer_run(
                pool, user_id, UUID(active.metadata["run_id"]), request.content, request.request_id
            )
            if answered is None:
                raise
            return answered

    async def _begin(self, sent: Sent) -> None:
        """Tells listeners of what was stored, and workers of the run."""
        await publish(self._bus, sent.stored)
        await self._bus.wake(RUNS_REQUESTED, messaging_pb2.RunRequested(run_id=str(sent.run_id)))

    async def _response(self, sent: Sent, call: CallContext) -> SendMessageResponse:
        response = _response(sent)
        if not sent.is_new:  # the answer may be there, or a part of it
            run_id = str(sent.run_id)
            _, answers = await messages_of_runs(self._database.pool, call.principal, [run_id])
            response.assistant_message = ChatMessage.from_pb(answers[run_id])
        return response

    @override
    async def discard_message(self, request: DiscardMessageRequest, call: CallContext) -> ChatMessage:
        await self._require(request.id, call, "manage")
        await discard_message(
            self._database.pool, self._bus, request.id, call.principal.user_id, discarded=request.discarded
        )
        return await self.get_message(GetMessageRequest(id=request.id), call)

    @override
    async def list_messages(self, request: ListMessagesRequest, call: CallContext) -> ListMessagesResponse:
        session = request.chat_session_id
        await require_session(self._database, call, session, "read")
        page = read_page(request.page_size, request.page_token, tuple[int], "messages", session, request.all_branches)
        after = page.after[0] if page.after else 0
        found = await (
            read_messages(
                self._database.pool,
                call.principal,
                "message.chat_session_id = {0} AND message.id > {1}",
                [session, after],
                page.limit,
            )
            if request.all_branches
            else read_messages(self._database.pool, call.principal, ON_BRANCH, [session, after, page.limit], page.limit)
        )
        messages, token = page.cut(found, lambda message: (message.id,))
        return ListMessagesResponse(messages=messages, next_page_token=token)

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

    async def _require(self, message_id: int, call: CallContext, action: Action) -> None:
        """Lets pass who may do this with a message; who may do what with one is said of its session."""
        session_id = await self._database.pool.fetchval(
            "SELECT chat_session_id FROM chat_messages WHERE id = $1", message_id
        )
        if session_id is None:
            raise missing("message", message_id)
        await require_session(self._database, call, session_id, action, "message", message_id)


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
            creation_date=sent.asked_at,
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
            status=RunStatus.from_word(sent.status),
            assistant_id=sent.assistant_id,
            input=sent.content,
            message_id=sent.assistant_message_id,
            max_steps=sent.max_steps,
            timeout_seconds=sent.timeout_seconds,
            max_run_tokens=sent.max_run_tokens or 0,
            max_cost=sent.max_cost or 0.0,
            max_depth=sent.max_depth,
            goal=sent.goal or "",
            auto_run=sent.auto_run,
            ask_clarifications=sent.ask_clarifications,
            chat_session_id=sent.session_id,
            creation_date=sent.creation_date,
        ),
    )
