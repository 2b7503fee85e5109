"""Documents and their chunks. Their connector determines who may read and change them."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import Select, Update, func, select, update
from typing_extensions import override

from echomind_api.administration.purge import Purge
from echomind_api.dependencies import Dependencies
from echomind_api.people import with_updaters
from echomind_api.rows import audit, missing
from echomind_api.sources import document_lists as lists
from echomind_api.sources.connector_rows import audit_not_shared, connector_for_files, find_connector, read_only
from echomind_api.sources.document_changes import SelectedDocuments
from echomind_api.sources.document_texts import DocumentTexts
from echomind_api.sources.intake import Intake, NewFile
from echomind_lib import jobs
from echomind_lib.access import Principal
from echomind_lib.access import connectors as rule_of
from echomind_lib.access.documents import documents as access_documents
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.paging import read_page
from echomind_lib.errors import FileRejectedError, NotFoundError, ValidationFailedError
from echomind_lib.indexes import active_index
from echomind_lib.jobs import REMOVE_DOCUMENTS
from echomind_lib.mappers import documents
from echomind_lib.models import public
from echomind_lib.vectors import Filter

_CHUNK_FIELDS = ("position", "text", "heading", "page", "start", "end")


class Documents(public.DocumentService):
    """The service `DocumentService`."""

    def __init__(self, dependencies: Dependencies, intake: Intake, purge: Purge, selected: SelectedDocuments) -> None:
        self._database = dependencies.database
        self._bus = dependencies.bus
        self._objects = dependencies.objects
        self._vectors = dependencies.vectors
        self._max_upload_bytes = dependencies.settings.api.max_upload_bytes
        self._texts = DocumentTexts(dependencies.objects)
        self._intake = intake
        self._purge = purge
        self._selected = selected

    @override
    async def list_documents(
        self, request: public.ListDocumentsRequest, call: CallContext
    ) -> public.ListDocumentsResponse:
        found, token, connectors = await self._page(call.principal, request)
        target = f"connectors/{request.connector_id}" if request.connector_id else "documents"
        used = {row.connector_id for row in found}
        ids = [row.id for row in found]
        await audit_not_shared(self._database, call, target, [connectors[key] for key in sorted(used)], ids)
        return public.ListDocumentsResponse(documents=await self._shown(call, found), next_page_token=token)

    async def listed_for(
        self, principal: Principal, request: public.ListDocumentsRequest
    ) -> public.ListDocumentsResponse:
        """Returns the documents that a reader would be listed, for somebody else: the reader has not read them."""
        found, token, _ = await self._page(principal, request)
        return public.ListDocumentsResponse(documents=[documents.to_model(row) for row in found], next_page_token=token)

    async def _page(
        self, principal: Principal, request: public.ListDocumentsRequest
    ) -> tuple[Sequence[rows.Document], str, Mapping[int, rows.Connector]]:
        status = "" if request.status is public.DocumentStatus.UNSPECIFIED else request.status.word
        given = msgspec.structs.replace(lists.stored(request.filter, status), ids=tuple(request.ids))
        extra = [rows.Connector.id == request.connector_id] if request.connector_id else []
        async with self._database.session() as session:
            connectors = await lists.readable_connectors(session, principal, given, extra)
            found, token = await lists.list_page(session, principal, request, connectors.values(), given)
        return found, token, connectors

    @override
    async def count_documents(
        self, request: public.CountDocumentsRequest, call: CallContext
    ) -> public.CountDocumentsResponse:
        given = lists.stored(request.filter)
        anywhere = msgspec.structs.replace(given, connector_ids=())
        async with self._database.session() as session:
            readable = (await lists.readable_connectors(session, call.principal, anywhere)).values()
            counts = await lists.count_properties(session, call.principal, readable, given)
            total: int | None = counts.total(given)
            if counts.is_estimate:
                meant = [each for each in readable if not given.connector_ids or each.id in given.connector_ids]
                total = await lists.count_total(session, call.principal, meant, given)
        return public.CountDocumentsResponse(
            total=counts.total(given) if total is None else total,
            total_estimated=total is None,
            connectors=_counts(counts.of(0, given), 100),
            statuses=_counts(counts.of(1, given), name=lambda word: public.DocumentStatus.from_word(word).value),
            kinds=_counts(counts.of(2, given), name=lambda word: public.DocumentKind.from_word(word).value),
            counts_estimated=counts.is_estimate,
        )

    @override
    async def list_document_folders(
        self, request: public.ListDocumentFoldersRequest, call: CallContext
    ) -> public.ListDocumentFoldersResponse:
        connector = await find_connector(self._database, call, request.connector_id)
        async with self._database.session() as session:
            found = (await session.execute(lists.folders_of(call.principal, connector, request.parent))).all()
        above = f"{request.parent.rstrip('/')}/" if request.parent else ""
        return public.ListDocumentFoldersResponse(
            folders=[
                public.DocumentFolder(name=name, path=f"{above}{name}", documents=number) for name, number in found
            ]
        )

    @override
    async def update_document(self, request: public.UpdateDocumentRequest, call: CallContext) -> public.Document:
        columns = documents.to_columns(request.document, request.update_mask)
        if not columns.get("title", "x"):
            raise ValidationFailedError("document.title: must not be empty", **{"document.title": "must not be empty"})
        await self.find(call, request.id, manage=True)
        async with self._database.session() as session:
            row = await session.scalar(_change(request.id, call.principal, **columns).returning(rows.Document))
        if row is None:
            raise missing("document", request.id)
        return (await self._shown(call, [row]))[0]

    @override
    async def delete_documents(
        self, request: public.DeleteDocumentsRequest, call: CallContext
    ) -> public.ChangeDocumentsResponse:
        return await self._selected.change(call, "delete", request.selection)

    @override
    async def retry_documents(
        self, request: public.RetryDocumentsRequest, call: CallContext
    ) -> public.ChangeDocumentsResponse:
        return await self._selected.change(call, "retry", request.selection)

    @override
    async def move_documents(
        self, request: public.MoveDocumentsRequest, call: CallContext
    ) -> public.ChangeDocumentsResponse:
        return await self._selected.change(call, "move", request.selection, request.connector_id)

    @override
    async def get_document(self, request: public.GetDocumentRequest, call: CallContext) -> public.Document:
        return (await self._shown(call, [await self.find(call, request.id)]))[0]

    @override
    async def upload_document(self, request: public.UploadDocumentRequest, call: CallContext) -> public.Document:
        if len(request.content) > self._max_upload_bytes:
            raise FileRejectedError(
                f"The file {request.source_id!r} is larger than {self._max_upload_bytes} bytes.",
                name=request.source_id,
                limit=self._max_upload_bytes,
            )
        if request.connector_id:
            connector = await find_connector(self._database, call, request.connector_id, manage=True)
        else:
            connector = await connector_for_files(self._database, call)
        file = NewFile(
            source_id=request.source_id,
            signature=hashlib.sha256(request.content).hexdigest(),
            size=len(request.content),
            put=partial(self._objects.put, data=request.content),
            content_type=request.content_type,
            title=request.title,
        )
        return documents.to_model(await self._intake.store(call.principal, connector, file))

    @override
    async def delete_document(self, request: public.DeleteDocumentRequest, call: CallContext) -> Empty:
        await self.find(call, request.id, manage=True)
        async with self._database.session() as session:
            await session.execute(_change(request.id, call.principal, deleted_date=func.now()))
        await jobs.request(self._database.pool, self._bus, REMOVE_DOCUMENTS)
        return Empty()

    @override
    async def purge_document(self, request: public.PurgeDocumentRequest, call: CallContext) -> Empty:
        row = await self.find(call, request.id, manage=True)
        async with self._database.session() as session:
            audit(session, call, f"documents/{request.id}", connector_id=row.connector_id)
        await self._purge.document(request.id)
        return Empty()

    @override
    async def retry_document(self, request: public.RetryDocumentRequest, call: CallContext) -> public.Document:
        await self.find(call, request.id, manage=True)
        again = {"status": "pending", "status_message": None, "processing_session": None, "attempts": 0}
        change = _change(request.id, call.principal, **again).returning(rows.Document)
        async with self._database.session() as session:
            row = await session.scalar(change)
        if row is None:
            raise missing("document", request.id)
        await self._intake.wake(row.id, row.status)
        return (await self._shown(call, [row]))[0]

    @override
    async def get_document_text(self, request: public.GetDocumentTextRequest, call: CallContext) -> public.DocumentText:
        row = await self.find(call, request.id)
        try:
            part = await self._texts.part(row, request)
        except NotFoundError:
            # The document was reprocessed between the two reads, and its previous text deleted: read it again.
            row = await self.find(call, request.id)
            part = await self._texts.part(row, request)
        return part

    @override
    async def list_document_chunks(
        self, request: public.ListDocumentChunksRequest, call: CallContext
    ) -> public.ListDocumentChunksResponse:
        row = await self.find(call, request.id)
        session = row.chunking_session
        if session is None:
            return public.ListDocumentChunksResponse()
        page = read_page(request.page_size, request.page_token, tuple[int], "chunks", request.id, str(session))
        first = page.after[0] + 1 if page.after else 0
        positions = range(first, min(first + page.limit, row.chunk_count))
        if not positions:
            return public.ListDocumentChunksResponse()
        if (index := await active_index(self._database.pool)) is None:
            return public.ListDocumentChunksResponse()
        where: Filter = {"document_id": request.id, "chunking_session": str(session), "position": positions}
        found = [point async for point in self._vectors.scroll(index.collection, where)]
        found.sort(key=lambda point: point.payload["position"])
        kept, token = page.cut(found, lambda point: (point.payload["position"],))
        chunks = [
            public.Chunk.model_validate(
                {"id": point.id, "later_sections": _later_sections(point.payload)}
                | {key: point.payload.get(key) for key in _CHUNK_FIELDS}
            )
            for point in kept
        ]
        return public.ListDocumentChunksResponse(chunks=chunks, next_page_token=token)

    async def find(self, call: CallContext, document_id: int, *, manage: bool = False) -> rows.Document:
        """Returns a document that the caller may read, or with `manage` change.

        Every access to a document's content starts here. A superadmin's access to a document that is not shared with
        them is audited.

        Raises:
            NotFoundError: There is none that the caller may read.
            PermissionDeniedError: The caller may read it but not change it.
        """
        principal: Principal = call.principal
        async with self._database.session() as session:
            found = (await session.execute(_readable(principal).where(rows.Document.id == document_id))).one_or_none()
        if found is None:
            raise missing("document", document_id)
        document, connector = found
        if manage and not rule_of("manage").allows(principal, connector):
            raise read_only(connector.id)
        await audit_not_shared(
            self._database, call, f"documents/{document_id}", [connector], [document.id], write=manage
        )
        return document

    async def _shown(self, call: CallContext, found: Sequence[rows.Document]) -> list[public.Document]:
        """Returns documents, and for those who manage their connectors who has changed them."""
        shown = {row.id: documents.to_model(row) for row in found}
        may_manage = rule_of("manage")
        async with self._database.session() as session:
            ids = {row.connector_id for row in found}
            connectors = await session.scalars(select(rows.Connector).where(rows.Connector.id.in_(ids)))
            managed = {one.id for one in connectors if may_manage.allows(call.principal, one)}
            changed = [(row, shown[row.id]) for row in found if row.connector_id in managed]
            return list((shown | {each.id: each for each in await with_updaters(session, changed)}).values())


def _readable(principal: Principal) -> Select[rows.Document, rows.Connector]:
    """Returns the statement of the documents that the principal may read, with their connectors."""
    rule = access_documents()
    return (
        select(rows.Document, rows.Connector)
        .join(rows.Connector, rows.Connector.id == rows.Document.connector_id)
        .where(rows.Document.deleted_date.is_(None), rows.Connector.deleted_date.is_(None))
        .where(rule.where())
        .params(rule.values(principal))
    )


def _change(document_id: int, principal: Principal, **columns: Any) -> Update:
    return (
        update(rows.Document)
        .where(rows.Document.id == document_id, rows.Document.deleted_date.is_(None))
        .values(**columns, user_id_last_update=principal.user_id)
    )


def _counts(
    counts: Counter[str], limit: int | None = None, name: Callable[[str], str] = lambda value: value
) -> list[public.DocumentCount]:
    return [
        public.DocumentCount(value=name(value), documents=number) for value, number in lists.most_first(counts, limit)
    ]


def _later_sections(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"start": start, "heading": heading} for start, heading in payload.get("later_sections") or ()]
