"""Imports of conversations from other programs."""

import asyncio
from datetime import UTC, datetime

from typing_extensions import override

from echomind_api.conversations.session_rows import read_session
from echomind_api.programs.exported_conversations import ImportedConversation, read_conversation
from echomind_api.programs.imported_traces import ImportedTrace
from echomind_api.programs.message_trees import ImportedMessage
from echomind_api.rows import missing
from echomind_api.streams import UserFeeds
from echomind_lib.contract import CallContext
from echomind_lib.conversations.external_ids import find_named
from echomind_lib.conversations.imports import (
    NewConversation,
    NewImportedStep,
    NewMessage,
    NewRun,
    store_import,
)
from echomind_lib.db.database import Database
from echomind_lib.models.public import ImportChatSessionRequest, ImportChatSessionResponse, ImportService
from echomind_lib.pb.echomind.public.v1.user_event_pb2 import USER_EVENT_KIND_SESSION


class Imports(ImportService):
    """The service `ImportService`."""

    def __init__(self, database: Database, feeds: UserFeeds) -> None:
        self._database = database
        self._feeds = feeds

    @override
    async def import_chat_session(
        self, request: ImportChatSessionRequest, call: CallContext
    ) -> ImportChatSessionResponse:
        # In a thread, as a conversation of many megabytes takes a moment to be read.
        found = await asyncio.to_thread(read_conversation, request.content, datetime.now(UTC))
        pool, user_id = self._database.pool, call.principal.user_id
        known = await find_named(pool, user_id, found.external_id)
        created = None if known else await store_import(pool, user_id, _to_store(found))
        if created is not None:
            await self._feeds.announce(user_id, USER_EVENT_KIND_SESSION, created)
        elif known is None:
            # Another call was faster, or the person may use no assistant.
            known = await find_named(pool, user_id, found.external_id)
        session_id = created or known
        if session_id is None:
            raise missing("assistant", "by default")
        return ImportChatSessionResponse(
            chat_session=await read_session(self._database, session_id, call.principal),
            is_new=created is not None,
            source=found.source,
            omitted_parts=found.omitted_parts if created is not None else 0,
        )


def _to_store(found: ImportedConversation) -> NewConversation:
    metadata = {"importedFrom": found.source, "model": found.model, "session": found.details}
    return NewConversation(
        external_id=found.external_id,
        title=found.title,
        created_at=found.created_at,
        metadata={name: value for name, value in metadata.items() if value},
        is_archived=found.is_archived,
        is_pinned=found.is_pinned,
        messages=[_message(message) for message in found.messages],
        head=found.head,
        runs=[_run(found, position, trace) for position, trace in found.traces.items()],
    )


def _run(found: ImportedConversation, position: int, trace: ImportedTrace) -> NewRun:
    question = found.messages[position]
    answers = [number for number, message in enumerate(found.messages) if message.parent == position]
    return NewRun(
        answers=answers,
        status=trace.status,
        input=question.content,
        output=found.messages[answers[-1]].content,
        error=trace.error,
        metadata={"importedFrom": found.source, "traceId": trace.id},
        row=trace.row,
        creation_date=question.created_at,
        completed_at=max(trace.completed_at or question.created_at, question.created_at),
        steps=[
            NewImportedStep(
                step_type=step.step_type,
                status=step.status,
                prompt=step.prompt,
                output=step.output,
                model=step.model,
                error=step.error,
                started_at=step.created_at or question.created_at,
                row=step.row,
            )
            for step in trace.steps
        ],
    )


def _message(message: ImportedMessage) -> NewMessage:
    return NewMessage(
        parent=message.parent,
        role="user" if message.is_question else "assistant",
        # Nobody can tell who has written a question of a file.
        author_kind="unknown" if message.is_question else "assistant",
        status="cancelled" if message.is_missing else "completed",
        content=message.content,
        creation_date=message.created_at,
    )
