"""What the tools do, by the service objects of our own API."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select

from echomind_api.auth.addresses import Proxies, own_address
from echomind_api.conversations.messages import ChatMessages
from echomind_api.conversations.runs import Runs
from echomind_api.conversations.sessions import ChatSessions
from echomind_api.conversations.unread_runs import UnreadRuns
from echomind_api.retention.rules import RetentionRules
from echomind_api.sources.connectors import Connectors
from echomind_api.sources.documents import Documents
from echomind_api.sources.search import Search
from echomind_api.transports.mcp.cancellations import cancel_asked, new_request_id
from echomind_api.transports.mcp.questions import answer_in, asks
from echomind_api.transports.mcp.results import (
    AskedAnswer,
    CitedSource,
    FoundPassages,
    Passage,
    ReadDocument,
    Source,
    Sources,
)
from echomind_api.transports.openai.answers import AnswerReader
from echomind_api.transports.openai.chat import last_of
from echomind_api.transports.openai.chat_request import check_question
from echomind_api.transports.openai.citations import document_url, source_url
from echomind_api.transports.openai.models import find_model
from echomind_lib.access import require_scope
from echomind_lib.config import ApiSettings
from echomind_lib.contract import CallContext
from echomind_lib.conversations.questions import FirstQuestion
from echomind_lib.db.database import Database
from echomind_lib.db.models.runs import SessionEvent as StoredEvent
from echomind_lib.db.statements import Query
from echomind_lib.errors import NotFoundError, RunStateError, ValidationFailedError
from echomind_lib.models import public
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.process.disk import DiskSpace
from echomind_lib.runs.caller import Caller
from echomind_lib.secrets import Secrets
from echomind_lib.text import storable

_QUERY_CHARACTERS: Final = 2_000
_PART: Final = 50_000
_LARGEST_PART: Final = 100_000
_LAST_POSITION: Final = 2**31 - 1
_FIRST_LOOK: Final = 0.2
_LONGEST_LOOK: Final = 2.0
_WAITS: Final = (public.RunStatus.WAITING_FOR_INPUT, public.RunStatus.PAUSED)
_ENDS: Final = {
    public.RunStatus.FAILED: "failed",
    public.RunStatus.CANCELLED: "was cancelled",
    public.RunStatus.TIMEOUT: "timed out",
}

_PROGRESS: Final = Query(
    select(StoredEvent.text)
    .where(StoredEvent.run_id == bindparam("run_id", type_=Uuid), StoredEvent.text != "")
    .order_by(StoredEvent.id.desc())
    .limit(1),
    str,
)

Report = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServices:
    """The service objects."""

    api: ApiSettings
    retention: RetentionRules
    proxies: Proxies
    database: Database
    disk: DiskSpace
    messages: ChatMessages
    runs: Runs
    unread_runs: UnreadRuns
    sessions: ChatSessions
    search_service: Search
    documents: Documents
    connectors: Connectors
    secrets: Secrets

    async def search(self, query: str, limit: int, call: CallContext) -> FoundPassages:
        """Returns the best passages."""
        text = storable(query).strip()
        if not text or len(text) > _QUERY_CHARACTERS:
            raise ValidationFailedError(f"The query must have 1 to {_QUERY_CHARACTERS} characters.")
        found = await self.search_service.search(public.SearchRequest(query=text, limit=limit), call)
        url = self._address(call)
        return FoundPassages(
            results=[
                Passage(
                    id=str(hit.document_id),
                    title=hit.title,
                    url=document_url(url, hit.document_id),
                    text=hit.text,
                    page=hit.page,
                    score=round(hit.score, 4),
                )
                for hit in found.hits
            ]
        )

    async def read(self, document_id: str, start: int, call: CallContext, *, characters: int = _PART) -> ReadDocument:
        """Returns a document's text from a position on; several parts where more characters are requested."""
        number, start = _number(document_id, "document"), max(0, min(start, _LAST_POSITION - _LARGEST_PART))
        texts: list[str] = []
        position = start
        while True:
            end = min(position + _LARGEST_PART, start + characters)
            request = public.GetDocumentTextRequest(id=number, start=position, end=end, form=public.TextForm.PLAIN)
            part = await self.documents.get_document_text(request, call)
            texts.append(part.text)
            position = part.end
            if position >= part.length or position >= start + characters or not part.text:
                break
        return ReadDocument(
            id=str(number),
            title=part.title,
            url=document_url(self._address(call), number),
            text="".join(texts),
            start=start,
            length=part.length,
            next=position if position < part.length else None,
        )

    async def newest_documents(self, count: int, call: CallContext) -> Sequence[public.Document]:
        """Returns the newest documents that can be read."""
        request = public.ListDocumentsRequest(page_size=count, status=public.DocumentStatus.COMPLETED)
        return (await self.documents.list_documents(request, call)).documents

    async def ask(
        self, question: str, assistant: str, call: CallContext, report: Report, number: str, *, may_ask: bool = False
    ) -> AskedAnswer | public.Run:
        """Returns an answer, or the run if it asks something; the question is untrusted, as a model wrote it.

        A notification cancels the run by the `number` of the request.

        Raises:
            RunEndedError: The run failed, or waits for an approval.
        """
        caller = Caller(messages=(), is_question_untrusted=True)
        asked = await self._question(question, assistant, caller, call, may_ask=may_ask)
        asked = replace(asked, request_id=new_request_id(call, number))
        async with (
            self.messages.ask(asked, call) as running,
            self.unread_runs.reading(running.submission.run_id, is_first=True),
        ):
            run_id = str(running.submission.run_id)
            reader = AnswerReader(running.submission, caller)
            async with aclosing(running.events()) as events:
                try:
                    async with aclosing(reader.read(_reported(events, run_id, report))) as items:
                        answer = await last_of(items)
                except _SubRunWaitsError:
                    return await self.outcome(run_id, call, report)
        if answer.is_question:
            return await self.run(run_id, call)
        return self._answered(answer.text, answer.message, run_id, call)

    async def resume(
        self, run: public.Run, responses: Mapping[str, Any] | None, call: CallContext, report: Report
    ) -> AskedAnswer | public.Run:
        """Answers what the run of an earlier `ask` asked; see `ask`.

        Raises:
            ValidationFailedError: The answer does not fit.
            PermissionDeniedError: The caller may only read the run.
        """
        # Where somebody has answered in EchoMind meanwhile, the run continues with that answer.
        with suppress(RunStateError):
            await self.answer(run, responses, call)
        async with self.unread_runs.reading(UUID(run.id), is_first=False):
            return await self.outcome(run.id, call, report)

    async def begin(self, question: str, assistant: str, call: CallContext, *, may_ask: bool) -> public.Run:
        """Asks as `ask`, and returns the run at once."""
        caller = Caller(messages=(), is_question_untrusted=True)
        asked = await self._question(question, assistant, caller, call, may_ask=may_ask)
        async with self.messages.ask(asked, call) as running:
            run_id = str(running.submission.run_id)
        return await self.run(run_id, call)

    async def waiting(self, run: public.Run, call: CallContext) -> public.Run:
        """Returns the run that waits for a person: this one, or one of its sub-runs, first one that asks.

        This one, too, if none of them waits.
        """
        if run.status is not public.RunStatus.WAITING_FOR_CHILDREN:
            return run
        tree = await self.runs.get_run_tree(public.GetRunTreeRequest(id=run.id), call)
        waiting = [each for each in tree.runs if each.status in _WAITS]
        return next((each for each in waiting if asks(each)), waiting[0] if waiting else run)

    async def answer(self, run: public.Run, responses: Mapping[str, Any] | None, call: CallContext) -> None:
        """Answers what a run asks, if the responses have an answer to it.

        Raises:
            ValidationFailedError: The answer does not fit.
            RunStateError: Somebody else has answered.
            PermissionDeniedError: The caller may only read the run.
        """
        require_scope(call.principal, "ask")
        waiting = await self.waiting(run, call)
        try:
            text = answer_in(responses, waiting)
        except ValueError as error:
            raise ValidationFailedError(str(error)) from error
        if text is not None:
            await self.runs.provide_input(public.ProvideInputRequest(id=waiting.id, content=text), call)

    async def settled(self, run: public.Run, call: CallContext, report: Report) -> public.Run:
        """Returns a run when it has ended, or it or a sub-run waits for a person; its own limits bound the wait."""
        reported, pause = "", _FIRST_LOOK
        while run.completed_at is None and (await self.waiting(run, call)).status not in _WAITS:
            if (progress := await self.progress_of(run)) != reported:
                reported = progress
                await report(progress)
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_LOOK)
            run = await self.run(run.id, call)
        return run

    async def outcome(self, run_id: str, call: CallContext, report: Report) -> AskedAnswer | public.Run:
        """Returns the answer of a run as soon as it has one, or the run if it has ended without one, or waits."""
        run = await self.settled(await self.run(run_id, call), call, report)
        return await self.answer_of(run, call) if run.status is public.RunStatus.COMPLETED else run

    def failure_of(self, run: public.Run) -> str:
        """Returns why a run has no answer, or what it waits for."""
        if run.pending_input is not None:
            return f"The run waits for a person, in EchoMind: {run.pending_input.question}"
        text = run.error.message if run.error else ""
        return text or f"The run {_ENDS.get(run.status, f'is {run.status.word}')}."

    async def run(self, run_id: str, call: CallContext) -> public.Run:
        """Returns a run that the caller may read.

        Raises:
            NotFoundError: There is none.
        """
        try:
            known = str(UUID(run_id))
        except ValueError:
            raise NotFoundError(f"There is no run {run_id[:100]!r}.", resource="run", id=run_id[:100]) from None
        return await self.runs.get_run(public.GetRunRequest(id=known), call)

    async def cancel(self, run: public.Run, call: CallContext) -> None:
        """Cancels a run.

        Raises:
            RunStateError: It has ended.
            PermissionDeniedError: The caller may only read it.
        """
        require_scope(call.principal, "ask")
        await self.runs.cancel_run(public.CancelRunRequest(id=run.id), call)

    async def cancel_asked(self, call: CallContext, number: str) -> None:
        """Cancels the run of an earlier `ask` of the calling program, by the number of its request."""
        await cancel_asked(self.database.pool, self.runs, call, number)

    async def answer_of(self, run: public.Run, call: CallContext) -> AskedAnswer:
        """Returns the answer of a run that is completed."""
        message = await self.messages.get_message(public.GetMessageRequest(id=run.message_id), call)
        return self._answered(message.content, message, run.id, call)

    async def progress_of(self, run: public.Run) -> str:
        """Returns what a run reported last; empty for nothing."""
        return await _PROGRESS.fetch_one(self.database.pool, run_id=UUID(run.id)) or ""

    async def _question(
        self, question: str, assistant: str, caller: Caller, call: CallContext, *, may_ask: bool
    ) -> FirstQuestion:
        require_scope(call.principal, "ask")
        content = storable(question)
        check_question(content, "question")
        self.disk.require()
        model = await find_model(self.database.pool, call.principal, assistant) if assistant else None
        return FirstQuestion(
            user_id=call.principal.user_id,
            limits=call.principal.limits,
            api_key_id=call.principal.api_key_id,
            rates=call.principal.rates,
            content=content,
            assistant_id=model.assistant_id if model else 0,
            options=public.RunOptions() if may_ask else public.RunOptions(ask_clarifications=False),
            caller=caller,
            is_unlisted=True,
        )

    def _answered(self, text: str, message: public.ChatMessage, run_id: str, call: CallContext) -> AskedAnswer:
        url = self._address(call)
        citations = [
            CitedSource(
                number=each.number,
                id=str(each.document_id or ""),
                title=each.title,
                url=source_url(url, each),
                quote=each.snippet,
                supported=each.supported,
            )
            for each in message.citations
            if source_url(url, each)
        ]
        return AskedAnswer(answer=text, citations=citations, run_id=run_id)

    async def sources(self, call: CallContext) -> Sources:
        """Returns all sources."""
        found: list[Source] = []
        token = ""
        while True:
            page = await self.connectors.list_connectors(
                public.ListConnectorsRequest(page_size=500, page_token=token), call
            )
            found += [
                Source(
                    id=str(each.id),
                    name=each.name,
                    type=each.type_name or each.type.word,
                    status=each.status.word,
                    documents=each.docs_analyzed,
                    last_sync=each.last_sync_at.isoformat() if each.last_sync_at else None,
                )
                for each in page.connectors
            ]
            token = page.next_page_token
            if not token:
                return Sources(sources=found)

    async def session(self, session_id: str, call: CallContext) -> str:
        """Returns a conversation as Markdown."""
        request = public.ExportChatSessionRequest(
            id=_number(session_id, "chat session"), format=public.ExportFormat.MARKDOWN
        )
        return (await self.sessions.export_chat_session(request, call)).content

    def _address(self, call: CallContext) -> str:
        return own_address(self.api, self.proxies, call.peer, call.metadata)


class _SubRunWaitsError(Exception):
    """A sub-run waits for a person, which the events of its root do not say."""


async def _reported(events: AsyncIterator[SessionEvent], run_id: str, report: Report) -> AsyncIterator[SessionEvent]:
    async for event in events:
        if event.text:
            await report(event.text)
        if event.run_id != run_id and event.WhichOneof("detail") == "input_requested":
            raise _SubRunWaitsError
        yield event


def _number(text: str, resource: str) -> int:
    digits = text.removeprefix("file-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 19 and int(digits)):
        raise NotFoundError(f"There is no {resource} {text[:100]!r}.", resource=resource, id=text[:100])
    return int(digits)
