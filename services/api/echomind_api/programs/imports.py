"""Imports of conversations from other programs."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Integer, Text, bindparam, func, select
from typing_extensions import override

from echomind_api.conversations.session_rows import read_session
from echomind_api.programs.exported_conversations import ImportedConversation, read_conversation
from echomind_api.programs.imported_ratings import ImportedRating
from echomind_api.programs.imported_traces import ImportedTrace
from echomind_api.programs.message_trees import ImportedMessage
from echomind_api.rows import audit_by, missing
from echomind_api.streams import UserFeeds
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.conversations.external_ids import find_even_removed, find_named
from echomind_lib.conversations.imports import (
    NewConversation,
    NewImportedStep,
    NewMessage,
    NewRun,
    store_import,
)
from echomind_lib.db.database import Database
from echomind_lib.db.models import User
from echomind_lib.db.statements import Query
from echomind_lib.errors import NotFoundError
from echomind_lib.models.public import (
    ImportChatSessionRequest,
    ImportChatSessionResponse,
    ImportService,
    ImportUserChatSessionRequest,
)
from echomind_lib.pb.echomind.public.v1.user_event_pb2 import USER_EVENT_KIND_SESSION

_FEEDBACK_CHARACTERS: Final = 10_000
"""Maximum of the reason of a rating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """What other programs call a person."""

    user_name: str
    email: str | None


_NAMES: Final = Query(select(User.user_name, User.email).where(User.id == bindparam("user_id", type_=Integer)), _Names)
_BY_EMAIL: Final = Query(
    select(User.id).where(
        func.lower(User.email) == func.lower(bindparam("email", type_=Text)),
        User.is_email_verified,
        User.is_active,
        User.kind == "person",
    ),
    int,
)


class Imports(ImportService):
    """The service `ImportService`."""

    def __init__(self, database: Database, feeds: UserFeeds) -> None:
        self._database = database
        self._feeds = feeds

    @override
    async def import_chat_session(
        self, request: ImportChatSessionRequest, call: CallContext
    ) -> ImportChatSessionResponse:
        session_id, response = await self._import(request.content, call.principal.user_id)
        response.chat_session = await read_session(self._database, session_id, call.principal)
        return response

    @override
    async def import_user_chat_session(
        self, request: ImportUserChatSessionRequest, call: CallContext
    ) -> ImportChatSessionResponse:
        require_role(call.principal, "superadmin")
        user_id = await _BY_EMAIL.fetch_one(self._database.pool, email=request.email)
        if user_id is None:
            raise NotFoundError(
                f"No active account has the verified e-mail address {request.email}: add it, or verify the address.",
                resource="user",
                id=request.email,
            )
        _, response = await self._import(request.content, user_id, call)
        call.is_audited = True  # also if nothing has changed
        return response

    async def _import(
        self, content: str, user_id: int, by: CallContext | None = None
    ) -> tuple[int, ImportChatSessionResponse]:
        """Imports a conversation for a person.

        Args:
            content: The conversation, as a file has it.
            user_id: The person.
            by: The call of whoever imports it for them; None if they do so themselves.

        Returns:
            Its session's id, and the response without the session.
        """
        # In a thread, as a conversation of many megabytes takes a moment to be read.
        found = await asyncio.to_thread(read_conversation, content, datetime.now(UTC))
        pool = self._database.pool
        # What somebody has removed comes back if they want it to, and not because another person repeats an import.
        find = find_named if by is None else find_even_removed
        known = await find(pool, user_id, found.external_id)
        ratings = {} if known else await self._own_ratings(found, user_id)
        created = None if known else await self._store(user_id, found, ratings, by)
        if created is not None:
            await self._feeds.announce(user_id, USER_EVENT_KIND_SESSION, created)
        elif known is None:
            # Another call was faster, or the person may use no assistant.
            known = await find(pool, user_id, found.external_id)
        session_id = created or known
        if session_id is None and by is not None:
            raise NotFoundError("The person may use no assistant: share one with them.", resource="assistant")
        if session_id is None:
            raise missing("assistant", "by default")
        response = ImportChatSessionResponse(user_id=user_id, source=found.source)
        if created is None:
            return session_id, response
        given = sum(message.rating is not None for message in found.messages)
        shortened = sum(len(rating.text) > _FEEDBACK_CHARACTERS for rating in ratings.values())
        response.is_new = True
        response.omitted_parts = found.omitted_parts + shortened
        response.ratings = len(ratings)
        response.omitted_ratings = found.omitted_ratings + given - len(ratings)
        response.merged_steps = sum(trace.merged_steps for trace in found.traces.values())
        return session_id, response

    async def _store(
        self,
        user_id: int,
        found: ImportedConversation,
        ratings: Mapping[int, ImportedRating],
        by: CallContext | None,
    ) -> int | None:
        """Stores a conversation, together with the entry of the audit log if somebody else imports it."""
        conversation = _to_store(found, ratings)
        if by is None:
            return await store_import(self._database.pool, user_id, conversation)
        async with self._database.pool.acquire() as connection, connection.transaction():
            session_id = await store_import(connection, user_id, conversation)
            if session_id is not None:
                await audit_by(
                    connection, by, f"chat-sessions/{session_id}", {"user_id": user_id, "source": found.source}
                )
        return session_id

    async def _own_ratings(self, found: ImportedConversation, user_id: int) -> dict[int, ImportedRating]:
        """Returns the ratings that a person may have given, by the positions of their answers.

        What somebody else thought of an answer must not count as the opinion of whoever has the file.
        """
        ratings = {
            position: message.rating
            for position, message in enumerate(found.messages)
            if message.rating is not None and message.rating.is_positive is not None
        }
        if all(rating.is_of(()) for rating in ratings.values()):
            return ratings
        person = await _NAMES.fetch_one(self._database.pool, user_id=user_id)
        names = [name for name in (person.user_name, person.email) if name] if person else []
        return {position: rating for position, rating in ratings.items() if rating.is_of(names)}


def _to_store(found: ImportedConversation, ratings: Mapping[int, ImportedRating]) -> NewConversation:
    metadata = {"importedFrom": found.source, "model": found.model, "session": found.details}
    return NewConversation(
        external_id=found.external_id,
        title=found.title,
        created_at=found.created_at,
        metadata={name: value for name, value in metadata.items() if value},
        is_archived=found.is_archived,
        is_pinned=found.is_pinned,
        messages=[_message(message, ratings.get(position)) for position, message in enumerate(found.messages)],
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


def _message(message: ImportedMessage, rating: ImportedRating | None) -> NewMessage:
    return NewMessage(
        parent=message.parent,
        role="user" if message.is_question else "assistant",
        # Nobody can tell who has written a question of a file.
        author_kind="unknown" if message.is_question else "assistant",
        status="cancelled" if message.is_missing else "completed",
        content=message.content,
        creation_date=message.created_at,
        is_helpful=rating.is_positive if rating else None,
        feedback_text=rating.text[:_FEEDBACK_CHARACTERS] if rating else "",
    )
