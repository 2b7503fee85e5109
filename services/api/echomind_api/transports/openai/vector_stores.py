"""Vector stores: connectors. A file is in one at a time, so that adding it moves it."""

import secrets
from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import BigInteger, func, select, type_coerce

from echomind_api.sources import document_lists as lists
from echomind_api.sources.connector_rows import connector_for_files, find_connector
from echomind_api.sources.connectors import Connectors
from echomind_api.sources.document_changes import SelectedDocuments
from echomind_api.sources.documents import Documents
from echomind_api.sources.search import Search
from echomind_api.transports.openai.errors import OpenAiError
from echomind_api.transports.openai.files import documents_in
from echomind_api.transports.openai.listings import FILE, STORE, Json, Listing, StoreFileListing, number_of, page
from echomind_api.transports.openai.store_requests import AddedFile, ChangedStore, NewStore, StoreSearch
from echomind_lib.access import Principal
from echomind_lib.access import connectors as rule_of
from echomind_lib.contract import CallContext
from echomind_lib.db.database import Database
from echomind_lib.db.models import Connector, Document
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.models import public
from echomind_lib.models.public import DocumentFilter, DocumentSelection, SearchHit
from echomind_lib.text import storable

_IN_PROGRESS: Final = {"pending": "in_progress", "processing": "in_progress"}
_STATUSES: Final = {"in_progress": "pending processing", "completed": "completed", "failed": "failed"}
_TEXT: Final = 100_000
"""Characters of a document's text that are read at a time."""


class VectorStores:
    """The endpoint `vector_stores`."""

    def __init__(
        self,
        database: Database,
        connectors: Connectors,
        documents: Documents,
        selected: SelectedDocuments,
        search: Search,
    ) -> None:
        self._database, self._connectors, self._documents = database, connectors, documents
        self._selected, self._search = selected, search

    async def create(self, request: NewStore, call: CallContext) -> Json:
        """Creates a connector of uploads that only the caller reads, and moves files to it.

        Raises:
            EchoMindError: The caller has a connector of this name, or a file is not one of their private ones.
        """
        request.check()
        for number, file_id in enumerate(request.file_ids):
            await self._require_movable(number_of(FILE, file_id, f"file_ids.{number}"), None, call)
        name = storable(request.name).strip() or f"vector-store-{secrets.token_hex(4)}"
        new = public.Connector(name=name, type=public.ConnectorType.FILE, scope=public.Scope.USER)
        made = await self._connectors.create_connector(public.CreateConnectorRequest(connector=new), call)
        for file_id in request.file_ids:
            await self.add_file(f"{STORE}{made.id}", AddedFile(file_id=file_id), call)
        return await self.read(f"{STORE}{made.id}", call)

    async def list_stores(self, listing: Listing, call: CallContext) -> Json:
        """Returns a page of the connectors that the caller may read."""
        rule = rule_of("read")
        query = (
            select(Connector)
            .where(Connector.deleted_date.is_(None), rule.where(Connector))
            .params(rule.values(call.principal))
            .order_by(Connector.id.desc() if listing.order == "desc" else Connector.id)
            .limit(listing.limit + 1)
        )
        if listing.after:
            after = number_of(STORE, listing.after, "after")
            key = type_coerce(Connector.id, BigInteger)  # the number may be larger than any id
            query = query.where(key < after if listing.order == "desc" else key > after)
        async with self._database.session() as session:
            found = (await session.scalars(query)).all()
        counts = await self._count(call.principal, found[: listing.limit])
        return page(found, listing.limit, lambda row: _store(row, counts.get(row.id, {})))

    async def read(self, store_id: str, call: CallContext) -> Json:
        """Returns a connector that the caller may read.

        Raises:
            NotFoundError: There is none.
        """
        row = await self._find(store_id, call)
        return _store(row, (await self._count(call.principal, [row])).get(row.id, {}))

    async def change(self, store_id: str, request: ChangedStore, call: CallContext) -> Json:
        """Renames a connector that the caller may change.

        Raises:
            EchoMindError: The caller may not change it, or has another one of this name.
        """
        request.check()
        if request.name is not None:
            changed = public.ConnectorPatch(name=request.name)
            await self._connectors.update_connector(
                public.UpdateConnectorRequest(id=_id(store_id), connector=changed, update_mask=["name"]), call
            )
        return await self.read(store_id, call)

    async def delete(self, store_id: str, call: CallContext) -> Json:
        """Removes a connector of uploads of the caller; its files go to the caller's usual connector.

        Raises:
            OpenAiError: It is another kind of connector, or not all files could be moved.
            EchoMindError: It is shared, or somebody else's.
        """
        row, usual = await self._own(store_id, call)
        if row.id == usual.id:
            raise OpenAiError(f"{row.name!r} is where files go that are in no other vector store. It stays.")
        files = DocumentSelection(filter=DocumentFilter(connector_ids=[row.id]))
        moved = await self._selected.change(call, "move", files, usual.id, restarts=True)
        if left := await self._connectors.delete_empty(row.id, call):
            reason = "have the names of files there, or came meanwhile: delete one of each two, or try again"
            if moved.in_background:
                reason = "are still being moved: delete the vector store when it has none"
            raise OpenAiError(
                f"The files of a vector store go to {usual.name!r}. {left} of them {reason}.",
                status=409,
                code="vector_store_not_empty",
            )
        return {"id": store_id, "object": "vector_store.deleted", "deleted": True}

    async def search(self, store_id: str, request: StoreSearch, call: CallContext) -> Json:
        """Returns the best passages of a connector that the caller may read; of several queries, each once.

        Raises:
            NotFoundError: There is none.
        """
        request.check()
        connector, queries = await self._find(store_id, call), request.queries
        best: dict[str, SearchHit] = {}
        for query in queries:
            asked = public.SearchRequest(
                query=storable(query), limit=request.max_num_results, connector_ids=[connector.id]
            )
            for hit in (await self._search.search(asked, call)).hits:
                if hit.chunk_id not in best or best[hit.chunk_id].score < hit.score:
                    best[hit.chunk_id] = hit
        least = request.ranking_options.score_threshold
        found = sorted((hit for hit in best.values() if hit.score >= least), key=lambda hit: -hit.score)
        return {
            "object": "vector_store.search_results.page",
            "search_query": queries,
            "data": [_found(hit) for hit in found[: request.max_num_results]],
            "has_more": False,
            "next_page": None,
        }

    async def list_files(self, store_id: str, listing: StoreFileListing, call: CallContext) -> Json:
        """Returns a page of the documents of a connector that the caller may read.

        Raises:
            NotFoundError: There is none.
        """
        connector = await self._find(store_id, call)
        if listing.filter == "cancelled":
            return page([], 0, _file)
        status = _STATUSES.get(listing.filter, "")
        rows = await documents_in(self._database, call.principal, [connector], listing, status)
        return page(rows, listing.limit, _file)

    async def add_file(self, store_id: str, request: AddedFile, call: CallContext) -> Json:
        """Moves a document to a connector of uploads; the caller may change both.

        A private document is the caller's own, and a shared one stays with the same readers.

        Raises:
            OpenAiError: One of them is not of uploads, or the document is being changed by somebody else.
            EchoMindError: The caller may not change one of them or move the document there, or the connector has a file
                of this name.
        """
        request.check()
        connector = await self._find(store_id, call, manage=True)
        if not _takes_uploads(connector):
            raise OpenAiError(f"{connector.name!r} is filled from its source, and takes no files.")
        document_id = number_of(FILE, request.file_id, "file_id")
        await self._require_movable(document_id, connector, call)
        return _file(await self._moved(document_id, connector, call))

    async def read_file(self, store_id: str, file_id: str, call: CallContext) -> Json:
        """Returns a document of a connector that the caller may read.

        Raises:
            OpenAiError: The document is not in it.
            NotFoundError: There is no such connector or document.
        """
        return _file(await self._file_in(store_id, file_id, call))

    async def remove_file(self, store_id: str, file_id: str, call: CallContext) -> Json:
        """Moves a document from a private connector of the caller's to their usual one.

        Raises:
            OpenAiError: The document is not in it, or it is the usual one.
            EchoMindError: It is shared, or somebody else's, or the usual one has a file of this name.
        """
        row, usual = await self._own(store_id, call)
        document = await self._file_in(store_id, file_id, call)
        if row.id == usual.id:
            raise OpenAiError(f"The file is in no other vector store than {row.name!r}: delete the file.")
        await self._moved(document.id, usual, call)
        return {"id": file_id, "object": "vector_store.file.deleted", "deleted": True}

    async def file_text(self, store_id: str, file_id: str, call: CallContext) -> Json:
        """Returns the text of a document of a connector that the caller may read.

        Raises:
            OpenAiError: The document is not in it.
            EchoMindError: There is no such connector or document, or it has no text yet.
        """
        document = await self._file_in(store_id, file_id, call)
        parts: list[str] = []
        start, length = 0, 1
        while start < length:
            asked = public.GetDocumentTextRequest(id=document.id, start=start, end=start + _TEXT)
            part = await self._documents.get_document_text(asked, call)
            parts.append(part.text)
            start, length = max(part.end, start + 1), part.length
        return {
            "object": "vector_store.file_content.page",
            "data": [{"type": "text", "text": "".join(parts)}],
            "has_more": False,
            "next_page": None,
        }

    async def searched(self, store_ids: Collection[str], param: str, call: CallContext) -> list[int]:
        """Returns the connectors of vector stores that the caller may read.

        Raises:
            OpenAiError: One is no vector store.
            NotFoundError: There is none of an id.
        """
        ids = [number_of(STORE, store_id, param) for store_id in dict.fromkeys(store_ids)]
        return [(await find_connector(self._database, call, each)).id for each in ids]

    async def _find(self, store_id: str, call: CallContext, *, manage: bool = False) -> Connector:
        return await find_connector(self._database, call, _id(store_id), manage=manage)

    async def _own(self, store_id: str, call: CallContext) -> tuple[Connector, Connector]:
        """Returns a private connector of uploads of the caller, and their usual one."""
        row = await self._find(store_id, call, manage=True)
        if not _takes_uploads(row):
            raise OpenAiError(f"{row.name!r} is filled from its source: change it in EchoMind.")
        if row.scope != "user":
            raise _shared(f"{row.name!r} is shared: change it in EchoMind.", row)
        if row.user_id != call.principal.user_id:
            raise PermissionDeniedError(
                "The files of a vector store go back to its owner, who is somebody else: change it in EchoMind.",
                resource="connector",
                id=row.id,
            )
        return row, await connector_for_files(self._database, call)

    async def _file_in(self, store_id: str, file_id: str, call: CallContext) -> Document:
        connector = await self._find(store_id, call)
        document = await self._documents.find(call, number_of(FILE, file_id))
        if document.connector_id != connector.id:
            raise OpenAiError(f"There is no {file_id} in {store_id}.", status=404, code="not_found")
        return document

    async def _require_movable(self, document_id: int, target: Connector | None, call: CallContext) -> None:
        """Raises an error unless a document may be moved to a connector; None is a new one, private to the caller.

        The right to change a connector is not enough: superadmins have it for everybody's private files, and owners and
        admins for files that others have shared with a group.
        """
        document = await self._documents.find(call, document_id, manage=True)
        source = await find_connector(self._database, call, document.connector_id)
        if document.container_id is not None or not _takes_uploads(source):
            raise OpenAiError(
                f"{FILE}{document_id} is within another file or comes from a source, and stays there.", param="file_id"
            )
        if target is not None and source.id == target.id:
            return
        if source.scope == "user":
            if source.user_id != call.principal.user_id:
                raise PermissionDeniedError(
                    f"{FILE}{document_id} is a private file of somebody else: they can move it.",
                    resource="document",
                    id=document_id,
                )
        elif target is None or (source.scope, source.scope_id) != (target.scope, target.scope_id):
            raise _shared(f"{FILE}{document_id} is shared with others: move it in EchoMind.", source)

    async def _moved(self, document_id: int, connector: Connector, call: CallContext) -> Document:
        document = await self._documents.find(call, document_id, manage=True)
        if document.connector_id == connector.id:
            return document
        files = DocumentSelection(ids=[document_id])
        moved = await self._selected.change(call, "move", files, connector.id, restarts=True)
        if not moved.documents:
            raise OpenAiError(
                f"{FILE}{document_id} is being changed by another request: try again.", status=409, code="file_changing"
            )
        return await self._documents.find(call, document_id)

    async def _count(
        self, reader: Principal, connectors: Collection[Connector]
    ) -> dict[int, dict[str, tuple[int, int]]]:
        """Returns the number and bytes of the documents of connectors that a reader may read, by status."""
        counts: dict[int, dict[str, tuple[int, int]]] = {}
        if not connectors:
            return counts
        query = (
            select(
                Document.connector_id,
                Document.status,
                func.count(),
                func.coalesce(func.sum(Document.size_bytes), 0),
            )
            .where(Document.deleted_date.is_(None))
            .group_by(Document.connector_id, Document.status)
        )
        async with self._database.session() as session:
            found = await session.execute(lists.readable_in(reader, connectors).add_to(query))
            for connector_id, status, number, size in found:
                counts.setdefault(connector_id, {})[status] = (number, int(size))
        return counts


def _shared(message: str, connector: Connector) -> PermissionDeniedError:
    return PermissionDeniedError(message, resource="connector", id=connector.id)


def _id(store_id: str) -> int:
    return number_of(STORE, store_id)


def _takes_uploads(connector: Connector) -> bool:
    return connector.type == "file" and not connector.config


def _store(row: Connector, counts: dict[str, tuple[int, int]]) -> Json:
    """Returns a connector as a vector store, with the number and bytes of its documents by status."""
    numbers = {"in_progress": 0, "completed": 0, "failed": 0, "cancelled": 0}
    for status, (number, _) in counts.items():
        numbers[_IN_PROGRESS.get(status, status)] += number
    return {
        "id": f"{STORE}{row.id}",
        "object": "vector_store",
        "created_at": int(row.creation_date.timestamp()),
        "name": row.name,
        "usage_bytes": sum(size for _, size in counts.values()),
        "file_counts": numbers | {"total": sum(numbers.values())},
        "status": "in_progress" if numbers["in_progress"] else "completed",
        "expires_after": None,
        "expires_at": None,
        "last_active_at": int(row.last_sync_at.timestamp()) if row.last_sync_at else None,
        "metadata": {},
    }


def _file(row: Document) -> Json:
    """Returns a document as a file of a vector store."""
    error: dict[str, Any] | None = None
    if row.status == "failed":
        error = {"code": "invalid_file", "message": row.status_message or "The file could not be processed."}
    return {
        "id": f"{FILE}{row.id}",
        "object": "vector_store.file",
        "created_at": int(row.creation_date.timestamp()),
        "vector_store_id": f"{STORE}{row.connector_id}",
        "usage_bytes": row.size_bytes or 0,
        "status": _IN_PROGRESS.get(row.status, row.status),
        "last_error": error,
        "chunking_strategy": {"type": "other"},
        "attributes": {},
    }


def _found(hit: SearchHit) -> Json:
    return {
        "file_id": f"{FILE}{hit.document_id}",
        "filename": hit.file_name or hit.title,
        "score": hit.score,
        "attributes": {},
        "content": [{"type": "text", "text": hit.text}],
    }
