"""Files: documents of the caller's own connectors of uploads."""

from collections.abc import Collection
from functools import partial
from pathlib import PureWindowsPath
from typing import Any, Final

from fastapi import Request
from starlette.responses import Response

from echomind_api.dependencies import Dependencies
from echomind_api.sources import document_lists as lists
from echomind_api.sources.connector_rows import connector_for_files
from echomind_api.sources.documents import Documents
from echomind_api.sources.intake import Intake, NewFile, StoredDocument
from echomind_api.transports.http.documents import stored_bytes
from echomind_api.transports.http.multipart import Form, receive
from echomind_api.transports.openai.errors import OpenAiError
from echomind_api.transports.openai.listings import FILE, FileListing, Json, Listing, number_of, page
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.db.database import Database
from echomind_lib.db.models import Connector, Document
from echomind_lib.db.paging import Page
from echomind_lib.documents.filters import Filter
from echomind_lib.models import public
from echomind_lib.models.public import DocumentSort

_PURPOSES: Final = ("assistants", "user_data")
"""Purposes that documents serve."""
_FIELDS: Final = {"purpose"}
_STATUS: Final = {"completed": "processed", "failed": "error"}


class Files:
    """The endpoint `files`."""

    def __init__(self, dependencies: Dependencies, documents: Documents, intake: Intake) -> None:
        self._database, self._objects = dependencies.database, dependencies.objects
        self._space = dependencies.uploads
        self._documents, self._intake = documents, intake

    async def upload(self, request: Request, call: CallContext) -> Json:
        """Stores a file in the caller's own connector of uploads, by its name.

        Raises:
            OpenAiError: A field of the form has no counterpart, or there is not one file.
            EchoMindError: See `Intake.store`.
        """
        async with receive(request, self._space) as form:
            _check(form)
            file = form.files[0]
            connector = await connector_for_files(self._database, call)
            stored = await self._intake.store(
                call.principal,
                connector,
                NewFile(
                    source_id=PureWindowsPath(file.name).name or file.name or "file",
                    signature=file.sha256,
                    size=file.size,
                    put=partial(file.put, self._objects),
                    content_type=file.content_type,
                ),
            )
        return file_of(stored)

    async def list_files(self, listing: FileListing, call: CallContext) -> Json:
        """Returns a page of the documents of the caller's own connectors of uploads."""
        if listing.purpose not in ("", *_PURPOSES):
            return page([], 0, file_of)
        own = [Connector.user_id == call.principal.user_id, *is_for_uploads()]
        async with self._database.session() as session:
            found = await lists.readable_connectors(session, call.principal, Filter(), own)
        rows = await documents_in(self._database, call.principal, found.values(), listing)
        return page(rows, listing.limit, file_of)

    async def read(self, file_id: str, call: CallContext) -> Json:
        """Returns a document that the caller may read.

        Raises:
            NotFoundError: There is none.
        """
        return file_of(await self._documents.find(call, number_of(FILE, file_id)))

    async def content(self, file_id: str, call: CallContext) -> Response:
        """Returns the bytes of a document that the caller may read.

        Raises:
            NotFoundError: There is none.
        """
        return await stored_bytes(self._documents, self._objects, number_of(FILE, file_id), call)

    async def delete(self, file_id: str, call: CallContext) -> Json:
        """Removes a document that the caller may change.

        Raises:
            NotFoundError: There is none that the caller may read.
            PermissionDeniedError: The caller may not change it.
        """
        await self._documents.delete_document(public.DeleteDocumentRequest(id=number_of(FILE, file_id)), call)
        return {"id": file_id, "object": "file", "deleted": True}


def is_for_uploads() -> list[Any]:
    """Returns the conditions that a connector's documents are uploaded, and not read from a source."""
    return [Connector.type == "file", Connector.config == {}]


async def documents_in(
    database: Database, reader: Principal, connectors: Collection[Connector], listing: Listing, status: str = ""
) -> list[Document]:
    """Returns the documents of a page, and one more if the list continues.

    Args:
        database: The database.
        reader: Who reads them.
        connectors: Connectors that the reader may read.
        listing: The page.
        status: A word of `DocumentStatus`, or several separated by blanks; empty for all.

    Raises:
        OpenAiError: `after` is no file.
    """
    if not connectors:
        return []
    after = (number_of(FILE, listing.after, "after"),) if listing.after else None
    query = lists.page_of_list(
        lists.readable_in(reader, connectors),
        Filter(statuses=tuple(status.split())),
        DocumentSort.ADDED,
        Page(listing.limit, after, b""),
        descending=listing.order == "desc",
    )
    async with database.session() as session:
        return list((await session.scalars(query)).all())


def file_of(row: Document | StoredDocument) -> Json:
    """Returns a document as a file."""
    return {
        "id": f"{FILE}{row.id}",
        "object": "file",
        "bytes": row.size_bytes or 0,
        "created_at": int(row.creation_date.timestamp()),
        "expires_at": None,
        "filename": PureWindowsPath(row.source_id.replace("/", "\\")).name or row.title,
        "purpose": "assistants",
        "status": _STATUS.get(row.status, "uploaded"),
        "status_details": row.status_message,
    }


def _check(form: Form) -> None:
    """Checks the form of an upload.

    Raises:
        OpenAiError: A field is missing, or has no counterpart.
    """
    for name in form.fields:
        if name not in _FIELDS:
            raise OpenAiError(f"{name} has no counterpart here: leave it out.", param=name)
    if (purpose := next(iter(form.fields.get("purpose", ())), "")) not in _PURPOSES:
        allowed = " or ".join(_PURPOSES)
        raise OpenAiError(f"purpose: must be {allowed}, not {purpose[:100]!r}.", param="purpose")
    if len(form.files) != 1:
        raise OpenAiError("file: must be there, once.", param="file")
