"""The service of notes in notebooks."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, delete, insert, literal, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.conversations.access import require_session
from echomind_api.notebooks import members
from echomind_api.notebooks.access import find_notebook
from echomind_api.people import full_name, with_updaters
from echomind_api.rows import missing, reload
from echomind_api.streams import UserFeeds
from echomind_lib.access import Principal
from echomind_lib.access.notebooks import is_member_of, may_ask_in
from echomind_lib.access.sources import sources_readable
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.conversations.messages import read_message
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ChangedSinceReadError, PermissionDeniedError, ValidationFailedError
from echomind_lib.mappers.notebook_notes import to_columns, to_model
from echomind_lib.models import public
from echomind_lib.pb.echomind.public.v1.user_event_pb2 import USER_EVENT_KIND_NOTEBOOK
from echomind_lib.text import single_line

_Row = rows.NotebookNote
_TITLE_CHARACTERS = 80


class NotebookNotes(public.NotebookNoteService):
    """The service `NotebookNoteService`."""

    def __init__(self, database: Database, feeds: UserFeeds) -> None:
        self._database = database
        self._feeds = feeds

    @override
    async def list_notebook_notes(
        self, request: public.ListNotebookNotesRequest, call: CallContext
    ) -> public.ListNotebookNotesResponse:
        key = ("notebook_notes", request.notebook_id, call.principal.user_id)
        page = read_page(request.page_size, request.page_token, tuple[int], *key)
        query = _readable(call.principal).where(_Row.notebook_id == request.notebook_id)
        async with self._database.session() as session:
            await find_notebook(session, call, request.notebook_id, "ask")
            listed = await session.execute(page.select(query, _Row.id, descending=True))
            found, token = page.cut(listed.all(), lambda row: (row[0].id,))
            notes = await _models(session, found)
        return public.ListNotebookNotesResponse(notes=notes, next_page_token=token)

    @override
    async def get_notebook_note(self, request: public.GetNotebookNoteRequest, call: CallContext) -> public.NotebookNote:
        async with self._database.session() as session:
            return await _model(session, await _find(session, call.principal, request.id))

    @override
    async def create_notebook_note(
        self, request: public.CreateNotebookNoteRequest, call: CallContext
    ) -> public.NotebookNote:
        columns = to_columns(request.note, request.note.model_fields_set)
        async with self._database.session() as session:
            await find_notebook(session, call, request.notebook_id, "ask")
            row = _Row(notebook_id=request.notebook_id, user_id=call.principal.user_id, **columns)
            session.add(row)
            await session.flush()
            made = await _model(session, await _find(session, call.principal, row.id))
        await self._announce(request.notebook_id)
        return made

    @override
    async def save_notebook_note(
        self, request: public.SaveNotebookNoteRequest, call: CallContext
    ) -> public.NotebookNote:
        answer = await self._answer(request, call)
        async with self._database.session() as session:
            await find_notebook(session, call, request.notebook_id, "ask")
            row = _Row(
                notebook_id=request.notebook_id,
                user_id=call.principal.user_id,
                title=request.title.strip() or await _title(session, answer),
                content=answer.content,
                citations=[_stored(citation) for citation in answer.citations],
                message_id=answer.id,
                basis=answer.basis.word if answer.basis.number else None,
                other_tools=answer.other_tools,
            )
            session.add(row)
            await session.flush()
            drawn = rows.ChatSessionSource
            sources = select(literal(row.id), drawn.document_id, drawn.connector_id).where(
                drawn.chat_session_id == answer.chat_session_id
            )
            target = rows.NotebookNoteSource
            names = ["note_id", "document_id", "connector_id"]
            await session.execute(insert(target).from_select(names, sources))
            made = await _model(session, await _find(session, call.principal, row.id))
        await self._announce(request.notebook_id)
        return made

    @override
    async def update_notebook_note(
        self, request: public.UpdateNotebookNoteRequest, call: CallContext
    ) -> public.NotebookNote:
        columns = to_columns(request.note, request.update_mask or [])
        async with self._database.session() as session:
            found = await _find_to_change(session, call.principal, request.id, lock=True)
            row = found[0]
            _check_unchanged(row, request.expected_last_update)
            if columns.get("content", row.content) != row.content:
                row.basis, row.citations = None, _citations_in(columns["content"], row)
            for name, value in columns.items():
                setattr(row, name, value)
            row.user_id_last_update = call.principal.user_id
            await reload(session, row)
            made = await _model(session, found)
        await self._announce(made.notebook_id)
        return made

    @override
    async def delete_notebook_note(self, request: public.DeleteNotebookNoteRequest, call: CallContext) -> Empty:
        async with self._database.session() as session:
            row = (await _find_to_change(session, call.principal, request.id))[0]
            await session.execute(delete(_Row).where(_Row.id == row.id))
        await self._announce(row.notebook_id)
        return Empty()

    async def _answer(self, request: public.SaveNotebookNoteRequest, call: CallContext) -> public.ChatMessage:
        """Returns an answer of a conversation of the notebook that the caller may read, with its citations.

        Raises:
            NotFoundError: There is none.
            ValidationFailedError: It is no completed answer.
        """
        message, chat = rows.ChatMessage, rows.ChatSession
        of_notebook = (
            select(message.chat_session_id)
            .join(chat, chat.id == message.chat_session_id)
            .where(message.id == request.message_id, chat.notebook_id == request.notebook_id)
        )
        async with self._database.session() as session:
            session_id = await session.scalar(of_notebook)
        if session_id is None:
            raise missing("message", request.message_id)
        await require_session(self._database, call, session_id, "read", "message", request.message_id)
        found = await read_message(self._database.pool, call.principal, request.message_id)
        if found is None:
            raise missing("message", request.message_id)
        if (
            found.role is not public.MessageRole.ASSISTANT
            or found.status is not public.MessageStatus.COMPLETED
            or not found.content
        ):
            rule = "is no completed answer"
            raise ValidationFailedError(f"message_id: {rule}", message_id=rule)
        return found

    async def _announce(self, notebook_id: int) -> None:
        async with self._database.session() as session:
            member_ids = await members.member_ids(session, notebook_id)
        for user_id in member_ids:
            await self._feeds.announce(user_id, USER_EVENT_KIND_NOTEBOOK, notebook_id)


def _readable(principal: Principal) -> Select[rows.NotebookNote, str, bool]:
    """Returns the notes that a principal may read, with the author's name and whether they may change it."""
    reader = principal.user_id
    is_editable = or_(_Row.user_id == reader, is_member_of(_Row.notebook_id, reader, ("owner", "editor")))
    rule = sources_readable()
    return (
        select(_Row, full_name().label("user_name"), is_editable.label("is_editable"))
        .join(rows.User, rows.User.id == _Row.user_id)
        .where(may_ask_in(_Row.notebook_id, reader), rule.where(rows.NotebookNoteSource.note_id, _Row.id))
        .params(rule.values(principal))
    )


async def _find(session: AsyncSession, principal: Principal, note_id: int) -> Any:
    found = (await session.execute(_readable(principal).where(_Row.id == note_id))).one_or_none()
    if found is None:
        raise missing("note", note_id)
    return found


async def _find_to_change(session: AsyncSession, principal: Principal, note_id: int, *, lock: bool = False) -> Any:
    if lock:  # before it is read, so that changes at the same time see each other
        await session.execute(select(_Row.id).where(_Row.id == note_id).with_for_update(key_share=True))
    found = await _find(session, principal, note_id)
    if not found.is_editable:
        raise PermissionDeniedError(
            "Only the author of a note and editors of its notebook can change it.", resource="note", id=note_id
        )
    return found


def _check_unchanged(row: rows.NotebookNote, expected: datetime | None) -> None:
    """Raises `ChangedSinceReadError` if a note was changed since the caller read it."""
    if expected is not None and expected != (row.last_update or row.creation_date):
        raise ChangedSinceReadError(
            "Somebody has changed this note since you read it.",
            resource="note",
            id=row.id,
        )


async def _models(session: AsyncSession, found: Sequence[Any]) -> list[public.NotebookNote]:
    """Returns notes as their reader sees them: who changed them is for those who may change them."""
    shown = [to_model(each[0], user_name=each.user_name, is_editable=each.is_editable) for each in found]
    edited = [(each[0], note) for each, note in zip(found, shown, strict=True) if note.is_editable]
    by_id = {note.id: note for note in shown} | {note.id: note for note in await with_updaters(session, edited)}
    return list(by_id.values())


async def _model(session: AsyncSession, found: Any) -> public.NotebookNote:
    return (await _models(session, [found]))[0]


def _citations_in(content: str, row: rows.NotebookNote) -> list[dict[str, Any]]:
    """Returns the citations of a note whose sentences are in its new content: others were checked for other words."""
    kept = []
    for citation in map(public.Citation.model_validate, row.citations):
        sentence = row.content[citation.sentence_start : citation.sentence_end]
        start = content.find(sentence) if sentence.strip() else -1
        if start >= 0:
            moved = {"sentence_start": start, "sentence_end": start + len(sentence)}
            kept.append(_stored(citation.model_copy(update=moved)))
    return kept


def _stored(citation: Any) -> dict[str, Any]:
    """Returns a citation as it is stored with a note; its ratings stay with the answer."""
    stored: dict[str, Any] = citation.model_dump(mode="json", exclude={"feedback"}, exclude_defaults=True)
    return stored


async def _title(session: AsyncSession, answer: public.ChatMessage) -> str:
    question = select(rows.ChatMessage.content).where(rows.ChatMessage.id == answer.parent_message_id)
    text = await session.scalar(question) if answer.parent_message_id else None
    return single_line(text or answer.content, _TITLE_CHARACTERS)
