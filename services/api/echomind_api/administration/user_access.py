"""What a person sees, for superadmins: read by the lists that the person themselves would read."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import select

from echomind_api.rows import audit_foreign, missing
from echomind_lib.access import Principal, require_role
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.models import public

_Page = tuple[Sequence[Any], str]
_List = Callable[[CallContext, int, str], Awaitable[_Page]]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserAccess:
    """The lists of a person, read as them; nothing of what is read changes anything or counts as theirs."""

    database: Database
    connectors: public.ConnectorService
    assistants: public.AssistantService
    notebooks: public.NotebookService
    knowledge: public.KnowledgeService
    documents: Callable[[Principal, public.ListDocumentsRequest], Awaitable[public.ListDocumentsResponse]]
    """Documents of a reader, without the audit of what they have read."""

    async def list(self, request: public.ListUserAccessRequest, call: CallContext) -> public.ListUserAccessResponse:
        """Returns a page of what a person sees.

        Raises:
            NotFoundError: There is no such account.
            PermissionDeniedError: The caller is no superadmin.
        """
        require_role(call.principal, "superadmin")
        query = select(rows.User.roles, rows.User.groups, rows.User.is_active).where(rows.User.id == request.id)
        async with self.database.session() as session:
            found = (await session.execute(query)).one_or_none()
        if found is None:
            raise missing("user", request.id)
        kind = request.kind
        await audit_foreign(self.database, call, f"users/{request.id}", write=False, access=kind.word)
        if not found.is_active:
            return public.ListUserAccessResponse()
        person = Principal(request.id, frozenset(found.roles), frozenset(found.groups))
        items, token = await self._lists[kind](replace(call, principal=person), request.page_size, request.page_token)
        shown = [
            public.AccessItem(kind=kind, id=item.id, name=_name(item), reason=_REASONS[kind](item)) for item in items
        ]
        return public.ListUserAccessResponse(items=shown, next_page_token=token)

    @property
    def _lists(self) -> Mapping[public.AccessKind, _List]:
        return {
            public.AccessKind.CONNECTOR: self._connectors,
            public.AccessKind.DOCUMENT: self._documents,
            public.AccessKind.ASSISTANT: self._assistants,
            public.AccessKind.NOTEBOOK: self._notebooks,
            public.AccessKind.KNOWLEDGE: self._knowledge,
        }

    async def _connectors(self, call: CallContext, size: int, token: str) -> _Page:
        request = public.ListConnectorsRequest(page_size=size, page_token=token)
        listed = await self.connectors.list_connectors(request, call)
        return listed.connectors, listed.next_page_token

    async def _documents(self, call: CallContext, size: int, token: str) -> _Page:
        listed = await self.documents(call.principal, public.ListDocumentsRequest(page_size=size, page_token=token))
        return listed.documents, listed.next_page_token

    async def _assistants(self, call: CallContext, size: int, token: str) -> _Page:
        request = public.ListAssistantsRequest(page_size=size, page_token=token)
        listed = await self.assistants.list_assistants(request, call)
        return listed.assistants, listed.next_page_token

    async def _notebooks(self, call: CallContext, size: int, token: str) -> _Page:
        request = public.ListNotebooksRequest(page_size=size, page_token=token)
        listed = await self.notebooks.list_notebooks(request, call)
        return listed.notebooks, listed.next_page_token

    async def _knowledge(self, call: CallContext, size: int, token: str) -> _Page:
        request = public.ListKnowledgeRequest(page_size=size, page_token=token)
        listed = await self.knowledge.list_knowledge(request, call)
        return listed.knowledge, listed.next_page_token


def _name(item: Any) -> str:
    return getattr(item, "title", "") or getattr(item, "name", "")


def _scope(item: public.Connector) -> str:
    return " ".join(filter(None, (item.scope.word, item.scope_id if item.scope.word == "group" else "")))


def _groups(item: public.Assistant) -> str:
    return ", ".join(item.groups)


def _role(item: public.Notebook) -> str:
    return item.role.word


def _level(item: public.KnowledgeEntity) -> str:
    return item.level.word


_REASONS: Final[Mapping[public.AccessKind, Callable[[Any], str]]] = {
    public.AccessKind.CONNECTOR: _scope,
    public.AccessKind.DOCUMENT: lambda item: f"connector {item.connector_id}",
    public.AccessKind.ASSISTANT: _groups,
    public.AccessKind.NOTEBOOK: _role,
    public.AccessKind.KNOWLEDGE: _level,
}
