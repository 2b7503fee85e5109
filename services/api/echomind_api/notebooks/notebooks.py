"""The service of notebooks."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, select, true
from typing_extensions import override

from echomind_api.assistants.tools import check_notebook_tools
from echomind_api.conversations.controls import Controls
from echomind_api.conversations.responses import to_response
from echomind_api.notebooks import members, removal, sources, templates
from echomind_api.notebooks.access import FoundNotebook, find_notebook, read_notebooks, require_notebook
from echomind_api.notebooks.removal import NotebookRemoval
from echomind_api.notebooks.sessions import list_notebook_sessions
from echomind_api.notebooks.source_access import SourceAccess
from echomind_api.notebooks.summaries import read_summary, request_summary
from echomind_api.rows import audit, audit_foreign, reload
from echomind_api.streams import UserFeeds
from echomind_lib.access import require_role
from echomind_lib.access.notebooks import is_member_of, memberships, role_in
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.conversations.questions import FirstQuestion, submit
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.events.log import EventLog
from echomind_lib.mappers.notebooks import to_columns
from echomind_lib.models import public
from echomind_lib.pb.echomind.public.v1.user_event_pb2 import USER_EVENT_KIND_NOTEBOOK, USER_EVENT_KIND_SESSION

_Row = rows.Notebook
_Member = rows.NotebookMember
_used = (
    select(func.max(func.coalesce(rows.ChatSession.last_message_at, rows.ChatSession.creation_date)))
    .where(rows.ChatSession.notebook_id == _Row.id, rows.ChatSession.deleted_date.is_(None))
    .scalar_subquery()
)
_NEWEST = func.greatest(_used, _Row.last_update, _Row.creation_date)


class Notebooks(public.NotebookService):
    """The service `NotebookService`."""

    def __init__(
        self,
        database: Database,
        log: EventLog,
        controls: Controls,
        removals: NotebookRemoval,
        feeds: UserFeeds,
        source_access: SourceAccess,
    ) -> None:
        self._database = database
        self._log = log
        self._controls = controls
        self._removals = removals
        self._feeds = feeds
        self._source_access = source_access

    @override
    async def list_notebooks(
        self, request: public.ListNotebooksRequest, call: CallContext
    ) -> public.ListNotebooksResponse:
        if request.all:
            require_role(call.principal, "superadmin")
            await audit_foreign(self._database, call, "notebooks", write=False)
        filters = (call.principal.user_id, request.query, request.removed, request.all)
        page = read_page(request.page_size, request.page_token, tuple[datetime, int], "notebooks", *filters)
        caller = call.principal.user_id
        query = select(_Row, role_in(_Row.id, caller).label("role"), _NEWEST.label("newest"))
        if not request.all:
            member = memberships().c
            query = query.where(_Row.id.in_(select(member.notebook_id).where(member.user_id == caller)))
        if request.removed:
            # Removed notebooks are listed only for those who can restore them.
            is_owner = true() if request.all else is_member_of(_Row.id, caller, ("owner",))
            query = query.where(removal.is_kept(), is_owner)
        else:
            query = query.where(_Row.deleted_date.is_(None))
        if request.query:
            texts = (_Row.title, _Row.description)
            query = query.where(or_(*(text.icontains(request.query, autoescape=True) for text in texts)))
        async with self._database.session() as session:
            listed = await session.execute(page.select(query, _NEWEST, _Row.id, descending=True))
            found, token = page.cut(listed.all(), lambda row: (row.newest, row[0].id))
            notebooks = await read_notebooks(session, [FoundNotebook(row[0], row.role) for row in found], caller)
        return public.ListNotebooksResponse(notebooks=notebooks, next_page_token=token)

    @override
    async def get_notebook(self, request: public.GetNotebookRequest, call: CallContext) -> public.Notebook:
        return await self._read(await require_notebook(self._database, call, request.id, "read"), call)

    @override
    async def create_notebook(self, request: public.CreateNotebookRequest, call: CallContext) -> public.Notebook:
        columns = to_columns(request.notebook, request.notebook.model_fields_set)
        await check_notebook_tools(self._log.bus, request.notebook.tools)
        user_id = call.principal.user_id
        async with self._database.session() as session:
            row = _Row(user_id=user_id, **columns)
            session.add(row)
            await session.flush()
            session.add(_Member(notebook_id=row.id, user_id=user_id, role="owner"))
            await reload(session, row)
        await self._announce([user_id], row.id)
        return await self._read(FoundNotebook(row, "owner"), call)

    @override
    async def update_notebook(self, request: public.UpdateNotebookRequest, call: CallContext) -> public.Notebook:
        columns = to_columns(request.notebook, request.update_mask or [])
        if "tools" in columns:
            found = await require_notebook(self._database, call, request.id, "edit")
            await check_notebook_tools(self._log.bus, request.notebook.tools, found.row.tools)
        async with self._database.session() as session:
            found = await find_notebook(session, call, request.id, "edit", lock=True)
            if columns.get("tools", found.row.tools) != found.row.tools:
                audit(session, call, f"notebooks/{request.id}", tools=columns["tools"])
            for name, value in columns.items():
                setattr(found.row, name, value)
            found.row.user_id_last_update = call.principal.user_id
            await reload(session, found.row)
        await self._announce_to_members(request.id)
        return await self._read(found, call)

    @override
    async def delete_notebook(self, request: public.DeleteNotebookRequest, call: CallContext) -> Empty:
        await require_notebook(self._database, call, request.id, "remove")
        async with self._database.session() as session:
            await find_notebook(session, call, request.id, "remove", lock=True)
            audit(session, call, f"notebooks/{request.id}")
            active = await removal.remove(session, request.id, call.principal.user_id)
        for run_id in active:
            await self._controls.move(run_id, "cancelled")
        await self._announce_to_members(request.id, with_sessions=True)
        return Empty()

    @override
    async def restore_notebook(self, request: public.RestoreNotebookRequest, call: CallContext) -> public.Notebook:
        await require_notebook(self._database, call, request.id, "remove", removed=True)
        async with self._database.session() as session:
            found = await find_notebook(session, call, request.id, "remove", removed=True, lock=True)
            audit(session, call, f"notebooks/{request.id}")
            await removal.restore(session, found.row, call.principal.user_id)
        await self._announce_to_members(request.id, with_sessions=True)
        return await self._read(found, call)

    @override
    async def purge_notebook(self, request: public.PurgeNotebookRequest, call: CallContext) -> Empty:
        await require_notebook(self._database, call, request.id, "remove", removed=True)
        async with self._database.session() as session:
            member_ids = await members.member_ids(session, request.id)
            audit(session, call, f"notebooks/{request.id}")
        await self._removals.purge(request.id)
        await self._announce(member_ids, request.id)
        return Empty()

    @override
    async def list_notebook_sources(
        self, request: public.ListNotebookSourcesRequest, call: CallContext
    ) -> public.ListNotebookSourcesResponse:
        await require_notebook(self._database, call, request.id, "read")
        return await self._sources(request.id, call)

    @override
    async def add_notebook_sources(
        self, request: public.AddNotebookSourcesRequest, call: CallContext
    ) -> public.ListNotebookSourcesResponse:
        async with self._database.session() as session:
            await find_notebook(session, call, request.id, "edit", lock=True)
            await sources.add_sources(session, call.principal, request)
        await self._announce_to_members(request.id)
        return await self._sources(request.id, call)

    @override
    async def remove_notebook_sources(
        self, request: public.RemoveNotebookSourcesRequest, call: CallContext
    ) -> public.ListNotebookSourcesResponse:
        async with self._database.session() as session:
            await find_notebook(session, call, request.id, "edit", lock=True)
            await sources.remove_sources(session, request.id, request.source_ids)
        await self._announce_to_members(request.id)
        return await self._sources(request.id, call)

    @override
    async def give_notebook_access(
        self, request: public.GiveNotebookAccessRequest, call: CallContext
    ) -> public.ListNotebookSourcesResponse:
        async with self._database.session() as session:
            await find_notebook(session, call, request.id, "edit")
            gifts = await sources.gifts_of(session, call.principal, request.id, request.source_ids)
        for gift in gifts:
            await self._source_access.give(gift, call)
        await self._announce_to_members(request.id)
        return await self._sources(request.id, call)

    @override
    async def list_notebook_members(
        self, request: public.ListNotebookMembersRequest, call: CallContext
    ) -> public.ListNotebookMembersResponse:
        await require_notebook(self._database, call, request.id, "read")
        async with self._database.session() as session:
            return public.ListNotebookMembersResponse(
                members=await members.list_members(session, request.id),
                groups=await members.list_groups(session, request.id),
            )

    @override
    async def set_notebook_member(
        self, request: public.SetNotebookMemberRequest, call: CallContext
    ) -> public.NotebookMember:
        async with self._database.session() as session:
            await find_notebook(session, call, request.id, "manage", lock=True)
            member = await members.set_member(session, request)
            audit(session, call, f"notebooks/{request.id}", user_id=member.user_id, role=request.role.word)
        await self._announce_to_members(request.id)
        return member

    @override
    async def remove_notebook_member(self, request: public.RemoveNotebookMemberRequest, call: CallContext) -> Empty:
        leaves = request.user_id == call.principal.user_id
        async with self._database.session() as session:
            await find_notebook(session, call, request.id, "ask" if leaves else "manage", lock=True)
            await members.remove_member(session, request.id, request.user_id)
            audit(session, call, f"notebooks/{request.id}", user_id=request.user_id)
        await self._announce_to_members(request.id)
        await self._announce([request.user_id], request.id)
        return Empty()

    @override
    async def set_notebook_group(
        self, request: public.SetNotebookGroupRequest, call: CallContext
    ) -> public.NotebookGroup:
        async with self._database.session() as session:
            await find_notebook(session, call, request.id, "manage", lock=True)
            group = await members.set_group(session, call.principal, request)
            audit(session, call, f"notebooks/{request.id}", group_id=group.group_id, role=request.role.word)
        await self._announce_to_members(request.id)
        return group

    @override
    async def remove_notebook_group(self, request: public.RemoveNotebookGroupRequest, call: CallContext) -> Empty:
        async with self._database.session() as session:
            await find_notebook(session, call, request.id, "manage", lock=True)
            before = await members.member_ids(session, request.id)
            await members.remove_group(session, request.id, request.group_id)
            audit(session, call, f"notebooks/{request.id}", group_id=request.group_id)
        # Those who have lost their membership see that the notebook is no longer there.
        await self._announce(before, request.id)
        return Empty()

    @override
    async def list_notebook_sessions(
        self, request: public.ListNotebookSessionsRequest, call: CallContext
    ) -> public.ListNotebookSessionsResponse:
        async with self._database.session() as session:
            await find_notebook(session, call, request.id, "ask")
            return await list_notebook_sessions(session, call.principal, request)

    @override
    async def start_notebook_template(
        self, request: public.StartNotebookTemplateRequest, call: CallContext
    ) -> public.SendMessageResponse:
        async with self._database.session() as session:
            await find_notebook(session, call, request.id, "ask")
            found = await sources.readable_document_ids(
                session, call.principal, request.id, request.document_ids, templates.MAX_DOCUMENTS
            )
        title, content = templates.template_question(request, [title for _, title in found])
        question = FirstQuestion(
            user_id=call.principal.user_id,
            api_key_id=call.principal.api_key_id,
            rates=call.principal.rates,
            content=content,
            title=title,
            assistant_id=request.assistant_id,
            notebook_id=request.id,
            holds_words_of_others=True,
            document_ids=[document_id for document_id, _ in found],
            request_id=request.request_id,
        )
        return to_response((await submit(self._log, question)).question)

    @override
    async def get_notebook_summary(
        self, request: public.GetNotebookSummaryRequest, call: CallContext
    ) -> public.NotebookSummary:
        await require_notebook(self._database, call, request.id, "ask")
        return await read_summary(self._log, call.principal, request.id)

    @override
    async def request_notebook_summary(
        self, request: public.RequestNotebookSummaryRequest, call: CallContext
    ) -> public.NotebookSummary:
        await require_notebook(self._database, call, request.id, "ask")
        return await request_summary(self._log, call.principal, request.id)

    async def _read(self, found: FoundNotebook, call: CallContext) -> public.Notebook:
        async with self._database.session() as session:
            return (await read_notebooks(session, [found], call.principal.user_id))[0]

    async def _sources(self, notebook_id: int, call: CallContext) -> public.ListNotebookSourcesResponse:
        is_editor = is_member_of(rows.Notebook.id, call.principal.user_id, ("owner", "editor"))
        may_edit = select(rows.Notebook.id).where(rows.Notebook.id == notebook_id, is_editor)
        async with self._database.session() as session:
            for_editor = await session.scalar(may_edit) is not None
            listed = await sources.list_sources(session, call.principal, notebook_id, for_editor=for_editor)
        return public.ListNotebookSourcesResponse(sources=listed)

    async def _announce_to_members(self, notebook_id: int, *, with_sessions: bool = False) -> None:
        """Publishes a change to the open pages of all members; `with_sessions`: their lists of conversations, too."""
        async with self._database.session() as session:
            member_ids = await members.member_ids(session, notebook_id)
            owned = select(rows.ChatSession.id, rows.ChatSession.user_id).where(
                rows.ChatSession.notebook_id == notebook_id
            )
            changed: list[Any] = list(await session.execute(owned)) if with_sessions else []
        await self._announce(member_ids, notebook_id)
        for row in changed:
            await self._feeds.announce(row.user_id, USER_EVENT_KIND_SESSION, row.id)

    async def _announce(self, user_ids: Iterable[int], notebook_id: int) -> None:
        for user_id in user_ids:
            await self._feeds.announce(user_id, USER_EVENT_KIND_NOTEBOOK, notebook_id)
