"""Questions and answers."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from typing_extensions import override

from echomind_api.conversations.access import require_session
from echomind_api.conversations.attachments import require_attachable
from echomind_api.conversations.exclusions import exclude_message
from echomind_api.conversations.rated_passages import RatedPassages
from echomind_api.conversations.responses import to_response
from echomind_api.conversations.scores import Rating, Scores
from echomind_api.rows import missing
from echomind_api.streams import Feeds, Subscriber, sse_id
from echomind_lib.access.rules import Action
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.conversations.external_ids import in_known_session
from echomind_lib.conversations.messages import list_messages, messages_of_runs, read_message, read_session_id
from echomind_lib.conversations.questions import (
    EditedQuestion,
    FirstQuestion,
    NextQuestion,
    Question,
    Regeneration,
    Submission,
    submit,
)
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import NotFoundError, ValidationFailedError
from echomind_lib.events.log import EventLog
from echomind_lib.models import public
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.retrieval import Retriever
from echomind_lib.runs.assignment import Agents


class ChatMessages(public.ChatMessageService):
    """The service `ChatMessageService`."""

    def __init__(
        self,
        database: Database,
        log: EventLog,
        feeds: Feeds,
        retriever: Retriever,
        scores: Scores | None = None,
        agents: Agents | None = None,
    ) -> None:
        self._database, self._agents = database, agents
        self._scores = scores
        self._passages = RatedPassages(database, retriever)
        self._log = log
        self._feeds = feeds

    sse_id = staticmethod(sse_id)

    @override
    async def send_message(self, request: public.SendMessageRequest, call: CallContext) -> public.SendMessageResponse:
        submission = await self._submit(await self._question(request, call), call)
        return await self._response(submission, call, request.metadata, request.external_id)

    @override
    async def stream_message(
        self, request: public.SendMessageRequest, call: CallContext
    ) -> AsyncIterator[session_event_pb2.SessionEvent]:
        async with self.ask(await self._question(request, call), call) as asked:
            async for event in asked.events():
                yield event

    @asynccontextmanager
    async def ask(self, question: Question, call: CallContext) -> AsyncIterator["AskedQuestion"]:
        """Asks a question and subscribes to the events of its run. Leaving the context does not stop the run.

        Raises:
            EchoMindError: See `submit`.
        """
        async with AsyncExitStack() as stack:
            subscribers: list[Subscriber] = []

            async def subscribe(submission: Submission) -> None:
                last_id = submission.events[-1].id if submission.events else 0
                feed = self._feeds.subscribe(submission.session_id, call.principal, last_id)
                subscribers.append(await stack.enter_async_context(feed))

            submission = await self._submit(question, call, before_wake=subscribe)
            if not subscribers:  # a repeated request: the events of its run so far are in the table
                await subscribe(submission)
            yield AskedQuestion(submission, subscribers[0])

    @override
    async def edit_message(self, request: public.EditMessageRequest, call: CallContext) -> public.SendMessageResponse:
        await self._require(request.id, call, "manage")
        question = EditedQuestion(
            user_id=call.principal.user_id,
            limits=call.principal.limits,
            api_key_id=call.principal.api_key_id,
            rates=call.principal.rates,
            message_id=request.id,
            content=request.content,
            request_id=request.request_id,
            options=request.options or public.RunOptions(),
        )
        return await self._response(await self._submit(question, call), call)

    @override
    async def regenerate_message(
        self, request: public.RegenerateMessageRequest, call: CallContext
    ) -> public.SendMessageResponse:
        await self._require(request.id, call, "manage")
        question = Regeneration(
            user_id=call.principal.user_id,
            limits=call.principal.limits,
            api_key_id=call.principal.api_key_id,
            rates=call.principal.rates,
            message_id=request.id,
            request_id=request.request_id,
            options=request.options or public.RunOptions(),
        )
        return await self._response(await self._submit(question, call), call)

    async def _question(self, request: public.SendMessageRequest, call: CallContext) -> FirstQuestion | NextQuestion:
        """Returns the question, after checking that the caller can read its documents and that they are indexed."""
        if request.document_ids:
            await require_attachable(
                self._database.pool,
                call.principal,
                request.document_ids,
                session_id=request.chat_session_id,
                notebook_id=request.notebook_id,
            )
        options = request.options or public.RunOptions()
        if request.chat_session_id is not None and request.session_external_id:
            rule = "leave it out: chatSessionId names the session already"
            raise ValidationFailedError(f"sessionExternalId: {rule}.", sessionExternalId=rule)
        if request.chat_session_id is None:
            return FirstQuestion(
                user_id=call.principal.user_id,
                limits=call.principal.limits,
                api_key_id=call.principal.api_key_id,
                rates=call.principal.rates,
                content=request.content,
                assistant_id=request.assistant_id,
                notebook_id=request.notebook_id,
                document_ids=request.document_ids,
                request_id=request.request_id,
                options=options,
                external_id=request.session_external_id or None,
                metadata=request.metadata,
                run_external_id=request.external_id,
            )
        return NextQuestion(
            user_id=call.principal.user_id,
            limits=call.principal.limits,
            api_key_id=call.principal.api_key_id,
            rates=call.principal.rates,
            content=request.content,
            session_id=request.chat_session_id,
            document_ids=request.document_ids,
            request_id=request.request_id,
            options=options,
            metadata=request.metadata,
            run_external_id=request.external_id,
        )

    async def _submit(
        self,
        question: Question,
        call: CallContext,
        before_wake: Callable[[Submission], Awaitable[None]] | None = None,
    ) -> Submission:
        pool, asked = self._database.pool, question
        if isinstance(asked, FirstQuestion) and asked.external_id:
            asked = await in_known_session(pool, asked)
        try:
            return await submit(self._log, asked, before_wake=before_wake, agents=self._agents)
        except NotFoundError:
            # Another request may have begun the session with the same external ID in between.
            if isinstance(asked, FirstQuestion) and isinstance(
                again := await in_known_session(pool, asked), NextQuestion
            ):
                return await submit(self._log, again, before_wake=before_wake, agents=self._agents)
            if isinstance(question, NextQuestion):  # callers who may read the session get PERMISSION_DENIED instead
                await require_session(self._database, call, question.session_id, "manage")
            raise

    async def _response(
        self,
        submission: Submission,
        call: CallContext,
        metadata: Mapping[str, str] | None = None,
        external_id: str = "",
    ) -> public.SendMessageResponse:
        response = to_response(submission.question)
        if response.run is not None and (metadata or external_id):
            response.run.metadata, response.run.external_id = dict(metadata or {}), external_id
        if submission.question.document_ids:  # read it with the titles of the attachments that the caller may see
            question = await read_message(self._database.pool, call.principal, submission.question.user_message_id)
            response.user_message = question or response.user_message
        if not submission.is_new:  # a repeated request: include the answer as far as it is written
            run_id = str(submission.run_id)
            _, answers = await messages_of_runs(self._database.pool, call.principal, [run_id])
            response.assistant_message = public.ChatMessage.from_pb(answers[run_id])
        return response

    @override
    async def exclude_message(self, request: public.ExcludeMessageRequest, call: CallContext) -> public.ChatMessage:
        await self._require(request.id, call, "manage")
        caller = call.principal
        await exclude_message(
            self._log, request.id, caller.user_id, excluded=request.excluded, api_key_id=caller.api_key_id
        )
        return await self.get_message(public.GetMessageRequest(id=request.id), call)

    @override
    async def list_messages(
        self, request: public.ListMessagesRequest, call: CallContext
    ) -> public.ListMessagesResponse:
        session = request.chat_session_id
        await require_session(self._database, call, session, "read")
        page = read_page(request.page_size, request.page_token, tuple[int], "messages", session, request.all_branches)
        found = await list_messages(
            self._database.pool,
            call.principal,
            session,
            page.after[0] if page.after else 0,
            page.limit,
            all_branches=request.all_branches,
            with_details=request.with_details,
        )
        messages, token = page.cut(found, lambda message: (message.id,))
        return public.ListMessagesResponse(messages=messages, next_page_token=token)

    @override
    async def get_message(self, request: public.GetMessageRequest, call: CallContext) -> public.ChatMessage:
        found = await read_message(self._database.pool, call.principal, request.id)
        if found is None:
            raise missing("message", request.id)
        await require_session(self._database, call, found.chat_session_id, "read", "message", request.id)
        return found

    @override
    async def list_citations(
        self, request: public.ListCitationsRequest, call: CallContext
    ) -> public.ListCitationsResponse:
        message = await self.get_message(public.GetMessageRequest(id=request.id), call)
        return public.ListCitationsResponse(citations=message.citations)

    @override
    async def set_feedback(self, request: public.SetFeedbackRequest, call: CallContext) -> public.Feedback:
        await self._require(request.id, call, "manage", for_members=True)
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
        message = rows.ChatMessage
        async with self._database.session() as session:
            if await session.scalar(select(message.role).where(message.id == request.id)) != "assistant":
                raise ValidationFailedError("Only answers can be rated.", id="must be that of an answer")
            stored = public.Feedback.model_validate(await session.scalar(statement), from_attributes=True)
        self._note_score(request.id, call, request.feedback)
        return stored

    @override
    async def delete_feedback(self, request: public.DeleteFeedbackRequest, call: CallContext) -> Empty:
        await self._require(request.id, call, "manage", for_members=True)
        row = rows.ChatMessageFeedback
        given = delete(row).where(row.chat_message_id == request.id, row.user_id == call.principal.user_id)
        async with self._database.session() as session:
            await session.execute(given)
        self._note_score(request.id, call, None)
        return Empty()

    @override
    async def set_citation_feedback(
        self, request: public.SetCitationFeedbackRequest, call: CallContext
    ) -> public.Feedback:
        await self._require(request.message_id, call, "manage", for_members=True)
        rated = await self._passages.rate(request.message_id, request.chunk_id, request.feedback, call.principal)
        self._note_score(request.message_id, call, request.feedback, request.chunk_id)
        return rated

    @override
    async def delete_citation_feedback(self, request: public.DeleteCitationFeedbackRequest, call: CallContext) -> Empty:
        await self._require(request.message_id, call, "manage", for_members=True)
        await self._passages.withdraw(request.message_id, request.chunk_id, call.principal)
        self._note_score(request.message_id, call, None, request.chunk_id)
        return Empty()

    def _note_score(
        self, message_id: int, call: CallContext, feedback: public.Feedback | None, chunk_id: str = ""
    ) -> None:
        if self._scores is not None:
            self._scores.put(
                Rating(
                    message_id=message_id,
                    user_id=call.principal.user_id,
                    chunk_id=chunk_id,
                    is_positive=feedback.is_positive if feedback else None,
                    comment=feedback.feedback_text if feedback else "",
                )
            )

    async def _require(self, message_id: int, call: CallContext, action: Action, *, for_members: bool = False) -> None:
        """Raises an error unless the caller may do this with the session of a message."""
        session_id = await read_session_id(self._database.pool, message_id)
        if session_id is None:
            raise missing("message", message_id)
        await require_session(self._database, call, session_id, action, "message", message_id, for_members=for_members)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that was asked, with a subscription to its session."""

    submission: Submission
    subscriber: Subscriber

    async def events(self) -> AsyncGenerator[session_event_pb2.SessionEvent, None]:
        """Yields the events of the run until it ends.

        A session has one active root run at a time: all events until its end are its own or its sub-runs'.
        """
        submission = self.submission
        for event in submission.events:
            yield event
        run_id = str(submission.run_id)
        has_begun = bool(submission.events)
        async for event in self.subscriber.events(replay=not submission.is_new):
            has_begun = has_begun or event.run_id == run_id
            if has_begun:
                yield event
            if event.run_id == run_id and event.kind == session_event_pb2.SESSION_EVENT_KIND_FINAL:
                return
